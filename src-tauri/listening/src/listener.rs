//! The task that listens: what was heard in, what was meant for us out.

use std::time::Instant;

use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{HearingEvent, Language, SpeechEvent, Stage, Trouble, UtteranceId};

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
        /// It takes the place of the newest query.
        goes_on: bool,
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

/// What happens at the doors that attention has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoorEvent {
    /// A query was accepted at another door.
    QueryAccepted,
    /// The user pressed to talk: the next words need no name.
    Talk,
    /// The talk key is held: what is said until it is let go of needs no name.
    Hold,
    /// The talk key was let go of.
    LetGo,
    /// The user wants nothing any more: what is being said is thrown away.
    ThrowAway,
}

/// What the listener runs on.
pub struct ListenerInputs {
    /// What is heard.
    pub heard: mpsc::Receiver<HearingEvent>,
    /// What our own voice does.
    pub speech: broadcast::Receiver<SpeechEvent>,
    /// What happens at the doors.
    pub doors: mpsc::Receiver<DoorEvent>,
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
    let mut is_deaf = false;
    loop {
        match next_event(&mut inputs, &attention, is_deaf, &stop).await {
            Event::HearingEnded => is_deaf = true,
            Event::Heard(heard) => attend_to(&mut attention, heard, &inputs.events).await,
            Event::Spoken(speech) => follow_own_voice(&mut attention, speech),
            Event::Door(DoorEvent::QueryAccepted) => {
                tell_change(attention.query_accepted(Instant::now()), &inputs.events).await;
            }
            Event::Door(DoorEvent::Talk) => {
                tell_change(Some(attention.await_query(Instant::now())), &inputs.events).await;
            }
            Event::Door(DoorEvent::Hold) => {
                tell_change(Some(attention.hold(Instant::now())), &inputs.events).await;
            }
            Event::Door(DoorEvent::LetGo) => attention.let_go(Instant::now()),
            Event::Door(DoorEvent::ThrowAway) => {
                tell_change(attention.throw_away(Instant::now()), &inputs.events).await;
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
    Door(DoorEvent),
    Tick,
    Configured,
    /// Events of our voice were lost: what comes next says all that counts.
    Missed,
    Stopped,
}

async fn next_event(
    inputs: &mut ListenerInputs,
    attention: &Attention,
    is_deaf: bool,
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
        Some(event) = inputs.doors.recv() => Event::Door(event),
        Ok(()) = inputs.config.changed() => Event::Configured,
        heard = inputs.heard.recv(), if !is_deaf => heard.map_or(Event::HearingEnded, Event::Heard),
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
        HearingEvent::Level { dbfs } => {
            // A level is only for the eye: when nobody keeps up, the next one will do.
            let _ = events.try_send(ListeningEvent::Level { dbfs });
            return;
        }
        HearingEvent::Heard(utterance) => {
            let now = Instant::now();
            match attention.judge(&utterance, now) {
                Verdict::Directed { query, goes_on } => {
                    tell_change(attention.query_accepted(now), events).await;
                    ListeningEvent::Directed {
                        query,
                        language: utterance.language,
                        goes_on,
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
        let (door, doors) = mpsc::channel(1);
        let config = ListeningConfig::try_from(&ListeningSettings::default()).unwrap();
        let (_settings, config) = watch::channel(config);
        let (events, mut told) = mpsc::channel(8);
        let inputs = ListenerInputs { heard: to_listener, speech, doors, config, events };
        tokio::spawn(run(inputs, CancellationToken::new()));

        drop(heard);
        door.send(DoorEvent::Talk).await.unwrap();
        let opened = told.recv().await;
        door.send(DoorEvent::ThrowAway).await.unwrap();

        assert!(matches!(opened, Some(ListeningEvent::HotWindow(HotWindowChange::Opened(_)))));
        assert_eq!(told.recv().await, Some(ListeningEvent::HotWindow(HotWindowChange::Closed)));
    }
}
