//! The queue between a capture and whoever listens to it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use vocabulary::Frame;

use crate::AudioError;

/// What an open microphone delivers.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every event is a frame: a box for each would cost an allocation"
)]
pub enum CaptureEvent {
    /// The next 20 ms of sound.
    Frame(Frame),
    /// The device failed or went away. The last event: open the microphone again to try again.
    Lost(AudioError),
}

/// Frames that wait for a slow listener: 1.28 s. Source: behaviour reference, section 1.1, 64 blocks of 20 ms.
///
/// When it is full the oldest frame goes: what is said now matters more than what was said a second ago.
pub const FRAME_QUEUE_LENGTH: usize = 64;

/// Both ends of a queue of [`FRAME_QUEUE_LENGTH`] frames.
pub fn frame_queue() -> (FrameSender, FrameReceiver) {
    let queue = Arc::new(Queue::default());
    (FrameSender { queue: queue.clone() }, FrameReceiver { queue })
}

/// The capturing end. Dropping it ends the queue after what it still holds.
pub struct FrameSender {
    queue: Arc<Queue>,
}

impl FrameSender {
    /// Hands a frame on. When the queue is full the oldest frame is dropped and counted.
    pub fn send(&self, frame: Frame) {
        self.queue.change(|waiting| {
            if waiting.events.len() >= FRAME_QUEUE_LENGTH {
                waiting.events.pop_front();
                self.queue.dropped.fetch_add(1, Ordering::Relaxed);
            }
            waiting.events.push_back(CaptureEvent::Frame(frame));
        });
    }

    /// Hands a frame on, waiting for room: for sound from a file, which has all the time there is.
    ///
    /// False when nobody listens any more.
    pub fn send_when_taken(&self, frame: Frame) -> bool {
        let mut waiting = self.queue.lock();
        while waiting.events.len() >= FRAME_QUEUE_LENGTH && !waiting.receiver_gone {
            waiting = self.queue.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        let is_heard = !waiting.receiver_gone;
        drop(waiting);
        self.send(frame);
        is_heard
    }

    /// Ends the queue because the device is gone.
    pub fn lose(self, error: AudioError) {
        self.queue.change(|waiting| waiting.events.push_back(CaptureEvent::Lost(error)));
    }

    /// Does anybody still listen?
    pub fn is_heard(&self) -> bool {
        !self.queue.lock().receiver_gone
    }
}

impl Drop for FrameSender {
    fn drop(&mut self) {
        self.queue.change(|waiting| waiting.sender_gone = true);
    }
}

/// The listening end.
pub struct FrameReceiver {
    queue: Arc<Queue>,
}

impl FrameReceiver {
    /// The next event; `None` once the capture ended and all of it was taken. Cancel-safe.
    pub async fn recv(&mut self) -> Option<CaptureEvent> {
        loop {
            // Asked for before looking, so that a frame which comes in between wakes us.
            let arrived = self.queue.arrived.notified();
            if let Some(taken) = self.take() {
                return taken;
            }
            arrived.await;
        }
    }

    /// The next event, waited for on this thread; `None` once the capture ended and all of it was taken.
    pub fn blocking_recv(&mut self) -> Option<CaptureEvent> {
        let mut waiting = self.queue.lock();
        while waiting.events.is_empty() && !waiting.sender_gone {
            waiting = self.queue.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        let event = waiting.events.pop_front();
        drop(waiting);
        self.queue.changed.notify_all();
        event
    }

    /// How many frames were dropped so far because nobody took them in time.
    pub fn dropped(&self) -> u64 {
        self.queue.dropped.load(Ordering::Relaxed)
    }

    /// What there is: `Some(None)` is the end, `None` is nothing yet.
    fn take(&self) -> Option<Option<CaptureEvent>> {
        let mut waiting = self.queue.lock();
        let event = waiting.events.pop_front();
        let has_ended = waiting.sender_gone;
        drop(waiting);
        self.queue.changed.notify_all();
        match event {
            Some(event) => Some(Some(event)),
            None if has_ended => Some(None),
            None => None,
        }
    }
}

impl Drop for FrameReceiver {
    fn drop(&mut self) {
        self.queue.change(|waiting| {
            waiting.receiver_gone = true;
            waiting.events.clear();
        });
    }
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    /// For those who wait on a thread.
    changed: Condvar,
    /// For those who wait in a task.
    arrived: Notify,
    dropped: AtomicU64,
}

impl Queue {
    fn change(&self, change: impl FnOnce(&mut Waiting)) {
        change(&mut self.lock());
        self.changed.notify_all();
        self.arrived.notify_one();
    }

    /// A panic elsewhere leaves at worst one frame out: no reason to lose the microphone.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Waiting {
    events: VecDeque<CaptureEvent>,
    sender_gone: bool,
    receiver_gone: bool,
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn frame_of(value: f32) -> Frame {
        let mut frame = Frame::silence(Instant::now());
        frame.samples.fill(value);
        frame
    }

    fn value_of(event: Option<CaptureEvent>) -> Option<f32> {
        match event {
            Some(CaptureEvent::Frame(frame)) => Some(frame.samples[0]),
            _ => None,
        }
    }

    #[tokio::test]
    async fn a_slow_listener_loses_the_oldest_frames_and_can_tell_how_many() {
        let (sender, mut receiver) = frame_queue();

        for n in 0..FRAME_QUEUE_LENGTH + 3 {
            sender.send(frame_of(n as f32));
        }

        assert_eq!(value_of(receiver.recv().await), Some(3.0));
        assert_eq!(receiver.dropped(), 3);
    }

    #[tokio::test]
    async fn what_was_captured_before_the_loss_still_arrives() {
        let (sender, mut receiver) = frame_queue();

        sender.send(frame_of(0.5));
        sender.lose(AudioError::Closed);

        assert_eq!(value_of(receiver.recv().await), Some(0.5));
        assert!(matches!(receiver.recv().await, Some(CaptureEvent::Lost(AudioError::Closed))));
        assert!(receiver.recv().await.is_none());
    }

    #[test]
    fn sound_from_a_file_waits_for_its_listener_and_loses_nothing() {
        let (sender, mut receiver) = frame_queue();
        let sending =
            std::thread::spawn(move || (0..500).all(|n| sender.send_when_taken(frame_of(n as f32))));

        let taken: Vec<f32> = std::iter::from_fn(|| value_of(receiver.blocking_recv())).collect();

        assert!(sending.join().unwrap());
        assert_eq!(taken, (0..500).map(|n| n as f32).collect::<Vec<_>>());
    }

    #[test]
    fn a_file_stops_when_its_listener_leaves() {
        let (sender, receiver) = frame_queue();
        let sending = std::thread::spawn(move || while sender.send_when_taken(frame_of(0.0)) {});

        drop(receiver);

        sending.join().unwrap();
    }
}
