//! A room in which the microphone hears the loudspeaker.

use std::time::Duration;

use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, VirtualSound};

use super::support::{Home, User, listening_jarvis, questions, wait_until};

/// Answers that would be taken for requests if they were not known as our own voice.
const ANSWERS: [&str; 10] = [
    "You can say Jarvis, set a timer for ten minutes, whenever you like.",
    "I am Jarvis, and I run on this machine. What would you like to know?",
    "The museum opens at nine. Shall I remind you?",
    "Jarvis, what time is it, is a question that I hear often.",
    "The train leaves at noon from the second platform.",
    "Tell me the name of the town, and I look for the weather there.",
    "My name is Jarvis. Call me by it anywhere in a sentence.",
    "The capital of France is Paris. Do you want to hear more about it?",
    "Stop is the word that ends whatever I say, Jarvis would tell you.",
    "It is twenty past four. How is the weather tomorrow, you may ask.",
];

fn settings(server: &OllamaServer, hot_window_secs: f64) -> serde_json::Value {
    json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "listening": { "hot_window_secs": hot_window_secs, "intent_judge": false },
        "speaking": { "voice": "en_US-joe-medium" },
        "memory": { "diary": false },
    })
}

#[test]
fn ten_replies_are_not_taken_for_requests() {
    answers_no_reply_of_its_own(Duration::from_millis(80), 0.5);
}

/// A hundred replies in ten other rooms.
mod slow {
    use super::*;

    /// A test for each room: the delay of its echo in milliseconds, and the share of the loudness that is left.
    macro_rules! rooms {
        ($($name:ident: $delay_ms:literal, $volume:literal;)+) => {$(
            #[test]
            #[ignore = "slow: ten replies take two minutes"]
            fn $name() {
                answers_no_reply_of_its_own(Duration::from_millis($delay_ms), $volume);
            }
        )+};
    }

    rooms! {
        loud_echo_after_20_ms_is_no_request: 20, 1.0;
        loud_echo_after_50_ms_is_no_request: 50, 1.0;
        loud_echo_after_100_ms_is_no_request: 100, 1.0;
        loud_echo_after_150_ms_is_no_request: 150, 1.0;
        loud_echo_after_200_ms_is_no_request: 200, 1.0;
        quiet_echo_after_20_ms_is_no_request: 20, 0.1;
        quiet_echo_after_50_ms_is_no_request: 50, 0.1;
        quiet_echo_after_100_ms_is_no_request: 100, 0.1;
        quiet_echo_after_150_ms_is_no_request: 150, 0.1;
        quiet_echo_after_200_ms_is_no_request: 200, 0.1;
    }
}

/// Asks for each answer in a room. The sound of the loudspeaker comes to the microphone after `delay`, with `volume` as the share of
/// its loudness.
fn answers_no_reply_of_its_own(delay: Duration, volume: f32) {
    let server = OllamaServer::start(ANSWERS.map(ScriptedAnswer::says));
    let sound = VirtualSound::start().unwrap();
    sound.hear_speaker_in_microphone(delay, volume).unwrap();
    let home = Home::with(&settings(&server, 2.0));
    let user = User::new();
    let mut jarvis = listening_jarvis(&home, &sound);
    let question = user.says("Jarvis, what do you say about number four?", home.path());

    for (turn, answer) in ANSWERS.iter().enumerate() {
        sound.speak_into_microphone(&question).unwrap();
        let begin = answer.split(['.', ',']).next().unwrap_or(answer);
        jarvis.wait_for(begin);
        wait_until("the answer was spoken", || {
            home.log().matches("the voice finished").count() + home.log().matches("was interrupted").count()
                > turn
        });
        // An echo that was taken for a request would be answered in the window that is open now.
        wait_until("the window is closed", || home.log().matches("the hot window closed").count() > turn);
    }

    let interrupted = home.log().matches("the voice was interrupted").count();
    let last_words =
        |asked: &serde_json::Value| asked["messages"].as_array()?.last()?.get("content").cloned();
    let asked: Vec<_> = questions(&server).iter().map(last_words).collect();
    assert_eq!((asked.len(), interrupted), (ANSWERS.len(), 0), "{asked:?}\n{}", home.log());
    assert!(jarvis.ends_successfully(), "{}", home.log());
}
