//! The queue of frames between a capture and its receiver.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::Notify;
use vocabulary::Frame;

use crate::AudioError;

/// The deliveries of an open microphone.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every event is a frame: a box for each would cost an allocation"
)]
pub enum CaptureEvent {
    /// The next 20 ms of sound.
    Frame(Frame),
    /// The device failed or was unplugged. This is the last event: open the microphone again to retry.
    Lost(AudioError),
}

/// Frames that wait for a slow receiver: 1.28 s. Source: docs/behaviour/listening.md#capture, 64 blocks of 20 ms.
///
/// When the queue is full, the oldest frame is dropped: the newest words matter most.
pub const FRAME_QUEUE_LENGTH: usize = 64;

/// Creates a queue of [`FRAME_QUEUE_LENGTH`] frames.
pub fn frame_queue() -> (FrameSender, FrameReceiver) {
    let queue = Arc::new(Queue::default());
    (FrameSender { queue: queue.clone() }, FrameReceiver { queue })
}

/// The sending half of a frame queue. Dropping it ends the queue after its last event.
pub struct FrameSender {
    queue: Arc<Queue>,
}

impl FrameSender {
    /// Queues a frame. When the queue is full, the oldest frame is dropped and counted.
    pub fn send(&self, frame: Frame) {
        self.queue.update(|state| {
            if state.events.len() >= FRAME_QUEUE_LENGTH {
                state.events.pop_front();
                self.queue.dropped.fetch_add(1, Ordering::Relaxed);
            }
            state.events.push_back(CaptureEvent::Frame(frame));
        });
    }

    /// Queues a frame and waits for room first: for sound from a file, which must lose no frame.
    ///
    /// Returns false when the receiver was dropped.
    pub fn send_blocking(&self, frame: Frame) -> bool {
        let mut state = self.queue.lock();
        while state.events.len() >= FRAME_QUEUE_LENGTH && !state.is_receiver_dropped {
            self.queue.changed.wait(&mut state);
        }
        let has_receiver = !state.is_receiver_dropped;
        drop(state);
        self.send(frame);
        has_receiver
    }

    /// Ends the queue because the device failed.
    pub fn fail(self, error: AudioError) {
        self.queue.update(|state| state.events.push_back(CaptureEvent::Lost(error)));
    }

    /// Returns `true` if the receiver still exists.
    pub fn has_receiver(&self) -> bool {
        !self.queue.lock().is_receiver_dropped
    }
}

impl Drop for FrameSender {
    fn drop(&mut self) {
        self.queue.update(|state| state.is_sender_dropped = true);
    }
}

/// The receiving half of a frame queue.
pub struct FrameReceiver {
    queue: Arc<Queue>,
}

impl FrameReceiver {
    /// The next event; `None` after the last one. Cancel-safe.
    pub async fn recv(&mut self) -> Option<CaptureEvent> {
        loop {
            // Created before the queue is read, so that a frame added in between wakes this task.
            let event_added = self.queue.event_added.notified();
            if let Some(event) = self.try_recv() {
                return event;
            }
            event_added.await;
        }
    }

    /// The next event; `None` after the last one. Blocks this thread.
    pub fn blocking_recv(&mut self) -> Option<CaptureEvent> {
        let mut state = self.queue.lock();
        while state.events.is_empty() && !state.is_sender_dropped {
            self.queue.changed.wait(&mut state);
        }
        let event = state.events.pop_front();
        drop(state);
        self.queue.changed.notify_all();
        event
    }

    /// The number of events that wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.queue.lock().events.len()
    }

    /// The number of frames dropped so far because the queue was full.
    pub fn dropped(&self) -> u64 {
        self.queue.dropped.load(Ordering::Relaxed)
    }

    /// `None` while the queue is empty, `Some(None)` at its end.
    fn try_recv(&self) -> Option<Option<CaptureEvent>> {
        let mut state = self.queue.lock();
        let event = state.events.pop_front();
        let has_ended = state.is_sender_dropped;
        drop(state);
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
        self.queue.update(|state| {
            state.is_receiver_dropped = true;
            state.events.clear();
        });
    }
}

#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    /// Wakes waiting threads.
    changed: Condvar,
    /// Wakes a waiting task.
    event_added: Notify,
    dropped: AtomicU64,
}

impl Queue {
    fn update(&self, update: impl FnOnce(&mut QueueState)) {
        update(&mut self.lock());
        self.changed.notify_all();
        self.event_added.notify_one();
    }

    /// Ignores a panic of another thread: at most one frame is missing.
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock()
    }
}

#[derive(Default)]
struct QueueState {
    events: VecDeque<CaptureEvent>,
    is_sender_dropped: bool,
    is_receiver_dropped: bool,
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
    async fn slow_receiver_loses_the_oldest_frames_and_counts_them() {
        let (sender, mut receiver) = frame_queue();

        for n in 0..FRAME_QUEUE_LENGTH + 3 {
            sender.send(frame_of(n as f32));
        }

        assert_eq!(value_of(receiver.recv().await), Some(3.0));
        assert_eq!(receiver.dropped(), 3);
    }

    #[tokio::test]
    async fn frames_before_a_device_failure_are_still_received() {
        let (sender, mut receiver) = frame_queue();

        sender.send(frame_of(0.5));
        sender.fail(AudioError::Closed);

        assert_eq!(value_of(receiver.recv().await), Some(0.5));
        assert!(matches!(receiver.recv().await, Some(CaptureEvent::Lost(AudioError::Closed))));
        assert!(receiver.recv().await.is_none());
    }

    #[test]
    fn blocking_sender_waits_for_the_receiver_and_loses_nothing() {
        let (sender, mut receiver) = frame_queue();
        let sending = std::thread::spawn(move || (0..500).all(|n| sender.send_blocking(frame_of(n as f32))));

        let values: Vec<f32> = std::iter::from_fn(|| value_of(receiver.blocking_recv())).collect();

        assert!(sending.join().unwrap());
        assert_eq!(values, (0..500).map(|n| n as f32).collect::<Vec<_>>());
    }

    #[test]
    fn blocking_sender_ends_when_the_receiver_is_dropped() {
        let (sender, receiver) = frame_queue();
        let sending = std::thread::spawn(move || while sender.send_blocking(frame_of(0.0)) {});

        drop(receiver);

        sending.join().unwrap();
    }
}
