//! A file, and the address to download it from.

use net::Url;

use super::lock::Lock;
use crate::catalogue::{ModelFile, Variant};

/// The download of one file from one address.
pub(super) struct FileDownload<'a> {
    pub file: &'a ModelFile,
    /// The form in which this address has the file.
    pub variant: &'a Variant,
    pub url: &'a Url,
    /// Keeps other tasks from downloading the same file.
    pub lock: &'a Lock,
}

impl FileDownload<'_> {
    /// The host of the address, for messages.
    pub(super) fn host(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }
}
