//! The streams of PulseAudio, or of PipeWire in its place, through the program `pactl`.

mod pactl; // the program
mod stream; // a stream, and what is written down about it

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::{OtherSound, OtherSoundError};
use stream::{Lowered, Stream};

/// The time for everything that one call does: `pactl` takes some milliseconds. A sound server that hangs must not hold
/// anybody up.
const PATIENCE: Duration = Duration::from_secs(2);

/// The streams of the sound server.
pub struct SoundServer {
    /// Keeps the volumes to restore, for a run after one that ended too early.
    note: PathBuf,
    /// Read from the note at first.
    known: Mutex<Option<Known>>,
}

/// The changes that are not undone.
struct Known {
    /// The streams that are quieter, and programs whose next stream will be: the sound server remembers the volume.
    lowered: Vec<Lowered>,
    /// Set from one call of `lower` to the next one of `restore`.
    is_quieter: bool,
}

impl SoundServer {
    /// The sound server of this user. `note` is a file that keeps the volumes to restore.
    pub fn new(note: PathBuf) -> Self {
        Self { note, known: Mutex::new(None) }
    }

    fn read_note(&self) -> Known {
        let lowered = match std::fs::read(&self.note) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, "the volumes to restore are not readable");
                Vec::new()
            }),
            Err(_) => Vec::new(),
        };
        Known { lowered, is_quieter: false }
    }

    fn write_note(&self, lowered: &[Lowered]) -> Result<(), OtherSoundError> {
        let written = match lowered.is_empty() {
            true => std::fs::remove_file(&self.note),
            false => serde_json::to_vec(lowered)
                .map_err(io::Error::from)
                .and_then(|text| std::fs::write(&self.note, text)),
        };
        match written {
            Err(error) if !lowered.is_empty() || error.kind() != io::ErrorKind::NotFound => {
                Err(OtherSoundError::Note(error))
            }
            _ => Ok(()),
        }
    }
}

impl OtherSound for SoundServer {
    fn lower(&self) -> Result<(), OtherSoundError> {
        let deadline = Instant::now() + PATIENCE;
        let mut known = self.known.lock();
        let known = known.get_or_insert_with(|| self.read_note());
        if known.is_quieter {
            return Ok(());
        }
        let streams = Stream::list(deadline)?;
        let is_new = |stream: &&Stream| !known.lowered.iter().any(|one| one.is_still_on(stream));
        let to_lower: Vec<Lowered> = streams
            .iter()
            .filter(|stream| stream.is_heard())
            .filter(is_new)
            .filter_map(Stream::quieter)
            .collect();
        // The sound server remembers one volume for each program: the newest.
        let is_outdated = |one: &Lowered| {
            one.stream_in(&streams).is_none() && to_lower.iter().any(|new| new.program == one.program)
        };
        let kept = known.lowered.iter().filter(|one| !is_outdated(one));
        let all: Vec<Lowered> = kept.chain(&to_lower).cloned().collect();
        // Before the first change: whatever ends us, the next run knows what to restore.
        self.write_note(&all)?;
        known.lowered = all;
        known.is_quieter = true;
        to_lower.iter().try_for_each(|one| pactl::set_volume(one.index, &one.now, deadline))
    }

    fn restore(&self) -> Result<bool, OtherSoundError> {
        let deadline = Instant::now() + PATIENCE;
        let mut known = self.known.lock();
        let known = known.get_or_insert_with(|| self.read_note());
        known.is_quieter = false;
        let mut restored = Ok(());
        if !known.lowered.is_empty() {
            let streams = Stream::list(deadline)?;
            let all = known.lowered.clone();
            known.lowered.retain(|one| {
                let is_found = streams.iter().any(|stream| stream.program() == one.program);
                let mut changes = one.restoring(&streams, &all).into_iter();
                let changed =
                    changes.try_for_each(|(index, volumes)| pactl::set_volume(index, &volumes, deadline));
                let is_left = !is_found || changed.is_err();
                if restored.is_ok() {
                    restored = changed;
                }
                is_left
            });
        }
        let noted = self.write_note(&known.lowered);
        restored.and(noted).map(|()| known.lowered.is_empty())
    }
}
