//! The assistant's own voice.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use rstest::rstest;
use serde_json::{Value, json};
use tools::VoiceSettings;
use vocabulary::Language;

use crate::fixture::Fixture;

/// Settings in memory; `None` cannot be written.
struct Voice(Option<Mutex<(u8, bool)>>);

impl Voice {
    fn change(&self, change: impl FnOnce(&mut (u8, bool))) -> Result<(), Box<dyn Error + Send + Sync>> {
        change(&mut self.0.as_ref().ok_or("the disk is full")?.lock());
        Ok(())
    }
}

#[async_trait]
impl VoiceSettings for Voice {
    fn volume_percent(&self) -> u8 {
        self.0.as_ref().map_or(50, |voice| voice.lock().0)
    }

    async fn set_volume_percent(&self, percent: u8) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.change(|voice| voice.0 = percent)
    }

    async fn set_muted(&self, muted: bool) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.change(|voice| voice.1 = muted)
    }
}

fn fixture(voice: Voice) -> (Fixture, Arc<Voice>) {
    let voice = Arc::new(voice);
    let of_tools = Arc::clone(&voice) as Arc<dyn VoiceSettings>;
    let fixture = Fixture::with(|mut parts| {
        parts.voice = Some(of_tools);
        parts
    });
    (fixture, voice)
}

#[rstest]
#[case::named(50, json!({"percent": 40}), 40)]
#[case::louder(50, json!({"change": "up"}), 70)]
#[case::loudest(90, json!({"change": "up"}), 100)]
#[case::quieter(50, json!({"change": "down"}), 30)]
#[case::still_heard(20, json!({"change": "down"}), 10)]
#[case::quieter_than_that_already(5, json!({"change": "down"}), 5)]
#[tokio::test]
async fn volume_is_changed_and_told(#[case] before: u8, #[case] arguments: Value, #[case] after: u8) {
    let (mut fixture, voice) = fixture(Voice(Some(Mutex::new((before, false)))));
    fixture.context.language = Language::new("de");

    let result = fixture.call("setVolume", arguments).await;

    assert_eq!(voice.volume_percent(), after);
    assert_eq!(*result.answer.unwrap(), format!("Ich spreche jetzt mit {after} Prozent der Lautstärke."));
}

#[rstest]
#[case::too_loud(json!({"percent": 101}), "failed: 101 is no volume. Use a number from 0 to 100.")]
#[case::nothing_named(json!({}), "failed: The volume is 50 percent. Ask how loud it is to be.")]
#[case::settings_not_written(json!({"percent": 10}), "failed: The settings could not be changed: the disk is full.")]
#[tokio::test]
async fn volume_that_cannot_be_set_is_a_plain_failure(#[case] arguments: Value, #[case] expected: &str) {
    let (fixture, _) = fixture(Voice(None));

    assert_eq!(fixture.told("setVolume", arguments).await, expected);
}

#[tokio::test]
async fn volume_out_of_range_is_told_without_a_model() {
    let (mut fixture, _) = fixture(Voice(Some(Mutex::new((50, false)))));
    fixture.context.language = Language::new("de");

    let result = fixture.call("setVolume", json!({"percent": 300})).await;

    assert_eq!(*result.answer.unwrap(), "Meine Lautstärke geht von 0 bis 100 Prozent.");
}

#[tokio::test]
async fn voice_is_turned_off_and_on() {
    let (fixture, voice) = fixture(Voice(Some(Mutex::new((50, false)))));
    let is_muted = || voice.0.as_ref().unwrap().lock().1;

    let off = fixture.told("muteVoice", json!({"muted": true})).await;
    let was_muted = is_muted();
    let on = fixture.told("muteVoice", json!({"muted": false})).await;

    assert_eq!((was_muted, is_muted()), (true, false));
    assert_eq!([off, on], ["Your voice is off: answers are shown only.", "Your voice is on again."]);
}

#[tokio::test]
async fn typed_request_is_answered_aloud_where_the_user_wants_to_hear_it() {
    let result = Fixture::new().call("speakAnswer", json!({})).await;

    assert!(result.success && result.voice_requested && result.voice_text.is_none());
}

#[tokio::test]
async fn other_words_than_the_answer_can_be_spoken() {
    let result = Fixture::new().call("speakAnswer", json!({"text": "Here is the table."})).await;

    assert_eq!(result.voice_text.map(|words| words.0).as_deref(), Some("Here is the table."));
}

#[test]
fn tools_of_the_voice_are_left_out_without_one() {
    let names: Vec<String> =
        Fixture::new().tools.iter().map(|tool| tool.declaration().name.clone()).collect();

    assert!(!names.iter().any(|name| name == "setVolume" || name == "muteVoice"), "{names:?}");
}
