//! Files of answers on their way to another process.

use std::sync::Arc;

use base64::Engine;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use vocabulary::{Attachment, AttachmentKind, Private};

/// A file or picture of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileView {
    /// Shown in place, as a picture.
    is_picture: bool,
    filename: String,
    mime_type: String,
    caption: Option<String>,
    #[serde(rename = "base64")]
    content: Content,
}

/// The content of a file. It is encoded while it is sent, so that an answer takes the memory of one encoded file, not of all.
#[derive(Debug, Clone, PartialEq)]
enum Content {
    /// On its way out.
    Bytes(Private<Arc<[u8]>>),
    /// As it arrived, in Base64.
    Encoded(Private<String>),
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bytes(bytes) => serializer.collect_str(&Base64Display::new(&bytes.0, &BASE64)),
            Self::Encoded(text) => serializer.serialize_str(&text.0),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::Encoded(Private(text)))
    }
}

impl From<&Attachment> for FileView {
    fn from(file: &Attachment) -> Self {
        Self {
            is_picture: file.kind == AttachmentKind::Image,
            filename: file.filename.clone(),
            mime_type: file.mime_type.clone(),
            caption: file.caption.clone(),
            content: Content::Bytes(file.bytes.clone()),
        }
    }
}

/// A file whose content did not arrive whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the file {filename} of the answer is damaged")]
pub struct DamagedFile {
    /// Its name.
    pub filename: String,
}

impl FileView {
    /// The file.
    ///
    /// # Errors
    ///
    /// [`DamagedFile`] if its content did not arrive whole.
    pub fn into_attachment(self) -> Result<Attachment, DamagedFile> {
        let bytes = match self.content {
            Content::Bytes(bytes) => bytes,
            Content::Encoded(text) => match BASE64.decode(text.0) {
                Ok(bytes) => Private(bytes.into()),
                Err(_) => return Err(DamagedFile { filename: self.filename }),
            },
        };
        Ok(Attachment {
            kind: if self.is_picture { AttachmentKind::Image } else { AttachmentKind::Document },
            filename: self.filename,
            mime_type: self.mime_type,
            bytes,
            caption: self.caption,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(kind: AttachmentKind) -> Attachment {
        Attachment {
            kind,
            filename: "map.png".to_owned(),
            mime_type: "image/png".to_owned(),
            bytes: Private(vec![0, 159, 255].into()),
            caption: Some("The way".to_owned()),
        }
    }

    #[test]
    fn file_is_the_same_on_the_other_side() {
        for file in [file(AttachmentKind::Image), file(AttachmentKind::Document)] {
            let sent = serde_json::to_string(&FileView::from(&file)).unwrap();

            let arrived: FileView = serde_json::from_str(&sent).unwrap();

            assert_eq!(arrived.into_attachment(), Ok(file));
        }
    }

    #[test]
    fn file_that_waits_to_be_sent_shares_its_bytes() {
        let file = file(AttachmentKind::Document);

        let waiting = FileView::from(&file).into_attachment().unwrap();

        assert!(Arc::ptr_eq(&waiting.bytes.0, &file.bytes.0));
    }

    #[test]
    fn damaged_file_is_named() {
        let content = Content::Encoded(Private("?".to_owned()));
        let view = FileView { content, ..FileView::from(&file(AttachmentKind::Image)) };

        assert_eq!(view.into_attachment(), Err(DamagedFile { filename: "map.png".to_owned() }));
    }
}
