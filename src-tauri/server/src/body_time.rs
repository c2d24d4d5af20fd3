//! A limit of the time in which the body of a request has to arrive.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use futures::StreamExt;
use futures::stream;
use tokio::time::{Instant, timeout_at};

use crate::failure::{ErrorForm, Failure};

/// The time for a body. Source: the largest recording over a connection of 4 megabits a second.
const BODY_TIME: Duration = Duration::from_secs(60);

/// Answers 408 if the body does not arrive in time.
pub(crate) async fn limit(request: Request, next: Next) -> Response {
    let form = ErrorForm::from_path(request.uri().path());
    let is_late = Arc::new(AtomicBool::new(false));
    let noticed = Arc::clone(&is_late);
    let response = next.run(request.map(|body| within(body, Instant::now() + BODY_TIME, noticed))).await;
    if !is_late.load(Ordering::Relaxed) {
        return response;
    }
    let message = "The body of the request took too long: send it again, faster or in parts.";
    Failure::new(StatusCode::REQUEST_TIMEOUT, message).into_response(form)
}

/// The body, with an error in place of what comes later.
fn within(body: Body, until: Instant, is_late: Arc<AtomicBool>) -> Body {
    let parts = stream::unfold(Some(body.into_data_stream()), move |parts| {
        let is_late = Arc::clone(&is_late);
        async move {
            let mut parts = parts?;
            match timeout_at(until, parts.next()).await {
                Ok(part) => part.map(|part| (part.map_err(io::Error::other), Some(parts))),
                Err(_) => {
                    is_late.store(true, Ordering::Relaxed);
                    Some((Err(io::ErrorKind::TimedOut.into()), None))
                }
            }
        }
    });
    Body::from_stream(parts)
}
