//! How far a queued sound has come.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::AudioError;

/// A sound handed to a [`Playback`](crate::Playback). Dropping it changes nothing about the sound.
#[derive(Debug, Clone)]
pub struct PlayHandle {
    lasts: Duration,
    progress: watch::Receiver<Progress>,
}

/// How a sound ended.
#[derive(Debug, Clone)]
pub enum PlayEnd {
    /// It was played to its last sample.
    Played {
        /// When the last sample is heard.
        at: Instant,
    },
    /// It was cut short, or dropped before it began.
    Silenced {
        /// When it fell silent.
        at: Instant,
    },
    /// The device failed or went away: this and all later sounds are not heard.
    Lost(Arc<AudioError>),
}

impl PlayHandle {
    /// A sound of that length, and the end through which its playback reports.
    pub fn new(lasts: Duration) -> (PlayReporter, Self) {
        let (progress, watched) = watch::channel(Progress::default());
        (PlayReporter { progress }, Self { lasts, progress: watched })
    }

    /// How long it sounds when it is not cut short.
    pub fn lasts(&self) -> Duration {
        self.lasts
    }

    /// Waits until its first sample is heard and says when; `None` when it ended before. Cancel-safe.
    pub async fn started(&mut self) -> Option<Instant> {
        let progress = self.wait(|p| p.started_at.is_some() || p.end.is_some()).await;
        progress.started_at
    }

    /// Waits until it ended and says how. Cancel-safe.
    pub async fn ended(&mut self) -> PlayEnd {
        let progress = self.wait(|p| p.end.is_some()).await;
        // A playback that is gone without a word was closed under us.
        progress.end.unwrap_or_else(|| PlayEnd::Lost(Arc::new(AudioError::Closed)))
    }

    async fn wait(&mut self, is_reached: impl FnMut(&Progress) -> bool) -> Progress {
        // The reporter may be gone: then the last it said is all there is.
        if let Ok(progress) = self.progress.wait_for(is_reached).await {
            return progress.clone();
        }
        self.progress.borrow().clone()
    }
}

/// The playback's end of a [`PlayHandle`]. Dropped without [`ended`](Self::ended), the sound counts as lost.
#[derive(Debug)]
pub struct PlayReporter {
    progress: watch::Sender<Progress>,
}

impl PlayReporter {
    /// The first sample is heard at `at`.
    pub fn started(&self, at: Instant) {
        self.progress.send_modify(|p| p.started_at = Some(at));
    }

    /// It is over.
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
    async fn a_sound_tells_when_it_began_and_how_it_ended() {
        let (reporter, mut handle) = PlayHandle::new(Duration::from_secs(1));
        let began = Instant::now();
        let over = began + Duration::from_secs(1);

        reporter.started(began);
        reporter.ended(PlayEnd::Played { at: over });

        assert_eq!(handle.started().await, Some(began));
        assert!(matches!(handle.ended().await, PlayEnd::Played { at } if at == over));
    }

    #[tokio::test]
    async fn a_sound_dropped_before_it_began_never_started() {
        let (reporter, mut handle) = PlayHandle::new(Duration::from_secs(1));

        reporter.ended(PlayEnd::Silenced { at: Instant::now() });

        assert_eq!(handle.started().await, None);
    }

    #[tokio::test]
    async fn a_playback_closed_without_a_word_is_a_loss() {
        let (reporter, mut handle) = PlayHandle::new(Duration::from_secs(1));

        drop(reporter);

        assert!(matches!(handle.ended().await, PlayEnd::Lost(_)));
    }
}
