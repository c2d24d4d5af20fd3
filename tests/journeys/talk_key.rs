//! The global talk key: tapped, held, cancelled, and granted by a Wayland desktop.

use std::ffi::OsString;

use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, SessionBus, ShortcutsPortal, VirtualSound};

use super::display::{Display, wait_for_text};
use super::support::{Home, Running, User, questions, understood, wait_until};

const KEY: &str = "ctrl+shift+space";

fn settings(server: &OllamaServer) -> serde_json::Value {
    json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "listening": { "hot_window_secs": 0.0 },
        "speaking": { "voice": "en_US-joe-medium" },
    })
}

fn warm(home: &Home) {
    wait_until("the models are warm", || home.log().contains("the models are warm"));
}

/// Jarvis with the microphone open and its models warm.
fn listening(display: &Display, home: &Home, sound: &VirtualSound) -> Running {
    let mut command = display.command(home, &[]);
    command.envs(sound.env());
    let jarvis = Running::start(command);
    warm(home);
    jarvis
}

#[tokio::test]
async fn tapped_talk_key_takes_a_spoken_question() {
    let server = OllamaServer::start([ScriptedAnswer::says("The museum opens on Monday morning.")]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&settings(&server));
    let user = User::new();
    let display = Display::with(&home, &sound.env());
    let page = display.open_jarvis().await;
    warm(&home);
    let recording = sound.record_speaker().unwrap();
    // Made before the key is pressed: the hot window does not wait for the voice of the test.
    let question = user.says("When does the museum open?", home.path());

    display.does(&["key", KEY]);
    wait_for_text(&page, "header [data-state]", "Listening").await;
    sound.speak_into_microphone(&question).unwrap();

    wait_for_text(&page, "[data-reply]", "The museum opens on Monday morning.").await;
    wait_until("the answer was spoken", || home.log().contains("the voice finished"));
    let wav = home.path().join("answer.wav");
    recording.save_wav(&wav).unwrap();
    let heard = understood(&wav);
    assert!(heard.contains("museum") || heard.contains("monday"), "{heard:?}");
}

#[test]
fn held_talk_key_listens_through_pauses() {
    let server = OllamaServer::start([ScriptedAnswer::says("Noon."), ScriptedAnswer::says("Too early.")]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&settings(&server));
    let user = User::new();
    let display = Display::start(&home);
    let _jarvis = listening(&display, &home, &sound);

    display.does(&["keydown", "ctrl", "keydown", "shift", "keydown", "space"]);
    let question = ["When does the train leave?", "I mean the one to London."];
    // Any other utterance would end in this pause.
    let pause = std::time::Duration::from_secs(2);
    sound.speak_into_microphone(&user.says_with_pauses(&question, pause, home.path())).unwrap();
    display.does(&["keyup", "space", "keyup", "shift", "keyup", "ctrl"]);
    wait_until("the answer was spoken", || home.log().contains("the voice finished"));

    let asked = questions(&server);
    let told = asked[0]["messages"].to_string().to_lowercase();
    assert!(told.contains("train") && told.contains("london"), "{told}");
    assert_eq!(asked.len(), 1, "{asked:#?}");
}

#[test]
fn escape_discards_what_is_being_said() {
    let server = OllamaServer::start([ScriptedAnswer::says("Never asked.")]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&settings(&server));
    let user = User::new();
    let display = Display::start(&home);
    let _jarvis = listening(&display, &home, &sound);
    // Long enough that the key is pressed before its end, however late the machine is.
    let question = "When does the museum open on a Monday morning in spring, and what does it cost for a \
                    family with two children who have never seen a picture in their lives?";
    let question = user.says(question, home.path());

    display.does(&["key", KEY]);
    wait_until("it listens", || home.log().contains("the hot window opened"));
    std::thread::scope(|scope| {
        scope.spawn(|| sound.speak_into_microphone(&question).unwrap());
        wait_until("the user is heard", || home.log().contains("somebody began to speak"));
        display.does(&["key", "Escape"]);
    });

    wait_until("the words were overheard", || home.log().contains("something was overheard"));
    assert_eq!(questions(&server).len(), 0);
}

/// A Wayland session as far as the talk key is concerned; the windows still need the X server.
fn wayland() -> Vec<(OsString, OsString)> {
    vec![("WAYLAND_DISPLAY".into(), "no-wayland-display".into())]
}

#[test]
fn wayland_desktop_grants_the_talk_key() {
    let server = OllamaServer::start([ScriptedAnswer::says("Never asked.")]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&settings(&server));
    let bus = SessionBus::start().unwrap();
    let portal = ShortcutsPortal::start(bus.address()).unwrap();
    let display = Display::on(&home, bus, &[]);
    let mut command = display.command(&home, &[]);
    command.envs(sound.env()).envs(wayland());
    let _jarvis = Running::start(command);
    wait_until("the microphone is open", || home.log().contains("the microphone is open"));

    assert_eq!(portal.requested_trigger().unwrap(), "CTRL+SHIFT+space");
    wait_until("the desktop gave the key", || home.log().contains("the desktop assigned the talk key"));
    portal.press().unwrap();
    portal.release().unwrap();

    wait_until("it listens", || home.log().contains("the hot window opened"));
}

#[tokio::test]
async fn missing_shortcuts_portal_names_the_workaround() {
    let server = OllamaServer::start([]);
    let home = Home::with(&settings(&server));
    let display = Display::with(&home, &wayland());

    let page = display.open_jarvis().await;

    wait_for_text(&page, "[role=alert]", "lets no program take a key").await;
    wait_for_text(&page, "[role=alert]", "jarvis talk").await;
}
