//! A fake of what rings.

use std::error::Error;

use async_trait::async_trait;
use jiff::SignedDuration;
use parking_lot::Mutex;
use tools::{RingControl, ToolContext};

/// Appointments that ring until they are stopped or snoozed. Records both.
#[derive(Default)]
pub struct ScriptedRings {
    ringing: Mutex<Vec<i64>>,
    settled: Mutex<Vec<String>>,
}

impl ScriptedRings {
    /// These ring.
    pub fn ringing(appointments: impl IntoIterator<Item = i64>) -> Self {
        Self { ringing: Mutex::new(appointments.into_iter().collect()), settled: Mutex::default() }
    }

    /// The way they were ended, in order: `7 stopped`, `7 snoozed for 300 s`.
    pub fn settled(&self) -> Vec<String> {
        self.settled.lock().clone()
    }

    fn settle(&self, appointment: i64, how: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut ringing = self.ringing.lock();
        let at = ringing.iter().position(|it| *it == appointment).ok_or("it does not ring")?;
        ringing.remove(at);
        self.settled.lock().push(format!("{appointment} {how}"));
        Ok(())
    }
}

#[async_trait]
impl RingControl for ScriptedRings {
    fn ringing(&self) -> Vec<i64> {
        self.ringing.lock().clone()
    }

    async fn stop(&self, appointment: i64) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.settle(appointment, "stopped")
    }

    async fn snooze(
        &self,
        appointment: i64,
        after: SignedDuration,
        _: &ToolContext,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.settle(appointment, &format!("snoozed for {} s", after.as_secs()))
    }
}
