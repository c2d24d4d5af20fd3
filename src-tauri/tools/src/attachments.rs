//! Files and pictures in the results of tools: found, checked, and made safe to show and to save.
//!
//! Source: docs/behaviour/routing.md#attachments.

mod file_name; // safe on every system
mod media_type; // by the first bytes of the content
mod run_attachments; // those of one reply

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};
use vocabulary::{Attachment, AttachmentKind, Private};

pub use file_name::safe_file_name;
pub use run_attachments::RunAttachments;

use media_type::{MediaType, is_picture, sniffed};

/// The most bytes of one file. Source: docs/behaviour/routing.md#attachments.
const MAX_BYTES: usize = 50 << 20;

/// The longest picture of a screen in base64, in characters. Source: docs/behaviour/routing.md#attachments.
const MAX_BASE64_CHARS: usize = 67_000_000;

/// The type of a file that names none.
const ANY_TYPE: &str = "application/octet-stream";

/// The keys that hold bytes. The model never sees them.
const KEYS_WITH_BYTES: [&str; 3] = ["attachment", "screenshot_base64", "file_bytes"];

/// A file as a tool describes it. Nothing of it is to be believed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DescribedFile {
    /// The presentation that the tool wants; without a wish its type decides.
    pub kind: Option<AttachmentKind>,
    /// Its name.
    pub filename: Option<String>,
    /// Its type.
    pub mime_type: Option<String>,
    /// A caption to show with it.
    pub caption: Option<String>,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl DescribedFile {
    /// The file as it may be shown; `None` if it is too large.
    ///
    /// Only bytes that are no text and no other known kind of file are shown in place: the first bytes of the content count
    /// more than the type that the tool names.
    pub fn attachment(self) -> Option<Attachment> {
        if self.bytes.len() > MAX_BYTES {
            tracing::warn!(bytes = self.bytes.len(), "a file of a tool is too large to be passed on");
            return None;
        }
        let declared = said(self.mime_type).unwrap_or_else(|| ANY_TYPE.to_owned());
        let (mime_type, is_image) = match sniffed(&self.bytes) {
            Some(MediaType { name, is_picture }) => (name.to_owned(), is_picture),
            None => {
                let is_image = is_picture(&declared);
                (declared, is_image)
            }
        };
        let is_image = is_image && self.kind != Some(AttachmentKind::Document);
        Some(Attachment {
            kind: if is_image { AttachmentKind::Image } else { AttachmentKind::Document },
            filename: safe_file_name(self.filename.as_deref().unwrap_or_default()),
            mime_type,
            bytes: Private(self.bytes.into()),
            caption: said(self.caption),
        })
    }
}

/// The data of a result, as far as it may hold a file. Fields of a wrong type are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultData {
    /// A described file.
    pub attachment: Option<DescribedFile>,
    /// A picture of the screen in base64.
    pub screenshot_base64: Option<String>,
    /// The bytes of a file.
    pub file_bytes: Option<Vec<u8>>,
    /// The name of that file.
    pub filename: Option<String>,
    /// The type of that file.
    pub mime_type: Option<String>,
}

impl ResultData {
    /// Reads the data. A list of numbers from 0 to 255 is bytes, which JSON has no form for.
    pub fn from_json(data: &Value) -> Self {
        let text = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            attachment: data.get("attachment").and_then(Value::as_object).and_then(described),
            screenshot_base64: text("screenshot_base64"),
            file_bytes: data.get("file_bytes").and_then(bytes_of),
            filename: text("filename"),
            mime_type: text("mime_type"),
        }
    }

    /// The file, if there is one: a described file goes before a picture of the screen, and that before bytes.
    pub fn attachment(self) -> Option<Attachment> {
        let screenshot = |text: String| {
            let is_short = text.chars().nth(MAX_BASE64_CHARS).is_none();
            let bytes = if is_short { from_base64(&text)? } else { return None };
            DescribedFile {
                filename: Some("screenshot.png".to_owned()),
                mime_type: Some("image/png".to_owned()),
                bytes,
                ..DescribedFile::default()
            }
            .attachment()
        };
        let (filename, mime_type) = (self.filename, self.mime_type);
        let file = |bytes| DescribedFile { filename, mime_type, bytes, ..DescribedFile::default() };
        self.attachment
            .and_then(DescribedFile::attachment)
            .or_else(|| self.screenshot_base64.and_then(screenshot))
            .or_else(|| self.file_bytes.map(file).and_then(DescribedFile::attachment))
    }
}

/// The data without what holds bytes.
pub(crate) fn without_bytes(data: &Value) -> Value {
    match data {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !KEYS_WITH_BYTES.contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

/// The bytes of a text in base64, of the standard alphabet. Line breaks and missing padding are forgiven.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    const FORGIVING: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const DECODER: GeneralPurpose = GeneralPurpose::new(&STANDARD, FORGIVING);
    match text.contains(['\r', '\n']) {
        true => DECODER.decode(text.replace(['\r', '\n'], "")).ok(),
        false => DECODER.decode(text).ok(),
    }
}

fn described(fields: &Map<String, Value>) -> Option<DescribedFile> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let kind = match text("type").as_deref() {
        Some("IMAGE") => Some(AttachmentKind::Image),
        Some("DOCUMENT") => Some(AttachmentKind::Document),
        _ => None,
    };
    Some(DescribedFile {
        kind,
        filename: text("filename"),
        mime_type: text("mimeType"),
        caption: text("caption"),
        bytes: from_base64(&text("bytes_b64")?)?,
    })
}

fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    let bytes = value.as_array()?.iter();
    bytes.map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok())).collect()
}

/// The text unless it is blank.
fn said(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests;
