//! The key of an encrypted memory, who keeps it, and how a file tells whether it needs one.
//!
//! A plain file begins with SQLite's own header. An encrypted one begins with [`MARK`] and a fingerprint of its key, where
//! SQLCipher has 16 bytes of salt: so a missing key is never taken for damage, nor damage for a missing key. Random keys
//! need no salt: it is there for keys made of pass phrases, and only the key of the checksums is made with it.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use secrecy::{ExposeSecret, ExposeSecretMut, SecretBox, SecretString};
use sha2::{Digest, Sha256};

use crate::aside::newest_set_aside;
use crate::backup::copies;
use crate::{MemoryError, backups};

/// How plain files begin. Source: the SQLite file format, "The Database Header".
const PLAIN: &[u8; 16] = b"SQLite format 3\0";

/// How encrypted files begin; eight bytes of the key's fingerprint follow.
const MARK: &[u8; 8] = b"JarvisE1";

/// What is hashed before the key to make its fingerprint, so that it is the hash of nothing else.
const FINGERPRINT: &[u8] = b"jarvis memory key 1";

/// The key of an encrypted memory: 256 random bits. Wiped when the last clone is dropped; `Debug` hides it.
#[derive(Debug, Clone)]
pub struct Key(Arc<SecretBox<[u8; 32]>>);

impl Key {
    /// A new one, from the system's source of randomness.
    ///
    /// # Errors
    ///
    /// The system has none.
    pub fn random() -> Result<Self, KeyProblem> {
        let mut key = SecretBox::new(Box::new([0; 32]));
        getrandom::fill(key.expose_secret_mut())?;
        Ok(Self(Arc::new(key)))
    }

    /// The key that was written as 64 hexadecimal digits; `None` for anything else.
    pub fn of_hex(digits: &str) -> Option<Self> {
        if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let mut key = SecretBox::new(Box::new([0; 32]));
        for (place, byte) in key.expose_secret_mut().iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
        }
        Some(Self(Arc::new(key)))
    }

    /// As 64 hexadecimal digits, to be kept where secrets are kept.
    pub fn to_hex(&self) -> SecretString {
        // Whole from the start: a string that grows leaves copies behind.
        let mut digits = String::with_capacity(64);
        push_hex(&mut digits, self.0.expose_secret());
        digits.into()
    }

    /// Eight bytes that tell this key from others, and nothing about it.
    pub fn fingerprint(&self) -> Fingerprint {
        let hash = Sha256::new().chain_update(FINGERPRINT).chain_update(self.0.expose_secret()).finalize();
        Fingerprint(std::array::from_fn(|place| hash[place]))
    }

    /// As SQLCipher takes it: the key itself, no pass phrase, and the first 16 bytes of its files.
    ///
    /// Source: the documentation of SQLCipher, "Raw Key Data with Explicit Salt".
    pub(crate) fn as_sqlcipher_takes_it(&self) -> SecretString {
        let mut key = String::with_capacity(2 + 64 + 32 + 1);
        key.push_str("x'");
        push_hex(&mut key, self.0.expose_secret());
        push_hex(&mut key, MARK);
        push_hex(&mut key, &self.fingerprint().0);
        key.push('\'');
        key.into()
    }
}

/// Tells one key from others, and nothing about it. Encrypted files begin with it, and keys are kept under it: one user
/// can have several memories, each with a key of its own. Shown as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 8]);

impl Fingerprint {
    /// The one that was shown so; `None` for anything else.
    pub(crate) fn of_hex(digits: &str) -> Option<Self> {
        let number = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16)?;
        Some(Self(number.to_be_bytes()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

fn push_hex(digits: &mut String, bytes: &[u8]) {
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            digits.extend(char::from_digit(half.into(), 16));
        }
    }
}

/// Why a key could not be had or kept. It never holds the key.
pub type KeyProblem = Box<dyn std::error::Error + Send + Sync>;

/// Keeps the keys of memories, each under its fingerprint: the port to the system's keychain. It is asked only for
/// encrypted files. Blocking.
pub trait KeyStore: Send + Sync {
    /// The key of this fingerprint, if it is kept.
    ///
    /// # Errors
    ///
    /// [`KeyProblem`]. A locked keychain can look like one without the key.
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem>;

    /// Keeps this key, beside any other.
    ///
    /// # Errors
    ///
    /// [`KeyProblem`]; then it is not kept.
    fn set(&self, key: &Key) -> Result<(), KeyProblem>;

    /// Forgets the key of this fingerprint; there need not be one.
    ///
    /// # Errors
    ///
    /// [`KeyProblem`].
    fn delete(&self, fingerprint: Fingerprint) -> Result<(), KeyProblem>;
}

/// Keeps nothing: for memories that are plain.
struct NoKeys;

impl KeyStore for NoKeys {
    fn get(&self, _: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        Ok(None)
    }

    fn set(&self, _: &Key) -> Result<(), KeyProblem> {
        Err("there is no keychain".into())
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        Ok(())
    }
}

/// Where a memory is, and who keeps its key if it is encrypted. A mere path is one whose key nobody keeps.
#[derive(Clone)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Who keeps its key.
    pub keys: Arc<dyn KeyStore>,
}

impl<P: AsRef<Path> + ?Sized> From<&P> for Place {
    fn from(path: &P) -> Self {
        Self { path: path.as_ref().to_path_buf(), keys: Arc::new(NoKeys) }
    }
}

impl Place {
    /// The key that the memory is opened with; `None` for a plain one. One that is not there yet begins as its newest
    /// backup is, or what was set aside last, so that what was encrypted once stays so.
    pub(crate) fn key(&self) -> Result<Option<Key>, MemoryError> {
        match Header::of(&self.path) {
            Header::None => {
                let newest = backups(&self.path).into_iter().next().map(|newest| newest.path);
                let newest = newest.or_else(|| newest_set_aside(&self.path));
                newest.map_or(Ok(None), |newest| self.key_of(&newest))
            }
            _ => self.key_of(&self.path),
        }
    }

    /// A key of the backups and of what was set aside, if the keychain gives one.
    pub(crate) fn key_of_copies(&self) -> Option<Key> {
        copies(&self.path).iter().find_map(|copy| self.key_of(copy).ok().flatten())
    }

    /// The key of a file beside it, such as a backup; `None` for a plain one.
    pub(crate) fn key_of(&self, file: &Path) -> Result<Option<Key>, MemoryError> {
        let Header::Encrypted { fingerprint } = Header::of(file) else { return Ok(None) };
        let path = file.to_path_buf();
        if !cfg!(feature = "encryption") {
            return Err(MemoryError::NoEncryption { path });
        }
        match self.keys.get(fingerprint) {
            Ok(Some(key)) if key.fingerprint() == fingerprint => Ok(Some(key)),
            Ok(Some(_)) => Err(MemoryError::OtherKey { path }),
            Ok(None) => Err(MemoryError::NoKey { path }),
            Err(source) => Err(MemoryError::NoKeychain { path, source }),
        }
    }
}

/// What the first bytes of a file tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// It is not there, empty, or cannot be read: SQLite says which.
    None,
    Plain,
    Encrypted {
        fingerprint: Fingerprint,
    },
    /// It is no database, or damaged.
    Other,
}

impl Header {
    pub fn of(file: &Path) -> Self {
        let mut begins = Vec::with_capacity(PLAIN.len());
        let read =
            std::fs::File::open(file).and_then(|file| file.take(PLAIN.len() as u64).read_to_end(&mut begins));
        match (read, begins.split_at_checked(MARK.len())) {
            (Err(_) | Ok(0), _) => Self::None,
            _ if begins == PLAIN => Self::Plain,
            (_, Some((mark, rest))) if mark == MARK => match rest.try_into() {
                Ok(fingerprint) => Self::Encrypted { fingerprint: Fingerprint(fingerprint) },
                Err(_) => Self::Other,
            },
            _ => Self::Other,
        }
    }

    /// Of the key that it is encrypted with.
    pub fn fingerprint(self) -> Option<Fingerprint> {
        match self {
            Self::Encrypted { fingerprint } => Some(fingerprint),
            _ => None,
        }
    }

    /// Is it encrypted with this key?
    pub fn needs(self, key: &Key) -> bool {
        self == Self::Encrypted { fingerprint: key.fingerprint() }
    }
}

/// Gives a connection its key, before anything else is asked of it.
pub(crate) fn unlock(connection: &Connection, key: Option<&Key>) -> rusqlite::Result<()> {
    let Some(key) = key else { return Ok(()) };
    let key = key.as_sqlcipher_takes_it();
    // SQLCipher would tell standard error of every damaged page, besides the error that it returns.
    connection.pragma_update(None, "cipher_log_level", "NONE")?;
    connection.pragma_update(None, "key", key.expose_secret()).map_err(|_| {
        // The words of SQLite's error might hold the key.
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR), None)
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn a_key_is_kept_as_digits_and_shown_to_nobody() {
        let key = Key::random().unwrap();

        let digits = key.to_hex();
        let again = Key::of_hex(digits.expose_secret()).unwrap();

        assert_eq!(again.to_hex().expose_secret(), digits.expose_secret());
        assert_eq!(again.fingerprint(), key.fingerprint());
        assert_eq!(key.fingerprint().to_string().len(), 16);
        assert_eq!(Fingerprint::of_hex(&key.fingerprint().to_string()), Some(key.fingerprint()));
        let shown = format!("{key:?} {digits:?}").to_lowercase();
        assert!(!shown.contains(digits.expose_secret()) && !shown.contains(&digits.expose_secret()[..8]));
    }

    #[rstest]
    #[case::nothing("")]
    #[case::too_short("00ff")]
    #[case::no_digits("zz00000000000000000000000000000000000000000000000000000000000000")]
    #[case::half_a_character("é00000000000000000000000000000000000000000000000000000000000000")]
    fn what_is_no_key_is_none(#[case] digits: &str) {
        assert!(Key::of_hex(digits).is_none());
    }

    #[rstest]
    #[case::empty(b"", Header::None)]
    #[case::plain(b"SQLite format 3\0\x10\0", Header::Plain)]
    #[case::encrypted(b"JarvisE112345678\x55", Header::Encrypted { fingerprint: Fingerprint(*b"12345678") })]
    #[case::cut_off(b"JarvisE1123", Header::Other)]
    #[case::a_few_bytes(b"abc", Header::Other)]
    #[case::text(b"this is no database at all", Header::Other)]
    fn the_first_bytes_tell_what_a_file_is(#[case] bytes: &[u8], #[case] expected: Header) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("jarvis.db");
        std::fs::write(&file, bytes).unwrap();

        assert_eq!(Header::of(&file), expected);
        assert_eq!(Header::of(&folder.path().join("none")), Header::None);
    }

    #[cfg(not(feature = "encryption"))]
    #[test]
    fn a_build_without_encryption_leaves_an_encrypted_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("jarvis.db");
        let encrypted = b"JarvisE1".repeat(1000);
        std::fs::write(&file, &encrypted).unwrap();

        let opened = crate::Store::open(&file).err().unwrap();
        let checked = crate::check(&file).unwrap_err();
        let wanted = crate::encrypt(&Place::from(&file)).unwrap_err();

        for error in [opened, checked, wanted] {
            assert!(matches!(error, MemoryError::NoEncryption { .. }), "{error:?}");
            assert!(error.remedy().contains("a build of Jarvis with encryption"));
        }
        assert_eq!(std::fs::read(&file).unwrap(), encrypted);
    }
}
