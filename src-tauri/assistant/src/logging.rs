//! The log: one file a day, kept for a week, without secrets.

use std::io::{self, Write};
use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// The number of log files that are kept.
const KEPT_FILES: usize = 7;

/// The default filter, unless `RUST_LOG` is set. whisper.cpp warns of every cancelled pass, so it is left out; its failures
/// come back as errors.
const USUAL_FILTER: &str = "warn,whisper_rs=off,assistant=info,audio=info,bridge=info,desktop=info,hearing=info,\
                            listening=info,llm=info,memory=info,models=info,net=info,replying=info,\
                            routing=info,speaking=info,settings=info";

/// The filter of standard error, for those who look for a fault: each step, also of what is not answered.
const VERBOSE_FILTER: &str = "warn,whisper_rs=off,assistant=debug,audio=debug,bridge=debug,hearing=debug,listening=debug,\
                              llm=debug,memory=debug,models=debug,net=debug,reflection=debug,replying=debug,\
                              routing=debug,speaking=debug,tools=debug";

/// Logging goes on while this lives; dropping it writes what is pending.
#[must_use = "logging ends when this is dropped"]
pub struct Logging {
    _writer: WorkerGuard,
}

/// Begins to log into `folder`; with `is_verbose` more of it goes to standard error too. Does nothing when logging has begun
/// before, as in tests.
///
/// # Errors
///
/// When the files cannot be written.
pub fn begin(folder: &Path, is_verbose: bool) -> Result<Logging, InitError> {
    // The appender prints a message about a missing folder; a failure to create it shows below.
    let _ = std::fs::create_dir_all(folder);
    let files = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("jarvis")
        .filename_suffix("log")
        .max_log_files(KEPT_FILES)
        .build(folder)?;
    let (writer, guard) = tracing_appender::non_blocking(files);
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(USUAL_FILTER));
    let to_files = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Redacted { writer });
    let to_stderr = is_verbose.then(|| {
        let lines = tracing_subscriber::fmt::layer().with_ansi(false);
        let lines = lines.with_writer(Redacted { writer: io::stderr });
        lines.with_filter(EnvFilter::new(VERBOSE_FILTER))
    });
    // A second call in one process, as in tests, keeps the first log.
    let _ = tracing_subscriber::registry().with(to_files.with_filter(filter)).with(to_stderr).try_init();
    Ok(Logging { _writer: guard })
}

/// Redacts every line before it is written. Our own lines hold no secrets; those of libraries might.
#[derive(Clone)]
struct Redacted<W> {
    writer: W,
}

impl<'w, W: MakeWriter<'w>> MakeWriter<'w> for Redacted<W> {
    type Writer = RedactedLine<W::Writer>;

    fn make_writer(&'w self) -> Self::Writer {
        RedactedLine { writer: self.writer.make_writer() }
    }
}

struct RedactedLine<W> {
    writer: W,
}

impl<W: Write> Write for RedactedLine<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let scrubbed = redaction::scrub(&String::from_utf8_lossy(line));
        self.writer.write_all(scrubbed.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_libraries_do_not_reach_the_log() {
        let mut written = Vec::new();

        RedactedLine { writer: &mut written }.write_all(b"GET / Authorization: Bearer abcdef\n").unwrap();

        assert_eq!(String::from_utf8(written).unwrap(), "GET / Authorization: Bearer [REDACTED]\n");
    }
}
