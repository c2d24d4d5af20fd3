use std::time::Duration;

use llm::{ChatModel, Failover, Finder, LlmError, ModelsProbe};
use settings::LlmSettings;
use testkit::{OllamaServer, OpenAiServer, ScriptedAnswer};

use crate::support::{answer, ask, http};

fn finder(base_url: &str) -> Finder {
    let settings = LlmSettings { base_url: base_url.into(), ..LlmSettings::default() };
    let nowhere = std::path::PathBuf::from("nowhere");
    let probe = ModelsProbe {
        worker: nowhere.join("llm-worker"),
        model: nowhere.join("model.gguf"),
        idle_unload: Duration::from_secs(60),
    };
    Finder::new(settings, http(), probe, None)
}

#[tokio::test]
async fn the_reply_after_the_server_came_back_works() {
    let server = OllamaServer::start(ScriptedAnswer::says("Rain."));
    let (address, url) = (server.address(), server.url());
    let model = Failover::new(finder(&url));

    let before = answer(&model, ask("Rain?")).await.unwrap();
    drop(server);
    let meanwhile = answer(&model, ask("Rain?")).await.unwrap_err();
    let _back = OllamaServer::start_at(address, ScriptedAnswer::says("Sun."));
    let after = answer(&model, ask("Rain?")).await.unwrap();

    assert_eq!((before.text.as_str(), after.text.as_str()), ("Rain.", "Sun."));
    assert!(matches!(meanwhile, LlmError::NoProvider { .. }), "{meanwhile:?}");
}

#[tokio::test]
async fn another_server_takes_over_within_the_same_request() {
    let server = OllamaServer::start(ScriptedAnswer::says("Rain."));
    let (address, url) = (server.address(), server.url());
    let model = Failover::new(finder(&url));
    model.look().await.unwrap();
    drop(server);
    let _other = OpenAiServer::start_at(address, ScriptedAnswer::says("Sun."));

    let said = answer(&model, ask("Rain?")).await.unwrap();

    assert_eq!(said.text, "Sun.");
    assert_eq!(model.identity().to_string(), "test-model (OpenAI-compatible)");
}

#[tokio::test]
async fn other_settings_count_from_the_next_request_on() {
    let one = OllamaServer::start(ScriptedAnswer::says("One."));
    let two = OllamaServer::start(ScriptedAnswer::says("Two."));
    let model = Failover::new(finder(&one.url()));

    let first = answer(&model, ask("Who?")).await.unwrap();
    model.look_with(finder(&two.url()));
    let second = answer(&model, ask("Who?")).await.unwrap();

    assert_eq!((first.text.as_str(), second.text.as_str()), ("One.", "Two."));
}
