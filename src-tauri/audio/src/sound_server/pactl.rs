//! The program `pactl`.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::OtherSoundError;

/// The interval at which a running `pactl` is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Sets the volumes of a stream, in the order of its channels; a single one is for all of them. A stream that has ended is
/// no error.
pub(super) fn set_volume(index: u32, volumes: &[u32], deadline: Instant) -> Result<(), OtherSoundError> {
    let mut arguments = vec!["set-sink-input-volume".to_owned(), index.to_string()];
    arguments.extend(volumes.iter().map(u32::to_string));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments, deadline) {
        Err(OtherSoundError::Refused { reason }) if reason.contains("No such entity") => Ok(()),
        result => result.map(drop),
    }
}

/// Runs `pactl`, and ends it at the deadline. Returns its output.
pub(super) fn run(arguments: &[&str], deadline: Instant) -> Result<String, OtherSoundError> {
    let mut command = Command::new("pactl");
    command.args(arguments).env("LC_ALL", "C.UTF-8");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().map_err(OtherSoundError::Program)?;
    let (out, err) = (running.stdout.take(), running.stderr.take());
    // Read at once: a program whose output nobody reads does not end.
    let output = std::thread::spawn(move || read_all(out));
    let complaint = std::thread::spawn(move || read_all(err));
    let status = loop {
        match running.try_wait().map_err(OtherSoundError::Program)? {
            Some(status) => break status,
            None if Instant::now() < deadline => std::thread::sleep(POLL_INTERVAL),
            None => {
                // It may have ended just now.
                let _ = running.kill();
                let _ = running.wait();
                return Err(OtherSoundError::Program(io::ErrorKind::TimedOut.into()));
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
