//! Encrypting and decrypting processes are killed at any moment.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use memory::{DatabaseLocation, check, decrypt, encrypt, protection};

use crate::encrypted_home::{EncryptedHome, KeysInFolder};

/// Names the folders of the memory and the keychain for the child process.
const FOLDERS: &str = "JARVIS_TEST_FOLDERS";

/// Encrypts and decrypts until it is killed.
#[test]
#[ignore = "child process of the test below"]
fn child_encrypts_and_decrypts_until_killed() {
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
    let home = EncryptedHome::with_records().await;
    let memory = home.open();
    let expected = memory.archive().await.unwrap();
    memory.store().close();
    let (mut encrypted, mut plain) = (0, 0);
    for kill in 0..40_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed_encrypting::child_encrypts_and_decrypts_until_killed"])
            .args(["--ignored", "--nocapture", "--quiet"])
            .env(FOLDERS, format!("{}|{}", home.path().display(), home.keychain.path().display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let wanted = if kill % 2 == 0 { "begun" } else { "changed" };
        assert!(out.any(|line| line.unwrap().contains(wanted)));
        // A different time for each kill: some microseconds to a quarter of a second.
        std::thread::sleep(Duration::from_micros(kill * 79_199 % 250_000));
        child.kill().unwrap();
        child.wait().unwrap();

        let is_encrypted = protection(&home.path()).is_encrypted;
        *(if is_encrypted { &mut encrypted } else { &mut plain }) += 1;
        let memory = home.open();
        assert_eq!(memory.archive().await.unwrap(), expected, "after {kill} kills");
        memory.store().close();
        let unfinished = |(path, _): &(PathBuf, Vec<u8>)| path.to_string_lossy().contains("migrating");
        assert!(!home.files().iter().any(unfinished), "opening removes unfinished files");
        for backup in memory::backups(&home.path()) {
            let place = DatabaseLocation { path: backup.path, keys: Arc::new(home.key_store()) };
            assert_eq!(check(place).unwrap(), 2);
        }
        let is_any = |path: &Path| protection(path).is_encrypted;
        let is_needed = is_encrypted || memory::backups(&home.path()).iter().any(|copy| is_any(&copy.path));
        assert_eq!(home.keys().len(), usize::from(is_needed), "opening deletes unneeded keys");
        if is_encrypted {
            assert!(home.files_with("giraffe").is_empty(), "{:?}", home.files_with("giraffe"));
        }
    }
    assert!(encrypted > 0 && plain > 0, "the kills met both states: {encrypted} and {plain}");
}
