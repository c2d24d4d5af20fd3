//! Unusable answers of the model change nothing in the memory.

use futures::StreamExt;
use jiff::tz::TimeZone;
use llm::CancellationToken;
use memory::NewEntry;
use reflection::Mode;
use testkit::FixedClock;

use crate::support::{Fixture, NOW, Override, Pass, at};

const NONSENSE: [&str; 15] = [
    "",
    "banana",
    "I am sorry, but I cannot help with that.",
    "NONE",
    "null",
    "true",
    "[]",
    "{}",
    "[[[[",
    "{\"facts\": \"all of them\", \"categories\": 7, \"rain\": 4}",
    "```json\n```",
    "{\"facts\": [null, 3], \"categories\": 7, \"replaces\": {}}",
    "{\"facts\": [\"Bananas fly over Helsinki.\"]}",
    "[{\"branch\": \"USER\", \"fact\": \"The user flies.\", \"quote\": \"I fly\"}, null, 3]",
    "SUMMARY: The user likes te",
];

#[tokio::test]
async fn unusable_answers_change_nothing_in_the_memory() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.say(NOW + 1, "I like cake").await;
    fixture.write().await.unwrap();
    let imported = NewEntry {
        day: jiff::civil::date(2024, 1, 1),
        source: "import voice".into(),
        summary: "The user could not sleep. They like rain.".into(),
        topics: vec!["rain".into(), "rains".into()],
    };
    fixture.memory.write_entry(imported, vec![], NOW).await.unwrap();
    let before = fixture.memory.archive().await.unwrap();
    let (zone, clock, stop) = (TimeZone::UTC, FixedClock::at(&at(NOW).to_string()), CancellationToken::new());

    for nonsense in NONSENSE {
        fixture.model.override_answers(move |_, _| Some(Override::Says(nonsense.to_owned())));
        fixture.reflection.remove_deflections(Mode::Apply, &clock, &stop).count().await;
        fixture.reflection.merge_topics(Mode::Apply, &clock, &stop).count().await;
        fixture.reflection.consolidate(Mode::Apply, &clock, &stop).count().await;
        fixture.reflection.import_diary(&zone, 8192, &clock, &stop).count().await;

        assert_eq!(fixture.memory.archive().await.unwrap(), before, "{nonsense}");
    }
}

#[tokio::test]
async fn unusable_answers_neither_lose_nor_invent_facts() {
    for nonsense in NONSENSE {
        let fixture = Fixture::new();
        fixture.say(NOW, "I like tea").await;
        fixture.write().await.unwrap();
        fixture.say(NOW + 1, "I like cake").await;
        fixture.model.override_answers(move |pass, _| {
            (pass != Pass::Diary && pass != Pass::Facts).then(|| Override::Says(nonsense.to_owned()))
        });

        fixture.write().await.unwrap();

        assert_eq!(fixture.user_facts().await, ["The user likes tea.", "The user likes cake."], "{nonsense}");
    }
}
