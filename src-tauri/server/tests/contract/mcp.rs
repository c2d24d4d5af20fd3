//! The Model Context Protocol, with a client of it.

use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt};
use rstest::rstest;
use serde_json::{Value, json};
use settings::Scope;
use testkit::Turn;

use crate::served::Served;

async fn client(served: &Served) -> RunningService<RoleClient, ()> {
    client_at(served, "/mcp").await
}

async fn client_at(served: &Served, path: &str) -> RunningService<RoleClient, ()> {
    let address = format!("http://{}{path}", served.address);
    let config = StreamableHttpClientTransportConfig::with_uri(address).auth_header(&served.key);
    ().serve(StreamableHttpClientTransport::with_client(reqwest::Client::new(), config)).await.unwrap()
}

async fn call(
    client: &RunningService<RoleClient, ()>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|text| text.text.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn question_is_answered_and_memory_searched() {
    let served = Served::new([Turn::says("It is a fine day.")]).await;
    let client = client(&served).await;

    let tools = client.list_all_tools().await.unwrap();
    let answer = call(&client, "ask", json!({ "question": "how are you" })).await;
    let found = call(&client, "search_memory", json!({ "words": "dentist" })).await;
    let nothing = call(&client, "ask", json!({})).await;

    assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["ask", "search_memory"]);
    assert_eq!(text(&answer), "It is a fine day.");
    assert_eq!((found.is_error, text(&found).as_str()), (Some(false), "Nothing was found."));
    assert_eq!(nothing.is_error, Some(true));
    client.cancel().await.unwrap();
}

#[rstest]
#[case::left_out(json!({ "words": "dentist" }), None)]
#[case::largest(json!({ "words": "dentist", "limit": 50 }), None)]
#[case::with_a_point(json!({ "words": "dentist", "limit": 3.0 }), None)]
#[case::none(json!({ "words": "dentist", "limit": 0 }), Some("limit is a whole number from 1 to 50"))]
#[case::too_many(json!({ "words": "dentist", "limit": 51 }), Some("limit is a whole number from 1 to 50"))]
#[case::negative(json!({ "words": "dentist", "limit": -1 }), Some("limit is a whole number from 1 to 50"))]
#[case::half(json!({ "words": "dentist", "limit": 1.5 }), Some("limit is a whole number from 1 to 50"))]
#[case::text(json!({ "words": "dentist", "limit": "many" }), Some("limit is a whole number from 1 to 50"))]
#[case::no_words(json!({ "limit": 3 }), Some("words are missing"))]
#[case::number_for_words(json!({ "words": 3 }), Some("words are missing"))]
#[tokio::test(flavor = "multi_thread")]
async fn search_says_what_is_wrong_with_its_arguments(
    #[case] arguments: Value,
    #[case] expected: Option<&str>,
) {
    let served = Served::new([]).await;
    let client = client(&served).await;

    let result = call(&client, "search_memory", arguments).await;

    assert_eq!(result.is_error, Some(expected.is_some()), "{}", text(&result));
    assert!(text(&result).starts_with(expected.unwrap_or("Nothing was found.")), "{}", text(&result));
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn address_with_a_slash_at_its_end_is_the_same() {
    let served = Served::new([Turn::says("It is a fine day.")]).await;
    let client = client_at(&served, "/mcp/").await;

    let answer = call(&client, "ask", json!({ "question": "how are you" })).await;
    let refused = served.strange(reqwest::Method::PUT, "/mcp/").header("X-API-Key", &served.key).send().await;

    assert_eq!(text(&answer), "It is a fine day.");
    assert_eq!(refused.unwrap().status().as_u16(), 405);
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_closed_to_programs_without_its_scope() {
    let mut served = Served::new([]).await;
    served.key = served.assistant.add_program("narrow", &[Scope::Ask]).unwrap().0;
    served.is_known().await;
    let client = client(&served).await;

    let refused = call(&client, "search_memory", json!({ "words": "dentist" })).await;

    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("memory"), "{}", text(&refused));
    client.cancel().await.unwrap();
}
