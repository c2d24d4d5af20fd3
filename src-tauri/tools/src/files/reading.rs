//! The beginning of a text file.

use std::io::Read;

use encoding_rs::{Encoding, UTF_8};

use super::home_folder::Place;
use super::refusal::FileRefusal;

/// Characters that are read. Source: docs/behaviour/tools.md#files.
pub(super) const MAX_CHARS: usize = 10_000;

/// Bytes that hold more than [`MAX_CHARS`] characters in any case: one takes up to four. The rest of a file is not read.
const MAX_BYTES: u64 = 4 * MAX_CHARS as u64 + 8;

/// The beginning of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Beginning {
    pub text: String,
    /// The file goes on.
    pub is_cut: bool,
}

/// Reads the beginning of a file: UTF-8, or UTF-16 if a mark at its start says so. Blocks.
pub(super) fn read(place: &Place) -> Result<Beginning, FileRefusal> {
    let failed = |error| FileRefusal::new(&place.written, error);
    // Opening a pipe would wait for somebody who writes into it.
    if !place.path.metadata().map_err(failed)?.is_file() {
        return Err(FileRefusal::NoFile { path: place.written.clone() });
    }
    let file = std::fs::File::open(&place.path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    let encoding = Encoding::for_bom(&bytes).map_or(UTF_8, |(encoding, _)| encoding);
    if encoding == UTF_8 && bytes.contains(&0) {
        return Err(FileRefusal::NoText { path: place.written.clone() });
    }
    let (text, _) = encoding.decode_with_bom_removal(&bytes);
    Ok(match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => Beginning { text: text[..end].to_owned(), is_cut: true },
        None => Beginning { text: text.into_owned(), is_cut: false },
    })
}
