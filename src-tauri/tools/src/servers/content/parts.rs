//! A part of what a server returns: as a text for the model, and as a file for the user.

use serde_json::Value;
use vocabulary::Attachment;

use super::flattening::flatten_content;
use crate::attachments::{DescribedFile, from_base64};

/// The part as a text: a model cannot read bytes, and is told who gets them.
pub(super) fn text_of(part: &Value) -> Value {
    let fate = |of: &str| if attachment_of(part).is_some() { format!(", {of}") } else { String::new() };
    match part.get("type").and_then(Value::as_str) {
        Some("image") => {
            format!("[a picture, {}{}]", field(part, "mimeType"), fate("shown to the user")).into()
        }
        Some("audio") => {
            format!("[a sound, {}{}]", field(part, "mimeType"), fate("given to the user as a file")).into()
        }
        Some("resource") => {
            let resource = part.get("resource").unwrap_or(&Value::Null);
            match resource.get("text") {
                Some(text) => text.clone(),
                None => format!("[a file, {}{}]", field(resource, "uri"), fate("given to the user")).into(),
            }
        }
        Some("resource_link") => format!("{}: {}", field(part, "name"), field(part, "uri")).into(),
        Some("text") | None => part.clone(),
        Some(_) => match part.get("text") {
            Some(text) => text.clone(),
            None => "[something that cannot be shown]".into(),
        },
    }
}

/// The file that the part holds, if it holds one.
pub(super) fn attachment_of(part: &Value) -> Option<Attachment> {
    let (of, bytes, name) = match part.get("type").and_then(Value::as_str)? {
        "image" => (part, "data", "picture"),
        "audio" => (part, "data", "sound"),
        "resource" => (part.get("resource")?, "blob", "file"),
        _ => return None,
    };
    let bytes = from_base64(of.get(bytes)?.as_str()?)?;
    let text = |name: &str| of.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    // A picture without a type is still a picture; its bytes tell which.
    let any_type = if name == "picture" { Some("image/png") } else { None };
    let mime_type = text("mimeType").or(any_type);
    let filename = match name {
        "file" => text("name").map(str::to_owned).or_else(|| text("uri").and_then(name_in_address)),
        _ => Some(with_ending(name, mime_type.unwrap_or_default())),
    };
    let mime_type = mime_type.map(str::to_owned);
    DescribedFile { filename, mime_type, bytes, ..DescribedFile::default() }.attachment()
}

fn field(part: &Value, name: &str) -> String {
    part.get(name).map(flatten_content).unwrap_or_default()
}

/// The last part of the path of an address.
fn name_in_address(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').find(|part| !part.is_empty())?;
    Some(percent_encoding::percent_decode_str(name).decode_utf8_lossy().into_owned())
}

/// The name with the ending of the type: `sound.wav` for `audio/wav`.
fn with_ending(name: &str, mime_type: &str) -> String {
    let ending =
        mime_type.split(';').next().and_then(|essence| essence.split_once('/')).map(|(_, kind)| kind);
    let ending = ending.map(|kind| kind.trim().trim_start_matches("x-"));
    match ending.filter(|kind| !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric())) {
        Some(ending) => format!("{name}.{ending}"),
        None => name.to_owned(),
    }
}
