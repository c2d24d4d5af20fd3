//! A sound card without hardware: a PulseAudio daemon of our own with a microphone to speak into and a speaker to
//! record from. The real capture and playback code runs against it.
//!
//! Nothing of the user's is touched: the daemon has its own socket and folder, and programs find it through the
//! environment of [`VirtualSound::env`] only. Needs `pulseaudio`, its `pactl`, `parec` and `paplay`, and ALSA's
//! PulseAudio plugin (Debian: `pulseaudio pulseaudio-utils libasound2-plugins`).

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Name of the virtual speaker, for the setting `audio.speaker`.
pub const SPEAKER: &str = "jarvis_speaker";
/// Name of the virtual microphone, for the setting `audio.microphone`.
pub const MICROPHONE: &str = "jarvis_microphone";
/// Rate of both, in hertz: what most cards run at.
pub const RATE_HZ: u32 = 48_000;

/// Numbers the recordings of this process.
static NEXT_RECORDING: AtomicU32 = AtomicU32::new(0);
/// How long the daemon and its clients may take to get ready on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// An orphaned daemon goes away by itself after so many seconds without a client.
const EXIT_IDLE_SECS: u32 = 300;

/// The running daemon. Dropping what [`start`](Self::start) gave ends it.
pub struct VirtualSound {
    folder: PathBuf,
    /// `None` when another process started it.
    daemon: Option<Daemon>,
}

impl VirtualSound {
    /// Starts the daemon with one microphone and one speaker, both the defaults.
    ///
    /// # Errors
    ///
    /// When PulseAudio is not installed or does not come up.
    pub fn start() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("alsa.conf"), ALSA_CONFIGURATION)?;
        let socket = socket_in(folder.path());
        let daemon = Command::new("pulseaudio")
            .args(["-n", "--daemonize=no", "--use-pid-file=no", "--disable-shm=yes", "--log-level=error"])
            .arg(format!("--exit-idle-time={EXIT_IDLE_SECS}"))
            .arg("-L")
            .arg(format!("module-native-protocol-unix auth-anonymous=1 socket={}", socket.display()))
            .arg("-L")
            .arg(null_sink(SPEAKER))
            .arg("-L")
            .arg(null_sink(MICROPHONE))
            .envs(environment(folder.path()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("pulseaudio did not start: {error}")))?;
        let path = folder.path().to_owned();
        let daemon = Daemon { process: daemon, listener: None, _folder: folder };
        let mut sound = Self { folder: path, daemon: Some(daemon) };
        wait_until("pulseaudio did not get ready", || sound.pactl(&["info"]).is_ok())?;
        sound.choose_defaults()?;
        let mut listener = sound
            .client("parec")
            .args(["--raw", "--latency-msec=20"])
            .arg(format!("--device={}", monitor(MICROPHONE)))
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut heard) = listener.stdout.take() {
            heard.read_exact(&mut [0; 4_096])?;
            // It ends with the listener.
            std::thread::spawn(move || io::copy(&mut heard, &mut io::sink()));
        }
        if let Some(daemon) = &mut sound.daemon {
            daemon.listener = Some(listener);
        }
        Ok(sound)
    }

    /// The daemon that another process started, by its [`folder`](Self::folder). It goes on when this is dropped.
    pub fn running_in(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), daemon: None }
    }

    /// Names the daemon to [`running_in`](Self::running_in).
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What to set for a program so that this is its sound card.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        environment(&self.folder)
    }

    /// Speaks a WAV file into the microphone and returns when its last sample was spoken.
    ///
    /// # Errors
    ///
    /// When the file cannot be played.
    pub fn play_into_microphone(&self, wav: &Path) -> io::Result<()> {
        let played = self.client("paplay").arg(format!("--device={MICROPHONE}")).arg(wav).status()?;
        played.success().then_some(()).ok_or_else(|| io::Error::other(format!("paplay failed: {played}")))
    }

    /// Records what reaches the speaker from now on.
    ///
    /// # Errors
    ///
    /// When the recorder does not start.
    pub fn record_speaker(&self) -> io::Result<Recording> {
        let raw =
            self.folder.join(format!("recording-{}.raw", NEXT_RECORDING.fetch_add(1, Ordering::Relaxed)));
        let recorder = self
            .client("parec")
            .args(["--raw", "--format=s16le", "--channels=1", "--latency-msec=20"])
            .arg(format!("--rate={RATE_HZ}"))
            .arg(format!("--device={}", monitor(SPEAKER)))
            .stdout(std::fs::File::create(&raw)?)
            .spawn()?;
        let recording = Recording { recorder, raw };
        wait_until("the recorder did not get ready", || recording.bytes() > 0)?;
        Ok(recording)
    }

    /// Pulls the plugs of speaker and microphone, so that streams under way fail: were one left, the daemon would
    /// move them there, as it does for a user who has two.
    ///
    /// # Errors
    ///
    /// When they are not plugged in.
    pub fn unplug(&self) -> io::Result<()> {
        self.unload(MICROPHONE)?;
        self.unload(SPEAKER)
    }

    /// Plugs both in again, as the defaults.
    ///
    /// # Errors
    ///
    /// When the daemon refuses.
    pub fn plug_in(&self) -> io::Result<()> {
        self.load(SPEAKER)?;
        self.load(MICROPHONE)?;
        self.choose_defaults()
    }

    /// How many programs have the microphone open.
    ///
    /// # Errors
    ///
    /// When the daemon does not answer.
    pub fn microphone_users(&self) -> io::Result<usize> {
        Ok(self.pactl(&["list", "short", "source-outputs"])?.lines().count())
    }

    /// The microphone stays but brings nothing any more, as one that the system has put to sleep.
    ///
    /// # Errors
    ///
    /// When it is not plugged in.
    pub fn freeze_microphone(&self) -> io::Result<()> {
        self.pactl(&["suspend-sink", MICROPHONE, "1"]).map(drop)
    }

    fn choose_defaults(&self) -> io::Result<()> {
        self.pactl(&["set-default-sink", SPEAKER])?;
        self.pactl(&["set-default-source", &monitor(MICROPHONE)]).map(drop)
    }

    fn load(&self, sink: &str) -> io::Result<()> {
        let module = null_sink(sink);
        let words: Vec<&str> = std::iter::once("load-module").chain(module.split(' ')).collect();
        self.pactl(&words).map(drop)
    }

    fn unload(&self, sink: &str) -> io::Result<()> {
        let modules = self.pactl(&["list", "short", "modules"])?;
        let id = modules
            .lines()
            .find(|line| line.contains(&format!("sink_name={sink} ")))
            .and_then(|line| line.split_whitespace().next())
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("{sink} is not plugged in")))?;
        self.pactl(&["unload-module", id]).map(drop)
    }

    fn pactl(&self, words: &[&str]) -> io::Result<String> {
        let output = self.client("pactl").args(words).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(format!("pactl {words:?}: {said}")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.envs(self.env()).stdin(Stdio::null()).stderr(Stdio::piped());
        command
    }
}

struct Daemon {
    process: Child,
    /// Keeps the microphone awake: a null sink nobody listens to stirs only every 2 s, and the first words spoken
    /// into it would come as late.
    listener: Option<Child>,
    /// Held for its drop, which removes the folder.
    _folder: TempDir,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        for process in self.listener.iter_mut().chain([&mut self.process]) {
            // It may have ended already; either way it is gone after this.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// A recording under way. Dropping it ends it.
pub struct Recording {
    recorder: Child,
    raw: PathBuf,
}

impl Recording {
    /// What has been recorded so far: mono samples, -1.0 to 1.0, at [`RATE_HZ`].
    ///
    /// # Errors
    ///
    /// When the recording cannot be read.
    pub fn so_far(&self) -> io::Result<Vec<f32>> {
        let bytes = std::fs::read(&self.raw)?;
        Ok(bytes.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0).collect())
    }

    /// Ends the recording and writes it as a WAV file.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn stop_into(self, wav: &Path) -> io::Result<()> {
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: RATE_HZ,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let mut writer = hound::WavWriter::create(wav, spec).map_err(io::Error::other)?;
        for sample in self.so_far()? {
            writer.write_sample((sample * 32_767.0) as i16).map_err(io::Error::other)?;
        }
        writer.finalize().map_err(io::Error::other)
    }

    fn bytes(&self) -> u64 {
        std::fs::metadata(&self.raw).map_or(0, |file| file.len())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // It may have ended already; either way it is gone after this.
        let _ = self.recorder.kill();
        let _ = self.recorder.wait();
    }
}

/// Replaces the system's and the user's ALSA configuration: what is not named here does not exist.
const ALSA_CONFIGURATION: &str = r#"
pcm.default { type pulse hint { show on description "Default of the virtual sound" } }
ctl.default { type pulse }
pcm.jarvis_speaker { type pulse device "jarvis_speaker" hint { show on description "jarvis_speaker" } }
pcm.jarvis_microphone {
    type pulse device "jarvis_microphone.monitor" hint { show on description "jarvis_microphone" }
}
"#;

fn environment(folder: &Path) -> Vec<(OsString, OsString)> {
    let folder_text = folder.as_os_str().to_owned();
    let server = format!("unix:{}", socket_in(folder).display());
    vec![
        ("XDG_RUNTIME_DIR".into(), folder_text.clone()),
        ("PULSE_RUNTIME_PATH".into(), folder_text.clone()),
        ("PULSE_STATE_PATH".into(), folder_text),
        ("PULSE_SERVER".into(), server.into()),
        ("ALSA_CONFIG_PATH".into(), folder.join("alsa.conf").into_os_string()),
    ]
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join("native")
}

fn null_sink(name: &str) -> String {
    format!("module-null-sink sink_name={name} rate={RATE_HZ} channels=2")
}

fn monitor(sink: &str) -> String {
    format!("{sink}.monitor")
}

/// Other programs tell us nothing, so they are asked again and again.
fn wait_until(failure: &str, mut is_so: impl FnMut() -> bool) -> io::Result<()> {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, failure.to_owned()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
