use std::path::Path;
use std::time::Duration;

use llm::{EmbeddedOptions, LlmError, ModelSize, ProviderFinder, ProviderKind, ProviderState};
use settings::{LlmSettings, Provider};
use testkit::{OllamaServer, OpenAiServer, ScriptedAnswer, ServerScript};

use crate::support::http;

/// Options for an embedded engine that is not installed in `folder`.
fn options(folder: &Path) -> EmbeddedOptions {
    EmbeddedOptions {
        worker: folder.join("llm-worker"),
        model: folder.join("tiny-135m.gguf"),
        idle_unload: Duration::from_secs(60),
        kept_beginnings: None,
    }
}

fn install(options: &EmbeddedOptions) {
    std::fs::write(&options.worker, "").unwrap();
    std::fs::write(&options.model, "").unwrap();
}

fn settings(provider: Provider, base_url: &str, chat_model: &str) -> LlmSettings {
    LlmSettings {
        provider,
        base_url: base_url.into(),
        chat_model: chat_model.into(),
        ..LlmSettings::default()
    }
}

/// The model found with these settings, as `model (provider)`.
async fn find(settings: LlmSettings, options: &EmbeddedOptions) -> Result<String, LlmError> {
    let finder = ProviderFinder::new(settings, http(), options.clone(), None);
    Ok(finder.find().await?.identity().to_string())
}

fn models(names: &[&str]) -> ServerScript {
    ServerScript::new([ScriptedAnswer::says("Rain.")]).with_models(names)
}

#[tokio::test]
async fn api_of_the_configured_address_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let ollama = OllamaServer::start(models(&["qwen3:4b"]));
    let openai = OpenAiServer::start(models(&["llama"]));

    assert_eq!(
        find(settings(Provider::Auto, &ollama.url(), ""), &options).await.unwrap(),
        "qwen3:4b (Ollama)"
    );
    assert_eq!(
        find(settings(Provider::Auto, &openai.url(), ""), &options).await.unwrap(),
        "llama (OpenAI-compatible)"
    );
}

#[tokio::test]
async fn size_of_a_model_is_what_ollama_tells() {
    let folder = tempfile::tempdir().unwrap();
    let server = OllamaServer::start(models(&["gpt-oss:latest"]).with_parameter_size("3.2B"));
    let settings = settings(Provider::Ollama, &server.url(), "");
    let finder = ProviderFinder::new(settings, http(), options(folder.path()), None);

    let identity = finder.find().await.unwrap().identity();

    assert_eq!((identity.parameters, identity.size()), (Some(3_200_000_000), ModelSize::Small));
}

#[tokio::test]
async fn local_chat_model_is_preferred_unless_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["nomic-embed-text:latest", "gpt-oss:120b-cloud", "mistral:latest", "qwen3:4b"];
    let server = OllamaServer::start(models(&names));
    let options = options(folder.path());

    assert_eq!(
        find(settings(Provider::Ollama, &server.url(), ""), &options).await.unwrap(),
        "mistral:latest (Ollama)"
    );
    let named =
        find(settings(Provider::Ollama, &server.url(), "gpt-oss:120b-cloud"), &options).await.unwrap();
    assert_eq!(named, "gpt-oss:120b-cloud (Ollama)");
    assert_eq!(
        find(settings(Provider::Ollama, &server.url(), "mistral"), &options).await.unwrap(),
        "mistral:latest (Ollama)"
    );
}

#[tokio::test]
async fn embedded_model_is_used_when_no_server_responds() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    install(&options);
    let gone = OllamaServer::start(models(&[])).url();

    assert_eq!(find(settings(Provider::Auto, &gone, ""), &options).await.unwrap(), "tiny-135m (embedded)");
    assert_eq!(find(settings(Provider::Embedded, "", ""), &options).await.unwrap(), "tiny-135m (embedded)");
}

#[tokio::test]
async fn server_without_chat_model_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    install(&options);
    let server = OllamaServer::start(models(&["nomic-embed-text"]));

    assert_eq!(
        find(settings(Provider::Auto, &server.url(), ""), &options).await.unwrap(),
        "tiny-135m (embedded)"
    );
    let error = find(settings(Provider::Ollama, &server.url(), ""), &options).await.unwrap_err();
    assert!(matches!(error, LlmError::NoChatModel { .. }), "{error:?}");
}

#[tokio::test]
async fn error_lists_all_providers_that_were_tried() {
    let folder = tempfile::tempdir().unwrap();
    let gone = OllamaServer::start(models(&[])).url();

    let error = find(settings(Provider::Auto, &gone, ""), &options(folder.path())).await.unwrap_err();

    let LlmError::NoProvider { tried } = &error else { panic!("{error:?}") };
    let kinds: Vec<_> = tried.iter().map(|tried| (tried.provider, tried.reason.as_str())).collect();
    let expected = [
        (ProviderKind::Ollama, "not running"),
        (ProviderKind::OpenAi, "not running"),
        (ProviderKind::Embedded, "not installed"),
    ];
    assert_eq!(kinds, expected);
    assert!(error.remedy().contains("jarvis models fetch"), "{}", error.remedy());
}

#[tokio::test]
async fn each_wrong_setting_has_its_own_error() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let server = OllamaServer::start(models(&["qwen3:4b"]));
    let key = OpenAiServer::start(models(&["llama"]).with_api_key("right"));

    let error = find(settings(Provider::Ollama, &server.url(), "mistral"), &options).await.unwrap_err();
    assert!(error.remedy().contains("ollama pull mistral"), "{error:?}");
    let error = find(settings(Provider::Auto, &server.url(), "mistral"), &options).await.unwrap_err();
    assert!(matches!(error, LlmError::ModelMissing { .. }), "{error:?}");
    let error = find(settings(Provider::OpenAi, &key.url(), ""), &options).await.unwrap_err();
    assert!(matches!(error, LlmError::KeyRefused { .. }), "{error:?}");
    let error = find(settings(Provider::OpenAi, &server.url(), ""), &options).await.unwrap_err();
    assert!(matches!(error, LlmError::InvalidResponse { .. }), "{error:?}");
    let error = find(settings(Provider::Auto, "ftp://example.org", ""), &options).await.unwrap_err();
    assert!(matches!(error, LlmError::BadAddress { .. }), "{error:?}");
    let error = find(settings(Provider::Embedded, "", ""), &options).await.unwrap_err();
    assert!(matches!(error, LlmError::ModelMissing { .. }), "{error:?}");
}

#[tokio::test]
async fn report_lists_all_providers_and_marks_the_selected_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = OllamaServer::start(models(&["qwen3:4b", "mistral:latest"]));
    let finder = ProviderFinder::new(
        settings(Provider::Ollama, &server.url(), "mistral"),
        http(),
        options(folder.path()),
        None,
    );

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
