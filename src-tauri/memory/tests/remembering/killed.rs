//! A process is killed at any moment: no acknowledged write is missing afterwards.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use jiff::tz::TimeZone;
use memory::{Archive, Branch, Forget, Memory, Recall, RecordKind, Undo, check};
use vocabulary::Private;

use crate::forgetting::{SECRET, home_with_a_secret};
use crate::support::{Home, NOW, fact, message, open};

/// Names the folder of the child process.
const FOLDER: &str = "JARVIS_TEST_MEMORY";

/// Writes records and prints a line for each stored one, until it is killed.
#[tokio::test]
#[ignore = "child process of the tests below"]
async fn child_writes_until_killed() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let memory = open(&Path::new(&folder).join("jarvis.db"));
    let mut out = std::io::stdout();
    let first = memory.conversations().await.unwrap().iter().map(|known| known.messages).sum::<i64>();
    for count in first.. {
        let text = format!("item {count}");
        memory
            .add_messages(vec![message("main", NOW + count, memory::Participant::User, &text)])
            .await
            .unwrap();
        writeln!(out, "kept message {count}").unwrap();
        if count % 3 == 0 {
            memory.learn(Branch::User.node(), fact(&format!("Fact {count}.")), NOW).await.unwrap();
            writeln!(out, "kept fact {count}").unwrap();
        }
        out.flush().unwrap();
    }
}

/// Starts a child process, kills it some time after its first line, and returns its lines.
fn lines_before_kill(child: &str, folder: &Path, moment: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", child, "--ignored", "--nocapture", "--quiet"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("kept"));
    std::thread::sleep(moment);
    child.kill().unwrap();
    let kept = first.into_iter().chain(lines.map_while(Result::ok)).collect();
    child.wait().unwrap();
    kept
}

async fn kill_repeatedly_and_check(times: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (mut messages, mut facts) = (Vec::new(), Vec::new());
    for kill in 0..times {
        // Some microseconds to 20 ms.
        let moment = Duration::from_micros(kill * 7919 % 20_000);
        for line in lines_before_kill("killed::child_writes_until_killed", folder.path(), moment) {
            // The last line may be incomplete: then its write was not acknowledged.
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["kept", "message", count] => messages.push(count.to_owned()),
                ["kept", "fact", count] => facts.push(count.to_owned()),
                _ => {}
            }
        }
    }

    assert!(messages.len() as u64 >= times, "it wrote between the kills: {}", messages.len());
    assert!(check(&path).unwrap() >= messages.len() as i64);
    let memory = open(&path);
    let health = memory.examine(NOW).await.unwrap();
    assert_eq!((health.damage.as_str(), health.needs_repair()), ("", false), "{health:?}");
    let archive = memory.archive().await.unwrap();
    let said: std::collections::HashSet<&str> =
        archive.messages.iter().map(|message| message.text.as_str()).collect();
    let missing: Vec<&String> =
        messages.iter().filter(|count| !said.contains(format!("item {count}").as_str())).collect();
    assert!(missing.is_empty(), "acknowledged and missing: {missing:?}");
    let known = memory.facts(Branch::User.node()).await.unwrap();
    let known: std::collections::HashSet<&str> = known.iter().map(|fact| fact.text.as_str()).collect();
    assert!(facts.iter().all(|count| known.contains(format!("Fact {count}.").as_str())));
    let last = Recall { kinds: vec![RecordKind::Message], limit: 1, ..Recall::default() };
    assert!(!memory.recall(last).await.unwrap().is_empty());
}

#[tokio::test]
async fn nothing_acknowledged_is_missing_after_fifty_kills() {
    kill_repeatedly_and_check(50).await;
}

/// The texts of all records.
async fn words_of(memory: &Memory) -> Vec<String> {
    let archive = memory.archive().await.unwrap();
    let facts = archive.nodes.iter().flat_map(|node| &node.facts).map(|fact| fact.text.clone());
    let said = archive.messages.iter().map(|message| message.text.clone());
    let days = archive.diary.iter().map(|entry| entry.summary.clone());
    let lists = [format!("{:?}", archive.meals.len()), format!("{:?}", archive.todos.len())];
    let mut words: Vec<String> = facts.chain(said).chain(days).chain(lists).collect();
    words.sort();
    words
}

fn secret() -> Forget {
    Forget::Words(Private(SECRET.into()))
}

/// Imports, forgets, undoes and backs up, and prints the expected state after each step, until it is killed.
#[tokio::test]
#[ignore = "child process of the test below"]
async fn child_forgets_and_undoes_until_killed() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let folder = Path::new(&folder);
    let memory = open(&folder.join("jarvis.db"));
    let whole = Archive::read(&folder.join("whole")).unwrap();
    let kept = |what: &str| {
        println!("kept {what}");
        std::io::stdout().flush().unwrap();
    };
    for second in 0.. {
        memory.import(whole.clone(), NOW).await.unwrap();
        kept("whole");
        memory.forget(secret(), Undo::Possible, NOW).await.unwrap();
        kept("without");
        memory.undo(None, NOW).await.unwrap();
        kept("whole and backed up");
        memory.back_up(NOW + second * 1_000_000).await.unwrap();
        kept("whole");
        memory.forget(secret(), Undo::Never, NOW).await.unwrap();
        kept("without");
    }
}

#[tokio::test]
async fn killed_forget_undo_and_import_are_atomic() {
    let Home { folder, memory } = home_with_a_secret().await;
    let path = folder.path().join("jarvis.db");
    memory.archive().await.unwrap().write_folder(&folder.path().join("whole"), &TimeZone::UTC).unwrap();
    let whole = words_of(&memory).await;
    memory.forget(secret(), Undo::Never, NOW).await.unwrap();
    let without = words_of(&memory).await;
    memory.store().close();
    let (mut wholes, mut withouts) = (0, 0);

    for kill in 0..30_u64 {
        // Some microseconds to 150 ms, which is about one round.
        let moment = Duration::from_micros(kill * 79_199 % 150_000);
        let kept = lines_before_kill("killed::child_forgets_and_undoes_until_killed", folder.path(), moment);

        let opened = Memory::open(&path).unwrap();
        assert!(opened.trouble.is_none(), "{:?}", opened.trouble);
        let memory = opened.memory;
        let now = words_of(&memory).await;
        assert!(now == whole || now == without, "an incomplete change after {kill} kills: {now:?}");
        if kept.last().is_some_and(|last| last == "kept whole and backed up") {
            assert_eq!(now, whole, "a backup changes nothing");
        }
        *(if now == whole { &mut wholes } else { &mut withouts }) += 1;
        assert_eq!(memory.examine(NOW).await.unwrap().damage, "");
        for backup in memory.backups() {
            let copy = Memory::open(&backup.path).unwrap();
            assert!(copy.trouble.is_none(), "{:?}", copy.trouble);
            let copy = copy.memory;
            let words = words_of(&copy).await;
            assert!(words == whole || words == without, "{words:?}");
            copy.store().close();
        }
        memory.store().close();
        let files = std::fs::read_dir(folder.path().join("backups")).unwrap();
        let is_part = |name: String| name.contains(".part");
        assert!(!files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).any(is_part));
    }

    assert!(wholes > 0 && withouts > 0, "the kills met both states: {wholes} and {withouts}");
}

mod slow {
    #[tokio::test]
    #[ignore = "takes minutes: cargo xtask test --slow"]
    async fn nothing_acknowledged_is_missing_after_a_thousand_kills() {
        super::kill_repeatedly_and_check(1000).await;
    }
}
