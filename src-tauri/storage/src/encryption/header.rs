//! Tells from the first bytes of a file whether it is encrypted, and with which key.
//!
//! An unencrypted file begins with SQLite's own header. An encrypted one begins with [`ENCRYPTED_MARK`] and a fingerprint
//! of its key, where SQLCipher expects 16 bytes of salt. So a missing key is never taken for damage, nor damage for a
//! missing key. Random keys need no salt: it protects keys derived from pass phrases. Here it only goes into the key of
//! the checksums.

use std::io::Read;
use std::path::Path;

use crate::key::{ENCRYPTED_MARK, Fingerprint, Key};

/// Source: the SQLite file format, "The Database Header".
const SQLITE_HEADER: &[u8; 16] = b"SQLite format 3\0";

/// The kind of a file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// The file is missing, empty or unreadable; SQLite reports which.
    None,
    Unencrypted,
    Encrypted {
        fingerprint: Fingerprint,
    },
    /// No database, or a damaged one.
    Other,
}

impl Header {
    pub fn from_file(file: &Path) -> Self {
        let mut bytes = Vec::with_capacity(SQLITE_HEADER.len());
        let read = std::fs::File::open(file)
            .and_then(|file| file.take(SQLITE_HEADER.len() as u64).read_to_end(&mut bytes));
        match (read, bytes.split_at_checked(ENCRYPTED_MARK.len())) {
            (Err(_) | Ok(0), _) => Self::None,
            _ if bytes == SQLITE_HEADER => Self::Unencrypted,
            (_, Some((mark, rest))) if mark == ENCRYPTED_MARK => match rest.try_into() {
                Ok(fingerprint) => Self::Encrypted { fingerprint: Fingerprint(fingerprint) },
                Err(_) => Self::Other,
            },
            _ => Self::Other,
        }
    }

    /// The fingerprint of the key of an encrypted file.
    pub fn fingerprint(self) -> Option<Fingerprint> {
        match self {
            Self::Encrypted { fingerprint } => Some(fingerprint),
            _ => None,
        }
    }

    pub fn is_encrypted_with(self, key: &Key) -> bool {
        self == Self::Encrypted { fingerprint: key.fingerprint() }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::empty(b"", Header::None)]
    #[case::unencrypted(b"SQLite format 3\0\x10\0", Header::Unencrypted)]
    #[case::encrypted(b"JarvisE112345678\x55", Header::Encrypted { fingerprint: Fingerprint(*b"12345678") })]
    #[case::cut_off(b"JarvisE1123", Header::Other)]
    #[case::a_few_bytes(b"abc", Header::Other)]
    #[case::text(b"this is no database at all", Header::Other)]
    fn first_bytes_tell_what_kind_of_file_it_is(#[case] bytes: &[u8], #[case] expected: Header) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("jarvis.db");
        std::fs::write(&file, bytes).unwrap();

        assert_eq!(Header::from_file(&file), expected);
        assert_eq!(Header::from_file(&folder.path().join("none")), Header::None);
    }
}
