//! Ids that cannot be guessed.

/// A fresh id in hexadecimal digits.
pub(crate) fn fresh_id() -> String {
    let mut bytes = [0; 12];
    // Without random numbers it is still an id, and a key guards what it names.
    let _ = getrandom::fill(&mut bytes);
    hex::encode(bytes)
}

/// Names a kept file. Who knows it gets the file, with the key of its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileId(pub String);
