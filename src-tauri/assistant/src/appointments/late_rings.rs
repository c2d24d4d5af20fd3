//! The rings, for the tools: they are there before the ringer.

use std::error::Error;
use std::sync::OnceLock;

use async_trait::async_trait;
use jiff::SignedDuration;
use tools::{RingControl, ToolContext};

use crate::appointments::appointment_ringer::{AskedAt, RingError, RingerHandle};

/// The handle of the ringer, once there is one. Before that nothing rings.
#[derive(Default)]
pub(crate) struct LateRings(OnceLock<RingerHandle>);

impl LateRings {
    /// Hands over the ringer of this assistant. The first one counts.
    pub fn set(&self, ringer: RingerHandle) {
        if self.0.set(ringer).is_err() {
            tracing::warn!("the ringer was started twice; the tools keep the first one");
        }
    }

    fn ringer(&self) -> Result<&RingerHandle, RingError> {
        self.0.get().ok_or(RingError::NotRinging)
    }
}

#[async_trait]
impl RingControl for LateRings {
    fn ringing(&self) -> Vec<i64> {
        let rings = self.0.get().map(RingerHandle::rings).unwrap_or_default();
        rings.into_iter().map(|ring| ring.appointment).collect()
    }

    async fn stop(&self, appointment: i64) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.ringer()?.stop(appointment).await?)
    }

    async fn snooze(
        &self,
        appointment: i64,
        after: SignedDuration,
        context: &ToolContext,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let asked =
            AskedAt { conversation: context.conversation.clone(), at_micros: context.now.as_microsecond() };
        Ok(self.ringer()?.snooze(appointment, after, Some(asked)).await?)
    }
}
