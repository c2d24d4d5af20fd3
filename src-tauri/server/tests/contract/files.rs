//! Files and pictures of answers, with a real server of tools that returns a picture.

use std::path::Path;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ContentBlock};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rstest::rstest;
use serde_json::{Value, json};
use settings::Scope;
use testkit::Turn;

use crate::served::{Served, read};

const TOOL: &str = "everything__get-tiny-image";

/// The first bytes of every PNG. Source: the PNG specification.
const PNG: &[u8] = b"\x89PNG\r\n";

/// A Jarvis whose model calls a tool that returns a picture.
async fn served() -> Served {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tool_servers/node_modules");
    let script = root.join("@modelcontextprotocol/server-everything/dist/index.js");
    assert!(script.is_file(), "{} is missing: run `npm ci` in tests/tool_servers", script.display());
    let settings = json!({
        "mcp": { "servers": { "everything": { "command": "node", "args": [script] } } },
        "tools": { "selection_strategy": "all", "allowed": ["everything"] },
    });
    let turns = [Turn::calls(TOOL, json!({})), Turn::says("Here it is.")];
    let served = Served::with(turns, settings, []).await;
    while !served.assistant.tool_names(false).iter().any(|name| name == TOOL) {
        tokio::task::yield_now().await;
    }
    served
}

/// The picture behind a reference of an answer, and the status of a second request for it.
async fn fetched(served: &Served, attachments: &Value) -> (Vec<u8>, u16) {
    let [picture] = attachments.as_array().unwrap().as_slice() else { panic!("not one: {attachments}") };
    assert_eq!((&picture["type"], &picture["mime_type"]), (&json!("image"), &json!("image/png")));
    let path = picture["path"].as_str().unwrap();
    let first = served.get(path).send().await.unwrap();
    assert_eq!(
        (first.status().as_u16(), &first.headers()["content-type"]),
        (200, &"image/png".parse().unwrap())
    );
    assert_eq!(first.headers()["x-content-type-options"], "nosniff");
    let bytes = first.bytes().await.unwrap().to_vec();
    assert_eq!(picture["size"], bytes.len());
    (bytes, served.get(path).send().await.unwrap().status().as_u16())
}

#[tokio::test(flavor = "multi_thread")]
async fn node_fetches_the_picture_of_an_answer_once() {
    let served = served().await;
    served.ask("/api/v0/conversation/start", json!({ "conversation_id": "c", "client_tools": [] })).await;

    let asked = json!({ "voice_command": "show me the logo", "conversation_id": "c" });
    let (_, answer) = served.ask("/api/v0/voice/command", asked).await;
    let (picture, again) = fetched(&served, &answer["attachments"]).await;

    assert_eq!(answer["assistant_message"], "Here it is.", "{answer}");
    assert!(picture.starts_with(PNG));
    assert_eq!(again, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_with_a_picture_is_not_sent_as_sound() {
    let served = served().await;
    served.ask("/api/v0/conversation/start", json!({ "conversation_id": "c", "client_tools": [] })).await;

    let asked = json!({ "voice_command": "show me the logo", "conversation_id": "c" });
    let (status, answer) = served.ask("/api/v0/voice/command/stream", asked).await;

    assert_eq!((status, answer["attachments"].as_array().map(Vec::len)), (202, Some(1)), "{answer}");
}

#[rstest]
#[case::whole(false)]
#[case::streamed(true)]
#[tokio::test(flavor = "multi_thread")]
async fn client_of_the_openai_interface_fetches_the_picture(#[case] is_streamed: bool) {
    let served = served().await;

    let message = json!({ "role": "user", "content": "show me the logo" });
    let body = json!({ "model": "jarvis", "stream": is_streamed, "messages": [message] });
    let answer = served.post("/v1/chat/completions").json(&body).send().await.unwrap();
    let attachments = if is_streamed {
        let text = answer.text().await.unwrap();
        let chunks =
            text.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
        let mut deltas = chunks.map(|chunk| chunk["choices"][0]["delta"]["attachments"].clone());
        deltas.find(Value::is_array).unwrap()
    } else {
        read(answer).await.1["choices"][0]["message"]["attachments"].clone()
    };

    assert!(fetched(&served, &attachments).await.0.starts_with(PNG));
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_without_a_conversation_names_its_picture() {
    let served = served().await;

    let (_, answer) = served.ask("/api/v0/chat", json!({ "message": "show me the logo" })).await;

    assert!(fetched(&served, &answer["attachments"]).await.0.starts_with(PNG), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn picture_of_one_program_is_not_given_to_another() {
    let served = served().await;
    let (_, answer) = served.ask("/api/v0/chat", json!({ "message": "show me the logo" })).await;
    let path = answer["attachments"][0]["path"].as_str().unwrap();
    let other = served.assistant.add_program("garden", &[Scope::Ask]).unwrap().0;

    let strange = |key: String| served.strange(reqwest::Method::GET, path).header("X-API-Key", key).send();
    let mut status = strange(other.clone()).await.unwrap().status().as_u16();
    while status == 401 {
        status = strange(other.clone()).await.unwrap().status().as_u16();
    }

    assert_eq!(status, 404);
    assert_eq!(served.get(path).send().await.unwrap().status().as_u16(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_of_the_model_context_protocol_returns_the_picture() {
    let served = served().await;
    let address = format!("http://{}/mcp", served.address);
    let config = StreamableHttpClientTransportConfig::with_uri(address).auth_header(&served.key);
    let client =
        ().serve(StreamableHttpClientTransport::with_client(reqwest::Client::new(), config)).await.unwrap();

    let arguments = json!({ "question": "show me the logo" }).as_object().unwrap().clone();
    let result = client.call_tool(CallToolRequestParams::new("ask").with_arguments(arguments)).await.unwrap();

    let picture = result.content.iter().find_map(|block| match block {
        ContentBlock::Image(picture) => Some(picture.mime_type.as_str()),
        _ => None,
    });
    assert_eq!(picture, Some("image/png"));
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn program_that_starts_jarvis_gets_the_picture_within_the_result() {
    let served = served().await;
    let (here, there) = tokio::io::duplex(1024);
    let (input, output) = tokio::io::split(there);
    let serving = tokio::spawn(server::serve_mcp(served.data_folder(), input, output));
    let client = ().serve(here).await.unwrap();

    let arguments = json!({ "question": "show me the logo" }).as_object().unwrap().clone();
    let result = client.call_tool(CallToolRequestParams::new("ask").with_arguments(arguments)).await.unwrap();

    let pictures = result.content.iter().filter_map(|block| match block {
        ContentBlock::Image(picture) => Some((picture.mime_type.as_str(), picture.data.as_str())),
        _ => None,
    });
    let [(mime_type, data)] = pictures.collect::<Vec<_>>()[..] else { panic!("{result:?}") };
    // Base64 of the first bytes of every PNG.
    assert!(mime_type == "image/png" && data.starts_with("iVBORw0K"), "{data}");
    client.cancel().await.unwrap();
    serving.await.unwrap().unwrap();
}
