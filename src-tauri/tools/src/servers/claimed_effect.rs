//! The effect of a tool, by what its server claims and by the name of the tool.
//!
//! Source: docs/behaviour/tools.md#permissions.

use rmcp::model::{Tool as Described, ToolAnnotations};
use serde::{Deserialize, Serialize};

use crate::Effect;
use crate::name::words_of_identifier;

/// Words in the names of tools that run programs or code.
const EXECUTING: [&str; 12] = [
    "shell", "bash", "terminal", "exec", "execute", "run", "command", "eval", "evaluate", "script", "spawn",
    "invoke",
];
/// Words in the names of tools that delete.
const DELETING: [&str; 16] = [
    "delete",
    "remove",
    "erase",
    "wipe",
    "purge",
    "drop",
    "truncate",
    "destroy",
    "unlink",
    "uninstall",
    "trash",
    "clear",
    "rm",
    "del",
    "kill",
    "terminate",
];
/// Words in the names of tools that change something. Most servers give no hints, and then each call counts as a change: these
/// words stand only against a server that says of such a tool that it reads. Left out are words that are nouns as often, such as
/// "order", "share", "store" and "record".
const WRITING: [&str; 73] = [
    "write",
    "create",
    "send",
    "set",
    "unset",
    "update",
    "upsert",
    "add",
    "edit",
    "modify",
    "change",
    "replace",
    "rewrite",
    "overwrite",
    "append",
    "insert",
    "put",
    "post",
    "patch",
    "save",
    "move",
    "mv",
    "rename",
    "upload",
    "publish",
    "deploy",
    "install",
    "commit",
    "push",
    "merge",
    "rebase",
    "revert",
    "reset",
    "submit",
    "approve",
    "assign",
    "invite",
    "grant",
    "revoke",
    "subscribe",
    "unsubscribe",
    "enable",
    "disable",
    "start",
    "stop",
    "restart",
    "cancel",
    "click",
    "pay",
    "buy",
    "purchase",
    "transfer",
    "forward",
    "reply",
    "mkdir",
    "launch",
    "toggle",
    "respond",
    "fork",
    "turn",
    "lock",
    "unlock",
    "activate",
    "deactivate",
    "archive",
    "apply",
    "rollback",
    "rent",
    "reboot",
    "shutdown",
    "make",
    "mute",
    "unmute",
];
/// Words in the names of tools that read. Behind one of them a word of change names what is read: "list_run_results".
const READING: [&str; 31] = [
    "get",
    "list",
    "read",
    "search",
    "find",
    "fetch",
    "query",
    "show",
    "view",
    "lookup",
    "look",
    "browse",
    "retrieve",
    "describe",
    "inspect",
    "explain",
    "check",
    "verify",
    "validate",
    "count",
    "compare",
    "diff",
    "preview",
    "summarise",
    "summarize",
    "analyse",
    "analyze",
    "calculate",
    "compute",
    "convert",
    "download",
];
/// The words between two acts of one tool: "find_and_replace", "get_or_create".
const JOIN_ACTS: [&str; 3] = ["and", "or", "then"];

/// The claims of a server about a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hints {
    /// It only reads.
    #[serde(default)]
    pub reads: bool,
    /// It deletes, or overwrites.
    #[serde(default)]
    pub destroys: bool,
}

impl Hints {
    /// The claims of both under which a tool may do least.
    pub(super) fn stricter(self, other: Self) -> Self {
        Self { reads: self.reads && other.reads, destroys: self.destroys || other.destroys }
    }
}

impl From<&Described> for Hints {
    fn from(tool: &Described) -> Self {
        let hints = tool.annotations.as_ref();
        let is = |hint: fn(&ToolAnnotations) -> Option<bool>| hints.and_then(hint) == Some(true);
        Self { reads: is(|hints| hints.read_only_hint), destroys: is(|hints| hints.destructive_hint) }
    }
}

impl From<Effect> for Hints {
    /// The claims behind an effect of which no more is known.
    fn from(effect: Effect) -> Self {
        Self {
            reads: matches!(effect, Effect::ReadOnly | Effect::Network),
            destroys: effect == Effect::Destructive,
        }
    }
}

/// Returns the effect of a call, by the hints of the server and by the name of the tool: most servers give no hints, and a
/// tool that is called `delete_file` deletes. Without either a call counts as a change.
///
/// The hint that a tool only reads counts unless the name says otherwise. Source: MCP specification 2025-11-25, "Tools": hints
/// of servers that are not trusted must not be trusted.
pub(super) fn claimed_effect(name: &str, hints: Hints) -> Effect {
    let name = words_of_identifier(name);
    if hints.reads && !is_named_for_change(&name) {
        return Effect::Network;
    }
    let hinted = if hints.destroys { Effect::Destructive } else { Effect::Writes };
    let has = |words: &[&str]| name.iter().any(|word| words.contains(&word.as_str()));
    match () {
        () if has(&EXECUTING) => Effect::Executes,
        () if has(&DELETING) => Effect::Destructive,
        () => hinted,
    }
}

/// Returns `true` if the first verb of a name, or one behind "and" or "or", changes something. A name without a verb, such as
/// "weather", says nothing.
fn is_named_for_change(name: &[String]) -> bool {
    let changes = |word: &&String| {
        let word = word.as_str();
        EXECUTING.contains(&word) || DELETING.contains(&word) || WRITING.contains(&word)
    };
    let is_verb = |word: &&String| changes(word) || READING.contains(&word.as_str());
    let joined = name.windows(2).filter(|pair| JOIN_ACTS.contains(&pair[0].as_str())).map(|pair| &pair[1]);
    name.iter().find(is_verb).into_iter().chain(joined).any(|verb| changes(&verb))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn effect(name: &str, hints: Value) -> Effect {
        let tool = json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": hints });
        claimed_effect(name, Hints::from(&serde_json::from_value::<Described>(tool).unwrap()))
    }

    #[rstest]
    #[case::no_hint("do", json!({}), Effect::Writes)]
    #[case::reads("do", json!({ "readOnlyHint": true }), Effect::Network)]
    #[case::destroys("do", json!({ "readOnlyHint": false, "destructiveHint": true }), Effect::Destructive)]
    #[case::named_for_deleting("delete_file", json!({}), Effect::Destructive)]
    #[case::named_for_deleting_in_capitals("removeItem", json!({ "destructiveHint": false }), Effect::Destructive)]
    #[case::named_for_running("run_shell", json!({}), Effect::Executes)]
    #[case::named_for_reading_without_a_hint("get_file", json!({}), Effect::Writes)]
    #[case::word_within_another("add_transcript", json!({}), Effect::Writes)]
    #[case::abbreviation_of_deleting("user_del", json!({}), Effect::Destructive)]
    #[case::abbreviation_at_the_begin_of_a_word("delay_delivery", json!({}), Effect::Writes)]
    #[case::abbreviation_within_a_word("modelDelta", json!({}), Effect::Writes)]
    fn effect_follows_hints_and_name_and_is_a_change_without_them(
        #[case] name: &str,
        #[case] hints: Value,
        #[case] expected: Effect,
    ) {
        assert_eq!(effect(name, hints), expected);
    }

    #[rstest]
    #[case::deletes("delete_file", Effect::Destructive)]
    #[case::deletes_in_capitals("DELETE_FILE", Effect::Destructive)]
    #[case::deletes_behind_an_abbreviation("HTTPDelete", Effect::Destructive)]
    #[case::runs("run_shell", Effect::Executes)]
    #[case::shell_alone("shell", Effect::Executes)]
    #[case::writes("write_file", Effect::Writes)]
    #[case::writes_in_capitals("sendMessage", Effect::Writes)]
    #[case::only_verb_at_the_end("file-upload", Effect::Writes)]
    #[case::only_verb_in_the_middle("git_commit_all", Effect::Writes)]
    #[case::first_of_two_verbs("file_delete_and_list", Effect::Destructive)]
    #[case::second_of_two_acts("find_and_replace", Effect::Writes)]
    #[case::reads_or_writes("get_or_create_user", Effect::Writes)]
    #[case::reads_then_deletes("fetch_then_delete", Effect::Destructive)]
    #[case::reads_what_was_run("list_run_results", Effect::Network)]
    #[case::reads_what_was_deleted("get_trash", Effect::Network)]
    #[case::reads_behind_a_noun("issue_read_updates", Effect::Network)]
    #[case::searches("search_and_rank", Effect::Network)]
    #[case::no_verb("weatherReport", Effect::Network)]
    #[case::no_verb_of_ours("echo", Effect::Network)]
    fn hint_that_a_tool_only_reads_counts_unless_its_name_says_otherwise(
        #[case] name: &str,
        #[case] expected: Effect,
    ) {
        assert_eq!(effect(name, json!({ "readOnlyHint": true })), expected);
    }

    #[test]
    fn no_word_is_in_two_lists() {
        let mut all = [&EXECUTING[..], &DELETING, &WRITING, &READING].concat();
        let count = all.len();

        all.sort_unstable();
        all.dedup();

        assert_eq!(all.len(), count);
    }
}
