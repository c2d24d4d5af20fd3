//! The policy of permissions, asked with calls out of a file: for bug reports, and for whoever wants to know what would run.

use serde::Deserialize;
use serde_json::{Map, Value};
use settings::{Settings, ToolsSettings};

use crate::config::ToolsConfig;
use crate::name::split_tool_name;
use crate::permissions::{Permission, PolicyCall, Taint, permission};
use crate::private_words::{ReplyTexts, WordSources};
use crate::tool::{Effect, ToolSource};

/// A call as a line of the file describes it. Unknown fields are ignored.
#[derive(Deserialize)]
struct ReplayedCall {
    tool: String,
    effect: Effect,
    /// The most serious effect of the tool; the effect of this call if it is left out.
    most_serious: Option<Effect>,
    /// Text from outside entered the reply before the call.
    #[serde(default)]
    tainted: bool,
    /// The model is not sure of the call.
    #[serde(default)]
    unsure: bool,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// The words of the user.
    #[serde(default)]
    request: String,
    /// The words of memory, files and dialogue that the model was told.
    #[serde(default)]
    private: String,
    #[serde(default)]
    settings: ToolsSettings,
}

/// The permission of a call that one line of JSON describes: `allow`, `ask` or `deny`.
///
/// # Errors
///
/// Says what is wrong with the line.
pub fn replay(line: &str) -> Result<&'static str, serde_json::Error> {
    let call: ReplayedCall = serde_json::from_str(line)?;
    let texts = ReplyTexts { request: &call.request, private: vec![&call.private], ..ReplyTexts::default() };
    let words = WordSources::new(&texts);
    let taint = match (call.tainted, call.unsure) {
        (true, _) if words.are_private_in(&call.arguments, &Value::Null) => Taint::Leaking,
        (true, _) => Taint::AfterUntrusted,
        (false, true) => Taint::Unsure,
        (false, false) => Taint::Clean,
    };
    let source = match split_tool_name(&call.tool) {
        Some((server, _)) => ToolSource::Server(server.to_owned()),
        None => ToolSource::BuiltIn,
    };
    let config = ToolsConfig::from(&Settings { tools: call.settings, ..Settings::default() });
    let most_serious = call.most_serious.unwrap_or(call.effect);
    let asked = PolicyCall { tool: &call.tool, source: &source, effect: call.effect, most_serious };
    Ok(match permission(&config, &asked, taint).0 {
        Permission::Allow => "allow",
        Permission::Ask { .. } => "ask",
        Permission::Deny => "deny",
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    /// The whole policy: effect by effect, without settings, with each setting, and after text from outside.
    #[rstest]
    #[case::reading(json!({ "tool": "listTimers", "effect": "read_only" }), "allow")]
    #[case::network(json!({ "tool": "webSearch", "effect": "network" }), "allow")]
    #[case::writing(json!({ "tool": "setTimer", "effect": "writes" }), "allow")]
    #[case::writing_by_a_tool_that_deletes(json!({ "tool": "localFiles", "effect": "writes", "most_serious": "destructive" }), "ask")]
    #[case::reading_by_a_tool_that_deletes(json!({ "tool": "localFiles", "effect": "read_only", "most_serious": "destructive" }), "allow")]
    #[case::deleting(json!({ "tool": "deleteMeal", "effect": "destructive" }), "ask")]
    #[case::executing(json!({ "tool": "openApp", "effect": "executes" }), "ask")]
    #[case::server_reads(json!({ "tool": "files__read", "effect": "network" }), "allow")]
    #[case::server_writes(json!({ "tool": "files__write", "effect": "writes" }), "ask")]
    #[case::server_allowed(json!({ "tool": "files__write", "effect": "writes", "settings": { "allowed": ["files"] } }), "allow")]
    #[case::tool_asked_of_an_allowed_server(json!({ "tool": "files__write", "effect": "writes", "settings": { "allowed": ["files"], "asked": ["files__write"] } }), "ask")]
    #[case::deny_wins(json!({ "tool": "webSearch", "effect": "network", "settings": { "allowed": ["webSearch"], "denied": ["webSearch"] } }), "deny")]
    #[case::denied_server(json!({ "tool": "files__read", "effect": "network", "settings": { "allowed": ["files__read"], "denied": ["files"] } }), "deny")]
    #[case::unsure_write(json!({ "tool": "setTimer", "effect": "writes", "unsure": true }), "ask")]
    #[case::unsure_but_allowed(json!({ "tool": "setTimer", "effect": "writes", "unsure": true, "settings": { "allowed": ["setTimer"] } }), "allow")]
    #[case::tainted_read(json!({ "tool": "listTimers", "effect": "read_only", "tainted": true }), "allow")]
    #[case::tainted_write(json!({ "tool": "setTimer", "effect": "writes", "tainted": true, "settings": { "allowed": ["setTimer"] } }), "ask")]
    #[case::tainted_network(json!({ "tool": "fetchWebPage", "effect": "network", "tainted": true, "arguments": { "url": "https://example.org" } }), "allow")]
    #[case::tainted_network_with_private_words(json!({ "tool": "fetchWebPage", "effect": "network", "tainted": true,
        "arguments": { "url": "https://example.org/?q=marigold" }, "private": "The user is called Marigold.", "request": "open the page" }), "ask")]
    #[case::private_words_of_the_request(json!({ "tool": "webSearch", "effect": "network", "tainted": true,
        "arguments": { "search_query": "Marigold flowers" }, "private": "The user is called Marigold.", "request": "search for marigold flowers" }), "allow")]
    fn policy_decides_by_effect_settings_and_taint(#[case] call: Value, #[case] expected: &str) {
        assert_eq!(replay(&call.to_string()).unwrap(), expected);
    }
}
