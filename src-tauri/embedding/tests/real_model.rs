//! Tests with the real sentence model.
#![cfg(feature = "neural")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::time::Duration;

use embedding::InstalledEmbedder;
use llm::{CancellationToken, EmbedError, EmbedRole, Embedder};
use models::{Machine, ModelStore};
use rstest::rstest;

fn embedder(idle: Option<Duration>) -> InstalledEmbedder {
    InstalledEmbedder::new(ModelStore::with_default_settings().unwrap(), Machine::this(), Vec::new(), idle)
}

async fn embed(embedder: &InstalledEmbedder, texts: &[&str]) -> Vec<Vec<f32>> {
    let texts: Vec<_> = texts.iter().map(ToString::to_string).collect();
    let embedded = embedder.embed(&texts, EmbedRole::Passage, CancellationToken::new()).await;
    embedded.unwrap_or_else(|e| panic!("{e}: fetch the test models with `cargo xtask models`"))
}

fn similarity(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

const DIARY: [&str; 6] = [
    "My sister's birthday is on the 4th of March, she turns thirty.",
    "The dentist moved the check-up to Thursday at nine.",
    "We planted tomatoes and beans behind the house.",
    "The car failed its inspection because of worn brakes.",
    "I finished the novel about the lighthouse keeper.",
    "Dinner at the Italian place, the pasta was far too salty.",
];

#[rstest]
#[case::other_words("when do I have to get her a present", 0)]
#[case::an_appointment("when do they look at my teeth", 1)]
#[case::a_kind_for_its_members("which vegetables do we grow", 2)]
#[case::a_part_for_the_whole("what was wrong with the vehicle", 3)]
#[case::a_book("what did I read lately", 4)]
#[case::a_meal("how was the food at the restaurant", 5)]
#[tokio::test]
async fn nearest_passage_answers_a_paraphrased_query(#[case] query: &str, #[case] expected: usize) {
    let embedder = embedder(None);
    let passages = embed(&embedder, &DIARY).await;
    let query = embed(&embedder, &[query]).await.remove(0);

    let scores: Vec<_> = passages.iter().map(|passage| similarity(passage, &query)).collect();

    let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
    assert_eq!(best, expected, "{scores:?}");
}

#[tokio::test]
async fn similar_texts_score_higher_than_unrelated_ones() {
    let texts = ["It is raining in Leeds.", "Leeds has rain today.", "The train leaves at noon."];

    let vectors = embed(&embedder(None), &texts).await;

    assert!(similarity(&vectors[0], &vectors[1]) > 0.7);
    assert!(similarity(&vectors[0], &vectors[2]) < 0.4);
}

#[tokio::test]
async fn vector_does_not_depend_on_the_other_texts() {
    let embedder = embedder(None);
    let alone = embed(&embedder, &[DIARY[0]]).await;

    let among_others = embed(&embedder, &[DIARY[1], &"long ".repeat(400), DIARY[0], ""]).await;
    let anew = embed(&self::embedder(None), &[DIARY[0]]).await;

    assert_eq!(alone[0], among_others[2]);
    assert_eq!(alone, anew);
}

#[tokio::test]
async fn uninstalled_texts_have_vectors_of_length_one() {
    let long = "A long letter about everything and nothing. ".repeat(1_200);
    let endless_word = "a".repeat(50_000);
    let odd = [
        "",
        " \n\t",
        &long,
        &endless_word,
        "🙂🎉👩‍👩‍👧",
        "متى موعد طبيب الأسنان؟",
        "\u{202e}dlrow olleh",
        "nul\u{0}in\u{0}between",
        "\u{0}",
        "你好，明天会下雨吗？",
        "[CLS] [SEP] [PAD] ##ing",
    ];
    let embedder = embedder(None);

    let vectors = embed(&embedder, &odd).await;

    assert_eq!(vectors.len(), odd.len());
    for (vector, text) in vectors.iter().zip(odd) {
        assert_eq!(vector.len(), 384);
        assert!((similarity(vector, vector) - 1.0).abs() < 1e-5, "{text:.20}");
    }
    assert_eq!(embedder.dimensions(), Some(384));
}

#[tokio::test]
async fn idle_model_is_unloaded_and_loaded_again_when_used() {
    let embedder = embedder(Some(Duration::ZERO));
    let loaded_at_first = embedder.is_loaded();

    let before = embed(&embedder, &["rain"]).await;
    while embedder.is_loaded() {
        tokio::task::yield_now().await;
    }
    let after = embed(&embedder, &["rain"]).await;

    assert!(!loaded_at_first);
    assert_eq!(before, after);
}

#[tokio::test]
async fn query_is_embedded_before_a_long_list_ends_and_cancelling_ends_the_list() {
    let embedder = embedder(None);
    embed(&embedder, &["rain"]).await;
    let many = vec!["A long letter about everything and nothing. ".repeat(40); 2_000];
    let stop = CancellationToken::new();
    let list = embedder.embed(&many, EmbedRole::Passage, stop.clone());

    let (list, answered) = tokio::join!(list, async {
        let answered = embed(&embedder, &["rain"]).await;
        stop.cancel();
        answered
    });
    let answered_afterwards = embed(&embedder, &["rain"]).await;

    assert!(matches!(list, Err(EmbedError::Cancelled)), "the list finished first");
    assert_eq!((answered.len(), answered_afterwards.len()), (1, 1));
}

/// A models folder with the real runtime and a model with one damaged file.
fn damaged(file: usize) -> tempfile::TempDir {
    let (installed, folder) = (ModelStore::with_default_settings().unwrap(), tempfile::tempdir().unwrap());
    let broken = ModelStore::new(folder.path());
    for id in ["onnxruntime-1.31.1", "all-minilm-l6-v2-int8"] {
        for (from, to) in installed.paths_of(id).unwrap().iter().zip(broken.paths_of(id).unwrap()) {
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(from, to).unwrap();
        }
    }
    // The size is correct, so only loading the file fails.
    let path = &broken.paths_of("all-minilm-l6-v2-int8").unwrap()[file];
    let bytes = std::fs::metadata(path).unwrap().len();
    std::fs::write(path, vec![b'x'; usize::try_from(bytes).unwrap()]).unwrap();
    folder
}

#[rstest]
#[case::the_network(0, "all-minilm-l6-v2-int8.onnx")]
#[case::the_tokeniser(1, "all-minilm-l6-v2.tokenizer.json")]
#[tokio::test]
async fn damaged_model_file_is_reported_with_its_path(#[case] file: usize, #[case] name: &str) {
    let folder = damaged(file);
    let embedder = InstalledEmbedder::new(ModelStore::new(folder.path()), Machine::this(), Vec::new(), None);

    let result = embedder.embed(&["rain".into()], EmbedRole::Query, CancellationToken::new()).await;

    let error = result.unwrap_err();
    assert!(matches!(&error, EmbedError::File { path, .. } if path.ends_with(name)), "{error:?}");
    assert!(error.remedy().contains("download it again"), "{}", error.remedy());
}
