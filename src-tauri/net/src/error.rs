//! What can go wrong with a request.

use std::time::Duration;

use vocabulary::Private;

/// Why a request did not bring what was asked for.
///
/// Messages name the host and never more of an address, since paths and queries may hold what people said.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The address is not public and nobody configured it.
    #[error("refused to contact {host}: it is no public address, and it was not configured")]
    Refused {
        /// The host as it was written in the address or the redirect.
        host: String,
    },
    /// The address is not one of the web.
    #[error("only http and https addresses can be requested, not {scheme}")]
    NotHttp {
        /// What came before the colon.
        scheme: String,
    },
    /// A header or body that cannot be sent.
    #[error("the request to {host} could not be written")]
    BadRequest {
        /// Whom it was meant for.
        host: String,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No connection: the name is unknown, nobody listens there, or the network is down.
    #[error("could not connect to {host}")]
    Unreachable {
        /// The host.
        host: String,
        /// What the system said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The host was silent for too long.
    #[error("{host} sent nothing for {silence:?}")]
    TimedOut {
        /// The host.
        host: String,
        /// How long was waited.
        silence: Duration,
    },
    /// The host answered, but not with success.
    #[error("{host} answered with status {code}")]
    Status {
        /// The host.
        host: String,
        /// The HTTP status code.
        code: u16,
        /// The beginning of what it said, at most 2,000 characters. Servers repeat what they were asked, so it
        /// never reaches a log by itself.
        excerpt: Private<String>,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// The connection ended before the answer did.
    #[error("the answer of {host} was cut short")]
    Cut {
        /// The host.
        host: String,
        /// What the connection said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The answer is longer than the caller wants to read.
    #[error("the answer of {host} is longer than {limit} bytes")]
    TooLarge {
        /// The host.
        host: String,
        /// The most bytes allowed.
        limit: u64,
    },
    /// The answer is not the JSON expected.
    #[error("the answer of {host} could not be understood")]
    Garbled {
        /// The host.
        host: String,
        /// Where it stopped making sense.
        source: serde_json::Error,
    },
    /// One redirect after the other.
    #[error("{host} redirects without end")]
    TooManyRedirects {
        /// The host that sent the last redirect.
        host: String,
    },
    /// The TLS client could not be built.
    #[error("the system's certificates could not be used")]
    NoTls(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl NetError {
    /// May the same request succeed a little later? True for lost connections, silence, 408, 429 and 5xx.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::TimedOut { .. } | Self::Cut { .. } => true,
            Self::Status { code, .. } => matches!(code, 408 | 429 | 500..=599),
            Self::Refused { .. }
            | Self::NotHttp { .. }
            | Self::BadRequest { .. }
            | Self::TooLarge { .. }
            | Self::Garbled { .. }
            | Self::TooManyRedirects { .. }
            | Self::NoTls(_) => false,
        }
    }

    /// The status code, if the host answered with one that is no success.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { code, .. } => Some(*code),
            _ => None,
        }
    }
}
