//! A speaker that does not open, or is lost.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use audio::{AudioError, Loudspeaker, Playback, Side};
use parking_lot::Mutex;
use speaking::{Speech, Unheard};
use testkit::ScriptedLoudspeaker;

use crate::{NEXT, REPLY, TestQueue};

/// A loudspeaker that is being opened until the sender of its channel is dropped; then it fails.
struct HangingLoudspeaker {
    is_opened: tokio::sync::mpsc::UnboundedSender<()>,
    released: Mutex<mpsc::Receiver<()>>,
}

impl Loudspeaker for HangingLoudspeaker {
    fn open(&self) -> Result<Box<dyn Playback>, AudioError> {
        self.is_opened.send(()).unwrap();
        let _ = self.released.lock().recv();
        Err(no_speaker())
    }

    fn name(&self) -> String {
        "the hanging loudspeaker".into()
    }
}

fn no_speaker() -> AudioError {
    AudioError::NoDevice { side: Side::Loudspeaker }
}

#[tokio::test(start_paused = true)]
async fn missing_speaker_is_reported_once_until_it_works() {
    let mut test = TestQueue::new();
    test.speaker.refuse(Some(no_speaker()));
    let begin = tokio::time::Instant::now();

    test.say(REPLY, "It rains.").await;
    assert_eq!(test.next_report().await, "trouble: speaker");
    test.say(REPLY, "It pours.").await;
    test.queue.finish(REPLY).await;
    test.queue.until_silent().await;
    let patience = begin.elapsed();
    test.speaker.refuse(None);
    tokio::time::sleep(Duration::from_secs(2)).await;
    test.say(NEXT, "The sun shines.").await;

    assert_eq!(test.next_report().await, "recovered: speaker");
    assert_eq!(test.next_report().await, "2 started");
    assert!((15..20).contains(&patience.as_secs()), "{patience:?}");
    assert_eq!(test.speaker.seen().queued.len(), 1, "words that waited too long are dropped");
}

#[tokio::test(start_paused = true)]
async fn words_wait_for_a_speaker_that_comes_back() {
    let mut test = TestQueue::new();
    test.speaker.refuse(Some(no_speaker()));

    test.say(REPLY, "It rains.").await;
    let before = test.queue.unheard(REPLY).await;
    assert_eq!(test.next_report().await, "trouble: speaker");
    test.say(REPLY, "It pours.").await;
    test.speaker.refuse(None);
    assert_eq!(test.next_report().await, "recovered: speaker");
    let after = test.queue.unheard(REPLY).await;
    test.queue.finish(REPLY).await;

    assert_eq!((before, after), (Some(Unheard::NoLoudspeaker), None));
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");
    assert!(test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "1 says \"It pours.\" for 90 ms");
    assert!(test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "1 finished");
}

#[tokio::test(start_paused = true)]
async fn stop_drops_the_words_that_wait_for_the_speaker() {
    let mut test = TestQueue::new();
    test.speaker.refuse(Some(no_speaker()));
    test.say(REPLY, "It rains.").await;
    assert_eq!(test.next_report().await, "trouble: speaker");

    test.queue.stop_speaking();
    test.queue.finish(REPLY).await;
    test.queue.until_silent().await;
    test.speaker.refuse(None);
    test.say(NEXT, "Yes.").await;

    assert_eq!(test.next_report().await, "recovered: speaker");
    assert_eq!(test.next_report().await, "2 started");
    assert_eq!(test.speaker.seen().queued.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn words_wait_for_a_limited_number_of_sentences() {
    let mut test = TestQueue::new();
    test.speaker.refuse(Some(no_speaker()));
    test.say(REPLY, "It rains.").await;
    assert_eq!(test.next_report().await, "trouble: speaker");

    for _ in 0..200 {
        test.say(REPLY, "It pours.").await;
    }
    test.queue.finish(REPLY).await;
    test.speaker.refuse(None);
    test.until_started(1).await;
    while !test.speaker.seen().queued.is_empty() && test.speaker.finish_sound() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    let spoken = test.speaker.seen().queued.len();
    assert!((60..=70).contains(&spoken), "{spoken}");
}

#[tokio::test]
async fn sentence_lost_with_the_speaker_is_repeated_on_the_next() {
    let mut test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.say(REPLY, "Take a coat.").await;
    test.queue.finish(REPLY).await;
    test.speaker.until(|seen| seen.queued.len() == 2).await;
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");

    test.speaker.unplug(no_speaker());

    assert_eq!(test.next_report().await, "trouble: speaker");
    assert_eq!(test.next_report().await, "recovered: speaker");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");
    assert!(test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "1 says \"Take a coat.\" for 120 ms");
    assert!(test.speaker.finish_sound());
    assert_eq!(test.next_report().await, "1 finished");
    assert_eq!(test.speaker.seen().opened, 2);
}

#[tokio::test(start_paused = true)]
async fn speaker_that_does_not_return_interrupts_the_reply() {
    let mut test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.until_started(1).await;
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");

    test.speaker.refuse(Some(no_speaker()));
    test.speaker.unplug(no_speaker());

    assert_eq!(test.next_report().await, "trouble: speaker");
    assert_eq!(test.next_report().await, "1 interrupted");
    test.queue.until_silent().await;
}

#[tokio::test(start_paused = true)]
async fn rest_of_a_long_answer_waits_for_a_headset_that_is_lost() {
    let mut test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.until_started(1).await;
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");
    tokio::time::sleep(Duration::from_secs(30)).await;

    test.speaker.refuse(Some(no_speaker()));
    test.speaker.unplug(no_speaker());
    assert_eq!(test.next_report().await, "trouble: speaker");
    assert_eq!(test.next_report().await, "1 interrupted");
    test.speaker.refuse(None);

    assert_eq!(test.next_report().await, "recovered: speaker");
    assert_eq!(test.next_report().await, "1 started");
    assert_eq!(test.next_report().await, "1 says \"It rains.\" for 90 ms");
}

#[tokio::test]
async fn chosen_speaker_does_not_wait_for_the_one_that_is_being_opened() {
    let test = TestQueue::new();
    let (is_opened, mut opened) = tokio::sync::mpsc::unbounded_channel();
    let (_release, released) = mpsc::channel();
    let hanging = HangingLoudspeaker { is_opened, released: Mutex::new(released) };
    test.queue.use_speaker(Arc::new(hanging)).await;
    test.say(REPLY, "It rains.").await;
    opened.recv().await.unwrap();

    let chosen = ScriptedLoudspeaker::default();
    test.queue.use_speaker(Arc::new(chosen.clone())).await;

    let started = tokio::time::timeout(Duration::from_secs(10), chosen.until(|seen| seen.started == 1)).await;
    assert!(started.is_ok(), "{:?}", chosen.seen());
}

#[tokio::test(start_paused = true)]
async fn reply_is_silent_once_its_speaker_does_not_open() {
    let mut test = TestQueue::new();
    test.speaker.refuse(Some(no_speaker()));

    test.say(REPLY, "It rains.").await;
    test.until_silent(REPLY).await;
    test.queue.pause(REPLY).await;
    test.until_silent(REPLY).await;

    test.speaker.refuse(None);
    test.until_started(1).await;
}

fn tone() -> Speech {
    Speech { samples: vec![0.1; 500], rate_hz: 1_000 }
}

#[tokio::test(start_paused = true)]
async fn sound_waits_once_for_a_speaker_that_comes_back() {
    let mut test = TestQueue::new();
    test.speaker.refuse(Some(no_speaker()));
    test.say(REPLY, "It rains.").await;
    assert_eq!(test.next_report().await, "trouble: speaker");

    // Just after the failure, and later.
    for _ in 0..3 {
        test.queue.play(NEXT, tone()).await;
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    test.speaker.refuse(None);
    let begin = tokio::time::Instant::now();
    test.until_started(1).await;

    assert!(begin.elapsed() <= Duration::from_millis(1_100), "{:?}", begin.elapsed());
    assert!(test.speaker.finish_sound());
    test.until_started(2).await;
    let sounds = test.speaker.seen().queued;
    assert_eq!(sounds.len(), 2, "{sounds:?}");
    assert!(sounds[1] >= Duration::from_millis(500), "{sounds:?}");
}

#[tokio::test(start_paused = true)]
async fn sound_alone_waits_for_the_speaker_as_long_as_words_do() {
    let test = TestQueue::new();
    test.speaker.refuse(Some(no_speaker()));

    test.queue.play(REPLY, tone()).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    test.speaker.refuse(None);
    tokio::time::sleep(Duration::from_millis(1_500)).await;

    assert_eq!(test.speaker.seen().started, 1);
}
