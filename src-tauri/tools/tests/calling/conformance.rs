//! The client scenarios of the conformance suite of the Model Context Protocol. It starts a server for each, then this program
//! again as the client: what runs is the code of Jarvis. Left out are those of
//! drafts and extensions.

use std::process::Command;

use rstest::rstest;
use serde_json::{Value, json};
use settings::ServerSettings;
use testkit::ScriptedApproval;
use tools::servers::ServerPhase;
use tools::{ApprovalAnswer, CallOutcome, CallStatus};

use crate::server_bench::{ServerBench, test_servers};
use crate::signing_in::browse;
use crate::support::context;

/// The variable in which the suite names the scenario to its client.
const SCENARIO: &str = "MCP_CONFORMANCE_SCENARIO";
/// The variable in which it tells what a user would have entered, as JSON.
const CONTEXT: &str = "MCP_CONFORMANCE_CONTEXT";
/// The document that the suite expects as the id of a client.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

#[rstest]
#[case::first_messages("initialize")]
#[case::call("tools_call")]
#[case::values_proposed_for_a_form("elicitation-sep1034-client-defaults")]
#[case::stream_that_is_taken_up_again("sse-retry")]
#[case::metadata("auth/metadata-default")]
#[case::metadata_at_a_path("auth/metadata-var1")]
#[case::metadata_elsewhere("auth/metadata-var2")]
#[case::metadata_of_openid("auth/metadata-var3")]
#[case::scope_of_the_refusal("auth/scope-from-www-authenticate")]
#[case::scope_of_the_metadata("auth/scope-from-scopes-supported")]
#[case::no_scope("auth/scope-omitted-when-undefined")]
#[case::scopes_without_end("auth/scope-retry-limit")]
#[case::secret_in_a_header("auth/token-endpoint-auth-basic")]
#[case::secret_in_the_body("auth/token-endpoint-auth-post")]
#[case::no_secret("auth/token-endpoint-auth-none")]
#[case::client_described_by_a_document("auth/basic-cimd")]
#[case::client_known_before("auth/pre-registration")]
#[case::more_rights_for_a_call("auth/scope-step-up")]
#[case::metadata_of_2025_03("auth/2025-03-26-oauth-metadata-backcompat")]
#[case::addresses_of_2025_03("auth/2025-03-26-oauth-endpoint-fallback")]
fn scenario_of_the_conformance_suite_passes(#[case] scenario: &str) {
    let root = test_servers().join("conformance/node_modules");
    let suite = root.join("@modelcontextprotocol/conformance/dist/index.js");
    assert!(
        suite.is_file(),
        "{} is missing: run `npm ci` in tests/tool_servers/conformance",
        suite.display()
    );
    let client = std::env::current_exe().unwrap();
    let client = format!("{} --ignored --exact conformance::client --nocapture", client.display());

    let run = Command::new(root.join(".bin/node"))
        .arg(suite)
        .args(["client", "--command", &client, "--scenario", scenario])
        .output()
        .unwrap();

    let said = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).join("\n");
    assert!(run.status.success(), "{said}");
}

/// Started by the suite, with the address of its server as the last argument.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the suite starts it"]
async fn client() {
    let url = std::env::args().next_back().unwrap();
    let call: Option<(&str, Value)> = match std::env::var(SCENARIO).unwrap().as_str() {
        "initialize" => None,
        "tools_call" => Some(("add_numbers", json!({ "a": 5, "b": 3 }))),
        "elicitation-sep1034-client-defaults" => Some(("test_client_elicitation_defaults", json!({}))),
        "sse-retry" => Some(("test_reconnection", json!({}))),
        scenario if scenario.starts_with("auth/") => Some(("test-tool", json!({}))),
        other => panic!("no call for {other}"),
    };

    let fixture = ServerBench::with(&[("suite", as_entered(url))]).await;
    sign_in_if_needed(&fixture).await;
    assert_eq!(fixture.servers.statuses()[0].phase, ServerPhase::Running);
    if let Some((tool, arguments)) = call {
        let mut outcome = called(&fixture, tool, arguments.clone()).await;
        // Some tools need more rights than the others.
        if sign_in_if_needed(&fixture).await {
            outcome = called(&fixture, tool, arguments).await;
        }
        assert_eq!(outcome.status, CallStatus::Done, "{:?}", outcome.result.text);
    }
    fixture.end().await;
}

/// The settings of the server, as a user would enter them for this scenario.
fn as_entered(url: String) -> ServerSettings {
    let told: Value =
        std::env::var(CONTEXT).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let client = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
    let (mut client_id, client_secret) = (client("client_id"), client("client_secret"));
    if std::env::var(SCENARIO).is_ok_and(|scenario| scenario == "auth/basic-cimd") {
        client_id = DOCUMENT.to_owned();
    }
    ServerSettings { url, client_id, client_secret, ..ServerSettings::default() }
}

/// Signs in if the server wants it. Returns `true` if it did.
async fn sign_in_if_needed(fixture: &ServerBench) -> bool {
    if fixture.servers.statuses()[0].phase != ServerPhase::SignInNeeded {
        return false;
    }
    fixture.servers.sign_in("suite", &browse).await.unwrap();
    fixture.reaches(&ServerPhase::Running).await;
    fixture.servers.refresh().await;
    true
}

async fn called(fixture: &ServerBench, tool: &str, arguments: Value) -> CallOutcome {
    let mut user = ScriptedApproval::new([ApprovalAnswer::Once]).saying(["Yes"]);
    fixture.outcome_with(&format!("suite__{tool}"), arguments, &context(), &mut user).await
}
