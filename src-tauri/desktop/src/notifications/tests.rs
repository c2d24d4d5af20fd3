use std::sync::Arc;

use parking_lot::Mutex;
use rstest::rstest;
use testkit::SessionBus;
use vocabulary::{Answer, Language, Origin, Private, Question, QuestionId, ReplyId};

use super::service::{PATH, SERVICE};
use super::*;

/// A desktop that writes down what it is asked to show, and numbers it.
struct Desktop(Arc<Mutex<Vec<String>>>);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Desktop {
    #[allow(clippy::too_many_arguments, reason = "the interface of the desktop")]
    fn notify(
        &self,
        app: &str,
        replaced: u32,
        _icon: &str,
        title: &str,
        text: &str,
        actions: Vec<String>,
        _hints: HashMap<String, zbus::zvariant::OwnedValue>,
        expires: i32,
    ) -> u32 {
        let action = actions.join("=");
        self.0
            .lock()
            .push(format!("{app}: {title}: {text} ({action}; expires {expires}; replaces {replaced})"));
        7
    }

    fn close_notification(&self, id: u32) {
        self.0.lock().push(format!("closed {id}"));
    }

    #[zbus(signal)]
    async fn action_invoked(
        emitter: &zbus::object_server::SignalEmitter<'_>,
        id: u32,
        action: &str,
    ) -> zbus::Result<()>;
}

struct Fixture {
    seen: Arc<Mutex<Vec<String>>>,
    desktop: zbus::Connection,
    shown: Shown,
    _bus: SessionBus,
}

impl Fixture {
    async fn new() -> Self {
        let bus = SessionBus::start().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let desktop = zbus::connection::Builder::address(bus.address()).unwrap();
        let desktop = desktop.name(SERVICE).unwrap().serve_at(PATH, Desktop(Arc::clone(&seen))).unwrap();
        let desktop = desktop.build().await.unwrap();
        let mut shown = Shown::default();
        shown.service.address = Some(bus.address().to_owned());
        Self { seen, desktop, shown, _bus: bus }
    }

    async fn follow(&mut self, event: AssistantEvent) {
        self.shown.follow(&event, || true).await.unwrap();
    }

    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock())
    }
}

fn reply(event: ReplyEvent) -> AssistantEvent {
    AssistantEvent::Reply { reply: ReplyId(1), event }
}

fn answered(text: &str) -> AssistantEvent {
    reply(ReplyEvent::Done(OutgoingResponse::text(text)))
}

fn question(text: &str) -> AssistantEvent {
    reply(ReplyEvent::Question(Question {
        id: QuestionId(1),
        text: text.to_owned(),
        options: Vec::new(),
        by_hand: false,
    }))
}

fn ring(appointment: i64) -> Ring {
    Ring {
        appointment,
        kind: RingKind::Timer,
        text: "Your <b>tea</b> & egg timer is done.".to_owned().into(),
        language: Language::new("en").unwrap(),
        due_at: jiff::Timestamp::UNIX_EPOCH,
        is_missed: false,
    }
}

#[tokio::test]
async fn ring_is_shown_as_plain_text_and_taken_back() {
    let mut fixture = Fixture::new().await;

    fixture.follow(AssistantEvent::AppointmentRang(ring(1))).await;
    fixture.follow(AssistantEvent::AppointmentRang(ring(1))).await;
    fixture.shown.service.close(7).await.unwrap();

    let text = "Jarvis: Timer: Your &lt;b&gt;tea&lt;/b&gt; &amp; egg timer is done.";
    let expected = [
        format!("{text} (; expires 0; replaces 0)"),
        format!("{text} (; expires 0; replaces 7)"),
        "closed 7".to_owned(),
    ];
    assert_eq!(fixture.seen(), expected);
}

#[tokio::test]
async fn answer_that_nobody_saw_is_shown_and_a_click_on_it_is_told() {
    let mut fixture = Fixture::new().await;

    fixture.follow(answered("Leeds has 812,000 people.")).await;

    let expected = ["Jarvis: Jarvis: Leeds has 812,000 people. (default=Open; expires -1; replaces 0)"];
    assert_eq!(fixture.seen(), expected);
    let emitter = zbus::object_server::SignalEmitter::new(&fixture.desktop, PATH).unwrap();
    Desktop::action_invoked(&emitter, 7, "settings").await.unwrap();
    Desktop::action_invoked(&emitter, 7, "default").await.unwrap();
    assert_eq!(fixture.shown.service.clicked().await, 7);
    assert_eq!(fixture.shown.reply, Some(7));
}

#[rstest]
#[case::next_question(AssistantEvent::Asked {
    reply: ReplyId(2), text: "and York?".to_owned(), origin: Origin::Typed, replaces_previous: false,
})]
#[case::answer_to_a_question(AssistantEvent::Answered {
    reply: ReplyId(1), answer: Answer { question: QuestionId(1), text: Private("yes".to_owned()) },
})]
#[tokio::test]
async fn notification_goes_when_the_user_is_here_again(#[case] event: AssistantEvent) {
    let mut fixture = Fixture::new().await;
    fixture.follow(question("May I write notes.txt?")).await;

    fixture.follow(event).await;

    let expected =
        ["Jarvis: Jarvis asks: May I write notes.txt? (default=Open; expires -1; replaces 0)", "closed 7"];
    assert_eq!(fixture.seen(), expected);
}

#[rstest]
#[case::looks_here(answered("Leeds."), false)]
#[case::hears_it(reply(ReplyEvent::Done(OutgoingResponse::text("Leeds.").spoken())), true)]
#[case::nothing_was_said(reply(ReplyEvent::Done(OutgoingResponse::default())), true)]
#[case::blank(answered("  "), true)]
#[case::more_to_come(reply(ReplyEvent::Delta { text: "Le".to_owned() }), true)]
#[tokio::test]
async fn only_who_looks_elsewhere_is_notified(#[case] event: AssistantEvent, #[case] is_wanted: bool) {
    let mut fixture = Fixture::new().await;

    fixture.shown.follow(&event, || is_wanted).await.unwrap();

    assert_eq!(fixture.seen(), Vec::<String>::new());
}

#[tokio::test]
async fn desktop_without_notifications_is_no_fault() {
    let bus = SessionBus::start().unwrap();
    let mut shown = Shown::default();
    shown.service.address = Some(bus.address().to_owned());

    let error = shown.follow(&answered("Leeds."), || true).await.unwrap_err();

    assert!(error.contains("ServiceUnknown") || error.contains("not provided"), "{error}");
}

#[rstest]
#[case::short("ä".repeat(200), "ä".repeat(200))]
#[case::long("ä".repeat(201), format!("{} …", "ä".repeat(200)))]
fn long_answer_is_cut_after_200_characters(#[case] text: String, #[case] expected: String) {
    assert_eq!(shortened(&text), expected);
}
