//! Makes other programs quieter while somebody speaks to us.

use std::sync::Arc;

use audio::{OtherSound, OtherSoundError};
use listening::{ListeningConfig, WakeWord};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{AssistantEvent, UtteranceId};

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
    // A run before may have ended too early.
    let mut is_quieter = true;
    let (mut has_ended, mut is_failure_told) = (false, false);
    loop {
        let is_wanted = *is_on.borrow_and_update() && address.is_to_us() && !has_ended;
        if is_wanted != is_quieter {
            is_quieter = is_wanted;
            let failure = change(&other_sound, is_quieter).await.err();
            if let Some(error) = failure.filter(|_| !std::mem::replace(&mut is_failure_told, true)) {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "the volume of other programs was not changed");
            }
        }
        if has_ended {
            return;
        }
        tokio::select! {
            biased; // Shutdown first: events may never end.
            () = stop.cancelled() => has_ended = true,
            Ok(()) = is_on.changed() => {}
            event = events.recv() => match event {
                Ok(event) => address.follow(&event, &listening.borrow().wake_word),
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
    /// The utterance with our name, while it is spoken.
    called_in: Option<UtteranceId>,
}

impl Address {
    fn is_to_us(&self) -> bool {
        self.is_window_open || self.is_key_pressed || self.called_in.is_some()
    }

    fn follow(&mut self, event: &AssistantEvent, wake_word: &WakeWord) {
        match event {
            AssistantEvent::HotWindowOpened { .. } => self.is_window_open = true,
            AssistantEvent::HotWindowClosed => self.is_window_open = false,
            AssistantEvent::TalkKey { is_listening } => self.is_key_pressed = *is_listening,
            AssistantEvent::Partial { utterance, text } if wake_word.is_in(&text.to_lowercase()) => {
                self.called_in = Some(*utterance);
            }
            AssistantEvent::Overheard { utterance, .. } => {
                self.called_in.take_if(|called_in| called_in == utterance);
            }
            // It changed when the speech began, and changes again when that is over.
            AssistantEvent::State(_) | AssistantEvent::Asked { .. } => self.called_in = None,
            _ => {}
        }
    }
}

async fn change(other_sound: &Arc<dyn OtherSound>, is_quieter: bool) -> Result<(), OtherSoundError> {
    let other_sound = Arc::clone(other_sound);
    let changing = tokio::task::spawn_blocking(move || match is_quieter {
        true => other_sound.lower(),
        false => other_sound.restore(),
    });
    changing.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rstest::rstest;
    use settings::Settings;
    use vocabulary::AssistantState;

    use super::*;

    /// Remembers if other programs are quieter; nothing is known at first.
    struct WatchedSound(watch::Sender<Option<bool>>);

    impl OtherSound for WatchedSound {
        fn lower(&self) -> Result<(), OtherSoundError> {
            self.0.send_replace(Some(true));
            Ok(())
        }

        fn restore(&self) -> Result<(), OtherSoundError> {
            self.0.send_replace(Some(false));
            Ok(())
        }
    }

    /// The task, and all that it follows.
    struct Fixture {
        quieter: watch::Receiver<Option<bool>>,
        setting: watch::Sender<bool>,
        events: broadcast::Sender<AssistantEvent>,
        stop: CancellationToken,
        task: tokio::task::JoinHandle<()>,
    }

    impl Fixture {
        fn new(is_on: bool) -> Self {
            let (sound, quieter) = watch::channel(None);
            let (setting, is_on) = watch::channel(is_on);
            let (events, observed) = broadcast::channel(8);
            let config = ListeningConfig::try_from(&Settings::default()).unwrap();
            let inputs = DuckingInputs {
                other_sound: Arc::new(WatchedSound(sound)),
                is_on,
                events: observed,
                listening: watch::channel(config).1,
            };
            let stop = CancellationToken::new();
            let task = tokio::spawn(run(inputs, stop.clone()));
            Self { quieter, setting, events, stop, task }
        }

        async fn becomes_quieter(&mut self, expected: bool) {
            let became = self.quieter.wait_for(|is_quieter| *is_quieter == Some(expected));
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
    #[tokio::test]
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

    #[tokio::test]
    async fn other_programs_are_left_alone_while_the_setting_is_off() {
        let fixture = Fixture::new(false);
        fixture.events.send(partial("Jarvis, what")).unwrap();

        fixture.stop.cancel();
        fixture.task.await.unwrap();

        assert_eq!(*fixture.quieter.borrow(), Some(false));
    }

    fn partial(text: &str) -> AssistantEvent {
        AssistantEvent::Partial { utterance: UtteranceId(1), text: text.to_owned() }
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
            AssistantEvent::TalkKey { is_listening: true },
            AssistantEvent::TalkKey { is_listening: false },
        ];
        let to_us = events.map(|event| {
            address.follow(&event, &wake_word);
            address.is_to_us()
        });

        assert_eq!(to_us, [false, false, true, true, false, true, true, false, true, false]);
    }
}
