//! The keychain keeps no unneeded key, even after an interrupted run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use memory::{
    DatabaseLocation, Fingerprint, Key, KeyProblem, KeyStore, Memory, StorageError, decrypt, encrypt,
    protection,
};
use rstest::rstest;

use crate::encrypted_home::{EncryptedHome, KeysInFolder};

/// When the program is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KillMoment {
    OnceTheKeyIsKept,
    BeforeTheKeyIsForgotten,
}

/// A keychain call during which the program is killed.
struct KilledAtKeychain(KeysInFolder, KillMoment);

impl KeyStore for KilledAtKeychain {
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        assert_ne!(self.1, KillMoment::OnceTheKeyIsKept);
        self.0.get(fingerprint)
    }

    fn set(&self, key: &Key) -> Result<(), KeyProblem> {
        self.0.set(key)
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        panic!("the program ends here")
    }
}

/// A keychain that currently cannot delete keys.
struct Busy(KeysInFolder);

impl KeyStore for Busy {
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        self.0.get(fingerprint)
    }

    fn set(&self, key: &Key) -> Result<(), KeyProblem> {
        self.0.set(key)
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        Err("not now".into())
    }
}

fn note(home: &EncryptedHome) -> PathBuf {
    home.data.path().join("jarvis.db.keys")
}

#[rstest]
#[case::by_opening(|home: &EncryptedHome| home.open().store().close())]
#[case::by_the_next_encryption(|home: &EncryptedHome| { encrypt(&home.place()).unwrap(); })]
#[tokio::test]
async fn key_left_by_a_killed_encryption_is_deleted(#[case] next: fn(&EncryptedHome)) {
    let home = EncryptedHome::with_records().await;
    let place = home.place_with(KilledAtKeychain(home.key_store(), KillMoment::OnceTheKeyIsKept));
    assert!(catch_unwind(AssertUnwindSafe(|| encrypt(&place))).is_err());
    assert_eq!(home.keys().len(), 1, "the key is in the keychain already");

    next(&home);

    assert_eq!(home.keys().len(), usize::from(protection(&home.path()).is_encrypted));
    assert!(!note(&home).exists());
}

#[tokio::test]
async fn key_left_by_a_killed_decryption_is_deleted() {
    let home = EncryptedHome::encrypted().await;
    let place = home.place_with(KilledAtKeychain(home.key_store(), KillMoment::BeforeTheKeyIsForgotten));
    assert!(catch_unwind(AssertUnwindSafe(|| decrypt(&place))).is_err());
    assert_eq!(home.keys().len(), 1, "the key is still in the keychain");

    home.open().store().close();

    assert!(home.keys().is_empty() && !note(&home).exists());
}

#[tokio::test]
async fn undeleted_key_is_deleted_later() {
    let home = EncryptedHome::encrypted().await;
    let error = decrypt(&home.place_with(Busy(home.key_store()))).unwrap_err();
    assert!(matches!(error, StorageError::KeyNotDeleted { .. }), "{error:?}");

    home.open().store().close();

    assert!(home.keys().is_empty() && !note(&home).exists());
}

#[tokio::test]
async fn key_stays_while_a_copy_needs_it_or_memory_is_missing() {
    let home = EncryptedHome::encrypted().await;
    let backup = memory::backups(&home.path()).remove(0).path;
    let encrypted = std::fs::read(&backup).unwrap();
    assert!(decrypt(&home.place_with(Busy(home.key_store()))).is_err());
    std::fs::write(&backup, &encrypted).unwrap();

    home.open().store().close();
    let with_a_copy = home.keys().len();
    let elsewhere = home.data.path().join("elsewhere");
    std::fs::rename(home.path(), &elsewhere).unwrap();
    std::fs::remove_file(&backup).unwrap();
    Memory::open(DatabaseLocation { path: home.path(), ..home.place() }).unwrap().memory.store().close();

    assert_eq!((with_a_copy, home.keys().len()), (1, 1));
}

/// Why it is unknown which key a copy needs.
#[derive(Debug, Clone, Copy)]
enum UnknownNeed {
    Damage,
    #[cfg(unix)]
    Folder,
    #[cfg(unix)]
    Disk,
}

#[rstest]
#[case::by_damage(UnknownNeed::Damage)]
#[cfg_attr(unix, case::by_its_folder(UnknownNeed::Folder))]
#[cfg_attr(unix, case::by_the_disk(UnknownNeed::Disk))]
#[tokio::test]
async fn key_stays_while_the_need_of_a_copy_is_unknown(#[case] hidden: UnknownNeed) {
    let home = EncryptedHome::encrypted().await;
    let backup = memory::backups(&home.path()).remove(0).path;
    match hidden {
        UnknownNeed::Damage => std::fs::write(&backup, "what it begins with is lost").unwrap(),
        // Nobody can open a link to itself, not even an administrator.
        #[cfg(unix)]
        UnknownNeed::Folder => {
            let folder = backup.parent().unwrap();
            std::fs::remove_dir_all(folder).unwrap();
            std::os::unix::fs::symlink(folder, folder).unwrap();
        }
        #[cfg(unix)]
        UnknownNeed::Disk => {
            std::fs::remove_file(&backup).unwrap();
            std::os::unix::fs::symlink(&backup, &backup).unwrap();
        }
    }

    decrypt(&home.place()).unwrap();
    let after_decrypting = home.keys().len();
    home.open().store().close();

    assert_eq!((after_decrypting, home.keys().len()), (1, 1));
    assert!(note(&home).exists());
}
