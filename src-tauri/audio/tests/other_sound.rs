//! The sound of other programs on a virtual sound card: quieter, and as loud as before.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::process::Command;

// Included by its path, because the crate `testkit` would compile every engine of the assistant.
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../testkit/src/virtual_sound.rs"]
mod virtual_sound;

use rstest::rstest;
use virtual_sound::VirtualSound;

/// Each test has its own daemon: the product reads its environment.
#[rstest]
#[case::as_loud_as_before("other_program_is_quieter_for_a_while")]
#[case::after_a_crash("next_run_restores_what_a_run_that_broke_off_made_quieter")]
#[case::changed_by_the_user("volume_that_was_changed_meanwhile_stays")]
#[case::balanced("channels_keep_their_balance")]
fn sound_of_other_programs_is_restored(#[case] test: &str) {
    let sound = VirtualSound::start().unwrap();
    let mut inside = Command::new(std::env::current_exe().unwrap());
    inside.args([&format!("inside::{test}"), "--exact", "--ignored", "--nocapture"]).envs(sound.env());

    let output = inside.output().unwrap();

    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// The tests that run in the child process.
mod inside {
    use std::path::PathBuf;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    use audio::{CardLoudspeaker, Loudspeaker, OtherSound, SoundServer};
    use serde_json::Value;

    const LOUD: u64 = 65_536;

    /// Another program that plays for half a minute.
    struct OtherProgram {
        process: Child,
        folder: tempfile::TempDir,
    }

    impl OtherProgram {
        fn play() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("tone.raw");
            let tone = (0..16_000 * 30).map(|n| (3_000.0 * (n as f32 * 0.2).sin()) as i16);
            let both_channels: Vec<u8> =
                tone.flat_map(|sample| [sample, sample]).flat_map(i16::to_le_bytes).collect();
            std::fs::write(&file, both_channels).unwrap();
            let form = ["--raw", "--rate=16000", "--channels=2", "--format=s16le"];
            let process = Command::new("paplay").args(form).arg(&file).spawn().unwrap();
            let program = Self { process, folder };
            until(|| volumes_of("paplay") == [[LOUD, LOUD]]);
            program
        }

        fn note(&self) -> PathBuf {
            self.folder.path().join("volumes.json")
        }
    }

    impl Drop for OtherProgram {
        fn drop(&mut self) {
            // Errors mean that it has already ended.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }

    fn pactl(arguments: &[&str]) -> String {
        let output = Command::new("pactl").args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The volumes of both channels of the streams of a program whose name begins so.
    fn volumes_of(program: &str) -> Vec<[u64; 2]> {
        let streams: Vec<Value> =
            serde_json::from_str(&pactl(&["--format=json", "list", "sink-inputs"])).unwrap();
        let is_meant = |stream: &&Value| {
            stream["properties"]["application.name"].as_str().is_some_and(|name| name.starts_with(program))
        };
        let channel = |stream: &Value, name: &str| stream["volume"][name]["value"].as_u64().unwrap();
        let both = |stream: &Value| [channel(stream, "front-left"), channel(stream, "front-right")];
        streams.iter().filter(is_meant).map(both).collect()
    }

    /// Other programs send no notification.
    fn until(condition: impl Fn() -> bool) {
        let began = Instant::now();
        while !condition() {
            assert!(began.elapsed() < Duration::from_secs(20), "it did not come to that");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn other_program_is_quieter_for_a_while() {
        let other = OtherProgram::play();
        let mut ours = CardLoudspeaker::new("").open().unwrap();
        let _playing = ours.play(vec![0.1; 16_000 * 30], 16_000);
        until(|| volumes_of("ALSA").len() == 1);
        let server = SoundServer::new(other.note());

        server.lower().unwrap();
        server.lower().unwrap();
        let lowered = (volumes_of("paplay"), volumes_of("ALSA"));
        let is_noted = other.note().exists();
        server.restore().unwrap();

        assert_eq!(lowered, (vec![[26_214, 26_214]], volumes_of("ALSA")), "our own sound is left alone");
        assert_eq!(volumes_of("paplay"), [[LOUD, LOUD]]);
        assert!(is_noted && !other.note().exists());
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn next_run_restores_what_a_run_that_broke_off_made_quieter() {
        let other = OtherProgram::play();
        SoundServer::new(other.note()).lower().unwrap();
        let lowered = volumes_of("paplay");

        SoundServer::new(other.note()).restore().unwrap();

        assert_eq!((lowered, volumes_of("paplay")), (vec![[26_214, 26_214]], vec![[LOUD, LOUD]]));
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn volume_that_was_changed_meanwhile_stays() {
        let other = OtherProgram::play();
        let server = SoundServer::new(other.note());
        server.lower().unwrap();
        pactl(&["set-sink-input-volume", &stream(), "40000"]);

        server.restore().unwrap();

        assert_eq!(volumes_of("paplay"), [[40_000, 40_000]]);
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn channels_keep_their_balance() {
        let other = OtherProgram::play();
        let server = SoundServer::new(other.note());
        pactl(&["set-sink-input-volume", &stream(), "60000", "30000"]);

        server.lower().unwrap();
        let lowered = volumes_of("paplay");
        server.restore().unwrap();

        assert_eq!((lowered, volumes_of("paplay")), (vec![[24_000, 12_000]], vec![[60_000, 30_000]]));
    }

    /// The number of the only stream.
    fn stream() -> String {
        let listed = pactl(&["list", "short", "sink-inputs"]);
        listed.split_whitespace().next().unwrap().to_owned()
    }
}
