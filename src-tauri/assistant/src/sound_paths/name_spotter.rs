//! Hears the name of the assistant in a stream of sound.

use std::time::{Duration, Instant};

use listening::WakeWord;
use tokio::sync::{mpsc, watch};
use vocabulary::{HearingEvent, Trouble, UtteranceId};

use crate::sound_paths::stream_hearing::{SoundStream, StreamHearing, StreamRefused};

/// Names that wait to be read. A reader that is further behind misses some: the first ones tell it enough.
const SPOTTED: usize = 8;

/// A name that was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpottedName {
    /// One of the names asked for, else one of the assistant, in lower case.
    pub name: String,
    /// The place in the stream where the utterance with the name begins.
    pub at: Duration,
}

/// Hears a name in a stream of sound. Dropping it ends that.
pub struct NameSpotter {
    sound: SoundStream,
    spotted: mpsc::Receiver<Result<SpottedName, Trouble>>,
}

impl NameSpotter {
    /// Listens for these names, or for all of the assistant where they are none.
    ///
    /// # Errors
    ///
    /// [`StreamRefused`]; then nothing is heard.
    pub(crate) fn open(
        hearing: &StreamHearing,
        names: &[String],
        rate_hz: u32,
    ) -> Result<Self, StreamRefused> {
        let wake_word = hearing.listening.borrow().wake_word.called(names);
        let wake_word = wake_word.ok_or(StreamRefused::UnknownName)?;
        // Nothing of ours is played there: the last value can still be read once its sender is gone.
        let (sound, heard) = hearing.open(rate_hz, watch::channel(false).1, watch::channel(false).1)?;
        let (sender, spotted) = mpsc::channel(SPOTTED);
        let names = names.iter().map(|name| name.trim().to_lowercase()).collect();
        let search = Search { wake_word, names, started_at: sound.started_at(), current: None, last: None };
        hearing.tasks.spawn(search.run(heard, sender));
        Ok(Self { sound, spotted })
    }

    /// Adds mono samples of the stream. Waits while recognition is behind.
    pub async fn push(&mut self, samples: &[f32]) {
        self.sound.push(samples).await;
    }

    /// No more sound follows.
    pub fn finish(&mut self) {
        self.sound.finish();
    }

    /// The next name; each utterance gives one at most, and the reason why recognition fails comes in place of names. `None`
    /// when all sound before [`NameSpotter::finish`] is decoded. Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<SpottedName, Trouble>> {
        self.spotted.recv().await
    }
}

/// The search for the name in the words of a stream.
struct Search {
    wake_word: WakeWord,
    /// The names asked for, in lower case.
    names: Vec<String>,
    started_at: Instant,
    /// The utterance that is being said, and its start.
    current: Option<(UtteranceId, Instant)>,
    /// The last utterance with the name.
    last: Option<UtteranceId>,
}

impl Search {
    /// Reads all events, so that hearing never waits.
    async fn run(
        mut self,
        mut heard: mpsc::Receiver<HearingEvent>,
        spotted: mpsc::Sender<Result<SpottedName, Trouble>>,
    ) {
        while let Some(event) = heard.recv().await {
            let found = match event {
                HearingEvent::SpeechStarted { utterance, at } => {
                    self.current = Some((utterance, at));
                    None
                }
                HearingEvent::Partial { utterance, text } => self.search(utterance, &text, None).map(Ok),
                HearingEvent::Heard(utterance) => {
                    self.search(utterance.id, &utterance.text, Some(utterance.started_at)).map(Ok)
                }
                HearingEvent::Trouble(trouble) => Some(Err(trouble)),
                _ => None,
            };
            if let Some(found) = found {
                // A reader that is behind knows enough.
                let _ = spotted.try_send(found);
            }
        }
    }

    fn search(&mut self, id: UtteranceId, text: &str, started_at: Option<Instant>) -> Option<SpottedName> {
        if self.last == Some(id) {
            return None;
        }
        let found = self.wake_word.name_in(&text.to_lowercase())?;
        self.last = Some(id);
        let current = self.current.filter(|(current, _)| *current == id).map(|(_, at)| at);
        let started_at = started_at.or(current).unwrap_or(self.started_at);
        let is_asked_for = self.names.is_empty() || self.names.iter().any(|name| name == found);
        let name = if is_asked_for { found } else { self.wake_word.name() };
        Some(SpottedName { name: name.to_owned(), at: started_at.saturating_duration_since(self.started_at) })
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::{Utterance, VoiceMatch};

    use super::*;

    fn search(names: &[&str]) -> Search {
        Search {
            wake_word: WakeWord::new("jarvis", &["jervis".to_owned()], 0.78),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            started_at: Instant::now(),
            current: None,
            last: None,
        }
    }

    async fn spotted(search: Search, events: Vec<HearingEvent>) -> Vec<Result<SpottedName, Trouble>> {
        let (heard, to_search) = mpsc::channel(EVENTS_OF_A_TEST);
        let (sender, mut spotted) = mpsc::channel(SPOTTED);
        for event in events {
            heard.send(event).await.unwrap();
        }
        drop(heard);
        search.run(to_search, sender).await;
        std::iter::from_fn(|| spotted.try_recv().ok()).collect()
    }

    const EVENTS_OF_A_TEST: usize = 8;

    fn partial(id: u64, text: &str) -> HearingEvent {
        HearingEvent::Partial { utterance: UtteranceId(id), text: text.to_owned() }
    }

    fn heard(id: u64, text: &str, at: Instant) -> HearingEvent {
        HearingEvent::Heard(Utterance {
            id: UtteranceId(id),
            text: text.to_owned(),
            language: None,
            started_at: at,
            ended_at: at,
            energy_rms: 0.1,
            echo_share: 0.0,
            confidence: 0.9,
            voice: VoiceMatch::NotJudged,
        })
    }

    #[tokio::test]
    async fn name_is_told_once_for_each_utterance_while_it_is_said() {
        let search = search(&[]);
        let at = search.started_at + Duration::from_secs(2);
        let events = vec![
            heard(0, "what time is it", at),
            HearingEvent::SpeechStarted { utterance: UtteranceId(1), at },
            partial(1, "Jarvis"),
            partial(1, "Jarvis what"),
            heard(1, "Jarvis, what time is it?", at),
            heard(2, "Jervis, stop", at + Duration::from_secs(1)),
        ];

        let spotted = spotted(search, events).await;

        let name = |name: &str, secs| SpottedName { name: name.into(), at: Duration::from_secs(secs) };
        assert_eq!(spotted, [Ok(name("jarvis", 2)), Ok(name("jervis", 3))]);
    }

    #[tokio::test]
    async fn other_spelling_counts_as_the_name_that_was_asked_for() {
        let search = search(&["jarvis"]);
        let at = search.started_at;

        let spotted = spotted(search, vec![heard(0, "Jervis, stop", at)]).await;

        assert_eq!(spotted, [Ok(SpottedName { name: "jarvis".into(), at: Duration::ZERO })]);
    }
}
