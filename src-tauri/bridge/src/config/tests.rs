use rstest::rstest;
use serde_json::json;

use super::*;

fn read(file: Option<&str>) -> (BridgeConfig, ConfigReport) {
    BridgeConfig::read(file, Path::new("/home/ada"))
}

fn default_config() -> BridgeConfig {
    read(Some("{}")).0
}

#[test]
fn empty_configuration_has_the_defaults_of_the_bridge() {
    let (config, report) = read(Some("{}"));

    let filesystem = ConfiguredServer {
        name: "filesystem".into(),
        command: "npx".into(),
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/bridgeworkspace"]
            .map(str::to_owned)
            .to_vec(),
        env: Default::default(),
        folder: Some("/home/ada/bridgeworkspace".into()),
        url: String::new(),
        headers: Default::default(),
        is_started: true,
        always_allowed: Vec::new(),
        is_default: true,
    };
    let expected = BridgeConfig {
        model: "qwen2.5-coder:7b-instruct".into(),
        address: ServerAddress::read("http://127.0.0.1:11434").unwrap(),
        temperature: 0.7,
        max_tokens: 1_000,
        system_prompt: DEFAULT_SYSTEM_PROMPT.into(),
        servers: vec![filesystem],
    };
    assert_eq!((config, report), (expected, ConfigReport::default()));
}

#[rstest]
#[case::missing(None, "There is no configuration file.")]
#[case::empty(Some(""), "The configuration is not JSON: EOF while parsing a value at line 1 column 0.")]
#[case::cut_off(
    Some("{\"llm\": {"),
    "The configuration is not JSON: EOF while parsing an object at line 1 column 9."
)]
#[case::comment(Some("{} // mine"), "The configuration is not JSON: trailing characters at line 1 column 4.")]
#[case::trailing_comma(
    Some("{\"llm\": {},}"),
    "The configuration is not JSON: trailing comma at line 1 column 12."
)]
#[case::huge_number(
    Some("{\"llm\": {\"temperature\": 1e999}}"),
    "The configuration is not JSON: number out of range at line 1 column 29."
)]
#[case::list(Some("[]"), "The configuration is not a JSON object.")]
#[case::null(Some("null"), "The configuration is not a JSON object.")]
fn unusable_file_leaves_the_defaults(#[case] file: Option<&str>, #[case] problem: &str) {
    let (config, report) = read(file);

    assert_eq!((config, report.problems), (default_config(), vec![problem.to_owned()]));
}

#[test]
fn byte_order_mark_before_the_file_is_no_problem() {
    assert_eq!(read(Some("\u{feff}{}")), (default_config(), ConfigReport::default()));
}

#[test]
fn each_field_of_the_model_is_merged_by_itself() {
    let (config, report) =
        read(Some(r#"{"llm": {"model": "llama3.2", "baseUrl": "http://localhost:1234"}}"#));

    let expected = BridgeConfig {
        model: "llama3.2".into(),
        address: ServerAddress::read("http://127.0.0.1:1234").unwrap(),
        ..default_config()
    };
    assert_eq!((config, report), (expected, ConfigReport::default()));
}

#[rstest]
#[case::zero(json!({"temperature": 0, "maxTokens": 0}), 0.0, 0)]
#[case::fraction_of_zero(json!({"temperature": 1.5, "maxTokens": 200.0}), 1.5, 200)]
#[case::without_limit(json!({"maxTokens": -1}), 0.7, -1)]
#[case::null(json!({"temperature": null, "maxTokens": null, "model": null, "baseUrl": null}), 0.7, 1_000)]
fn numbers_of_the_model_are_kept(#[case] llm: Value, #[case] temperature: f64, #[case] max_tokens: i64) {
    let (config, report) = read(Some(&json!({ "llm": llm }).to_string()));

    let expected = BridgeConfig { temperature, max_tokens, ..default_config() };
    assert_eq!((config, report), (expected, ConfigReport::default()));
}

#[rstest]
#[case::model(json!({"llm": {"model": 7}}), "llm.model must be a text.")]
#[case::number_as_text(json!({"llm": {"temperature": "0.5"}}), "llm.temperature must be a number from 0.")]
#[case::negative(json!({"llm": {"temperature": -1}}), "llm.temperature must be a number from 0.")]
#[case::tokens_as_text(json!({"llm": {"maxTokens": "500"}}), "llm.maxTokens must be a whole number.")]
#[case::half_a_token(json!({"llm": {"maxTokens": 0.5}}), "llm.maxTokens must be a whole number.")]
#[case::address(json!({"llm": {"baseUrl": "no address"}}), "llm.baseUrl must be an address such as http://127.0.0.1:11434.")]
#[case::address_is_a_number(json!({"llm": {"baseUrl": 11434}}), "llm.baseUrl must be an address such as http://127.0.0.1:11434.")]
#[case::prompt(json!({"systemPrompt": ["Be kind."]}), "systemPrompt must be a text.")]
#[case::llm_is_a_list(json!({"llm": []}), "llm must be an object.")]
#[case::servers_are_a_list(json!({"mcpServers": []}), "mcpServers must be an object.")]
#[case::server_is_a_text(json!({"mcpServers": {"a": "npx"}}), "mcpServers.a must be an object.")]
#[case::no_command(json!({"mcpServers": {"a": {"args": []}}}), "mcpServers.a needs a command or a url.")]
#[case::blank_command(json!({"mcpServers": {"a": {"command": " "}}}), "mcpServers.a needs a command or a url.")]
#[case::command_is_a_number(json!({"mcpServers": {"a": {"command": 1}}}), "mcpServers.a.command must be a text.")]
fn wrong_value_is_reported_and_the_default_holds(#[case] file: Value, #[case] problem: &str) {
    let (config, report) = read(Some(&file.to_string()));

    assert_eq!((config, report.problems), (default_config(), vec![problem.to_owned()]));
}

#[rstest]
#[case::default(json!({}), DEFAULT_SYSTEM_PROMPT)]
#[case::top(json!({"systemPrompt": "Top."}), "Top.")]
#[case::of_the_model(json!({"systemPrompt": "Top.", "llm": {"systemPrompt": "Own."}}), "Own.")]
#[case::blank(json!({"systemPrompt": "Top.", "llm": {"systemPrompt": " "}}), "Top.")]
#[case::both_blank(json!({"systemPrompt": "", "llm": {"systemPrompt": ""}}), DEFAULT_SYSTEM_PROMPT)]
#[case::wrong_type(json!({"systemPrompt": "Top.", "llm": {"systemPrompt": 5}}), "Top.")]
fn prompt_of_the_model_wins_then_that_of_the_file(#[case] file: Value, #[case] expected: &str) {
    assert_eq!(read(Some(&file.to_string())).0.system_prompt, expected);
}

#[test]
fn servers_are_merged_over_the_default_one() {
    let file = json!({"mcpServers": {
        "brave": {"command": "npx", "args": ["-y", "brave"], "env": {"KEY": "${KEY}"}, "disabled": true},
        "filesystem": {"command": "node", "allowedDirectory": "/data", "alwaysAllow": ["read_file"]},
        "remote": {"url": "https://example.org/mcp", "headers": {"A": "b"}},
    }});

    let (config, report) = read(Some(&file.to_string()));

    let server = |name: &str, command: &str| ConfiguredServer {
        name: name.into(),
        command: command.into(),
        args: Vec::new(),
        folder: None,
        is_default: false,
        ..default_config().servers.remove(0)
    };
    let expected = [
        ConfiguredServer {
            folder: Some("/data".into()),
            always_allowed: vec!["read_file".into()],
            ..server("filesystem", "node")
        },
        ConfiguredServer {
            args: vec!["-y".into(), "brave".into()],
            env: [("KEY".to_owned(), "${KEY}".to_owned())].into(),
            is_started: false,
            ..server("brave", "npx")
        },
        ConfiguredServer {
            url: "https://example.org/mcp".into(),
            headers: [("A".to_owned(), "b".to_owned())].into(),
            ..server("remote", "")
        },
    ];
    assert_eq!((&config.servers[..], report), (&expected[..], ConfigReport::default()));
}

#[rstest]
#[case::arguments(json!({"command": "npx", "args": "-y"}), "mcpServers.a.args must be a list of texts.")]
#[case::argument_is_a_number(json!({"command": "npx", "args": ["-p", 80]}), "mcpServers.a.args must be a list of texts.")]
#[case::environment(json!({"command": "npx", "env": {"A": 1}}), "mcpServers.a.env must be an object of texts.")]
#[case::switched_off_by_a_text(json!({"command": "npx", "disabled": "yes"}), "mcpServers.a.disabled must be true or false.")]
fn server_with_a_wrong_member_is_not_started(#[case] server: Value, #[case] problem: &str) {
    let (config, report) = read(Some(&json!({"mcpServers": {"a": server}}).to_string()));

    assert_eq!(report.problems, [problem]);
    assert_eq!((config.servers[1].command.as_str(), config.servers[1].is_started), ("npx", false));
}

#[test]
fn members_without_a_meaning_are_listed() {
    let file = json!({
        "theme": "dark",
        "llm": {"apiKey": "ollama", "topP": 1},
        "mcpServers": {"a": {"command": "npx", "autoApprove": []}},
    });

    let (_, report) = read(Some(&file.to_string()));

    let ignored = ["theme", "llm.apiKey", "llm.topP", "mcpServers.a.autoApprove"].map(str::to_owned).to_vec();
    assert_eq!(report, ConfigReport { problems: Vec::new(), ignored });
}
