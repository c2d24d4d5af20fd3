//! The system message, and the lines that go with the newest message. What stays the same for all replies of a
//! conversation stands first, so that the model's prefix cache holds.
//!
//! Source of the duties: docs/behaviour/replying.md#system-message. The words are ours.

use llm::ToolSpec;
use serde_json::Value;
use vocabulary::{Language, Origin};

use crate::memory_use::memory_retriever::RetrievedContext;
use crate::planning::plan::Plan;
use crate::prompting::prompts::{
    FORM_HEARD, FORM_IN_LANGUAGE, FORM_READ, MEMORY_FOUND, MEMORY_IN_SHORT, MEMORY_UNKNOWN, SystemTemplates,
    fill,
};
use crate::tool_calls::text_call::FENCE;
use crate::tool_calls::tool_protocol::ToolProtocol;

/// A tool as the model is told about it.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    /// Name, description and schema.
    pub spec: ToolSpec,
    /// The arguments of one example call.
    pub example: Option<Example>,
}

/// A request, and the arguments of the call that answers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The words of a user.
    pub request: String,
    /// The arguments in one line.
    pub arguments: Value,
}

/// The system message for an assistant of this name, without tools.
pub fn system_message(name: &str, templates: &SystemTemplates) -> String {
    fill(templates.persona, &[("name", name)])
}

/// The rules for tools, and the tools themselves where they are described in the system message.
pub(crate) fn tool_section(
    templates: &SystemTemplates,
    protocol: ToolProtocol,
    tools: &[OfferedTool],
) -> String {
    let rules = fill(templates.tool_rules, &[]);
    match tool_block(Some(protocol), tools) {
        block if block.is_empty() => rules,
        block => format!("{rules}\n\n{block}"),
    }
}

/// The tools, and how to call them in text; empty if the provider takes them or there are none.
pub(crate) fn tool_block(protocol: Option<ToolProtocol>, tools: &[OfferedTool]) -> String {
    let Some(first) = tools.first() else { return String::new() };
    let lines: Vec<String> = tools.iter().map(tool_lines).collect();
    let lines = lines.join("\n");
    match protocol {
        None | Some(ToolProtocol::Native) => String::new(),
        Some(ToolProtocol::Constrained) => {
            fill(include_str!("../../prompts/constrained_protocol.md"), &[("tools", &lines)])
        }
        Some(ToolProtocol::Text) => {
            filled_with_example(include_str!("../../prompts/text_protocol.md"), tools, first, &lines)
        }
        Some(ToolProtocol::JsonHints) => {
            filled_with_example(include_str!("../../prompts/json_protocol.md"), tools, first, &lines)
        }
    }
}

/// A template with the lines of the tools, and a call of the first tool that has an example.
fn filled_with_example(template: &str, tools: &[OfferedTool], first: &OfferedTool, lines: &str) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    let shown = tools.iter().find(|tool| tool.example.is_some()).unwrap_or(first);
    let arguments =
        shown.example.as_ref().map_or_else(|| "{}".to_owned(), |example| example.arguments.to_string());
    let values = [
        ("fence", FENCE),
        ("tools", lines),
        ("names", &names.join(", ")),
        ("example_name", &shown.spec.name),
        ("example_arguments", &arguments),
    ];
    fill(template, &values)
}

/// Name, purpose, arguments and an example of one tool.
fn tool_lines(tool: &OfferedTool) -> String {
    let spec = &tool.spec;
    let description = spec.description.lines().next().unwrap_or_default();
    let arguments = arguments_summary(&spec.parameters);
    let arguments = if arguments.is_empty() { String::new() } else { format!(" ({arguments})") };
    let example = tool
        .example
        .as_ref()
        .map_or_else(String::new, |example| format!("\n  \"{}\" -> {}", example.request, example.arguments));
    format!("- {}: {description}{arguments}{example}", spec.name)
}

/// The arguments of a schema: `location: string, days: integer (required)`.
pub(crate) fn arguments_summary(schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some(properties) = schema["properties"].as_object() else { return String::new() };
    let arguments = properties.iter().map(|(name, schema)| {
        let kind = schema["type"].as_str().unwrap_or("any");
        let mark = if required.contains(&name.as_str()) { " (required)" } else { "" };
        format!("{name}: {kind}{mark}")
    });
    arguments.collect::<Vec<_>>().join(", ")
}

/// Returns the question for a model that the provider forces to choose a tool or none.
pub fn constrained_question() -> String {
    fill(include_str!("../../prompts/constrained_question.md"), &[])
}

/// The same for a model that knows more tools than it may choose.
pub(crate) fn named_choice_question(tools: &[OfferedTool]) -> String {
    let lines = tools.iter().map(|tool| {
        format!("- {}: {}", tool.spec.name, tool.spec.description.lines().next().unwrap_or_default())
    });
    let lines: Vec<String> = lines.collect();
    fill(include_str!("../../prompts/named_choice_question.md"), &[("tools", &lines.join("\n"))])
}

/// The language of the answer, and whether it is heard or read. Stands with the newest message, so that what comes before
/// it stays the same for all queries.
pub(crate) fn answer_form(origin: &Origin, speaks: bool, language: Option<&Language>) -> String {
    let form = if speaks && origin.is_spoken() { FORM_HEARD } else { FORM_READ };
    let form = fill(form, &[]);
    match language.map(english_name) {
        Some(language) => fill(FORM_IN_LANGUAGE, &[("language", language), ("form", &form)]),
        None => format!("[{form}]"),
    }
}

/// The plan as the model's own; empty if there is nothing to show.
pub(crate) fn plan_block(plan: &Plan) -> String {
    if !plan.is_shown() {
        return String::new();
    }
    let steps = plan.without_memory_steps().into_iter().enumerate();
    let lines: Vec<String> = steps.map(|(at, step)| format!("{}. {step}", at + 1)).collect();
    format!(
        "\n[ACTION PLAN: the steps you have decided on. Follow them in this order and do not stop before the last.\n{}]",
        lines.join("\n")
    )
}

/// The retrieved context, to stand beside the line with time and place; empty when there is nothing to add.
///
/// It is introduced as a record, not as instructions: what was once said must not steer the assistant.
pub(crate) fn memory_block(context: &RetrievedContext) -> String {
    if !context.found.is_empty() {
        return format!("\n{}", fill(MEMORY_FOUND, &[("entries", &context.text())]));
    }
    if context.is_unknown {
        return format!("\n{}", fill(MEMORY_UNKNOWN, &[]));
    }
    String::new()
}

/// A digest of memory in place of its entries.
pub(crate) fn memory_digest_block(digest: &str) -> String {
    format!("\n{}", fill(MEMORY_IN_SHORT, &[("digest", digest)]))
}

/// Models also understand the code of a language that we have no data of.
pub(crate) fn english_name(language: &Language) -> &str {
    languages::of(language).map_or(language.code(), |data| data.english_name)
}

#[cfg(test)]
mod tests {
    use llm::ModelSize;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn weather() -> OfferedTool {
        let parameters = json!({
            "type": "object",
            "properties": { "location": { "type": "string" }, "days": { "type": "integer" } },
            "required": ["location"],
        });
        OfferedTool {
            spec: ToolSpec {
                name: "getWeather".into(),
                description: "The weather of a town, now and for a week.\nMore.".into(),
                parameters,
            },
            example: Some(Example {
                request: "do I need a coat in Leeds?".into(),
                arguments: json!({ "location": "Leeds" }),
            }),
        }
    }

    #[rstest]
    #[case::small(ModelSize::Small)]
    #[case::large(ModelSize::Large)]
    fn system_message_of_jarvis(#[case] size: ModelSize) {
        insta::assert_snapshot!(
            format!("system_message_{size:?}").to_lowercase(),
            system_message("Jarvis", SystemTemplates::for_size(size))
        );
    }

    #[test]
    fn tools_are_described_where_the_provider_does_not_take_them() {
        insta::assert_snapshot!(tool_section(
            SystemTemplates::for_size(ModelSize::Small),
            ToolProtocol::Text,
            &[weather()]
        ));
    }

    #[test]
    fn answers_in_json_are_described_with_a_call_and_an_answer() {
        let block = tool_block(Some(ToolProtocol::JsonHints), &[weather()]);

        let call = r#"{"name": "getWeather", "arguments": {"location":"Leeds"}, "thoughts": "why"}"#;
        assert!(block.contains(call) && block.contains(r#"{"response": "#), "{block}");
        assert!(block.starts_with("TOOLS\n- getWeather: "), "{block}");
    }

    #[test]
    fn choice_of_a_small_model_is_described_with_examples() {
        insta::assert_snapshot!(tool_section(
            SystemTemplates::for_size(ModelSize::Small),
            ToolProtocol::Constrained,
            &[weather()]
        ));
    }

    #[test]
    fn native_tools_need_rules_only() {
        insta::assert_snapshot!(tool_section(
            SystemTemplates::for_size(ModelSize::Large),
            ToolProtocol::Native,
            &[weather()]
        ));
    }

    #[test]
    fn plan_of_several_steps_is_shown() {
        let plan =
            Plan::from_steps(["searchMemory", "getWeather location='Leeds'", "Reply."].map(str::to_owned));

        assert_eq!(
            plan_block(&plan),
            "\n[ACTION PLAN: the steps you have decided on. Follow them in this order and do not stop before the last.\n\
             1. getWeather location='Leeds'\n2. Reply.]"
        );
        assert_eq!(plan_block(&Plan::from_steps(["Reply.".to_owned()])), "");
    }

    #[test]
    fn form_of_the_answer_names_its_language() {
        let german = Language::new("de");

        assert_eq!(
            answer_form(&Origin::Voice, true, german.as_ref()),
            "[Answer in German. Your answer is read aloud: plain sentences, no Markdown, no lists, no headings.]"
        );
        assert!(!answer_form(&Origin::Typed, true, None).contains("Answer in"));
    }
}
