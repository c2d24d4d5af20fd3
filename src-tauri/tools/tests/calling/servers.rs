//! Servers of tools: the real ones of `tests/tool_servers`, and programs that are none.

use rstest::rstest;
use serde_json::json;
use settings::ServerSettings;
use tools::servers::ServerPhase;
use tools::{Effect, split_tool_name};

use crate::server_bench::{ServerBench, installed, program, said, test_servers};

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_two_servers_are_called_and_their_results_untrusted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("note.txt"), "The key is under the mat.").unwrap();
    let path = folder.path().to_str().unwrap();
    let fixture = ServerBench::with(&[
        ("files", installed("server-filesystem", &[path])),
        ("everything", installed("server-everything", &[])),
    ])
    .await;

    let echoed = fixture.call("everything__echo", json!({ "message": "hello" })).await;
    let read = fixture.call("files__read_text_file", json!({ "path": format!("{path}/note.txt") })).await;
    let outside = fixture.call("files__read_text_file", json!({ "path": "/etc/passwd" })).await;

    assert!(echoed.success && echoed.is_untrusted && echoed.text.unwrap().contains("hello"));
    assert_eq!(said(&read), "The key is under the mat.");
    assert!(!outside.success && outside.text.unwrap().to_lowercase().contains("access denied"));
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_ends_between_two_calls_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = installed("server-memory", &[]);
    memory
        .env
        .insert("MEMORY_FILE_PATH".into(), folder.path().join("memory.jsonl").to_string_lossy().into_owned());
    memory.idle_timeout_secs = 0.2;
    let fixture = ServerBench::with(&[("memory", memory)]).await;
    let entity =
        json!({ "entities": [{ "name": "Ann", "entityType": "person", "observations": ["likes tea"] }] });

    assert!(fixture.call("memory__create_entities", entity).await.success);
    fixture.reaches(&ServerPhase::Asleep).await;
    let found = fixture.call("memory__search_nodes", json!({ "query": "tea" })).await;

    assert!(found.text.unwrap().contains("Ann"));
    fixture.end().await;
}

#[rstest]
#[case::no_such_program(program("no-such-program-at-all", &[]), "was not found")]
#[case::ends_at_once(program("true", &[]), "could not be reached")]
#[case::writes_no_protocol(program("sh", &["-c", "yes | head -c 1000000; echo trouble >&2"]), "could not be reached")]
#[case::nothing_to_start(ServerSettings::default(), "needs a command or an address")]
#[tokio::test(flavor = "multi_thread")]
async fn server_that_does_not_work_says_why_and_touches_no_other(
    #[case] broken: ServerSettings,
    #[case] reason: &str,
) {
    let fixture = ServerBench::new();

    let statuses =
        fixture.configure(&[("broken", broken), ("everything", installed("server-everything", &[]))]).await;

    let ServerPhase::Failed(told) = &statuses[0].phase else { panic!("{statuses:?}") };
    assert!(told.contains(reason), "{told}");
    assert!(fixture.call("everything__echo", json!({ "message": "still here" })).await.success);
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_server_takes_its_tools_along_and_ends() {
    let fixture = ServerBench::with(&[("everything", installed("server-everything", &[]))]).await;
    assert!(!fixture.registry.catalogue().is_empty());

    fixture.configure(&[]).await;

    assert!(fixture.registry.catalogue().is_empty());
    fixture.end().await;
}

/// Servers of the catalogue that need no account, as the settings page adds them, started from `tests/tool_servers`.
#[rstest]
#[case::files("files", "server-filesystem", "read_text_file")]
#[case::memory("memory", "server-memory", "create_entities")]
#[case::everything("everything", "server-everything", "echo")]
#[tokio::test(flavor = "multi_thread")]
async fn server_of_the_catalogue_starts_at_its_version(
    #[case] name: &str,
    #[case] package: &str,
    #[case] tool: &str,
) {
    let folder = tempfile::tempdir().unwrap();
    let catalogue: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("../../../../ui/src/settings/servers/catalogue.json")).unwrap();
    let entry = catalogue.iter().find(|entry| entry["name"] == name).unwrap();
    let manifest =
        test_servers().join("node_modules/@modelcontextprotocol").join(package).join("package.json");
    let manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    let pinned = format!("@modelcontextprotocol/{package}@{}", manifest["version"].as_str().unwrap());
    let arguments: Vec<String> =
        entry["args"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    assert_eq!((&entry["command"], &arguments[..2]), (&"npx".into(), &["-y".to_owned(), pinned][..]));
    let place = folder.path().join("graph.jsonl");
    let filled = |text: &str| {
        text.replace("{folder}", folder.path().to_str().unwrap()).replace("{file}", place.to_str().unwrap())
    };
    let rest: Vec<String> = arguments[2..].iter().map(|text| filled(text)).collect();
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let mut server = installed(package, &rest);
    for (variable, value) in entry["env"].as_object().into_iter().flatten() {
        server.env.insert(variable.clone(), filled(value.as_str().unwrap()));
    }

    let fixture = ServerBench::with(&[(name, server)]).await;

    assert_eq!(fixture.servers.statuses()[0].phase, ServerPhase::Running);
    assert!(fixture.servers.statuses()[0].tools.contains(&format!("{name}__{tool}")));
    fixture.end().await;
}

/// Their hints are true, so the names must not stand against them.
#[tokio::test(flavor = "multi_thread")]
async fn tools_of_real_servers_have_sensible_effects() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = ServerBench::with(&[
        ("files", installed("server-filesystem", &[folder.path().to_str().unwrap()])),
        ("memory", installed("server-memory", &[])),
        ("everything", installed("server-everything", &[])),
    ])
    .await;

    let catalogue = fixture.registry.catalogue();
    let with_effect = |effect: Effect| {
        let tools = catalogue.declarations().filter(|tool| tool.effect == effect);
        let tools = tools.filter_map(|tool| split_tool_name(&tool.name)).map(|(_, tool)| tool);
        format!("{effect:?}: {}", tools.collect::<Vec<_>>().join(" "))
    };
    let effects = [Effect::Network, Effect::Writes, Effect::Destructive, Effect::Executes].map(with_effect);

    insta::assert_snapshot!(effects.join("\n"), @r"
    Network: echo get-annotated-message get-env get-resource-links get-resource-reference get-structured-content get-sum get-tiny-image readServerResource trigger-long-running-operation useServerPrompt directory_tree get_file_info list_allowed_directories list_directory list_directory_with_sizes read_file read_media_file read_multiple_files read_text_file search_files open_nodes readServerResource read_graph search_nodes
    Writes: gzip-file-as-resource simulate-research-query toggle-simulated-logging toggle-subscriber-updates trigger-elicitation-request create_directory add_observations create_entities create_relations
    Destructive: edit_file move_file write_file delete_entities delete_observations delete_relations
    Executes:
    ");
    fixture.end().await;
}
