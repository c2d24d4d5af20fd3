//! Connections of other programs, each with limits of time, so that a slow client keeps no place.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::stall_guard::StallGuard;

/// The head of a request has to be there within this time, the next one on the same connection too. Source: the default of
/// common servers.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// A client that takes nothing of its answer for this time is gone. Source: the default of common servers.
pub(crate) const STALL_TIME: Duration = Duration::from_secs(30);

/// Most connections. Source: twice the conversations that are answered at once, since a client may keep a few open.
const MAX_CONNECTIONS: usize = 512;

/// The wait after a connection could not be accepted: usually the system is out of file handles for a moment.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Bytes of an answer that the system keeps for a client. By itself it would keep some megabytes for each one that is slow.
const SEND_BUFFER: u32 = 256 * 1024;

/// Connections that wait to be accepted. Source: the default of common servers.
const BACKLOG: u32 = 1024;

/// Opens a port.
///
/// # Errors
///
/// It cannot be opened.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // A port that was closed a moment ago can be opened again. On Windows the option would let others take it.
    socket.set_reuseaddr(cfg!(unix))?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves requests over HTTP. Dropping the future closes the connections.
pub(crate) async fn serve(listener: TcpListener, router: Router) {
    serve_each(listener, MAX_CONNECTIONS, |stream| connection(stream, router.clone())).await;
}

/// Runs `serve` for every connection, for at most `max` of them at the same time. Dropping the future closes them.
pub(crate) async fn serve_each<F>(listener: TcpListener, max: usize, serve: impl Fn(TcpStream) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < max => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream));
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
    let served = http.serve_connection(
        TokioIo::new(StallGuard::new(stream, STALL_TIME)),
        TowerToHyperService::new(router),
    );
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection of another program ended early");
    }
}
