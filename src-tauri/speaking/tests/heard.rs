//! The queue with a real speaker, on a sound card without hardware: when is what heard?
//!
//! The sound system reads its environment when it is opened, so the test starts a daemon of its own and runs the part
//! that opens devices, the test in [`inside`], as a child process in that environment.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which show what they measured"
)]

use std::process::Command;

use testkit::VirtualSound;

#[test]
fn a_reply_is_heard_soon_and_falls_silent_within_200_ms() {
    let sound = VirtualSound::start().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["inside::a_reply_is_spoken_and_silenced", "--exact", "--ignored", "--nocapture"])
        .envs(sound.env())
        .env(inside::FOLDER, sound.folder())
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// What runs in the child process.
mod inside {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use audio::CardLoudspeaker;
    use speaking::{SpeakingConfig, SpeechHandle, SpeechNews, SpeechQueue};
    use testkit::{Recording, ToneVoices, VIRTUAL_RATE_HZ, VirtualSound};
    use tokio_util::sync::CancellationToken;
    use vocabulary::{ReplyId, SpeechEvent};

    /// Where the parent's daemon lives.
    pub(super) const FOLDER: &str = "JARVIS_TEST_SOUND";
    /// The user's promise: stop means silence within it.
    const SILENT_WITHIN: Duration = Duration::from_millis(200);
    /// Another program records: it can only be looked at again and again.
    const LOOK_EVERY: Duration = Duration::from_millis(5);
    /// A busy machine may hold up any one of them.
    const ATTEMPTS: u64 = 5;

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn a_reply_is_spoken_and_silenced() {
        let sound = VirtualSound::attach_to(std::env::var_os(FOLDER).expect("run by its parent").as_ref());
        let recording = sound.record_speaker().unwrap();
        let (queue, handle, mut news) = SpeechQueue::new(
            Arc::new(CardLoudspeaker::new("")),
            Arc::new(ToneVoices::default()),
            SpeakingConfig::default(),
        );
        let stop = CancellationToken::new();
        let task = tokio::spawn(queue.run(stop.clone()));

        let mut silent_after = Vec::new();
        for reply in 1..=ATTEMPTS {
            silent_after.push(speak_and_stop(&handle, ReplyId(reply), &recording).await);
            loop {
                match news.recv().await.unwrap() {
                    SpeechNews::Speech(SpeechEvent::Interrupted { .. }) => break,
                    SpeechNews::Trouble(trouble) => panic!("{trouble}"),
                    _ => {}
                }
            }
        }
        stop.cancel();
        task.await.unwrap();

        println!("silent after {silent_after:?}");
        assert!(silent_after.iter().any(|after| *after < SILENT_WITHIN), "{silent_after:?}");
    }

    /// How much sound came after the order to be silent.
    async fn speak_and_stop(handle: &SpeechHandle, reply: ReplyId, recording: &Recording) -> Duration {
        let before = sounding(recording);
        let ordered = Instant::now();
        let sentence = "This hums for quite a while, as long as nobody stops it from doing so. ".repeat(3);
        handle.say(reply, sentence).await;
        until(|| sounding(recording) > before).await;
        println!("heard after {:?}", ordered.elapsed());
        until(|| sounding(recording) > before + VIRTUAL_RATE_HZ as usize / 2).await;

        handle.fall_silent();
        let heard_at_the_order = sounding(recording);
        handle.finish(reply).await;
        let mut heard = heard_at_the_order;
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let now = sounding(recording);
            if now == heard {
                break;
            }
            heard = now;
        }
        Duration::from_secs_f64((heard - heard_at_the_order) as f64 / f64::from(VIRTUAL_RATE_HZ))
    }

    /// Samples recorded so far that are no silence.
    fn sounding(recording: &Recording) -> usize {
        recording.so_far().unwrap().iter().filter(|sample| sample.abs() > 0.001).count()
    }

    async fn until(mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(20), "nothing was heard");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
