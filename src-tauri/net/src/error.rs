//! Errors of requests.

use std::time::Duration;

use vocabulary::Private;

/// Why a request failed.
///
/// Messages contain the host, but never the path or the query of an address, which may contain private words.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The address is neither public nor configured.
    #[error("contacting {host} is not allowed: the address is neither public nor configured")]
    AddressNotAllowed {
        /// The host as written in the address or the redirect.
        host: String,
    },
    /// The user has switched the network off.
    #[error("{host} was not contacted, because Jarvis is set to work offline")]
    Offline {
        /// The host that was not contacted.
        host: String,
    },
    /// The scheme is neither http nor https.
    #[error("only http and https addresses can be requested, not {scheme}")]
    UnsupportedScheme {
        /// The scheme of the address.
        scheme: String,
    },
    /// A header or the body is invalid.
    #[error("the request to {host} is invalid")]
    BadRequest {
        /// The name of the host that was asked.
        host: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No connection: unknown name, no server at the address, or no network.
    #[error("could not connect to {host}")]
    Unreachable {
        /// The name of the host that was asked.
        host: String,
        /// The error of the system.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The host sent nothing for too long.
    #[error("{host} sent nothing for {silence:?}")]
    TimedOut {
        /// The name of the host that was asked.
        host: String,
        /// The timeout that passed.
        silence: Duration,
    },
    /// The whole exchange took longer than allowed.
    #[error("{host} did not send everything within {limit:?}")]
    TookTooLong {
        /// The name of the host that was asked.
        host: String,
        /// The time limit that passed.
        limit: Duration,
    },
    /// The response has a status other than success.
    #[error("{host} responded with status {code}")]
    Status {
        /// The name of the host that was asked.
        host: String,
        /// The HTTP status code.
        code: u16,
        /// The first 2,000 characters of the body. Private, because servers may repeat the request.
        excerpt: Private<String>,
        /// Delay until the next attempt, as requested by the host.
        retry_after: Option<Duration>,
    },
    /// The connection ended before the response was complete.
    #[error("the connection to {host} was lost")]
    ConnectionLost {
        /// The name of the host that was asked.
        host: String,
        /// The error of the connection.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The response is longer than allowed.
    #[error("the response of {host} is longer than {limit} bytes")]
    TooLarge {
        /// The name of the host that was asked.
        host: String,
        /// Maximum length in bytes.
        limit: u64,
    },
    /// The response is not the expected JSON.
    #[error("the response of {host} is not the expected JSON")]
    InvalidJson {
        /// The name of the host that was asked.
        host: String,
        /// The parse error.
        source: serde_json::Error,
    },
    /// The redirects do not end.
    #[error("{host} redirects too often")]
    TooManyRedirects {
        /// The host that sent the last redirect.
        host: String,
    },
    /// The TLS client could not be built.
    #[error("the system's certificates could not be used")]
    TlsUnavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl NetError {
    /// Returns `true` if the same request may succeed later: after lost connections, timeouts, and status 408, 429
    /// and 5xx.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::TookTooLong { .. }
            | Self::ConnectionLost { .. } => true,
            Self::Status { code, .. } => matches!(code, 408 | 429 | 500..=599),
            Self::AddressNotAllowed { .. }
            | Self::Offline { .. }
            | Self::UnsupportedScheme { .. }
            | Self::BadRequest { .. }
            | Self::TooLarge { .. }
            | Self::InvalidJson { .. }
            | Self::TooManyRedirects { .. }
            | Self::TlsUnavailable(_) => false,
        }
    }

    /// The status code of [`NetError::Status`].
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { code, .. } => Some(*code),
            _ => None,
        }
    }
}
