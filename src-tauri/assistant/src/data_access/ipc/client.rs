//! The caller's side.

use std::io;
use std::path::Path;

use interprocess::local_socket::tokio::{Stream, prelude::*};
use vocabulary::{Answer, Stage, Trouble};

use super::protocol::{FollowUp, GREETING_TIMEOUT, Greeting, MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES};
use super::socket::name_in;
use super::wire::{self, LineReader, ReadLine};
use crate::data_access::requests::{Request, Response};

/// Why the running Jarvis did not answer.
#[derive(Debug, thiserror::Error)]
pub enum IpcError {
    /// No process listens at the socket.
    #[error("no running Jarvis can be reached")]
    NotRunning(#[source] io::Error),
    /// The running Jarvis and this command are of different versions.
    #[error(
        "the running Jarvis is {theirs}, and this command is {ours}: quit the older one, and start it again from the same version"
    )]
    OtherVersion {
        /// Version of the running Jarvis.
        theirs: String,
        /// Version of this command.
        ours: String,
    },
    /// The request is longer than the socket takes.
    #[error("this is longer than {MAX_REQUEST_BYTES} bytes: shorten it, or ask in parts")]
    TooLong,
    /// The running Jarvis ended or hung up before its answer was complete.
    #[error("the running Jarvis ended before its answer was complete")]
    HungUp,
    /// The running Jarvis does not answer.
    #[error("the running Jarvis does not answer: quit it and try again")]
    NoAnswer,
    /// The socket failed.
    #[error("the connection to the running Jarvis failed")]
    Io(#[from] io::Error),
    /// The answer is not of a form that this version knows.
    #[error("the answer of the running Jarvis was not understood")]
    NotUnderstood(#[from] serde_json::Error),
}

impl IpcError {
    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Instance, self, "")
    }
}

/// A request to the running Jarvis, and its answer. Dropping it cancels the request.
pub struct Connection {
    lines: LineReader<Stream>,
}

impl Connection {
    /// Sends a request to the Jarvis that owns `data_folder`.
    ///
    /// # Errors
    ///
    /// [`IpcError`]; [`IpcError::NotRunning`] when there is none.
    pub async fn open(data_folder: &Path, request: &Request) -> Result<Self, IpcError> {
        // Checked here too: the owner would read a long request only to refuse it.
        if serde_json::to_vec(request)?.len() > MAX_REQUEST_BYTES {
            return Err(IpcError::TooLong);
        }
        let stream = Stream::connect(name_in(data_folder)?).await.map_err(IpcError::NotRunning)?;
        let mut connection = Self { lines: LineReader::new(stream, MAX_RESPONSE_BYTES) };
        let sent = tokio::time::timeout(GREETING_TIMEOUT, connection.send(request)).await;
        sent.unwrap_or(Err(IpcError::NoAnswer))?;
        Ok(connection)
    }

    async fn send(&mut self, request: &Request) -> Result<(), IpcError> {
        let ours = Greeting::ours();
        wire::send(&mut self.lines.get_ref(), &ours).await?;
        let theirs = match self.lines.next().await? {
            ReadLine::Text(text) => serde_json::from_slice::<Greeting>(&text).ok(),
            // Versions without a greeting hang up.
            ReadLine::End | ReadLine::TooLong => None,
        };
        match theirs {
            Some(theirs) if theirs.protocol == ours.protocol => {}
            other => {
                let theirs = other.map_or("older".to_owned(), |other| other.program);
                return Err(IpcError::OtherVersion { theirs, ours: ours.program });
            }
        }
        Ok(wire::send(&mut self.lines.get_ref(), request).await?)
    }

    /// The next response. Nothing follows one that [is the last](Response::is_last). Cancel-safe.
    ///
    /// # Errors
    ///
    /// [`IpcError`].
    pub async fn next(&mut self) -> Result<Response, IpcError> {
        match self.lines.next().await? {
            ReadLine::Text(text) => Ok(serde_json::from_slice(&text)?),
            ReadLine::End => Err(IpcError::HungUp),
            ReadLine::TooLong => Err(io::Error::from(io::ErrorKind::InvalidData).into()),
        }
    }

    /// Asks to stop early; what is done until then is still answered.
    ///
    /// # Errors
    ///
    /// [`IpcError`].
    pub async fn cancel(&mut self) -> Result<(), IpcError> {
        Ok(wire::send(&mut self.lines.get_ref(), &FollowUp::Cancel).await?)
    }

    /// Answers a question of the reply in the words of a person; empty words decline.
    ///
    /// # Errors
    ///
    /// [`IpcError`].
    pub async fn answer(&mut self, answer: Answer) -> Result<(), IpcError> {
        Ok(wire::send(&mut self.lines.get_ref(), &FollowUp::Answer(answer)).await?)
    }
}
