//! The memory of this user, for verbs that work on it whether or not a Jarvis runs: SQLite lets processes share it, and a
//! running one looks every second whether it was changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use llm::{ChatModel, Embedder, Failover};
use memory::{Backup, Health, Memory, MemoryError, Opened, StorageError};
use net::Http;
use settings::{Folders, Keychain, SecretStore, SettingsFile};
use vocabulary::{Stage, Trouble};

use crate::active_embedder::EmbedderChoice;
use crate::doctor::{Finding, Verdict, database};
use crate::encryption::{self, place};
use crate::instance::{Instance, InstanceError};
use crate::language_model::LanguageModelChoice;
use crate::provider_key;
use crate::start_error::StartError;

/// A memory, and what had to be done to open it.
pub struct OpenedMemory {
    /// All that is remembered. Close its store at the end, so that one plain file is left behind.
    pub memory: Memory,
    /// The file was damaged: where it was put, and what is in its place.
    pub trouble: Option<Trouble>,
}

/// Opens the memory of this user, and makes it if there is none. A damaged file is set aside for the last backup, unless
/// a Jarvis is using it. Blocking.
///
/// # Errors
///
/// [`MemoryError`] when the file is in use, cannot be written, is newer than this program, is encrypted and its key is not
/// among the `secrets`, or is damaged while a Jarvis uses it.
pub fn memory_of_this_user(
    folders: &Folders,
    secrets: &Arc<dyn SecretStore>,
) -> Result<OpenedMemory, MemoryError> {
    let place = place(folders, secrets);
    match Memory::open_existing(place.clone()) {
        Err(MemoryError::Storage(StorageError::Damaged { path })) => {
            let Ok(_instance) = Instance::claim(&folders.data) else {
                return Err(StorageError::Damaged { path }.into());
            };
            let Opened { memory, trouble } = Memory::open(place)?;
            Ok(OpenedMemory { memory, trouble })
        }
        opened => Ok(OpenedMemory { memory: opened?, trouble: None }),
    }
}

/// The language model that answers this user, and how many tokens of context it is asked with. Nobody is asked yet.
///
/// # Errors
///
/// [`StartError`]: settings that cannot be read, no network client, no home.
pub async fn language_model_of_this_user(folders: &Folders) -> Result<(Arc<dyn ChatModel>, u32), StartError> {
    let settings = SettingsFile::peek(&folders.config.join("settings.json"))?;
    let store = models::Store::of_this_user(&settings.models)?;
    let secrets: Arc<dyn SecretStore> = Arc::new(Keychain);
    let key = provider_key::api_key(&secrets, &settings).await;
    let model = Failover::new(LanguageModelChoice::of(&settings, &store, key).finder(&Http::new()?));
    Ok((Arc::new(model), u32::try_from(settings.llm.context_tokens).unwrap_or(u32::MAX)))
}

/// The embedder that the settings of this user name; `None` when they name none, or cannot be read. No model is loaded
/// before it is asked.
pub async fn embedder_of_this_user(folders: &Folders) -> Option<Arc<dyn Embedder>> {
    let settings = SettingsFile::peek(&folders.config.join("settings.json")).ok()?;
    let store = models::Store::of_this_user(&settings.models).ok()?;
    let secrets: Arc<dyn SecretStore> = Arc::new(Keychain);
    let key = provider_key::api_key(&secrets, &settings).await;
    EmbedderChoice::of(&settings, key).embedder(&store, &Http::new().ok()?)
}

/// The backups of the memory of this user, newest first.
pub fn backups_of_this_user(folders: &Folders) -> Vec<Backup> {
    memory::backups(&database(folders))
}

/// Why a backup was not put in the place of the memory.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// A running Jarvis uses the memory.
    #[error("the memory cannot be replaced while it is in use: quit Jarvis first")]
    InUse,
    /// The data folder cannot be had.
    #[error(transparent)]
    Folder(InstanceError),
    /// The backup cannot be put there.
    #[error(transparent)]
    Memory(#[from] StorageError),
}

/// Puts a backup in the place of the memory of this user, which is set aside, never deleted. Says where it is kept. What
/// is encrypted stays so, whatever the backup is. Blocking.
///
/// # Errors
///
/// [`RestoreError`]; then nothing was changed.
pub fn restore_memory(
    folders: &Folders,
    secrets: &Arc<dyn SecretStore>,
    backup: &Backup,
) -> Result<Option<PathBuf>, RestoreError> {
    let _instance = Instance::claim(&folders.data).map_err(|error| match error {
        InstanceError::AlreadyRunning => RestoreError::InUse,
        error => RestoreError::Folder(error),
    })?;
    Ok(memory::restore(place(folders, secrets), &backup.path)?)
}

/// Is what is not in order to be mended?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Yes.
    Wanted,
    /// No: only looked at.
    Unwanted,
}

/// Examines the memory of this user, and mends it where that is wanted.
pub async fn examine_memory(
    folders: &Folders,
    secrets: &Arc<dyn SecretStore>,
    repair: Repair,
    now_micros: i64,
) -> Vec<Finding> {
    match try_to_examine(folders, secrets, repair, now_micros).await {
        Ok(findings) => findings,
        Err(error) => vec![Finding::ill(error.trouble())],
    }
}

async fn try_to_examine(
    folders: &Folders,
    secrets: &Arc<dyn SecretStore>,
    repair: Repair,
    now_micros: i64,
) -> Result<Vec<Finding>, MemoryError> {
    let path = database(folders);
    if !path.exists() && memory::backups(&path).is_empty() {
        return Ok(vec![Finding::well(Stage::Memory, "Nothing is remembered yet.")]);
    }
    if repair == Repair::Unwanted {
        // Opening a damaged file would mend it.
        if let Err(error) = memory::check(place(folders, secrets)) {
            return Ok(vec![damaged_or(error.into())]);
        }
    }
    let OpenedMemory { memory, trouble } = memory_of_this_user(folders, secrets)?;
    let mut findings: Vec<Finding> =
        trouble.into_iter().map(|trouble| Finding::of(trouble, Verdict::Lacking)).collect();
    let health = match repair {
        Repair::Wanted => {
            let before = memory.repair(now_micros).await?;
            findings.extend(mended(&before));
            memory.examine(now_micros).await?
        }
        Repair::Unwanted => memory.examine(now_micros).await?,
    };
    findings.extend(findings_of(&health));
    findings.push(encryption::finding(folders));
    findings.push(of_backups(&path));
    memory.store().close();
    Ok(findings)
}

fn damaged_or(error: MemoryError) -> Finding {
    let mut trouble = error.trouble();
    if matches!(error, MemoryError::Storage(StorageError::Damaged { .. })) {
        trouble.remedy =
            "Quit Jarvis and run `jarvis doctor memory --repair`: it sets the file aside and goes on from the last backup."
                .to_owned();
    }
    Finding::ill(trouble)
}

const MEND: &str = "`jarvis doctor memory --repair` mends it.";

/// What an examination found, in sentences.
pub fn findings_of(health: &Health) -> Vec<Finding> {
    let holds = [
        counted(health.messages, "message", "messages"),
        counted(health.entries, "diary entry", "diary entries"),
        counted(health.facts, "fact", "facts"),
    ];
    let nodes = counted(health.nodes, "node", "nodes");
    let mut findings =
        vec![Finding::well(Stage::Memory, format!("{} in {nodes} are remembered.", holds.join(", ")))];
    let mut add = |count: i64, verdict, one: &str, many: &str, remedy: &str| {
        if count > 0 {
            let trouble = Trouble::new(Stage::Memory, format!("{}.", counted(count, one, many)), remedy);
            findings.push(Finding::of(trouble, verdict));
        }
    };
    add(
        health.without_words,
        Verdict::Ill,
        "thing cannot be found by its words",
        "things cannot be found by their words",
        MEND,
    );
    add(
        health.orphans,
        Verdict::Ill,
        "search entry belongs to nothing",
        "search entries belong to nothing",
        MEND,
    );
    add(health.unreachable, Verdict::Ill, "node is in no branch", "nodes are in no branch", MEND);
    add(
        health.duplicates,
        Verdict::Lacking,
        "fact says what an older one says",
        "facts say what older ones say",
        MEND,
    );
    add(
        health.junk,
        Verdict::Lacking,
        "node has been empty for a month",
        "nodes have been empty for a month",
        MEND,
    );
    add(
        health.without_vector,
        Verdict::Lacking,
        "thing is found by its words only, not by what it means",
        "things are found by their words only, not by what they mean",
        "Jarvis mends it while it runs, once an embedding model is installed: `jarvis models list` names it.",
    );
    if health.unwritten > 0 {
        let waiting = counted(health.unwritten, "message waits", "messages wait");
        findings.push(Finding::well(Stage::Memory, format!("{waiting} for the diary.")));
    }
    if !health.damage.is_empty() {
        findings.push(Finding::ill(Trouble::new(
            Stage::Memory,
            format!("The memory file is damaged: {}.", health.damage.replace('\n', "; ")),
            "Quit Jarvis and put the last backup in its place with `jarvis memory restore`.",
        )));
    }
    findings
}

/// What a repair mended, if there was anything.
fn mended(before: &Health) -> Option<Finding> {
    before.needs_repair().then(|| {
        let counts = [
            (before.without_words, "thing can be found by its words", "things can be found by their words"),
            (before.orphans, "useless search entry is gone", "useless search entries are gone"),
            (before.unreachable, "node is back in a branch", "nodes are back in a branch"),
            (before.duplicates, "fact was joined with an older one", "facts were joined with older ones"),
            (before.junk, "empty node is gone", "empty nodes are gone"),
        ];
        let parts = counts.iter().filter(|(count, ..)| *count > 0);
        let parts = parts.map(|(count, one, many)| counted(*count, one, many));
        Finding::well(Stage::Memory, format!("Mended: {}.", parts.collect::<Vec<_>>().join("; ")))
    })
}

fn counted(count: i64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn of_backups(path: &Path) -> Finding {
    let backups = memory::backups(path);
    match backups.first() {
        Some(newest) => {
            let made_at = newest.made_at.strftime("%Y-%m-%d %H:%M UTC");
            let all = counted(backups.len() as i64, "backup", "backups");
            Finding::well(Stage::Memory, format!("{all}, the newest of {made_at}."))
        }
        None => Finding::of(
            Trouble::new(Stage::Memory, "There is no backup.", "Make one with `jarvis memory backup`."),
            Verdict::Lacking,
        ),
    }
}

#[cfg(test)]
mod tests {
    use memory::{Branch, Evidence, NewFact};
    use testkit::SecretsInMemory;

    use super::*;

    const NOW: i64 = 1_763_812_800_000_000;

    fn folders() -> (tempfile::TempDir, Folders) {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::under(home.path());
        (home, folders)
    }

    /// A keychain with nothing in it.
    fn none() -> Arc<dyn SecretStore> {
        Arc::new(SecretsInMemory::default())
    }

    fn spoil(folders: &Folders) {
        std::fs::create_dir_all(&folders.data).unwrap();
        std::fs::write(database(folders), "no database, but long enough to be looked at".repeat(100))
            .unwrap();
    }

    #[test]
    fn a_damaged_memory_is_mended_unless_a_jarvis_uses_it() {
        let (_home, folders) = folders();
        spoil(&folders);
        let running = Instance::claim(&folders.data).unwrap();

        let beside = memory_of_this_user(&folders, &none()).err();
        drop(running);
        let alone = memory_of_this_user(&folders, &none()).unwrap();

        assert!(matches!(beside, Some(MemoryError::Storage(StorageError::Damaged { .. }))));
        assert!(alone.trouble.unwrap().message.contains("damaged"));
    }

    #[tokio::test]
    async fn a_memory_that_is_lost_is_not_taken_for_one_that_never_was() {
        let (_home, folders) = folders();
        let memory = memory_of_this_user(&folders, &none()).unwrap().memory;
        memory.back_up(NOW).await.unwrap();
        memory.store().close();
        std::fs::remove_file(database(&folders)).unwrap();

        let looked_at = examine_memory(&folders, &none(), Repair::Unwanted, NOW).await;
        let was_left = !database(&folders).exists();
        let repaired = examine_memory(&folders, &none(), Repair::Wanted, NOW).await;

        assert!(was_left && looked_at[0].remedy.contains("--repair"), "{looked_at:?}");
        assert!(repaired[0].message.contains("gone or empty"), "{repaired:?}");
    }

    #[tokio::test]
    async fn a_look_at_a_damaged_memory_changes_nothing() {
        let (_home, folders) = folders();
        spoil(&folders);
        let before = std::fs::read(database(&folders)).unwrap();

        let findings = examine_memory(&folders, &none(), Repair::Unwanted, NOW).await;

        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].verdict == Verdict::Ill && findings[0].remedy.contains("--repair"),
            "{findings:?}"
        );
        assert_eq!(std::fs::read(database(&folders)).unwrap(), before);
    }

    #[tokio::test]
    async fn a_repair_says_what_it_mended() {
        let (_home, folders) = folders();
        let opened = memory_of_this_user(&folders, &none()).unwrap().memory;
        for (branch, text) in [(Branch::User, "Likes tea."), (Branch::World, "Likes tea")] {
            let fact = NewFact { text: text.into(), evidence: Evidence::default() };
            opened.learn(branch.node(), fact, NOW).await.unwrap();
        }
        opened.store().close();

        let findings = examine_memory(&folders, &none(), Repair::Wanted, NOW).await;

        assert!(findings[0].message.contains("1 fact was joined"), "{findings:?}");
        assert!(findings.iter().all(|finding| finding.verdict != Verdict::Ill), "{findings:?}");
    }

    #[tokio::test]
    async fn nothing_is_replaced_while_a_jarvis_runs() {
        let (_home, folders) = folders();
        let opened = memory_of_this_user(&folders, &none()).unwrap().memory;
        opened.back_up(NOW).await.unwrap();
        let backup = opened.backups().remove(0);
        opened.store().close();
        let running = Instance::claim(&folders.data).unwrap();

        let refused = restore_memory(&folders, &none(), &backup);
        drop(running);

        assert!(matches!(refused, Err(RestoreError::InUse)));
        assert!(restore_memory(&folders, &none(), &backup).unwrap().is_some());
    }
}
