//! The listening task: [`HearingEvent`]s in, [`ListeningEvent`]s out.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{HearingEvent, Language, SpeechEvent, Stage, TalkOrder, Trouble, Utterance, UtteranceId};

use crate::attention::{Attention, Verdict};
use crate::config::ListeningConfig;
use crate::doubts::{Doubts, JudgedDoubt};
use crate::hot_window::HotWindowChange;
use crate::judge::IntentJudge;

/// What listening reports.
#[derive(Debug, Clone, PartialEq)]
pub enum ListeningEvent {
    /// Speech began.
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
    /// A query.
    Directed {
        /// The words, without the wake word.
        query: String,
        /// The detected language.
        language: Option<Language>,
        /// The query starts with the words of the previous one and replaces it.
        continues_previous: bool,
        /// When the words ended. Latency is measured from here.
        ended_at: Instant,
    },
    /// The wake word alone: a query should follow.
    WakeWordOnly,
    /// A command to stop speaking.
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
    /// The level of the microphone, about ten times a second.
    Level {
        /// Decibels relative to full scale: `0.0` is the loudest possible.
        dbfs: f32,
    },
    /// The hot window opened or closed.
    HotWindow(HotWindowChange),
    /// Recognition failed.
    Trouble(Trouble),
    /// Recognition works again.
    Recovered(Stage),
}

/// An event at the doors that opens or closes the hot window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoorEvent {
    /// A query was accepted that was not spoken.
    QueryAccepted,
    /// The assistant asked a question; its answer needs no wake word.
    QuestionAsked,
}

/// What the listening task needs.
pub struct ListeningInputs {
    /// The events of hearing.
    pub heard: mpsc::Receiver<HearingEvent>,
    /// The events of our own voice.
    pub speech: broadcast::Receiver<SpeechEvent>,
    /// The events at the doors.
    pub doors: mpsc::Receiver<DoorEvent>,
    /// The language model that knows whom an utterance was meant for; the rules decide without one.
    pub judge: Option<Arc<dyn IntentJudge>>,
    /// The settings; changes apply at once.
    pub config: watch::Receiver<ListeningConfig>,
    /// Receives the events. When it is full the task waits: queries are never dropped.
    pub events: mpsc::Sender<ListeningEvent>,
}

/// Runs until `stop` is cancelled. It goes on when hearing ends, so that an open hot window closes. It never waits for a
/// reply.
///
/// Not cancel-safe: end it with `stop`, because a drop can lose the utterance that is being sent.
pub async fn run(mut inputs: ListeningInputs, stop: CancellationToken) {
    let mut attention = Attention::new(inputs.config.borrow().clone());
    let mut doubts = Doubts::new(inputs.judge.clone(), stop.child_token());
    let mut has_hearing_ended = false;
    loop {
        match next_event(&mut inputs, &attention, &mut doubts, has_hearing_ended, &stop).await {
            Event::HearingEnded => has_hearing_ended = true,
            Event::Heard(heard) => {
                apply_hearing_event(&mut attention, &mut doubts, heard, &inputs.events).await;
            }
            Event::Judged(judged) => {
                let verdict = attention.resolve(&judged.doubt, judged.answer.as_deref());
                apply_verdict(&mut attention, &mut doubts, verdict, &judged.doubt.utterance, &inputs.events)
                    .await;
            }
            Event::Speech(speech) => apply_speech_event(&mut attention, speech),
            Event::Door(DoorEvent::QueryAccepted) => {
                send_change(attention.close_hot_window(Instant::now()), &inputs.events).await;
            }
            Event::Door(DoorEvent::QuestionAsked) => {
                send_change(Some(attention.await_query(Instant::now())), &inputs.events).await;
            }
            Event::Tick => send_change(attention.tick(Instant::now()), &inputs.events).await,
            Event::ConfigChanged => {
                let config = inputs.config.borrow_and_update().clone();
                attention.configure(config);
            }
            Event::SpeechEventsLost => {}
            Event::Stopped => return,
        }
    }
}

enum Event {
    Heard(HearingEvent),
    HearingEnded,
    /// The intent judge answered, or will not.
    Judged(JudgedDoubt),
    Speech(SpeechEvent),
    Door(DoorEvent),
    Tick,
    ConfigChanged,
    /// The channel was full, and events of our voice were lost. The next event is enough to continue.
    SpeechEventsLost,
    Stopped,
}

async fn next_event(
    inputs: &mut ListeningInputs,
    attention: &Attention,
    doubts: &mut Doubts,
    has_hearing_ended: bool,
    stop: &CancellationToken,
) -> Event {
    let tick = attention.next_tick().map(tokio::time::Instant::from_std);
    tokio::select! {
        biased; // Shutdown first; our own voice before the microphone, so that its echo is recognised.
        () = stop.cancelled() => Event::Stopped,
        speech = inputs.speech.recv() => match speech {
            Ok(speech) => Event::Speech(speech),
            Err(broadcast::error::RecvError::Lagged(_)) => Event::SpeechEventsLost,
            Err(broadcast::error::RecvError::Closed) => Event::Stopped,
        },
        Some(event) = inputs.doors.recv() => Event::Door(event),
        Ok(()) = inputs.config.changed() => Event::ConfigChanged,
        judged = doubts.next() => Event::Judged(judged),
        heard = inputs.heard.recv(), if !has_hearing_ended => heard.map_or(Event::HearingEnded, Event::Heard),
        () = tokio::time::sleep_until(tick.unwrap_or_else(tokio::time::Instant::now)), if tick.is_some() => Event::Tick,
    }
}

fn apply_speech_event(attention: &mut Attention, speech: SpeechEvent) {
    match speech {
        SpeechEvent::Started { at, .. } => attention.speech_started(at),
        SpeechEvent::Sentence { text, at, lasts, .. } => attention.sentence_spoken(&text, at, lasts),
        SpeechEvent::Finished { at, .. } => {
            attention.speech_finished(at);
        }
        SpeechEvent::Interrupted { at, .. } => attention.speech_interrupted(at),
    }
}

async fn apply_hearing_event(
    attention: &mut Attention,
    doubts: &mut Doubts,
    heard: HearingEvent,
    events: &mpsc::Sender<ListeningEvent>,
) {
    let event = match heard {
        HearingEvent::SpeechStarted { .. } => ListeningEvent::SpeechStarted,
        HearingEvent::Nothing { .. } => ListeningEvent::SpeechEnded,
        HearingEvent::Partial { utterance, text } => ListeningEvent::Partial { utterance, text },
        HearingEvent::Trouble(trouble) => ListeningEvent::Trouble(trouble),
        HearingEvent::Recovered(stage) => ListeningEvent::Recovered(stage),
        HearingEvent::TalkKey(order) => {
            let now = Instant::now();
            let change = match order {
                TalkOrder::Hold => Some(attention.hold_key(now)),
                TalkOrder::Listen => Some(attention.await_query(now)),
                TalkOrder::Finish | TalkOrder::Release => {
                    attention.release_key(now);
                    None
                }
                TalkOrder::Discard => attention.discard(now),
            };
            send_change(change, events).await;
            return;
        }
        HearingEvent::Level { dbfs } => {
            attention.hear_level(dbfs);
            // A lost level does no harm: the next one follows in a tenth of a second.
            let _ = events.try_send(ListeningEvent::Level { dbfs });
            return;
        }
        HearingEvent::Heard(utterance) => {
            let verdict = attention.judge(&utterance, Instant::now());
            apply_verdict(attention, doubts, verdict, &utterance, events).await;
            return;
        }
    };
    send(event, events).await;
}

async fn apply_verdict(
    attention: &mut Attention,
    doubts: &mut Doubts,
    verdict: Verdict,
    utterance: &Utterance,
    events: &mpsc::Sender<ListeningEvent>,
) {
    let now = Instant::now();
    let event = match verdict {
        Verdict::Directed { query, continues_previous } => {
            // The newest query wins: an older doubt would interrupt its reply.
            doubts.clear();
            send_change(attention.close_hot_window(now), events).await;
            let (language, ended_at) = (utterance.language.clone(), utterance.ended_at);
            ListeningEvent::Directed { query, language, continues_previous, ended_at }
        }
        Verdict::WakeWordOnly => {
            send_change(Some(attention.await_query(now)), events).await;
            ListeningEvent::WakeWordOnly
        }
        Verdict::Stop => {
            doubts.clear();
            send_change(attention.close_hot_window(now), events).await;
            ListeningEvent::Stop
        }
        Verdict::Unsure(doubt) => {
            doubts.add(doubt, attention.judge_timeout(), now);
            return;
        }
        verdict @ (Verdict::Echo | Verdict::Overheard) => ListeningEvent::Overheard {
            utterance: utterance.id,
            text: utterance.text.clone(),
            is_echo: verdict == Verdict::Echo,
        },
    };
    send(event, events).await;
}

async fn send_change(change: Option<HotWindowChange>, events: &mpsc::Sender<ListeningEvent>) {
    if let Some(change) = change {
        send(ListeningEvent::HotWindow(change), events).await;
    }
}

async fn send(event: ListeningEvent, events: &mpsc::Sender<ListeningEvent>) {
    // A closed channel means that the assistant is shutting down.
    let _ = events.send(event).await;
}

#[cfg(test)]
mod tests {
    use settings::ListeningSettings;

    use super::*;

    #[tokio::test]
    async fn hot_window_closes_after_hearing_has_ended() {
        let (heard, to_listener) = mpsc::channel(1);
        let (_voice, speech) = broadcast::channel(1);
        let (door, doors) = mpsc::channel(1);
        let config = ListeningConfig::try_from(&ListeningSettings::default()).unwrap();
        let (_settings, config) = watch::channel(config);
        let (events, mut received) = mpsc::channel(8);
        let inputs = ListeningInputs { heard: to_listener, speech, doors, judge: None, config, events };
        tokio::spawn(run(inputs, CancellationToken::new()));

        heard.send(HearingEvent::TalkKey(TalkOrder::Listen)).await.unwrap();
        let opened = received.recv().await;
        drop(heard);
        door.send(DoorEvent::QueryAccepted).await.unwrap();

        assert!(matches!(opened, Some(ListeningEvent::HotWindow(HotWindowChange::Opened(_)))));
        assert_eq!(received.recv().await, Some(ListeningEvent::HotWindow(HotWindowChange::Closed)));
    }
}
