use parking_lot::Mutex;
use rstest::rstest;
use tokio::sync::mpsc;

use super::*;

const LEEDS: Position = Position { latitude: 53.8008, longitude: -1.5491 };
const OSLO: Position = Position { latitude: 59.9139, longitude: 10.7522 };
const AT_SEA: Position = Position { latitude: 30.0, longitude: -40.0 };

type Answer = Result<Position, LocationError>;

/// Answers as it is told, one question at a time.
struct Scripted {
    answers: tokio::sync::Mutex<mpsc::UnboundedReceiver<Answer>>,
    asked: Mutex<u32>,
}

#[async_trait]
impl LocationService for Scripted {
    async fn position(&self) -> Answer {
        *self.asked.lock() += 1;
        self.answers.lock().await.recv().await.unwrap()
    }
}

struct Fixture {
    answers: mpsc::UnboundedSender<Answer>,
    service: Arc<Scripted>,
    settings: watch::Sender<Settings>,
    location: UserLocation,
}

impl Fixture {
    fn new(settings: Settings) -> Self {
        let (answers, receiver) = mpsc::unbounded_channel();
        let service = Arc::new(Scripted { answers: tokio::sync::Mutex::new(receiver), asked: Mutex::new(0) });
        let (settings, changes) = watch::channel(settings);
        let asked = Arc::clone(&service) as Arc<dyn LocationService>;
        let location = UserLocation::follow(asked, changes, &TaskTracker::new(), CancellationToken::new());
        Self { answers, service, settings, location }
    }

    fn answer(&self, answer: Answer) {
        self.answers.send(answer).unwrap();
    }

    async fn wait_for(&self, is_there: impl Fn(&LocationView) -> bool) -> LocationView {
        let mut found = self.location.found.clone();
        let found = found.wait_for(|found| is_there(&found.clone().into())).await.unwrap().clone();
        found.into()
    }

    async fn wait_for_place(&self, place: &str) {
        self.wait_for(|view| *view == LocationView::Found { place: place.to_owned() }).await;
    }

    fn asked(&self) -> u32 {
        *self.service.asked.lock()
    }
}

fn asking() -> Settings {
    let mut settings = Settings::default();
    settings.location.from_desktop = true;
    settings
}

fn is_failed(view: &LocationView) -> bool {
    matches!(view, LocationView::Failed { .. })
}

#[tokio::test]
async fn desktop_names_the_town_nearby_and_the_model_is_told() {
    let fixture = Fixture::new(asking());
    assert_eq!(fixture.location.current(), FoundPlace::Looking);
    let (_config, receiver) = watch::channel(ReplyingConfig::try_from(&asking()).unwrap());
    let mut completed =
        fixture.location.complete_all(receiver, &TaskTracker::new(), CancellationToken::new());

    fixture.answer(Ok(LEEDS));

    let config = completed.wait_for(|config| config.place.is_some()).await.unwrap().clone();
    assert_eq!(config.place.as_deref(), Some("Leeds, England, United Kingdom"));
    let line = config.context_line(jiff::Timestamp::UNIX_EPOCH);
    assert!(line.contains("Leeds, England, United Kingdom"), "{line}");
}

#[tokio::test]
async fn weather_gets_a_position_as_precise_as_a_town() {
    let fixture = Fixture::new(asking());
    fixture.answer(Ok(LEEDS));

    let place = fixture.location.coordinates().await.unwrap();

    assert_eq!((place.latitude, place.longitude), (53.8, -1.5));
    assert_eq!(place.label(), "Leeds, England, United Kingdom");
}

#[tokio::test]
async fn far_from_towns_the_weather_has_a_position_all_the_same() {
    let fixture = Fixture::new(asking());
    fixture.answer(Ok(AT_SEA));

    let place = fixture.location.coordinates().await.unwrap();

    assert_eq!((place.latitude, place.longitude, place.label().as_str()), (30.0, -40.0, ""));
    assert!(is_failed(&fixture.location.current().into()));
}

#[rstest]
#[case::by_default(Settings::default())]
#[case::place_chosen_by_hand({ let mut settings = asking(); settings.location.place = "Leeds".to_owned(); settings })]
#[case::offline({ let mut settings = asking(); settings.web.offline = true; settings })]
#[tokio::test(start_paused = true)]
async fn desktop_is_asked_only_where_the_settings_allow_and_need_it(#[case] settings: Settings) {
    let fixture = Fixture::new(settings);

    tokio::time::sleep(2 * ASK_EVERY).await;

    assert_eq!(fixture.asked(), 0);
    assert_eq!(fixture.location.coordinates().await.map(|place| place.label()), None);
}

#[tokio::test]
async fn place_is_forgotten_when_the_setting_is_switched_off() {
    let fixture = Fixture::new(asking());
    fixture.answer(Ok(LEEDS));
    fixture.wait_for_place("Leeds, England, United Kingdom").await;

    fixture.settings.send_modify(|settings| settings.location.from_desktop = false);

    fixture.wait_for(|view| *view == LocationView::NotAsked).await;
}

#[tokio::test(start_paused = true)]
async fn desktop_is_asked_again_every_hour() {
    let fixture = Fixture::new(asking());
    fixture.answer(Ok(LEEDS));
    fixture.wait_for_place("Leeds, England, United Kingdom").await;

    fixture.answer(Ok(OSLO));

    fixture.wait_for_place("Oslo, Norway").await;
    assert_eq!(fixture.asked(), 2);
}

#[tokio::test]
async fn user_may_ask_again_after_a_refusal() {
    let fixture = Fixture::new(asking());
    fixture.answer(Err(LocationError::Refused));
    let refused = fixture.wait_for(is_failed).await;
    assert!(matches!(&refused, LocationView::Failed { reason } if reason.contains("privacy settings")));

    fixture.location.ask_again();
    fixture.answer(Ok(OSLO));

    fixture.wait_for_place("Oslo, Norway").await;
}

#[rstest]
#[case::service_fails(LocationError::Failed("gone".to_owned()), true)]
#[case::user_says_no(LocationError::Refused, false)]
#[tokio::test]
async fn failure_later_keeps_the_place_but_a_refusal_does_not(
    #[case] error: LocationError,
    #[case] stays: bool,
) {
    let fixture = Fixture::new(asking());
    fixture.answer(Ok(LEEDS));
    fixture.wait_for_place("Leeds, England, United Kingdom").await;

    fixture.location.ask_again();
    fixture.answer(Err(error.clone()));
    fixture.location.ask_again();
    fixture.answer(Err(error));

    // The third question begins after both answers were dealt with.
    while fixture.asked() < 3 {
        tokio::task::yield_now().await;
    }
    let is_there = matches!(fixture.location.current(), FoundPlace::Found(..));
    assert_eq!(is_there, stays);
}
