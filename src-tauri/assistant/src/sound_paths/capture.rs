//! Keeps the microphone open: opens it, opens it again after it was lost, closes it while muted.

use std::sync::Arc;
use std::time::Duration;

use audio::{AudioError, Capture, CaptureEvent, EchoCanceller, Microphone, PlayedSound};
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

/// Our own sound, which the microphone hears too.
#[derive(Clone)]
pub(crate) struct OwnSound {
    /// The sound of our loudspeaker.
    pub played: PlayedSound,
    /// The setting that asks to take it out.
    pub is_cancelled: watch::Receiver<bool>,
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
    own_sound: Option<OwnSound>,
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
                match pass_on(capture, own_sound.as_ref(), &mut wanted, &frames, &stop).await {
                    CloseReason::Stopped => return,
                    CloseReason::Changed => continue,
                    CloseReason::Ended => {
                        let _ = events.send(CaptureStatus::Ended).await;
                        return;
                    }
                    CloseReason::Lost(error) => error,
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

enum CloseReason {
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
    own_sound: Option<&OwnSound>,
    wanted: &mut watch::Receiver<CaptureTarget>,
    frames: &mpsc::Sender<Frame>,
    stop: &CancellationToken,
) -> CloseReason {
    let mut canceller = own_sound.map(|own| (EchoCanceller::new(own.played.clone()), &own.is_cancelled));
    let closed = loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break CloseReason::Stopped,
            _ = wanted.changed() => break CloseReason::Changed,
            event = capture.frames.recv() => match event {
                Some(CaptureEvent::Frame(mut frame)) => {
                    if let Some((canceller, is_cancelled)) = &mut canceller
                        && *is_cancelled.borrow()
                    {
                        canceller.cancel(&mut frame);
                    }
                    // When hearing falls behind, the queue of the capture drops its oldest frames.
                    if frames.send(frame).await.is_err() {
                        break CloseReason::Stopped;
                    }
                }
                Some(CaptureEvent::Lost(error)) => break CloseReason::Lost(error),
                None => break CloseReason::Ended,
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use audio::frame_queue;
    use rstest::rstest;
    use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, energy_rms};

    use super::*;

    /// Hears what is played 40 ms later, as it is.
    struct MicrophoneNextToTheLoudspeaker(PlayedSound);

    /// Six seconds of noise, the same in each run.
    fn played_frames() -> Vec<[f32; FRAME_SAMPLES]> {
        let mut state = 1_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 83_886_080.0 - 0.1
        };
        (0..300).map(|_| std::array::from_fn(|_| noise())).collect()
    }

    impl Microphone for MicrophoneNextToTheLoudspeaker {
        fn open(&self) -> Result<Capture, AudioError> {
            let (sender, frames) = frame_queue();
            let (played, start) = (self.0.clone(), Instant::now());
            played.start(start);
            let sending = std::thread::spawn(move || {
                let mut heard = vec![[0.0; FRAME_SAMPLES]; 2];
                for (n, samples) in played_frames().into_iter().enumerate() {
                    played.push(&samples);
                    heard.push(samples);
                    let captured_at = start + FRAME_DURATION * (n + 1) as u32;
                    sender.send_blocking(Frame::new(heard[n], captured_at));
                }
            });
            Ok(Capture::new(frames, sending))
        }

        fn name(&self) -> String {
            "next to the loudspeaker".into()
        }
    }

    #[rstest]
    #[case::on(true)]
    #[case::off(false)]
    #[tokio::test]
    async fn our_voice_is_taken_out_while_the_setting_is_on(#[case] is_on: bool) {
        let played = PlayedSound::default();
        let microphone = Arc::new(MicrophoneNextToTheLoudspeaker(played.clone()));
        let (_target, wanted) = watch::channel(CaptureTarget { is_open: true, microphone });
        let (_setting, is_cancelled) = watch::channel(is_on);
        let (frames, mut heard) = mpsc::channel(8);
        let (events, _events) = mpsc::channel(8);
        let own_sound = OwnSound { played, is_cancelled };

        let capture = tokio::spawn(run(wanted, Some(own_sound), frames, events, CancellationToken::new()));
        let mut last_second = Vec::new();
        let mut count = 0;
        while let Some(frame) = heard.recv().await {
            count += 1;
            if count > 250 {
                last_second.extend_from_slice(&frame.samples);
            }
        }
        capture.await.unwrap();

        let loudness = energy_rms(&last_second);
        assert_eq!(loudness < 0.005, is_on, "{loudness}");
        assert_eq!(loudness > 0.05, !is_on, "{loudness}");
    }
}
