//! What journeys share: a home for each Jarvis, a synthesised user, and recognition of what the speaker plays.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hearing::{DecodeEffort, DecodeRequest, SpeechToText, Whisper, WhisperConfig};
use serde_json::{Value, json};
use speaking::{Piper, PiperFiles, TextToSpeech};
use testkit::{OllamaServer, VirtualSound};
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

/// How long a machine under load may take for one step of a journey.
pub const STEP_LIMIT: Duration = Duration::from_secs(120);

/// The model files of this user.
pub fn models() -> PathBuf {
    std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::of_this_user().unwrap().models, PathBuf::from)
}

/// A model file, which must be there.
pub fn model(name: &str) -> PathBuf {
    let path = models().join(name);
    assert!(path.is_file(), "{} is missing: run `cargo xtask models`", path.display());
    path
}

/// The synthesised voice of the user.
pub struct User {
    voice: Piper,
}

impl User {
    /// Speaks the same way every time: tone and pace are random otherwise, and some draws are hard to recognise.
    pub fn new() -> Self {
        let usual = std::fs::read(model("voices/en_US-joe-medium.onnx.json")).unwrap();
        let mut steady: Value = serde_json::from_slice(&usual).unwrap();
        steady["inference"]["noise_scale"] = 0.into();
        steady["inference"]["noise_w"] = 0.into();
        let mut configuration = tempfile::NamedTempFile::new().unwrap();
        configuration.write_all(steady.to_string().as_bytes()).unwrap();
        let files = PiperFiles {
            library: model("runtime/libonnxruntime.so"),
            network: model("voices/en_US-joe-medium.onnx"),
            configuration: configuration.path().to_owned(),
        };
        Self { voice: Piper::load("user", &files, 1).unwrap() }
    }

    /// Speech as a WAV file, with a moment of silence around it.
    pub fn says(&self, text: &str, folder: &Path) -> PathBuf {
        let speech = self.voice.synthesise(text, 1.0, &CancellationToken::new()).unwrap();
        let silence = vec![0.0; speech.rate_hz as usize / 3];
        let samples = [&silence[..], &speech.samples, &silence].concat();
        let name: String = text.chars().filter(|c| c.is_alphanumeric()).take(40).collect();
        let path = folder.join(format!("{name}.wav"));
        audio::write_wav(&path, &samples, speech.rate_hz).unwrap();
        path
    }
}

/// The recognised words of an English recording, in lower case.
pub fn understood(wav: &Path) -> String {
    understood_in("en", wav)
}

/// The recognised words of a recording in this language, in lower case.
pub fn understood_in(language: &str, wav: &Path) -> String {
    let language = Language::new(language);
    let (samples, rate_hz) = audio::read_wav(wav).unwrap();
    let samples = to_16_khz(&samples, rate_hz);
    let recogniser = Whisper::new(WhisperConfig {
        model: model("speech/ggml-base-q8_0.bin"),
        threads: 1,
        likely_language: language.clone(),
    });
    let request = DecodeRequest { language, name: None, effort: DecodeEffort::Thorough };
    let heard = recogniser.transcribe(&samples, &request, &CancellationToken::new()).unwrap();
    heard.segments.iter().map(|segment| segment.text.to_lowercase()).collect::<Vec<_>>().join(" ")
}

fn to_16_khz(samples: &[f32], rate_hz: u32) -> Vec<f32> {
    let step = f64::from(rate_hz) / 16_000.0;
    (0..(samples.len() as f64 / step) as usize).map(|i| samples[(i as f64 * step) as usize]).collect()
}

/// A Jarvis with its own data folder.
pub struct Home {
    folder: tempfile::TempDir,
}

/// Settings of a Jarvis that does not listen, answered by this server. It writes no diary: the server would be asked for it.
pub fn settings_without_listening(server: &OllamaServer) -> Value {
    json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "listening": { "enabled": false },
        "memory": { "diary": false },
    })
}

impl Home {
    /// For a Jarvis that does not listen, answered by this server.
    pub fn without_listening(server: &OllamaServer) -> Self {
        Self::with(&settings_without_listening(server))
    }

    /// With these settings and one recognition thread, since journeys run in parallel. It hears English, unless the
    /// settings say otherwise.
    pub fn with(settings: &Value) -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        home.write_settings(settings);
        home
    }

    pub fn write_settings(&self, settings: &Value) {
        let mut settings = settings.clone();
        settings["hearing"]["threads"] = 1.into();
        if settings["hearing"]["language"].is_null() {
            settings["hearing"]["language"] = "en".into();
        }
        std::fs::write(self.path().join("settings.json"), settings.to_string()).unwrap();
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A command of this Jarvis.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jarvis"));
        command
            .args(arguments)
            .env("JARVIS_HOME", self.path())
            .env("JARVIS_MODELS", models())
            .env("RUST_LOG", "info,whisper_rs=off")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        command
    }

    /// The log, for the message of a failed test.
    pub fn log(&self) -> String {
        let files = std::fs::read_dir(self.path().join("logs")).into_iter().flatten().filter_map(Result::ok);
        files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("The log of {}:\n{}", self.path().display(), self.log());
        }
    }
}

/// A running program, its lines read as they come.
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    seen: Vec<String>,
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (told, lines) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        let err = BufReader::new(child.stderr.take().unwrap());
        let also_told = told.clone();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| told.send(line)));
        std::thread::spawn(move || {
            err.lines().map_while(Result::ok).try_for_each(|line| also_told.send(line))
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, seen: Vec::new() }
    }

    /// Reads on until a line holds `part`, and returns that line.
    pub fn wait_for(&mut self, part: &str) -> String {
        let deadline = Instant::now() + STEP_LIMIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if line.contains(part) {
                        return line;
                    }
                }
                Err(error) => panic!("{part:?} did not come ({error}); these lines did: {:#?}", self.seen),
            }
        }
    }

    pub fn types(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// All lines so far.
    pub fn seen(&mut self) -> &[String] {
        self.seen.extend(self.lines.try_iter());
        &self.seen
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends its input, which ends the program, and returns whether it ended successfully.
    pub fn ends_successfully(mut self) -> bool {
        drop(self.stdin.take());
        let deadline = Instant::now() + STEP_LIMIT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until `is_so`; the panic names what was waited for.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + STEP_LIMIT;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Jarvis with the microphone open in a virtual room.
pub fn listening_jarvis(home: &Home, sound: &VirtualSound) -> Running {
    let mut command = home.command(&[]);
    command.envs(sound.env());
    let mut jarvis = Running::start(command);
    jarvis.wait_for("Ready.");
    // With warm models the first question is as quick as the others; the log says when they are.
    wait_until("the models are warm", || home.log().contains("the models are warm"));
    jarvis
}

/// The requests of the user, without warm-ups.
pub fn questions(server: &testkit::OllamaServer) -> Vec<Value> {
    server.asked().into_iter().filter(|asked| !testkit::is_warming_up(asked)).collect()
}
