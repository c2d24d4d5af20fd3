//! The hosts that were contacted, for the privacy page.

use assistant::{ContactPurpose, HostContact};
use jiff::Timestamp;
use serde::Serialize;
use ts_rs::TS;

/// The reason why a host was contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum HostPurpose {
    ModelDownload,
    LanguageModel,
    Embedding,
    ProviderSearch,
    WebSearch,
    WebPage,
    Weather,
    ToolServer,
    CommandCenter,
    Satellite,
    Other,
}

impl From<ContactPurpose> for HostPurpose {
    fn from(purpose: ContactPurpose) -> Self {
        match purpose {
            ContactPurpose::ModelDownload => Self::ModelDownload,
            ContactPurpose::LanguageModel => Self::LanguageModel,
            ContactPurpose::Embedding => Self::Embedding,
            ContactPurpose::ProviderSearch => Self::ProviderSearch,
            ContactPurpose::WebSearch => Self::WebSearch,
            ContactPurpose::WebPage => Self::WebPage,
            ContactPurpose::Weather => Self::Weather,
            ContactPurpose::ToolServer => Self::ToolServer,
            ContactPurpose::CommandCenter => Self::CommandCenter,
            ContactPurpose::Satellite => Self::Satellite,
            ContactPurpose::Other => Self::Other,
        }
    }
}

/// A host that was contacted for one purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContactView {
    /// Name or address, with the port unless it is the usual one.
    pub host: String,
    pub purpose: HostPurpose,
    /// Number of requests.
    pub times: u64,
    /// Start of the last request, as RFC 3339 in UTC.
    pub last: String,
    /// The last request went through the proxy of the system.
    pub is_proxied: bool,
    /// Nothing left this computer.
    pub is_this_computer: bool,
}

impl From<HostContact> for ContactView {
    fn from(contact: HostContact) -> Self {
        Self {
            is_this_computer: contact.is_this_computer(),
            purpose: contact.purpose.into(),
            times: contact.times,
            last: Timestamp::try_from(contact.last).unwrap_or(Timestamp::UNIX_EPOCH).to_string(),
            is_proxied: contact.is_proxied,
            host: contact.host,
        }
    }
}
