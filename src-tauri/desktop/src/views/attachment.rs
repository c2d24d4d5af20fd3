//! A file of a reply, as pages show it.

use serde::Serialize;
use ts_rs::TS;
use vocabulary::Attachment;

use crate::attachments::is_drawn;

/// A file of a reply. Its place in the list names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    pub name: String,
    pub mime_type: String,
    /// In bytes.
    pub size: usize,
    pub caption: Option<String>,
    /// It is a picture that the page draws.
    pub is_picture: bool,
}

impl From<&Attachment> for AttachmentView {
    fn from(attachment: &Attachment) -> Self {
        Self {
            name: attachment.filename.clone(),
            mime_type: attachment.mime_type.clone(),
            size: attachment.bytes.len(),
            caption: attachment.caption.clone(),
            is_picture: is_drawn(attachment),
        }
    }
}
