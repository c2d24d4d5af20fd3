//! Embedding in the background, and when a backup is due.

use async_trait::async_trait;
use jiff::civil::date;
use llm::EmbedderId;
use memory::{MessageContent, NewMessage, Participant};
use rstest::rstest;
use testkit::{BagOfWords, FixedClock};
use vocabulary::ConversationId;

use super::*;

/// Fails to embed texts with a certain word, as some servers do.
struct Choking(BagOfWords);

#[async_trait]
impl Embedder for Choking {
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        match texts.iter().any(|text| text.contains("quagga")) {
            true => Err(EmbedError::InvalidVector { what: "is all zero" }),
            false => self.0.embed(texts, role, stop).await,
        }
    }

    fn id(&self) -> EmbedderId {
        EmbedderId("choking".to_owned())
    }

    fn dimensions(&self) -> Option<usize> {
        self.0.dimensions()
    }
}

/// Maintenance with this embedder.
fn upkeep(embedder: Arc<dyn Embedder>) -> Upkeep {
    Upkeep {
        memory: watch::channel(None).1,
        embedder: Arc::new(ActiveEmbedder::new(Some(embedder))),
        clock: Arc::new(FixedClock::at("2025-09-15T17:53:00Z")),
        settings: watch::channel(Settings::default()).1,
        state: watch::channel(AssistantState::Idle).1,
    }
}

/// A message in a conversation of its own, so that it is embedded alone.
fn said(at_micros: i64, text: &str) -> NewMessage {
    NewMessage {
        conversation: ConversationId(at_micros.to_string()),
        channel: "typed".into(),
        content: MessageContent { participant: Participant::User, text: Private(text.into()), at_micros },
        is_in_diary: true,
    }
}

#[tokio::test]
async fn item_that_cannot_be_embedded_is_tried_once_per_model() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(&folder.path().join("jarvis.db")).unwrap().memory;
    let upkeep = upkeep(Arc::new(Choking(BagOfWords::new())));
    memory
        .add_messages(vec![said(1, "I live in Leeds."), said(2, "A quagga."), said(3, "It rains.")])
        .await
        .unwrap();
    let mut without = Without::default();

    assert_eq!(upkeep.embed_some(&memory, &mut without).await, Ok(3));
    assert_eq!(upkeep.embed_some(&memory, &mut without).await, Ok(0));

    let left = memory.passages(BATCH).await.unwrap();
    assert_eq!(left.iter().map(|passage| passage.item).collect::<HashSet<_>>(), without.items);
    assert_eq!(left.len(), 1);

    upkeep.embedder.replace(Some(Arc::new(BagOfWords::new())));
    while upkeep.embed_some(&memory, &mut without).await != Ok(0) {}
    assert!(memory.passages(BATCH).await.unwrap().is_empty(), "another model is asked as well");
}

#[rstest]
#[case::none(&[], true)]
#[case::of_today(&[2], false)]
#[case::of_yesterday(&[24], true)]
#[case::only_from_the_future(&[-240], true)]
#[case::of_today_beside_one_from_the_future(&[-240, 2], false)]
#[case::of_yesterday_beside_one_from_the_future(&[-240, 24], true)]
fn backup_is_due_a_day_after_the_last_one(#[case] hours_ago: &[i64], #[case] expected: bool) {
    let now = date(2025, 11, 22).at(12, 0, 0, 0);
    let made = |hours: &i64| Backup {
        path: "backup".into(),
        made_at: now - jiff::SignedDuration::from_hours(*hours),
        bytes: 1,
    };
    let backups: Vec<Backup> = hours_ago.iter().map(made).collect();
    let now_secs = TimeZone::UTC.to_timestamp(now).unwrap().as_second();

    assert_eq!(is_backup_due(&backups, now_secs), expected);
}

/// A model for more languages arrives by download.
#[cfg(feature = "neural")]
mod another_model {
    use embedding::InstalledEmbedder;
    use memory::{Recall, SearchHit};
    use models::{Downloader, Machine, ModelStore, Purpose};
    use testkit::{SentenceModelHub, TinySentenceModel};
    use vocabulary::Language;

    use super::*;

    /// The messages, oldest first: one message more than a batch.
    const SAID: [&str; 17] = [
        "hund bellt",
        "bus kommt",
        "regen draussen",
        "bus kommt heute",
        "regen heute",
        "bus voll",
        "regen morgen",
        "bus leer",
        "regen stark",
        "bus morgen",
        "regen schwach",
        "bus blau",
        "regen kalt",
        "bus rot",
        "regen warm",
        "bus schnell",
        "katze miaut",
    ];

    async fn recall(memory: &Memory, embedder: &dyn Embedder, question: &str) -> Vec<SearchHit> {
        let texts = [question.to_owned()];
        let vector = embedder.embed(&texts, EmbedRole::Query, CancellationToken::new()).await.unwrap().pop();
        let recall = Recall { words: question.to_owned(), vector, limit: 3, ..Recall::default() };
        memory.recall(recall).await.unwrap()
    }

    #[tokio::test]
    async fn download_replaces_all_vectors_while_search_goes_on() {
        let real = ModelStore::with_default_settings().unwrap();
        let library = real.best_installed(Purpose::Runtime, &Machine::this());
        let library = library.expect("fetch the test models with `cargo xtask models`");
        let library = real.path_of(&library.id).unwrap();
        let english = TinySentenceModel::new([("dog", 0), ("cat", 1), ("bus", 2), ("rain", 3)]);
        let multilingual = TinySentenceModel::new([
            ("dog", 0),
            ("hund", 0),
            ("cat", 1),
            ("katze", 1),
            ("bus", 2),
            ("rain", 3),
            ("regen", 3),
        ]);
        let hub = SentenceModelHub::start(&english, &multilingual, &library).await;
        let folder = tempfile::tempdir().unwrap();
        let store = hub.store(folder.path());
        let downloader = Downloader::new(store.clone(), hub.http());
        let stop = CancellationToken::new();
        let german = Language::new("de").into_iter().collect();
        let embedder: Arc<dyn Embedder> =
            Arc::new(InstalledEmbedder::new(store, Machine::this(), german, None));
        let memory = Memory::open(&folder.path().join("jarvis.db")).unwrap().memory;
        let upkeep = upkeep(Arc::clone(&embedder));
        let mut without = Without::default();
        let messages = (1..).zip(SAID).map(|(at, text)| said(at, text)).collect();
        memory.add_messages(messages).await.unwrap();

        downloader.fetch("english", &|_| {}, &stop).await.unwrap();
        while upkeep.embed_some(&memory, &mut without).await.unwrap() > 0 {}
        let before = memory.embedding_model().await.unwrap().unwrap();
        let found_before = recall(&memory, &*embedder, "dog").await;

        downloader.fetch("multilingual", &|_| {}, &stop).await.unwrap();
        let embedded = upkeep.embed_some(&memory, &mut without).await;
        let left = memory.passages(SAID.len()).await.unwrap().len();
        let by_words = recall(&memory, &*embedder, "hund").await;
        let by_meaning = recall(&memory, &*embedder, "cat").await;

        while upkeep.embed_some(&memory, &mut without).await.unwrap() > 0 {}
        let after = memory.embedding_model().await.unwrap().unwrap();
        let found_after = recall(&memory, &*embedder, "dog").await;

        assert!(before.starts_with("english/") && after.starts_with("multilingual/"), "{before} {after}");
        assert_ne!(found_before[0].item.text.as_str(), "hund bellt", "the first model knows no German");
        // The oldest message still waits, and words find it; the newest has its new vector.
        assert_eq!((embedded, left), (Ok(16), 1));
        assert_eq!(by_words[0].item.text.as_str(), "hund bellt");
        assert_eq!(by_meaning[0].item.text.as_str(), "katze miaut");
        assert!(by_meaning[0].similarity > Some(0.5), "{by_meaning:?}");
        assert_eq!(found_after[0].item.text.as_str(), "hund bellt");
        assert!(
            found_after[0].similarity > Some(0.5) && found_after[1].similarity < Some(0.3),
            "{found_after:?}"
        );
    }

    #[tokio::test]
    async fn model_that_does_not_work_leaves_the_vectors() {
        let home = tempfile::tempdir().unwrap();
        let memory = Memory::open(&home.path().join("jarvis.db")).unwrap().memory;
        let upkeep = upkeep(Arc::new(BagOfWords::new()));
        memory.add_messages(vec![said(1, "the dog barks")]).await.unwrap();
        while upkeep.embed_some(&memory, &mut Without::default()).await.unwrap() > 0 {}
        let folder = tempfile::tempdir().unwrap();
        let missing =
            InstalledEmbedder::new(ModelStore::new(folder.path()), Machine::this(), Vec::new(), None);

        upkeep.embedder.replace(Some(Arc::new(missing)));
        let embedded = upkeep.embed_some(&memory, &mut Without::default()).await;

        assert!(embedded.is_err());
        assert_eq!(memory.embedding_model().await.unwrap().as_deref(), Some("bag-of-words"));
        assert!(memory.passages(1).await.unwrap().is_empty());
    }
}

#[rstest]
#[case::on(true, 1)]
#[case::off(false, 0)]
#[tokio::test]
async fn backup_is_made_unless_they_are_switched_off(#[case] is_on: bool, #[case] expected: usize) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(&folder.path().join("jarvis.db")).unwrap().memory;
    let mut settings = Settings::default();
    settings.memory.backups = is_on;
    let upkeep = Upkeep { settings: watch::channel(settings).1, ..upkeep(Arc::new(BagOfWords::new())) };

    upkeep.back_up_if_due(&memory).await;

    assert_eq!(memory.backups().len(), expected);
}
