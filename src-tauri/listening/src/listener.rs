//! The task that listens: what was heard in, what was meant for us out.

use std::time::Instant;

use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{HearingEvent, Language, SpeechEvent, Stage, TalkOrder, Trouble, UtteranceId};

use crate::attention::{Attention, HotWindowChange, Verdict};
use crate::config::ListeningConfig;

/// What the listener makes of the room.
#[derive(Debug, Clone, PartialEq)]
pub enum ListeningEvent {
    /// Somebody began to speak.
    SpeechStarted,
    /// Speech ended without words.
    SpeechEnded,
    /// Words so far, for the screen.
    Partial {
        /// The utterance they belong to.
        utterance: UtteranceId,
        /// All words so far.
        text: String,
    },
    /// Something was asked of us.
    Directed {
        /// What, without our name.
        query: String,
        /// In which language.
        language: Option<Language>,
        /// The user went on speaking: it begins with the words of the query before, which it replaces.
        continues_previous: bool,
        /// When the words ended: latency counts from here.
        ended_at: Instant,
    },
    /// Our name and nothing else: the user waits for us to listen.
    Called,
    /// A command to fall silent.
    Stop,
    /// Not meant for us, or our own voice.
    Overheard {
        /// The utterance.
        utterance: UtteranceId,
        /// Its words.
        text: String,
        /// It was our own voice.
        is_echo: bool,
    },
    /// How loud the room is, in decibels relative to full scale.
    Level {
        /// `0.0` is the loudest possible.
        dbfs: f32,
    },
    /// The hot window opened or closed.
    HotWindow(HotWindowChange),
    /// Recognition went wrong.
    Trouble(Trouble),
    /// Recognition works again.
    Recovered(Stage),
}

/// What happened outside of hearing that decides whether the next words need our name. Counters, so that a reader who
/// comes late misses nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DoorState {
    /// How many queries were accepted that were not spoken.
    pub queries_accepted: u64,
    /// How many questions the assistant asked; their answers need no name.
    pub questions_asked: u64,
}

/// What the listener runs on.
pub struct ListenerInputs {
    /// What is heard.
    pub heard: mpsc::Receiver<HearingEvent>,
    /// What our own voice does.
    pub speech: broadcast::Receiver<SpeechEvent>,
    /// What happened at the doors.
    pub doors: watch::Receiver<DoorState>,
    /// The settings; changes apply at once.
    pub config: watch::Receiver<ListeningConfig>,
    /// Where the events go. When it is full the listener waits: queries are never dropped.
    pub events: mpsc::Sender<ListeningEvent>,
}

/// Listens until `stop` is cancelled. When hearing ends, what is under way is still brought to its end: a hot window that
/// is open closes. Never waits for a reply.
///
/// Not cancel-safe: end it with `stop`, for a drop can lose the utterance being handed on.
pub async fn run(mut inputs: ListenerInputs, stop: CancellationToken) {
    let mut attention = Attention::new(inputs.config.borrow().clone());
    let mut known = *inputs.doors.borrow_and_update();
    let mut has_hearing_ended = false;
    loop {
        match next_event(&mut inputs, &attention, &mut known, has_hearing_ended, &stop).await {
            Event::HearingEnded => has_hearing_ended = true,
            Event::Heard(heard) => attend_to(&mut attention, heard, &inputs.events).await,
            Event::Spoken(speech) => follow_own_voice(&mut attention, speech),
            Event::Door { before, now } => {
                if before.queries_accepted != now.queries_accepted {
                    tell_change(attention.query_accepted(Instant::now()), &inputs.events).await;
                }
                if before.questions_asked != now.questions_asked {
                    tell_change(Some(attention.await_query(Instant::now())), &inputs.events).await;
                }
            }
            Event::Tick => tell_change(attention.tick(Instant::now()), &inputs.events).await,
            Event::Configured => {
                let config = inputs.config.borrow_and_update().clone();
                attention.configure(config);
            }
            Event::Missed => {}
            Event::Stopped => return,
        }
    }
}

enum Event {
    Heard(HearingEvent),
    HearingEnded,
    Spoken(SpeechEvent),
    Door {
        before: DoorState,
        now: DoorState,
    },
    Tick,
    Configured,
    /// Events of our voice were lost: what comes next says all that counts.
    Missed,
    Stopped,
}

async fn next_event(
    inputs: &mut ListenerInputs,
    attention: &Attention,
    known: &mut DoorState,
    has_hearing_ended: bool,
    stop: &CancellationToken,
) -> Event {
    let tick = attention.next_tick().map(tokio::time::Instant::from_std);
    tokio::select! {
        biased; // Shutdown first; our own voice before what was heard, so that its echo is known as such.
        () = stop.cancelled() => Event::Stopped,
        speech = inputs.speech.recv() => match speech {
            Ok(speech) => Event::Spoken(speech),
            Err(broadcast::error::RecvError::Lagged(_)) => Event::Missed,
            Err(broadcast::error::RecvError::Closed) => Event::Stopped,
        },
        Ok(()) = inputs.doors.changed() => {
            let now = *inputs.doors.borrow_and_update();
            Event::Door { before: std::mem::replace(known, now), now }
        }
        Ok(()) = inputs.config.changed() => Event::Configured,
        heard = inputs.heard.recv(), if !has_hearing_ended => heard.map_or(Event::HearingEnded, Event::Heard),
        () = tokio::time::sleep_until(tick.unwrap_or_else(tokio::time::Instant::now)), if tick.is_some() => Event::Tick,
    }
}

fn follow_own_voice(attention: &mut Attention, speech: SpeechEvent) {
    match speech {
        SpeechEvent::Started { at, .. } => attention.speech_started(at),
        SpeechEvent::Sentence { text, at, lasts, .. } => attention.sentence_spoken(&text, at, lasts),
        SpeechEvent::Finished { at, .. } => {
            attention.speech_finished(at);
        }
        SpeechEvent::Interrupted { at, .. } => attention.speech_interrupted(at),
    }
}

async fn attend_to(attention: &mut Attention, heard: HearingEvent, events: &mpsc::Sender<ListeningEvent>) {
    let event = match heard {
        HearingEvent::SpeechStarted { .. } => ListeningEvent::SpeechStarted,
        HearingEvent::Nothing { .. } => ListeningEvent::SpeechEnded,
        HearingEvent::Partial { utterance, text } => ListeningEvent::Partial { utterance, text },
        HearingEvent::Trouble(trouble) => ListeningEvent::Trouble(trouble),
        HearingEvent::Recovered(stage) => ListeningEvent::Recovered(stage),
        HearingEvent::TalkKey(order) => {
            let now = Instant::now();
            let change = match order {
                TalkOrder::Hold => Some(attention.hold(now)),
                TalkOrder::Listen => Some(attention.await_query(now)),
                TalkOrder::Finish | TalkOrder::Release => {
                    attention.let_go(now);
                    None
                }
                TalkOrder::Discard => attention.throw_away(now),
            };
            tell_change(change, events).await;
            return;
        }
        HearingEvent::Level { dbfs } => {
            // A level is only for the eye: when nobody keeps up, the next one will do.
            let _ = events.try_send(ListeningEvent::Level { dbfs });
            return;
        }
        HearingEvent::Heard(utterance) => {
            let now = Instant::now();
            match attention.judge(&utterance, now) {
                Verdict::Directed { query, continues_previous } => {
                    tell_change(attention.query_accepted(now), events).await;
                    ListeningEvent::Directed {
                        query,
                        language: utterance.language,
                        continues_previous,
                        ended_at: utterance.ended_at,
                    }
                }
                Verdict::Called => {
                    tell_change(Some(attention.await_query(now)), events).await;
                    ListeningEvent::Called
                }
                Verdict::Stop => ListeningEvent::Stop,
                verdict @ (Verdict::Echo | Verdict::Overheard) => ListeningEvent::Overheard {
                    utterance: utterance.id,
                    text: utterance.text,
                    is_echo: verdict == Verdict::Echo,
                },
            }
        }
    };
    tell(event, events).await;
}

async fn tell_change(change: Option<HotWindowChange>, events: &mpsc::Sender<ListeningEvent>) {
    if let Some(change) = change {
        tell(ListeningEvent::HotWindow(change), events).await;
    }
}

async fn tell(event: ListeningEvent, events: &mpsc::Sender<ListeningEvent>) {
    // A closed channel means that the assistant is going: nobody is left to tell.
    let _ = events.send(event).await;
}

#[cfg(test)]
mod tests {
    use settings::ListeningSettings;

    use super::*;

    #[tokio::test]
    async fn a_hot_window_closes_after_hearing_ended() {
        let (heard, to_listener) = mpsc::channel(1);
        let (_voice, speech) = broadcast::channel(1);
        let (door, doors) = watch::channel(DoorState::default());
        let config = ListeningConfig::try_from(&ListeningSettings::default()).unwrap();
        let (_settings, config) = watch::channel(config);
        let (events, mut told) = mpsc::channel(8);
        let inputs = ListenerInputs { heard: to_listener, speech, doors, config, events };
        tokio::spawn(run(inputs, CancellationToken::new()));

        heard.send(HearingEvent::TalkKey(TalkOrder::Listen)).await.unwrap();
        let opened = told.recv().await;
        drop(heard);
        door.send_modify(|state| state.queries_accepted += 1);

        assert!(matches!(opened, Some(ListeningEvent::HotWindow(HotWindowChange::Opened(_)))));
        assert_eq!(told.recv().await, Some(ListeningEvent::HotWindow(HotWindowChange::Closed)));
    }
}
