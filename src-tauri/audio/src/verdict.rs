//! Is a device that reports errors still alive?

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::{AudioError, Side};

/// How long a device may repeat an error nobody can name without a sample moving. A late PulseAudio stream says
/// "I/O error" once and goes on; a device that is gone says it for ever.
const GRACE: Duration = Duration::from_millis(200);

/// Judges what the sound system reports of an open device.
pub(crate) struct Verdict {
    side: Side,
    device: String,
    reports: Receiver<cpal::Error>,
    /// Since when it has reported unnamed errors without moving, and how far it had come.
    stuck: Option<(Instant, u64)>,
}

impl Verdict {
    pub(crate) fn new(side: Side, device: &str, reports: Receiver<cpal::Error>) -> Self {
        Self { side, device: device.to_owned(), reports, stuck: None }
    }

    /// An error when the device is lost. `moved` counts the samples that have moved so far.
    pub(crate) fn check(&mut self, moved: u64, now: Instant) -> Result<(), AudioError> {
        while let Ok(error) = self.reports.try_recv() {
            self.judge(error, moved, now)?;
        }
        Ok(())
    }

    fn judge(&mut self, error: cpal::Error, moved: u64, now: Instant) -> Result<(), AudioError> {
        use cpal::ErrorKind as Kind;
        let (side, device) = (self.side, &self.device);
        match error.kind() {
            // Sound goes on after these: some was lost, or it takes another way now.
            Kind::Xrun | Kind::DeviceChanged | Kind::RealtimeDenied => {
                tracing::debug!(%side, %device, %error, "the device stumbled");
                Ok(())
            }
            Kind::BackendError | Kind::Other => match self.stuck {
                Some((since, at)) if at == moved && now.saturating_duration_since(since) >= GRACE => {
                    Err(AudioError::lost(side, device, error))
                }
                Some((_, at)) if at == moved => Ok(()),
                _ => {
                    tracing::debug!(%side, %device, %error, "the device stumbled");
                    self.stuck = Some((now, moved));
                    Ok(())
                }
            },
            _ => Err(AudioError::lost(side, device, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use cpal::ErrorKind as Kind;

    use super::*;

    /// What becomes of reports that come at so many milliseconds with so many samples moved.
    fn is_lost(reported: &[(u64, u64, Kind)]) -> bool {
        let (report, reports) = mpsc::channel();
        let mut verdict = Verdict::new(Side::Loudspeaker, "card", reports);
        let began = Instant::now();
        reported.iter().any(|&(millis, moved, kind)| {
            report.send(cpal::Error::new(kind)).unwrap();
            verdict.check(moved, began + Duration::from_millis(millis)).is_err()
        })
    }

    #[test]
    fn a_device_that_says_it_is_gone_is_lost_at_once() {
        assert!(is_lost(&[(0, 0, Kind::DeviceNotAvailable)]));
        assert!(is_lost(&[(0, 0, Kind::StreamInvalidated)]));
    }

    #[test]
    fn a_stumble_is_no_loss_however_often() {
        assert!(!is_lost(&[(0, 0, Kind::Xrun), (500, 0, Kind::Xrun), (900, 0, Kind::DeviceChanged)]));
    }

    #[test]
    fn an_unnamed_error_is_a_loss_only_when_nothing_moves_any_more() {
        let unnamed = Kind::BackendError;

        assert!(!is_lost(&[(0, 10, unnamed), (300, 20, unnamed), (450, 20, unnamed)]));
        assert!(is_lost(&[(0, 10, unnamed), (100, 10, unnamed), (250, 10, unnamed)]));
    }
}
