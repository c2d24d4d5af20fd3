//! Timers, alarms and reminders ring when they are due: on the screen, with a tone, and in words.
//!
//! One task owns what rings now. It wakes for the next appointment, for every change of the memory, and at least once a
//! minute, because clocks jump and machines sleep.

mod handle; // the end that doors and the coordinator hold
mod sound; // the tone, and for how long it goes on
mod unheard_rings; // the rings that a stop may drop before anybody hears them
mod wording; // what is shown and said, language by language

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use memory::{Appointment, AppointmentKind, AppointmentStatus, Memory, MemoryError};
use replying::ReplyingConfig;
use settings::Settings;
use tokio::sync::{broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{AssistantEvent, Clock, Language, Ring, RingKind, RingOutcome, SpeechEvent};

use crate::event_bus::EventBus;
use crate::replies::ReplyIds;
use crate::sound_paths::voice::SpeechOutput;
use crate::user::user_languages::user_languages;
pub use handle::RingError;
pub(crate) use handle::{AskedAt, RingerHandle};
use handle::{Order, RingerEnd};
use sound::RingSound;
use unheard_rings::Rounds;

/// The longest sleep: a clock that was set, or a machine that slept, is noticed within this time.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// A ring later than this was missed: more than a look and a slow start.
const MISSED_AFTER: SignedDuration = SignedDuration::from_secs(120);

/// The inputs of ringing.
pub(crate) struct AppointmentRinger {
    pub memory: watch::Receiver<Option<Memory>>,
    pub clock: Arc<dyn Clock>,
    pub settings: watch::Receiver<Settings>,
    pub speech_output: SpeechOutput,
    pub reply_ids: ReplyIds,
    pub events: EventBus,
}

impl AppointmentRinger {
    /// The task, and the handle that controls it. Nothing rings before the task runs.
    pub fn start(self) -> (RingerTask, RingerHandle) {
        let (handle, end) = handle::handle();
        (RingerTask { ringer: self, end }, handle)
    }
}

/// The task of the ringer.
pub(crate) struct RingerTask {
    ringer: AppointmentRinger,
    end: RingerEnd,
}

impl RingerTask {
    /// Runs until `stop` is cancelled.
    pub async fn run(self, stop: CancellationToken) {
        let Self { ringer, end: RingerEnd { orders, ringing } } = self;
        let mut opened = ringer.memory.clone();
        let waited = stop.run_until_cancelled(opened.wait_for(Option::is_some)).await;
        let Some(Ok(memory)) = waited.map(|opened| opened.map(|memory| memory.clone())) else { return };
        let Some(memory) = memory else { return };
        let sound = RingSound::new(ringer.speech_output.clone(), ringer.reply_ids.clone());
        let spoken = ringer.speech_output.subscribe();
        let ringing = Ringing { ringer, memory, sound, spoken, orders, ringing, next_times: Vec::new() };
        ringing.run(stop).await;
    }
}

/// The ringer at work.
struct Ringing {
    ringer: AppointmentRinger,
    memory: Memory,
    sound: RingSound,
    spoken: broadcast::Receiver<SpeechEvent>,
    orders: mpsc::Receiver<Order>,
    /// Everything that rings or waits for the user, for doors that open later.
    ringing: watch::Sender<Vec<Ring>>,
    /// When each of them that repeats is due next, by its id: another time means that the user changed it.
    next_times: Vec<(i64, i64)>,
}

enum RingerEvent {
    Stopped,
    Order(Order),
    Spoken(SpeechEvent),
    /// Events of our voice were lost.
    Missed,
    SoundDue,
    /// Something may be due, or may have been changed elsewhere.
    Look,
}

impl Ringing {
    async fn run(mut self, stop: CancellationToken) {
        let mut changes = self.memory.changes();
        // Not cut off: what was taken from the memory rings.
        loop {
            changes.mark_unchanged();
            let sleep = self.look().await.unwrap_or_else(|error| {
                tracing::warn!(%error, "it is not known which appointments are due");
                LOOK_EVERY
            });
            let next_look = tokio::time::Instant::now() + sleep;
            loop {
                match self.next_event(next_look, &mut changes, &stop).await {
                    RingerEvent::Stopped => return,
                    RingerEvent::Order(order) => self.obey(order).await,
                    RingerEvent::Spoken(speech) => self.sound.follow_voice(&speech).await,
                    RingerEvent::Missed => self.sound.miss_events(),
                    RingerEvent::SoundDue => self.sound.go_on().await,
                    RingerEvent::Look => break,
                }
            }
        }
    }

    async fn next_event(
        &mut self,
        next_look: tokio::time::Instant,
        changes: &mut watch::Receiver<u64>,
        stop: &CancellationToken,
    ) -> RingerEvent {
        let sound_due = self.sound.next_due();
        tokio::select! {
            biased; // The user before what is due.
            () = stop.cancelled() => RingerEvent::Stopped,
            Some(order) = self.orders.recv() => RingerEvent::Order(order),
            speech = self.spoken.recv() => match speech {
                Ok(speech) => RingerEvent::Spoken(speech),
                Err(broadcast::error::RecvError::Lagged(_)) => RingerEvent::Missed,
                Err(broadcast::error::RecvError::Closed) => RingerEvent::Stopped,
            },
            () = tokio::time::sleep_until(sound_due.unwrap_or(next_look)), if sound_due.is_some() => RingerEvent::SoundDue,
            Ok(()) = changes.changed() => RingerEvent::Look,
            () = tokio::time::sleep_until(next_look) => RingerEvent::Look,
        }
    }

    /// Rings what is due, and withdraws what was settled elsewhere. Returns how long to sleep.
    async fn look(&mut self) -> Result<Duration, MemoryError> {
        let now = self.ringer.clock.now();
        // Read before writing: most looks find nothing due.
        if self.memory.next_due().await?.is_some_and(|due_at| due_at <= now.as_microsecond()) {
            let due = self.memory.take_due(now.as_microsecond()).await?;
            self.ring(due, now).await;
        }
        if !self.ringing.borrow().is_empty() {
            self.withdraw_settled().await?;
        }
        let next_due = self.memory.next_due().await?;
        let wait = next_due.map(|at| at.saturating_sub(self.ringer.clock.now().as_microsecond()));
        let wait = wait.map(|micros| Duration::from_micros(u64::try_from(micros).unwrap_or(0)));
        Ok(wait.map_or(LOOK_EVERY, |wait| wait.min(LOOK_EVERY)))
    }

    async fn ring(&mut self, due: Vec<Appointment>, now: Timestamp) {
        let settings = self.ringer.settings.borrow().clone();
        let language = wording::language_of(&user_languages(&settings));
        let zone = ReplyingConfig::try_from(&settings).map_or_else(|_| TimeZone::system(), |c| c.zone());
        for appointment in due {
            if let Some(next) = appointment.next_after(now.as_microsecond()) {
                self.forget_next_time(appointment.id);
                self.next_times.push((appointment.id, next));
            }
            let ring = ring_of(&appointment, now, &language, &zone);
            tracing::info!(appointment = ring.appointment, kind = ?ring.kind, ring.is_missed, "an appointment rings");
            self.ringing.send_modify(|rings| {
                rings.retain(|known| known.appointment != ring.appointment);
                rings.push(ring.clone());
            });
            self.send(AssistantEvent::AppointmentRang(ring.clone()));
            let rounds = match ring.kind {
                RingKind::Timer | RingKind::Alarm if !ring.is_missed => Rounds::UntilStopped,
                _ => Rounds::One,
            };
            self.sound.begin(&ring, rounds).await;
        }
    }

    /// Ends the rings of appointments that were cancelled, changed or forgotten elsewhere.
    async fn withdraw_settled(&mut self) -> Result<(), MemoryError> {
        let known = self.memory.appointments().await?;
        let rings: Vec<i64> = self.ringing.borrow().iter().map(|ring| ring.appointment).collect();
        for appointment in rings {
            let next_time = self.next_times.iter().find(|(id, _)| *id == appointment).map(|(_, at)| *at);
            let waits_for_user = |one: &Appointment| {
                one.id == appointment
                    && (one.status == AppointmentStatus::Rung || Some(one.due_at) == next_time)
            };
            if !known.iter().any(waits_for_user) {
                self.settle(appointment, RingOutcome::Withdrawn).await;
            }
        }
        Ok(())
    }

    async fn obey(&mut self, order: Order) {
        match order {
            Order::Stop { appointment, done } => {
                // The door may have closed meanwhile.
                let _ = done.send(self.stop(appointment).await);
            }
            Order::Snooze { appointment, after, asked, done } => {
                let _ = done.send(self.snooze(appointment, after, asked.as_ref()).await);
            }
            Order::StopSounding { done } => {
                for appointment in self.sound.heard_appointments() {
                    if let Err(error) = self.stop(appointment).await {
                        tracing::warn!(%error, "an appointment was not settled");
                    }
                }
                let _ = done.send(());
            }
        }
    }

    async fn stop(&mut self, appointment: i64) -> Result<(), RingError> {
        self.must_ring(appointment)?;
        // Silence first: the disk may be slow.
        self.sound.end_of(appointment).await;
        self.memory.acknowledge_appointment(appointment).await?;
        self.settle(appointment, RingOutcome::Stopped).await;
        Ok(())
    }

    async fn snooze(
        &mut self,
        appointment: i64,
        after: SignedDuration,
        asked: Option<&AskedAt>,
    ) -> Result<(), RingError> {
        self.must_ring(appointment)?;
        self.sound.end_of(appointment).await;
        let until = self.ringer.clock.now() + after;
        let of_request = asked.map(|asked| self.memory.in_request(&asked.conversation, asked.at_micros));
        let memory = of_request.as_ref().unwrap_or(&self.memory);
        memory.snooze_appointment(appointment, until.as_microsecond()).await?;
        self.settle(appointment, RingOutcome::Snoozed { until }).await;
        Ok(())
    }

    fn must_ring(&self, appointment: i64) -> Result<(), RingError> {
        let rings = self.ringing.borrow().iter().any(|ring| ring.appointment == appointment);
        if rings { Ok(()) } else { Err(RingError::NotRinging) }
    }

    async fn settle(&mut self, appointment: i64, outcome: RingOutcome) {
        self.sound.end_of(appointment).await;
        self.forget_next_time(appointment);
        self.ringing.send_modify(|rings| rings.retain(|ring| ring.appointment != appointment));
        tracing::info!(appointment, ?outcome, "an appointment was settled");
        self.send(AssistantEvent::AppointmentSettled { appointment, outcome });
    }

    fn forget_next_time(&mut self, appointment: i64) {
        self.next_times.retain(|(id, _)| *id != appointment);
    }

    fn send(&self, event: AssistantEvent) {
        self.ringer.events.tell(event);
    }
}

fn ring_of(appointment: &Appointment, now: Timestamp, language: &Language, zone: &TimeZone) -> Ring {
    let due_at = Timestamp::from_microsecond(appointment.due_at).unwrap_or(now);
    let is_missed = now.duration_since(due_at) > MISSED_AFTER;
    let kind = match appointment.kind {
        AppointmentKind::Timer => RingKind::Timer,
        AppointmentKind::Alarm => RingKind::Alarm,
        AppointmentKind::Reminder => RingKind::Reminder,
    };
    let missed_at = is_missed.then(|| wording::time_of(language, due_at, now, zone));
    let text = wording::sentence(language, kind, appointment.label.trim(), missed_at.as_deref());
    Ring {
        appointment: appointment.id,
        kind,
        text: text.into(),
        language: language.clone(),
        due_at,
        is_missed,
    }
}

#[cfg(test)]
mod tests;
