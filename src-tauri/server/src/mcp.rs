//! Jarvis as a server of the Model Context Protocol: two tools, over HTTP for programs with a key, and over standard input
//! and output for programs that start `jarvis mcp`.

mod backend; // who answers

use std::iter;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Extension;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ResourceContents, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use vocabulary::{Attachment, AttachmentKind};

use crate::door::Door;
use crate::programs::Program;
use backend::{AskAnswer, Backend};

const ASK: &str = "ask";
const SEARCH: &str = "search_memory";

/// Most search hits of a call.
const MAX_HITS: u64 = 50;

/// Search hits if the caller does not say how many.
const USUAL_HITS: u64 = 10;

/// The two tools.
#[derive(Clone)]
struct JarvisTools {
    backend: Arc<Backend>,
}

/// The service at `/mcp`.
#[derive(Clone)]
pub(crate) struct McpService(StreamableHttpService<JarvisTools, LocalSessionManager>);

/// The service at `/mcp`. The gate has looked at host, origin and key.
pub(crate) fn service(door: &Arc<Door>) -> McpService {
    let tools = JarvisTools { backend: Arc::new(Backend::Door(Arc::downgrade(door))) };
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    let sessions = Arc::new(LocalSessionManager::default());
    McpService(StreamableHttpService::new(move || Ok(tools.clone()), sessions, config))
}

impl McpService {
    async fn answer(self, request: Request) -> Response {
        let mut response = self.0.handle(request).await.into_response();
        // Refusals of the library are text, and do not say so.
        if !response.status().is_success() {
            let plain = HeaderValue::from_static("text/plain; charset=utf-8");
            response.headers_mut().entry(header::CONTENT_TYPE).or_insert(plain);
        }
        response
    }
}

/// Takes a message of the Model Context Protocol.
#[utoipa::path(post, path = "/mcp", tag = "MCP",
    request_body(content = Object, description = "A message of JSON-RPC, as the protocol has it"),
    responses(
        (status = 200, description = "Messages", content((String = "text/event-stream"), (Object = "application/json"))),
        (status = 202, description = "A notification or an answer was taken"),
        (status = 400, description = "The message is malformed", body = String, content_type = "text/plain"),
        (status = 404, description = "The session is unknown", body = String, content_type = "text/plain"),
        (status = 406, description = "The client does not accept events", body = String, content_type = "text/plain"),
        (status = 415, description = "The body is no JSON", body = String, content_type = "text/plain"),
        (status = 422, description = "The message is none of the protocol", body = String, content_type = "text/plain"),
    ))]
pub(crate) async fn post(Extension(service): Extension<McpService>, request: Request) -> Response {
    service.answer(request).await
}

/// Sends the messages of a session as they come.
#[utoipa::path(get, path = "/mcp", tag = "MCP",
    params(("Mcp-Session-Id" = Option<String>, Header, description = "The session")),
    responses(
        (status = 200, description = "Messages", body = String, content_type = "text/event-stream"),
        (status = 400, description = "No session is named", body = String, content_type = "text/plain"),
        (status = 404, description = "The session is unknown", body = String, content_type = "text/plain"),
        (status = 406, description = "The client does not accept events", body = String, content_type = "text/plain"),
    ))]
pub(crate) async fn get(Extension(service): Extension<McpService>, request: Request) -> Response {
    service.answer(request).await
}

/// Ends a session.
#[utoipa::path(delete, path = "/mcp", tag = "MCP",
    params(("Mcp-Session-Id" = Option<String>, Header, description = "The session")),
    responses(
        (status = 202, description = "The session is over"),
        (status = 400, description = "No session is named", body = String, content_type = "text/plain"),
        (status = 404, description = "The session is unknown", body = String, content_type = "text/plain"),
    ))]
pub(crate) async fn delete(Extension(service): Extension<McpService>, request: Request) -> Response {
    service.answer(request).await
}

/// The connection of `jarvis mcp` broke.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The client did not begin a session.
    #[error("the client began no session")]
    NoSession(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The session did not end cleanly.
    #[error("the session did not end cleanly")]
    Broken(#[source] tokio::task::JoinError),
}

/// Serves the program at the other end of `input` and `output` until it hangs up. The running Jarvis answers, through its
/// socket in `data_folder`.
///
/// # Errors
///
/// [`McpError`].
pub async fn serve_mcp(
    data_folder: PathBuf,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), McpError> {
    let tools = JarvisTools { backend: Arc::new(Backend::Socket(data_folder)) };
    let session = tools.serve((input, output)).await;
    let session = session.map_err(|error| McpError::NoSession(Box::new(error)))?;
    session.waiting().await.map(|_| ()).map_err(McpError::Broken)
}

impl JarvisTools {
    /// The content of a result, or the reason why there is none.
    async fn run(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        program: Option<&Program>,
    ) -> Result<Vec<ContentBlock>, String> {
        match tool {
            ASK => {
                let question = text(arguments, "question").ok_or("question is missing: say what to ask")?;
                Ok(blocks_of_answer(self.backend.ask(program, question).await?))
            }
            SEARCH => {
                let words = text(arguments, "words").ok_or("words are missing: say what to look for")?;
                let found = self.backend.search(program, words, limit(arguments)?).await?;
                Ok(vec![ContentBlock::text(found)])
            }
            name => Err(format!("there is no tool named {name}")),
        }
    }
}

impl ServerHandler for JarvisTools {
    fn get_info(&self) -> ServerConfig {
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        config.server_info = Implementation::new("jarvis", env!("CARGO_PKG_VERSION"));
        config
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![ask(), search()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let program = parts.and_then(|parts| parts.extensions.get::<Program>()).cloned();
        let arguments = request.arguments.unwrap_or_default();
        let running = self.run(&request.name, &arguments, program.as_ref());
        let outcome = tokio::select! {
            biased;
            () = context.ct.cancelled() => Err("the call was cancelled".to_owned()),
            outcome = running => outcome,
        };
        let result = match outcome {
            Ok(content) => CallToolResult::success(content),
            Err(reason) => CallToolResult::error(vec![ContentBlock::text(reason)]),
        };
        Ok(CallToolResponse::Complete(result))
    }
}

/// The text of an answer, its files, and which of them could not be sent.
fn blocks_of_answer(answer: AskAnswer) -> Vec<ContentBlock> {
    let AskAnswer { text, files, damaged } = answer;
    let files = files.iter().map(block_of_file);
    let damaged = damaged
        .iter()
        .map(|damaged| ContentBlock::text(format!("This part is missing: {damaged}. Ask again to get it.")));
    iter::once(ContentBlock::text(text)).chain(files).chain(damaged).collect()
}

/// A picture, or another file as a resource within the result.
fn block_of_file(file: &Attachment) -> ContentBlock {
    let data = BASE64.encode(&*file.bytes.0);
    match file.kind {
        AttachmentKind::Image => ContentBlock::image(data, file.mime_type.clone()),
        AttachmentKind::Document => {
            let uri = format!("attachment:{}", utf8_percent_encode(&file.filename, NON_ALPHANUMERIC));
            ContentBlock::resource(ResourceContents::blob(data, uri).with_mime_type(file.mime_type.clone()))
        }
    }
}

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name)?.as_str().filter(|text| !text.trim().is_empty())
}

/// The number of hits that the caller wants at most.
fn limit(arguments: &Map<String, Value>) -> Result<u64, String> {
    let number = match arguments.get("limit") {
        None | Some(Value::Null) => return Ok(USUAL_HITS),
        // Models write whole numbers with a point, too.
        Some(limit) => limit.as_f64().filter(|number| number.fract() == 0.0),
    };
    let fits = number.map(|number| number as u64).filter(|number| (1..=MAX_HITS).contains(number));
    fits.ok_or_else(|| format!("limit is a whole number from 1 to {MAX_HITS}; leave it out for {USUAL_HITS}"))
}

fn ask() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": { "question": { "type": "string", "description": "The question or order, in plain words" } },
        "required": ["question"],
    });
    tool(
        ASK,
        "Ask Jarvis, the assistant of the user of this computer, a question, or give it an order.",
        schema,
    )
}

fn search() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "words": { "type": "string", "description": "What to look for" },
            "limit": { "type": "integer", "minimum": 1, "maximum": MAX_HITS, "description": "How many hits at most" },
        },
        "required": ["words"],
    });
    let tool = tool(SEARCH, "Search what Jarvis remembers of what the user said, did and told.", schema);
    tool.with_annotations(ToolAnnotations::new().read_only(true))
}

fn tool(name: &'static str, description: &'static str, schema: Value) -> Tool {
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, description, Arc::new(schema))
}

#[cfg(test)]
mod tests {
    use assistant::DamagedFile;
    use vocabulary::Private;

    use super::*;

    #[test]
    fn result_names_the_file_that_could_not_be_sent() {
        let file = Attachment {
            kind: AttachmentKind::Document,
            filename: "a.txt".to_owned(),
            mime_type: "text/plain".to_owned(),
            bytes: Private(b"a".as_slice().into()),
            caption: None,
        };
        let damaged = vec![DamagedFile { filename: "b.txt".to_owned() }];
        let answer = AskAnswer { text: "Here they are.".to_owned(), files: vec![file.clone()], damaged };

        let blocks = blocks_of_answer(answer);

        let missing = "This part is missing: the file b.txt of the answer is damaged. Ask again to get it.";
        let expected =
            [ContentBlock::text("Here they are."), block_of_file(&file), ContentBlock::text(missing)];
        assert_eq!(blocks, expected);
    }
}
