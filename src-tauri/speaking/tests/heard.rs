//! The speech queue on a virtual sound card: the delay of its sound and of a stop.
//!
//! The sound system reads its environment when it is opened. The test therefore starts its own daemon and runs the test
//! of [`inside`], which opens the devices, in a child process with that environment.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which show what they measured"
)]

use std::process::Command;

use testkit::VirtualSound;

#[test]
fn stopped_reply_is_silent_within_200_ms() {
    let sound = VirtualSound::start().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["inside::reply_is_spoken_and_stopped", "--exact", "--ignored", "--nocapture"])
        .envs(sound.env())
        .env(inside::FOLDER, sound.folder())
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// The test that runs in the child process.
mod inside {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use audio::CardLoudspeaker;
    use speaking::{SpeakingConfig, SpeechHandle, SpeechQueue, SpeechReport};
    use testkit::{Recording, ToneVoices, VIRTUAL_RATE_HZ, VirtualSound};
    use tokio_util::sync::CancellationToken;
    use vocabulary::{ReplyId, SpeechEvent};

    /// The environment variable with the folder of the daemon.
    pub(super) const FOLDER: &str = "JARVIS_TEST_SOUND";
    /// The longest time from a stop to silence.
    const MAX_STOP_DELAY: Duration = Duration::from_millis(200);
    /// The interval at which to read the recording, which another program writes.
    const POLL_INTERVAL: Duration = Duration::from_millis(5);
    /// More than one, because a busy machine may delay some of them.
    const ATTEMPTS: u64 = 5;

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn reply_is_spoken_and_stopped() {
        let sound = VirtualSound::attach_to(std::env::var_os(FOLDER).expect("run by its parent").as_ref());
        let recording = sound.record_speaker().unwrap();
        let (queue, handle, mut reports) = SpeechQueue::new(
            Arc::new(CardLoudspeaker::new("")),
            Arc::new(ToneVoices::default()),
            SpeakingConfig::default(),
        );
        let stop = CancellationToken::new();
        let task = tokio::spawn(queue.run(stop.clone()));

        let mut stop_delays = Vec::new();
        for reply in 1..=ATTEMPTS {
            stop_delays.push(speak_and_stop(&handle, ReplyId(reply), &recording).await);
            loop {
                match reports.recv().await.unwrap() {
                    SpeechReport::Speech(SpeechEvent::Interrupted { .. }) => break,
                    SpeechReport::Trouble(trouble) => panic!("{trouble}"),
                    _ => {}
                }
            }
        }
        stop.cancel();
        task.await.unwrap();

        println!("stop delays: {stop_delays:?}");
        assert!(stop_delays.iter().any(|after| *after < MAX_STOP_DELAY), "{stop_delays:?}");
    }

    /// The duration of the sound after the stop.
    async fn speak_and_stop(handle: &SpeechHandle, reply: ReplyId, recording: &Recording) -> Duration {
        let heard_before = audible_samples(recording);
        let said_at = Instant::now();
        let sentence = "This hums for quite a while, until the test stops it. ".repeat(4);
        handle.say(reply, sentence, None).await;
        wait_until(|| audible_samples(recording) > heard_before).await;
        println!("heard after {:?}", said_at.elapsed());
        wait_until(|| audible_samples(recording) > heard_before + VIRTUAL_RATE_HZ as usize / 2).await;

        handle.stop_speaking();
        let heard_at_stop = audible_samples(recording);
        handle.finish(reply).await;
        let mut heard = heard_at_stop;
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let now = audible_samples(recording);
            if now == heard {
                break;
            }
            heard = now;
        }
        Duration::from_secs_f64((heard - heard_at_stop) as f64 / f64::from(VIRTUAL_RATE_HZ))
    }

    /// The number of recorded samples that are not silence.
    fn audible_samples(recording: &Recording) -> usize {
        recording.so_far().unwrap().iter().filter(|sample| sample.abs() > 0.001).count()
    }

    async fn wait_until(mut is_reached: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_reached() {
            assert!(began.elapsed() < Duration::from_secs(20), "nothing was heard");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}
