//! `jarvis listen`: a recording instead of the microphone, a file instead of the speaker.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::settings::Folders;
use anyhow::{Context, bail};
use assistant::recordings::{Pace, WavLoudspeaker, WavMicrophone, read_wav};
use assistant::{Assistant, AssistantBuilder};
use vocabulary::{AssistantEvent, AssistantState, ReplyEvent, SpeechEvent};

use crate::owner;

/// Silence after the recording, so that its last utterance ends.
const SILENCE_AFTER: Duration = Duration::from_secs(2);

/// After the recording, this much time without activity means that nothing more will come.
const SETTLED: Duration = Duration::from_millis(1500);

/// Plays the recording to an assistant in this process and prints what it heard and answered.
pub(crate) async fn run(wav: PathBuf, out: PathBuf) -> anyhow::Result<()> {
    let microphone = Arc::new(WavMicrophone::new(&wav, Pace::RealTime, SILENCE_AFTER));
    read_wav(&wav).with_context(|| format!("{} cannot be played", wav.display()))?;
    let speaker = Arc::new(WavLoudspeaker::create(&out, Pace::RealTime)?);
    let folders = Folders::from_environment()?;
    let instance = owner::claim(&folders.data)?;
    let parts = AssistantBuilder::new(folders)
        .with_recording(microphone)
        .with_loudspeaker(speaker)
        .ready_first()
        .for_one_question();
    let assistant = Assistant::start(parts, instance).await?;
    let mut events = assistant.subscribe();
    assistant.open_microphone();

    let mut progress = Progress::default();
    while !progress.is_over() {
        let settled = tokio::time::sleep(SETTLED);
        tokio::select! {
            event = events.recv() => match event {
                Ok(event) => progress.observe(&event)?,
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                Err(tokio::sync::broadcast::error::RecvError::Closed) => break,
            },
            () = settled, if progress.may_be_over() => break,
            _ = tokio::signal::ctrl_c() => break,
        }
    }
    assistant.shut_down().await;
    if let Some(trouble) = progress.trouble {
        bail!("{trouble}");
    }
    match progress.missing_query(&wav) {
        Some(reason) => bail!(reason),
        None => Ok(()),
    }
}

/// The state of the assistant while it listens to a recording.
#[derive(Default)]
struct Progress {
    asked: usize,
    /// The name was heard and nothing after it.
    was_called: bool,
    recording_ended: bool,
    state: Option<AssistantState>,
    replies_open: usize,
    is_speaking: bool,
    trouble: Option<vocabulary::Trouble>,
}

impl Progress {
    fn observe(&mut self, event: &AssistantEvent) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        match event {
            AssistantEvent::Asked { text, .. } => {
                self.asked += 1;
                self.replies_open += 1;
                writeln!(out, "> {text}")?;
            }
            AssistantEvent::Overheard { text, is_echo: false, .. } => writeln!(out, "(overheard) {text}")?,
            AssistantEvent::Reply { event: ReplyEvent::Delta { text }, .. } => write!(out, "{text}")?,
            AssistantEvent::Reply { event: ReplyEvent::Failed(trouble), .. } => {
                self.trouble = Some(trouble.clone());
            }
            AssistantEvent::Reply { event: ReplyEvent::Done(_), .. } => {
                self.replies_open = self.replies_open.saturating_sub(1);
                writeln!(out)?;
            }
            AssistantEvent::Speech(speech) => {
                self.is_speaking =
                    matches!(speech, SpeechEvent::Started { .. } | SpeechEvent::Sentence { .. });
            }
            // Before the first request only the name opens the follow-up window.
            AssistantEvent::HotWindowOpened { .. } => self.was_called = true,
            AssistantEvent::State(state) => self.state = Some(*state),
            AssistantEvent::RecordingEnded => self.recording_ended = true,
            AssistantEvent::Trouble(trouble) => self.trouble = Some(trouble.clone()),
            AssistantEvent::Recovered(_) => self.trouble = None,
            _ => {}
        }
        out.flush()
    }

    /// Returns `true` if nothing is being recognised, answered or spoken as far as events tell.
    fn may_be_over(&self) -> bool {
        use AssistantState::{Listening, Speaking, Thinking};
        let is_busy = matches!(self.state, Some(Listening | Thinking | Speaking));
        self.recording_ended && self.replies_open == 0 && !self.is_speaking && !is_busy
    }

    /// The reason why there was no request; `None` after one.
    fn missing_query(&self, wav: &Path) -> Option<String> {
        let wav = wav.display();
        match (self.asked, self.was_called) {
            (0, true) => Some(format!("only the name was heard in {wav}: say a request after it")),
            (0, false) => Some(format!("nothing in {wav} was directed at Jarvis: say its name")),
            _ => None,
        }
    }

    /// Returns `true` if nothing more can come, since speech cannot be recognised.
    fn is_over(&self) -> bool {
        self.recording_ended
            && self.trouble.as_ref().is_some_and(|t| t.stage == vocabulary::Stage::Recognition)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::{Origin, ReplyId};

    use super::*;

    fn asked() -> AssistantEvent {
        AssistantEvent::Asked {
            reply: ReplyId(1),
            text: "what time is it?".into(),
            origin: Origin::Voice,
            replaces_previous: false,
        }
    }

    fn called() -> AssistantEvent {
        AssistantEvent::HotWindowOpened { lasts: Duration::from_secs(5) }
    }

    #[rstest]
    #[case::nothing(vec![], Some("nothing in order.wav was directed at Jarvis: say its name"))]
    #[case::name_alone(vec![called()], Some("only the name was heard in order.wav: say a request after it"))]
    #[case::name_and_request(vec![called(), asked()], None)]
    #[case::request(vec![asked(), called()], None)]
    fn recording_without_a_request_says_what_is_missing(
        #[case] events: Vec<AssistantEvent>,
        #[case] expected: Option<&str>,
    ) {
        let mut progress = Progress::default();

        for event in events {
            progress.observe(&event).unwrap();
        }

        assert_eq!(progress.missing_query(Path::new("order.wav")).as_deref(), expected);
    }
}
