//! Replies, the way to the person at this machine, and the task that decides what happens next.

use std::sync::Arc;

use listening::ListeningConfig;
use parking_lot::Mutex;
use routing::{ChannelId, Channels};
use tokio::sync::{Notify, mpsc, watch};
use vocabulary::{AssistantState, Question, ReplyId, Trouble};

use super::context::Startup;
use super::sound::SoundLines;
use super::storage::Storage;
use crate::appointments::appointment_ringer::{AppointmentRinger, RingerHandle};
use crate::builder::AssistantBuilder;
use crate::command::Command;
use crate::coordinator::{self, CoordinatorInputs};
use crate::event_bus::EventBus;
use crate::other_programs::node_role::{NodeRole, follow_wake};
use crate::replies::{PersonChannel, ReplySessions};
use crate::sound_paths::ducking::{self, DuckingInputs};
use crate::sound_paths::voice::SpeechOutput;

/// The inputs of a conversation.
pub(super) struct ConversationInputs<'a> {
    pub storage: &'a Storage,
    /// Replies, and registers at a Command Center while the user speaks.
    pub node: NodeRole,
    pub speech_output: SpeechOutput,
    pub sound: SoundLines,
    pub commands: mpsc::Receiver<Command>,
    pub state: watch::Sender<AssistantState>,
}

/// A conversation under way, as doors reach it.
#[derive(Clone)]
pub(super) struct Conversation {
    pub events: EventBus,
    pub ringer: RingerHandle,
    pub foreground: watch::Receiver<Option<ReplyId>>,
    pub question: watch::Receiver<Option<Question>>,
    pub troubles: Arc<Mutex<Vec<Trouble>>>,
    /// Told when a query seems to follow.
    pub expected: Arc<Notify>,
}

impl Startup {
    /// Starts the coordinator, and lets appointments ring.
    pub fn open_conversation(
        &mut self,
        builder: &AssistantBuilder,
        inputs: ConversationInputs<'_>,
    ) -> Conversation {
        let ConversationInputs { storage, node, speech_output, sound, commands, state } = inputs;
        let events = EventBus::new();
        self.quieten_others(builder, &events, sound.listening.clone());
        let wake = follow_wake(node.clone(), events.observe(), sound.listening, self.stop.child_token());
        self.tasks.spawn(wake);
        let channels = Channels::default();
        let person = PersonChannel { events: events.clone(), speech_output: speech_output.clone() };
        let _person = channels.register(ChannelId::Person, Arc::new(person));
        let (dialogue, stop) = (storage.dialogue.clone(), self.stop.child_token());
        let replies = ReplySessions::new(Arc::new(node), channels, dialogue, events.clone(), stop);
        let ringer = AppointmentRinger {
            memory: storage.memory.clone(),
            clock: Arc::clone(&builder.clock),
            settings: self.changes.clone(),
            speech_output: speech_output.clone(),
            reply_ids: replies.ids(),
            events: events.clone(),
        };
        let ringer = self.open_ringer(ringer, builder.stays);
        let (foreground, question) = (replies.under_way(), replies.question());
        let troubles = Arc::new(Mutex::new(std::mem::take(&mut self.troubles)));
        let expected = Arc::new(Notify::new());
        let coordinator = CoordinatorInputs {
            replies,
            _person,
            spoken: speech_output.subscribe(),
            speech_output,
            ringer: ringer.clone(),
            commands,
            listened: sound.listened,
            capture: sound.capture_status,
            doors: sound.doors,
            talk_orders: sound.talk_orders,
            expected: Arc::clone(&expected),
            state,
            events: events.clone(),
            troubles: Arc::clone(&troubles),
        };
        self.tasks.spawn(coordinator::run(coordinator, self.stop.child_token()));
        Conversation { events, ringer, foreground, question, troubles, expected }
    }

    /// Makes other programs quieter while somebody speaks to us, if that is possible.
    fn quieten_others(
        &mut self,
        builder: &AssistantBuilder,
        events: &EventBus,
        listening: watch::Receiver<ListeningConfig>,
    ) {
        let Some(other_sound) = builder.other_sound.clone() else { return };
        let is_on = self.follow(|settings| Ok(settings.audio.quieten_others));
        let inputs = DuckingInputs { other_sound, is_on, events: events.observe(), listening };
        self.tasks.spawn(ducking::run(inputs, self.stop.child_token()));
    }
}
