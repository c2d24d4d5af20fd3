//! A process is killed at any moment: nothing that it acknowledged is missing afterwards.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use memory::{Branch, Kind, Recall, check};

use crate::support::{NOW, fact, message, open};

/// Where the child keeps its memory.
const FOLDER: &str = "JARVIS_TEST_MEMORY";

/// Writes what it is told by nobody, and says of each thing when it is kept, until it is killed.
#[tokio::test]
#[ignore = "the child of the tests below"]
async fn writes_until_it_is_killed() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let memory = open(&Path::new(&folder).join("jarvis.db"));
    let mut out = std::io::stdout();
    let first = memory.conversations().await.unwrap().iter().map(|known| known.messages).sum::<i64>();
    for count in first.. {
        let text = format!("item {count}");
        memory.add_messages(vec![message("main", NOW + count, memory::Speaker::User, &text)]).await.unwrap();
        writeln!(out, "kept message {count}").unwrap();
        if count % 3 == 0 {
            memory.learn(Branch::User.node(), fact(&format!("Fact {count}.")), NOW).await.unwrap();
            writeln!(out, "kept fact {count}").unwrap();
        }
        out.flush().unwrap();
    }
}

async fn kill_and_look(times: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jarvis.db");
    let (mut messages, mut facts) = (Vec::new(), Vec::new());
    for kill in 0..times {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::writes_until_it_is_killed", "--ignored", "--nocapture", "--quiet"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Wait until it writes, then let it write for a moment that is another each time: some microseconds to 20 ms.
        let first = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("kept"));
        std::thread::sleep(Duration::from_micros(kill * 7919 % 20_000));
        child.kill().unwrap();
        let kept: Vec<String> = first.into_iter().chain(lines.map_while(Result::ok)).collect();
        child.wait().unwrap();
        for line in kept {
            // The last line may be cut short: then nothing was acknowledged.
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
    assert!(missing.is_empty(), "acknowledged and gone: {missing:?}");
    let known = memory.facts(Branch::User.node()).await.unwrap();
    let known: std::collections::HashSet<&str> = known.iter().map(|fact| fact.text.as_str()).collect();
    assert!(facts.iter().all(|count| known.contains(format!("Fact {count}.").as_str())));
    let last = Recall { kinds: vec![Kind::Message], limit: 1, ..Recall::default() };
    assert!(!memory.recall(last).await.unwrap().is_empty());
}

#[tokio::test]
async fn nothing_acknowledged_is_missing_after_fifty_kills() {
    kill_and_look(50).await;
}

mod slow {
    #[tokio::test]
    #[ignore = "takes minutes: cargo xtask test --slow"]
    async fn nothing_acknowledged_is_missing_after_a_thousand_kills() {
        super::kill_and_look(1000).await;
    }
}
