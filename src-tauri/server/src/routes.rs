//! The routes. Each has its description beside its handler, and gets there through [`described`] alone.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::post;
use axum::{Extension, Router};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::door::Door;
use crate::failure::{ErrorForm, Failure};
use crate::{attachments, body_time, gate, mcp, nodes, openai, openapi, speech};

/// Longest body of a request without sound. Source: two hundred tools with long descriptions are a quarter of it.
const MAX_BODY: usize = 1024 * 1024;

/// Longest recording. Source: the limit of common services.
const MAX_RECORDING: usize = 25 * 1024 * 1024;

/// All routes, behind the gate.
pub(crate) fn router(door: Arc<Door>) -> Router {
    let (routes, _) = described().split_for_parts();
    routes
        // Some clients write the address with a slash at its end.
        .route("/mcp/", post(mcp::post).get(mcp::get).delete(mcp::delete))
        .fallback(nodes::no_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(Extension(mcp::service(&door)))
        .layer(from_fn(body_time::limit))
        .layer(from_fn_with_state(Arc::clone(&door), gate::pass))
        .with_state(door)
}

/// The description of all routes, as OpenAPI.
fn description() -> OpenApi {
    let mut description = described().into_openapi();
    openapi::complete(&mut description);
    description
}

/// The description of all routes, as OpenAPI in JSON.
pub fn openapi_json() -> String {
    description().to_pretty_json().expect("a description of our own types is JSON")
}

/// The routes with their descriptions.
fn described() -> OpenApiRouter<Arc<Door>> {
    let recordings = OpenApiRouter::default()
        .routes(routes!(speech::transcriptions))
        .routes(routes!(speech::transcribe))
        .layer(DefaultBodyLimit::max(MAX_RECORDING));
    let others = OpenApiRouter::with_openapi(openapi::head())
        .routes(routes!(openai::models))
        .routes(routes!(openai::model))
        .routes(routes!(openai::chat_completions))
        .routes(routes!(speech::speech))
        .routes(routes!(nodes::start))
        .routes(routes!(nodes::command))
        .routes(routes!(nodes::go_on))
        .routes(routes!(nodes::command_stream))
        .routes(routes!(nodes::continue_stream))
        .routes(routes!(nodes::acknowledge))
        .routes(routes!(nodes::end))
        .routes(routes!(nodes::wake_response))
        .routes(routes!(nodes::date_context))
        .routes(routes!(nodes::chat))
        .routes(routes!(nodes::lightweight_chat))
        .routes(routes!(attachments::attachment))
        .routes(routes!(nodes::health))
        .routes(routes!(nodes::health_of_nodes))
        .routes(routes!(nodes::ping))
        .routes(routes!(speech::speak))
        .routes(routes!(speech::speak_stream))
        .routes(routes!(mcp::post, mcp::get, mcp::delete))
        .layer(DefaultBodyLimit::max(MAX_BODY));
    others.merge(recordings)
}

async fn wrong_method(request: Request) -> Response {
    let failure = Failure::new(StatusCode::METHOD_NOT_ALLOWED, "This route takes another method.");
    failure.into_response(ErrorForm::from_path(request.uri().path()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The router's own names for whatever has no route.
    const FALLBACK: [&str; 2] = ["/", "/{*__private__axum_fallback}"];

    #[test]
    fn router_and_description_have_the_same_paths() {
        let (router, description) = described().split_for_parts();

        // The router lists its paths in its debug form alone.
        let router = format!("{router:?}");
        let routed: BTreeSet<&str> =
            router.split('"').filter(|it| it.starts_with('/') && !FALLBACK.contains(it)).collect();
        let described: BTreeSet<&str> = description.paths.paths.keys().map(String::as_str).collect();
        assert_eq!(routed, described);
        assert!(described.len() > 20, "{described:?}");
    }

    #[test]
    fn every_operation_says_who_may_ask_and_which_errors_there_are() {
        let description = description();

        for (path, item) in &description.paths.paths {
            let operations = [&item.get, &item.post, &item.delete].into_iter().flatten();
            for operation in operations {
                let answers = &operation.responses.responses;
                assert!(answers.contains_key("401") && answers.contains_key("403"), "{path}");
                assert_eq!(operation.security.is_some(), gate::needs_key(path), "{path}");
                assert!(operation.summary.is_some(), "{path}");
            }
        }
    }
}
