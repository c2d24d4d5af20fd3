//! Asking the user before a call runs.

use async_trait::async_trait;
use languages::messages::{Messages, id};
use serde_json::{Map, Value};
use vocabulary::{Language, Private};

use crate::inquiry::Inquiry;
use crate::name::split_tool_name;
use crate::permissions::Grounds;
use crate::tool::{Declaration, Effect};

/// The port through which the choke point asks.
#[async_trait]
pub trait Approval: Send {
    /// Asks the user. The choke point drops the future when the reply is stopped.
    async fn ask(&mut self, request: ApprovalRequest) -> ApprovalAnswer;

    /// Asks the user something that a tool needs to know during its call. `None` if nobody answers.
    ///
    /// The choke point drops the future when the tool takes its question back.
    async fn inquire(&mut self, inquiry: Inquiry) -> Option<Private<String>>;

    /// Shows how far a call is, if that can be shown.
    async fn report(&mut self, _progress: Private<String>) {}
}

/// A decision that is asked of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The name of the tool.
    pub tool: String,
    /// The act, as one sentence. Contains words of the arguments.
    pub sentence: Private<String>,
    /// The language of the sentence.
    pub language: Language,
    /// The effect of the call.
    pub effect: Effect,
    /// `true` if "always" may be offered.
    pub can_remember: bool,
}

/// The decision of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// This call may run.
    Once,
    /// This and all further calls of the tool may run.
    Always,
    /// The call must not run.
    No,
    /// Nobody answered, or nobody can be asked.
    Unanswered,
    /// It is confirmed by a key or a click at this machine only, and the user is in another room.
    NeedsClick,
}

/// Arguments that the sentence names.
const SHOWN_ARGUMENTS: usize = 6;

/// Characters of an argument that the sentence shows: its beginning, and its end where a path says which file it is.
const SHOWN_BEGINNING: usize = 60;
const SHOWN_END: usize = 40;

impl ApprovalRequest {
    /// The request for a call, in the language of the user. `asker` is the name of the assistant.
    pub(crate) fn from_call(
        asker: &str,
        tool: &Declaration,
        effect: Effect,
        arguments: &Map<String, Value>,
        can_remember: bool,
        language: Option<&Language>,
    ) -> Self {
        let messages = Messages::with(language, id::PERMISSION_REQUEST).unwrap_or_else(Messages::english);
        let sentence = Private(sentence(asker, tool, effect, arguments, messages));
        let language = messages.language().clone();
        Self { tool: tool.name.clone(), sentence, language, effect, can_remember }
    }

    /// The same, with the reason for the question if the user would not expect it.
    pub(crate) fn on_grounds(mut self, grounds: Grounds) -> Self {
        if grounds == Grounds::ChangedDescription {
            let changed = Messages::for_language(Some(&self.language)).permission_description_changed();
            self.sentence.0 = format!("{} {changed}", self.sentence.0);
        }
        self
    }
}

/// Says what will happen: the action of a tool of our own, or the tool of a server by its name in words.
fn sentence(
    asker: &str,
    tool: &Declaration,
    effect: Effect,
    arguments: &Map<String, Value>,
    messages: &'static Messages,
) -> String {
    // As the message `permission-effect` calls it.
    let effect = match effect {
        Effect::ReadOnly => "reads",
        Effect::Network => "fetches",
        Effect::Writes => "writes",
        Effect::Destructive => "deletes",
        Effect::Executes => "executes",
    };
    let Some((server, name)) = split_tool_name(&tool.name) else {
        let action = action(&tool.name, effect, messages);
        let values = listed(arguments, messages, |_, value| shown(value));
        return match values.is_empty() {
            true => messages.permission_request(asker, &action),
            false => messages.permission_request_with(asker, &action, &values),
        };
    };
    let values = listed(arguments, messages, |key, value| format!("{} {}", words(key), shown(value)));
    match values.is_empty() {
        true => messages.permission_request_of_server(effect, asker, server, &words(name)),
        false => messages.permission_request_of_server_with(effect, asker, server, &words(name), &values),
    }
}

/// The name by which the message `permission-action` knows what the call does: that of the tool with the effect, or that of
/// the tool. Another tool is told in words: the message repeats a name that it does not know.
fn action(tool: &str, effect: &str, messages: &Messages) -> String {
    let with_effect = format!("{tool}-{effect}");
    let is_known = |name: &&str| !messages.permission_action(name).contains(*name);
    [with_effect.as_str(), tool].into_iter().find(is_known).map_or_else(|| words(tool), str::to_owned)
}

/// The first arguments as `show` words them, and how many more there are.
fn listed(
    arguments: &Map<String, Value>,
    messages: &'static Messages,
    show: impl Fn(&str, &Value) -> String,
) -> String {
    let is_told = |(_, value): &(&String, &Value)| !value.is_null();
    let told: Vec<(&String, &Value)> = arguments.iter().filter(is_told).collect();
    let mut shown: Vec<String> =
        told.iter().take(SHOWN_ARGUMENTS).map(|(key, value)| show(key, value)).collect();
    match told.len().saturating_sub(SHOWN_ARGUMENTS) {
        0 => {}
        more => shown.push(messages.permission_more_values(i64::try_from(more).unwrap_or(i64::MAX))),
    }
    shown.join(", ")
}

/// The words of an identifier: `writeFile`, `write_file` and `write-file` are "write file".
fn words(identifier: &str) -> String {
    let mut words = String::new();
    for char in identifier.chars() {
        let begins_word = char.is_uppercase() && words.ends_with(char::is_lowercase);
        match char {
            '_' | '-' => words.push(' '),
            char if begins_word => {
                words.push(' ');
                words.extend(char.to_lowercase());
            }
            char => words.push(char),
        }
    }
    words.trim().to_owned()
}

/// A value on one line. Signs that change the direction of writing or hide text are left out.
fn shown(value: &Value) -> String {
    let text = without_hidden_signs(&value.to_string());
    let signs: Vec<char> = text.chars().collect();
    if signs.len() <= SHOWN_BEGINNING + SHOWN_END {
        return text;
    }
    let (beginning, end) = (&signs[..SHOWN_BEGINNING], &signs[signs.len() - SHOWN_END..]);
    beginning.iter().chain(&['…']).chain(end).collect()
}

/// The text without signs that change the direction of writing or hide text.
pub(crate) fn without_hidden_signs(text: &str) -> String {
    let is_hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    text.chars().filter(|c| !c.is_control() && !is_hidden(*c)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::ToolSource;

    #[rstest]
    #[case::built_in("deleteMeal", Effect::Destructive, json!({"id": 5}), "Friday wants to delete a meal: 5.")]
    #[case::values("setTimer", Effect::Writes, json!({"label": "tea"}), r#"Friday wants to set a timer: "tea"."#)]
    #[case::of_a_server("files__writeFile", Effect::Writes, json!({"file_path": "a\nb"}), r#"Friday wants to use the tool write file of the server files, which adds or changes data, with file path "a\nb"."#)]
    #[case::written("localFiles", Effect::Writes, json!({"operation": "write", "path": "a.txt"}), r#"Friday wants to save a file: "write", "a.txt"."#)]
    #[case::deleted("localFiles", Effect::Destructive, json!({"path": "a.txt"}), r#"Friday wants to move a file to the trash: "a.txt"."#)]
    #[case::no_arguments("undoAll", Effect::Writes, json!({}), "Friday wants to use undo all.")]
    #[case::hidden_signs("run", Effect::Executes, json!({"c": "ls\u{202e}\u{200b}"}), r#"Friday wants to use run: "ls"."#)]
    #[case::many_values("x", Effect::Writes, json!({"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}), "Friday wants to use x: 1, 2, 3, 4, 5, 6, 2 more values.")]
    #[case::value_left_out("cancelTimer", Effect::Writes, json!({"label": null}), "Friday wants to cancel a timer.")]
    fn sentence_says_what_the_call_would_do(
        #[case] name: &str,
        #[case] effect: Effect,
        #[case] arguments: Value,
        #[case] expected: &str,
    ) {
        let tool = declaration(name, effect);

        let request = ApprovalRequest::from_call(
            "Friday",
            &tool,
            tool.effect,
            arguments.as_object().unwrap(),
            true,
            None,
        );

        assert_eq!(*request.sentence, expected);
    }

    #[test]
    fn language_without_the_sentence_is_asked_in_english() {
        let japanese = Language::new("ja").unwrap();

        let request = ApprovalRequest::from_call(
            "Friday",
            &declaration("undo", Effect::Writes),
            Effect::Writes,
            &Map::new(),
            true,
            Some(&japanese),
        );

        assert_eq!(request.language, *Messages::english().language());
    }

    #[rstest]
    #[case::german("de", "Friday möchte einen Timer stellen: 4.")]
    #[case::spanish("es", "Friday quiere poner un temporizador: 4.")]
    #[case::french("fr", "Friday veut lancer un minuteur : 4.")]
    #[case::italian("it", "Friday vuole avviare un timer: 4.")]
    #[case::dutch("nl", "Friday wil een timer zetten: 4.")]
    #[case::portuguese("pt", "Friday quer iniciar um temporizador: 4.")]
    #[case::swedish("sv", "Friday vill ställa en timer: 4.")]
    #[case::turkish("tr", "Friday bir zamanlayıcı kurmak istiyor: 4.")]
    fn sentence_is_in_the_language_of_the_user(#[case] language: &str, #[case] expected: &str) {
        let (tool, arguments) = (declaration("setTimer", Effect::Writes), json!({"minutes": 4}));
        let language = Language::new(language);

        let request = ApprovalRequest::from_call(
            "Friday",
            &tool,
            Effect::Writes,
            arguments.as_object().unwrap(),
            true,
            language.as_ref(),
        );

        assert_eq!(*request.sentence, expected);
    }

    #[test]
    fn long_path_shows_which_file_it_leads_to() {
        let path = format!("Documents/{}../../.vimrc", "./".repeat(100));

        let shown = shown(&json!(path));

        assert!(shown.starts_with("\"Documents/./") && shown.ends_with("../../.vimrc\""), "{shown}");
    }

    #[test]
    fn long_value_is_shortened() {
        let arguments = json!({ "text": "x".repeat(10_000_000) });

        let request = ApprovalRequest::from_call(
            "Friday",
            &declaration("x", Effect::Writes),
            Effect::Writes,
            arguments.as_object().unwrap(),
            true,
            None,
        );

        assert!(request.sentence.contains("xx…xx"), "{}", *request.sentence);
        assert!(request.sentence.chars().count() < 200);
    }

    fn declaration(name: &str, effect: Effect) -> Declaration {
        Declaration {
            name: name.to_owned(),
            description: String::new(),
            parameters: json!({}),
            keywords: Vec::new(),
            examples: Vec::new(),
            effect,
            timeout: Duration::from_secs(1),
            source: ToolSource::BuiltIn,
        }
    }
}
