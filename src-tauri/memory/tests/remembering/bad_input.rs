//! Bad input and failing disks lose nothing.

use memory::{Forget, MemoryError, NewEntry, Participant, Recall, StorageError, Undo, check};
use rstest::rstest;
use vocabulary::Private;

use crate::support::{DAY, Home, MINUTE, NOW, message, open};

#[rstest]
#[case::nul("a\0zebra")]
#[case::emoji("zebra 🦓🦓 👩‍👩‍👧‍👦")]
#[case::right_to_left("\u{202e}zebra הדרכון שלי")]
#[case::a_lone_surrogate_as_it_arrives("zebra \u{fffd}")]
#[case::sql("zebra'); DELETE FROM messages; --")]
#[case::full_text("zebra AND NOT \"x\" NEAR(*)")]
#[case::combining(&"zebra e\u{301}\u{323}".repeat(50))]
#[tokio::test]
async fn odd_text_is_stored_found_exported_and_forgotten(#[case] text: &str) {
    let home = Home::new();
    home.say(NOW, text).await;
    let entry = NewEntry {
        day: jiff::civil::date(2025, 11, 22),
        source: text.into(),
        summary: text.into(),
        topics: vec![text.replace(',', " ")],
    };
    home.memory.write_entry(entry, vec![], NOW).await.unwrap();
    let node = home.memory.create_node(memory::Branch::User.node(), text, text, NOW).await.unwrap();
    home.memory.learn(node, crate::support::fact(text), NOW).await.unwrap();

    let found =
        home.memory.recall(Recall { words: "zebra".into(), limit: 9, ..Recall::default() }).await.unwrap();
    let archive = home.memory.archive().await.unwrap();
    let json = serde_json::to_vec(&archive).unwrap();
    let before = crate::support::records_without_change_times(&home.memory).await;
    let forgotten =
        home.memory.forget(Forget::Words(Private("zebra".into())), Undo::Possible, NOW).await.unwrap();

    assert_eq!(found.len(), 4);
    assert_eq!(memory::Archive::from_json(&json).unwrap(), archive);
    assert!(forgotten.items.len() >= 4);
    home.memory.undo(None, NOW).await.unwrap();
    assert_eq!(crate::support::records_without_change_times(&home.memory).await, before);
}

#[tokio::test]
async fn fifty_megabytes_in_one_message_are_stored_and_found() {
    let home = Home::new();
    let pasted = format!("needle {}", "hay and straw ".repeat(50 * 1024 * 1024 / 14));

    home.say(NOW, &pasted).await;
    let found =
        home.memory.recall(Recall { words: "needle".into(), limit: 5, ..Recall::default() }).await.unwrap();

    assert_eq!(found[0].item.text.len(), pasted.len());
    let passage = &home.memory.passages(5).await.unwrap()[0];
    assert!(passage.texts[0].len() <= 2_000, "a model gets what it can read of it");
}

#[tokio::test]
async fn clock_set_back_does_not_disturb_recall() {
    let home = Home::new();
    home.say(NOW, "first").await;
    home.say(NOW - DAY, "second, by a clock set back").await;
    home.memory.forget(Forget::LastThing, Undo::Possible, NOW).await.unwrap();

    // Undo records made under the wrong clock are not kept longer than others.
    home.memory.expire_undo(NOW - DAY).await.unwrap();

    assert!(home.memory.undo(None, NOW - DAY).await.is_err());
    assert_eq!(home.memory.pending_messages(9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn two_open_stores_share_the_file() {
    let home = Home::new();
    let other = open(&home.path());

    let (mine, theirs) = tokio::join!(
        async {
            for count in 0..50 {
                home.say(NOW + count, "mine").await;
            }
        },
        async {
            for count in 0..50 {
                let message = message("other", NOW + count, Participant::User, "theirs");
                other.add_messages(vec![message]).await.unwrap();
            }
        }
    );
    let ((), ()) = (mine, theirs);

    let counts: Vec<i64> =
        home.memory.conversations().await.unwrap().iter().map(|conversation| conversation.messages).collect();
    assert_eq!(counts, [50, 50]);
    assert_eq!(check(&home.path()).unwrap(), 100);
}

#[tokio::test]
async fn full_disk_is_reported_and_loses_no_acknowledged_write() {
    let home = Home::new();
    home.say(NOW, "acknowledged").await;
    // SQLite reports the page limit with the same error as a full disk.
    home.memory.store().limit_pages(0).await.unwrap();

    let refused = home
        .memory
        .add_messages(vec![message("main", NOW + 1, Participant::User, &"x".repeat(1 << 20))])
        .await
        .unwrap_err();
    home.memory.store().limit_pages(1 << 30).await.unwrap();
    home.say(NOW + MINUTE, "after there was room again").await;

    assert!(matches!(refused, MemoryError::Storage(StorageError::DiskFull { .. })) && refused.is_transient());
    assert_eq!(check(&home.path()).unwrap(), 2);
}

#[tokio::test]
async fn empty_and_absurd_searches_find_nothing() {
    let home = Home::new();
    home.say(NOW, "hello").await;

    let long = "word ".repeat(20_000);
    let found = home.memory.recall(Recall { words: long, limit: 5, ..Recall::default() }).await.unwrap();
    let none =
        home.memory.recall(Recall { words: "hello".into(), limit: 0, ..Recall::default() }).await.unwrap();

    assert!(found.is_empty() && none.is_empty());
}

/// Names the folder of the child process below.
#[cfg(unix)]
const FOLDER: &str = "JARVIS_TEST_QUOTA";

#[cfg(unix)]
#[tokio::test]
#[ignore = "child process of the test below"]
async fn child_writes_until_files_are_limited() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let memory = open(&std::path::Path::new(&folder).join("jarvis.db"));
    for count in 0.. {
        let said = message("main", NOW + count, Participant::User, &"x".repeat(100_000));
        if let Err(error) = memory.add_messages(vec![said]).await {
            println!("after {count}: {error}, transient {}", error.is_transient());
            std::process::exit(0);
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn failing_disk_is_reported_as_transient() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    open(&path).store().close();

    // A file size limit causes the same errors as a failing disk.
    let child = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 2000; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "bad_input::child_writes_until_files_are_limited",
            "--ignored",
            "--nocapture",
            "--quiet",
        ])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();

    let output = String::from_utf8_lossy(&child.stdout);
    let (count, why) = output.split_once("after ").and_then(|(_, rest)| rest.split_once(": ")).unwrap();
    assert!(why.contains("could not be read or written, transient true"), "{output}");
    assert_eq!(check(&path).unwrap(), count.parse::<i64>().unwrap());
}
