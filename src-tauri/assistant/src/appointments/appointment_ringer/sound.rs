//! The sound of what rings: the tone, the sentence, then the tone again and again.
//!
//! It goes through the queue of our voice, so that stop words, a barge-in, Escape and the talk key end it as they end
//! speech, and it waits for a sentence that is being spoken. A ring that is dropped with that sentence comes again.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use vocabulary::{ReplyId, Ring, SpeechEvent};

use super::unheard_rings::{Rounds, UnheardRings};
use crate::replies::ReplyIds;
use crate::sound_paths::voice::SpeechOutput;

/// From one tone to the next.
const REPEAT_EVERY: Duration = Duration::from_secs(3);

/// The time that a timer or an alarm goes on when nobody stops it.
const LONGEST: Duration = Duration::from_secs(60);

/// The time that one round may take: tone and sentence.
const ONE_ROUND: Duration = Duration::from_secs(10);

/// The sound that plays, if any does.
pub(super) struct RingSound {
    speech_output: SpeechOutput,
    reply_ids: ReplyIds,
    current: Option<Current>,
    /// Another voice is heard: tones wait for it.
    other_voice: Option<ReplyId>,
    unheard: UnheardRings,
}

struct Current {
    /// Names the sound in the queue of our voice.
    reply: ReplyId,
    appointments: Vec<i64>,
    rounds: Rounds,
    next_at: Instant,
    ends_at: Instant,
    /// Something of it was heard.
    has_begun: bool,
    /// Cancelled when our voice is stopped.
    stop: CancellationToken,
}

impl Current {
    /// Returns `true` if the user heard it and wanted silence, and has not said for what.
    fn is_silenced(&self) -> bool {
        self.has_begun && self.stop.is_cancelled()
    }

    /// Lets a sound that waited when other words were stopped be heard after all, under a name of its own.
    async fn outlive_stop(&mut self, speech_output: &SpeechOutput, reply_ids: &ReplyIds) {
        if self.stop.is_cancelled() {
            speech_output.finish(self.reply).await;
            self.reply = reply_ids.next();
            self.stop = speech_output.next_stop();
        }
    }
}

impl RingSound {
    pub fn new(speech_output: SpeechOutput, reply_ids: ReplyIds) -> Self {
        Self { speech_output, reply_ids, current: None, other_voice: None, unheard: UnheardRings::default() }
    }

    /// Begins to sound for `ring`, beside what sounds already.
    pub async fn begin(&mut self, ring: &Ring, rounds: Rounds) {
        let now = Instant::now();
        let lasts = if rounds == Rounds::One { ONE_ROUND } else { LONGEST };
        let before = self.current.take().filter(|current| current.ends_at > now);
        let mut current = match before {
            Some(current) if current.rounds == Rounds::UntilStopped && !current.is_silenced() => current,
            before => Current {
                reply: self.reply_ids.next(),
                appointments: before.map_or_else(Vec::new, |before| before.appointments),
                rounds: Rounds::One,
                next_at: now,
                ends_at: now,
                has_begun: false,
                stop: self.speech_output.next_stop(),
            },
        };
        current.appointments.retain(|one| *one != ring.appointment);
        current.appointments.push(ring.appointment);
        current.ends_at = current.ends_at.max(now + lasts);
        if rounds == Rounds::UntilStopped {
            current.rounds = rounds;
        }
        current.next_at = now + REPEAT_EVERY;
        current.outlive_stop(&self.speech_output, &self.reply_ids).await;
        self.unheard.forget(ring.appointment);
        if !current.has_begun {
            self.unheard.add(ring.clone(), rounds, current.reply, current.stop.clone(), now);
        }
        self.speech_output.play(current.reply, speaking::ring_tone()).await;
        // Without a loudspeaker the sentence is on the screen alone.
        let _ = self.speech_output.say(current.reply, &ring.text, Some(&ring.language)).await;
        if current.rounds == Rounds::One {
            self.speech_output.finish(current.reply).await;
        }
        self.current = Some(current);
    }

    /// When [`RingSound::go_on`] has something to do.
    pub fn next_due(&self) -> Option<Instant> {
        let current = self.current.as_ref().map(|current| match current.rounds {
            Rounds::UntilStopped if !current.is_silenced() => current.next_at.min(current.ends_at),
            _ => current.ends_at,
        });
        current.into_iter().chain(self.unheard.next_look()).min()
    }

    /// Sounds once more, or ends.
    pub async fn go_on(&mut self) {
        let now = Instant::now();
        for (ring, rounds) in self.unheard.take_dropped(now, self.other_voice.is_some()) {
            tracing::info!(
                appointment = ring.appointment,
                "an appointment that a stop dropped unheard rings again"
            );
            self.begin(&ring, rounds).await;
        }
        let Some(current) = &mut self.current else { return };
        if now >= current.ends_at {
            self.finish().await;
        } else if current.rounds == Rounds::UntilStopped && !current.is_silenced() && now >= current.next_at {
            current.next_at = now + REPEAT_EVERY;
            // A ring that was dropped comes whole, not as a mere tone.
            if self.other_voice.is_none() && !self.unheard.has_dropped() {
                current.outlive_stop(&self.speech_output, &self.reply_ids).await;
                self.speech_output.play(current.reply, speaking::ring_tone()).await;
            }
        }
    }

    /// The appointments that sound, or were silenced a moment ago. Those of which nothing was heard yet are not among them.
    pub fn heard_appointments(&self) -> Vec<i64> {
        let mut heard = self.current.as_ref().map_or_else(Vec::new, |current| current.appointments.clone());
        heard.retain(|appointment| !self.unheard.contains(*appointment));
        heard
    }

    /// Ends the sound of this appointment; that of others goes on.
    pub async fn end_of(&mut self, appointment: i64) {
        self.unheard.forget(appointment);
        let Some(current) = &mut self.current else { return };
        let before = current.appointments.len();
        current.appointments.retain(|one| *one != appointment);
        if before > 0 && current.appointments.is_empty() {
            if !current.is_silenced() && self.other_voice.is_none() {
                self.speech_output.fall_silent();
            }
            self.finish().await;
        }
    }

    /// Learns that somebody silenced us, or that another voice is heard.
    pub async fn follow_voice(&mut self, speech: &SpeechEvent) {
        let own = self.current.as_mut();
        match speech {
            SpeechEvent::Started { reply, .. } => {
                self.unheard.note_heard(*reply);
                match own.filter(|own| own.reply == *reply) {
                    Some(own) => own.has_begun = true,
                    None => self.other_voice = Some(*reply),
                }
            }
            SpeechEvent::Interrupted { reply, .. } if own.as_ref().is_some_and(|own| own.reply == *reply) => {
                // After the loss of the loudspeaker it goes on. After a stop the queue takes no more of it until it is complete.
                if own.is_some_and(|own| own.is_silenced()) {
                    self.speech_output.finish(*reply).await;
                }
            }
            SpeechEvent::Finished { reply, .. } | SpeechEvent::Interrupted { reply, .. } => {
                self.other_voice.take_if(|other| other == reply);
            }
            SpeechEvent::Sentence { .. } => {}
        }
    }

    /// Notes that events of our voice were lost. The end of another voice may be among them, and tones must not wait for ever.
    pub fn miss_events(&mut self) {
        self.other_voice = None;
    }

    async fn finish(&mut self) {
        if let Some(current) = self.current.take() {
            self.speech_output.finish(current.reply).await;
        }
    }
}
