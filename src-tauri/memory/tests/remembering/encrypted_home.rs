//! A memory with a keychain of its own.

use std::path::PathBuf;
use std::sync::Arc;

use memory::{
    Branch, DatabaseLocation, Fingerprint, Key, KeyProblem, KeyStore, Memory, Participant, Recall, encrypt,
};
use secrecy::ExposeSecret;

use crate::support::{NOW, fact, message};

/// A keychain in a folder, which survives when the process is killed.
pub struct KeysInFolder(pub PathBuf);

impl KeysInFolder {
    fn file(&self, fingerprint: Fingerprint) -> PathBuf {
        self.0.join(format!("key.{fingerprint}"))
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(&self.0).unwrap().map(|file| file.unwrap().path());
        files.filter(|file| file.to_string_lossy().contains("key.")).collect()
    }
}

impl KeyStore for KeysInFolder {
    fn get(&self, fingerprint: Fingerprint) -> Result<Option<Key>, KeyProblem> {
        let digits = std::fs::read_to_string(self.file(fingerprint)).ok();
        Ok(digits.map(|digits| Key::from_hex(&digits).unwrap()))
    }

    fn set(&self, key: &Key) -> Result<(), KeyProblem> {
        let growing = self.0.join("part");
        std::fs::write(&growing, key.to_hex().expose_secret())?;
        Ok(std::fs::rename(growing, self.file(key.fingerprint()))?)
    }

    fn delete(&self, fingerprint: Fingerprint) -> Result<(), KeyProblem> {
        match std::fs::remove_file(self.file(fingerprint)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// A folder with a memory, and a keychain elsewhere.
pub struct EncryptedHome {
    pub data: tempfile::TempDir,
    pub keychain: tempfile::TempDir,
}

impl EncryptedHome {
    pub fn new() -> Self {
        Self { data: tempfile::tempdir().unwrap(), keychain: tempfile::tempdir().unwrap() }
    }

    /// A memory with records of every kind, and a backup.
    pub async fn with_records() -> Self {
        let home = Self::new();
        let memory = home.open();
        let said = |at, text: &str| message("main", NOW + at, Participant::User, text);
        memory
            .add_messages(vec![said(0, "my giraffe is called Zanzibar"), said(1, "never mind")])
            .await
            .unwrap();
        memory.learn(Branch::User.node(), fact("Owns a giraffe."), NOW).await.unwrap();
        memory.create_node(Branch::User.node(), "Giraffes", "and their names", NOW).await.unwrap();
        memory.add_todo("shopping", "giraffe food", NOW).await.unwrap();
        memory.back_up(NOW).await.unwrap();
        memory.store().close();
        home
    }

    pub async fn encrypted() -> Self {
        let home = Self::with_records().await;
        encrypt(&home.place()).unwrap();
        home
    }

    pub fn path(&self) -> PathBuf {
        self.data.path().join("jarvis.db")
    }

    /// The key files in the keychain.
    pub fn keys(&self) -> Vec<PathBuf> {
        self.key_store().files()
    }

    pub fn key_store(&self) -> KeysInFolder {
        KeysInFolder(self.keychain.path().to_path_buf())
    }

    pub fn place(&self) -> DatabaseLocation {
        self.place_with(self.key_store())
    }

    pub fn place_with(&self, keys: impl KeyStore + 'static) -> DatabaseLocation {
        DatabaseLocation { path: self.path(), keys: Arc::new(keys) }
    }

    pub fn open(&self) -> Memory {
        let opened = Memory::open(self.place()).unwrap();
        assert!(opened.trouble.is_none(), "{:?}", opened.trouble);
        opened.memory
    }

    /// Every file with its bytes, sorted by name.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folders = [self.data.path().to_path_buf(), self.data.path().join("backups")];
        let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
        let files = files.map(|file| file.unwrap().path()).filter(|path| path.is_file());
        let mut files: Vec<_> = files.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
        files.sort();
        files
    }

    /// The files that contain a word in readable form.
    pub fn files_with(&self, word: &str) -> Vec<PathBuf> {
        let has =
            |bytes: &[u8]| bytes.to_ascii_lowercase().windows(word.len()).any(|part| part == word.as_bytes());
        self.files().into_iter().filter(|(_, bytes)| has(bytes)).map(|(path, _)| path).collect()
    }

    pub async fn finds(&self, word: &str) -> bool {
        let memory = self.open();
        let recall = Recall { words: word.into(), limit: 9, ..Recall::default() };
        let found = memory.recall(recall).await.unwrap();
        memory.store().close();
        !found.is_empty()
    }
}
