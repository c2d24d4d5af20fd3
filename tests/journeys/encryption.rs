//! A memory encrypted on the disk, with its key in a real keychain.

use std::process::Command;

use testkit::{OllamaServer, ScriptedAnswer, SecretService};

use super::support::{Home, Running, wait_until};

/// A command of this Jarvis, with this keychain.
fn command(home: &Home, address: &str, arguments: &[&str]) -> Command {
    let mut command = home.command(arguments);
    command.env("DBUS_SESSION_BUS_ADDRESS", address);
    command
}

/// Runs a command; returns `true` if it succeeded, and its output on both streams.
fn run(home: &Home, address: &str, arguments: &[&str]) -> (bool, String) {
    let output = command(home, address, arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let mut text = String::from_utf8_lossy(&text).into_owned();
    // A crash at the exit says nothing.
    if output.status.code().is_none() {
        text.push_str(&format!("ended by {}\n", output.status));
    }
    (output.status.success(), text)
}

fn succeeded(home: &Home, address: &str, arguments: &[&str]) -> String {
    let (went_well, text) = run(home, address, arguments);
    assert!(went_well, "{arguments:?} failed:\n{text}");
    text
}

/// The files of this home in which a word can be read.
fn files_with(home: &Home, word: &str) -> Vec<std::path::PathBuf> {
    let mut folders = vec![home.path().to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
            let has = |bytes: &[u8]| bytes.windows(word.len()).any(|part| part == word.as_bytes());
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            match std::fs::read(&path) {
                Ok(bytes) if has(&bytes) => found.push(path),
                Ok(_) => {}
                // A running Jarvis may remove logs and unfinished files; the socket is not a file.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(_) if !path.is_file() => {}
                Err(error) => panic!("{} cannot be read: {error}", path.display()),
            }
        }
    }
    found
}

#[test]
fn encrypted_words_cannot_be_read_from_any_file() {
    let keychain = SecretService::start().unwrap();
    let at = keychain.address();
    let server = OllamaServer::start([(); 9].map(|()| ScriptedAnswer::says("Noted.")));
    let home = Home::without_listening(&server);
    succeeded(&home, at, &["memory", "add", "The safe opens with zanzibar."]);
    succeeded(&home, at, &["memory", "backup"]);
    assert!(!files_with(&home, "zanzibar").is_empty());

    let encrypted = succeeded(&home, at, &["memory", "encrypt"]);
    let mut jarvis = Running::start(command(&home, at, &["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("my giraffe is called Quagga");
    jarvis.wait_for("Noted.");
    wait_until("the words are on disk", || {
        succeeded(&home, at, &["memory", "search", "Quagga"]).contains("message-")
    });
    let readable = [files_with(&home, "zanzibar"), files_with(&home, "Quagga")];
    let (_, in_use) = run(&home, at, &["memory", "decrypt", "--yes"]);
    assert!(jarvis.ends_successfully());
    succeeded(&home, at, &["memory", "backup"]);

    assert!(encrypted.contains("is encrypted") && encrypted.contains("`memory.key."), "{encrypted}");
    assert!(readable.iter().all(Vec::is_empty), "{readable:?}");
    assert!(in_use.contains("quit Jarvis first"), "{in_use}");
    assert!(files_with(&home, "zanzibar").is_empty() && files_with(&home, "Quagga").is_empty());
    assert!(
        succeeded(&home, at, &["memory", "search", "zanzibar"]).contains("The safe opens with zanzibar.")
    );
    assert!(succeeded(&home, at, &["doctor", "memory"]).contains("The memory file is encrypted"));
    assert!(succeeded(&home, at, &["memory", "decrypt", "--yes"]).contains("is decrypted"));
    assert!(succeeded(&home, at, &["memory", "search", "Quagga"]).contains("giraffe"));
    assert!(succeeded(&home, at, &["doctor", "memory"]).contains("is not encrypted"));
}

#[test]
fn encrypted_memory_without_its_key_stays_untouched() {
    let keychain = SecretService::start().unwrap();
    let server = OllamaServer::start([(); 3].map(|()| ScriptedAnswer::says("Hello.")));
    let home = Home::without_listening(&server);
    succeeded(&home, keychain.address(), &["memory", "add", "The safe opens with zanzibar."]);
    succeeded(&home, keychain.address(), &["memory", "encrypt"]);
    let before = std::fs::read(home.path().join("data/jarvis.db")).unwrap();
    // Another keychain, which is empty.
    let empty = SecretService::start().unwrap();

    let (went_well, refused) = run(&home, empty.address(), &["memory", "show"]);
    let (is_well, looked) = run(&home, empty.address(), &["doctor", "memory", "--repair"]);
    let mut jarvis = Running::start(command(&home, empty.address(), &["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("hello");
    jarvis.wait_for("Hello.");
    assert!(jarvis.ends_successfully());

    assert!(
        !went_well && refused.contains("encrypted") && refused.contains("Unlock the keychain"),
        "{refused}"
    );
    assert!(!is_well && looked.contains("Unlock the keychain"), "{looked}");
    assert_eq!(std::fs::read(home.path().join("data/jarvis.db")).unwrap(), before);
    assert!(
        succeeded(&home, keychain.address(), &["memory", "search", "zanzibar"]).contains("The safe opens")
    );
}
