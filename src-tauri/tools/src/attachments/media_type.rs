//! The type of a file by its first bytes.

/// The type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MediaType {
    /// Its name, such as `image/png`.
    pub name: &'static str,
    /// It is a picture of points, which cannot hold a program.
    pub is_picture: bool,
}

const fn picture(name: &'static str) -> MediaType {
    MediaType { name, is_picture: true }
}

const fn file(name: &'static str) -> MediaType {
    MediaType { name, is_picture: false }
}

/// The bytes at an offset that tell a type. Source: WHATWG MIME Sniffing.
const SIGNATURES: [(usize, &[u8], MediaType); 20] = [
    (0, b"\x89PNG\r\n\x1a\n", picture("image/png")),
    (0, b"\xff\xd8\xff", picture("image/jpeg")),
    (0, b"GIF87a", picture("image/gif")),
    (0, b"GIF89a", picture("image/gif")),
    (8, b"WEBPVP", picture("image/webp")),
    (4, b"ftypavif", picture("image/avif")),
    (0, b"\0\0\x01\0", picture("image/x-icon")),
    (0, b"%PDF-", file("application/pdf")),
    (0, b"PK\x03\x04", file("application/zip")),
    (0, b"\x1f\x8b\x08", file("application/gzip")),
    (0, b"7z\xbc\xaf\x27\x1c", file("application/x-7z-compressed")),
    (0, b"\x7fELF", file("application/x-executable")),
    (0, b"MZ\x90\0", file("application/vnd.microsoft.portable-executable")),
    (8, b"WAVEfmt ", file("audio/wav")),
    (0, b"OggS", file("application/ogg")),
    (0, b"fLaC", file("audio/flac")),
    (0, b"ID3", file("audio/mpeg")),
    (4, b"ftypmp42", file("video/mp4")),
    (4, b"ftypisom", file("video/mp4")),
    (0, b"\x1a\x45\xdf\xa3", file("video/webm")),
];

/// Bytes of a text in which a sign of markup is looked for.
const MARKUP_BYTES: usize = 1_024;

/// The type that the first bytes tell, if they do. Markup is recognised because pages run the programs in it.
pub(super) fn sniffed(bytes: &[u8]) -> Option<MediaType> {
    let known = SIGNATURES
        .iter()
        .find(|(at, signature, _)| bytes.get(*at..).is_some_and(|b| b.starts_with(signature)));
    match known {
        Some((_, _, found)) => Some(*found),
        // A bitmap begins with two letters; the reserved bytes behind its length are zero.
        None if bytes.starts_with(b"BM") && bytes.get(6..10) == Some(&[0; 4]) => Some(picture("image/bmp")),
        None => markup(bytes),
    }
}

fn markup(bytes: &[u8]) -> Option<MediaType> {
    let beginning = &bytes[..bytes.len().min(MARKUP_BYTES)];
    let text = String::from_utf8_lossy(beginning).replace('\0', "").to_lowercase();
    let text = text.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '\u{FEFF}' | char::REPLACEMENT_CHARACTER)
    });
    if !text.starts_with('<') {
        return None;
    }
    let is_page = ["<!doctype html", "<html", "<head", "<body", "<script", "<iframe"];
    if text.contains("<svg") {
        Some(file("image/svg+xml"))
    } else if is_page.iter().any(|tag| text.contains(tag)) {
        Some(file("text/html"))
    } else if text.starts_with("<?xml") || text.starts_with("<!") {
        Some(file("application/xml"))
    } else {
        None
    }
}

/// Returns `true` for a type of pictures that are shown in place. Vector graphics are documents with programs.
pub(super) fn is_picture(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    let kind = essence.strip_prefix("image/");
    kind.is_some_and(|kind| !kind.contains("svg") && !kind.contains("xml"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::png(b"\x89PNG\r\n\x1a\n....", Some("image/png"))]
    #[case::webp(b"RIFF\x10\0\0\0WEBPVP8 ", Some("image/webp"))]
    #[case::sound(b"RIFF\x10\0\0\0WAVEfmt ", Some("audio/wav"))]
    #[case::bitmap(b"BM\x10\0\0\0\0\0\0\0", Some("image/bmp"))]
    #[case::words_like_a_bitmap(b"BMW is a car", None)]
    #[case::vector_graphic(
        b"<?xml version='1.0'?>\n<!-- drawn by hand -->\n<SVG onload='x()'>",
        Some("image/svg+xml")
    )]
    #[case::page(b"\xef\xbb\xbf  <!DOCTYPE html><p>", Some("text/html"))]
    #[case::page_in_two_bytes(b"\xff\xfe<\0s\0c\0r\0i\0p\0t\0>\0", Some("text/html"))]
    #[case::other_markup(b"<?xml version='1.0'?><feed/>", Some("application/xml"))]
    #[case::text(b"it rains", None)]
    #[case::nothing(b"", None)]
    fn first_bytes_tell_the_type(#[case] bytes: &[u8], #[case] expected: Option<&str>) {
        assert_eq!(sniffed(bytes).map(|found| found.name), expected);
    }
}
