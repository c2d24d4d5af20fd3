//! The streams of PulseAudio, or of PipeWire in its place, through the program `pactl`.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::{OtherSound, OtherSoundError};

/// The volume of other programs relative to their own. The volume of PulseAudio is cubic: this is 24 dB less.
const QUIETER: f64 = 0.4;
/// `pactl` takes some milliseconds. A sound server that hangs must not hold anybody up.
const PATIENCE: Duration = Duration::from_secs(2);
/// The interval at which a running `pactl` is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The streams of the sound server.
pub struct SoundServer {
    /// Keeps the volumes to restore, for a run after one that ended too early.
    note: PathBuf,
    /// The streams that are quieter; read from the note at first.
    lowered: Mutex<Option<Vec<Lowered>>>,
}

/// A stream that is quieter. Its number is of no use: the sound server remembers the volume for the next stream of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Lowered {
    program: String,
    before: Vec<u32>,
    now: Vec<u32>,
}

/// A stream as `pactl` describes it.
#[derive(Debug, Deserialize)]
struct Stream {
    index: u32,
    channel_map: String,
    volume: BTreeMap<String, ChannelVolume>,
    #[serde(default)]
    corked: bool,
    #[serde(default)]
    properties: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct ChannelVolume {
    value: u32,
}

impl SoundServer {
    /// The sound server of this user. `note` is a file that keeps the volumes to restore.
    pub fn new(note: PathBuf) -> Self {
        Self { note, lowered: Mutex::new(None) }
    }

    fn read_note(&self) -> Vec<Lowered> {
        let Ok(text) = std::fs::read(&self.note) else { return Vec::new() };
        serde_json::from_slice(&text).unwrap_or_else(|error| {
            tracing::warn!(%error, "the volumes to restore are not readable");
            Vec::new()
        })
    }

    fn write_note(&self, lowered: &[Lowered]) -> io::Result<()> {
        if !lowered.is_empty() {
            return std::fs::write(&self.note, serde_json::to_vec(lowered)?);
        }
        match std::fs::remove_file(&self.note) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl OtherSound for SoundServer {
    fn lower(&self) -> Result<(), OtherSoundError> {
        let mut known = self.lowered.lock();
        let lowered = known.get_or_insert_with(|| self.read_note());
        if !lowered.is_empty() {
            return Ok(());
        }
        let to_lower: Vec<(Stream, Lowered)> =
            streams()?.into_iter().filter(Stream::is_heard).filter_map(Stream::quieter).collect();
        // Before the first change: whatever ends us, the next run knows what to restore.
        *lowered = to_lower.iter().map(|(_, lowered)| lowered.clone()).collect();
        if let Err(error) = self.write_note(lowered) {
            lowered.clear();
            return Err(OtherSoundError::Note(error));
        }
        to_lower.iter().try_for_each(|(stream, lowered)| set_volume(stream.index, &lowered.now))
    }

    fn restore(&self) -> Result<(), OtherSoundError> {
        let mut known = self.lowered.lock();
        let lowered = known.get_or_insert_with(|| self.read_note());
        if lowered.is_empty() {
            return Ok(());
        }
        for stream in streams()? {
            let (program, now) = (stream.program(), stream.volumes());
            if let Some(lowered) = lowered.iter().find(|one| one.program == program && one.now == now) {
                set_volume(stream.index, &lowered.before)?;
            }
        }
        lowered.clear();
        self.write_note(lowered).map_err(OtherSoundError::Note)
    }
}

impl Stream {
    /// Returns `true` if it plays, and is none of ours.
    fn is_heard(&self) -> bool {
        let is_ours = self.property("application.process.id") == std::process::id().to_string();
        !self.corked && !is_ours
    }

    /// The same stream with the volumes before and from now on. `None` if it has none.
    fn quieter(self) -> Option<(Self, Lowered)> {
        let before = self.volumes();
        let now: Vec<u32> = before.iter().map(|value| (f64::from(*value) * QUIETER) as u32).collect();
        let lowered = Lowered { program: self.program(), before, now };
        (lowered.before != lowered.now).then_some((self, lowered))
    }

    fn program(&self) -> String {
        self.property("application.name").to_owned()
    }

    /// The volumes in the order of the channels.
    fn volumes(&self) -> Vec<u32> {
        let channels = self.channel_map.split(',');
        channels.filter_map(|channel| self.volume.get(channel.trim())).map(|volume| volume.value).collect()
    }

    fn property(&self, name: &str) -> &str {
        self.properties.get(name).and_then(|value| value.as_str()).unwrap_or_default()
    }
}

fn streams() -> Result<Vec<Stream>, OtherSoundError> {
    let listed = pactl(&["--format=json", "list", "sink-inputs"])?;
    serde_json::from_str(&listed).map_err(OtherSoundError::Unreadable)
}

fn set_volume(index: u32, volumes: &[u32]) -> Result<(), OtherSoundError> {
    let (index, volumes) = (index.to_string(), volumes.iter().map(u32::to_string));
    let volumes: Vec<String> = volumes.collect();
    let mut arguments = vec!["set-sink-input-volume", &index];
    arguments.extend(volumes.iter().map(String::as_str));
    match pactl(&arguments) {
        Ok(_) => Ok(()),
        // A stream may end at any time.
        Err(OtherSoundError::Refused { reason }) => {
            tracing::debug!(reason, "the volume of a stream was not changed");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Runs `pactl`, and ends it if it takes too long. Returns its output.
fn pactl(arguments: &[&str]) -> Result<String, OtherSoundError> {
    let mut command = Command::new("pactl");
    command.args(arguments).env("LC_ALL", "C.UTF-8");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().map_err(OtherSoundError::Program)?;
    let (out, err) = (running.stdout.take(), running.stderr.take());
    // Read at once: a program whose output nobody reads does not end.
    let output = std::thread::spawn(move || read_all(out));
    let complaint = std::thread::spawn(move || read_all(err));
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match running.try_wait().map_err(OtherSoundError::Program)? {
            Some(status) => break status,
            None if Instant::now() < deadline => std::thread::sleep(POLL_INTERVAL),
            None => {
                // It may have ended just now.
                let _ = running.kill();
                break running.wait().map_err(OtherSoundError::Program)?;
            }
        }
    };
    let (output, complaint) = (output.join().unwrap_or_default(), complaint.join().unwrap_or_default());
    match status.success() {
        true => Ok(output),
        false => Err(OtherSoundError::Refused { reason: complaint.trim().to_owned() }),
    }
}

fn read_all(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        // What was read before an error is still of use.
        let _ = from.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
