//! A reason why a server could not be used.

use std::time::Duration;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::InsufficientScopeError;

use super::config::ServerConfigError;
use super::secrets::Secrets;

/// A reason why a server could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SessionError {
    #[error(transparent)]
    Settings(#[from] ServerConfigError),
    #[error("the program {0} was not found: install it, or write its full path")]
    NoProgram(String),
    #[error("the program could not be started: {0}")]
    NotStarted(String),
    #[error("the server did not answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    #[error("the server ended")]
    Ended,
    /// A call that changes something was under way, so that it is not made again.
    #[error(
        "the server ended during the call, and it is not known if it was done; ask the user before you repeat it"
    )]
    Unknown,
    #[error("the server could not be reached: {0}")]
    Unreachable(String),
    #[error("the server wants a sign-in that the settings do not have, or another one: check its headers")]
    SignInNeeded,
    #[error("the user has to sign in first, on the page Tool servers of the settings")]
    NotSignedIn,
    /// The call needs these rights, which the user has not given.
    #[error(
        "the server wants more rights than the user gave it ({0}): the user has to sign in again, on the page Tool servers of the settings"
    )]
    MoreRights(String),
    #[error("the server sent more than {} MiB at once: ask it for less", .0 / 1024 / 1024)]
    TooLong(usize),
    /// An answer that is none; the server is still there.
    #[error("the server answered with something else than what it was asked for")]
    NoAnswer,
    /// An error that the server reports itself; it is still there.
    #[error("the server reported: {0}")]
    Reported(String),
}

impl SessionError {
    /// Returns `true` if the session is of no more use.
    pub fn ends_session(&self) -> bool {
        !matches!(self, Self::Reported(_) | Self::NoAnswer)
    }

    /// The same without secrets, and with no more words of a server than a person reads.
    pub fn cleaned(self, secrets: &Secrets) -> Self {
        match self {
            Self::NoProgram(text) => Self::NoProgram(secrets.error_text(&text)),
            Self::NotStarted(text) => Self::NotStarted(secrets.error_text(&text)),
            Self::Unreachable(text) => Self::Unreachable(secrets.error_text(&text)),
            Self::Reported(text) => Self::Reported(secrets.error_text(&text)),
            Self::MoreRights(text) => Self::MoreRights(secrets.error_text(&text)),
            other => other,
        }
    }
}

impl From<ClientInitializeError> for SessionError {
    fn from(error: ClientInitializeError) -> Self {
        match error {
            error if error.is_authorization_required() => Self::SignInNeeded,
            ClientInitializeError::TransportError { error, .. } => Self::Unreachable(told(&*error.error)),
            ClientInitializeError::JsonRpcError(error) => Self::Unreachable(error.message.into_owned()),
            ClientInitializeError::ConnectionClosed(_) => {
                Self::Unreachable("it ended before it answered".to_owned())
            }
            // The texts of the other ones contain the whole message of the server.
            ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
                Self::Unreachable("it does not speak the protocol".to_owned())
            }
            other => Self::Unreachable(other.to_string()),
        }
    }
}

impl From<ServiceError> for SessionError {
    fn from(error: ServiceError) -> Self {
        match error {
            error if error.is_authorization_required() => Self::SignInNeeded,
            ServiceError::McpError(error) => Self::Reported(error.message.into_owned()),
            ServiceError::TransportClosed => Self::Ended,
            ServiceError::Timeout { timeout } => Self::TimedOut(timeout),
            ServiceError::TransportSend(error) => match lacking_rights(&*error.error) {
                Some(rights) => Self::MoreRights(rights),
                None => Self::Unreachable(told(&*error.error)),
            },
            ServiceError::UnexpectedResponse => Self::NoAnswer,
            other => Self::Unreachable(other.to_string()),
        }
    }
}

/// The rights that the server wants for a request, if it refused it for that.
fn lacking_rights(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    std::iter::successors(Some(error), |error| error.source())
        .find_map(|error| error.downcast_ref::<InsufficientScopeError>())
        .and_then(InsufficientScopeError::get_required_scope)
        .map(str::to_owned)
}

/// An error with its sources, which say what happened to the connection.
fn told(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
