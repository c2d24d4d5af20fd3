//! The choice between tools and none, in a form that the provider enforces.

use llm::{ToolCall, ToolCallId, ToolSpec};
use serde_json::{Map, Value, json};

use crate::prompting::prompt::OfferedTool;

/// The part of a form of a choice that is about the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentForm {
    /// Those of the tool's schema.
    OfTheTool,
    /// Any object, if the provider cannot enforce the schema of one of the tools.
    AnyObject,
}

/// The tools that a model chooses among.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choices<'a> {
    pub tools: &'a [OfferedTool],
    /// The model may choose none of them.
    pub allow_none: bool,
}

/// The form of a choice: one object for each tool with its arguments, and one for no tool if that is allowed, which comes first.
pub(crate) fn choice_schema(choices: Choices<'_>, form: ArgumentForm) -> Value {
    let Choices { tools, allow_none } = choices;
    let mut definitions = Map::new();
    let none = json!({
        "type": "object",
        "properties": { "tool": { "const": "none" } },
        "required": ["tool"],
        "additionalProperties": false,
    });
    let choices = tools.iter().map(|tool| {
        json!({
            "type": "object",
            "properties": {
                "tool": { "const": tool.spec.name },
                "arguments": argument_schema(&tool.spec, form, &mut definitions),
            },
            "required": ["tool", "arguments"],
            "additionalProperties": false,
        })
    });
    let choices: Vec<Value> = allow_none.then_some(none).into_iter().chain(choices).collect();
    match definitions.is_empty() {
        true => json!({ "anyOf": choices }),
        false => json!({ "anyOf": choices, "$defs": definitions }),
    }
}

/// The schema of a tool's arguments within the form. One with references becomes a definition of the form, and its
/// references lead there.
fn argument_schema(tool: &ToolSpec, form: ArgumentForm, definitions: &mut Map<String, Value>) -> Value {
    if form == ArgumentForm::AnyObject {
        return json!({ "type": "object" });
    }
    let root = format!("#/$defs/{}", tool.name);
    let mut parameters = tool.parameters.clone();
    if !move_references(&mut parameters, &root) {
        return parameters;
    }
    definitions.insert(tool.name.to_string(), parameters);
    json!({ "$ref": root })
}

/// Makes references to parts of a schema lead to the same parts below `root`. Returns `true` if there are some.
fn move_references(schema: &mut Value, root: &str) -> bool {
    let mut has_moved = false;
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(to)) = object.get_mut("$ref")
                && let Some(part) = to.strip_prefix('#')
            {
                *to = format!("{root}{part}");
                has_moved = true;
            }
            for value in object.values_mut() {
                has_moved |= move_references(value, root);
            }
        }
        Value::Array(values) => {
            for value in values {
                has_moved |= move_references(value, root);
            }
        }
        _ => {}
    }
    has_moved
}

/// The call that the model chose; `None` for no tool.
pub(crate) fn chosen_call(choice: &str, number: usize) -> Option<ToolCall> {
    let choice: Value = serde_json::from_str(choice.trim()).ok()?;
    let name = choice["tool"].as_str().filter(|name| *name != "none")?;
    let arguments = choice.get("arguments").cloned().unwrap_or_else(|| json!({}));
    Some(ToolCall { id: ToolCallId(format!("choice-{number}")), name: name.to_owned(), arguments })
}

/// Returns `true` for a choice of a tool or of none.
pub(crate) fn is_choice(text: &str) -> bool {
    serde_json::from_str::<Value>(text.trim()).is_ok_and(|value| value["tool"].is_string())
}

/// Returns `true` for a text that no enforced form can give: it does not even begin as an object. One that is cut off does.
pub(crate) fn is_no_choice(choice: &str) -> bool {
    let choice = choice.trim_start();
    !choice.is_empty() && !choice.starts_with('{')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::tool(r#"{"tool": "getTime", "arguments": {"place": "Tokyo"}}"#, Some(json!({ "place": "Tokyo" })))]
    #[case::none(r#"{"tool": "none"}"#, None)]
    #[case::cut_off(r#"{"tool": "getTime", "argu"#, None)]
    fn choice_is_a_call_or_none(#[case] choice: &str, #[case] expected: Option<Value>) {
        assert_eq!(chosen_call(choice, 0).map(|call| call.arguments), expected);
    }

    fn offered(name: &str, parameters: Value) -> OfferedTool {
        let spec = ToolSpec { name: name.into(), description: String::new(), parameters };
        OfferedTool { spec, example: None }
    }

    #[test]
    fn references_lead_to_the_same_part_within_the_form() {
        let node = json!({
            "type": "object",
            "properties": { "level": { "$ref": "#/$defs/Level" }, "next": { "$ref": "#" } },
            "$defs": { "Level": { "enum": ["low", "high"] } },
        });
        let plain = json!({ "type": "object", "properties": { "place": { "type": "string" } } });

        let tools = [offered("dim", node), offered("getTime", plain.clone())];
        let form = choice_schema(Choices { tools: &tools, allow_none: true }, ArgumentForm::OfTheTool);

        let arguments = |at: usize| &form["anyOf"][at]["properties"]["arguments"];
        assert_eq!((arguments(1), arguments(2)), (&json!({ "$ref": "#/$defs/dim" }), &plain));
        let properties = &form["$defs"]["dim"]["properties"];
        for (property, part) in [("level", "/$defs/dim/$defs/Level"), ("next", "/$defs/dim")] {
            assert_eq!(properties[property]["$ref"], format!("#{part}"));
            assert!(form.pointer(part).is_some(), "{part}");
        }
    }

    #[test]
    fn loose_form_takes_any_arguments_of_a_tool_by_its_name() {
        let odd = json!({ "type": "object", "properties": { "a": { "pattern": "(?=b)" } } });

        let tools = [offered("dim", odd)];
        let form = choice_schema(Choices { tools: &tools, allow_none: true }, ArgumentForm::AnyObject);

        assert_eq!(
            form["anyOf"][1]["properties"],
            json!({ "tool": { "const": "dim" }, "arguments": { "type": "object" } })
        );
    }

    #[test]
    fn form_of_a_tool_that_has_to_be_called_has_no_other_choice() {
        let tools = [offered("dim", json!({ "type": "object" }))];

        let form = choice_schema(Choices { tools: &tools, allow_none: false }, ArgumentForm::OfTheTool);

        let names: Vec<&Value> =
            form["anyOf"].as_array().unwrap().iter().map(|it| &it["properties"]["tool"]["const"]).collect();
        assert_eq!(names, ["dim"]);
    }

    #[rstest]
    #[case::choice(r#"{"tool": "none"}"#, false)]
    #[case::cut_off(r#" {"tool": "getTi"#, false)]
    #[case::nothing("", false)]
    #[case::talk("It is noon.", true)]
    #[case::fence("```json\n{}\n```", true)]
    fn text_of_another_form_shows_that_none_is_enforced(#[case] choice: &str, #[case] expected: bool) {
        assert_eq!(is_no_choice(choice), expected);
    }
}
