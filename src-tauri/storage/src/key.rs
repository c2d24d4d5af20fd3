//! The key of an encrypted database, and the port to the keychain that stores it.

use std::fmt;
use std::sync::Arc;

use secrecy::{ExposeSecret, ExposeSecretMut, SecretBox, SecretString};
use sha2::{Digest, Sha256};

/// The first eight bytes of encrypted files; eight bytes of the key's fingerprint follow.
pub(crate) const ENCRYPTED_MARK: &[u8; 8] = b"JarvisE1";

/// Hashed before the key, so that the fingerprint is the hash of nothing else.
const FINGERPRINT: &[u8] = b"jarvis memory key 1";

/// The key of an encrypted database: 256 random bits. Wiped when the last clone is dropped; `Debug` hides it.
#[derive(Debug, Clone)]
pub struct Key(Arc<SecretBox<[u8; 32]>>);

impl Key {
    /// A new key from the random number generator of the system.
    pub fn random() -> Result<Self, KeyProblem> {
        let mut key = SecretBox::new(Box::new([0; 32]));
        getrandom::fill(key.expose_secret_mut())?;
        Ok(Self(Arc::new(key)))
    }

    /// Parses 64 hexadecimal digits; `None` for anything else.
    pub fn from_hex(digits: &str) -> Option<Self> {
        if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let mut key = SecretBox::new(Box::new([0; 32]));
        for (place, byte) in key.expose_secret_mut().iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
        }
        Some(Self(Arc::new(key)))
    }

    /// The key as 64 hexadecimal digits, to be stored as a secret.
    pub fn to_hex(&self) -> SecretString {
        // Allocated at its full size: a string that grows leaves copies of the key behind.
        let mut digits = String::with_capacity(64);
        push_hex(&mut digits, self.0.expose_secret());
        digits.into()
    }

    /// Identifies this key without revealing it.
    pub fn fingerprint(&self) -> Fingerprint {
        let hash = Sha256::new().chain_update(FINGERPRINT).chain_update(self.0.expose_secret()).finalize();
        Fingerprint(std::array::from_fn(|place| hash[place]))
    }

    /// The key as a SQLCipher key specification: the raw key (no pass phrase), then the first 16 bytes of its files as salt.
    ///
    /// Source: the documentation of SQLCipher, "Raw Key Data with Explicit Salt".
    pub(crate) fn sqlcipher_spec(&self) -> SecretString {
        let mut key = String::with_capacity(2 + 64 + 32 + 1);
        key.push_str("x'");
        push_hex(&mut key, self.0.expose_secret());
        push_hex(&mut key, ENCRYPTED_MARK);
        push_hex(&mut key, &self.fingerprint().0);
        key.push('\'');
        key.into()
    }
}

/// Identifies a key without revealing it; shown as 16 hexadecimal digits. It is part of the header of encrypted files and
/// the name of the key in the keychain, so one user can have several databases, each with its own key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub(crate) [u8; 8]);

impl Fingerprint {
    /// Parses 16 hexadecimal digits; `None` for anything else.
    pub(crate) fn from_hex(digits: &str) -> Option<Self> {
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

/// Why a key could not be read or stored. It never contains the key.
pub type KeyProblem = Box<dyn std::error::Error + Send + Sync>;

/// Stores keys by their fingerprints: the port to the keychain of the system. It is used only for encrypted files. Blocking.
pub trait KeyStore: Send + Sync {
    /// The key with this fingerprint, if it is stored. A locked keychain can look like one without the key.
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem>;

    /// Stores this key, besides any other.
    fn set(&self, key: &Key) -> Result<(), KeyProblem>;

    /// Deletes the key with this fingerprint, if it is stored.
    fn delete(&self, fingerprint: Fingerprint) -> Result<(), KeyProblem>;
}

/// Stores nothing: for unencrypted databases.
pub(crate) struct NoKeys;

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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn key_round_trips_as_digits_and_debug_hides_it() {
        let key = Key::random().unwrap();

        let digits = key.to_hex();
        let again = Key::from_hex(digits.expose_secret()).unwrap();

        assert_eq!(again.to_hex().expose_secret(), digits.expose_secret());
        assert_eq!(again.fingerprint(), key.fingerprint());
        assert_eq!(key.fingerprint().to_string().len(), 16);
        assert_eq!(Fingerprint::from_hex(&key.fingerprint().to_string()), Some(key.fingerprint()));
        let shown = format!("{key:?} {digits:?}").to_lowercase();
        assert!(!shown.contains(digits.expose_secret()) && !shown.contains(&digits.expose_secret()[..8]));
    }

    #[rstest]
    #[case::nothing("")]
    #[case::too_short("00ff")]
    #[case::no_digits("zz00000000000000000000000000000000000000000000000000000000000000")]
    #[case::half_a_character("é00000000000000000000000000000000000000000000000000000000000000")]
    fn invalid_digits_are_no_key(#[case] digits: &str) {
        assert!(Key::from_hex(digits).is_none());
    }
}
