//! Judges if an open device still works after the sound system reports errors.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::{AudioError, Side};

/// The time that a device may repeat an unspecific error without transferring a sample. A late PulseAudio stream
/// reports "I/O error" once and continues; an unplugged device reports it again and again.
const GRACE_PERIOD: Duration = Duration::from_millis(200);

/// Decides whether a device is lost, from the errors that the sound system reports.
pub(crate) struct DeviceHealth {
    side: Side,
    device: String,
    reports: Receiver<cpal::Error>,
    /// The time of the first unspecific error since the last sample, and the number of samples at that time.
    stalled: Option<(Instant, u64)>,
}

impl DeviceHealth {
    pub(crate) fn new(side: Side, device: &str, reports: Receiver<cpal::Error>) -> Self {
        Self { side, device: device.to_owned(), reports, stalled: None }
    }

    /// Reads the reported errors. `samples_moved` is the number of samples transferred so far.
    ///
    /// # Errors
    ///
    /// When the device is lost.
    pub(crate) fn check(&mut self, samples_moved: u64, now: Instant) -> Result<(), AudioError> {
        while let Ok(error) = self.reports.try_recv() {
            self.check_error(error, samples_moved, now)?;
        }
        Ok(())
    }

    fn check_error(
        &mut self,
        error: cpal::Error,
        samples_moved: u64,
        now: Instant,
    ) -> Result<(), AudioError> {
        use cpal::ErrorKind;
        let (side, device) = (self.side, &self.device);
        match error.kind() {
            // The sound continues after these: some samples were lost, or the system changed the route.
            ErrorKind::Xrun | ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied => {
                tracing::debug!(%side, %device, %error, "the device reported an error but still works");
                Ok(())
            }
            ErrorKind::BackendError | ErrorKind::Other => match self.stalled {
                Some((since, at))
                    if at == samples_moved && now.saturating_duration_since(since) >= GRACE_PERIOD =>
                {
                    Err(AudioError::lost(side, device, error))
                }
                Some((_, at)) if at == samples_moved => Ok(()),
                _ => {
                    tracing::debug!(%side, %device, %error, "the device reported an error but still works");
                    self.stalled = Some((now, samples_moved));
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

    use cpal::ErrorKind;

    use super::*;

    /// Returns `true` if the device is lost after these errors, each with its time in milliseconds and the samples
    /// moved.
    fn is_lost(reported: &[(u64, u64, ErrorKind)]) -> bool {
        let (report, reports) = mpsc::channel();
        let mut health = DeviceHealth::new(Side::Loudspeaker, "card", reports);
        let start = Instant::now();
        reported.iter().any(|&(millis, samples_moved, kind)| {
            report.send(cpal::Error::new(kind)).unwrap();
            health.check(samples_moved, start + Duration::from_millis(millis)).is_err()
        })
    }

    #[test]
    fn device_reported_as_not_available_is_lost_at_once() {
        assert!(is_lost(&[(0, 0, ErrorKind::DeviceNotAvailable)]));
        assert!(is_lost(&[(0, 0, ErrorKind::StreamInvalidated)]));
    }

    #[test]
    fn repeated_underruns_are_not_a_loss_of_the_device() {
        assert!(!is_lost(&[
            (0, 0, ErrorKind::Xrun),
            (500, 0, ErrorKind::Xrun),
            (900, 0, ErrorKind::DeviceChanged)
        ]));
    }

    #[test]
    fn unspecific_error_is_a_loss_only_without_new_samples() {
        let unspecific = ErrorKind::BackendError;

        assert!(!is_lost(&[(0, 10, unspecific), (300, 20, unspecific), (450, 20, unspecific)]));
        assert!(is_lost(&[(0, 10, unspecific), (100, 10, unspecific), (250, 10, unspecific)]));
    }
}
