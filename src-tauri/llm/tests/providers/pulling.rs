//! Models that an Ollama server fetches.

use std::time::Duration;

use futures::StreamExt;
use llm::{
    CancellationToken, LlmError, OllamaPuller, ProviderFinder, ProviderState, PullError, PullEvent,
    PullLimits, PullProgress, ServerConfig,
};
use rstest::rstest;
use serde_json::json;
use settings::{LlmSettings, Provider};
use testkit::{OllamaServer, OpenAiServer, ScriptedAnswer, ScriptedPull, ServerScript};

use crate::support::{SILENCE, config, http, not_installed};

fn server(pull: ScriptedPull) -> OllamaServer {
    OllamaServer::start(ServerScript::new([]).with_models(&["other"]).with_pulls([pull]))
}

fn puller(url: &str) -> OllamaPuller {
    OllamaPuller::new(&http(), config(url))
}

/// Limits that a test can wait for.
const SHORT: PullLimits = PullLimits { stall: SILENCE, check: SILENCE };

/// All events of a pull, or those before its error.
async fn pull(puller: &OllamaPuller, model: &str) -> (Vec<PullEvent>, Option<PullError>) {
    let mut events = Vec::new();
    let mut stream = match puller.pull(model, CancellationToken::new()).await {
        Ok(stream) => stream,
        Err(error) => return (events, Some(error)),
    };
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(stream.next().await.is_none(), "nothing follows an error");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

fn downloading(bytes: u64, total: u64, percent: u8) -> PullEvent {
    PullEvent::Downloading(PullProgress { bytes, total, percent })
}

#[tokio::test]
async fn progress_is_summed_over_the_layers_until_the_server_has_the_model() {
    let server = server(ScriptedPull::with_layers(&[800, 200]).with_check());

    let (events, error) = pull(&puller(&server.url()), " qwen3:4b ").await;

    let expected = [
        PullEvent::LookingUp,
        downloading(0, 800, 0),
        downloading(400, 800, 50),
        downloading(800, 800, 99),
        downloading(800, 1000, 99),
        downloading(900, 1000, 99),
        downloading(1000, 1000, 99),
        PullEvent::Checking,
        PullEvent::Finished,
    ];
    assert!(error.is_none(), "{error:?}");
    assert_eq!(events, expected);
    assert_eq!(server.pulls(), [json!({ "model": "qwen3:4b", "stream": true })]);
}

#[rstest]
#[case::with_a_status(ScriptedPull::refuses(500, "pull model manifest: file does not exist"))]
#[case::with_the_status_of_missing_things(ScriptedPull::refuses(
    404,
    "pull model manifest: file does not exist"
))]
#[case::in_the_stream(ScriptedPull::with_layers(&[]).then_fails("pull model manifest: file does not exist"))]
#[tokio::test]
async fn unknown_name_is_told_in_a_sentence(#[case] scripted: ScriptedPull) {
    let server = server(scripted);

    let error = pull(&puller(&server.url()), "qwen99").await.1.unwrap();

    let trouble = error.trouble();
    assert!(matches!(&error, PullError::NoSuchModel { model } if model == "qwen99"), "{error:?}");
    assert_eq!(trouble.message, "There is no model named \"qwen99\" to pull.");
    assert!(trouble.remedy.contains("Check the name"), "{}", trouble.remedy);
}

#[rstest]
#[case::nothing("")]
#[case::blanks("  ")]
#[case::a_sentence("the best model")]
#[case::control_character("qwen3\u{1b}[2J")]
#[tokio::test]
async fn text_that_is_no_name_reaches_no_server(#[case] name: &str) {
    let server = server(ScriptedPull::with_layers(&[8]));

    let error = pull(&puller(&server.url()), name).await.1.unwrap();

    assert!(matches!(error, PullError::InvalidName { .. }), "{error:?}");
    assert!(!error.to_string().contains('\u{1b}'), "{error}");
    assert!(server.pulls().is_empty());
}

#[rstest]
#[case::error_in_the_middle(
    ScriptedPull::with_layers(&[800]).then_fails("write blobs/sha256-0: no space left on device"),
    "the disk of the Ollama server has no room for \"m\""
)]
#[case::ended_without_success(
    ScriptedPull::with_layers(&[800]).then_ends_early(),
    "ended the download before it was complete"
)]
#[case::connection_lost(
    ScriptedPull::with_layers(&[800]).then_disconnects(),
    "ended the download before it was complete"
)]
#[case::no_json(
    ScriptedPull::with_layers(&[800]).then_sends_invalid_data(),
    "the language model server sent an invalid response: a line is not JSON"
)]
#[case::silence(ScriptedPull::with_layers(&[800]).then_stalls(), "got no further for 0.4 s")]
#[case::the_same_again_and_again(ScriptedPull::with_layers(&[800]).then_repeats(), "got no further for 0.4 s")]
#[tokio::test]
async fn failure_on_the_way_has_its_reason_and_a_remedy(
    #[case] scripted: ScriptedPull,
    #[case] expected: &str,
) {
    let server = server(scripted);
    let is_stall = expected.contains("got no further");
    let limits = if is_stall { SHORT } else { PullLimits::default() };

    let (events, error) = pull(&puller(&server.url()).with_limits(limits), "m").await;

    let error = error.unwrap();
    // A busy machine may take longer than the short limit before the first event.
    assert!(
        is_stall || events.last() == Some(&downloading(800, 800, 99)),
        "what came before is told: {events:?}"
    );
    assert!(error.to_string().contains(expected), "{error}");
    assert!(!error.remedy().is_empty());
}

#[tokio::test]
async fn check_of_the_files_may_take_longer_than_a_stall() {
    let server = server(ScriptedPull::with_layers(&[8]).with_check().then_stalls());
    let limits = PullLimits { stall: Duration::from_secs(60), check: SILENCE };

    let (events, error) = pull(&puller(&server.url()).with_limits(limits), "m").await;

    assert_eq!(events.last(), Some(&PullEvent::Checking));
    assert!(matches!(error, Some(PullError::Stalled { after, .. }) if after == SILENCE), "{error:?}");
}

#[tokio::test]
async fn slow_pull_goes_on_while_something_new_comes() {
    // Together the lines take longer than the limit, and each of them far less.
    let limits = PullLimits { stall: Duration::from_secs(3), check: Duration::from_secs(3) };
    let server = server(ScriptedPull::with_layers(&[8, 8, 8]).with_line_delay(Duration::from_millis(400)));

    let (events, error) = pull(&puller(&server.url()).with_limits(limits), "m").await;

    assert!(error.is_none(), "{error:?}");
    assert_eq!(events.last(), Some(&PullEvent::Finished));
}

#[tokio::test]
async fn cancelled_pull_ends_the_connection() {
    let server = server(ScriptedPull::with_layers(&[800]).then_stalls());
    let stop = CancellationToken::new();
    let mut stream = puller(&server.url()).pull("m", stop.clone()).await.unwrap();
    stream.next().await.unwrap().unwrap();

    stop.cancel();
    let mut last = None;
    while let Some(event) = stream.next().await {
        last = Some(event.unwrap());
    }

    assert_eq!(last, Some(PullEvent::Cancelled));
    server.abandoned(1).await;
}

#[tokio::test]
async fn server_that_is_not_there_and_one_of_another_kind_are_named() {
    let other = OpenAiServer::start(ScriptedAnswer::says("Hello."));
    let gone = server(ScriptedPull::with_layers(&[8]));
    let gone_puller = puller(&gone.url());
    drop(gone);

    let missing = pull(&gone_puller, "m").await.1.unwrap();
    let of_other_kind = pull(&puller(&other.url()), "m").await.1.unwrap();

    assert!(matches!(&missing, PullError::Server(LlmError::Unreachable { .. })), "{missing:?}");
    assert!(missing.remedy().contains("ollama serve"), "{}", missing.remedy());
    assert!(missing.remedy().contains("--provider"), "{}", missing.remedy());
    let expected = format!("the program at {} is not an Ollama server", other.url());
    assert!(of_other_kind.to_string().contains(&expected), "{of_other_kind}");
    assert!(of_other_kind.remedy().contains("--provider"), "{}", of_other_kind.remedy());
}

fn finder(settings: LlmSettings, key: Option<&str>) -> ProviderFinder {
    ProviderFinder::new(settings, http(), not_installed(), key.map(Into::into))
}

#[tokio::test]
async fn key_is_sent_to_the_configured_server_only() {
    let script =
        || ServerScript::new([]).with_api_key("secret").with_pulls([ScriptedPull::with_layers(&[8])]);
    let (configured, other) = (OllamaServer::start(script()), OllamaServer::start(script()));
    let settings =
        || LlmSettings { provider: Provider::Ollama, base_url: configured.url(), ..LlmSettings::default() };
    let finder = finder(settings(), Some("secret"));

    let by_settings = pull(&finder.ollama_puller(None).unwrap(), "m").await;
    let elsewhere = pull(&finder.ollama_puller(Some(&other.url())).unwrap(), "m").await;

    assert_eq!(by_settings.0.last(), Some(&PullEvent::Finished));
    let refused = elsewhere.1.unwrap();
    assert!(matches!(refused, PullError::Server(LlmError::KeyRefused { .. })), "{refused:?}");
    assert!(other.pulls().is_empty());
}

#[rstest]
#[case::nothing_chosen(Provider::Auto, "", "http://127.0.0.1:11434")]
#[case::another_kind_of_server(Provider::OpenAi, "http://127.0.0.1:8080", "http://127.0.0.1:11434")]
#[case::embedded_engine(Provider::Embedded, "", "http://127.0.0.1:11434")]
#[case::own_address(Provider::Ollama, "localhost:9999/", "http://127.0.0.1:9999")]
fn server_that_pulls_is_the_one_of_the_settings_else_the_usual(
    #[case] provider: Provider,
    #[case] base_url: &str,
    #[case] expected: &str,
) {
    let settings = LlmSettings { provider, base_url: base_url.into(), ..LlmSettings::default() };

    assert_eq!(finder(settings, None).ollama_puller(None).unwrap().address(), expected);
}

#[tokio::test]
async fn ollama_by_name_is_at_the_usual_address_if_another_program_has_the_one_of_the_settings() {
    let ollama = OllamaServer::start(ServerScript::new([]));
    let other = OpenAiServer::start(ScriptedAnswer::says("Hello."));
    let gone = OllamaServer::start(ServerScript::new([])).url();
    let address = async |base_url: &str| {
        let settings = LlmSettings { base_url: base_url.to_owned(), ..LlmSettings::default() };
        finder(settings, None).named_ollama_puller().await.unwrap().address()
    };

    let addresses =
        [address(&ollama.url()).await, address(&other.url()).await, address(&gone).await, address("").await];

    let usual = "http://127.0.0.1:11434".to_owned();
    assert_eq!(addresses, [ollama.url(), usual.clone(), gone, usual]);
}

#[tokio::test]
async fn server_without_a_model_is_reported_as_one_that_can_pull() {
    let empty = OllamaServer::start(ServerScript::new([]).with_models(&[]));
    let settings =
        LlmSettings { provider: Provider::Ollama, base_url: empty.url(), ..LlmSettings::default() };

    let reports = finder(settings, None).report().await.unwrap();

    let found = reports.iter().find(|report| report.place == empty.url()).unwrap();
    assert!(found.can_pull && matches!(found.state, ProviderState::NotReady { .. }), "{found:?}");
    assert!(!reports.last().unwrap().can_pull, "the embedded engine fetches none by name");
}

#[tokio::test]
async fn server_that_never_answers_has_stalled() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let config = ServerConfig { silence_timeout: Duration::from_secs(60), ..config(&url) };
    let limits = PullLimits { stall: SILENCE, check: Duration::from_secs(60) };

    // The connection is accepted by the system, and never answered.
    let (_, error) = pull(&OllamaPuller::new(&http(), config).with_limits(limits), "m").await;

    assert!(matches!(error, Some(PullError::Stalled { .. })), "{error:?}");
}
