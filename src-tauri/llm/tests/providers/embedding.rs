use std::time::Duration;

use llm::{
    CancellationToken, EmbedError, EmbedRole, Embedder, LlmError, ProviderEmbedder, ProviderFinder,
    ProviderKind, ServerConfig, ServerEmbedder,
};
use rstest::rstest;
use serde_json::{Value, json};
use settings::{LlmSettings, Provider};
use testkit::{BagOfWords, OllamaServer, OpenAiServer, ScriptedAnswer, ServerScript};

use crate::support::{config, http, not_installed};

fn ollama(server: &OllamaServer) -> ServerEmbedder {
    ServerEmbedder::ollama(http(), config(&server.url()))
}

fn openai(server: &OpenAiServer) -> ServerEmbedder {
    ServerEmbedder::openai(http(), config(&server.url()))
}

async fn embed(model: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
    let texts: Vec<_> = texts.iter().map(ToString::to_string).collect();
    model.embed(&texts, EmbedRole::Passage, CancellationToken::new()).await
}

#[tokio::test]
async fn ollama_embeds_texts_in_one_request() {
    let server = OllamaServer::start(ScriptedAnswer::embeds(json!([[3, 4], [0, -2]])));
    let model = ollama(&server);
    let before = model.dimensions();

    let vectors = embed(&model, &["rain", "coat"]).await.unwrap();

    assert_eq!(vectors, [[0.6, 0.8], [0.0, -1.0]]);
    assert_eq!((before, model.dimensions()), (None, Some(2)));
    assert_eq!(model.id().to_string(), "ollama/test-model");
    let expected = json!({
        "model": "test-model", "input": ["rain", "coat"], "truncate": true, "keep_alive": "1800s",
    });
    assert_eq!(server.asked(), [expected]);
}

#[tokio::test]
async fn openai_vectors_are_sorted_by_their_index() {
    let server = OpenAiServer::start(ScriptedAnswer::embeds(json!([[3, 4], [0, -2]])));
    let model = openai(&server);

    let vectors = embed(&model, &["rain", "coat"]).await.unwrap();

    assert_eq!(vectors, [[0.6, 0.8], [0.0, -1.0]]);
    assert_eq!(model.id().to_string(), format!("openai/test-model at {}", server.address()));
    let expected = json!({ "model": "test-model", "input": ["rain", "coat"], "encoding_format": "float" });
    assert_eq!(server.asked(), [expected]);
}

#[tokio::test]
async fn texts_are_sent_in_batches_of_thirty_two() {
    let vectors = |count: usize| ScriptedAnswer::embeds(json!(vec![json!([1, 0]); count]));
    let server = OllamaServer::start([vectors(32), vectors(32), vectors(6)]);
    let model = ollama(&server);

    let none = embed(&model, &[]).await.unwrap();
    let many = embed(&model, &["rain"; 70]).await.unwrap();

    assert_eq!((none.len(), many.len()), (0, 70));
    let sizes: Vec<_> = server.asked().iter().map(|body| body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [32, 32, 6]);
}

#[tokio::test]
async fn empty_and_long_texts_are_changed_for_openai_servers() {
    let script = ServerScript::new([ScriptedAnswer::embeds(json!([[1, 0], [0, 1]]))])
        .rejecting("encoding_format", "unknown field encoding_format");
    let server = OpenAiServer::start(script);

    embed(&openai(&server), &["", &"word ".repeat(10_000)]).await.unwrap();

    let last = server.asked().pop().unwrap();
    assert_eq!(last.get("encoding_format"), None);
    assert_eq!(last["input"][0], ".");
    assert_eq!(last["input"][1].as_str().unwrap().len(), 2_000);
}

#[tokio::test]
async fn api_key_is_sent_with_embedding_requests() {
    let script = ServerScript::new([ScriptedAnswer::embeds(json!([[1, 0]]))]).with_api_key("right");
    let server = OpenAiServer::start(script);
    let with_key = |key: &str| {
        let config = ServerConfig { api_key: Some(key.to_owned().into()), ..config(&server.url()) };
        ServerEmbedder::openai(http(), config)
    };

    let right = embed(&with_key("right"), &["rain"]).await;
    let wrong = embed(&with_key("wrong"), &["rain"]).await.unwrap_err();

    assert!(right.is_ok(), "{right:?}");
    assert!(matches!(wrong, EmbedError::Server(LlmError::KeyRefused { code: 401 })), "{wrong:?}");
}

#[rstest]
#[case::too_old(
    ScriptedAnswer::refuses(404, "404 page not found"),
    "Update Ollama to 0.3 or later, or use the built-in embedding model."
)]
#[case::a_model_that_chats(
    ScriptedAnswer::refuses(400, r#"{"error":"this model does not support embeddings"}"#),
    "Choose an embedding model, for example after `ollama pull nomic-embed-text`."
)]
#[case::no_such_model(
    ScriptedAnswer::refuses(404, r#"{"error":"model \"test-model\" not found, try pulling it first"}"#),
    "Fetch it under Models in the settings or with `ollama pull test-model`, or choose another model there."
)]
#[tokio::test]
async fn ollama_error_has_a_remedy_for_embeddings(#[case] refusal: ScriptedAnswer, #[case] remedy: &str) {
    let server = OllamaServer::start(refusal);

    let error = embed(&ollama(&server), &["rain"]).await.unwrap_err();

    assert_eq!(error.remedy(), remedy, "{error:?}");
    assert!(!error.is_transient());
}

#[tokio::test]
async fn server_without_embeddings_suggests_the_start_option() {
    let body = r#"{"error":{"code":501,"message":"This server does not support embeddings. Start it with `--embeddings`","type":"not_supported_error"}}"#;
    let server = OpenAiServer::start(ScriptedAnswer::refuses(501, body));

    let error = embed(&openai(&server), &["rain"]).await.unwrap_err();

    let is_expected = matches!(&error, EmbedError::ServerUnsupported { provider: ProviderKind::OpenAi, .. });
    assert!(is_expected, "{error:?}");
    assert!(error.remedy().contains("--embeddings"), "{}", error.remedy());
}

#[rstest]
#[case::too_few(json!([[1, 0]]), "the server returned 1 vectors for 2 texts")]
#[case::too_many(json!([[1, 0], [1, 0], [1, 0]]), "the server returned 3 vectors for 2 texts")]
#[case::empty(json!([[1, 0], []]), "the embedding model returned a vector that is empty")]
#[case::all_zero(json!([[1, 0], [0, 0]]), "the embedding model returned a vector that is all zero")]
#[case::too_large_to_be_a_number(
    json!([[1, 0], [1e300, 0]]),
    "the embedding model returned a vector that contains a value that is not a finite number"
)]
#[case::of_another_size(
    json!([[1, 0], [1, 0, 0]]),
    "the embedding model returned a vector of 3 dimensions instead of 2"
)]
#[case::no_vectors(
    json!([[1, 0], "rain"]),
    "the language model server sent an invalid response: the JSON has an unexpected structure"
)]
#[tokio::test]
async fn invalid_vectors_are_reported_with_their_fault(#[case] vectors: Value, #[case] expected: &str) {
    let native = OllamaServer::start(ScriptedAnswer::embeds(vectors.clone()));
    let compatible = OpenAiServer::start(ScriptedAnswer::embeds(vectors));

    for model in [ollama(&native), openai(&compatible)] {
        let error = embed(&model, &["rain", "coat"]).await.unwrap_err();

        assert_eq!(error.to_string(), expected);
        assert!(!error.remedy().is_empty());
    }
}

#[tokio::test]
async fn server_failure_is_transient_and_can_be_retried() {
    let crash = ScriptedAnswer::refuses(500, r#"{"error":"llama runner process has terminated"}"#);
    let server = OllamaServer::start([crash, ScriptedAnswer::embeds(json!([[1, 0]]))]);
    let model = ollama(&server);

    let error = embed(&model, &["rain"]).await.unwrap_err();
    let again = embed(&model, &["rain"]).await;

    assert!(error.is_transient(), "{error:?}");
    assert!(again.is_ok(), "{again:?}");
}

#[tokio::test]
async fn cancellation_ends_the_call_and_the_connection() {
    let slow = ScriptedAnswer::embeds(json!([[1, 0]])).with_first_token_delay(Duration::from_secs(3600));
    let server = OllamaServer::start(slow);
    let stop = CancellationToken::new();
    let model = ollama(&server);
    let texts = ["rain".to_owned()];
    let embedding = model.embed(&texts, EmbedRole::Query, stop.clone());

    let (stopped, ()) = tokio::join!(embedding, async {
        while server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    });

    assert!(matches!(stopped, Err(EmbedError::Cancelled)), "{stopped:?}");
    server.abandoned(1).await;
}

#[tokio::test]
async fn embedding_errors_do_not_quote_the_user() {
    let body = r#"{"error":"cannot read: my neighbour's name is Ada"}"#;
    let server = OllamaServer::start(ScriptedAnswer::refuses(400, body));

    let error = embed(&ollama(&server), &["my neighbour's name is Ada"]).await.unwrap_err();

    assert!(!format!("{error} {error:?} {}", error.trouble()).contains("Ada"), "{error}");
}

#[tokio::test]
async fn bag_of_words_scores_texts_by_shared_words() {
    let model = BagOfWords::failing([EmbedError::Cancelled]);
    let failed = embed(&model, &["rain"]).await;

    let vectors = embed(&model, &["Rain in Leeds", "in Leeds, rain!", "a cup of tea", ""]).await.unwrap();

    let similarity = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum::<f32>();
    assert!(failed.is_err());
    assert!((similarity(0, 1) - 1.0).abs() < 1e-6);
    assert_eq!((similarity(0, 2), similarity(0, 3)), (0.0, 0.0));
    assert_eq!(model.asked().len(), 2);
}

/// A server with a chat model and an embedding model, which answers with these vectors.
fn with_minilm(vectors: Value) -> ServerScript {
    ServerScript::new([ScriptedAnswer::embeds(vectors)]).with_models(&["test-model", "minilm"])
}

/// An embedder at whatever provider is found, for these settings.
fn at_provider(provider: Provider, base_url: &str) -> ProviderEmbedder {
    let settings = LlmSettings { provider, base_url: base_url.into(), ..LlmSettings::default() };
    ProviderEmbedder::new(ProviderFinder::new(settings, http(), not_installed(), None), "minilm")
}

#[tokio::test]
async fn found_openai_server_embeds_although_the_settings_name_no_protocol() {
    let server = OpenAiServer::start(with_minilm(json!([[3, 4]])));
    let model = at_provider(Provider::Auto, &server.url());

    let vectors = embed(&model, &["rain"]).await.unwrap();

    assert_eq!(vectors, [[0.6, 0.8]]);
    assert_eq!(model.id().to_string(), format!("openai/minilm at {}", server.address()));
    assert_eq!(server.asked(), [json!({"model": "minilm", "input": ["rain"], "encoding_format": "float"})]);
}

#[tokio::test]
async fn found_ollama_server_embeds_in_its_own_protocol() {
    let server = OllamaServer::start(with_minilm(json!([[3, 4]])));
    let model = at_provider(Provider::Auto, &server.url());

    let vectors = embed(&model, &["rain"]).await.unwrap();

    assert_eq!((vectors, model.id().to_string()), (vec![vec![0.6, 0.8]], "ollama/minilm".to_owned()));
    assert_eq!(server.asked()[0]["keep_alive"], "1800s");
}

#[tokio::test]
async fn embedded_engine_has_no_embeddings() {
    let error = embed(&at_provider(Provider::Embedded, ""), &["rain"]).await.unwrap_err();

    assert!(matches!(error, EmbedError::NoServer), "{error:?}");
}

#[tokio::test]
async fn vectors_of_another_server_are_refused_until_its_id_is_known() {
    let server = OllamaServer::start(with_minilm(json!([[3, 4]])));
    let (address, url) = (server.address(), server.url());
    let model = at_provider(Provider::Auto, &url);
    embed(&model, &["rain"]).await.unwrap();
    drop(server);
    let other = OpenAiServer::start_at(address, with_minilm(json!([[0, 2]])));

    let mixed = embed(&model, &["coat"]).await;
    let id = model.id().to_string();
    let vectors = embed(&model, &["coat"]).await.unwrap();

    assert!(mixed.is_err(), "{mixed:?}");
    assert_eq!((id, vectors), (format!("openai/minilm at {}", other.address()), vec![vec![0.0, 1.0]]));
}
