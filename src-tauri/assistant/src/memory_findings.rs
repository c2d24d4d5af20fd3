//! The findings of an examination of the memory, in sentences.

use std::path::Path;

use memory::Health;
use settings::Folders;
use vocabulary::{Stage, Trouble};

use crate::memory_files::{database, key_name};
use crate::views::{Finding, Severity};

/// The remedy for what a repair can do.
const REPAIR: &str = "`jarvis doctor memory --repair` repairs it.";

/// The findings of an examination.
pub(crate) fn findings_of(health: &Health) -> Vec<Finding> {
    let holds = [
        counted(health.messages, "message", "messages"),
        counted(health.entries, "diary entry", "diary entries"),
        counted(health.facts, "fact", "facts"),
    ];
    let nodes = counted(health.nodes, "node", "nodes");
    let mut findings =
        vec![Finding::ok(Stage::Memory, format!("{} in {nodes} are remembered.", holds.join(", ")))];
    let mut add = |count: i64, severity, one: &str, many: &str, remedy: &str| {
        if count > 0 {
            let trouble = Trouble::new(Stage::Memory, format!("{}.", counted(count, one, many)), remedy);
            findings.push(Finding::new(trouble, severity));
        }
    };
    add(
        health.without_words,
        Severity::Failure,
        "thing cannot be found by its words",
        "things cannot be found by their words",
        REPAIR,
    );
    add(
        health.orphans,
        Severity::Failure,
        "search entry belongs to nothing",
        "search entries belong to nothing",
        REPAIR,
    );
    add(health.unreachable, Severity::Failure, "node is in no branch", "nodes are in no branch", REPAIR);
    add(
        health.duplicates,
        Severity::Warning,
        "fact says what an older one says",
        "facts say what older ones say",
        REPAIR,
    );
    add(
        health.junk,
        Severity::Warning,
        "node has been empty for a month",
        "nodes have been empty for a month",
        REPAIR,
    );
    add(
        health.without_vector,
        Severity::Warning,
        "thing is found by its words only, not by what it means",
        "things are found by their words only, not by what they mean",
        "Jarvis repairs it while it runs, once an embedding model is installed: `jarvis models list` names it.",
    );
    if health.pending_messages > 0 {
        let waiting = counted(health.pending_messages, "message waits", "messages wait");
        findings.push(Finding::ok(Stage::Memory, format!("{waiting} for the diary.")));
    }
    if !health.damage.is_empty() {
        findings.push(Finding::failure(Trouble::new(
            Stage::Memory,
            format!("The memory file is damaged: {}.", health.damage.replace('\n', "; ")),
            "Quit Jarvis and put the last backup in its place with `jarvis memory restore`.",
        )));
    }
    findings
}

/// Describes the changes of a repair; `None` without any.
pub(crate) fn repaired_finding(before: &Health) -> Option<Finding> {
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
        Finding::ok(Stage::Memory, format!("Repaired: {}.", parts.collect::<Vec<_>>().join("; ")))
    })
}

fn counted(count: i64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

pub(crate) fn backup_finding(path: &Path) -> Finding {
    let backups = memory::backups(path);
    match backups.first() {
        Some(newest) => {
            let made_at = newest.made_at.strftime("%Y-%m-%d %H:%M UTC");
            let all = counted(backups.len() as i64, "backup", "backups");
            Finding::ok(Stage::Memory, format!("{all}, the newest of {made_at}."))
        }
        None => Finding::new(
            Trouble::new(Stage::Memory, "There is no backup.", "Make one with `jarvis memory backup`."),
            Severity::Warning,
        ),
    }
}

/// Says if the memory is encrypted, and if a copy is not.
pub(crate) fn encryption_finding(folders: &Folders) -> Finding {
    let protection = memory::protection(&database(folders));
    let Some(key) = protection.key else {
        let message = match memory::CAN_ENCRYPT {
            true => "The memory file is not encrypted; `jarvis memory encrypt` does it.",
            false => "The memory file is not encrypted, and this build of Jarvis knows no encryption.",
        };
        return Finding::ok(Stage::Memory, message);
    };
    if protection.plain_copies.is_empty() {
        let message =
            format!("The memory file is encrypted, and its key is in the keychain as `{}`.", key_name(key));
        return Finding::ok(Stage::Memory, message);
    }
    let copies: Vec<String> = protection.plain_copies.iter().map(|copy| copy.display().to_string()).collect();
    let message =
        format!("The memory file is encrypted, but words may be readable in {}.", copies.join(", "));
    let remedy = "`jarvis memory encrypt` encrypts them too; delete those that it names as damaged.";
    Finding::new(Trouble::new(Stage::Memory, message, remedy), Severity::Warning)
}
