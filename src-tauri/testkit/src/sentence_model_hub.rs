//! A server that two tiny sentence models are downloaded from.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::Path as Requested;
use axum::http::StatusCode;
use axum::routing::get;
use models::{Catalogue, Http, ModelStore, Url};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::TinySentenceModel;

/// The name of the ONNX Runtime in the models folder.
const LIBRARY: &str = "runtime-library";

/// A server on the loopback interface with two sentence models: `english`, and `multilingual` of the E5 family. As the real
/// hub does for the bundled catalogue, it publishes the checksums.
pub struct SentenceModelHub {
    catalogue: &'static Catalogue,
    http: Http,
    library: std::path::PathBuf,
}

impl SentenceModelHub {
    /// Serves both models. They run on the ONNX Runtime at `library`.
    pub async fn start(
        english: &TinySentenceModel,
        multilingual: &TinySentenceModel,
        library: &Path,
    ) -> Self {
        let files = [
            ("english.onnx", english.network()),
            ("english.json", english.tokeniser()),
            ("multilingual.onnx", multilingual.network()),
            ("multilingual.json", multilingual.tokeniser()),
        ];
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = files.map(|(name, bytes)| {
            let path = folder.path().join(name);
            std::fs::write(&path, &bytes).expect("the file is written");
            (name, models::sha256_of(&path).expect("the file is read"), bytes)
        });
        let files = Arc::new(files);
        let served = move |Requested(name): Requested<String>| {
            let file = files.iter().find(|(known, ..)| *known == name).cloned();
            async move {
                let (_, checksum, bytes) = file.ok_or(StatusCode::NOT_FOUND)?;
                Ok::<_, StatusCode>(([("x-linked-etag", format!("\"{checksum}\""))], bytes))
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let router = Router::new().route("/{name}", get(served));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let url = format!("http://{address}");
        let http = Http::new().expect("a client needs nothing");
        http.allow_origin(&Url::parse(&url).expect("the address is valid"));
        let text = json!({ "entries": [
            sentence_model(&url, "english", "mini_lm", "en"),
            sentence_model(&url, "multilingual", "e5", "*"),
            runtime(library),
        ]});
        let catalogue = Catalogue::parse(&text.to_string()).expect("the catalogue is well-formed");
        Self { catalogue: Box::leak(Box::new(catalogue)), http, library: library.to_owned() }
    }

    /// A client that may reach this server.
    pub fn http(&self) -> Http {
        self.http.clone()
    }

    /// A store in this folder, where nothing but the runtime is installed.
    pub fn store(&self, folder: &Path) -> ModelStore {
        std::fs::copy(&self.library, folder.join(LIBRARY)).expect("the library is copied");
        ModelStore::with_catalogue(folder, self.catalogue)
    }
}

fn entry(id: &str, purpose: &str, engine: &str, language: &str, files: Value) -> Value {
    json!({
        "id": id, "purpose": purpose, "engine": engine, "label": id, "languages": [language], "licence": "MIT",
        "ram_bytes": 0, "minimum": {"ram_bytes": 0, "cores": 1}, "description": "", "files": files,
    })
}

fn sentence_model(url: &str, id: &str, engine: &str, language: &str) -> Value {
    let file = |ending: &str| {
        let name = format!("{id}.{ending}");
        let variant =
            json!({"label": "", "size_bytes": 1, "sha256": null, "urls": [format!("{url}/{name}")]});
        json!({"name": name, "variants": [variant]})
    };
    entry(id, "embedding", engine, language, json!([file("onnx"), file("json")]))
}

/// The library counts as installed by its size; its checksum is not looked at.
fn runtime(library: &Path) -> Value {
    let size = std::fs::metadata(library).map_or(0, |library| library.len());
    let variant = json!({"label": "", "size_bytes": size, "sha256": "0".repeat(64), "urls": []});
    entry("runtime", "runtime", "onnx_runtime", "*", json!([{"name": LIBRARY, "variants": [variant]}]))
}
