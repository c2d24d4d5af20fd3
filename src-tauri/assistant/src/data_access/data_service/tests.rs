//! Examination and repair of a memory that this process owns, and search without an embedding model.

use std::sync::Arc;

use async_trait::async_trait;
use audio::{CardMicrophone, write_wav};
use llm::{EmbedError, EmbedRole, Embedder, EmbedderId};
use memory::{Branch, EmbeddedPassage, Evidence, Memory, MessageContent, NewFact, NewMessage};
use rstest::rstest;
use settings::{Folders, SecretStore, SettingsFile};
use testkit::{BagOfWords, FixedClock, InMemorySecrets};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vocabulary::{ConversationId, EnrolledVoice, SAMPLE_RATE_HZ, SpeakerEmbedding};

use super::search::query_vector;
use super::*;
use crate::data_access::requests::{MemoryAnswer, Response, VoicesAnswer, VoicesRequest};
use crate::memory_upkeep::memory_files::database;
use crate::views::{Finding, Severity};

const NOW: i64 = 1_763_812_800_000_000;

struct Home {
    _folder: tempfile::TempDir,
    folders: Folders,
    service: DataService,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        std::fs::create_dir_all(&folders.data).unwrap();
        let secrets: Arc<dyn SecretStore> = Arc::new(InMemorySecrets::default());
        let settings = Arc::new(SettingsFile::load(&folders.config.join("settings.json")).unwrap().file);
        let (changes, http) = (settings.subscribe(), net::Http::new().unwrap());
        let service = DataService::new(DataServiceParts {
            folders: folders.clone(),
            secrets: Arc::clone(&secrets),
            settings,
            clock: Arc::new(FixedClock::at("2025-11-22T12:00:00Z")),
            memory: MemorySource::File,
            library: crate::data_access::data_owner::model_library(
                &folders,
                changes,
                http.clone(),
                &secrets,
                &TaskTracker::new(),
            ),
            models: ModelSource::Settings { embedder: None, http },
            voices: Arc::default(),
            microphone: Arc::new(|device| Arc::new(CardMicrophone::new(device.to_owned()))),
            secret_changed: Arc::new(Notify::new()),
        });
        Self { _folder: folder, folders, service }
    }

    fn memory(&self) -> Memory {
        Memory::open(&database(&self.folders)).unwrap().memory
    }

    fn damage(&self) {
        let text = "no database, but long enough to be looked at".repeat(100);
        std::fs::write(database(&self.folders), text).unwrap();
    }

    async fn responses(&self, request: MemoryRequest) -> Vec<Response> {
        self.responses_to(Request::Memory(request)).await
    }

    async fn responses_to(&self, request: Request) -> Vec<Response> {
        let (responder, mut receiver) = Responder::new();
        self.service.execute(request, responder, CancellationToken::new()).await;
        let mut responses = Vec::new();
        while let Some(response) = receiver.recv().await {
            responses.push(response);
        }
        responses
    }

    async fn examine(&self, repairs: bool) -> Vec<Finding> {
        let responses = self.responses(MemoryRequest::Examine { repairs }).await;
        let finding = |response| if let Response::Finding(finding) = response { Some(finding) } else { None };
        responses.into_iter().filter_map(finding).collect()
    }
}

#[tokio::test]
async fn opening_a_damaged_memory_is_told_beside_the_answer() {
    let home = Home::new();
    home.damage();

    let responses = home.responses(MemoryRequest::Overview).await;

    assert!(
        matches!(&responses[0], Response::Notice(text) if text.contains("damaged")),
        "{}",
        responses.len()
    );
    assert!(
        matches!(&responses[1], Response::Memory(answer) if matches!(**answer, MemoryAnswer::Overview(_)))
    );
    assert_eq!(responses[2..], [Response::Done]);
}

#[tokio::test]
async fn lost_memory_with_backups_is_not_reported_as_empty() {
    let home = Home::new();
    let memory = home.memory();
    memory.back_up(NOW).await.unwrap();
    memory.store().close();
    std::fs::remove_file(database(&home.folders)).unwrap();

    let examined = home.examine(false).await;
    let was_left = !database(&home.folders).exists();
    let repaired = home.examine(true).await;

    assert!(was_left && examined[0].remedy.contains("--repair"), "{examined:?}");
    assert!(repaired[0].message.contains("gone or empty"), "{repaired:?}");
}

#[tokio::test]
async fn examining_a_damaged_memory_changes_nothing() {
    let home = Home::new();
    home.damage();
    let before = std::fs::read(database(&home.folders)).unwrap();

    let findings = home.examine(false).await;

    assert_eq!(findings.len(), 1);
    assert!(
        findings[0].severity == Severity::Failure && findings[0].remedy.contains("--repair"),
        "{findings:?}"
    );
    assert_eq!(std::fs::read(database(&home.folders)).unwrap(), before);
}

#[tokio::test]
async fn repair_reports_what_it_changed() {
    let home = Home::new();
    let memory = home.memory();
    for (branch, text) in [(Branch::User, "Likes tea."), (Branch::World, "Likes tea")] {
        let fact = NewFact { text: text.into(), evidence: Evidence::default() };
        memory.learn(branch.node(), fact, NOW).await.unwrap();
    }
    memory.store().close();

    let findings = home.examine(true).await;

    assert!(findings[0].message.contains("1 fact was joined"), "{findings:?}");
    assert!(findings.iter().all(|finding| finding.severity != Severity::Failure), "{findings:?}");
}

/// With one message and its vector.
async fn memory_with_vectors(home: &Home) -> Memory {
    let memory = home.memory();
    let message = NewMessage {
        conversation: ConversationId("main".into()),
        channel: "typed".into(),
        content: MessageContent::new(memory::Participant::User, "the parrot is called Otto", NOW),
        is_in_diary: true,
    };
    memory.add_messages(vec![message]).await.unwrap();
    let bag = BagOfWords::new();
    memory.use_embeddings_of(&bag.id().0).await.unwrap();
    for passage in memory.passages(100).await.unwrap() {
        let texts: Vec<String> = passage.texts.iter().map(|text| text.0.clone()).collect();
        let vectors = bag.embed(&texts, EmbedRole::Passage, CancellationToken::new()).await.unwrap();
        memory.keep_embeddings(&bag.id().0, vec![EmbeddedPassage { passage, vectors }]).await.unwrap();
    }
    memory
}

#[tokio::test]
async fn missing_query_vector_names_its_reason() {
    let home = Home::new();
    let memory = memory_with_vectors(&home).await;
    let missing = || EmbedError::NotInstalled { id: "all-minilm".into() };

    let broken = BagOfWords::failing([missing()]);
    let why = query_vector("parrot", Some(&broken), &memory).await.unwrap_err();
    let fresh = Home::new();
    let why_not_yet = query_vector("parrot", Some(&broken), &fresh.memory()).await.unwrap_err();
    memory.use_embeddings_of("another").await.unwrap();
    let why_not_the_same = query_vector("parrot", Some(&broken), &memory).await.unwrap_err();
    let unwanted = query_vector("parrot", None, &memory).await;

    assert!(why.contains("is not installed") && why.contains("jarvis models fetch all-minilm"), "{why}");
    assert!(why_not_yet.contains("no embedding model was used so far"), "{why_not_yet}");
    assert!(why_not_the_same.contains("another embedding model"), "{why_not_the_same}");
    assert_eq!(unwanted, Ok(None));
    assert_eq!(broken.asked().len(), 1, "without vectors to compare with no model is asked");
}

/// A model that never answers.
struct HangingEmbedder;

#[async_trait]
impl Embedder for HangingEmbedder {
    async fn embed(
        &self,
        _: &[String],
        _: EmbedRole,
        _: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        std::future::pending().await
    }

    fn id(&self) -> EmbedderId {
        BagOfWords::new().id()
    }

    fn dimensions(&self) -> Option<usize> {
        None
    }
}

#[tokio::test]
async fn hanging_embedding_model_is_given_up() {
    let home = Home::new();
    let memory = memory_with_vectors(&home).await;
    memory.embedding_model().await.unwrap();
    tokio::time::pause();

    let why = query_vector("parrot", Some(&HangingEmbedder), &memory).await.unwrap_err();

    assert!(why.contains("took longer than 20s"), "{why}");
}

#[tokio::test]
async fn voice_is_listed_by_its_name_until_it_is_removed() {
    let home = Home::new();
    let memory = home.memory();
    let embedding = SpeakerEmbedding::new(vec![0.6, 0.8]).unwrap();
    memory.enrol_voice(EnrolledVoice { name: "Anna".into(), embedding }).await.unwrap();
    memory.store().close();
    let remove = || Request::Voices(VoicesRequest::Remove { name: "Anna".into() });

    let listed = home.responses_to(Request::Voices(VoicesRequest::List)).await;
    let removed = home.responses_to(remove()).await;
    let removed_again = home.responses_to(remove()).await;

    assert_eq!(listed, [Response::Voices(VoicesAnswer::Voice { name: "Anna".into() }), Response::Done]);
    assert_eq!(removed, [Response::Done]);
    assert!(matches!(&removed_again[..], [Response::Failed(_)]));
}

#[rstest]
#[case::too_short(4)]
#[case::no_speech(30)]
#[tokio::test]
async fn recording_without_enough_speech_enrols_no_voice(#[case] secs: usize) {
    let home = Home::new();
    let wav = home.folders.data.join("anna.wav");
    write_wav(&wav, &vec![0.1; secs * SAMPLE_RATE_HZ as usize], SAMPLE_RATE_HZ).unwrap();
    let enrol = VoicesRequest::Enrol { name: "Anna".into(), recordings: vec![wav] };

    let responses = home.responses_to(Request::Voices(enrol)).await;
    let listed = home.responses_to(Request::Voices(VoicesRequest::List)).await;

    let told = matches!(&responses[..], [Response::Failed(trouble)] if trouble.message.contains("too little speech"));
    assert!(told, "{responses:?}");
    assert_eq!(listed, [Response::Done]);
}
