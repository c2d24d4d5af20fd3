//! The events of listening, and what the coordinator makes of them.

use std::time::Instant;

use languages::messages::Messages;
use listening::{HotWindowChange, ListeningEvent};
use speaking::Earcon;
use vocabulary::{AssistantEvent, Language, Origin, ReplyId, Stage, TalkOrder, VoiceMatch};

use super::{Coordinator, UnnamedQuery};
use crate::replies::Heard;

impl Coordinator {
    pub(super) async fn attend_to(&mut self, heard: ListeningEvent) {
        let may_end_listening = !matches!(
            heard,
            ListeningEvent::Level { .. } | ListeningEvent::Partial { .. } | ListeningEvent::QueryExpected
        );
        match heard {
            ListeningEvent::SpeechStarted => {
                tracing::info!("somebody began to speak");
                self.activity.somebody_speaks = true;
            }
            ListeningEvent::SpeechEnded => self.activity.somebody_speaks = false,
            ListeningEvent::Partial { utterance, text } => {
                self.note_recovery(Stage::Recognition);
                self.send(AssistantEvent::Partial { utterance, text });
            }
            ListeningEvent::QueryExpected => self.inputs.expected.notify_one(),
            ListeningEvent::Directed { query: text, language, continues_previous, ended_at, voice } => {
                let replaces_previous = continues_previous;
                let said = UnnamedQuery { text, language, origin: Origin::Voice, replaces_previous };
                self.hear_query(said, ended_at, voice).await;
            }
            ListeningEvent::WakeWordOnly => {
                self.activity.somebody_speaks = false;
                self.inputs.expected.notify_one();
                self.inputs.speech_output.signal(Earcon::Listening);
            }
            ListeningEvent::Stop => {
                self.activity.somebody_speaks = false;
                self.end_foreground().await;
                self.inputs.ringer.stop_sounding().await;
            }
            ListeningEvent::Overheard { utterance, text, is_echo } => {
                self.activity.somebody_speaks = false;
                tracing::info!(is_echo, "something was overheard");
                self.send(AssistantEvent::Overheard { utterance, text, is_echo });
            }
            ListeningEvent::Level { dbfs } => self.send(AssistantEvent::Level { dbfs }),
            ListeningEvent::HotWindow(change) => self.follow_hot_window(change),
            ListeningEvent::Trouble(trouble) => {
                if self.activity.somebody_speaks {
                    self.inputs.speech_output.signal(Earcon::Failed);
                }
                self.note_trouble(trouble);
            }
            ListeningEvent::Recovered(stage) => self.note_recovery(stage),
        }
        if may_end_listening && !self.activity.is_hot && !self.activity.somebody_speaks {
            self.talk_key.is_done();
        }
    }

    /// Takes spoken words as the answer to the open question, or else begins a reply to them.
    async fn hear_query(&mut self, said: UnnamedQuery, ended_at: Instant, voice: VoiceMatch) {
        self.activity.somebody_speaks = false;
        self.note_recovery(Stage::Recognition);
        match self.inputs.replies.answer_aloud(&said.text, voice) {
            Heard::Answered => {}
            Heard::NeedsHand(reply) => self.ask_for_a_hand(reply, said.language.as_ref()).await,
            Heard::NoAnswer => {
                self.begin_reply(said, ended_at).await;
            }
        }
        self.inputs.speech_output.signal(Earcon::Accepted);
    }

    /// Says that a question waits for a key or a click.
    async fn ask_for_a_hand(&self, reply: ReplyId, language: Option<&Language>) {
        tracing::info!("a spoken yes does not allow this call");
        let sentences = Messages::for_language(language);
        let (text, language) = (sentences.permission_by_hand(), sentences.language());
        // Without a voice the buttons say it.
        let _ = self.inputs.speech_output.say(reply, text, Some(language)).await;
        // The reply says nothing before the question is answered.
        self.inputs.speech_output.pause(reply).await;
    }

    fn follow_hot_window(&mut self, change: HotWindowChange) {
        match change {
            HotWindowChange::Opened(lasts) => {
                tracing::info!("the hot window opened");
                self.activity.is_hot = true;
                self.send(AssistantEvent::HotWindowOpened { lasts });
            }
            HotWindowChange::Closed => {
                tracing::info!("the hot window closed");
                self.activity.is_hot = false;
                self.send(AssistantEvent::HotWindowClosed);
                // The key is held for too long to be true: its release was lost, and hearing must not wait for it.
                if self.talk_key.is_held() {
                    self.talk_key.reset();
                    self.talk_orders.push_back(TalkOrder::Release);
                }
            }
        }
    }
}
