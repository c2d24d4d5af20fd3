use base64::prelude::BASE64_STANDARD;
use rstest::rstest;
use serde_json::json;

use super::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";
const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>";

fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Kind, name and type of the attachment in the data.
fn found(data: Value) -> Option<(AttachmentKind, String, String)> {
    let found = ResultData::from_json(&data).attachment()?;
    Some((found.kind, found.filename, found.mime_type))
}

fn image(name: &str, mime_type: &str) -> Option<(AttachmentKind, String, String)> {
    Some((AttachmentKind::Image, name.into(), mime_type.into()))
}

fn document(name: &str, mime_type: &str) -> Option<(AttachmentKind, String, String)> {
    Some((AttachmentKind::Document, name.into(), mime_type.into()))
}

#[rstest]
#[case::described(
    json!({"attachment": {"type": "DOCUMENT", "filename": "a.txt", "mimeType": "text/plain", "bytes_b64": "QUI="}}),
    document("a.txt", "text/plain")
)]
#[case::described_goes_first(
    json!({"attachment": {"type": "DOCUMENT", "filename": "a.txt", "mimeType": "text/plain", "bytes_b64": "QUI="}, "screenshot_base64": "QUI="}),
    document("a.txt", "text/plain")
)]
#[case::screenshot(json!({"screenshot_base64": base64(PNG)}), image("screenshot.png", "image/png"))]
#[case::screenshot_of_unknown_bytes(json!({"screenshot_base64": "QUI="}), image("screenshot.png", "image/png"))]
#[case::screenshot_without_padding(json!({"screenshot_base64": "QUI"}), image("screenshot.png", "image/png"))]
#[case::screenshot_goes_before_bytes(json!({"screenshot_base64": "QUI=", "file_bytes": [1]}), image("screenshot.png", "image/png"))]
#[case::broken_screenshot(json!({"screenshot_base64": "Q-_I", "file_bytes": [1]}), document("file", "application/octet-stream"))]
#[case::bytes(json!({"file_bytes": [1, 2], "filename": "a.csv", "mime_type": "text/csv"}), document("a.csv", "text/csv"))]
#[case::blank_name_and_type(json!({"file_bytes": [1], "filename": " ", "mime_type": null}), document("file", "application/octet-stream"))]
#[case::picture(json!({"file_bytes": [1], "filename": "a.jpg", "mime_type": "image/jpeg"}), image("a.jpg", "image/jpeg"))]
#[case::vector_graphic(json!({"file_bytes": [1], "filename": "a.svg", "mime_type": "image/svg+xml"}), document("a.svg", "image/svg+xml"))]
#[case::hidden_vector_graphic(json!({"file_bytes": SVG, "filename": "a.png", "mime_type": "image/png"}), document("a.png", "image/svg+xml"))]
#[case::other_kind_of_picture(json!({"screenshot_base64": base64(b"\xff\xd8\xff\xe0")}), image("screenshot.png", "image/jpeg"))]
#[case::name_with_folders(json!({"file_bytes": [1], "filename": "../../x.txt"}), document("x.txt", "application/octet-stream"))]
#[case::text_for_bytes(json!({"file_bytes": "QUI="}), None)]
#[case::numbers_that_are_no_bytes(json!({"file_bytes": [256]}), None)]
#[case::wrong_types(json!({"attachment": 1, "screenshot_base64": 2, "file_bytes": true}), None)]
#[case::no_object(json!(["screenshot_base64"]), None)]
#[case::nothing(json!({"text": "it rains"}), None)]
fn attachment_of_a_result_is_the_first_that_fits(
    #[case] data: Value,
    #[case] expected: Option<(AttachmentKind, String, String)>,
) {
    assert_eq!(found(data), expected);
}

#[test]
fn file_over_fifty_megabytes_is_no_attachment() {
    let file =
        |bytes: usize| DescribedFile { bytes: vec![0; bytes], ..DescribedFile::default() }.attachment();

    assert!(file(MAX_BYTES).is_some());
    assert!(file(MAX_BYTES + 1).is_none());
}

#[test]
fn screenshot_over_its_limit_is_no_attachment() {
    let data =
        |chars: usize| ResultData { screenshot_base64: Some("A".repeat(chars)), ..ResultData::default() };

    assert!(data(MAX_BASE64_CHARS).attachment().is_some());
    assert!(data(MAX_BASE64_CHARS + 4).attachment().is_none());
}
