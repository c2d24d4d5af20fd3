//! The listening task: [`HearingEvent`]s in, [`ListeningEvent`]s out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{
    HearingEvent, Language, SpeechEvent, Stage, TalkOrder, Trouble, Utterance, UtteranceId, VoiceMatch,
};

use crate::attention::{Attention, Verdict};
use crate::config::ListeningConfig;
use crate::doubts::{Doubts, JudgedDoubt};
use crate::hot_window::HotWindowChange;
use crate::judge::IntentJudge;

/// The reports of listening.
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
    /// Words that are still being said may become a query. Reported with each new partial text.
    QueryExpected,
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
        /// The speaker.
        voice: VoiceMatch,
    },
    /// The wake word alone: a query should follow.
    WakeWordOnly,
    /// A command to stop speaking.
    Stop,
    /// Not meant for us, or our own voice.
    Overheard {
        /// The utterance as it was heard.
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

/// The inputs of the listening task.
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
    /// Is `true` while utterances without the name may be meant for us, so that hearing must decode all of them.
    pub needs_all_words: watch::Sender<bool>,
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
            ListeningInput::HearingEnded => has_hearing_ended = true,
            ListeningInput::Heard(heard) => {
                apply_hearing_event(&mut attention, &mut doubts, heard, &inputs.events).await;
            }
            ListeningInput::Judged(judged) => {
                let verdict = attention.resolve(&judged.doubt, judged.answer.as_deref());
                apply_verdict(&mut attention, &mut doubts, verdict, &judged.doubt.utterance, &inputs.events)
                    .await;
            }
            ListeningInput::Speech(speech) => apply_speech_event(&mut attention, speech),
            ListeningInput::Door(DoorEvent::QueryAccepted) => {
                forget_doubts(&mut attention, &mut doubts);
                send_change(attention.close_hot_window(Instant::now()), &inputs.events).await;
            }
            ListeningInput::Door(DoorEvent::QuestionAsked) => {
                // What was said before is no answer to it.
                forget_doubts(&mut attention, &mut doubts);
                send_change(Some(attention.await_query(Instant::now())), &inputs.events).await;
            }
            ListeningInput::Tick => send_change(attention.tick(Instant::now()), &inputs.events).await,
            ListeningInput::ConfigChanged => {
                let config = inputs.config.borrow_and_update().clone();
                attention.configure(config);
            }
            ListeningInput::SpeechEventsLost => {}
            ListeningInput::Stopped => return,
        }
        let needs_all_words = attention.needs_all_words(Instant::now());
        inputs
            .needs_all_words
            .send_if_modified(|needed| std::mem::replace(needed, needs_all_words) != needs_all_words);
    }
}

enum ListeningInput {
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
) -> ListeningInput {
    let tick = attention.next_tick().map(tokio::time::Instant::from_std);
    tokio::select! {
        biased; // Shutdown first; our own voice before the microphone, so that its echo is recognised.
        () = stop.cancelled() => ListeningInput::Stopped,
        speech = inputs.speech.recv() => match speech {
            Ok(speech) => ListeningInput::Speech(speech),
            Err(broadcast::error::RecvError::Lagged(_)) => ListeningInput::SpeechEventsLost,
            Err(broadcast::error::RecvError::Closed) => ListeningInput::Stopped,
        },
        Some(event) = inputs.doors.recv() => ListeningInput::Door(event),
        Ok(()) = inputs.config.changed() => ListeningInput::ConfigChanged,
        judged = doubts.next() => ListeningInput::Judged(judged),
        heard = inputs.heard.recv(), if !has_hearing_ended => heard.map_or(ListeningInput::HearingEnded, ListeningInput::Heard),
        () = tokio::time::sleep_until(tick.unwrap_or_else(tokio::time::Instant::now)), if tick.is_some() => ListeningInput::Tick,
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
        HearingEvent::Partial { utterance, text } => {
            if attention.may_become_query(&text) {
                send(ListeningEvent::QueryExpected, events).await;
            }
            ListeningEvent::Partial { utterance, text }
        }
        HearingEvent::Trouble(trouble) => ListeningEvent::Trouble(trouble),
        HearingEvent::Recovered(stage) => ListeningEvent::Recovered(stage),
        HearingEvent::TalkKey(order) => {
            let now = Instant::now();
            if matches!(order, TalkOrder::Hold | TalkOrder::Listen | TalkOrder::Discard) {
                forget_doubts(attention, doubts);
            }
            let change = match order {
                TalkOrder::Hold => Some(attention.hold_key(now)),
                TalkOrder::Listen => Some(attention.await_query_by_key(now)),
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
        HearingEvent::EarlierTalk(utterance) => return attention.add_talk(&utterance, Instant::now()),
        HearingEvent::Heard(utterance) => {
            let verdict = attention.judge(&utterance, Instant::now());
            tracing::debug!(
                lasts_ms = (utterance.ended_at - utterance.started_at).as_millis() as u64,
                ended_ms_ago = utterance.ended_at.elapsed().as_millis() as u64,
                echo_share = f64::from(utterance.echo_share),
                is_echo = verdict == Verdict::Echo,
                "an utterance was judged"
            );
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
            // The newest query wins: an older doubt would interrupt its reply. A newer one may still replace it.
            doubts.forget_until(utterance.started_at);
            send_change(attention.close_hot_window(now), events).await;
            let (language, ended_at, voice) =
                (utterance.language.clone(), utterance.ended_at, utterance.voice);
            ListeningEvent::Directed { query, language, continues_previous, ended_at, voice }
        }
        Verdict::WakeWordOnly => {
            doubts.forget_until(utterance.started_at);
            send_change(Some(attention.await_query(now)), events).await;
            ListeningEvent::WakeWordOnly
        }
        Verdict::Stop => {
            doubts.forget_until(now);
            send_change(attention.close_hot_window(now), events).await;
            ListeningEvent::Stop
        }
        Verdict::Unsure(doubt) => {
            if doubt.replaces_doubt() {
                let is_before = doubt.utterance.started_at.checked_sub(Duration::from_nanos(1));
                doubts.forget_until(is_before.unwrap_or(doubt.utterance.started_at));
            }
            doubts.add(doubt, attention.judge_timeout(), now);
            // Nobody speaks any more, whatever the judge will say.
            ListeningEvent::SpeechEnded
        }
        verdict @ (Verdict::Echo | Verdict::Overheard) => ListeningEvent::Overheard {
            utterance: utterance.id,
            text: utterance.text.clone(),
            is_echo: verdict == Verdict::Echo,
        },
    };
    send(event, events).await;
}

/// Whatever the user did now counts more than an utterance before it that is still unclear.
fn forget_doubts(attention: &mut Attention, doubts: &mut Doubts) {
    attention.forget_doubt();
    doubts.forget_until(Instant::now());
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
    use settings::Settings;

    use super::*;
    use crate::judge::{JudgeError, JudgePrompt};

    /// Answers the questions about these words with this query, after this many seconds.
    struct SlowJudge(&'static [(&'static str, &'static str, u64)]);

    #[async_trait::async_trait]
    impl IntentJudge for SlowJudge {
        async fn ask(&self, prompt: JudgePrompt, _: CancellationToken) -> Result<String, JudgeError> {
            let now = prompt.user.lines().find(|line| line.contains("(now)")).unwrap();
            let (_, query, secs) = self.0.iter().find(|(words, ..)| now.contains(words)).unwrap();
            tokio::time::sleep(Duration::from_secs(*secs)).await;
            Ok(format!(
                r#"{{"directed": true, "query": "{query}", "stop": false, "confidence": "high", "reasoning": ""}}"#
            ))
        }
    }

    /// The queries that come of these words and of an event at the doors.
    async fn queries(judge: SlowJudge, heard_texts: &[&str], then: Option<DoorEvent>) -> Vec<String> {
        let (heard, to_listener) = mpsc::channel(8);
        let (voice, speech) = broadcast::channel(1);
        let (door, doors) = mpsc::channel(1);
        let config = ListeningConfig::try_from(&Settings::default()).unwrap();
        let (_settings, config) = watch::channel(config);
        let (events, mut received) = mpsc::channel(64);
        let judge: Option<Arc<dyn IntentJudge>> = Some(Arc::new(judge));
        let inputs = ListeningInputs {
            heard: to_listener,
            speech,
            doors,
            judge,
            config,
            needs_all_words: watch::channel(false).0,
            events,
        };
        let stop = CancellationToken::new();
        let running = tokio::spawn(run(inputs, stop.clone()));
        let start = Instant::now();
        for (at, text) in heard_texts.iter().enumerate() {
            let ago = Duration::from_secs(4 * (heard_texts.len() - at) as u64);
            let started_at = start.checked_sub(ago).unwrap();
            let ended_at = started_at + Duration::from_secs(1);
            let (id, text) = (UtteranceId(at as u64), (*text).to_owned());
            let utterance = Utterance {
                id,
                text,
                language: None,
                started_at,
                ended_at,
                energy_rms: 0.05,
                echo_share: 0.0,
                confidence: 0.9,
                voice: VoiceMatch::NotJudged,
            };
            heard.send(HearingEvent::Heard(utterance)).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        if let Some(event) = then {
            door.send(event).await.unwrap();
        }
        tokio::time::sleep(Duration::from_secs(10)).await;
        stop.cancel();
        running.await.unwrap();
        drop(voice);
        let mut queries = Vec::new();
        while let Some(event) = received.recv().await {
            if let ListeningEvent::Directed { query, .. } = event {
                queries.push(query);
            }
        }
        queries
    }

    const TALK: &str = "I would paint the kitchen green.";

    #[tokio::test(start_paused = true)]
    async fn doubt_that_is_decided_first_leaves_a_newer_one_waiting() {
        let judge = SlowJudge(&[("do you think", "Green or blue?", 1), ("do that", "Paint it blue.", 3)]);

        let queries =
            queries(judge, &[TALK, "Jarvis, what do you think?", "Jarvis, can you do that?"], None).await;

        assert_eq!(queries, ["Green or blue?", "Paint it blue."]);
    }

    #[tokio::test(start_paused = true)]
    async fn doubt_that_is_decided_last_does_not_interrupt_a_newer_query() {
        let judge = SlowJudge(&[("do you think", "Green or blue?", 3), ("do that", "Paint it blue.", 1)]);

        let queries =
            queries(judge, &[TALK, "Jarvis, what do you think?", "Jarvis, can you do that?"], None).await;

        assert_eq!(queries, ["Paint it blue."]);
    }

    #[rstest::rstest]
    #[case::typed_query(DoorEvent::QueryAccepted)]
    #[case::question_of_a_tool(DoorEvent::QuestionAsked)]
    #[tokio::test(start_paused = true)]
    async fn doubt_is_over_when_something_newer_happens_at_the_doors(#[case] event: DoorEvent) {
        let judge = SlowJudge(&[("do you think", "Green or blue?", 3)]);

        let queries = queries(judge, &[TALK, "Jarvis, what do you think?"], Some(event)).await;

        assert_eq!(queries, Vec::<String>::new());
    }

    #[rstest::rstest]
    #[case::name_among_them("Jarvis, please tell me", true)]
    #[case::words_of_somebody_else("Please tell me", false)]
    #[tokio::test]
    async fn query_is_expected_once_the_name_is_among_the_words(
        #[case] words_so_far: &str,
        #[case] is_expected: bool,
    ) {
        let config = ListeningConfig::try_from(&Settings::default()).unwrap();
        let (events, mut received) = mpsc::channel(8);
        let partial = HearingEvent::Partial { utterance: UtteranceId(1), text: words_so_far.to_owned() };

        apply_hearing_event(
            &mut Attention::new(config),
            &mut Doubts::new(None, CancellationToken::new()),
            partial,
            &events,
        )
        .await;

        let expected = matches!(received.recv().await, Some(ListeningEvent::QueryExpected));
        assert_eq!(expected, is_expected);
    }

    #[tokio::test]
    async fn hot_window_closes_after_hearing_has_ended() {
        let (heard, to_listener) = mpsc::channel(1);
        let (_voice, speech) = broadcast::channel(1);
        let (door, doors) = mpsc::channel(1);
        let config = ListeningConfig::try_from(&Settings::default()).unwrap();
        let (_settings, config) = watch::channel(config);
        let (events, mut received) = mpsc::channel(8);
        let (needs_all_words, needed) = watch::channel(false);
        let inputs = ListeningInputs {
            heard: to_listener,
            speech,
            doors,
            judge: None,
            config,
            needs_all_words,
            events,
        };
        tokio::spawn(run(inputs, CancellationToken::new()));

        heard.send(HearingEvent::TalkKey(TalkOrder::Listen)).await.unwrap();
        let opened = received.recv().await;
        drop(heard);
        let needed_while_open = needed.clone().wait_for(|needed| *needed).await.is_ok();
        door.send(DoorEvent::QueryAccepted).await.unwrap();

        assert!(matches!(opened, Some(ListeningEvent::HotWindow(HotWindowChange::Opened(_)))));
        assert_eq!(received.recv().await, Some(ListeningEvent::HotWindow(HotWindowChange::Closed)));
        assert!(needed_while_open);
        assert!(needed.clone().wait_for(|needed| !needed).await.is_ok());
    }
}
