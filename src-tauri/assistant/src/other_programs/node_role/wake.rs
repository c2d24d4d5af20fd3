//! Registers a conversation when the user calls us, so that the Command Center has read the tools when the query is there.

use listening::{ListeningConfig, WakeWord};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{AssistantEvent, SpeechEvent, UtteranceId};

use super::NodeRole;

/// Runs until `stop` is cancelled. An event that is missed costs time, nothing else.
pub(crate) async fn follow_wake(
    role: NodeRole,
    mut events: broadcast::Receiver<AssistantEvent>,
    config: watch::Receiver<ListeningConfig>,
    stop: CancellationToken,
) {
    let mut calls = Calls::default();
    while let Some(event) = stop.run_until_cancelled(events.recv()).await {
        match event {
            Ok(AssistantEvent::Speech(
                SpeechEvent::Finished { reply, at } | SpeechEvent::Interrupted { reply, at },
            )) => role.conversations.voice_ended(reply, at),
            Ok(event) if calls.begins(&event, &config.borrow().wake_word) => role.prepare(),
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

/// The calls by name or key, each noticed once.
#[derive(Default)]
struct Calls {
    /// The utterance with the newest call by name.
    utterance: Option<UtteranceId>,
}

impl Calls {
    /// Returns `true` if the user calls us now: the name is heard in an utterance that is still spoken, or the key is pressed.
    fn begins(&mut self, event: &AssistantEvent, wake_word: &WakeWord) -> bool {
        match event {
            AssistantEvent::TalkKey { is_listening } => *is_listening,
            AssistantEvent::Partial { utterance, text } => {
                let is_new = self.utterance != Some(*utterance) && wake_word.is_in(&text.to_lowercase());
                if is_new {
                    self.utterance = Some(*utterance);
                }
                is_new
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partial(utterance: u64, text: &str) -> AssistantEvent {
        AssistantEvent::Partial { utterance: UtteranceId(utterance), text: text.to_owned() }
    }

    #[test]
    fn each_call_is_noticed_once() {
        let wake_word = WakeWord::new("Jarvis", &[], 0.8);
        let mut calls = Calls::default();

        let heard = [
            partial(1, "did you see"),
            partial(1, "did you see the rain"),
            partial(2, "Jarvis"),
            partial(2, "Jarvis, what time"),
            partial(3, "and then, Jarvis,"),
            AssistantEvent::TalkKey { is_listening: true },
            AssistantEvent::TalkKey { is_listening: false },
            AssistantEvent::HotWindowClosed,
        ];

        let noticed = heard.map(|event| calls.begins(&event, &wake_word));
        assert_eq!(noticed, [false, false, true, false, true, true, false, false]);
    }
}
