//! Faults outside the program are reported, cost no data, and are recovered from.

use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, VirtualSound};

use super::support::{Home, Running, questions, wait_until};

#[test]
fn missing_provider_names_its_remedy_and_recovers_later() {
    let server = OllamaServer::start([ScriptedAnswer::says("It rains.")]);
    let address = server.address();
    drop(server);
    let home =
        Home::with(&json!({ "llm": { "provider": "ollama", "base_url": format!("http://{address}") } }));
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");

    jarvis.types("does it rain?");
    let said = jarvis.wait_for("does not answer");
    let _server = OllamaServer::start_at(address, [ScriptedAnswer::says("It rains, as you asked.")]);
    jarvis.types("and now?");

    assert!(said.contains("Ollama"), "{said}");
    jarvis.wait_for("It rains, as you asked.");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

#[test]
fn killed_jarvis_keeps_what_was_asked() {
    let server = OllamaServer::start([
        ScriptedAnswer::stalls_after("It is"),
        ScriptedAnswer::says("As I was about to say, it rains."),
    ]);
    let home = Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }));
    let mut jarvis = Running::start(home.command(&["chat"]));
    jarvis.wait_for("Ready.");
    jarvis.types("what is the weather in the village of my youth?");
    wait_until("the model was asked", || !questions(&server).is_empty());
    wait_until("the question reached the disk", || {
        std::fs::read(home.path().join("data/jarvis.db-wal"))
            .is_ok_and(|wal| wal.windows(7).any(|window| window == b"village"))
    });

    jarvis.kill();
    let mut again = Running::start(home.command(&["chat"]));
    again.wait_for("Ready.");
    again.types("go on");
    again.wait_for("As I was about to say");

    let told = questions(&server).last().unwrap()["messages"].to_string();
    assert!(told.contains("village of my youth"), "{told}");
    assert!(again.ends_successfully(), "{}", home.log());
}

#[test]
fn damaged_memory_is_quarantined_and_the_chat_continues() {
    let server = OllamaServer::start([ScriptedAnswer::says("It rains.")]);
    let home = Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }));
    std::fs::create_dir_all(home.path().join("data")).unwrap();
    std::fs::write(home.path().join("data/jarvis.db"), "no database at all".repeat(400)).unwrap();
    let mut jarvis = Running::start(home.command(&["chat"]));

    jarvis.wait_for("The memory file was damaged");
    jarvis.types("does it rain?");

    jarvis.wait_for("It rains.");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

#[test]
fn typing_works_without_a_sound_card() {
    let server = OllamaServer::start([ScriptedAnswer::says("It rains.")]);
    let home = Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }));
    let mut command = home.command(&[]);
    // A sound system with no cards at all.
    let nothing = home.path().join("no-cards.conf");
    std::fs::write(&nothing, "").unwrap();
    command.env("ALSA_CONFIG_PATH", nothing).env("PULSE_SERVER", "unix:/nonexistent");
    let mut jarvis = Running::start(command);

    jarvis.wait_for("! microphone: ");
    jarvis.types("does it rain?");

    jarvis.wait_for("It rains.");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}

#[test]
fn microphone_that_is_pulled_out_is_reported_and_recovers() {
    let server = OllamaServer::start([ScriptedAnswer::says("It rains.")]);
    let home = Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }));
    let sound = VirtualSound::start().unwrap();
    let mut command = home.command(&[]);
    command.envs(sound.env());
    let mut jarvis = Running::start(command);
    jarvis.wait_for("Ready.");
    wait_until("the microphone is open", || home.log().contains("the microphone is open"));

    sound.unplug().unwrap();
    jarvis.wait_for("! microphone: ");
    jarvis.types("does it rain?");
    jarvis.wait_for("It rains.");
    sound.plug_in().unwrap();

    jarvis.wait_for("The microphone works again.");
    assert!(jarvis.ends_successfully(), "{}", home.log());
}
