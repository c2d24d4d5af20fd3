//! Passed by every request: for this machine, of no web page, with a known key, not too often.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use command_center::{API_KEY_HEADER, is_from_here};
use tokio::time::Instant;

use crate::door::Door;
use crate::failure::{ErrorForm, Failure};
use crate::programs::Program;

/// The paths that need no key: they say that the door is open, and what it offers.
const OPEN: [&str; 3] = ["/health", "/api/v0/health", "/api/v0/ping"];

/// Lets a request pass, with its [`Program`] as an extension, and logs it without its content.
pub(crate) async fn pass(State(door): State<Arc<Door>>, mut request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let admitted = admit(&door, request.headers(), request.uri());
    let is_admitted = admitted.is_ok();
    let program =
        admitted.as_ref().ok().and_then(|program| program.as_ref()).map(|program| program.name.clone());
    let response = match admitted {
        Ok(program) => {
            if let Some(program) = program {
                request.extensions_mut().insert(program);
            }
            next.run(request).await
        }
        Err(failure) => failure.into_response(ErrorForm::from_path(&path)),
    };
    let status = response.status().as_u16();
    // A path may carry what a stranger wants to see in a log.
    let known = if is_admitted && status != 404 { &*path } else { "(no route, or not admitted)" };
    tracing::info!(%method, path = known, program, status, "a request of another program");
    response
}

/// Returns `true` if this path is for programs with a key alone.
pub(crate) fn needs_key(path: &str) -> bool {
    !OPEN.contains(&path)
}

fn admit(door: &Door, headers: &HeaderMap, uri: &Uri) -> Result<Option<Program>, Failure> {
    let (settings, path) = (door.settings.borrow(), uri.path());
    let host = only(headers, &header::HOST);
    // An address with a host in the first line counts more than the header. Source: RFC 9112, "Host Header Field".
    let mut hosts = host.into_iter().chain(uri.authority().map(|authority| authority.as_str()));
    let is_for_us = |host| is_from_here(Some(host), only(headers, &header::ORIGIN), &settings.hosts);
    if host.is_none() || !hosts.all(is_for_us) {
        let message = "Requests of web pages and for other hosts are refused.";
        return Err(Failure::new(StatusCode::FORBIDDEN, message));
    }
    if !needs_key(path) {
        return Ok(None);
    }
    let key = key(headers).unwrap_or_default();
    let program = door.programs.read().of_key(&key).ok_or_else(|| {
        let message = "The key is missing or unknown: send it as X-API-Key or as a bearer token.";
        Failure::new(StatusCode::UNAUTHORIZED, message)
    })?;
    let admitted = door.limiter.admit(&program.name, settings.requests_per_minute, Instant::now());
    admitted.map_err(|wait| Failure {
        retry_after: Some(wait.as_secs() + 1),
        ..Failure::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests in a minute: ask again later.")
    })?;
    Ok(Some(program))
}

/// The only value of a header; one that nobody means if there are several, or no text.
fn only<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    Some(first.to_str().ok().filter(|_| values.next().is_none()).unwrap_or("?"))
}

/// The key of a request, in one of its two places.
pub(crate) fn key(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = || {
        let (scheme, key) = text("authorization")?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    };
    text(API_KEY_HEADER).or_else(bearer).map(str::to_owned)
}
