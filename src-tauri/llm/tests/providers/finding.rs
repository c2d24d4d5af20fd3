use std::path::Path;
use std::time::Duration;

use llm::{Finder, LlmError, ModelsProbe, ProviderKind, ProviderState, discover};
use settings::LlmSettings;
use testkit::{OllamaServer, OpenAiServer, ScriptedAnswer, ServerScript};

use crate::support::http;

/// Nothing of the embedded engine is installed in `folder`, unless a test puts it there.
fn probe(folder: &Path) -> ModelsProbe {
    ModelsProbe {
        worker: folder.join("llm-worker"),
        model: folder.join("tiny-135m.gguf"),
        idle_unload: Duration::from_secs(60),
    }
}

fn install(probe: &ModelsProbe) {
    std::fs::write(&probe.worker, "").unwrap();
    std::fs::write(&probe.model, "").unwrap();
}

fn settings(provider: &str, base_url: &str, chat_model: &str) -> LlmSettings {
    LlmSettings {
        provider: provider.into(),
        base_url: base_url.into(),
        chat_model: chat_model.into(),
        ..LlmSettings::default()
    }
}

/// What answers with these settings, as `model (provider)`.
async fn found(settings: LlmSettings, probe: &ModelsProbe) -> Result<String, LlmError> {
    Ok(discover(&settings, &http(), probe, None).await?.identity().to_string())
}

fn models(names: &[&str]) -> ServerScript {
    ServerScript::new([ScriptedAnswer::says("Rain.")]).with_models(names)
}

#[tokio::test]
async fn an_address_alone_is_enough_whatever_listens_there() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    let ollama = OllamaServer::start(models(&["qwen3:4b"]));
    let openai = OpenAiServer::start(models(&["llama"]));

    assert_eq!(found(settings("auto", &ollama.url(), ""), &probe).await.unwrap(), "qwen3:4b (Ollama)");
    assert_eq!(
        found(settings("auto", &openai.url(), ""), &probe).await.unwrap(),
        "llama (OpenAI-compatible)"
    );
}

#[tokio::test]
async fn a_model_that_chats_and_runs_here_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["nomic-embed-text:latest", "gpt-oss:120b-cloud", "mistral:latest", "qwen3:4b"];
    let server = OllamaServer::start(models(&names));
    let probe = probe(folder.path());

    assert_eq!(
        found(settings("ollama", &server.url(), ""), &probe).await.unwrap(),
        "mistral:latest (Ollama)"
    );
    let named = found(settings("ollama", &server.url(), "gpt-oss:120b-cloud"), &probe).await.unwrap();
    assert_eq!(named, "gpt-oss:120b-cloud (Ollama)");
    assert_eq!(
        found(settings("ollama", &server.url(), "mistral"), &probe).await.unwrap(),
        "mistral:latest (Ollama)"
    );
}

#[tokio::test]
async fn without_a_server_the_embedded_engine_answers() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    install(&probe);
    let gone = OllamaServer::start(models(&[])).url();

    assert_eq!(found(settings("auto", &gone, ""), &probe).await.unwrap(), "tiny-135m (embedded)");
    assert_eq!(found(settings("embedded", "", ""), &probe).await.unwrap(), "tiny-135m (embedded)");
}

#[tokio::test]
async fn a_server_without_a_chat_model_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    install(&probe);
    let server = OllamaServer::start(models(&["nomic-embed-text"]));

    assert_eq!(found(settings("auto", &server.url(), ""), &probe).await.unwrap(), "tiny-135m (embedded)");
    let error = found(settings("ollama", &server.url(), ""), &probe).await.unwrap_err();
    assert!(matches!(error, LlmError::NoChatModel { .. }), "{error:?}");
}

#[tokio::test]
async fn when_nothing_answers_every_place_tried_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let gone = OllamaServer::start(models(&[])).url();

    let error = found(settings("auto", &gone, ""), &probe(folder.path())).await.unwrap_err();

    let LlmError::NoProvider { tried } = &error else { panic!("{error:?}") };
    let kinds: Vec<_> = tried.iter().map(|tried| (tried.provider, tried.why.as_str())).collect();
    let expected = [
        (ProviderKind::Ollama, "not running"),
        (ProviderKind::OpenAi, "not running"),
        (ProviderKind::Embedded, "not installed"),
    ];
    assert_eq!(kinds, expected);
    assert!(error.remedy().contains("jarvis models fetch"), "{}", error.remedy());
}

#[tokio::test]
async fn what_is_wrong_with_the_settings_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let probe = probe(folder.path());
    let server = OllamaServer::start(models(&["qwen3:4b"]));
    let key = OpenAiServer::start(models(&["llama"]).with_api_key("right"));

    let error = found(settings("ollama", &server.url(), "mistral"), &probe).await.unwrap_err();
    assert!(error.remedy().contains("ollama pull mistral"), "{error:?}");
    let error = found(settings("auto", &server.url(), "mistral"), &probe).await.unwrap_err();
    assert!(matches!(error, LlmError::ModelMissing { .. }), "{error:?}");
    let error = found(settings("openai", &key.url(), ""), &probe).await.unwrap_err();
    assert!(matches!(error, LlmError::KeyRefused { .. }), "{error:?}");
    let error = found(settings("openai", &server.url(), ""), &probe).await.unwrap_err();
    assert!(matches!(error, LlmError::Garbage { .. }), "{error:?}");
    let error = found(settings("claptrap", "", ""), &probe).await.unwrap_err();
    assert!(matches!(error, LlmError::UnknownProvider { .. }), "{error:?}");
    let error = found(settings("auto", "ftp://example.org", ""), &probe).await.unwrap_err();
    assert!(matches!(error, LlmError::BadAddress { .. }), "{error:?}");
    let error = found(settings("embedded", "", ""), &probe).await.unwrap_err();
    assert!(matches!(error, LlmError::ModelMissing { .. }), "{error:?}");
}

#[tokio::test]
async fn a_report_lists_every_place_and_marks_the_one_that_answers() {
    let folder = tempfile::tempdir().unwrap();
    let server = OllamaServer::start(models(&["qwen3:4b", "mistral:latest"]));
    let finder =
        Finder::new(settings("ollama", &server.url(), "mistral"), http(), probe(folder.path()), None);

    let report = finder.report().await.unwrap();

    assert!(report[0].is_chosen);
    assert_eq!(report.iter().filter(|place| place.is_chosen).count(), 1);
    let expected = ProviderState::Ready {
        version: Some("0.12.6".into()),
        models: vec!["qwen3:4b".into(), "mistral:latest".into()],
    };
    assert_eq!((report[0].place.as_str(), &report[0].state), (server.url().as_str(), &expected));
    let embedded = report.last().unwrap();
    assert_eq!(embedded.provider, ProviderKind::Embedded);
    assert!(
        matches!(&embedded.state, ProviderState::NotReady { remedy, .. } if remedy.contains("under Models in the settings"))
    );
}
