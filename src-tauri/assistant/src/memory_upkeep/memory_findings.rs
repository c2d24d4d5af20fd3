//! The findings of an examination of the memory, in sentences.

use std::path::Path;

use memory::Health;
use settings::Folders;
use vocabulary::{Stage, Trouble};

use crate::memory_upkeep::memory_files::{database, key_name};
use crate::views::{Finding, Severity};

/// The remedy for what a repair can do.
const REPAIR: &str = "`jarvis doctor memory --repair` repairs it.";

/// A kind of flaw in the memory, and the words for it.
struct Flaw {
    count: fn(&Health) -> i64,
    severity: Severity,
    /// The words after the number 1.
    one: &'static str,
    /// The words after any other number.
    many: &'static str,
    remedy: &'static str,
}

const FLAWS: [Flaw; 6] = [
    Flaw {
        count: |health| health.without_words,
        severity: Severity::Failure,
        one: "thing cannot be found by its words",
        many: "things cannot be found by their words",
        remedy: REPAIR,
    },
    Flaw {
        count: |health| health.orphans,
        severity: Severity::Failure,
        one: "search entry belongs to nothing",
        many: "search entries belong to nothing",
        remedy: REPAIR,
    },
    Flaw {
        count: |health| health.unreachable,
        severity: Severity::Failure,
        one: "node is in no branch",
        many: "nodes are in no branch",
        remedy: REPAIR,
    },
    Flaw {
        count: |health| health.duplicates,
        severity: Severity::Warning,
        one: "fact says what an older one says",
        many: "facts say what older ones say",
        remedy: REPAIR,
    },
    Flaw {
        count: |health| health.junk,
        severity: Severity::Warning,
        one: "node has been empty for a month",
        many: "nodes have been empty for a month",
        remedy: REPAIR,
    },
    Flaw {
        count: |health| health.without_vector,
        severity: Severity::Warning,
        one: "thing is found by its words only, not by what it means",
        many: "things are found by their words only, not by what they mean",
        remedy: "Jarvis repairs it while it runs, once an embedding model is installed: `jarvis models list` names it.",
    },
];

impl Flaw {
    /// The finding about this flaw, unless the memory is free of it.
    fn finding(&self, health: &Health) -> Option<Finding> {
        let count = (self.count)(health);
        (count > 0).then(|| {
            let message = format!("{}.", counted(count, self.one, self.many));
            Finding::new(Trouble::new(Stage::Memory, message, self.remedy), self.severity)
        })
    }
}

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
    findings.extend(FLAWS.iter().filter_map(|flaw| flaw.finding(health)));
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
