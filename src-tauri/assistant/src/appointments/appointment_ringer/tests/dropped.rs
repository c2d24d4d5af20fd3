//! Rings that wait behind a reply, and are dropped with it by a barge-in.

use super::*;

const REPLY: &str = "It rains.";
const NEXT_REPLY: &str = "It snows.";
const CALL_ANNA: (AppointmentKind, &str) = (AppointmentKind::Reminder, "call Anna");
const FEED_THE_CAT: (AppointmentKind, &str) = (AppointmentKind::Reminder, "feed the cat");
const TEA: (AppointmentKind, &str) = (AppointmentKind::Timer, "tea");

/// Longer than a dropped ring takes to come again.
const LATER: u64 = 10;

/// Rings that a barge-in on a reply has dropped.
struct Dropped {
    fixture: Fixture,
    appointments: Vec<i64>,
    /// The sounds until then.
    before: usize,
    spoken: broadcast::Receiver<SpeechEvent>,
}

impl Dropped {
    async fn new(rings: &[(AppointmentKind, &str)]) -> Self {
        let mut fixture = Fixture::new().await;
        let spoken = fixture.speech_output.subscribe();
        let mut appointments = Vec::new();
        for (kind, label) in rings {
            appointments.push(fixture.appoint(*kind, label, 1, Repeats::Once).await);
        }
        fixture.speech_output.say(ReplyId(99), REPLY, None).await.unwrap();
        fixture.speaker.until(|seen| seen.started == 1).await;
        tokio::time::advance(MINUTE).await;
        for _ in rings {
            fixture.rang().await;
        }
        // Of the second ring only the tone is ready: a voice works for three sounds ahead.
        let before = 2 + rings.len();
        fixture.speaker.until(|seen| seen.queued.len() == before).await;
        fixture.speech_output.fall_silent();
        Self { fixture, appointments, before, spoken }
    }

    /// Lets time go by, and waits for the ring. There were so many sounds before.
    async fn rings_after(&self, sounds: usize) {
        self.fixture.sounds_after(LATER).await;
        // The loudspeaker may be opened first, which takes the time of real threads.
        self.fixture.speaker.until(|seen| seen.queued.len() > sounds).await;
    }

    /// The next sentence of a ring that is heard. It must be queued, or about to be.
    async fn next_sentence(&mut self) -> String {
        loop {
            match self.spoken.try_recv() {
                Ok(SpeechEvent::Sentence { text, .. }) if text != REPLY => return text,
                Ok(_) => {}
                Err(_) => {
                    self.fixture.speaker.finish_sound();
                    tokio::task::yield_now().await;
                }
            }
        }
    }
}

#[rstest]
#[case::reminder(&[CALL_ANNA], &["Reminder: call Anna."])]
#[case::two_reminders(&[CALL_ANNA, FEED_THE_CAT], &["Reminder: call Anna.", "Reminder: feed the cat."])]
#[tokio::test(start_paused = true)]
async fn dropped_reminder_rings_once_after_a_pause(
    #[case] rings: &[(AppointmentKind, &str)],
    #[case] expected: &[&str],
) {
    let mut dropped = Dropped::new(rings).await;

    let at_once = dropped.fixture.sounds_after(2).await;
    dropped.rings_after(at_once).await;

    assert_eq!(at_once, dropped.before, "the user may go on speaking");
    for sentence in expected {
        assert_eq!(dropped.next_sentence().await, *sentence);
    }
    let each_once = dropped.before + 2 * rings.len();
    assert_eq!(dropped.fixture.sounds_after(90).await, each_once);
}

#[tokio::test(start_paused = true)]
async fn sentence_of_a_dropped_timer_is_said_again() {
    let mut dropped = Dropped::new(&[TEA]).await;

    dropped.rings_after(dropped.before).await;

    assert_eq!(dropped.next_sentence().await, "Your tea timer is done.");
    let said = dropped.fixture.speaker.seen().queued.len();
    assert!(dropped.fixture.sounds_after(10).await > said, "then its tone goes on");
    let asked = dropped.fixture.voice.asked();
    assert_eq!(asked.iter().filter(|text| *text == "Your tea timer is done.").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn reminder_dropped_twice_still_rings_once() {
    let mut dropped = Dropped::new(&[CALL_ANNA]).await;

    dropped.fixture.sounds_after(4).await;
    dropped.fixture.speech_output.fall_silent();
    dropped.rings_after(dropped.before).await;

    assert_eq!(dropped.next_sentence().await, "Reminder: call Anna.");
    assert_eq!(dropped.fixture.sounds_after(90).await, dropped.before + 2);
}

#[tokio::test(start_paused = true)]
async fn dropped_reminder_waits_for_the_next_reply() {
    let mut dropped = Dropped::new(&[CALL_ANNA]).await;
    let next = ReplyId(100);
    dropped.fixture.speech_output.say(next, NEXT_REPLY, None).await.unwrap();
    dropped.fixture.speech_output.finish(next).await;
    let with_reply = dropped.before + 1;
    dropped.fixture.speaker.until(|seen| seen.queued.len() == with_reply).await;
    let is_next = |event: SpeechEvent| matches!(event, SpeechEvent::Sentence { reply, .. } if reply == next);
    while !is_next(dropped.spoken.recv().await.unwrap()) {}

    for _ in 0..30 {
        tokio::time::advance(Duration::from_secs(1)).await;
        dropped.fixture.until_looked().await;
    }
    let meanwhile = dropped.fixture.speaker.seen().queued.len();
    dropped.rings_after(with_reply).await;

    assert_eq!(meanwhile, with_reply);
    assert_eq!(dropped.next_sentence().await, "Reminder: call Anna.");
}

#[tokio::test(start_paused = true)]
async fn dropped_reminder_that_was_stopped_is_silent() {
    let dropped = Dropped::new(&[CALL_ANNA]).await;

    dropped.fixture.ringer.stop(dropped.appointments[0]).await.unwrap();

    assert_eq!(dropped.fixture.sounds_after(30).await, dropped.before);
}

#[tokio::test(start_paused = true)]
async fn stop_that_was_said_to_a_reply_settles_no_ring_that_nobody_heard() {
    let mut dropped = Dropped::new(&[CALL_ANNA]).await;

    dropped.fixture.ringer.stop_sounding().await;
    dropped.rings_after(dropped.before).await;

    assert_eq!(dropped.next_sentence().await, "Reminder: call Anna.");
    assert_eq!(dropped.fixture.ringer.rings()[0].appointment, dropped.appointments[0]);
}

#[tokio::test(start_paused = true)]
async fn dropped_reminder_that_was_snoozed_is_silent_until_then() {
    let mut dropped = Dropped::new(&[CALL_ANNA]).await;
    let reminder = dropped.appointments[0];

    snooze(&dropped.fixture, reminder, By::Button).await;
    let until = dropped.fixture.clock.now() + SNOOZE;

    assert_eq!(dropped.fixture.settled().await, (reminder, RingOutcome::Snoozed { until }));
    assert_eq!(dropped.fixture.sounds_after(30).await, dropped.before);
    tokio::time::advance(5 * MINUTE).await;
    assert_eq!(dropped.fixture.rang().await, "Reminder: call Anna.");
    dropped.fixture.speaker.until(|seen| seen.queued.len() == dropped.before + 2).await;
}

#[tokio::test(start_paused = true)]
async fn reminder_whose_tone_had_begun_is_not_repeated() {
    let mut fixture = Fixture::new().await;
    fixture.appoint(AppointmentKind::Reminder, "call Anna", 1, Repeats::Once).await;
    tokio::time::advance(MINUTE).await;
    fixture.rang().await;
    fixture.speaker.until(|seen| seen.started == 1 && seen.queued.len() == 2).await;

    fixture.speech_output.fall_silent();

    assert_eq!(fixture.sounds_after(90).await, 2);
}

#[tokio::test(start_paused = true)]
async fn tones_go_on_when_the_end_of_a_voice_was_not_told() {
    let mut fixture = Fixture::new().await;
    let reply = ReplyId(99);
    let at = std::time::Instant::now();
    fixture.speech_output.tell(SpeechEvent::Started { reply, at });
    fixture.until_looked().await;
    tokio::task::yield_now().await;
    fixture.timer("tea", 1).await;
    fixture.speech_output.tell(SpeechEvent::Finished { reply, at });
    // More than a reader may fall behind by.
    for _ in 0..500 {
        let (text, lasts) = (REPLY.to_owned(), Duration::from_secs(1));
        fixture.speech_output.tell(SpeechEvent::Sentence { reply, text, at, lasts });
    }

    tokio::time::advance(MINUTE).await;
    fixture.rang().await;
    fixture.speaker.until(|seen| seen.queued.len() == 2).await;

    assert!(fixture.sounds_after(30).await > 5);
}
