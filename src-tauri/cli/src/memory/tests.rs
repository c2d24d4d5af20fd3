//! The verbs on a memory in a folder of its own: this process owns the data, unless a test starts a Jarvis.

use std::sync::Arc;

use ::memory::{Memory, MessageContent, NewEntry, NewMessage};
use ::settings::{Folders, SecretStore};
use assistant::{Assistant, AssistantBuilder, DataOwner, DataOwnerParts, Instance, Participant};
use clap::Parser;
use jiff::civil::date;
use jiff::tz::TimeZone;
use llm::Embedder;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::{FixedClock, InMemorySecrets, ScriptedModel};
use vocabulary::{Clock, ConversationId};

use super::*;

/// 2025-11-22, 12:00 in Berlin.
pub(super) const NOW: i64 = 1_763_809_200_000_000;
const MINUTE: i64 = 60_000_000;

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Typed {
    #[command(subcommand)]
    verb: MemoryVerb,
}

pub(super) struct Home {
    folder: tempfile::TempDir,
    pub(super) folders: Folders,
    pub(super) secrets: Arc<dyn SecretStore>,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Home {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Self {
            folders: Folders::under(folder.path()),
            folder,
            secrets: Arc::new(InMemorySecrets::default()),
            embedder: None,
            clock: Arc::new(FixedClock::at("2025-11-22T11:00:00Z")),
        };
        home.write_settings(json!({}));
        home
    }

    /// Settings of a user in Berlin without an embedding model, and these.
    pub(super) fn write_settings(&self, mut settings: Value) {
        settings["location"] = json!({ "time_zone": "Europe/Berlin" });
        settings["memory"] = json!({ "embeddings": "off" });
        std::fs::write(self.folders.config.join("settings.json"), settings.to_string()).unwrap();
    }

    /// With a conversation, a day of the diary, and facts.
    async fn lived_in() -> Self {
        let home = Self::new();
        let memory = home.memory();
        let said = |at: i64, speaker, text: &str| NewMessage {
            conversation: ConversationId("main".into()),
            channel: "typed".into(),
            content: MessageContent::new(speaker, text, NOW + at),
            is_in_diary: false,
        };
        let messages = vec![
            said(-3 * MINUTE, Participant::User, "I am allergic to peanuts"),
            said(-2 * MINUTE, Participant::Assistant, "I shall keep that in mind."),
            said(-MINUTE, Participant::User, "my sister Mara plays the cello"),
        ];
        memory.add_messages(messages).await.unwrap();
        let entry = NewEntry {
            day: date(2025, 11, 21),
            source: "conversation".into(),
            summary: "A walk by the lake with Mara.".into(),
            topics: vec!["walks".into(), "Mara".into()],
        };
        memory.write_entry(entry, vec![], NOW).await.unwrap();
        memory.store().close();
        home.runs(&["add", "Is allergic to peanuts."]).await.unwrap();
        home.runs(&["add", "--branch", "directives", "Answer in short sentences."]).await.unwrap();
        home
    }

    /// The memory itself; close it before a verb runs.
    pub(super) fn memory(&self) -> Memory {
        std::fs::create_dir_all(&self.folders.data).unwrap();
        Memory::open(&self.folders.data.join("jarvis.db")).unwrap().memory
    }

    /// A running Jarvis that owns the data.
    pub(super) async fn running_jarvis(&self) -> Assistant {
        let instance = Instance::claim(&self.folders.data).unwrap();
        let mut builder = AssistantBuilder::new(self.folders.clone())
            .without_audio()
            .for_one_question()
            .with_model(Arc::new(ScriptedModel::new([])))
            .with_clock(Arc::clone(&self.clock))
            .with_secrets(Arc::clone(&self.secrets));
        if let Some(embedder) = &self.embedder {
            builder = builder.with_embedder(Arc::clone(embedder));
        }
        Assistant::start(builder, instance).await.unwrap()
    }

    /// Returns the output of a verb.
    pub(super) async fn runs(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let verb = Typed::try_parse_from(arguments)?.verb;
        let layout = Layout { zone: TimeZone::get("Europe/Berlin").unwrap(), width: 80, is_whole: false };
        let parts = DataOwnerParts {
            folders: self.folders.clone(),
            secrets: Arc::clone(&self.secrets),
            clock: Arc::clone(&self.clock),
            embedder: self.embedder.clone(),
        };
        let session = Session { owner: DataOwner::find(parts).await?, can_ask: false };
        let mut out = Vec::new();
        let outcome = execute(&session, verb, &layout, &mut out).await;
        session.owner.close().await;
        outcome?;
        Ok(String::from_utf8(out)?)
    }

    async fn refuses(&self, arguments: &[&str]) -> String {
        format!("{:#}", self.runs(arguments).await.unwrap_err())
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }
}

#[tokio::test]
async fn overview_lists_conversations_facts_and_diary() {
    let home = Home::lived_in().await;

    insta::assert_snapshot!(home.runs(&["show"]).await.unwrap(), @r"
    3 messages, 1 diary entry, 2 facts in 3 nodes are remembered.

    Conversations:
    main         3 messages, 2025-11-22 to 2025-11-22

    What is known:
    User  (node-2)
      - Is allergic to peanuts. (fact-1)
    Directives  (node-3)
      - Answer in short sentences. (fact-2)
    World  (node-4)

    The newest days of the diary:
    diary-1      2025-11-21 (walks, Mara)
        A walk by the lake with Mara.
    ");
}

#[tokio::test]
async fn search_hits_show_their_id_and_time() {
    let home = Home::lived_in().await;

    insta::assert_snapshot!(home.runs(&["search", "peanuts"]).await.unwrap(), @r"
    fact-1       2025-11-22 12:00  User
        Is allergic to peanuts.
    message-1    2025-11-22 11:57  you
        I am allergic to peanuts
    ");
    let days = home.runs(&["search", "--kind", "diary", "--from", "yesterday", "--to", "2025-11-21"]).await;
    insta::assert_snapshot!(days.unwrap(), @r"
    diary-1      2025-11-21 (walks, Mara)
        A walk by the lake with Mara.
    ");
    assert_eq!(home.runs(&["search", "zebra"]).await.unwrap(), "Nothing was found.\n");
}

#[tokio::test]
async fn json_output_holds_ids_and_details() {
    let home = Home::lived_in().await;
    let json = async |arguments: &[&str]| -> Value {
        serde_json::from_str(home.runs(arguments).await.unwrap().lines().next().unwrap()).unwrap()
    };

    assert_eq!(json(&["search", "--json", "allergic", "--kind", "fact"]).await["id"], "fact-1");
    assert_eq!(json(&["show", "--json", "fact-1"]).await["evidence"][0]["channel"], "edited");
    assert_eq!(json(&["show", "--json", "message-1"]).await["after"][0]["speaker"], "assistant");
    assert_eq!(json(&["show", "--json"]).await["conversations"][0]["messages"], 3);
}

#[tokio::test]
async fn a_corrected_fact_keeps_its_history() {
    let home = Home::lived_in().await;

    let corrected =
        home.runs(&["edit", "fact-1", "--text", "Is allergic to peanuts and soy."]).await.unwrap();
    let again = home.refuses(&["edit", "fact-1", "--text", "Eats all."]).await;

    assert_eq!(corrected, "fact-3 took the place of fact-1, which is kept as its history.\n");
    assert_eq!(again, "fact-1 no longer holds: edit fact-3, which took its place");
    insta::assert_snapshot!(home.runs(&["show", "fact-3"]).await.unwrap(), @r"
    fact-3       User, since 2025-11-22
        Is allergic to peanuts and soy.

    Known from:
        - 2025-11-22 12:00, you, edited: “Is allergic to peanuts and soy.”

    Before it:
    fact-1       2025-11-22 to 2025-11-22, then fact-3
        Is allergic to peanuts.
        - 2025-11-22 12:00, you, edited: “Is allergic to peanuts.”
    ");
}

#[tokio::test]
async fn diary_entries_and_nodes_can_be_edited() {
    let home = Home::lived_in().await;
    let memory = home.memory();
    memory.create_node(::memory::Branch::User.node(), "Heath", "", NOW).await.unwrap();
    memory.store().close();

    home.runs(&["edit", "diary-1", "--topics", "lake, Mara"]).await.unwrap();
    home.runs(&["edit", "node-5", "--name", "Health", "--description", "What keeps you well"]).await.unwrap();
    home.runs(&["add", "--node", "node-5", "Runs on Sundays."]).await.unwrap();

    assert!(home.runs(&["show", "diary-1"]).await.unwrap().contains("2025-11-21 (lake, Mara)"));
    let node = home.runs(&["show", "node-5"]).await.unwrap();
    for part in ["User › Health", "What keeps you well", "Runs on Sundays."] {
        assert!(node.contains(part), "{part:?} is not in\n{node}");
    }
    home.runs(&["undo"]).await.unwrap();
    assert!(home.runs(&["show", "diary-1"]).await.unwrap().contains("2025-11-21 (walks, Mara)"));
}

#[tokio::test]
async fn secrets_in_facts_are_redacted() {
    let home = Home::new();

    home.runs(&["add", "My password=hunter2 is for mail to mara@example.org"]).await.unwrap();

    let shown = home.runs(&["show", "fact-1"]).await.unwrap();
    assert!(!shown.contains("hunter2") && !shown.contains("mara@"), "{shown}");
}

#[tokio::test]
async fn undo_restores_what_was_forgotten() {
    let home = Home::lived_in().await;
    let peanuts = async || home.runs(&["search", "peanuts"]).await.unwrap();

    let looked = home.runs(&["forget", "--words", "peanuts", "--dry-run"]).await.unwrap();
    let unasked = home.refuses(&["forget", "--words", "peanuts"]).await;
    assert_ne!(peanuts().await, "Nothing was found.\n");
    let forgotten = home.runs(&["forget", "--words", "peanuts", "--yes"]).await.unwrap();
    let gone = peanuts().await;
    home.runs(&["undo"]).await.unwrap();

    insta::assert_snapshot!(looked, @r"
    message-1    2025-11-22 11:57  you
        I am allergic to peanuts
    fact-1       2025-11-22 12:00  User
        Is allergic to peanuts.

    2 things would be forgotten; nothing was changed.
    ");
    assert_eq!(unasked, "there is no terminal to confirm on: add --yes to do it without asking");
    assert!(
        forgotten.contains("2 things forgotten, in the backups too. `jarvis memory undo`"),
        "{forgotten}"
    );
    assert_eq!(gone, "Nothing was found.\n");
    assert_ne!(peanuts().await, "Nothing was found.\n");
}

#[tokio::test]
async fn list_entry_is_shown_forgotten_and_restored() {
    let home = Home::lived_in().await;
    let memory = home.memory();
    memory.add_todo("shopping", "peanut butter", NOW).await.unwrap();
    memory.store().close();

    let shown = home.runs(&["show", "todo-1"]).await.unwrap();
    let forgotten = home.runs(&["forget", "--words", "peanut butter", "--yes"]).await.unwrap();
    let gone = home.refuses(&["show", "todo-1"]).await;
    let back = home.runs(&["undo"]).await.unwrap();

    insta::assert_snapshot!(shown, @r"
    todo-1       2025-11-22 12:00  shopping
        peanut butter
    ");
    assert!(forgotten.contains("todo-1") && forgotten.contains("1 thing forgotten"), "{forgotten}");
    assert!(gone.contains("todo-1 does not exist"), "{gone}");
    assert!(back.contains("1 thing is as before."), "{back}");
}

#[tokio::test]
async fn forgetting_searches_quarantined_files_and_deletes_damaged() {
    let home = Home::lived_in().await;
    home.runs(&["backup"]).await.unwrap();
    home.runs(&["add", "Sings in a choir."]).await.unwrap();
    let restored = home.runs(&["restore", "--yes"]).await.unwrap();
    let damaged = home.folders.data.join("jarvis.db").with_file_name("jarvis.db.damaged-20250101-000000");
    std::fs::write(&damaged, "no database, but long enough to be looked at".repeat(100)).unwrap();
    let forget = ["forget", "--words", "choir", "--yes"];

    let looked = home.runs(&[&forget[..], &["--dry-run"]].concat()).await.unwrap();
    assert!(damaged.exists());
    let forgotten = home.runs(&forget).await.unwrap();
    let again = home.runs(&forget).await.unwrap();

    assert!(restored.contains("`jarvis memory forget` forgets in it too"), "{restored}");
    assert!(looked.contains("is damaged: it cannot be searched, so forgetting deletes it."), "{looked}");
    assert!(forgotten.contains("1 thing forgotten for good."), "{forgotten}");
    assert!(forgotten.contains("could not be searched, so it was deleted"), "{forgotten}");
    assert!(!damaged.exists());
    assert!(again.contains("No copy held anything of that either."), "{again}");
}

#[rstest]
#[case::last(&["--last"], &["message-3"])]
#[case::ids(&["message-2", "fact-2"], &["message-2", "fact-2"])]
#[case::a_day(&["--from", "2025-11-21", "--to", "2025-11-21"], &["diary-1"])]
#[case::a_conversation(&["--conversation", "main"], &["message-1", "message-2", "message-3"])]
#[tokio::test]
async fn forget_scope_selects_the_records(#[case] wish: &[&str], #[case] expected: &[&str]) {
    let home = Home::lived_in().await;

    let forgotten = home.runs(&[&["forget", "--for-good", "--yes"], wish].concat()).await.unwrap();

    let ids: Vec<&str> = forgotten
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.contains('-'))
        .collect();
    assert_eq!(ids, expected, "{forgotten}");
    assert!(home.refuses(&["undo"]).await.contains("nothing left to undo"));
}

#[rstest]
#[case::nothing(&["forget"], "say what to forget")]
#[case::two_ways(&["forget", "fact-1", "--last"], "in one way")]
#[case::unknown(&["forget", "fact-9"], "fact-9 does not exist; `jarvis memory show`")]
#[case::no_id(&["show", "seven"], "names nothing: write an id")]
#[case::no_day(&["search", "--from", "someday"], "write one as 2025-11-22")]
#[case::no_kind(&["search", "--kind", "dream"], "use message, diary, fact or node")]
#[case::a_message(&["edit", "message-1", "--text", "x"], "stays as it was said")]
#[case::another_flag(&["edit", "fact-1", "--name", "x"], "--text")]
#[case::a_branch(&["edit", "node-2", "--name", "x"], "fixed structure")]
#[case::no_fact(&["retract", "node-2"], "only a fact")]
#[case::no_backup(&["restore", "--yes"], "there is no backup")]
#[case::no_file(&["import", "/nowhere/memory.json"], "could not be read")]
#[tokio::test]
async fn invalid_request_is_refused_with_a_remedy(#[case] arguments: &[&str], #[case] expected: &str) {
    let home = Home::lived_in().await;

    let refused = home.refuses(arguments).await;

    assert!(refused.contains(expected), "{refused}");
}

#[tokio::test]
async fn export_can_be_imported_elsewhere() {
    let (home, other) = (Home::lived_in().await, Home::new());
    let (folder, file) = (home.path("all"), home.path("all.tar.gz"));

    home.runs(&["export", &folder]).await.unwrap();
    home.runs(&["export", &file]).await.unwrap();
    let taken = home.refuses(&["export", &folder]).await;
    let first = other.runs(&["import", &folder]).await.unwrap();
    let second = other.runs(&["import", &file]).await.unwrap();

    assert!(taken.contains("is there already"), "{taken}");
    assert_eq!(first, "New: 3 messages, 1 diary entry, 2 facts. What was known already stays as it was.\n");
    assert_eq!(second, "Nothing in it was new.\n");
}

#[tokio::test]
async fn restored_backup_replaces_newer_records() {
    let home = Home::lived_in().await;
    home.runs(&["backup"]).await.unwrap();
    home.runs(&["retract", "fact-1"]).await.unwrap();

    let list = home.runs(&["backup", "--list"]).await.unwrap();
    let jarvis = home.running_jarvis().await;
    let in_use = home.refuses(&["restore", "--yes"]).await;
    jarvis.shut_down().await;
    drop(jarvis);
    let restored = home.runs(&["restore", "20251122-110000", "--yes"]).await.unwrap();

    assert!(list.starts_with("20251122-110000  2025-11-22 12:00 "), "{list}");
    assert!(in_use.contains("quit Jarvis first"), "{in_use}");
    assert!(restored.contains("The replaced memory is kept at"), "{restored}");
    assert!(home.runs(&["show", "fact-1"]).await.unwrap().contains("since 2025-11-22"));
}

#[tokio::test]
async fn maintenance_examines_repairs_and_backs_up() {
    let home = Home::lived_in().await;
    home.runs(&["add", "--branch", "world", "Is allergic to peanuts"]).await.unwrap();

    let looked = home.runs(&["maintain", "--check"]).await.unwrap();
    let mended = home.runs(&["maintain"]).await.unwrap();
    let after = home.runs(&["maintain", "--check"]).await.unwrap();

    assert!(looked.contains("1 fact says what an older one says"), "{looked}");
    assert!(mended.contains("is repaired") && mended.contains("A backup is at"), "{mended}");
    assert!(!after.contains("older one says"), "{after}");
}

#[cfg(feature = "encryption")]
#[tokio::test]
async fn memory_is_encrypted_and_decrypted_again() {
    let home = Home::lived_in().await;
    home.runs(&["backup"]).await.unwrap();
    let shown = home.runs(&["show"]).await.unwrap();
    let jarvis = home.running_jarvis().await;
    let in_use = [home.refuses(&["encrypt"]).await, home.refuses(&["decrypt", "--yes"]).await];
    jarvis.shut_down().await;
    drop(jarvis);

    let encrypted = home.runs(&["encrypt"]).await.unwrap();
    let again = home.runs(&["encrypt"]).await.unwrap();
    let shown_encrypted = home.runs(&["show"]).await.unwrap();
    let key = ::memory::protection(&home.folders.data.join("jarvis.db")).key.unwrap();
    let name = assistant::key_name(key);
    let is_kept = home.secrets.get(&name).unwrap().is_some();
    let exported = home.runs(&["export", &home.path("export")]).await.unwrap();
    let unasked = home.refuses(&["decrypt"]).await;
    let decrypted = home.runs(&["decrypt", "--yes"]).await.unwrap();

    assert!(in_use.iter().all(|refused| refused.contains("quit Jarvis first")), "{in_use:?}");
    insta::assert_snapshot!(encrypted.replace(&key.to_string(), "KEY"), @r"
    The memory is encrypted.
    Its key is in your keychain as `memory.key.KEY`.
    1 copy of it is encrypted too: backups and quarantined files.
    Without the key the memory is lost: keep an export in a safe place.
    Exports are not encrypted, nor are copies of your data folder that were made before.
    ");
    assert_eq!(again, "The memory was encrypted already.\n");
    assert!(is_kept && exported.contains("in plain words"), "{exported}");
    assert!(unasked.contains("add --yes"), "{unasked}");
    insta::assert_snapshot!(decrypted, @r"
    Anyone who can read your disk can then read the memory and its backups.
    The memory is decrypted.
    1 copy of it is decrypted too.
    ");
    assert_eq!(shown_encrypted, shown);
    assert_eq!(home.runs(&["show"]).await.unwrap(), shown);
    assert!(home.secrets.get(&name).unwrap().is_none());
}

#[cfg(feature = "encryption")]
#[tokio::test]
async fn missing_key_names_the_remedy() {
    let mut home = Home::lived_in().await;
    home.runs(&["encrypt"]).await.unwrap();
    home.secrets = Arc::new(testkit::InMemorySecrets::default());

    let refused = home.refuses(&["show"]).await;

    assert!(refused.contains("is encrypted") && refused.contains("Unlock the keychain"), "{refused}");
}
