//! A stream of the sound server, and what is written down about one that is quieter.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::pactl;
use crate::OtherSoundError;

/// The volume of other programs relative to their own. The volume of PulseAudio is cubic: this is 24 dB less.
const QUIETER: f64 = 0.4;
/// The most that a volume differs when nobody changed it: sound servers round. It is 0.1 % of the full volume.
const TOLERANCE: u32 = 64;

/// A stream that was made quieter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Lowered {
    pub index: u32,
    /// The process that plays it: another run of the sound server counts anew.
    process: String,
    pub program: String,
    before: Vec<u32>,
    pub now: Vec<u32>,
}

/// A stream as `pactl` describes it.
#[derive(Debug, Deserialize)]
pub(super) struct Stream {
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

impl Lowered {
    /// The stream itself, if it lives.
    pub fn stream_in<'s>(&self, streams: &'s [Stream]) -> Option<&'s Stream> {
        streams.iter().find(|stream| self.is_of(stream))
    }

    /// Returns `true` if a stream is as quiet as this made it, or the stream of this program before.
    pub fn is_still_on(&self, stream: &Stream) -> bool {
        self.program == stream.program()
            && largest(&stream.volumes()).abs_diff(largest(&self.now)) <= TOLERANCE
    }

    /// The streams to change and their volumes: this one, or those that the program plays in its place. `all` are the streams
    /// that were made quieter.
    pub fn restoring(&self, streams: &[Stream], all: &[Self]) -> Vec<(u32, Vec<u32>)> {
        let own = self.stream_in(streams);
        let is_meant = |stream: &&Stream| match own {
            Some(own) => own.index == stream.index,
            None => !all.iter().any(|other| other.is_of(stream)),
        };
        let meant = streams.iter().filter(is_meant).filter(|stream| self.is_still_on(stream));
        meant.map(|stream| (stream.index, self.volumes_before(stream.volumes().len()))).collect()
    }

    fn is_of(&self, stream: &Stream) -> bool {
        self.index == stream.index && self.process == stream.process() && self.program == stream.program()
    }

    fn volumes_before(&self, channels: usize) -> Vec<u32> {
        match self.before.len() == channels {
            true => self.before.clone(),
            false => vec![largest(&self.before)],
        }
    }
}

impl Stream {
    /// The streams of all programs.
    pub fn list(deadline: Instant) -> Result<Vec<Self>, OtherSoundError> {
        let listed = pactl::run(&["--format=json", "list", "sink-inputs"], deadline)?;
        serde_json::from_str(&listed).map_err(OtherSoundError::Unreadable)
    }

    /// Returns `true` if it plays, and is that of another program: neither ours, nor one of the sound server itself.
    pub fn is_heard(&self) -> bool {
        let is_of_program = !self.program().is_empty() && !self.process().is_empty();
        !self.corked && is_of_program && self.process() != std::process::id().to_string()
    }

    /// Its volumes before and from now on. `None` if it has none.
    pub fn quieter(&self) -> Option<Lowered> {
        let before = self.volumes();
        let now: Vec<u32> = before.iter().map(|value| (f64::from(*value) * QUIETER) as u32).collect();
        let (process, program) = (self.process().to_owned(), self.program().to_owned());
        (before != now).then_some(Lowered { index: self.index, process, program, before, now })
    }

    /// The name of the program that plays it.
    pub fn program(&self) -> &str {
        self.property("application.name")
    }

    fn process(&self) -> &str {
        self.property("application.process.id")
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

fn largest(volumes: &[u32]) -> u32 {
    volumes.iter().copied().max().unwrap_or_default()
}
