//! Keeps the connection to the server: tests it, and starts the server if that is allowed.
//!
//! Never ends a process that it did not start.
//!
//! Source: docs/behaviour/bridge.md#connection.

use std::sync::Arc;
use std::time::Duration;

use crate::error::BridgeError;
use crate::ports::{ChatServer, ServerProcess, Timer};

/// The longest time of a test. Source: docs/behaviour/bridge.md#connection.
pub const TEST_LIMIT: Duration = Duration::from_secs(5);

/// Tests after a start, and the pause before each. Same source.
const POLLS: u32 = 10;
/// As above.
const POLL_PAUSE: Duration = Duration::from_secs(1);

/// Recoveries in a row before the bridge gives up. A healthy server resets the count. Same source.
const RETRIES: u32 = 3;

/// Supervises the connection to one server.
pub struct Supervisor {
    server: Arc<dyn ChatServer>,
    process: Arc<dyn ServerProcess>,
    timer: Arc<dyn Timer>,
    /// Recoveries since the server was last healthy.
    recoveries: u32,
    /// The server was healthy since we started it: if it fails now, it hangs and does not merely load.
    was_healthy: bool,
}

impl Supervisor {
    /// Nothing is tested yet.
    pub fn new(server: Arc<dyn ChatServer>, process: Arc<dyn ServerProcess>, timer: Arc<dyn Timer>) -> Self {
        Self { server, process, timer, recoveries: 0, was_healthy: false }
    }

    /// Tests the connection; starts the server if that fails and is allowed.
    ///
    /// # Errors
    ///
    /// The server is not there, may not be started, or does not start.
    pub async fn ensure_ready(&mut self) -> Result<(), BridgeError> {
        tracing::debug!("testing the connection to Ollama");
        let Err(failure) = self.server.test(TEST_LIMIT).await else {
            tracing::debug!(event = "connection_checked", "the connection test succeeded");
            self.found_healthy();
            return Ok(());
        };
        tracing::debug!(event = "connection_checked", %failure, "the connection test failed");
        match self.process.may_start().await {
            Ok(()) => self.recover().await,
            Err(why) => Err(BridgeError::Unreachable { failure, why }),
        }
    }

    async fn recover(&mut self) -> Result<(), BridgeError> {
        self.recoveries = self.recoveries.saturating_add(1);
        if self.recoveries > RETRIES {
            return Err(BridgeError::RetriesExhausted { retries: RETRIES });
        }
        tracing::error!("there is no connection to Ollama; starting it");
        if self.was_healthy {
            self.process.end_own().await;
            self.was_healthy = false;
        }
        self.process.start().await.map_err(|reason| BridgeError::StartFailed { reason })?;
        for _ in 0..POLLS {
            self.timer.sleep(POLL_PAUSE).await;
            if self.server.test(TEST_LIMIT).await.is_ok() {
                self.found_healthy();
                return Ok(());
            }
        }
        Err(BridgeError::StartFailed { reason: format!("it did not answer after {POLLS} attempts") })
    }

    fn found_healthy(&mut self) {
        self.recoveries = 0;
        self.was_healthy = true;
    }
}
