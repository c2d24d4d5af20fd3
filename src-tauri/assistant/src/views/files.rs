//! Files of answers on their way to another process.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use vocabulary::{Attachment, AttachmentKind, Private};

/// A file or picture of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileView {
    /// Shown in place, as a picture.
    is_picture: bool,
    filename: String,
    mime_type: String,
    caption: Option<String>,
    base64: Private<String>,
}

impl From<&Attachment> for FileView {
    fn from(file: &Attachment) -> Self {
        Self {
            is_picture: file.kind == AttachmentKind::Image,
            filename: file.filename.clone(),
            mime_type: file.mime_type.clone(),
            caption: file.caption.clone(),
            base64: Private(BASE64.encode(&*file.bytes.0)),
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
        let Ok(bytes) = BASE64.decode(self.base64.0) else {
            return Err(DamagedFile { filename: self.filename });
        };
        Ok(Attachment {
            kind: if self.is_picture { AttachmentKind::Image } else { AttachmentKind::Document },
            filename: self.filename,
            mime_type: self.mime_type,
            bytes: Private(bytes.into()),
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
    fn damaged_file_is_named() {
        let view =
            FileView { base64: Private("?".to_owned()), ..FileView::from(&file(AttachmentKind::Image)) };

        assert_eq!(view.into_attachment(), Err(DamagedFile { filename: "map.png".to_owned() }));
    }
}
