//! Which tools fit a query, and whether arguments fit a tool.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use ::tools::builtin::DesktopParts;
use ::tools::desktop::{ApplicationFolders, System, SystemPrograms};
use ::tools::files::{FileParts, SystemTrash};
use ::tools::selection::{STOP, keyword_names, names_in_reply, tokenise};
use ::tools::servers::RefreshServers;
use ::tools::{Declaration, ToolSearch};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "tool_selection.tokenise" => tokens,
        "tool_selection.keyword_strategy" => keyword_strategy,
        "tool_selection.llm_strategy_reply" => llm_strategy_reply,
        "mcp.flatten_content" => flatten_content,
        "mcp.split_tool_name" => split_tool_name,
        "mcp.validate_tool_args_against_schema" => validate_arguments,
        _ => return None,
    })
}

fn tokens(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        text: String,
    }
    let input: Input = read(input)?;
    Ok(json!(tokenise(&input.text)))
}

/// Names and descriptions.
#[derive(Deserialize)]
struct Catalogue(Map<String, Value>);

impl Catalogue {
    fn lines(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str().unwrap_or_default())).collect()
    }
}

fn keyword_strategy(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        catalogue: Catalogue,
        query: String,
    }
    let input: Input = read(input)?;
    Ok(names(&keyword_names(&input.catalogue.lines(), &input.query)))
}

fn llm_strategy_reply(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        catalogue: Catalogue,
        query: String,
        llm_reply: Option<String>,
    }
    let input: Input = read(input)?;
    Ok(names(&names_in_reply(&input.catalogue.lines(), &input.query, input.llm_reply.as_deref())))
}

fn names(names: &[&str]) -> Value {
    json!(names.iter().chain([&STOP]).collect::<BTreeSet<_>>())
}

fn flatten_content(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        content: Value,
    }
    let input: Input = read(input)?;
    Ok(json!(::tools::servers::flatten_content(&input.content)))
}

fn split_tool_name(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        name: String,
    }
    let input: Input = read(input)?;
    let split = ::tools::split_tool_name(&input.name);
    Ok(split.map_or(Value::Null, |(server, tool)| json!({ "server": server, "tool": tool })))
}

fn validate_arguments(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        tool_name: String,
        args: Map<String, Value>,
    }
    let input: Input = read(input)?;
    let tool =
        built_in(&input.tool_name).ok_or_else(|| format!("no built-in tool is named {}", input.tool_name))?;
    let faults = ::tools::arguments::key_faults(&tool.parameters, &input.args);
    Ok(if faults.is_empty() { Value::Null } else { json!(faults) })
}

/// The declaration of a built-in tool.
fn built_in(name: &str) -> Option<Declaration> {
    // No call runs here, so no memory, no files and no web are needed.
    let (_, memory) = tokio::sync::watch::channel(None);
    let files = FileParts {
        home: PathBuf::new(),
        private: Vec::new(),
        journal: PathBuf::new(),
        trash: Arc::new(SystemTrash),
    };
    let desktop = DesktopParts {
        programs: Arc::new(SystemPrograms),
        system: System::this(),
        applications: ApplicationFolders::new(Vec::new()),
        is_offline: tokio::sync::watch::channel(true).1,
    };
    let parts = ::tools::builtin::Parts {
        web: Some(crate::web::no_web()),
        files: Some(files),
        desktop: Some(desktop),
        documents: Some(PathBuf::new()),
        ..::tools::builtin::Parts::from_memory(memory)
    };
    let built_in = ::tools::builtin::all(parts);
    let declarations = built_in.iter().map(|tool| tool.declaration().clone());
    let others = [ToolSearch::describe(), RefreshServers::describe()];
    declarations.chain(others).find(|tool| tool.name == name)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::words("tool_selection.tokenise", json!({"text": "Get Weather-2"}), json!(["get", "weather", "2"]))]
    #[case::keyword(
        "tool_selection.keyword_strategy",
        json!({"catalogue": {"getWeather": "Tells the weather", "logMeal": "Logs a meal"}, "query": "log lunch"}),
        json!(["logMeal", "stop"])
    )]
    #[case::reply(
        "tool_selection.llm_strategy_reply",
        json!({"catalogue": {"getWeather": "", "logMeal": ""}, "query": "x", "llm_reply": "none"}),
        json!(["stop"])
    )]
    #[case::failed_reply(
        "tool_selection.llm_strategy_reply",
        json!({"catalogue": {"getWeather": "", "logMeal": ""}, "query": "x", "llm_reply": null}),
        json!(["getWeather", "logMeal", "stop"])
    )]
    #[case::no_content("mcp.flatten_content", json!({"content": null}), json!(""))]
    #[case::text_as_content("mcp.flatten_content", json!({"content": "tea"}), json!("tea"))]
    #[case::parts_of_content(
        "mcp.flatten_content",
        json!({"content": [{"type": "text", "text": "one"}, [{"data": "two"}, ""], null, {"text": "", "data": "x"}]}),
        json!("one\ntwo\nx")
    )]
    #[case::server("mcp.split_tool_name", json!({"name": "files__read__all"}), json!({"server": "files", "tool": "read__all"}))]
    #[case::no_server("mcp.split_tool_name", json!({"name": "getWeather"}), Value::Null)]
    #[case::fine("mcp.validate_tool_args_against_schema", json!({"tool_name": "toolSearchTool", "args": {"query": "x"}}), Value::Null)]
    #[case::faults(
        "mcp.validate_tool_args_against_schema",
        json!({"tool_name": "toolSearchTool", "args": {"q": "x"}}),
        json!({"unknown": ["q"], "missing": ["query"]})
    )]
    fn suite_answers_with_the_code_of_the_product(
        #[case] name: &str,
        #[case] input: Value,
        #[case] expected: Value,
    ) {
        assert_eq!(suite(name).unwrap()(input), Ok(expected));
    }

    #[test]
    fn every_tool_of_the_reference_is_known() {
        let names = "screenshot webSearch localFiles fetchWebPage logMeal fetchMeals deleteMeal refreshMCPTools getWeather \
                     toolSearchTool";
        let unknown: Vec<&str> = names.split_whitespace().filter(|name| built_in(name).is_none()).collect();

        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
