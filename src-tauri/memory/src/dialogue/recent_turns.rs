//! The recent turns of each conversation and the queue of what is still to be written: plain values.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::watch;
use vocabulary::{ConversationId, DeliveryTrace, ReplyId, ReplyTrace};

use crate::forgetting::request::Forget;
use crate::records::messages::{CLOCK_SKEW_MICROS, MessageContent};
use crate::search::normalise::normalise;

/// Messages waiting to be written. When it is full, the disk has been failing for hundreds of messages: further ones stay in
/// memory only.
const MAX_QUEUED: usize = 1024;

/// Recent messages of one conversation.
pub(super) const MAX_TURNS: usize = 200;

/// The place where a message is stored, besides the recent turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Persistence {
    Written,
    Queued,
    /// The conversation is temporary, or the message could not be written.
    Nowhere,
}

/// A reply of this run, and how it was made.
pub(super) struct MadeReply {
    pub reply: ReplyId,
    pub trace: ReplyTrace,
}

/// A message in the recent turns.
pub(super) struct Turn {
    /// Unique in this run.
    pub id: u64,
    /// The reply that it is the text of, if it was made in this run.
    pub reply: Option<ReplyId>,
    pub content: MessageContent,
    pub channel: &'static str,
    pub persistence: Persistence,
}

/// Something to be done in the database.
#[derive(Clone)]
pub(super) enum Job {
    Write {
        turn: u64,
        conversation: ConversationId,
        channel: &'static str,
        content: MessageContent,
        /// The way the message was made.
        trace: Option<Arc<ReplyTrace>>,
    },
    NoteDelivery {
        turn: u64,
        conversation: ConversationId,
        /// The time of the message.
        at_micros: i64,
        delivery: DeliveryTrace,
    },
    Withdraw {
        conversation: ConversationId,
        since_micros: i64,
    },
}

/// The messages that were in the database at some moment, by time, and the number of withdrawals completed by then.
pub(super) struct Snapshot {
    written: HashMap<ConversationId, HashSet<i64>>,
    withdrawals: u64,
}

/// The recent turns of each conversation and the write queue.
pub(super) struct RecentTurns {
    conversations: HashMap<ConversationId, Vec<Turn>>,
    queue: VecDeque<(u64, Job)>,
    /// Length of the queue.
    queue_length: watch::Sender<usize>,
    next_id: u64,
    /// Completed withdrawals.
    withdrawals: u64,
}

impl RecentTurns {
    pub fn new(queue_length: watch::Sender<usize>) -> Self {
        Self {
            conversations: HashMap::new(),
            queue: VecDeque::new(),
            queue_length,
            next_id: 0,
            withdrawals: 0,
        }
    }

    pub fn of(&self, conversation: &ConversationId) -> impl Iterator<Item = &Turn> {
        self.conversations.get(conversation).into_iter().flatten()
    }

    /// Adds a message at the first free time that is not before the last message.
    pub fn add(
        &mut self,
        conversation: &ConversationId,
        channel: &'static str,
        mut content: MessageContent,
        made: Option<MadeReply>,
        is_recorded: bool,
    ) {
        let is_full = self.queue.len() >= MAX_QUEUED;
        if is_recorded && is_full {
            tracing::error!("a message was not written: too many are waiting for the disk");
        }
        let persistence = if is_recorded && !is_full { Persistence::Queued } else { Persistence::Nowhere };
        let id = self.new_id();
        let turns = self.conversations.entry(conversation.clone()).or_default();
        content.at_micros = free_time(turns, content.at_micros);
        let reply = made.as_ref().map(|made| made.reply);
        turns.push(Turn { id, reply, content: content.clone(), channel, persistence });
        if turns.len() > MAX_TURNS {
            turns.remove(0);
        }
        if persistence == Persistence::Queued {
            let (conversation, trace) = (conversation.clone(), made.map(|made| Arc::new(made.trace)));
            self.enqueue(Job::Write { turn: id, conversation, channel, content, trace });
        }
    }

    /// Queues the delivery of a reply to be written behind it. A reply that is not written down is left alone.
    pub fn note_delivery(&mut self, conversation: &ConversationId, reply: ReplyId, delivery: DeliveryTrace) {
        let is_meant = |turn: &&Turn| turn.reply == Some(reply) && turn.persistence != Persistence::Nowhere;
        let Some(turn) = self.of(conversation).find(is_meant) else { return };
        let (turn, at_micros) = (turn.id, turn.content.at_micros);
        if self.queue.len() < MAX_QUEUED {
            self.enqueue(Job::NoteDelivery { turn, conversation: conversation.clone(), at_micros, delivery });
        }
    }

    /// Removes what was said at or after a time, and queues its removal from the database. A message whose write has begun
    /// is removed by the queued job, which runs after it.
    pub fn withdraw(&mut self, conversation: &ConversationId, since_micros: i64) {
        let is_withdrawn = |content: &MessageContent| content.at_micros >= since_micros;
        if let Some(turns) = self.conversations.get_mut(conversation) {
            turns.retain(|turn| !is_withdrawn(&turn.content));
            if turns.is_empty() {
                self.conversations.remove(conversation);
            }
        }
        self.queue.retain(|(_, job)| match job {
            Job::Write { conversation: of, content, .. } => of != conversation || !is_withdrawn(content),
            Job::NoteDelivery { .. } | Job::Withdraw { .. } => true,
        });
        if conversation.is_temporary() {
            self.count();
        } else {
            self.enqueue(Job::Withdraw { conversation: conversation.clone(), since_micros });
        }
    }

    pub fn end_conversation(&mut self, conversation: &ConversationId) {
        self.conversations.remove(conversation);
    }

    /// Forgets messages that are in no database.
    pub fn forget_unwritten(&mut self, what: &Forget) {
        let phrase = match what {
            Forget::Words(words) => normalise(words),
            _ => String::new(),
        };
        let is_meant = |conversation: &ConversationId, content: &MessageContent| match what {
            Forget::Words(_) => !phrase.is_empty() && normalise(&content.text).contains(&phrase),
            Forget::Span(span) => span.contains(&content.at_micros),
            Forget::Conversation(of) => conversation.0 == *of,
            Forget::Items(_) | Forget::LastThing => false,
        };
        for (conversation, turns) in &mut self.conversations {
            turns.retain(|turn| {
                turn.persistence != Persistence::Nowhere || !is_meant(conversation, &turn.content)
            });
        }
    }

    /// The oldest job and its number.
    pub fn next_job(&self) -> Option<(u64, Job)> {
        self.queue.front().cloned()
    }

    /// Removes a job, unless it was withdrawn meanwhile.
    pub fn finish(&mut self, number: u64) {
        if let Some((_, Job::Withdraw { .. })) = self.queue.front().filter(|(next, _)| *next == number) {
            self.withdrawals += 1;
        }
        self.queue.retain(|(queued, _)| *queued != number);
        self.count();
    }

    /// Notes where a message is stored now, and its time there. It may be missing in the recent turns.
    pub fn set_persistence(
        &mut self,
        conversation: &ConversationId,
        turn: u64,
        persistence: Persistence,
        at_micros: i64,
    ) {
        let turns = self.conversations.get_mut(conversation).into_iter().flatten();
        if let Some(turn) = turns.into_iter().find(|known| known.id == turn) {
            turn.content.at_micros = at_micros;
            turn.persistence = persistence;
        }
        for (_, job) in &mut self.queue {
            if let Job::NoteDelivery { turn: of, at_micros: time, .. } = job
                && *of == turn
            {
                *time = at_micros;
            }
        }
    }

    /// Returns the state of the database. Taken before it is read.
    pub fn snapshot(&self) -> Snapshot {
        let times = |turns: &Vec<Turn>| {
            let written = turns.iter().filter(|turn| turn.persistence == Persistence::Written);
            written.map(|turn| turn.content.at_micros).collect()
        };
        let written = self.conversations.iter();
        Snapshot {
            written: written.map(|(conversation, turns)| (conversation.clone(), times(turns))).collect(),
            withdrawals: self.withdrawals,
        }
    }

    /// Replaces what the database held at the time of `before` with what was read since. Keeps messages that are not
    /// written, or were written meanwhile. Returns `false`, and changes nothing, when messages were withdrawn meanwhile:
    /// what was read may still contain them.
    pub fn replace(&mut self, read: Vec<(ConversationId, MessageContent)>, before: &Snapshot) -> bool {
        if self.withdrawals != before.withdrawals {
            return false;
        }
        let earlier = std::mem::take(&mut self.conversations);
        for (conversation, content) in read {
            if self.is_being_withdrawn(&conversation, &content) {
                continue;
            }
            let id = self.new_id();
            let turn = Turn { id, reply: None, content, channel: "", persistence: Persistence::Written };
            self.conversations.entry(conversation).or_default().push(turn);
        }
        for (conversation, mut turns) in earlier {
            let written = before.written.get(&conversation);
            let now = self.conversations.entry(conversation).or_default();
            turns.retain(|turn| {
                let was_written = written.is_some_and(|times| times.contains(&turn.content.at_micros));
                !was_written && !now.iter().any(|read| read.content == turn.content)
            });
            now.extend(turns);
            now.sort_by_key(|turn| turn.content.at_micros);
        }
        self.conversations.retain(|_, turns| !turns.is_empty());
        true
    }

    fn is_being_withdrawn(&self, conversation: &ConversationId, content: &MessageContent) -> bool {
        self.queue.iter().any(|(_, job)| match job {
            Job::Withdraw { conversation: of, since_micros } => {
                of == conversation && content.at_micros >= *since_micros
            }
            Job::Write { .. } | Job::NoteDelivery { .. } => false,
        })
    }

    fn enqueue(&mut self, job: Job) {
        let number = self.new_id();
        self.queue.push_back((number, job));
        self.count();
    }

    fn count(&self) {
        self.queue_length.send_replace(self.queue.len());
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }
}

/// The time of a new message: now, but after the message just before it, and a time that no other message has.
fn free_time(turns: &[Turn], now_micros: i64) -> i64 {
    let times = || turns.iter().map(|turn| turn.content.at_micros);
    let is_just_before = |at: &i64| (now_micros..=now_micros.saturating_add(CLOCK_SKEW_MICROS)).contains(at);
    let mut at_micros = times().filter(is_just_before).max().map_or(now_micros, |last| last + 1);
    while times().any(|time| time == at_micros) {
        at_micros += 1;
    }
    at_micros
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::messages::Participant;

    #[test]
    fn messages_said_while_the_database_is_read_are_kept() {
        let main = ConversationId::main();
        let mut turns = RecentTurns::new(watch::Sender::new(0));
        let content = |text: &str, at| MessageContent::new(Participant::User, text, at);
        let add = |turns: &mut RecentTurns, text: &str, at, persistence| {
            turns.add(&main, "", content(text, at), None, false);
            let id = turns.next_id;
            turns.set_persistence(&main, id, persistence, at);
            id
        };
        add(&mut turns, "forgotten", 1, Persistence::Written);
        add(&mut turns, "temporary", 2, Persistence::Nowhere);
        let being_written = add(&mut turns, "being written", 3, Persistence::Queued);
        add(&mut turns, "written and read", 4, Persistence::Queued);
        add(&mut turns, "kept", 9, Persistence::Written);
        let before = turns.snapshot();
        turns.set_persistence(&main, being_written, Persistence::Written, 3);
        add(&mut turns, "said meanwhile", 15, Persistence::Queued);
        let read = vec![(main.clone(), content("kept", 9)), (main.clone(), content("written and read", 4))];

        assert!(turns.replace(read, &before));

        let texts: Vec<&str> = turns.of(&main).map(|turn| turn.content.text.as_str()).collect();
        assert_eq!(texts, ["temporary", "being written", "written and read", "kept", "said meanwhile"]);
    }

    #[test]
    fn withdrawn_messages_do_not_come_back_with_a_reload() {
        let main = ConversationId::main();
        let mut turns = RecentTurns::new(watch::Sender::new(0));
        let content = |text: &str, at| MessageContent::new(Participant::User, text, at);
        let read = || vec![(main.clone(), content("early", 1)), (main.clone(), content("late", 5))];
        let before = turns.snapshot();
        turns.withdraw(&main, 5);

        let while_queued = turns.replace(read(), &before);
        let texts: Vec<String> = turns.of(&main).map(|turn| turn.content.text.0.clone()).collect();
        let (number, _) = turns.next_job().unwrap();
        turns.finish(number);

        assert!(while_queued);
        assert_eq!(texts, ["early"]);
        assert!(!turns.replace(read(), &before), "what was read before the withdrawal is outdated");
    }
}
