//! The Wyoming protocol: Home Assistant and satellites use our speech recognition, our voice and the search for our name.
//!
//! The protocol has no keys: everybody who reaches the port may use it. So it gives speech alone, and neither answers nor tools
//! nor memory. Web pages of a browser get nothing: their first line is no event, and that closes the connection.

mod connection; // one client: start here
mod refusal; // errors on the wire
mod name_detection; // sound in which our name is looked for
mod event; // events on the wire
mod recording; // chunks of sound as one recording
mod info; // the description of us

use assistant::Assistant;
use tokio::net::TcpListener;

use crate::connections::serve_each;

pub(crate) use event::{Event, EventError};
pub(crate) use recording::{Format, Levels, RATES_HZ};

/// Most clients at a time. Source: a house with a satellite in each room, and some more.
const MAX_CLIENTS: usize = 32;

/// Serves clients. Dropping the future closes their connections.
pub(crate) async fn serve(listener: TcpListener, assistant: &Assistant) {
    serve_each(listener, MAX_CLIENTS, |stream| connection::serve(stream, assistant.clone())).await;
}
