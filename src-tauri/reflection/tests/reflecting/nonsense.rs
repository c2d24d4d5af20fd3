//! A model out of its mind changes nothing in the memory.

use futures::StreamExt;
use jiff::tz::TimeZone;
use llm::CancellationToken;
use memory::NewEntry;
use reflection::Mode;
use testkit::FixedClock;

use crate::support::{Home, Instead, NOW, Pass, at};

const NONSENSE: [&str; 8] = [
    "",
    "banana",
    "null",
    "[]",
    "{\"facts\": [null, 3], \"categories\": 7, \"replaces\": {}}",
    "{\"facts\": [\"Bananas fly over Helsinki.\"]}",
    "[{\"branch\": \"USER\", \"fact\": \"The user flies.\", \"quote\": \"I fly\"}, null, 3]",
    "SUMMARY: The user likes te",
];

#[tokio::test]
async fn nothing_changes() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.say(NOW + 1, "I like cake").await;
    home.write().await.unwrap();
    let imported = NewEntry {
        day: jiff::civil::date(2024, 1, 1),
        source: "import voice".into(),
        summary: "The user could not sleep. They like rain.".into(),
        topics: vec!["rain".into(), "rains".into()],
    };
    home.memory.write_entry(imported, vec![], NOW).await.unwrap();
    let before = home.memory.archive().await.unwrap();
    let (zone, clock, stop) = (TimeZone::UTC, FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    for nonsense in NONSENSE {
        home.model.instead(move |_, _| Some(Instead::Says(nonsense.to_owned())));
        home.reflection.sweep_deflections(Mode::Apply, &clock, &stop).count().await;
        home.reflection.sweep_tags(Mode::Apply, &clock, &stop).count().await;
        home.reflection.consolidate(Mode::Apply, &clock, &stop).count().await;
        home.reflection.import_diary(&zone, 8192, &clock, &stop).count().await;

        assert_eq!(home.memory.archive().await.unwrap(), before, "{nonsense}");
    }
}

#[tokio::test]
async fn new_facts_are_neither_lost_nor_made_up() {
    for nonsense in NONSENSE {
        let home = Home::new();
        home.say(NOW, "I like tea").await;
        home.write().await.unwrap();
        home.say(NOW + 1, "I like cake").await;
        home.model.instead(move |pass, _| {
            (pass != Pass::Diary && pass != Pass::Facts).then(|| Instead::Says(nonsense.to_owned()))
        });

        home.write().await.unwrap();

        assert_eq!(home.of_user().await, ["The user likes tea.", "The user likes cake."], "{nonsense}");
    }
}
