//! Paused time, real SQLite, and the real speech queue with a loudspeaker that the test plays.

use std::sync::mpsc as blocking;

use audio::{AudioError, Side};
use memory::{Appointment, MemoryService, Repeats};
use parking_lot::Mutex;
use rstest::rstest;
use speaking::FixedVoice;
use tempfile::TempDir;
use testkit::{ScriptedLoudspeaker, ToneVoice};
use tokio_util::task::TaskTracker;
use tools::{SNOOZE, ToolContext, builtin};
use vocabulary::{ConversationId, Origin, Private, ReplyId};

use super::*;
use crate::appointments::late_rings::LateRings;
use crate::sound_paths::voice::SpeechOutputParts;

mod dropped; // rings that a stop drops before anybody hears them

const NOW: &str = "2025-11-22T12:00:00Z";
const MINUTE: Duration = Duration::from_secs(60);

/// A clock that follows the paused time of the test, and can jump.
struct TestClock {
    zero: tokio::time::Instant,
    jumped: Mutex<SignedDuration>,
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        NOW.parse::<Timestamp>().unwrap() + self.zero.elapsed() + *self.jumped.lock()
    }
}

struct Fixture {
    memory: Memory,
    clock: Arc<TestClock>,
    ringer: RingerHandle,
    events: broadcast::Receiver<AssistantEvent>,
    speaker: ScriptedLoudspeaker,
    voice: ToneVoice,
    speech_output: SpeechOutput,
    stop: CancellationToken,
    _folder: TempDir,
    _settings: watch::Sender<Settings>,
    /// While a blocking task runs, paused time stands still unless the test advances it.
    _standing_still: blocking::Sender<()>,
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Fixture {
    async fn new() -> Self {
        let (standing_still, ended) = blocking::channel::<()>();
        tokio::task::spawn_blocking(move || ended.recv());
        let folder = tempfile::tempdir().unwrap();
        let (service, opening) = MemoryService::start(&folder.path().join("jarvis.db"), |_| {});
        tokio::spawn(opening);
        let mut opened = service.watch();
        let memory = opened.wait_for(Option::is_some).await.unwrap().clone().unwrap();
        let mut settings = Settings::default();
        settings.hearing.language = "en".into();
        settings.location.time_zone = "UTC".into();
        let (speaker, voice) = (ScriptedLoudspeaker::default(), ToneVoice::new("tones"));
        let (commands, _) = mpsc::channel(8);
        let loudspeaker = speaker.clone();
        let parts = SpeechOutputParts {
            settings: &settings,
            loudspeaker: Arc::new(move |_| Arc::new(loudspeaker.clone())),
            voices: Arc::new(FixedVoice(Arc::new(voice.clone()))),
            commands,
        };
        let stop = CancellationToken::new();
        let (speech_output, _) = SpeechOutput::open(parts, &TaskTracker::new(), &stop);
        let clock = Arc::new(TestClock {
            zero: tokio::time::Instant::now(),
            jumped: Mutex::new(SignedDuration::ZERO),
        });
        let events = EventBus::new();
        let received = events.observe();
        let (_settings, settings) = watch::channel(settings);
        let ringer = AppointmentRinger {
            memory: opened,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            settings,
            speech_output: speech_output.clone(),
            reply_ids: ReplyIds::default(),
            events,
        };
        let (task, ringer) = ringer.start();
        tokio::spawn(task.run(stop.clone()));
        tokio::spawn(async move {
            let _service = service;
            std::future::pending::<()>().await;
        });
        Self {
            memory,
            clock,
            ringer,
            events: received,
            speaker,
            voice,
            speech_output,
            stop,
            _folder: folder,
            _settings,
            _standing_still: standing_still,
        }
    }

    /// Stores an appointment that is due in so many minutes.
    async fn appoint(&self, kind: AppointmentKind, label: &str, minutes: i64, repeats: Repeats) -> i64 {
        let now = self.clock.now();
        let due_at = (now + SignedDuration::from_mins(minutes)).as_microsecond();
        let appointment = Appointment {
            id: 0,
            kind,
            label: label.into(),
            due_at,
            first_at: None,
            repeats,
            zone: "UTC".into(),
            status: AppointmentStatus::Waiting,
            paused_at: None,
            created_at: 0,
        };
        self.memory.appoint(appointment, now.as_microsecond()).await.unwrap()
    }

    async fn timer(&self, label: &str, minutes: i64) -> i64 {
        self.appoint(AppointmentKind::Timer, label, minutes, Repeats::Once).await
    }

    /// The sentence of the next ring.
    async fn rang(&mut self) -> String {
        match self.events.recv().await.unwrap() {
            AssistantEvent::AppointmentRang(ring) => ring.text.0,
            other => panic!("{other:?}"),
        }
    }

    async fn settled(&mut self) -> (i64, RingOutcome) {
        match self.events.recv().await.unwrap() {
            AssistantEvent::AppointmentSettled { appointment, outcome } => (appointment, outcome),
            other => panic!("{other:?}"),
        }
    }

    /// The tone comes again after a pause. There were so many sounds before.
    async fn tone_after_a_pause(&self, sounds: usize) {
        while self.speaker.finish_sound() {}
        tokio::time::advance(Duration::from_secs(3)).await;
        self.speaker.until(|seen| seen.queued.len() > sounds).await;
    }

    /// Waits until the ringer has read the memory, which takes the time of real threads.
    async fn until_looked(&self) {
        const UNKNOWN: i64 = -1;
        assert!(matches!(self.ringer.stop(UNKNOWN).await, Err(RingError::NotRinging)));
    }

    /// Lets time go by, and plays what is queued meanwhile. Returns how many sounds there were in all.
    async fn sounds_after(&self, secs: u64) -> usize {
        for _ in 0..secs {
            tokio::time::advance(Duration::from_secs(1)).await;
            self.until_looked().await;
            // The tasks run until each of them waits again.
            for _ in 0..50 {
                tokio::task::yield_now().await;
                self.speaker.finish_sound();
            }
        }
        self.speaker.seen().queued.len()
    }
}

#[tokio::test(start_paused = true)]
async fn due_timer_is_named_and_rings_for_a_minute() {
    let mut fixture = Fixture::new().await;
    let id = fixture.timer("tea", 4).await;

    tokio::time::advance(4 * MINUTE).await;

    assert_eq!(fixture.rang().await, "Your tea timer is done.");
    fixture.speaker.until(|seen| seen.queued.len() == 2).await;
    assert!(fixture.voice.asked().contains(&"Your tea timer is done.".to_owned()));
    for tones in 2..21 {
        fixture.tone_after_a_pause(tones).await;
    }
    assert_eq!(fixture.sounds_after(30).await, 21, "it rings no longer than a minute");
    assert_eq!(fixture.ringer.rings()[0].appointment, id, "its card stays");
}

/// The sounds are the tone and the pieces of the sentence: one with many digits is spoken in two.
#[rstest]
#[case::reminder(AppointmentKind::Reminder, 1, "Reminder: call Anna.", 2)]
#[case::missed_timer(
    AppointmentKind::Timer,
    -60,
    "Your call Anna timer was done at 11:00, while I was off.",
    2
)]
#[case::missed_alarm(
    AppointmentKind::Alarm,
    -60 * 13,
    "You missed your alarm of 23:00 on 21/11, while I was off: call Anna.",
    3
)]
#[tokio::test(start_paused = true)]
async fn some_ring_once(
    #[case] kind: AppointmentKind,
    #[case] minutes: i64,
    #[case] expected: &str,
    #[case] sounds: usize,
) {
    let mut fixture = Fixture::new().await;
    fixture.appoint(kind, "call Anna", minutes, Repeats::Once).await;

    tokio::time::advance(MINUTE).await;

    assert_eq!(fixture.rang().await, expected);
    fixture.speaker.until(|seen| seen.queued.len() == sounds).await;
    assert_eq!(fixture.sounds_after(90).await, sounds);
}

#[tokio::test(start_paused = true)]
async fn paused_timer_rings_only_after_it_was_resumed() {
    let mut fixture = Fixture::new().await;
    let id = fixture.timer("", 2).await;
    tokio::time::advance(MINUTE).await;
    fixture.memory.pause_appointment(id, fixture.clock.now().as_microsecond()).await.unwrap();
    tokio::time::advance(5 * MINUTE).await;
    let while_paused = fixture.ringer.rings();
    fixture.memory.resume_appointment(id, fixture.clock.now().as_microsecond()).await.unwrap();
    tokio::time::advance(MINUTE).await;

    let text = fixture.rang().await;

    assert_eq!((while_paused, text.as_str()), (Vec::new(), "Your timer is done."));
}

#[tokio::test(start_paused = true)]
async fn stopped_timer_is_silent_and_done() {
    let mut fixture = Fixture::new().await;
    let id = fixture.timer("", 1).await;
    tokio::time::advance(MINUTE).await;
    fixture.rang().await;
    fixture.speaker.until(|seen| seen.queued.len() == 2).await;

    fixture.ringer.stop(id).await.unwrap();

    assert_eq!(fixture.settled().await, (id, RingOutcome::Stopped));
    assert!(fixture.memory.appointments().await.unwrap().is_empty());
    assert_eq!((fixture.sounds_after(30).await, fixture.ringer.rings()), (2, Vec::new()));
    assert!(matches!(fixture.ringer.stop(id).await, Err(RingError::NotRinging)));
}

/// Snoozes all that rings, as the button does it or as the tool does it on a spoken request.
async fn snooze(fixture: &Fixture, id: i64, by: By) {
    match by {
        By::Button => fixture.ringer.snooze(id, SNOOZE, None).await.unwrap(),
        By::Voice => {
            let rings = Arc::new(LateRings::default());
            rings.set(fixture.ringer.clone());
            let (_, memory) = watch::channel(None);
            let parts = builtin::Parts { rings: Some(rings), ..builtin::Parts::from_memory(memory) };
            let tools = builtin::all(parts);
            let tool = tools.iter().find(|tool| tool.declaration().name == "snooze").unwrap();
            let context = ToolContext {
                query: Private("snooze".to_owned()),
                language: None,
                conversation: ConversationId::main(),
                origin: Origin::Voice,
                now: fixture.clock.now(),
                zone: TimeZone::UTC,
                stop: CancellationToken::new(),
                inquiries: tools::Inquiries::default(),
            };
            assert!(tool.run(serde_json::Map::new(), &context).await.success);
        }
    }
}

#[derive(Clone, Copy)]
enum By {
    Button,
    Voice,
}

#[tokio::test(start_paused = true)]
async fn undone_snooze_rings_at_once() {
    let mut fixture = Fixture::new().await;
    let id = fixture.timer("", 1).await;
    tokio::time::advance(MINUTE).await;
    fixture.rang().await;
    let asked_at = fixture.clock.now().as_microsecond();
    snooze(&fixture, id, By::Voice).await;
    fixture.settled().await;

    let main = ConversationId::main();
    assert_eq!(fixture.memory.newest_change(&main, asked_at).await.unwrap(), Some(asked_at));
    fixture.memory.undo_changes(&main, asked_at).await.unwrap();

    assert_eq!(fixture.rang().await, "Your timer is done.");
}

#[rstest]
#[case::by_button(By::Button)]
#[case::by_voice(By::Voice)]
#[tokio::test(start_paused = true)]
async fn snoozed_alarm_rings_again_after_five_minutes(#[case] by: By) {
    let mut fixture = Fixture::new().await;
    let id = fixture.appoint(AppointmentKind::Alarm, "", 1, Repeats::Daily).await;
    tokio::time::advance(MINUTE).await;
    fixture.rang().await;

    snooze(&fixture, id, by).await;

    let until = fixture.clock.now() + SNOOZE;
    assert_eq!(fixture.settled().await, (id, RingOutcome::Snoozed { until }));
    tokio::time::advance(5 * MINUTE).await;
    assert_eq!(fixture.rang().await, "Your alarm is ringing.");
    fixture.ringer.stop(id).await.unwrap();
    let tomorrow = NOW.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24) + MINUTE;
    assert_eq!(fixture.memory.next_due().await.unwrap(), Some(tomorrow.as_microsecond()));
}

#[tokio::test(start_paused = true)]
async fn clock_that_jumps_is_noticed_within_a_minute() {
    let mut fixture = Fixture::new().await;
    fixture.timer("tea", 120).await;

    *fixture.clock.jumped.lock() = SignedDuration::from_mins(119);
    tokio::time::advance(MINUTE).await;

    assert_eq!(fixture.rang().await, "Your tea timer is done.");
}

#[rstest]
#[case::once(Repeats::Once)]
#[case::daily(Repeats::Daily)]
#[tokio::test(start_paused = true)]
async fn ring_of_an_appointment_cancelled_elsewhere_ends(#[case] repeats: Repeats) {
    let mut fixture = Fixture::new().await;
    let id = fixture.appoint(AppointmentKind::Alarm, "", 1, repeats).await;
    tokio::time::advance(MINUTE).await;
    fixture.rang().await;

    fixture.memory.settle_appointment(id, AppointmentStatus::Cancelled).await.unwrap();

    assert_eq!(fixture.settled().await, (id, RingOutcome::Withdrawn));
    assert_eq!(fixture.ringer.rings(), []);
}

#[tokio::test(start_paused = true)]
async fn two_timers_ring_together_and_one_word_stops_both() {
    let mut fixture = Fixture::new().await;
    let (tea, eggs) = (fixture.timer("tea", 1).await, fixture.timer("egg", 1).await);
    tokio::time::advance(MINUTE).await;
    let texts = [fixture.rang().await, fixture.rang().await];
    assert_eq!(texts, ["Your tea timer is done.", "Your egg timer is done."]);

    fixture.speaker.until(|seen| seen.queued.len() == 3).await;
    fixture.speaker.finish_sound();
    fixture.speaker.until(|seen| seen.queued.len() == 4).await;

    fixture.ringer.stop(tea).await.unwrap();
    assert_eq!(fixture.settled().await, (tea, RingOutcome::Stopped));
    fixture.tone_after_a_pause(4).await;
    fixture.ringer.stop_sounding().await;

    assert_eq!(fixture.settled().await, (eggs, RingOutcome::Stopped));
    assert_eq!(fixture.ringer.rings(), []);
}

#[tokio::test(start_paused = true)]
async fn barge_in_silences_a_timer_and_keeps_its_card() {
    let mut fixture = Fixture::new().await;
    let id = fixture.timer("tea", 1).await;
    tokio::time::advance(MINUTE).await;
    fixture.rang().await;
    fixture.speaker.until(|seen| seen.started == 1 && seen.queued.len() == 2).await;

    fixture.speech_output.fall_silent();

    assert_eq!(fixture.sounds_after(70).await, 2);
    assert_eq!(fixture.ringer.rings()[0].appointment, id);
}

#[tokio::test(start_paused = true)]
async fn timer_goes_on_after_the_loudspeaker_was_away() {
    let mut fixture = Fixture::new().await;
    fixture.timer("tea", 1).await;
    let mut voice = fixture.speech_output.subscribe();
    tokio::time::advance(MINUTE).await;
    fixture.rang().await;
    fixture.speaker.until(|seen| seen.started == 1 && seen.queued.len() == 2).await;

    let away = || AudioError::NoDevice { side: Side::Loudspeaker };
    fixture.speaker.refuse(Some(away()));
    fixture.speaker.unplug(away());
    while !matches!(voice.recv().await.unwrap(), SpeechEvent::Interrupted { .. }) {}
    fixture.speaker.refuse(None);
    tokio::time::advance(Duration::from_secs(2)).await;
    fixture.speaker.until(|seen| seen.queued.len() == 4).await;

    assert!(
        fixture.sounds_after(10).await > 4,
        "after the tone and the sentence that were lost it rings again"
    );
}

/// A timer that rings while a reply is spoken.
async fn ringing_over_a_reply() -> Fixture {
    let mut fixture = Fixture::new().await;
    fixture.timer("tea", 1).await;
    fixture.speech_output.say(ReplyId(99), "It rains.", None).await.unwrap();
    fixture.speaker.until(|seen| seen.started == 1).await;
    tokio::time::advance(MINUTE).await;
    fixture.rang().await;
    fixture
}

#[tokio::test(start_paused = true)]
async fn barge_in_on_a_reply_leaves_the_timer_that_waits_for_it() {
    let fixture = ringing_over_a_reply().await;
    fixture.speaker.until(|seen| seen.queued.len() == 3).await;

    fixture.speech_output.fall_silent();

    assert!(fixture.sounds_after(10).await > 3);
}

#[tokio::test(start_paused = true)]
async fn tones_wait_for_a_reply_that_is_spoken() {
    let fixture = ringing_over_a_reply().await;

    let seen = fixture.speaker.until(|seen| seen.queued.len() == 3).await;

    assert_eq!(seen.started, 1, "the tone and the sentence come after the words under way");
    tokio::time::advance(Duration::from_secs(9)).await;
    assert_eq!(fixture.ringer.rings().len(), 1);
    assert_eq!(fixture.speaker.seen().queued.len(), 3, "no more tones pile up meanwhile");
}
