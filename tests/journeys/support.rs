//! The parts that journeys share: a home for each Jarvis, a synthesised user, and recognition of what the speaker
//! plays.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hearing::{DecodeEffort, DecodeRequest, SpeechToText, Whisper, WhisperConfig};
use serde_json::{Value, json};
use speaking::{Kokoro, KokoroFiles, TextToSpeech};
use testkit::{OllamaServer, VirtualSound};
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

/// The time that a machine under load may take for one step of a journey.
pub const STEP_LIMIT: Duration = Duration::from_secs(120);

/// The same for reading all prompts with the embedded model: 102 s were seen on two busy cores.
const WARM_UP_LIMIT: Duration = Duration::from_secs(200);

/// The model files of this user.
pub fn models() -> PathBuf {
    std::env::var_os("JARVIS_MODELS")
        .map_or_else(|| settings::Folders::from_environment().unwrap().models, PathBuf::from)
}

/// A model file, which must be there.
pub fn model(name: &str) -> PathBuf {
    let path = models().join(name);
    assert!(path.is_file(), "{} is missing: run `cargo xtask models`", path.display());
    path
}

/// The level of the user's voice above the noise of the room, in decibels: a living room with a fan.
const SPEECH_ABOVE_NOISE_DB: f32 = 20.0;

/// The synthesised user: another voice than Jarvis's own, in a room that is not silent.
pub struct User {
    voice: Kokoro,
}

impl User {
    pub fn new() -> Self {
        let files = KokoroFiles {
            library: model("runtime/libonnxruntime.so"),
            network: model("voices/kokoro/kokoro-v1.0.int8.onnx"),
            vocabulary: model("voices/kokoro/vocab.json"),
            voice: model("voices/kokoro/voices/bm_george.bin"),
        };
        Self { voice: Kokoro::load("user", &files, 1).unwrap() }
    }

    /// Speech as a WAV file, with a moment before and after it.
    pub fn says(&self, text: &str, folder: &Path) -> PathBuf {
        self.says_with_pauses(&[text], Duration::ZERO, folder)
    }

    /// The same with several sentences and this pause between them.
    pub fn says_with_pauses(&self, sentences: &[&str], pause: Duration, folder: &Path) -> PathBuf {
        let mut samples = Vec::new();
        let mut rate_hz = 0;
        for sentence in sentences {
            let speech = self.voice.synthesise(sentence, 1.0, &CancellationToken::new()).unwrap();
            rate_hz = speech.rate_hz;
            let pause = if samples.is_empty() { Duration::from_millis(330) } else { pause };
            samples.resize(samples.len() + (pause.as_secs_f32() * rate_hz as f32) as usize, 0.0);
            samples.extend(speech.samples);
        }
        samples.resize(samples.len() + rate_hz as usize / 3, 0.0);
        add_noise(&mut samples);
        let name: String = sentences.concat().chars().filter(|c| c.is_alphanumeric()).take(40).collect();
        let path = folder.join(format!("{name}.wav"));
        audio::write_wav(&path, &samples, rate_hz).unwrap();
        path
    }
}

/// Speech of espeak-ng as a WAV file, with the moments and the noise of [`User::says`] around it.
pub fn plain_speech(voice: &str, text: &str, folder: &Path) -> PathBuf {
    let path = folder.join("plain-speech.wav");
    let status = Command::new("espeak-ng").args(["-v", voice, "-s", "155", text, "-w"]).arg(&path).status();
    assert!(status.expect("espeak-ng is installed: run `cargo xtask system`").success(), "espeak-ng failed");
    let (speech, rate_hz) = audio::read_wav(&path).unwrap();
    let silence = || std::iter::repeat_n(0.0, rate_hz as usize / 3);
    let mut samples: Vec<f32> = silence().chain(speech).chain(silence()).collect();
    add_noise(&mut samples);
    audio::write_wav(&path, &samples, rate_hz).unwrap();
    path
}

/// Adds the same noise every time. It falls with the pitch, as that of rooms does.
fn add_noise(samples: &mut [f32]) {
    let power =
        |samples: &[f32]| samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32;
    let mut state = 0x2545_f491_u32;
    let mut low = 0.0;
    let noise: Vec<f32> = samples
        .iter()
        .map(|_| {
            // Xorshift: a few lines instead of a crate.
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            low = 0.9 * low + 0.1 * (state as f32 / u32::MAX as f32 - 0.5);
            low
        })
        .collect();
    let gain = (power(samples) / power(&noise) / 10_f32.powf(SPEECH_ABOVE_NOISE_DB / 10.0)).sqrt();
    samples.iter_mut().zip(noise).for_each(|(sample, noise)| *sample += gain * noise);
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
        // Most journeys script the model's answer to "What time is it?", which rules would answer.
        if settings["replying"]["fast_path"].is_null() {
            settings["replying"]["fast_path"] = false.into();
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
            .env("RUST_LOG", "info,listening=debug,storage=trace,whisper_rs=off")
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

/// A key for `name`, made by the program.
pub fn program_key(home: &Home, name: &str, may: &str) -> String {
    let output = home.command(&["programs", "add", name, "--may", may]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// `jarvis serve` at a free port, and its address.
pub fn serve(home: &Home) -> (Running, String) {
    let mut serving = Running::start(home.command(&["serve", "--port", "0"]));
    let line = serving.wait_for("http://");
    let address = line.split("http://").nth(1).unwrap().split_whitespace().next().unwrap();
    (serving, format!("http://{address}"))
}

/// Waits until `is_so`; the panic names what was waited for.
pub fn wait_until(what: &str, is_so: impl FnMut() -> bool) {
    wait_within(STEP_LIMIT, what, is_so);
}

fn wait_within(limit: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + limit;
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
    wait_within(WARM_UP_LIMIT, "the models are warm", || home.log().contains("the models are warm"));
    jarvis
}

/// The requests of the user, without warm-ups.
pub fn questions(server: &testkit::OllamaServer) -> Vec<Value> {
    server.asked().into_iter().filter(|asked| !testkit::is_warming_up(asked)).collect()
}
