//! The keychain keeps no key for nothing, whenever the work was cut short.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use memory::{
    DatabaseLocation, Fingerprint, Key, KeyProblem, KeyStore, Memory, StorageError, decrypt, encrypt,
    protection,
};
use rstest::rstest;

use crate::encrypted_home::{EncryptedHome, KeysInFolder};

/// When the work is cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    OnceTheKeyIsKept,
    BeforeTheKeyIsForgotten,
}

/// A keychain under whose hands the program ends.
struct LastSeen(KeysInFolder, Ends);

impl KeyStore for LastSeen {
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        assert_ne!(self.1, Ends::OnceTheKeyIsKept);
        self.0.get(fingerprint)
    }

    fn set(&self, key: &Key) -> Result<(), KeyProblem> {
        self.0.set(key)
    }

    fn delete(&self, _: Fingerprint) -> Result<(), KeyProblem> {
        panic!("the program ends here")
    }
}

/// A keychain that forgets nothing for now.
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

fn note(house: &EncryptedHome) -> PathBuf {
    house.data.path().join("jarvis.db.keys")
}

#[rstest]
#[case::by_opening(|house: &EncryptedHome| house.open().store().close())]
#[case::by_the_next_encryption(|house: &EncryptedHome| { encrypt(&house.place()).unwrap(); })]
#[tokio::test]
async fn key_left_by_a_killed_encryption_is_deleted(#[case] next: fn(&EncryptedHome)) {
    let house = EncryptedHome::with_records().await;
    let place = house.place_with(LastSeen(house.key_store(), Ends::OnceTheKeyIsKept));
    assert!(catch_unwind(AssertUnwindSafe(|| encrypt(&place))).is_err());
    assert_eq!(house.keys().len(), 1, "it was kept already");

    next(&house);

    assert_eq!(house.keys().len(), usize::from(protection(&house.path()).is_encrypted));
    assert!(!note(&house).exists());
}

#[tokio::test]
async fn key_left_by_a_killed_decryption_is_deleted() {
    let house = EncryptedHome::encrypted().await;
    let place = house.place_with(LastSeen(house.key_store(), Ends::BeforeTheKeyIsForgotten));
    assert!(catch_unwind(AssertUnwindSafe(|| decrypt(&place))).is_err());
    assert_eq!(house.keys().len(), 1, "it is kept still");

    house.open().store().close();

    assert!(house.keys().is_empty() && !note(&house).exists());
}

#[tokio::test]
async fn undeleted_key_is_deleted_later() {
    let house = EncryptedHome::encrypted().await;
    let told = decrypt(&house.place_with(Busy(house.key_store()))).unwrap_err();
    assert!(matches!(told, StorageError::KeyNotDeleted { .. }), "{told:?}");

    house.open().store().close();

    assert!(house.keys().is_empty() && !note(&house).exists());
}

#[tokio::test]
async fn key_stays_while_a_copy_needs_it_or_memory_is_missing() {
    let house = EncryptedHome::encrypted().await;
    let backup = memory::backups(&house.path()).remove(0).path;
    let encrypted = std::fs::read(&backup).unwrap();
    assert!(decrypt(&house.place_with(Busy(house.key_store()))).is_err());
    std::fs::write(&backup, &encrypted).unwrap();

    house.open().store().close();
    let with_a_copy = house.keys().len();
    let elsewhere = house.data.path().join("elsewhere");
    std::fs::rename(house.path(), &elsewhere).unwrap();
    std::fs::remove_file(&backup).unwrap();
    Memory::open(DatabaseLocation { path: house.path(), ..house.place() }).unwrap().memory.store().close();

    assert_eq!((with_a_copy, house.keys().len()), (1, 1));
}

/// What keeps it from being known which key a copy needs.
#[derive(Debug, Clone, Copy)]
enum Hidden {
    Damage,
    #[cfg(unix)]
    Folder,
    #[cfg(unix)]
    Disk,
}

#[rstest]
#[case::by_damage(Hidden::Damage)]
#[cfg_attr(unix, case::by_its_folder(Hidden::Folder))]
#[cfg_attr(unix, case::by_the_disk(Hidden::Disk))]
#[tokio::test]
async fn key_stays_while_the_need_of_a_copy_is_unknown(#[case] hidden: Hidden) {
    let house = EncryptedHome::encrypted().await;
    let backup = memory::backups(&house.path()).remove(0).path;
    match hidden {
        Hidden::Damage => std::fs::write(&backup, "what it begins with is lost").unwrap(),
        // A link to itself can be opened by nobody, whatever rights they have.
        #[cfg(unix)]
        Hidden::Folder => {
            let folder = backup.parent().unwrap();
            std::fs::remove_dir_all(folder).unwrap();
            std::os::unix::fs::symlink(folder, folder).unwrap();
        }
        #[cfg(unix)]
        Hidden::Disk => {
            std::fs::remove_file(&backup).unwrap();
            std::os::unix::fs::symlink(&backup, &backup).unwrap();
        }
    }

    decrypt(&house.place()).unwrap();
    let after_decrypting = house.keys().len();
    house.open().store().close();

    assert_eq!((after_decrypting, house.keys().len()), (1, 1));
    assert!(note(&house).exists());
}
