//! A server that model files are downloaded from, and a small catalogue of models there.

use models::{Catalogue, Http, Url};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A server on the loopback interface that has four models, one file each: `speech`, `voice`, `language` and `runtime`.
pub struct ModelHub {
    url: String,
    /// Every connection, after what [`ModelHub::start`] was told was sent. They stay open until the test drops them.
    pub connections: mpsc::UnboundedReceiver<TcpStream>,
}

impl ModelHub {
    /// The content of every model file.
    pub const FILE: &'static [u8] = b"ears";

    /// Serves the whole file.
    pub async fn start() -> Self {
        Self::sending(Self::FILE).await
    }

    /// Announces the whole file, and sends `part` of it.
    pub async fn sending(part: &'static [u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let (sender, connections) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", Self::FILE.len());
                // A caller may hang up at any time.
                let _ = connection.read(&mut [0; 4096]).await;
                let _ = connection.write_all(&[head.as_bytes(), part].concat()).await;
                let _ = sender.send(connection);
            }
        });
        Self { url: format!("http://{address}"), connections }
    }

    /// Address and port, as the list of contacted hosts has them.
    pub fn host(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// A catalogue whose downloads are refused.
    pub fn unreachable_catalogue() -> (&'static Catalogue, Http) {
        catalogue_at("http://127.0.0.1:9")
    }

    /// The models of this server, and a client that may reach it.
    pub fn catalogue(&self) -> (&'static Catalogue, Http) {
        catalogue_at(&self.url)
    }
}

fn catalogue_at(url: &str) -> (&'static Catalogue, Http) {
    let entry = |(id, purpose, engine): (&str, &str, &str)| {
        json!({
            "id": id, "purpose": purpose, "engine": engine, "label": id, "languages": ["en"], "licence": "MIT",
            "ram_bytes": 0, "minimum": {"ram_bytes": 0, "cores": 1}, "description": "",
            "files": [{"name": id, "variants": [{
                "label": "", "size_bytes": ModelHub::FILE.len(), "urls": [format!("{url}/{id}")],
                "sha256": "97e1f3fc7beaed63fc4ae087b78f13a31b2c0c925747f7713ed067b1e7d289a1",
            }]}],
        })
    };
    let entries = [
        ("speech", "speech_to_text", "whisper"),
        ("voice", "voice", "piper"),
        ("language", "language_model", "llama"),
        ("runtime", "runtime", "onnx_runtime"),
    ];
    let text = json!({"entries": entries.map(entry)}).to_string();
    let catalogue = Box::leak(Box::new(Catalogue::parse(&text).expect("the catalogue is well-formed")));
    let http = Http::new().expect("a client needs nothing");
    http.allow_origin(&Url::parse(url).expect("the address is valid"));
    (catalogue, http)
}
