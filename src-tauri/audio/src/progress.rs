//! The progress of a queued sound.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::AudioError;

/// A sound queued in a [`Playback`](crate::Playback). Dropping the handle does not stop the sound.
#[derive(Debug, Clone)]
pub struct PlayHandle {
    duration: Duration,
    progress: watch::Receiver<Progress>,
}

/// The way a sound ended.
#[derive(Debug, Clone)]
pub enum PlayEnd {
    /// It was played to its last sample.
    Played {
        /// When the last sample is heard.
        at: Instant,
    },
    /// It was stopped while it played or before.
    Stopped {
        /// When it stopped.
        at: Instant,
    },
    /// The device failed or was unplugged: this and all later sounds are not played.
    Lost(Arc<AudioError>),
}

impl PlayHandle {
    /// A handle for a sound of this duration, and the reporter for its playback.
    pub fn new(duration: Duration) -> (PlayReporter, Self) {
        let (progress, receiver) = watch::channel(Progress::default());
        (PlayReporter { progress }, Self { duration, progress: receiver })
    }

    /// The duration of the whole sound.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// Waits until the first sample is played and returns its time; `None` when the sound ended before. Cancel-safe.
    pub async fn started(&mut self) -> Option<Instant> {
        let progress = self.wait(|p| p.started_at.is_some() || p.end.is_some()).await;
        progress.started_at
    }

    /// Waits until the sound has ended. Cancel-safe.
    pub async fn ended(&mut self) -> PlayEnd {
        let progress = self.wait(|p| p.end.is_some()).await;
        // A dropped reporter without an end means that the playback was closed.
        progress.end.unwrap_or_else(|| PlayEnd::Lost(Arc::new(AudioError::Closed)))
    }

    async fn wait(&mut self, condition: impl FnMut(&Progress) -> bool) -> Progress {
        // When the reporter was dropped, its last report counts.
        if let Ok(progress) = self.progress.wait_for(condition).await {
            return progress.clone();
        }
        self.progress.borrow().clone()
    }
}

/// Reports the progress of a [`PlayHandle`]. When it is dropped without [`ended`](Self::ended), the sound counts as lost.
#[derive(Debug)]
pub struct PlayReporter {
    progress: watch::Sender<Progress>,
}

impl PlayReporter {
    /// Reports that the first sample is played at `at`.
    pub fn started(&self, at: Instant) {
        self.progress.send_modify(|p| p.started_at = Some(at));
    }

    /// Reports the end of the sound.
    pub fn ended(self, end: PlayEnd) {
        self.progress.send_modify(|p| p.end = Some(end));
    }
}

#[derive(Debug, Clone, Default)]
struct Progress {
    started_at: Option<Instant>,
    end: Option<PlayEnd>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn handle_returns_the_reported_start_and_end() {
        let (reporter, mut handle) = PlayHandle::new(Duration::from_secs(1));
        let began = Instant::now();
        let over = began + Duration::from_secs(1);

        reporter.started(began);
        reporter.ended(PlayEnd::Played { at: over });

        assert_eq!(handle.started().await, Some(began));
        assert!(matches!(handle.ended().await, PlayEnd::Played { at } if at == over));
    }

    #[tokio::test]
    async fn sound_stopped_before_its_start_never_started() {
        let (reporter, mut handle) = PlayHandle::new(Duration::from_secs(1));

        reporter.ended(PlayEnd::Stopped { at: Instant::now() });

        assert_eq!(handle.started().await, None);
    }

    #[tokio::test]
    async fn sound_is_lost_when_its_reporter_is_dropped() {
        let (reporter, mut handle) = PlayHandle::new(Duration::from_secs(1));

        drop(reporter);

        assert!(matches!(handle.ended().await, PlayEnd::Lost(_)));
    }
}
