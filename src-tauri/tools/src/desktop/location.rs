//! The position of this computer, from the location service of the desktop.
//!
//! The service asks the user itself, and may ask a network service for known radio networks. So it is asked only if a
//! setting allows it.

mod service; // the port
#[cfg(target_os = "linux")]
mod portal; // the service of Linux desktops

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::command::System;
use super::programs::{ProgramError, Programs, run_first};

pub use service::{LocationError, LocationService, Position};

/// The longest time that the user and the service may take together.
const LIMIT: Duration = Duration::from_secs(60);

/// The location service of this desktop.
pub struct DesktopLocation {
    system: System,
    programs: Arc<dyn Programs>,
}

impl DesktopLocation {
    /// The service of `system`, which `programs` run on.
    pub fn new(system: System, programs: Arc<dyn Programs>) -> Self {
        Self { system, programs }
    }
}

#[async_trait]
impl LocationService for DesktopLocation {
    async fn position(&self) -> Result<Position, LocationError> {
        let asking = async {
            match self.system {
                System::Linux { .. } => from_portal().await,
                System::MacOs => Err(LocationError::Unavailable),
                System::Windows => printed(run_first(&*self.programs, &self.system.locate()).await),
            }
        };
        tokio::time::timeout(LIMIT, asking).await.unwrap_or(Err(LocationError::Unknown))
    }
}

#[cfg(target_os = "linux")]
async fn from_portal() -> Result<Position, LocationError> {
    portal::position().await
}

#[cfg(not(target_os = "linux"))]
async fn from_portal() -> Result<Position, LocationError> {
    Err(LocationError::Unavailable)
}

/// The position that a program printed.
fn printed(output: Result<String, ProgramError>) -> Result<Position, LocationError> {
    let output = match output {
        Ok(output) => output,
        Err(ProgramError::Missing(_)) => return Err(LocationError::Unavailable),
        Err(ProgramError::TimedOut(_)) => return Err(LocationError::Unknown),
        Err(error @ ProgramError::Failed { .. }) => return Err(LocationError::Failed(error.to_string())),
    };
    if output.trim() == "denied" {
        return Err(LocationError::Refused);
    }
    let numbers: Vec<f64> = output.split_whitespace().map_while(|number| number.parse().ok()).collect();
    match numbers[..] {
        [latitude, longitude] => Position::new(latitude, longitude).ok_or(LocationError::Unknown),
        _ => Err(LocationError::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use rstest::rstest;

    use super::*;
    use crate::desktop::command::DesktopCommand;

    /// A program that answers once.
    struct Scripted(Mutex<Option<Result<String, ProgramError>>>);

    #[async_trait]
    impl Programs for Scripted {
        async fn run(&self, command: &DesktopCommand) -> Result<String, ProgramError> {
            assert_eq!(command.program, "powershell");
            self.0.lock().take().unwrap()
        }
    }

    #[rstest]
    #[case::in_leeds("53.8008 -1.5491\r\n", Ok((53.8008, -1.5491)))]
    #[case::denied("denied\r\n", Err(LocationError::Refused))]
    #[case::not_known("", Err(LocationError::Unknown))]
    #[case::half("53.8", Err(LocationError::Unknown))]
    #[case::no_numbers("NaN NaN", Err(LocationError::Unknown))]
    #[case::beyond_the_pole("91 0", Err(LocationError::Unknown))]
    #[case::nowhere("0 0", Err(LocationError::Unknown))]
    #[tokio::test]
    async fn printed_position_is_read_on_windows(
        #[case] output: &str,
        #[case] expected: Result<(f64, f64), LocationError>,
    ) {
        let program = Arc::new(Scripted(Mutex::new(Some(Ok(output.to_owned())))));

        let position = DesktopLocation::new(System::Windows, program).position().await;

        assert_eq!(position.map(|at| (at.latitude, at.longitude)), expected);
    }

    #[tokio::test]
    async fn program_that_fails_is_named() {
        let failed = ProgramError::Failed { program: "powershell".into(), reason: "code 1".into() };
        let program = Arc::new(Scripted(Mutex::new(Some(Err(failed)))));

        let error = DesktopLocation::new(System::Windows, program).position().await.unwrap_err();

        assert!(error.to_string().contains("powershell says: code 1"), "{error}");
    }

    #[tokio::test]
    async fn system_without_a_service_says_so() {
        let program = Arc::new(Scripted(Mutex::new(None)));

        let position = DesktopLocation::new(System::MacOs, program).position().await;

        assert_eq!(position, Err(LocationError::Unavailable));
    }
}
