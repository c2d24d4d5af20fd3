//! The settings file: bad values are skipped, only differences from the defaults are written, changes apply at once.

use std::io::Write;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::keys::{BadValue, KEYS, Key};
use crate::{Settings, SettingsError};

/// The settings of this user. [Subscribers](SettingsFile::subscribe) receive changes at once.
///
/// The user may change the file with an editor: [`SettingsFile::reread`] reads that, and every change made here does so
/// first.
pub struct SettingsFile {
    path: PathBuf,
    written: Mutex<StoredFile>,
    current: watch::Sender<Settings>,
    bad_values: watch::Sender<Vec<BadValue>>,
}

/// The file as it was last read or written.
struct StoredFile {
    /// The keys that the user wrote, unknown ones included.
    keys: Map<String, Value>,
    text: String,
}

/// A settings file, and what of it is not used.
pub struct LoadedSettings {
    /// The settings.
    pub file: SettingsFile,
    /// Values that are not used; their defaults hold until they are corrected. The file keeps them as they are.
    pub bad_values: Vec<BadValue>,
    /// The file was not JSON: it was moved here, and the defaults hold.
    pub quarantined: Option<PathBuf>,
}

impl SettingsFile {
    /// Reads the file at `path`; a missing one means the defaults.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] when the file exists and cannot be read, or is not JSON and cannot be moved.
    pub fn load(path: &Path) -> Result<LoadedSettings, SettingsError> {
        let text = text_of(path)?;
        let (keys, quarantined) = match parse(&text) {
            Some(keys) => (keys, None),
            None => (Map::new(), Some(quarantine(path)?)),
        };
        let (settings, bad_values) = effective(&keys);
        let file = Self {
            path: path.to_path_buf(),
            written: Mutex::new(StoredFile { keys, text }),
            current: watch::Sender::new(settings),
            bad_values: watch::Sender::new(bad_values.clone()),
        };
        Ok(LoadedSettings { file, bad_values, quarantined })
    }

    /// Reads what an editor wrote into the file meanwhile. While the file is not JSON, empty or missing, as during an
    /// edit, nothing changes.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Unreadable`].
    pub fn reread(&self) -> Result<(), SettingsError> {
        let mut written = self.written.lock();
        self.take_in(&mut written)
    }

    fn take_in(&self, written: &mut StoredFile) -> Result<(), SettingsError> {
        let text = text_of(&self.path)?;
        if text != written.text
            && !text.trim().is_empty()
            && let Some(keys) = parse(&text)
        {
            *written = StoredFile { keys, text };
            self.publish(written);
        }
        Ok(())
    }

    /// Sends the settings to subscribers. The caller holds the lock of the file, so the order is that of the writes.
    fn publish(&self, written: &StoredFile) {
        let (settings, bad_values) = effective(&written.keys);
        replace(&self.bad_values, bad_values);
        replace(&self.current, settings);
    }

    /// The settings at `path`, with the defaults for bad values. Changes nothing; for code that runs before the start.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Unreadable`].
    pub fn peek(path: &Path) -> Result<Settings, SettingsError> {
        Ok(effective(&parse(&text_of(path)?).unwrap_or_default()).0)
    }

    /// The settings now.
    pub fn current(&self) -> Settings {
        self.current.borrow().clone()
    }

    /// The settings now and after every change.
    pub fn subscribe(&self) -> watch::Receiver<Settings> {
        self.current.subscribe()
    }

    /// The values that are not used, now and after every change.
    pub fn bad_values(&self) -> watch::Receiver<Vec<BadValue>> {
        self.bad_values.subscribe()
    }

    /// The place where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets one key, saves the file and notifies subscribers. A default value is removed from the file.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] when there is no such key, the value does not fit, or the file cannot be written; then
    /// nothing changes.
    pub fn set(&self, path: &str, value: Value) -> Result<(), SettingsError> {
        self.set_all([(path, value)])
    }

    /// Sets several keys as one change.
    ///
    /// # Errors
    ///
    /// As [`SettingsFile::set`]; then nothing changes.
    pub fn set_all<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v str, Value)>,
    ) -> Result<(), SettingsError> {
        let mut written = self.written.lock();
        self.take_in(&mut written)?;
        self.store(&mut written, values)
    }

    /// Sets one key to what follows from the settings as they are. Of changes at the same time none is lost.
    ///
    /// # Errors
    ///
    /// As [`SettingsFile::set`], or what `new` says; then nothing changes.
    pub fn change<E: From<SettingsError>>(
        &self,
        path: &str,
        new: impl FnOnce(&Settings) -> Result<Value, E>,
    ) -> Result<(), E> {
        let mut written = self.written.lock();
        self.take_in(&mut written)?;
        let value = new(&self.current.borrow())?;
        Ok(self.store(&mut written, [(path, value)])?)
    }

    /// Writes changed keys, and tells subscribers. The caller holds the lock of the file.
    fn store<'v>(
        &self,
        written: &mut StoredFile,
        values: impl IntoIterator<Item = (&'v str, Value)>,
    ) -> Result<(), SettingsError> {
        let mut changed = written.keys.clone();
        for (path, value) in values {
            let key =
                Key::from_path(path).ok_or_else(|| SettingsError::UnknownKey { path: path.to_owned() })?;
            key.check(&value).map_err(SettingsError::BadValue)?;
            write_key(&mut changed, key, value);
        }
        if parse(&text_of(&self.path)?).is_none() {
            tracing::warn!("the settings file is not JSON; a copy of it is kept");
            std::fs::copy(&self.path, quarantine_path(&self.path))
                .map_err(|source| SettingsError::Unwritable { path: self.path.clone(), source })?;
        }
        let text = save(&self.path, &changed)?;
        *written = StoredFile { keys: changed, text };
        self.publish(written);
        Ok(())
    }
}

fn replace<T: PartialEq>(sender: &watch::Sender<T>, now: T) {
    sender.send_if_modified(|known| {
        let is_new = *known != now;
        *known = now;
        is_new
    });
}

/// The text of the file; empty if there is none.
fn text_of(path: &Path) -> Result<String, SettingsError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Ok("not text".to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(SettingsError::Unreadable { path: path.to_path_buf(), source }),
    }
}

/// Quarantines a file that is not JSON.
fn quarantine(path: &Path) -> Result<PathBuf, SettingsError> {
    let target = quarantine_path(path);
    std::fs::rename(path, &target)
        .map_err(|source| SettingsError::Unreadable { path: path.to_path_buf(), source })?;
    Ok(target)
}

fn quarantine_path(path: &Path) -> PathBuf {
    path.with_extension("json.broken")
}

/// The keys of a text; `None` when it is not JSON.
fn parse(text: &str) -> Option<Map<String, Value>> {
    // Editors on Windows write a byte order mark before the text.
    match text.trim().trim_start_matches('\u{feff}') {
        "" => Some(Map::new()),
        text => serde_json::from_str(text).ok(),
    }
}

/// The defaults, overridden by every valid value in the file.
fn effective(written: &Map<String, Value>) -> (Settings, Vec<BadValue>) {
    let mut overlay = Map::new();
    let mut bad_values = Vec::new();
    for key in KEYS {
        let (section, name) = key.parts();
        let Some(value) = written.get(section).and_then(|section| section.get(name)) else { continue };
        match key.check(value) {
            Ok(()) => {
                let section = overlay.entry(section).or_insert_with(|| Value::Object(Map::new()));
                section[name] = key.normalised(value);
            }
            Err(bad) => bad_values.push(bad),
        }
    }
    let settings =
        serde_json::from_value(Value::Object(overlay)).expect("every value was checked against its key");
    (settings, bad_values)
}

fn write_key(written: &mut Map<String, Value>, key: &Key, value: Value) {
    let (section, name) = key.parts();
    let defaults = serde_json::to_value(Settings::default()).expect("settings are plain data");
    let is_default = defaults[section][name] == value;
    let entry = written.entry(section).or_insert_with(|| Value::Object(Map::new()));
    if !entry.is_object() {
        *entry = Value::Object(Map::new());
    }
    let Some(keys) = entry.as_object_mut() else { return };
    if is_default {
        keys.remove(name);
    } else {
        keys.insert(name.to_owned(), value);
    }
    if keys.is_empty() {
        written.remove(section);
    }
}

/// Writes a new file and renames it, so that a crash leaves the old file or the new one. Returns what was written.
fn save(path: &Path, written: &Map<String, Value>) -> Result<String, SettingsError> {
    let failed = |source| SettingsError::Unwritable { path: path.to_path_buf(), source };
    let staged = path.with_extension("json.new");
    let text = serde_json::to_string_pretty(written).expect("settings are plain data") + "\n";
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = std::fs::File::create(&staged).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    std::fs::rename(&staged, path).map_err(failed)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn load(text: &str) -> (tempfile::TempDir, LoadedSettings) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::fs::write(&path, text).unwrap();
        let loaded = SettingsFile::load(&path).unwrap();
        (folder, loaded)
    }

    #[test]
    fn bad_value_leaves_the_other_settings_valid() {
        let (_folder, loaded) =
            load(r#"{"listening": {"hot_window_secs": 90, "wake_word": "friday"}, "future": 1}"#);

        let settings = loaded.file.current();

        assert_eq!(settings.listening.wake_word, "friday");
        assert_eq!(settings.listening.hot_window_secs, 3.0);
        assert_eq!(loaded.bad_values[0].path, "listening.hot_window_secs");
    }

    #[test]
    fn blanks_around_profiles_do_not_matter() {
        let (_folder, loaded) = load(r#"{"replying": {"profiles": [" life "]}}"#);

        assert_eq!(loaded.file.current().replying.profiles, [crate::choices::Profile::Life]);
    }

    #[test]
    fn change_keeps_unknown_keys_and_drops_defaults() {
        let (_folder, loaded) =
            load(r#"{"speaking": {"speed": "fast", "voice": "x"}, "future": {"a": [1]}}"#);

        loaded.file.set("speaking.voice", json!("auto")).unwrap();
        loaded.file.set("audio.volume", json!(0.5)).unwrap();

        let written: Value =
            serde_json::from_str(&std::fs::read_to_string(loaded.file.path()).unwrap()).unwrap();
        let expected = json!({"speaking": {"speed": "fast"}, "future": {"a": [1]}, "audio": {"volume": 0.5}});
        assert_eq!(written, expected);
    }

    #[test]
    fn of_changes_at_the_same_time_none_is_lost() {
        let (_folder, loaded) = load(r#"{"programs": {"port": 1000}}"#);
        let count = || {
            for _ in 0..50 {
                let next = |settings: &Settings| Ok::<_, SettingsError>(json!(settings.programs.port + 1));
                loaded.file.change("programs.port", next).unwrap();
            }
        };

        std::thread::scope(|threads| {
            threads.spawn(count);
            threads.spawn(count);
        });

        assert_eq!(loaded.file.current().programs.port, 1100);
    }

    #[test]
    fn valid_change_notifies_and_refused_change_does_nothing() {
        let (_folder, loaded) = load("");
        let mut changes = loaded.file.subscribe();

        loaded.file.set("audio.volume", json!(0.5)).unwrap();
        let refused = loaded.file.set("audio.volume", json!("loud")).unwrap_err();

        assert!(changes.has_changed().unwrap());
        assert_eq!(changes.borrow_and_update().audio.volume, 0.5);
        assert_eq!(refused.to_string(), "audio.volume is \"loud\": use a number from 0 to 1");
        assert!(matches!(loaded.file.set("no.such", json!(1)), Err(SettingsError::UnknownKey { .. })));
    }

    #[test]
    fn external_changes_are_kept_and_notified() {
        let (_folder, loaded) = load(r#"{"speaking": {"voice": "x"}}"#);
        let others = SettingsFile::load(loaded.file.path()).unwrap().file;
        let mut changes = loaded.file.subscribe();

        others.set("listening.wake_word", json!("friday")).unwrap();
        assert!(loaded.file.set("audio.volume", json!("loud")).is_err());
        assert_eq!(
            changes.borrow_and_update().listening.wake_word,
            "friday",
            "heard beside a change that is refused"
        );
        loaded.file.set("audio.volume", json!(0.5)).unwrap();

        let now = changes.borrow_and_update().clone();
        assert_eq!((now.listening.wake_word.as_str(), now.audio.volume), ("friday", 0.5));
        others.reread().unwrap();
        assert_eq!(others.current(), now);
    }

    #[test]
    fn half_edited_file_changes_nothing() {
        let (_folder, loaded) = load(r#"{"speaking": {"voice": "x"}}"#);

        std::fs::write(loaded.file.path(), r#"{"speaking": {"voi"#).unwrap();
        loaded.file.reread().unwrap();
        assert_eq!(loaded.file.current().speaking.voice, "x");
        assert!(loaded.file.set("audio.volume", json!("loud")).is_err());
        assert!(loaded.file.path().exists(), "a refused change leaves the file where it is");

        // Until a setting is changed here: then the edited text is kept in another file.
        loaded.file.set("audio.volume", json!(0.5)).unwrap();
        assert_eq!(loaded.file.current().speaking.voice, "x");
        let quarantine_path = loaded.file.path().with_extension("json.broken");
        assert_eq!(std::fs::read_to_string(quarantine_path).unwrap(), r#"{"speaking": {"voi"#);
    }

    #[test]
    fn briefly_missing_file_does_not_reset_the_settings() {
        let (_folder, loaded) = load(r#"{"speaking": {"voice": "x"}}"#);

        std::fs::remove_file(loaded.file.path()).unwrap();
        loaded.file.reread().unwrap();
        assert_eq!(loaded.file.current().speaking.voice, "x");
        std::fs::write(loaded.file.path(), "").unwrap();
        loaded.file.set("audio.volume", json!(0.5)).unwrap();

        let settings = loaded.file.current();
        assert_eq!((settings.speaking.voice.as_str(), settings.audio.volume), ("x", 0.5));
    }

    #[test]
    fn bad_values_are_reported_until_corrected() {
        let (_folder, loaded) =
            load(r#"{"listening": {"hot_window_secs": 90}, "audio": {"volume": "loud"}}"#);
        let mut bad = loaded.file.bad_values();
        let paths = |bad: &[BadValue]| bad.iter().map(|bad| bad.path.clone()).collect::<Vec<_>>();

        loaded.file.set("speaking.voice", json!("x")).unwrap();
        assert!(!bad.has_changed().unwrap());
        // The default is what holds already.
        loaded.file.set("listening.hot_window_secs", json!(3.0)).unwrap();
        assert_eq!(paths(&bad.borrow_and_update()), ["audio.volume"]);

        std::fs::write(loaded.file.path(), "{}").unwrap();
        loaded.file.reread().unwrap();
        assert_eq!(*bad.borrow_and_update(), []);
    }

    #[test]
    fn broken_file_is_moved_and_the_defaults_hold() {
        let (_folder, loaded) = load("{nonsense");

        assert_eq!(loaded.file.current(), Settings::default());
        assert_eq!(std::fs::read_to_string(loaded.quarantined.unwrap()).unwrap(), "{nonsense");
    }
}
