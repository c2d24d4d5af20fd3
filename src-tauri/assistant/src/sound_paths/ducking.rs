//! Makes other programs quieter while somebody speaks to us.

use std::sync::Arc;
use std::time::Duration;

use audio::{OtherSound, OtherSoundError};
use listening::{ListeningConfig, WakeWord};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use vocabulary::{AssistantEvent, Origin, UtteranceId};

/// Words with our name are over when nothing more is recognised of them for this time: longer than an utterance may be.
const LONGEST_SILENCE: Duration = Duration::from_secs(15);
/// The time from a volume that was not restored to the next attempt. It doubles each time.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// The most of it: a program that plays again is quiet for so long.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The inputs of the task.
pub(crate) struct DuckingInputs {
    pub other_sound: Arc<dyn OtherSound>,
    /// The setting.
    pub is_on: watch::Receiver<bool>,
    pub events: broadcast::Receiver<AssistantEvent>,
    /// The name that calls us.
    pub listening: watch::Receiver<ListeningConfig>,
}

/// Runs until `stop` is cancelled; then the sound of other programs is as loud as before. They are quieter while the setting
/// is on and somebody speaks to us.
pub(crate) async fn run(inputs: DuckingInputs, stop: CancellationToken) {
    let DuckingInputs { other_sound, mut is_on, mut events, listening } = inputs;
    let mut address = Address::default();
    let mut volume = Volume::new(other_sound);
    let mut has_ended = false;
    loop {
        address.forget_the_past(Instant::now());
        let is_quieter = *is_on.borrow_and_update() && address.is_to_us() && !has_ended;
        volume.set(is_quieter, has_ended).await;
        if has_ended {
            return;
        }
        let wake_at = [address.ends_at(), volume.again_at].into_iter().flatten().min();
        tokio::select! {
            biased; // Shutdown first: events may never end.
            () = stop.cancelled() => has_ended = true,
            Ok(()) = is_on.changed() => {}
            () = tokio::time::sleep_until(wake_at.unwrap_or_else(Instant::now)), if wake_at.is_some() => {}
            event = events.recv() => match event {
                Ok(event) => address.follow(&event, &listening.borrow().wake_word, Instant::now()),
                // The end of speech may be among them.
                Err(broadcast::error::RecvError::Lagged(_)) => address = Address::default(),
                Err(broadcast::error::RecvError::Closed) => has_ended = true,
            },
        }
    }
}

/// The ways in which somebody speaks to us.
#[derive(Default)]
struct Address {
    /// No name is needed.
    is_window_open: bool,
    is_key_pressed: bool,
    /// The utterance with our name, while it is spoken, and when it is taken to be over without more words.
    called_in: Option<(UtteranceId, Instant)>,
}

impl Address {
    fn is_to_us(&self) -> bool {
        self.is_window_open || self.is_key_pressed || self.called_in.is_some()
    }

    /// When [`Address::forget_the_past`] has something to do.
    fn ends_at(&self) -> Option<Instant> {
        self.called_in.map(|(_, ends_at)| ends_at)
    }

    fn forget_the_past(&mut self, now: Instant) {
        self.called_in.take_if(|(_, ends_at)| *ends_at <= now);
    }

    fn follow(&mut self, event: &AssistantEvent, wake_word: &WakeWord, now: Instant) {
        match event {
            AssistantEvent::HotWindowOpened { .. } => {
                self.is_window_open = true;
                // It opens when nobody speaks.
                self.called_in = None;
            }
            AssistantEvent::HotWindowClosed => self.is_window_open = false,
            AssistantEvent::TalkKey { is_listening } => self.is_key_pressed = *is_listening,
            AssistantEvent::Partial { utterance, text } if wake_word.is_in(&text.to_lowercase()) => {
                self.called_in = Some((*utterance, now + LONGEST_SILENCE));
            }
            AssistantEvent::Overheard { utterance, .. } => {
                self.called_in.take_if(|(called_in, _)| called_in == utterance);
            }
            // The end of what was said to us. While we answer the state stays as it is, and an end without a request or an
            // answer is told by no event. If the words go on, the next ones call again.
            AssistantEvent::State(_)
            | AssistantEvent::Answered { .. }
            | AssistantEvent::Asked { origin: Origin::Voice, .. } => self.called_in = None,
            _ => {}
        }
    }
}

/// The volume of other programs.
struct Volume {
    other_sound: Arc<dyn OtherSound>,
    is_quieter: bool,
    /// When to restore once more what was not restored.
    again_at: Option<Instant>,
    /// The pause before the next attempt to restore it.
    pause: Duration,
    is_failure_told: bool,
}

impl Volume {
    fn new(other_sound: Arc<dyn OtherSound>) -> Self {
        // A run before may have ended too early.
        let again_at = Some(Instant::now());
        Self { other_sound, is_quieter: false, again_at, pause: FIRST_PAUSE, is_failure_told: false }
    }

    /// Makes other programs quieter, or as loud as before. Does what is left at once if this is the last call.
    async fn set(&mut self, is_quieter: bool, is_last: bool) {
        let is_due = self.again_at.is_some_and(|at| is_last || at <= Instant::now());
        if is_quieter == self.is_quieter && (is_quieter || !is_due) {
            return;
        }
        if is_quieter != self.is_quieter {
            self.is_quieter = is_quieter;
            self.pause = FIRST_PAUSE;
        }
        self.again_at = None;
        let result = change(&self.other_sound, is_quieter).await;
        if !is_quieter && !matches!(result, Ok(true)) {
            self.again_at = Some(Instant::now() + self.pause);
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        }
        self.tell(result.err());
    }

    fn tell(&mut self, failure: Option<OtherSoundError>) {
        let was_told = std::mem::replace(&mut self.is_failure_told, failure.is_some());
        let Some(error) = failure.filter(|_| !was_told) else { return };
        let error: &dyn std::error::Error = &error;
        match self.is_quieter {
            true => tracing::warn!(error, "the volume of other programs was not lowered"),
            false => tracing::warn!(
                error,
                "the volume of other programs was not restored, and will be tried again"
            ),
        }
    }
}

/// Returns `true` unless something is left to restore.
async fn change(other_sound: &Arc<dyn OtherSound>, is_quieter: bool) -> Result<bool, OtherSoundError> {
    let other_sound = Arc::clone(other_sound);
    let changing = tokio::task::spawn_blocking(move || match is_quieter {
        true => other_sound.lower().map(|()| true),
        false => other_sound.restore(),
    });
    changing.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::Settings;
    use vocabulary::{AssistantState, ReplyId};

    use super::*;

    /// Counts what is asked of it.
    struct WatchedSound {
        seen: watch::Sender<Seen>,
        /// The answer to the first call of `restore`.
        first_answer: fn() -> Result<bool, OtherSoundError>,
    }

    #[derive(Default)]
    struct Seen {
        /// Nothing is known at first.
        is_quieter: Option<bool>,
        lowered: usize,
        restored: usize,
    }

    impl OtherSound for WatchedSound {
        fn lower(&self) -> Result<(), OtherSoundError> {
            self.seen.send_modify(|seen| {
                seen.is_quieter = Some(true);
                seen.lowered += 1;
            });
            Ok(())
        }

        fn restore(&self) -> Result<bool, OtherSoundError> {
            self.seen.send_modify(|seen| {
                seen.is_quieter = Some(false);
                seen.restored += 1;
            });
            if self.seen.borrow().restored == 1 { (self.first_answer)() } else { Ok(true) }
        }
    }

    /// The task, and all that it follows.
    struct Fixture {
        seen: watch::Receiver<Seen>,
        setting: watch::Sender<bool>,
        events: broadcast::Sender<AssistantEvent>,
        stop: CancellationToken,
        task: tokio::task::JoinHandle<()>,
    }

    impl Fixture {
        fn new(is_on: bool) -> Self {
            Self::with(is_on, || Ok(true))
        }

        fn with(is_on: bool, first_answer: fn() -> Result<bool, OtherSoundError>) -> Self {
            let (sound, seen) = watch::channel(Seen::default());
            let (setting, is_on) = watch::channel(is_on);
            let (events, observed) = broadcast::channel(8);
            let config = ListeningConfig::try_from(&Settings::default()).unwrap();
            let inputs = DuckingInputs {
                other_sound: Arc::new(WatchedSound { seen: sound, first_answer }),
                is_on,
                events: observed,
                listening: watch::channel(config).1,
            };
            let stop = CancellationToken::new();
            let task = tokio::spawn(run(inputs, stop.clone()));
            Self { seen, setting, events, stop, task }
        }

        async fn becomes_quieter(&mut self, expected: bool) {
            self.until(|seen| seen.is_quieter == Some(expected)).await;
        }

        async fn until(&mut self, is_so: impl FnMut(&Seen) -> bool) {
            let became = self.seen.wait_for(is_so);
            tokio::time::timeout(Duration::from_secs(20), became).await.unwrap().unwrap();
        }
    }

    #[rstest]
    #[case::speech_ends(|fixture: &Fixture| {
        fixture.events.send(AssistantEvent::State(AssistantState::Idle)).unwrap();
    })]
    #[case::setting_is_switched_off(|fixture: &Fixture| {
        fixture.setting.send_replace(false);
    })]
    #[case::program_ends(|fixture: &Fixture| fixture.stop.cancel())]
    #[case::no_more_words_come(|_: &Fixture| {})]
    #[tokio::test(start_paused = true)]
    async fn other_programs_are_quieter_while_we_are_called_until(#[case] end: fn(&Fixture)) {
        let mut fixture = Fixture::new(true);
        // What a run before left quieter.
        fixture.becomes_quieter(false).await;

        fixture.events.send(partial("Jarvis, what")).unwrap();
        fixture.becomes_quieter(true).await;
        end(&fixture);

        fixture.becomes_quieter(false).await;
        fixture.stop.cancel();
        fixture.task.await.unwrap();
    }

    #[rstest]
    #[case::off(false, 0)]
    #[case::on(true, 1)]
    #[tokio::test]
    async fn other_programs_are_left_alone_while_the_setting_is_off(
        #[case] is_on: bool,
        #[case] expected: usize,
    ) {
        let Fixture { seen, setting: _setting, events, stop: _stop, task } = Fixture::new(is_on);
        events.send(partial("Jarvis, what")).unwrap();
        drop(events);

        task.await.unwrap();

        assert_eq!(seen.borrow().lowered, expected);
    }

    #[rstest]
    #[case::program_plays_nothing(|| -> Result<bool, OtherSoundError> { Ok(false) })]
    #[case::failure(|| -> Result<bool, OtherSoundError> { Err(OtherSoundError::Refused { reason: "busy".to_owned() }) })]
    #[tokio::test(start_paused = true)]
    async fn volume_that_was_not_restored_is_restored_later(
        #[case] first_answer: fn() -> Result<bool, OtherSoundError>,
    ) {
        let mut fixture = Fixture::with(true, first_answer);

        fixture.until(|seen| seen.restored == 2).await;

        tokio::time::sleep(Duration::from_secs(600)).await;
        assert_eq!(fixture.seen.borrow().restored, 2, "nothing is left to restore");
    }

    fn partial(text: &str) -> AssistantEvent {
        AssistantEvent::Partial { utterance: UtteranceId(1), text: text.to_owned() }
    }

    fn asked(origin: Origin) -> AssistantEvent {
        let text = "what time is it".to_owned();
        AssistantEvent::Asked { reply: ReplyId(1), text, origin, replaces_previous: false }
    }

    #[test]
    fn talk_in_the_room_is_not_to_us() {
        let wake_word = WakeWord::new("Jarvis", &[], 0.8);
        let mut address = Address::default();
        let window = AssistantEvent::HotWindowOpened { lasts: Duration::from_secs(3) };
        let overheard = |utterance| AssistantEvent::Overheard {
            utterance: UtteranceId(utterance),
            text: "I told Jarvis.".into(),
            is_echo: false,
        };

        let events = [
            AssistantEvent::State(AssistantState::Listening),
            partial("did you see"),
            partial("did you see Jarvis"),
            overheard(0),
            overheard(1),
            window,
            AssistantEvent::State(AssistantState::Listening),
            AssistantEvent::HotWindowClosed,
            partial("Jarvis"),
            asked(Origin::Satellite),
            asked(Origin::Voice),
            partial("Jarvis"),
            AssistantEvent::HotWindowOpened { lasts: Duration::from_secs(3) },
            AssistantEvent::HotWindowClosed,
            AssistantEvent::TalkKey { is_listening: true },
            AssistantEvent::TalkKey { is_listening: false },
        ];
        let to_us = events.map(|event| {
            address.follow(&event, &wake_word, Instant::now());
            address.is_to_us()
        });

        assert_eq!(to_us[..5], [false, false, true, true, false], "words with the name");
        assert_eq!(to_us[5..8], [true, true, false], "the window");
        assert_eq!(to_us[8..11], [true, true, false], "a request at a satellite is of somebody else");
        assert_eq!(to_us[11..], [true, true, false, true, false], "a window opens after the words");
    }
}
