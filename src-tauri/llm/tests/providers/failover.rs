use llm::{ChatModel, Failover, LlmError, ProviderFinder};
use settings::LlmSettings;
use testkit::{OllamaServer, OpenAiServer, ScriptedAnswer};

use crate::support::{ask, collect_reply, http, not_installed};

fn finder(base_url: &str) -> ProviderFinder {
    let settings = LlmSettings { base_url: base_url.into(), ..LlmSettings::default() };
    ProviderFinder::new(settings, http(), not_installed(), None)
}

#[tokio::test]
async fn request_succeeds_after_the_server_has_restarted() {
    let server = OllamaServer::start(ScriptedAnswer::says("Rain."));
    let (address, url) = (server.address(), server.url());
    let model = Failover::new(finder(&url));

    let before = collect_reply(&model, ask("Rain?")).await.unwrap();
    drop(server);
    let meanwhile = collect_reply(&model, ask("Rain?")).await.unwrap_err();
    let _back = OllamaServer::start_at(address, ScriptedAnswer::says("Sun."));
    let after = collect_reply(&model, ask("Rain?")).await.unwrap();

    assert_eq!((before.text.as_str(), after.text.as_str()), ("Rain.", "Sun."));
    assert!(matches!(meanwhile, LlmError::NoProvider { .. }), "{meanwhile:?}");
}

#[tokio::test]
async fn same_request_fails_over_to_another_server() {
    let server = OllamaServer::start(ScriptedAnswer::says("Rain."));
    let (address, url) = (server.address(), server.url());
    let model = Failover::new(finder(&url));
    collect_reply(&model, ask("Rain?")).await.unwrap();
    drop(server);
    let _other = OpenAiServer::start_at(address, ScriptedAnswer::says("Sun."));

    let reply = collect_reply(&model, ask("Rain?")).await.unwrap();

    assert_eq!(reply.text, "Sun.");
    assert_eq!(model.identity().to_string(), "test-model (OpenAI-compatible)");
}

#[tokio::test]
async fn new_finder_is_used_from_the_next_request_on() {
    let one = OllamaServer::start(ScriptedAnswer::says("One."));
    let two = OllamaServer::start(ScriptedAnswer::says("Two."));
    let model = Failover::new(finder(&one.url()));

    let first = collect_reply(&model, ask("Who?")).await.unwrap();
    model.set_finder(finder(&two.url()));
    let second = collect_reply(&model, ask("Who?")).await.unwrap();

    assert_eq!((first.text.as_str(), second.text.as_str()), ("One.", "Two."));
}
