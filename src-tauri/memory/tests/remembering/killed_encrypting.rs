//! Encrypting and decrypting are killed at any moment.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use memory::{DatabaseLocation, check, decrypt, encrypt, protection};

use crate::encrypted_home::{EncryptedHome, KeysInFolder};

/// Where the child finds the memory and the keychain.
const FOLDERS: &str = "JARVIS_TEST_HOUSE";

/// Encrypts and decrypts until it is killed.
#[test]
#[ignore = "the child of the test below"]
fn changes_to_and_fro_until_it_is_killed() {
    let folders = std::env::var(FOLDERS).unwrap();
    let (data, key) = folders.split_once('|').unwrap();
    let place = DatabaseLocation { path: data.into(), keys: Arc::new(KeysInFolder(key.into())) };
    println!("begun");
    loop {
        let change = if protection(&place.path).is_encrypted { decrypt } else { encrypt };
        change(&place).unwrap();
        println!("changed");
    }
}

#[tokio::test]
async fn memory_can_be_opened_after_a_kill_at_any_moment() {
    let house = EncryptedHome::with_records().await;
    let memory = house.open();
    let expected = memory.archive().await.unwrap();
    memory.store().close();
    let (mut encrypted, mut plain) = (0, 0);
    for kill in 0..40_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed_encrypting::changes_to_and_fro_until_it_is_killed"])
            .args(["--ignored", "--nocapture", "--quiet"])
            .env(FOLDERS, format!("{}|{}", house.path().display(), house.keychain.path().display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let wanted = if kill % 2 == 0 { "begun" } else { "changed" };
        assert!(out.any(|line| line.unwrap().contains(wanted)));
        // Another moment each time, some microseconds to a quarter of a second later.
        std::thread::sleep(Duration::from_micros(kill * 79_199 % 250_000));
        child.kill().unwrap();
        child.wait().unwrap();

        let is_encrypted = protection(&house.path()).is_encrypted;
        *(if is_encrypted { &mut encrypted } else { &mut plain }) += 1;
        let memory = house.open();
        assert_eq!(memory.archive().await.unwrap(), expected, "after {kill} kills");
        memory.store().close();
        let unfinished = |(path, _): &(PathBuf, Vec<u8>)| path.to_string_lossy().contains("migrating");
        assert!(!house.files().iter().any(unfinished), "opening clears up");
        for backup in memory::backups(&house.path()) {
            let place = DatabaseLocation { path: backup.path, keys: Arc::new(house.key_store()) };
            assert_eq!(check(place).unwrap(), 2);
        }
        let is_any = |path: &Path| protection(path).is_encrypted;
        let is_needed = is_encrypted || memory::backups(&house.path()).iter().any(|copy| is_any(&copy.path));
        assert_eq!(house.keys().len(), usize::from(is_needed), "opening forgets what nothing needs");
        if is_encrypted {
            assert!(house.files_with("giraffe").is_empty(), "{:?}", house.files_with("giraffe"));
        }
    }
    assert!(encrypted > 0 && plain > 0, "it was at work: {encrypted} and {plain}");
}
