//! A virtual sound card: a separate PulseAudio daemon with a microphone that tests play into and a speaker that they
//! record. The real capture and playback code uses it.
//!
//! The sound settings of the user are not changed: the daemon has its own socket and folder, and programs find it
//! through [`VirtualSound::env`] only. Needs `pulseaudio`, `pactl`, `parec`, `paplay` and the PulseAudio plugin of
//! ALSA (Debian: `pulseaudio pulseaudio-utils libasound2-plugins`).

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
/// Sample rate of both in hertz, as of most sound cards.
pub const RATE_HZ: u32 = 48_000;

/// Number of the next recording of this process.
static NEXT_RECORDING: AtomicU32 = AtomicU32::new(0);
/// The time to wait until the daemon and its clients are ready on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);
/// An orphaned daemon exits after this many seconds without a client.
const EXIT_IDLE_SECS: u32 = 300;

/// A running daemon. Dropping the value of [`start`](Self::start) ends it.
pub struct VirtualSound {
    folder: PathBuf,
    /// `None` if another process started the daemon.
    daemon: Option<Daemon>,
}

impl VirtualSound {
    /// Starts the daemon with one microphone and one speaker as default devices.
    ///
    /// # Errors
    ///
    /// PulseAudio is missing or does not start.
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
        wait_until("pulseaudio is not ready in time", || sound.pactl(&["info"]).is_ok())?;
        sound.choose_defaults()?;
        let mut listener = sound
            .client("parec")
            .args(["--raw", "--latency-msec=20"])
            .arg(format!("--device={}", monitor(MICROPHONE)))
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut samples) = listener.stdout.take() {
            samples.read_exact(&mut [0; 4_096])?;
            // The thread ends with the listener.
            std::thread::spawn(move || io::copy(&mut samples, &mut io::sink()));
        }
        if let Some(daemon) = &mut sound.daemon {
            daemon.listener = Some(listener);
        }
        Ok(sound)
    }

    /// The daemon that another process started in [`folder`](Self::folder). It is not ended on drop.
    pub fn attach_to(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), daemon: None }
    }

    /// The folder of the daemon, for [`attach_to`](Self::attach_to).
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Environment variables that make a program use this sound card.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        environment(&self.folder)
    }

    /// Plays a WAV file into the microphone, and returns after its last sample.
    ///
    /// # Errors
    ///
    /// The file cannot be played.
    pub fn speak_into_microphone(&self, wav: &Path) -> io::Result<()> {
        let played = self.client("paplay").arg(format!("--device={MICROPHONE}")).arg(wav).status()?;
        played.success().then_some(()).ok_or_else(|| io::Error::other(format!("paplay failed: {played}")))
    }

    /// Starts to record the speaker.
    ///
    /// # Errors
    ///
    /// The recorder does not start.
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
        wait_until("the recorder is not ready in time", || recording.bytes() > 0)?;
        Ok(recording)
    }

    /// Removes speaker and microphone, so that open streams fail. If one device stayed, the daemon would move all
    /// streams to it.
    ///
    /// # Errors
    ///
    /// The devices are not present.
    pub fn unplug(&self) -> io::Result<()> {
        self.unload(MICROPHONE)?;
        self.unload(SPEAKER)
    }

    /// Adds both devices again as default devices.
    ///
    /// # Errors
    ///
    /// The daemon reports an error.
    pub fn plug_in(&self) -> io::Result<()> {
        self.load(SPEAKER)?;
        self.load(MICROPHONE)?;
        self.choose_defaults()
    }

    /// Mixes what the speaker plays into the microphone from now on, as a room does: later, and at this volume of the
    /// speaker, 0.0 to 1.0.
    ///
    /// # Errors
    ///
    /// The daemon reports an error.
    pub fn hear_speaker_in_microphone(&self, delay: Duration, volume: f32) -> io::Result<()> {
        let source = format!("source={}", monitor(SPEAKER));
        let latency = format!("latency_msec={}", delay.as_millis());
        let sink = format!("sink={MICROPHONE}");
        self.pactl(&["load-module", "module-loopback", &source, &sink, &latency])?;
        let streams = self.pactl(&["list", "short", "sink-inputs"])?;
        let stream = streams.lines().last().and_then(|line| line.split_whitespace().next());
        let stream = stream.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no loopback"))?;
        // The volume of PulseAudio is cubic, and 65,536 leaves samples as they are.
        let volume = (volume.cbrt() * 65_536.0) as u32;
        self.pactl(&["set-sink-input-volume", stream, &volume.to_string()]).map(drop)
    }

    /// Number of open streams of the microphone.
    ///
    /// # Errors
    ///
    /// The daemon does not respond.
    pub fn microphone_users(&self) -> io::Result<usize> {
        Ok(self.pactl(&["list", "short", "source-outputs"])?.lines().count())
    }

    /// Suspends the microphone: it stays present but delivers no samples, like a device in standby.
    ///
    /// # Errors
    ///
    /// The microphone is not present.
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
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("{sink} is not present")))?;
        self.pactl(&["unload-module", id]).map(drop)
    }

    fn pactl(&self, arguments: &[&str]) -> io::Result<String> {
        let output = self.client("pactl").args(arguments).output()?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(format!("pactl {arguments:?}: {message}")));
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
    /// Keeps the microphone active: an unused null sink updates only every 2 s, which would delay the first words.
    listener: Option<Child>,
    /// Deletes the folder on drop.
    _folder: TempDir,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        for process in self.listener.iter_mut().chain([&mut self.process]) {
            // Errors mean that it has already ended.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// A running recording. Dropping it ends it.
pub struct Recording {
    recorder: Child,
    raw: PathBuf,
}

impl Recording {
    /// The mono samples recorded so far, -1.0 to 1.0, at [`RATE_HZ`].
    ///
    /// # Errors
    ///
    /// The recording cannot be read.
    pub fn so_far(&self) -> io::Result<Vec<f32>> {
        let bytes = std::fs::read(&self.raw)?;
        Ok(bytes.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_768.0).collect())
    }

    /// Ends the recording and writes it as a WAV file.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn save_wav(self, wav: &Path) -> io::Result<()> {
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
        // Errors mean that it has already ended.
        let _ = self.recorder.kill();
        let _ = self.recorder.wait();
    }
}

/// Replaces the ALSA configuration of the system and of the user. There are no other devices.
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

/// Polls a condition, because other programs send no notification.
fn wait_until(failure: &str, mut condition: impl FnMut() -> bool) -> io::Result<()> {
    let started = Instant::now();
    while !condition() {
        if started.elapsed() > TIMEOUT {
            return Err(io::Error::new(io::ErrorKind::TimedOut, failure.to_owned()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
