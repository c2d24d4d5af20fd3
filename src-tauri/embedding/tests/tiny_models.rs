//! Tests of the differences between families of sentence models, with tiny models and the real ONNX Runtime.
#![cfg(feature = "neural")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use embedding::InstalledEmbedder;
use llm::{CancellationToken, EmbedRole, Embedder};
use models::{Downloader, Machine, ModelStore, Purpose};
use rstest::rstest;
use testkit::{SentenceModelHub, TinySentenceModel};

fn similarity(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[rstest]
#[case::embeds_both_alike("english", true)]
#[case::is_told_which_it_is("multilingual", false)]
#[tokio::test]
async fn role_of_a_text_matters_to_e5_only(#[case] id: &str, #[case] is_same: bool) {
    let real = ModelStore::with_default_settings().unwrap();
    let library = real.best_installed(Purpose::Runtime, &Machine::this());
    let library =
        real.path_of(&library.expect("fetch the test models with `cargo xtask models`").id).unwrap();
    let model = TinySentenceModel::new([("dog", 0), ("rain", 1)]);
    let hub = SentenceModelHub::start(&model, &model, &library).await;
    let folder = tempfile::tempdir().unwrap();
    let store = hub.store(folder.path());
    let downloader = Downloader::new(store.clone(), hub.http());
    downloader.fetch(id, &|_| {}, &CancellationToken::new()).await.unwrap();
    let embedder = InstalledEmbedder::with_model(store.clone(), Machine::this(), store.entry(id).unwrap());
    let embed = |text: &str, role| {
        let (text, embedder) = ([text.to_owned()], &embedder);
        async move { embedder.embed(&text, role, CancellationToken::new()).await.unwrap().remove(0) }
    };

    let query = embed("dog", EmbedRole::Query).await;
    let passage = embed("dog", EmbedRole::Passage).await;
    let unrelated = embed("rain", EmbedRole::Passage).await;

    assert_eq!(similarity(&query, &passage) > 0.999, is_same, "{query:?} {passage:?}");
    // The tokens have a common direction, which E5's centre takes away.
    assert_eq!(similarity(&passage, &unrelated) > 0.8, is_same, "{passage:?} {unrelated:?}");
}
