//! Hands out files and pictures of answers.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::door::Door;
use crate::failure::{Failure, NodeFailure};
use crate::ids::FileId;
use crate::programs::Program;

/// Hands out a file of an answer, once.
#[utoipa::path(get, path = "/attachments/{id}", tag = "nodes",
    params(("id" = String, Path, description = "As the answer names it")),
    responses(
        (status = 200, description = "The file, with its media type and its name", body = String, content_type = "application/octet-stream"),
        (status = 404, description = "There is no such file for this program, or not any more", body = command_center::Detail),
    ))]
pub(crate) async fn attachment(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    Path(id): Path<String>,
) -> Result<Response, NodeFailure> {
    let file = door.files.take(&program.name, &FileId(id)).ok_or_else(|| {
        Failure::new(StatusCode::NOT_FOUND, "There is no such file, or it was fetched already. Ask again.")
    })?;
    // The words come from tools: what is no header becomes a plain one.
    let media_type = HeaderValue::from_str(&file.mime_type);
    let media_type = media_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let mut response = file.bytes.0.to_vec().into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, media_type);
    // A name in the answer is enough; a page of a stranger is never shown as one of ours.
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
