//! Responses and files, as the suites write them.

use serde::Deserialize;
use vocabulary::{Attachment, AttachmentKind, OutgoingResponse, Private};

use crate::suite::or_default;

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireResponse {
    text: Option<String>,
    #[serde(deserialize_with = "or_default")]
    voice_requested: bool,
    voice_text: Option<String>,
    #[serde(deserialize_with = "or_default")]
    attachments: Vec<WireAttachment>,
}

#[derive(Debug, Deserialize)]
struct WireAttachment {
    #[serde(rename = "type")]
    kind: String,
    filename: String,
    caption: Option<String>,
}

impl WireResponse {
    /// The response to route.
    pub fn response(self) -> OutgoingResponse {
        let attachments = self.attachments.into_iter().map(|it| Attachment {
            kind: if it.kind == "IMAGE" { AttachmentKind::Image } else { AttachmentKind::Document },
            caption: it.caption,
            ..file(&it.filename)
        });
        OutgoingResponse {
            text: self.text.map(Private),
            voice_requested: self.voice_requested,
            voice_text: self.voice_text.map(Private),
            attachments: attachments.collect(),
            skip_assistant_history: true,
            ..OutgoingResponse::default()
        }
    }
}

/// A file of this name.
pub(super) fn file(name: &str) -> Attachment {
    Attachment {
        kind: AttachmentKind::Document,
        filename: name.to_owned(),
        mime_type: "application/octet-stream".to_owned(),
        bytes: Private(Vec::new().into()),
        caption: None,
    }
}
