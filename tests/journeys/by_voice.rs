//! Spoken questions with spoken answers.

use std::path::{Path, PathBuf};

use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, VirtualSound};

use super::support::{Home, User, listening_jarvis, plain_speech, questions, understood, wait_until};

fn settings(server: &OllamaServer, hot_window_secs: f64) -> serde_json::Value {
    json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "listening": { "hot_window_secs": hot_window_secs },
        "speaking": { "voice": "en_US-joe-medium" },
    })
}

/// Loud enough to be a voice.
fn is_audible(samples: &[f32]) -> bool {
    samples.iter().any(|sample| sample.abs() > 0.02)
}

#[test]
fn spoken_question_is_answered_aloud() {
    let server = OllamaServer::start([
        ScriptedAnswer::says("The museum opens on Monday morning. Bring a warm coat."),
        ScriptedAnswer::says("Tomorrow will be sunny in London."),
        ScriptedAnswer::says("The train leaves at noon."),
    ]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&settings(&server, 0.0));
    let user = User::new();
    let mut jarvis = listening_jarvis(&home, &sound);

    let questions_and_answers = [
        ("Jarvis, when does the museum open?", "The museum opens", ["museum", "monday", "coat"]),
        (
            "Tell me, Jarvis, will it rain tomorrow?",
            "Tomorrow will be sunny",
            ["tomorrow", "sunny", "london"],
        ),
        ("When does the train leave, Jarvis?", "The train leaves at noon.", ["train", "leaves", "noon"]),
    ];
    for (turn, (question, answer, expected)) in questions_and_answers.into_iter().enumerate() {
        let recording = sound.record_speaker().unwrap();
        sound.speak_into_microphone(&user.says(question, home.path())).unwrap();
        jarvis.wait_for(answer);
        wait_until("the answer was spoken", || {
            home.log().matches("the voice finished").count() > turn
                && is_audible(&recording.so_far().unwrap())
        });
        let wav = home.path().join("answer.wav");
        wait_until("the speaker is silent again", || {
            let heard = recording.so_far().unwrap();
            let tail = heard.len().saturating_sub(16_000);
            is_audible(&heard) && !is_audible(&heard[tail..])
        });
        recording.save_wav(&wav).unwrap();
        let heard = understood(&wav);
        // Piper's speech varies and the recogniser misses a word now and then. Two of three words identify the answer.
        let understood = expected.iter().filter(|word| heard.contains(*word)).count();
        assert!(understood >= 2, "{question} was answered with {heard:?}");
    }
    let asked = questions(&server);
    assert_eq!(asked.len(), 3, "{asked:#?}");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

#[test]
fn follow_up_needs_no_wake_word_and_other_talk_gets_no_answer() {
    let server = OllamaServer::start([
        ScriptedAnswer::says("It is twenty past four."),
        ScriptedAnswer::says("It will be sunny."),
        ScriptedAnswer::says("You are welcome."),
    ]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&settings(&server, 8.0));
    let user = User::new();
    let mut jarvis = listening_jarvis(&home, &sound);

    // Without the wake word there is no answer.
    sound.speak_into_microphone(&user.says("I think we should leave before noon.", home.path())).unwrap();
    wait_until("the talk was overheard", || home.log().contains("overheard"));
    assert_eq!(questions(&server).len(), 0);

    sound.speak_into_microphone(&user.says("Jarvis, what time is it?", home.path())).unwrap();
    jarvis.wait_for("It is twenty past four.");
    wait_until("the hot window is open", || home.log().contains("the hot window opened"));
    sound.speak_into_microphone(&user.says("And how is the weather tomorrow?", home.path())).unwrap();
    jarvis.wait_for("It will be sunny.");

    let follow_up = questions(&server)[1]["messages"].to_string().to_lowercase();
    assert!(follow_up.contains("weather") || follow_up.contains("tomorrow"), "{follow_up}");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

/// The way for desktops that let no program take a key.
#[test]
fn talk_command_takes_a_question_without_the_name() {
    let server = OllamaServer::start([ScriptedAnswer::says("The museum opens on Monday morning.")]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&settings(&server, 0.0));
    let user = User::new();
    let mut jarvis = listening_jarvis(&home, &sound);
    // Made before the command: listening does not wait for the voice of the test.
    let question = user.says("When does the museum open?", home.path());

    let talk = home.command(&["talk"]).output().unwrap();
    sound.speak_into_microphone(&question).unwrap();

    jarvis.wait_for("The museum opens on Monday morning.");
    assert!(talk.status.success(), "{talk:?}");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

#[test]
fn stop_word_after_the_name_ends_a_spoken_reply() {
    ends_a_spoken_reply(|folder| User::new().says("Jarvis, stop!", folder));
}

/// Kokoro says the bare word so that recognisers write "snowboard".
#[test]
fn bare_stop_word_ends_a_spoken_reply() {
    ends_a_spoken_reply(|folder| plain_speech("en-gb", "Stop!", folder));
}

#[test]
fn polite_stop_without_the_name_ends_a_spoken_reply() {
    ends_a_spoken_reply(|folder| plain_speech("en-gb+f3", "Please stop it.", folder));
}

/// The user says `words` over a long story.
fn ends_a_spoken_reply(words: impl FnOnce(&Path) -> PathBuf) {
    let sentence = "This is a long story about a small boat on a wide river. ";
    let server = OllamaServer::start([ScriptedAnswer::says(sentence.repeat(12))]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&settings(&server, 0.0));
    let user = User::new();
    let mut jarvis = listening_jarvis(&home, &sound);

    let recording = sound.record_speaker().unwrap();
    sound.speak_into_microphone(&user.says("Jarvis, tell me a story.", home.path())).unwrap();
    jarvis.wait_for("small boat");
    wait_until("the story is being told", || {
        home.log().contains("the voice began") && is_audible(&recording.so_far().unwrap())
    });
    sound.speak_into_microphone(&words(home.path())).unwrap();

    wait_until("the voice was interrupted", || home.log().contains("the voice was interrupted"));
    wait_until("the speaker is silent", || {
        let heard = recording.so_far().unwrap();
        !is_audible(&heard[heard.len().saturating_sub(24_000)..])
    });
    assert!(jarvis.ends_successfully(), "{}", home.log());
}
