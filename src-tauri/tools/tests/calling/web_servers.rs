//! Servers of tools with an address: whole sessions over streamable HTTP with a server on this machine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use settings::ServerSettings;
use tools::servers::ServerPhase;

use crate::logging::Lines;
use crate::server_bench::{ServerBench, said};

/// The value of the header without which the server lets nobody in.
const KEY: &str = "Bearer s3cret-key";

/// A server with a tool that says hello, and one whose answer is too long.
#[derive(Clone)]
struct Greeter;

impl ServerHandler for Greeter {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let schema = Arc::new(schema.as_object().unwrap().clone());
        let tools = ["hello", "huge"].map(|name| Tool::new(name, "Says hello.", Arc::clone(&schema)));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = match &*request.name {
            "huge" => "x".repeat(20_000_000),
            _ => format!("Hello {}!", arguments.get("name").and_then(|name| name.as_str()).unwrap_or("you")),
        };
        Ok(CallToolResponse::Complete(CallToolResult::success(vec![ContentBlock::text(text)])))
    }
}

/// A server on this machine, and how often it was asked for something.
struct WebServer {
    address: String,
    asked: Arc<AtomicUsize>,
}

async fn started(routes: Router) -> WebServer {
    let asked = Arc::new(AtomicUsize::default());
    let counted = Arc::clone(&asked);
    let routes = routes.layer(middleware::from_fn(move |request: Request, next: Next| {
        counted.fetch_add(1, Ordering::Relaxed);
        next.run(request)
    }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    WebServer { address, asked }
}

/// The greeter as a service that anybody may use.
pub fn greeter_service() -> StreamableHttpService<impl ServerHandler, LocalSessionManager> {
    StreamableHttpService::new(
        || Ok(Greeter),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default().with_allowed_hosts(["127.0.0.1", "0.0.0.0"]),
    )
}

fn greeter() -> Router {
    Router::new().nest_service("/mcp", greeter_service()).layer(middleware::from_fn(signed_in))
}

async fn signed_in(headers: HeaderMap, request: Request, next: Next) -> axum::response::Response {
    if headers.get(header::AUTHORIZATION).is_some_and(|value| value == KEY) {
        return next.run(request).await;
    }
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], "who are you?").into_response()
}

fn web(url: &str, authorization: &str) -> ServerSettings {
    let headers = BTreeMap::from([("Authorization".to_owned(), authorization.to_owned())]);
    ServerSettings { url: url.to_owned(), headers, ..ServerSettings::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_session_over_http_with_a_key_in_a_header() {
    let server = started(greeter()).await;
    let fixture = ServerBench::new();
    fixture.values.0.lock().insert("secret:web".into(), "s3cret-key".into());

    let statuses =
        fixture.configure(&[("web", web(&format!("{}/mcp", server.address), "Bearer ${secret:web}"))]).await;
    let hello = fixture.call("web__hello", json!({ "name": "Ann" })).await;
    let huge = fixture.call("web__huge", json!({})).await;
    let again = fixture.told("web__hello", json!({})).await;

    assert_eq!((statuses[0].phase.clone(), statuses[0].tools.len()), (ServerPhase::Running, 2));
    assert!(hello.success && hello.is_untrusted);
    assert_eq!(said(&hello), "Hello Ann!");
    assert!(!huge.success && huge.text.unwrap().contains("more than 16 MiB at once"));
    assert_eq!(again, "Hello you!");
    let contacts = fixture.http.hosts_contacted();
    assert!(contacts.iter().any(|contact| contact.host.starts_with("127.0.0.1:")), "{contacts:?}");
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_wants_another_sign_in_says_so_without_the_key() {
    let server = started(greeter()).await;
    let fixture = ServerBench::new();

    let url = format!("{}/mcp?key=s3cret-query", server.address);
    fixture.configure(&[("web", web(&url, "Bearer wrong-key"))]).await;

    assert_eq!(
        fixture.reason(),
        "the server wants a sign-in that the settings do not have, or another one: check its headers"
    );
    fixture.end().await;
}

#[tokio::test]
async fn server_that_cannot_be_reached_is_told_without_its_secrets() {
    let (lines, _guard) = Lines::collect(tracing::Level::INFO);
    // A port that was free a moment ago.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let fixture = ServerBench::new();

    let url = format!("http://ann:s3cret-word@{address}/mcp?key=s3cret-query");
    fixture.configure(&[("web", web(&url, KEY))]).await;

    let reason = fixture.reason();
    assert!(
        reason.starts_with("the server could not be reached: ") && !reason.contains("s3cret"),
        "{reason}"
    );
    let log = lines.text();
    assert!(log.contains("a server of tools cannot be used") && !log.contains("s3cret"), "{log}");
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_another_server_is_not_followed() {
    let elsewhere = started(greeter()).await;
    let target = format!("{}/mcp", elsewhere.address);
    let redirecting = Router::new().fallback(move || async move { Redirect::temporary(&target) });
    let server = started(redirecting).await;
    let fixture = ServerBench::new();

    fixture.configure(&[("web", web(&format!("{}/mcp", server.address), KEY))]).await;

    assert!(fixture.reason().starts_with("the server could not be reached: "), "{}", fixture.reason());
    assert!(server.asked.load(Ordering::Relaxed) > 0);
    assert_eq!(elsewhere.asked.load(Ordering::Relaxed), 0);
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_elsewhere_is_not_contacted_offline() {
    let fixture = ServerBench::new();
    fixture.http.set_offline(true);

    // An address of documentation, which no computer has.
    fixture.configure(&[("web", web("http://192.0.2.1/mcp", KEY))]).await;

    assert!(fixture.reason().contains("offline"), "{}", fixture.reason());
    assert!(fixture.http.hosts_contacted().is_empty());
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn going_offline_ends_no_session_on_this_machine() {
    let server = started(greeter()).await;
    let fixture = ServerBench::with(&[("web", web(&format!("{}/mcp", server.address), KEY))]).await;

    fixture.http.set_offline(true);

    assert_eq!(fixture.told("web__hello", json!({ "name": "Ann" })).await, "Hello Ann!");
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn going_offline_ends_the_session_with_a_server_elsewhere_without_a_request() {
    let server = started(greeter()).await;
    // Leads here too, but is not spelled like this machine.
    let elsewhere = server.address.replace("127.0.0.1", "0.0.0.0");
    let fixture = ServerBench::with(&[("web", web(&format!("{elsewhere}/mcp"), KEY))]).await;
    assert_eq!(fixture.told("web__hello", json!({ "name": "Ann" })).await, "Hello Ann!");

    fixture.http.set_offline(true);
    fixture.servers.values_changed();
    fixture.reaches(&ServerPhase::Asleep).await;

    let refused = fixture.told("web__hello", json!({ "name": "Ann" })).await;
    assert!(refused.contains("offline"), "{refused}");
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn address_of_a_server_opens_no_other_port() {
    let (server, other) = (started(greeter()).await, started(greeter()).await);
    let fixture = ServerBench::with(&[("web", web(&format!("{}/mcp", server.address), KEY))]).await;

    let url = format!("{}/mcp", other.address).parse().unwrap();
    let client = fixture.http.raw_client(&url).await;

    assert!(client.is_err());
    fixture.end().await;
}
