//! The programs with a key, as the settings name them.

use std::collections::BTreeMap;

use command_center::{PairedClient, client_of_key};
use settings::{ProgramKey, ProgramsSettings, Scope};

/// The programs that may ask. A change of the settings makes a new one.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    clients: Vec<PairedClient>,
    keys: BTreeMap<String, ProgramKey>,
}

/// A program whose key is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Program {
    /// The name of the program in its key.
    pub name: String,
    key: ProgramKey,
}

impl Programs {
    /// The programs of the settings. A key that is damaged opens nothing.
    pub fn new(settings: &ProgramsSettings) -> Self {
        let clients = settings.keys.iter().filter_map(|(name, key)| {
            let mut hash = [0; 32];
            hex::decode_to_slice(&key.sha256, &mut hash).ok()?;
            Some(PairedClient::with_hash(name, hash))
        });
        Self { clients: clients.collect(), keys: settings.keys.clone() }
    }

    /// All of them, as voice nodes.
    pub fn clients(&self) -> Vec<PairedClient> {
        self.clients.clone()
    }

    /// The program with this key.
    pub fn of_key(&self, key: &str) -> Option<Program> {
        self.named(&client_of_key(key, &self.clients)?)
    }

    /// The program of this name.
    pub fn named(&self, name: &str) -> Option<Program> {
        let key = self.keys.get(name)?.clone();
        Some(Program { name: name.to_owned(), key })
    }
}

impl Program {
    /// Returns `true` if it may do this.
    pub fn may(&self, scope: Scope) -> bool {
        self.key.allows(scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_is_known_by_its_key_and_may_do_what_is_set() {
        // SHA-256 of "s3cret".
        let sha256 = "1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0".to_owned();
        let key = |sha256: &str, may: &[Scope]| ProgramKey { sha256: sha256.to_owned(), may: may.to_vec() };
        let keys = [
            ("kitchen".to_owned(), key(&sha256, &[Scope::Ask, Scope::Audio])),
            ("damaged".to_owned(), key("12", &[Scope::Ask])),
        ];
        let programs = Programs::new(&ProgramsSettings { keys: keys.into(), ..ProgramsSettings::default() });

        let kitchen = programs.of_key("kitchen:s3cret").unwrap();

        assert!(kitchen.may(Scope::Ask) && kitchen.may(Scope::Audio));
        assert!(!kitchen.may(Scope::Tools) && !kitchen.may(Scope::Memory));
        for wrong in ["kitchen:other", "kitchen", "damaged:", "damaged:x", "cellar:s3cret", ""] {
            assert_eq!(programs.of_key(wrong), None, "{wrong}");
        }
    }
}
