//! Recall.

use jiff::civil::date;
use memory::{Branch, EmbeddedPassage, MemoryError, NewEntry, Recall, RecordKind, SearchHit, newest_first};
use rstest::rstest;

use crate::support::{DAY, Home, MINUTE, NOW, fact};

fn words(words: &str) -> Recall {
    Recall { words: words.into(), limit: 10, ..Recall::default() }
}

fn texts(found: &[SearchHit]) -> Vec<&str> {
    found.iter().map(|found| found.item.text.as_str()).collect()
}

#[rstest]
#[case::english("my passport is in the blue drawer", "where is the passport")]
#[case::german_umlauts("Der Schlüssel liegt im Küchenschrank", "schlussel")]
#[case::french("J'ai rendez-vous chez le médecin", "medecin")]
#[case::cyrillic("Мой паспорт лежит в ящике", "паспорт")]
#[case::greek("Το διαβατήριο είναι εδώ", "διαβατηριο")]
#[case::arabic("جواز سفري في الدرج الأزرق", "جواز")]
#[case::hebrew("הדרכון שלי במגירה", "הדרכון")]
#[case::hindi("मेरा पासपोर्ट दराज में है", "पासपोर्ट")]
#[case::chinese("我的护照在蓝色抽屉里", "护照")]
#[case::one_chinese_character("我喜欢茶", "茶")]
#[case::japanese("パスポートは青い引き出しの中です", "引き出し")]
#[case::korean("여권은 파란 서랍에 있어요", "여권은")]
#[case::thai("หนังสือเดินทางอยู่ในลิ้นชัก", "เดินทาง")]
#[case::plural("we saw three foxes", "fox")]
#[tokio::test]
async fn words_of_every_script_are_found(#[case] said: &str, #[case] question: &str) {
    let home = Home::new();
    home.say(NOW, said).await;
    home.say(NOW + MINUTE, "nothing to see in here").await;

    let found = home.memory.recall(words(question)).await.unwrap();

    assert_eq!(texts(&found), [said]);
}

#[rstest]
#[case("\"")]
#[case("* OR NEAR(a b)")]
#[case("tokens:x ^y -z")]
#[case("'; DROP TABLE messages; --")]
#[case("%_\\")]
#[case("\0")]
#[case("🎉 👩‍👩‍👧")]
#[case("(((")]
#[tokio::test]
async fn query_syntax_is_plain_text(#[case] text: &str) {
    let home = Home::new();
    home.say(NOW, text).await;
    home.say(NOW + 1, "plain words").await;

    home.memory.recall(words(text)).await.unwrap();
    let found = home.memory.recall(words(&format!("{text} plain"))).await.unwrap();

    assert!(texts(&found).contains(&"plain words"));
}

#[tokio::test]
async fn time_span_excludes_older_and_newer_items() {
    let home = Home::new();
    for day in 0..10 {
        home.say(NOW - day * DAY, &format!("walked the dog {day}")).await;
    }

    let recall = Recall { span: Some(NOW - 3 * DAY..NOW - DAY), ..words("dog") };
    let mut found = home.memory.recall(recall).await.unwrap();
    newest_first(&mut found);

    assert_eq!(texts(&found), ["walked the dog 2", "walked the dog 3"]);
}

#[tokio::test]
async fn preferred_time_ranks_first_and_excludes_nothing() {
    let home = Home::new();
    home.say(NOW - 9 * DAY, "walked the dog along the river").await;
    home.say(NOW - 2 * DAY, "walked the dog").await;
    home.say(NOW, "walked the dog along the river again").await;

    let recall = Recall { preferred: Some(NOW - 3 * DAY..NOW - DAY), ..words("dog along") };
    let found = home.memory.recall(recall.clone()).await.unwrap();
    let narrow = Recall { span: Some(NOW - DAY..NOW + DAY), ..recall };
    let within = home.memory.recall(narrow).await.unwrap();

    assert_eq!(found.len(), 3);
    assert_eq!(found[0].item.text.as_str(), "walked the dog");
    assert_eq!(texts(&within), ["walked the dog along the river again"]);
}

#[tokio::test]
async fn more_matching_words_score_higher() {
    let home = Home::new();
    home.say(NOW, "the passport is in the blue drawer").await;
    for number in 1..40 {
        home.say(NOW + number * MINUTE, &format!("number {number} is something else in the house")).await;
    }

    let all = home.memory.recall(words("blue drawer passport")).await.unwrap();
    let one = home.memory.recall(words("passport photographs from Lisbon")).await.unwrap();

    assert!(all[0].score > 0.8, "{}", all[0].score);
    assert!(one[0].score < 0.5, "{}", one[0].score);
}

#[tokio::test]
async fn empty_question_finds_the_newest_items() {
    let home = Home::new();
    home.say(NOW, "first").await;
    home.say(NOW + 1, "second").await;
    let entry = NewEntry {
        day: date(2020, 1, 1),
        source: "conversation".into(),
        summary: "long ago".into(),
        topics: vec![],
    };
    home.memory.write_entry(entry, vec![], NOW).await.unwrap();

    let found = home.memory.recall(Recall { limit: 2, ..Recall::default() }).await.unwrap();

    assert_eq!(texts(&found), ["second", "first"]);
}

#[tokio::test]
async fn diary_facts_and_messages_are_found_by_kind() {
    let home = Home::new();
    home.say(NOW, "I play the cello").await;
    let entry = NewEntry {
        day: date(2025, 11, 22),
        source: "conversation".into(),
        summary: "Talked about the cello.".into(),
        topics: vec!["music".into()],
    };
    home.memory.write_entry(entry, vec![], NOW).await.unwrap();
    home.memory.learn(Branch::User.node(), fact("Plays the cello."), NOW).await.unwrap();

    let all = home.memory.recall(words("cello")).await.unwrap();
    let facts = home.memory.recall(Recall { kinds: vec![RecordKind::Fact], ..words("cello") }).await.unwrap();
    let topics = home.memory.recall(words("music")).await.unwrap();

    assert_eq!(all.len(), 3);
    assert_eq!(texts(&facts), ["Plays the cello."]);
    assert_eq!(facts[0].item.context.as_str(), "User");
    assert_eq!(texts(&topics), ["Talked about the cello."]);
    assert_eq!(topics[0].item.context.as_str(), "2025-11-22 (music)");
}

/// Gives every text its own direction; the question has the direction of the second text.
async fn embed(home: &Home) {
    home.memory.use_embeddings_of("tiny").await.unwrap();
    let passages = home.memory.passages(100).await.unwrap();
    let embedded = passages.into_iter().map(|passage| {
        let vector = |text: &str| {
            let mut vector = vec![0.01f32; 8];
            vector[text.len() % 8] = 1.0;
            vector
        };
        let vectors = vec![vector(&passage.texts[0])];
        EmbeddedPassage { passage, vectors }
    });
    home.memory.keep_embeddings("tiny", embedded.collect()).await.unwrap();
}

#[tokio::test]
async fn search_by_meaning_finds_paraphrases() {
    let home = Home::new();
    home.say(NOW, "aaa").await;
    home.say(NOW + MINUTE, "bbbbb").await;
    embed(&home).await;
    let mut vector = vec![0.0; 8];
    vector[5] = 1.0;

    let recall = Recall { vector: Some(vector), limit: 1, ..Recall::default() };
    let found = home.memory.recall(recall).await.unwrap();

    assert_eq!(texts(&found), ["bbbbb"]);
    assert!(!found[0].shares_words);
    assert!(found[0].similarity.unwrap() > 0.9);
}

#[tokio::test]
async fn message_is_embedded_again_with_its_neighbours() {
    let home = Home::new();
    home.say(NOW, "one").await;
    embed(&home).await;
    assert!(home.memory.passages(10).await.unwrap().is_empty(), "the last one waits for what comes after it");

    home.say(NOW + 1, "two").await;
    let passages = home.memory.passages(10).await.unwrap();

    let texts: Vec<Vec<&str>> =
        passages.iter().map(|p| p.texts.iter().map(|text| text.as_str()).collect()).collect();
    assert_eq!(texts, [["two", "one\ntwo"], ["one", "one\ntwo"]]);
}

#[tokio::test]
async fn vectors_of_another_model_are_dropped_and_refused() {
    let home = Home::new();
    home.say(NOW, "one").await;
    embed(&home).await;

    home.memory.use_embeddings_of("other").await.unwrap();
    let passages = home.memory.passages(10).await.unwrap();
    let vectors = vec![vec![1.0; 8]];
    let refused = home
        .memory
        .keep_embeddings("tiny", vec![EmbeddedPassage { passage: passages[0].clone(), vectors }])
        .await;

    assert_eq!(passages.len(), 1);
    assert!(matches!(refused, Err(MemoryError::Refused(_))));
    assert_eq!(home.memory.embedding_model().await.unwrap().as_deref(), Some("other"));
}

/// Embeds everything alike, so that meaning does not decide. Returns the vector of all.
async fn embed_alike(home: &Home) -> Vec<f32> {
    let vector = vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    home.memory.use_embeddings_of("alike").await.unwrap();
    let passages = home.memory.passages(100).await.unwrap();
    let embedded =
        passages.into_iter().map(|passage| EmbeddedPassage { passage, vectors: vec![vector.clone()] });
    home.memory.keep_embeddings("alike", embedded.collect()).await.unwrap();
    vector
}

#[rstest]
#[case::rare("the post brought letters", "Saskia counts oysters now")]
#[case::on_everyones_lips("and Saskia brought letters", "and Saskia brought letters (29)")]
#[tokio::test]
async fn rare_name_in_the_first_hit_leads_to_another(#[case] other: &str, #[case] expected: &str) {
    let home = Home::new();
    home.say(NOW, "the Dutch woman, Saskia, lent me a tent").await;
    home.say(NOW + MINUTE, "Saskia counts oysters now").await;
    for number in 2..30 {
        home.say(NOW + number * MINUTE, &format!("{other} ({number})")).await;
    }
    let vector = embed_alike(&home).await;

    let question = Recall { vector: Some(vector), limit: 2, ..words("who lent me the tent") };
    let found = home.memory.recall(question.clone()).await.unwrap();
    let by_words = home.memory.recall(Recall { vector: None, ..question.clone() }).await.unwrap();
    let other_time = Recall { span: Some(NOW..NOW + 1), ..question };
    let within = home.memory.recall(other_time).await.unwrap();

    let mut first_two = texts(&found);
    first_two.sort_by_key(|text| *text == expected);
    assert_eq!(first_two, ["the Dutch woman, Saskia, lent me a tent", expected]);
    assert_eq!(texts(&by_words)[0], "the Dutch woman, Saskia, lent me a tent");
    assert!(!texts(&by_words).contains(&"Saskia counts oysters now"), "it has none of the words");
    assert_eq!(texts(&within), ["the Dutch woman, Saskia, lent me a tent"]);
}

#[tokio::test]
async fn of_equally_similar_messages_a_full_one_is_first() {
    let home = Home::new();
    let full = "we went to the market because the old one was closed and bought bread, cheese and plums";
    home.say(NOW, full).await;
    home.say(NOW + MINUTE, "what did she say").await;
    let vector = embed_alike(&home).await;

    let found =
        home.memory.recall(Recall { vector: Some(vector), limit: 2, ..Recall::default() }).await.unwrap();

    assert_eq!(texts(&found), [full, "what did she say"]);
}
