//! Questions that are not in English.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer};

use super::support::{Home, questions, understood_in};

/// A recording of this voice of espeak-ng, with silence around it.
fn recording(voice: &str, text: &str, folder: &Path) -> PathBuf {
    let file = folder.join("question.wav");
    let mut espeak = Command::new("espeak-ng");
    espeak.args(["-v", voice, "-s", "140", "-w"]).arg(&file).arg(text);
    assert!(espeak.status().unwrap().success(), "espeak-ng has no voice {voice}");
    let (samples, rate_hz) = audio::read_wav(&file).unwrap();
    let silence = vec![0.0; rate_hz as usize / 2];
    audio::write_wav(&file, &[&silence[..], &samples, &silence].concat(), rate_hz).unwrap();
    file
}

#[test]
fn german_question_is_answered_in_german() {
    let server = OllamaServer::start([ScriptedAnswer::says(
        "Es war einmal ein alter Mann. Er wohnte mit seiner Katze am Wasser.",
    )]);
    let home = Home::with(&json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "hearing": { "language": "auto" },
        "speaking": { "voice": "en_US-joe-medium" },
    }));
    // Of its German voices, the recogniser understands this one best.
    let question = recording("de+klatt4", "Jarvis, erzähle mir bitte eine Geschichte.", home.path());
    let answer = home.path().join("answer.wav");

    let mut listen = home.command(&["listen"]);
    listen.arg("--wav").arg(&question).arg("--out").arg(&answer);
    let output = listen.output().unwrap();

    let out = String::from_utf8_lossy(&output.stdout).to_lowercase();
    assert!(output.status.success() && out.contains("geschichte"), "{out}\n{}", home.log());
    let asked = questions(&server)[0]["messages"].to_string();
    assert!(asked.contains("Answer in German."), "{asked}");
    assert!(home.log().contains("no installed voice speaks this language"), "{}", home.log());
    let heard = understood_in("de", &answer);
    // An English voice that reads these words is understood as something else.
    let known = ["einmal", "alter", "mann", "wohnte", "katze", "wasser"];
    let understood = known.iter().filter(|word| heard.contains(*word)).count();
    assert!(understood >= 3, "the answer sounds like {heard:?}");
}

#[test]
fn typed_question_is_answered_in_its_language_and_a_setting_fixes_another() {
    let answers = ["À cause de la lumière.", "Because of the light."].map(ScriptedAnswer::says);
    let server = OllamaServer::start(answers);
    let settings = json!({ "llm": { "provider": "ollama", "base_url": server.url() } });
    let home = Home::with(&settings);
    let ask = || {
        let question = ["ask", "pourquoi le ciel est-il bleu ?"];
        assert!(home.command(&question).output().unwrap().status.success(), "{}", home.log());
    };

    ask();
    let mut fixed = settings.clone();
    fixed["replying"] = json!({ "language": "en" });
    home.write_settings(&fixed);
    ask();

    let asked = questions(&server);
    assert!(asked[0]["messages"].to_string().contains("Answer in French."), "{asked:#?}");
    assert!(asked[1]["messages"].to_string().contains("Answer in English."), "{asked:#?}");
}
