//! Keys of other programs: made here, shown once, kept as a hash.

use serde_json::json;
use settings::{ProgramKey, Scope, SettingsError, SettingsFile};
use sha2::{Digest, Sha256};
use vocabulary::Private;

/// Random bytes of a secret: nobody guesses it, so a fast hash is enough.
const SECRET_BYTES: usize = 32;

/// The reason why a program gets no key.
#[derive(Debug, thiserror::Error)]
pub enum ProgramRefused {
    /// The name cannot be used.
    #[error("{0:?} is no name for a program: use letters, digits, - and _, at most 40")]
    Name(String),
    /// There is such a program.
    #[error("there is a program named {0} already: revoke its key first, or choose another name")]
    Taken(String),
    /// There is no such program.
    #[error("there is no program named {0}")]
    Unknown(String),
    /// It could do nothing.
    #[error("name what the program may do: ask, tools, memory or audio")]
    NoScope,
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for a key")]
    NoRandom(#[source] getrandom::Error),
    /// The settings could not be saved.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// Adds a program to the settings. Returns its key, which nobody can find out later.
///
/// # Errors
///
/// [`ProgramRefused`]; then nothing changes.
pub(crate) fn add(
    settings: &SettingsFile,
    name: &str,
    may: &[Scope],
) -> Result<Private<String>, ProgramRefused> {
    let fits = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    if name.is_empty() || name.len() > 40 || !name.chars().all(fits) {
        return Err(ProgramRefused::Name(name.to_owned()));
    }
    if may.is_empty() {
        return Err(ProgramRefused::NoScope);
    }
    let mut secret = [0; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(ProgramRefused::NoRandom)?;
    let secret = hex::encode(secret);
    let sha256 = hex::encode(Sha256::digest(&secret));
    settings.change("programs.keys", |settings| {
        let mut keys = settings.programs.keys.clone();
        if keys.contains_key(name) {
            return Err(ProgramRefused::Taken(name.to_owned()));
        }
        keys.insert(name.to_owned(), ProgramKey { sha256, may: may.to_vec() });
        Ok(json!(keys))
    })?;
    Ok(Private(format!("{name}:{secret}")))
}

/// Takes the key of a program out of the settings: from now on it is refused.
///
/// # Errors
///
/// [`ProgramRefused`]; then nothing changes.
pub(crate) fn revoke(settings: &SettingsFile, name: &str) -> Result<(), ProgramRefused> {
    settings.change("programs.keys", |settings| {
        let mut keys = settings.programs.keys.clone();
        keys.remove(name).ok_or_else(|| ProgramRefused::Unknown(name.to_owned()))?;
        Ok(json!(keys))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lost revocation would let a program in that was thrown out.
    #[test]
    fn programs_that_come_and_go_at_the_same_time_are_not_mixed_up() {
        let folder = tempfile::tempdir().unwrap();
        let settings = SettingsFile::load(&folder.path().join("settings.json")).unwrap().file;
        let names: Vec<String> = (0..8).map(|at| format!("program-{at}")).collect();
        for name in &names[..4] {
            add(&settings, name, &[Scope::Ask]).unwrap();
        }

        std::thread::scope(|threads| {
            for (leaving, coming) in names[..4].iter().zip(&names[4..]) {
                threads.spawn(|| revoke(&settings, leaving).unwrap());
                threads.spawn(|| add(&settings, coming, &[Scope::Ask]).unwrap());
            }
        });

        let left: Vec<String> = settings.current().programs.keys.into_keys().collect();
        assert_eq!(left, names[4..]);
    }

    #[test]
    fn key_is_shown_once_and_kept_as_a_hash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        let settings = SettingsFile::load(&path).unwrap().file;

        let Private(key) = add(&settings, "kitchen", &[Scope::Ask]).unwrap();

        let secret = key.strip_prefix("kitchen:").unwrap();
        let stored = std::fs::read_to_string(&path).unwrap();
        assert_eq!(secret.len(), 2 * SECRET_BYTES);
        assert!(!stored.contains(secret) && stored.contains(&hex::encode(Sha256::digest(secret))));
        assert!(matches!(add(&settings, "kitchen", &[Scope::Ask]), Err(ProgramRefused::Taken(_))));
        assert!(matches!(add(&settings, "a b", &[Scope::Ask]), Err(ProgramRefused::Name(_))));
        assert!(matches!(add(&settings, "bot", &[]), Err(ProgramRefused::NoScope)));

        revoke(&settings, "kitchen").unwrap();

        assert!(settings.current().programs.keys.is_empty());
        assert!(matches!(revoke(&settings, "kitchen"), Err(ProgramRefused::Unknown(_))));
    }
}
