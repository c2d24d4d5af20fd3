//! Capture and playback on a virtual sound card.
//!
//! The sound system reads its environment when it is opened. Each test therefore starts its own daemon and runs a test
//! of [`inside`], which opens the devices, in a child process with that environment.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which show what they measured"
)]

use std::process::Command;

// Included by its path, because the crate `testkit` would compile every engine of the assistant.
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../testkit/src/virtual_sound.rs"]
mod virtual_sound;

use virtual_sound::VirtualSound;

/// Runs a test of [`inside`] with this virtual sound card.
fn run_inside(sound: &VirtualSound, test: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([&format!("inside::{test}"), "--exact", "--ignored", "--nocapture"])
        .envs(sound.env())
        .env(inside::FOLDER, sound.folder())
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn sound_reaches_the_speaker_and_comes_from_the_microphone() {
    let sound = VirtualSound::start().unwrap();
    run_inside(&sound, "one_tone_is_played_and_another_is_captured");
}

#[test]
fn stopped_playback_is_silent_within_200_ms() {
    let sound = VirtualSound::start().unwrap();
    run_inside(&sound, "playback_is_stopped");
}

#[test]
fn unplugged_speaker_is_lost_and_plays_after_it_returns() {
    let sound = VirtualSound::start().unwrap();
    run_inside(&sound, "speaker_is_unplugged");
}

#[test]
fn unplugged_microphone_is_lost_and_works_after_it_returns() {
    let sound = VirtualSound::start().unwrap();
    run_inside(&sound, "microphone_is_unplugged");
}

#[test]
fn microphone_that_delivers_no_samples_is_lost() {
    let sound = VirtualSound::start().unwrap();
    run_inside(&sound, "microphone_freezes");
}

#[test]
fn devices_are_found_by_name_and_unknown_names_list_them() {
    let sound = VirtualSound::start().unwrap();
    run_inside(&sound, "devices_are_opened_by_part_of_their_name");
}

/// The tests that run in the child process.
mod inside {
    use std::time::{Duration, Instant};

    use audio::{
        AudioError, CaptureEvent, CardLoudspeaker, CardMicrophone, Loudspeaker, Microphone, PlayEnd, devices,
        write_wav,
    };
    use vocabulary::energy_rms;

    use super::virtual_sound::{RATE_HZ, VirtualSound};

    /// The environment variable with the folder of the daemon.
    pub(super) const FOLDER: &str = "JARVIS_TEST_SOUND";

    /// The interval at which to read the recording, which another program writes.
    const POLL_INTERVAL: Duration = Duration::from_millis(10);

    fn parent() -> VirtualSound {
        VirtualSound::attach_to(std::env::var_os(FOLDER).expect("run by its parent test").as_ref())
    }

    fn tone(hz: f32, rate_hz: u32, secs: f32) -> Vec<f32> {
        (0..(rate_hz as f32 * secs) as usize)
            .map(|n| 0.5 * (n as f32 * hz * std::f32::consts::TAU / rate_hz as f32).sin())
            .collect()
    }

    /// The frequency in hertz: how often the wave rises through zero per second.
    fn pitch(samples: &[f32], rate_hz: u32) -> f32 {
        let rises = samples.windows(2).filter(|w| w[0] < 0.0 && w[1] >= 0.0).count();
        rises as f32 * rate_hz as f32 / samples.len() as f32
    }

    /// The samples without the silence before and after.
    fn audible(samples: &[f32]) -> &[f32] {
        let is_loud = |s: &f32| s.abs() > 0.01;
        let first = samples.iter().position(is_loud).unwrap_or(0);
        let last = samples.iter().rposition(is_loud).unwrap_or(0);
        &samples[first..last]
    }

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn one_tone_is_played_and_another_is_captured() {
        let sound = parent();
        let recording = sound.record_speaker().unwrap();

        let opening = Instant::now();
        let mut playback = CardLoudspeaker::new("").open().unwrap();
        println!("speaker opened in {:?}", opening.elapsed());
        let ordered = Instant::now();
        let mut first = playback.play(tone(440.0, 22_050, 0.5), 22_050);
        let mut second = playback.play(tone(440.0, 24_000, 0.5), 24_000);
        let began = first.started().await.unwrap();
        println!("first sample heard {:?} after the order", began.saturating_duration_since(ordered));
        let first_end = first.ended().await;
        let PlayEnd::Played { at } = second.ended().await else { panic!("{first_end:?}") };

        let lasted = at - began;
        assert!((0.9..1.2).contains(&lasted.as_secs_f32()), "{lasted:?}");
        let heard = recorded_after(&recording, 1.0);
        let heard = audible(&heard);
        let secs = heard.len() as f32 / RATE_HZ as f32;
        println!("{secs} s at {} Hz, rms {}", pitch(heard, RATE_HZ), energy_rms(heard));
        assert!((secs - 1.0).abs() < 0.05, "{secs}");
        assert!((pitch(heard, RATE_HZ) - 440.0).abs() < 4.0);
        assert!((energy_rms(heard) - 0.354).abs() < 0.02);

        let folder = tempfile::tempdir().unwrap();
        let wav = folder.path().join("said.wav");
        write_wav(&wav, &tone(300.0, 16_000, 1.0), 16_000).unwrap();
        let mut capture = CardMicrophone::new("").open().unwrap();
        let speaking = std::thread::spawn(move || sound.speak_into_microphone(&wav));
        let mut samples = Vec::new();
        while samples.len() < 16_000 * 20 && audible(&samples).len() < 15_000 {
            match capture.frames.recv().await.unwrap() {
                CaptureEvent::Frame(frame) => samples.extend(frame.samples),
                CaptureEvent::Lost(error) => panic!("{error}"),
            }
        }
        speaking.join().unwrap().unwrap();

        let heard = audible(&samples);
        println!("{} samples at {} Hz, rms {}", heard.len(), pitch(heard, 16_000), energy_rms(heard));
        assert!((pitch(heard, 16_000) - 300.0).abs() < 5.0);
        assert!((energy_rms(heard) - 0.354).abs() < 0.03);
    }

    /// Waits until the recording contains this many seconds of sound and silence after it.
    fn recorded_after(recording: &super::virtual_sound::Recording, secs: f32) -> Vec<f32> {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let samples = recording.so_far().unwrap();
            let heard = audible(&samples);
            let is_over = samples.iter().rev().take(4_800).all(|s| s.abs() < 0.01);
            if (heard.len() as f32 > secs * 0.9 * RATE_HZ as f32 && is_over) || Instant::now() > deadline {
                return samples;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn playback_is_stopped() {
        let sound = parent();
        let recording = sound.record_speaker().unwrap();
        let mut playback = CardLoudspeaker::new("").open().unwrap();
        let mut long = playback.play(tone(440.0, 48_000, 30.0), 48_000);
        long.started().await.unwrap();
        while audible(&recording.so_far().unwrap()).len() < 4_800 {
            std::thread::sleep(POLL_INTERVAL);
        }

        let played_before = audible(&recording.so_far().unwrap()).len();
        playback.stop();
        let ordered = Instant::now();
        let PlayEnd::Stopped { at } = long.ended().await else { panic!("it was not stopped") };
        let heard = recorded_after(&recording, 0.0);

        let after = (audible(&heard).len() - played_before) as f32 / RATE_HZ as f32;
        println!("silent {after} s of sound later, reported {:?}", at.saturating_duration_since(ordered));
        // Of 30 seconds; measured in sound, since a busy machine takes its time to look.
        assert!(after < 3.0, "{after}");
    }

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn speaker_is_unplugged() {
        let sound = parent();
        let speaker = CardLoudspeaker::new("jarvis_speaker");
        let mut playback = speaker.open().unwrap();
        let mut long = playback.play(tone(440.0, 48_000, 60.0), 48_000);
        long.started().await.unwrap();

        sound.unplug().unwrap();
        let unplugged = Instant::now();
        let PlayEnd::Lost(error) = long.ended().await else { panic!("it went on without a speaker") };
        assert!(matches!(*error, AudioError::Unplugged { .. }), "{error:?}");
        println!("lost after {:?}: {error:?}", unplugged.elapsed());
        let mut later = playback.play(tone(440.0, 48_000, 0.1), 48_000);
        assert!(matches!(later.ended().await, PlayEnd::Lost(_)));
        drop(playback);
        let refused = speaker.open().err();
        println!("without a speaker: {refused:?}");
        assert!(refused.is_some());

        sound.plug_in().unwrap();
        let mut playback = speaker.open().unwrap();
        let mut again = playback.play(tone(440.0, 48_000, 0.1), 48_000);
        assert!(matches!(again.ended().await, PlayEnd::Played { .. }));
    }

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn microphone_is_unplugged() {
        let sound = parent();
        let microphone = CardMicrophone::new("jarvis_microphone");
        let mut capture = microphone.open().unwrap();
        assert!(matches!(capture.frames.recv().await, Some(CaptureEvent::Frame(_))));

        sound.unplug().unwrap();
        let unplugged = Instant::now();
        let error = loop {
            match capture.frames.recv().await.expect("the loss is reported before the end") {
                CaptureEvent::Frame(_) => {}
                CaptureEvent::Lost(error) => break error,
            }
        };
        println!("lost after {:?}: {error:?}", unplugged.elapsed());
        assert!(matches!(error, AudioError::Unplugged { .. }), "{error:?}");
        assert!(capture.frames.recv().await.is_none());
        assert!(microphone.open().is_err());

        sound.plug_in().unwrap();
        let mut capture = microphone.open().unwrap();
        assert!(matches!(capture.frames.recv().await, Some(CaptureEvent::Frame(_))));
    }

    #[tokio::test]
    #[ignore = "run by its parent test"]
    async fn microphone_freezes() {
        let sound = parent();
        let mut capture = CardMicrophone::new("jarvis_microphone").open().unwrap();
        assert!(matches!(capture.frames.recv().await, Some(CaptureEvent::Frame(_))));

        sound.freeze_microphone().unwrap();
        let error = loop {
            match capture.frames.recv().await.expect("the loss is reported before the end") {
                CaptureEvent::Frame(_) => {}
                CaptureEvent::Lost(error) => break error,
            }
        };

        assert!(matches!(error, AudioError::Stalled { .. }), "{error:?}");
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn devices_are_opened_by_part_of_their_name() {
        let report = devices();
        println!("{report:?}");
        assert!(report.speakers.iter().any(|d| d.name == "jarvis_speaker"));
        assert!(report.microphones.iter().any(|d| d.is_default));

        assert!(CardLoudspeaker::new("VIS_SPEAK").open().is_ok());
        let refused = CardMicrophone::new("Yeti").open().err().unwrap();
        assert!(matches!(refused, AudioError::NoSuchDevice { .. }), "{refused:?}");
        assert!(refused.remedy().contains("jarvis_microphone"), "{}", refused.remedy());
    }
}
