//! Keeps the microphone open: opens it, opens it again after it was lost, closes it while muted.

use std::sync::Arc;
use std::time::Duration;

use audio::{AudioError, Capture, CaptureEvent, Microphone};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{Frame, Stage, Trouble};

/// The time to wait before a microphone that could not be opened is tried again.
const REOPEN_EVERY: Duration = Duration::from_secs(2);

/// The microphone that should be open, if any.
#[derive(Clone)]
pub(crate) struct CaptureTarget {
    /// Open, unless the user muted it or switched listening off.
    pub is_open: bool,
    /// The microphone to open.
    pub microphone: Arc<dyn Microphone>,
}

/// A change of the microphone.
#[derive(Debug)]
pub(crate) enum CaptureStatus {
    /// It does not work.
    Trouble(Trouble),
    /// It works again.
    Recovered(Stage),
    /// The recording that is used as the microphone has ended.
    Ended,
}

/// Sends frames until `stop` is cancelled.
pub(crate) async fn run(
    mut wanted: watch::Receiver<CaptureTarget>,
    frames: mpsc::Sender<Frame>,
    events: mpsc::Sender<CaptureStatus>,
    stop: CancellationToken,
) {
    let mut is_troubled = false;
    loop {
        let now = wanted.borrow_and_update().clone();
        if !now.is_open {
            tokio::select! {
                () = stop.cancelled() => return,
                changed = wanted.changed() => match changed {
                    Ok(()) => continue,
                    Err(_) => return,
                },
            }
        }
        let error = match open(now.microphone).await {
            Ok(capture) => {
                if std::mem::take(&mut is_troubled) {
                    let _ = events.send(CaptureStatus::Recovered(Stage::Microphone)).await;
                }
                match pass_on(capture, &mut wanted, &frames, &stop).await {
                    Closed::Stopped => return,
                    Closed::Changed => continue,
                    Closed::Ended => {
                        let _ = events.send(CaptureStatus::Ended).await;
                        return;
                    }
                    Closed::Lost(error) => error,
                }
            }
            Err(error) => error,
        };
        tracing::warn!(%error, "the microphone does not work");
        if !std::mem::replace(&mut is_troubled, true) {
            let _ = events.send(CaptureStatus::Trouble(error.trouble())).await;
        }
        tokio::select! {
            () = stop.cancelled() => return,
            _ = wanted.changed() => {}
            () = tokio::time::sleep(REOPEN_EVERY) => {}
        }
    }
}

enum Closed {
    Stopped,
    /// Another microphone is wanted, or none.
    Changed,
    /// The recording has ended.
    Ended,
    Lost(AudioError),
}

async fn open(microphone: Arc<dyn Microphone>) -> Result<Capture, AudioError> {
    let opening = tokio::task::spawn_blocking(move || microphone.open()).await;
    opening.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

async fn pass_on(
    mut capture: Capture,
    wanted: &mut watch::Receiver<CaptureTarget>,
    frames: &mpsc::Sender<Frame>,
    stop: &CancellationToken,
) -> Closed {
    let closed = loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break Closed::Stopped,
            _ = wanted.changed() => break Closed::Changed,
            event = capture.frames.recv() => match event {
                Some(CaptureEvent::Frame(frame)) => {
                    // When hearing falls behind, the queue of the capture drops its oldest frames.
                    if frames.send(frame).await.is_err() {
                        break Closed::Stopped;
                    }
                }
                Some(CaptureEvent::Lost(error)) => break Closed::Lost(error),
                None => break Closed::Ended,
            },
        }
    };
    // Closing a device can take long.
    let closing = tokio::task::spawn_blocking(move || drop(capture)).await;
    if let Err(panic) = closing {
        tracing::error!(%panic, "the microphone did not close cleanly");
    }
    closed
}
