//! The log of a turn, kept in memory and printed if the turn is not answered or needs several model calls.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The level of logging: each stage says what it decided.
const FILTER: &str = "info,hearing=debug,listening=debug,assistant=debug,whisper_rs=off";

/// The lines logged since the last [`clear`](TurnLog::clear). Clones share it.
#[derive(Clone, Default)]
pub struct TurnLog(Arc<Mutex<Vec<u8>>>);

impl TurnLog {
    /// Logs from now on. Only one log can be started in a process.
    pub fn start() -> Self {
        let log = Self::default();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new(FILTER))
            .with_ansi(false)
            .with_writer(log.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        log
    }

    /// Drops what was logged so far.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The lines logged since.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for TurnLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for TurnLog {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
