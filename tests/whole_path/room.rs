//! A room in which a recording can be played at any time, with the moment its last word ended.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use audio::{AudioError, Capture, Microphone, frame_queue};
use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame};

/// Speech to be played into the room, and where its end is reported.
struct Order {
    samples: Vec<f32>,
    ended: tokio::sync::oneshot::Sender<Instant>,
}

/// A quiet room: frames of silence in real time, speech when it is ordered.
pub struct Room {
    orders: mpsc::Sender<Order>,
    waiting: std::sync::Mutex<Option<mpsc::Receiver<Order>>>,
}

impl Room {
    pub fn new() -> Self {
        let (orders, waiting) = mpsc::channel();
        Self { orders, waiting: std::sync::Mutex::new(Some(waiting)) }
    }

    /// Plays samples at 16 kHz, and returns when the last of them was captured.
    pub async fn play(&self, samples: Vec<f32>) -> Instant {
        let (ended, end) = tokio::sync::oneshot::channel();
        self.orders.send(Order { samples, ended }).unwrap();
        end.await.unwrap()
    }
}

impl Microphone for Room {
    fn open(&self) -> Result<Capture, AudioError> {
        let orders = self.waiting.lock().unwrap().take().expect("the room is opened once");
        let (frames, heard) = frame_queue();
        std::thread::spawn(move || {
            let mut next = Instant::now();
            let mut speech: Vec<f32> = Vec::new();
            let mut ended = None;
            let mut noise: u32 = 1;
            while frames.has_receiver() {
                if speech.is_empty()
                    && ended.is_none()
                    && let Ok(order) = orders.try_recv()
                {
                    speech = order.samples;
                    ended = Some(order.ended);
                }
                next += FRAME_DURATION;
                std::thread::sleep(next.saturating_duration_since(Instant::now()));
                let mut frame = Frame::silence(Instant::now());
                for sample in &mut frame.samples {
                    // The faint hiss of a real room, -66 dB.
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    *sample = (noise >> 8) as f32 / 16_777_216.0 * 0.001 - 0.0005;
                }
                let taken = speech.len().min(FRAME_SAMPLES);
                for (sample, spoken) in frame.samples.iter_mut().zip(speech.drain(..taken)) {
                    *sample += spoken;
                }
                frames.send(frame);
                if speech.is_empty()
                    && let Some(ended) = ended.take()
                {
                    let missing = Duration::from_secs_f64((FRAME_SAMPLES - taken) as f64 / 16_000.0);
                    let _ = ended.send(Instant::now() - if taken == 0 { Duration::ZERO } else { missing });
                }
            }
        });
        Ok(Capture::new(heard, ()))
    }

    fn name(&self) -> String {
        "bench".into()
    }
}
