//! Connections of other programs, each with limits of time, so that a slow client keeps no place.

use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The head of a request has to be there within this time, the next one on the same connection too. Source: the default of
/// common servers.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// Most connections. Source: twice the conversations that are answered at once, since a client may keep a few open.
const MAX_CONNECTIONS: usize = 512;

/// The wait after a connection could not be accepted: usually the system is out of file handles for a moment.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Serves connections. Dropping the future closes them.
pub(crate) async fn serve(listener: TcpListener, router: Router) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, router.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection of another program was not accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(ended) = connections.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a connection of another program broke");
                }
            }
        }
    }
}

async fn connection(stream: TcpStream, router: Router) {
    // Answers are small and complete: waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    let mut http = Builder::new(TokioExecutor::new()).http1_only();
    http.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    let served = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection of another program ended early");
    }
}
