//! The location portal, which GNOME, KDE and other desktops offer on the session bus.

use ashpd::desktop::Session;
use ashpd::desktop::location::{Accuracy, CreateSessionOptions, LocationProxy};
use futures::StreamExt;

use super::service::{LocationError, Position};
use crate::desktop::portal::{self, PortalFailure};

/// Asks for one position on the bus of the user's session.
pub(super) async fn position() -> Result<Position, LocationError> {
    position_on(portal::session_bus(None).await.map_err(error_of)?).await
}

/// Asks for one position and ends the session, so that the desktop does not go on looking.
async fn position_on(bus: zbus::Connection) -> Result<Position, LocationError> {
    portal::introduce(&bus).await;
    let portal = LocationProxy::with_connection(bus).await.map_err(error_of)?;
    let options = CreateSessionOptions::default().set_accuracy(Accuracy::City);
    let session = portal.create_session(options).await.map_err(error_of)?;
    let position = in_session(&portal, &session).await;
    // An error here means that the session is over, which is what we want.
    let _ = session.close().await;
    position
}

async fn in_session(
    portal: &LocationProxy,
    session: &Session<LocationProxy>,
) -> Result<Position, LocationError> {
    // Before the start, because the first position may come at once.
    let mut positions = portal.receive_location_updated().await.map_err(error_of)?;
    let request = portal.start(session, None, Default::default()).await.map_err(error_of)?;
    request.response().map_err(error_of)?;
    while let Some(found) = positions.next().await {
        if let Some(position) = Position::new(found.latitude(), found.longitude()) {
            return Ok(position);
        }
    }
    Err(LocationError::Unknown)
}

fn error_of(failure: impl Into<PortalFailure>) -> LocationError {
    match failure.into() {
        PortalFailure::Refused => LocationError::Refused,
        // The portal answers so when its location service found nothing or is switched off.
        PortalFailure::NoResult => LocationError::Unknown,
        PortalFailure::Absent => LocationError::Unavailable,
        PortalFailure::Failed(reason) => LocationError::Failed(reason),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use testkit::{LocationPortal, PortalAnswer, SessionBus};

    use super::*;

    async fn connected(bus: &SessionBus) -> zbus::Connection {
        zbus::connection::Builder::address(bus.address()).unwrap().build().await.unwrap()
    }

    #[rstest]
    #[case::in_leeds(PortalAnswer::Position(53.8, -1.55), Ok((53.8, -1.55)))]
    #[case::refused(PortalAnswer::Refused, Err(LocationError::Refused))]
    #[case::not_known(PortalAnswer::Failed, Err(LocationError::Unknown))]
    #[tokio::test]
    async fn position_comes_from_the_portal_and_its_session_ends(
        #[case] answer: PortalAnswer,
        #[case] expected: Result<(f64, f64), LocationError>,
    ) {
        let bus = SessionBus::start().unwrap();
        let portal = LocationPortal::start(bus.address(), answer).unwrap();

        let position = position_on(connected(&bus).await).await;

        assert_eq!(position.map(|at| (at.latitude, at.longitude)), expected);
        assert_eq!((portal.asked(), portal.closed()), (1, 1));
    }

    #[tokio::test]
    async fn desktop_without_the_portal_says_so() {
        let bus = SessionBus::start().unwrap();

        assert_eq!(position_on(connected(&bus).await).await, Err(LocationError::Unavailable));
    }
}
