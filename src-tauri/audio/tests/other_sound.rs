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
#[case::ended("program_that_ended_while_it_was_quieter_is_loud_when_it_plays_again")]
#[case::lowered_again("stream_that_is_still_quiet_is_not_made_quieter_again")]
#[case::same_name("other_stream_of_the_same_program_stays")]
#[case::sound_server("streams_of_the_sound_server_are_left_alone")]
fn sound_of_other_programs_is_restored(#[case] test: &str) {
    let sound = VirtualSound::start().unwrap();
    let mut inside = Command::new(std::env::current_exe().unwrap());
    inside.args([&format!("inside::{test}"), "--exact", "--ignored", "--nocapture"]).envs(sound.env());

    let output = inside.output().unwrap();

    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// In place of `pactl` a program lists one stream in 1.5 s, and hangs when it changes a volume.
#[test]
fn sound_server_that_hangs_holds_nobody_up() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let stream = r#"[{"index":7,"channel_map":"mono","volume":{"mono":{"value":26214}},
        "properties":{"application.name":"player","application.process.id":"1"}}]"#;
    std::fs::write(folder.path().join("streams.json"), stream).unwrap();
    let note = r#"[{"index":7,"process":"1","program":"player","before":[65536],"now":[26214]}]"#;
    std::fs::write(folder.path().join("volumes.json"), note).unwrap();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *list*) sleep 1.5; cat {}/streams.json;; *) exec sleep 30;; esac\n",
        folder.path().display()
    );
    let program = folder.path().join("pactl");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut inside = Command::new(std::env::current_exe().unwrap());
    inside.args(["inside::restoring_ends_in_time_and_keeps_its_note", "--exact", "--ignored", "--nocapture"]);

    let output = inside.env("PATH", path).env("TEST_FOLDER", folder.path()).output().unwrap();

    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// The tests that run in the child process.
mod inside {
    use std::path::PathBuf;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    use audio::{CardLoudspeaker, Loudspeaker, OtherSound, OtherSoundError, SoundServer};
    use serde_json::Value;

    const LOUD: u64 = 65_536;

    /// Another program that plays for half a minute.
    struct OtherProgram {
        process: Child,
        folder: tempfile::TempDir,
    }

    impl OtherProgram {
        fn play() -> Self {
            let program = Self::start("2");
            until(|| volumes_of("paplay") == [[LOUD, LOUD]]);
            program
        }

        /// Plays at the volume that the sound server chooses.
        fn start(channels: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("tone.raw");
            let tone = (0..16_000 * 30).map(|n| (3_000.0 * (n as f32 * 0.2).sin()) as i16);
            let both_channels: Vec<u8> =
                tone.flat_map(|sample| [sample, sample]).flat_map(i16::to_le_bytes).collect();
            std::fs::write(&file, both_channels).unwrap();
            let form = ["--raw", "--rate=16000", "--format=s16le"];
            let process = Command::new("paplay")
                .args(form)
                .arg(format!("--channels={channels}"))
                .arg(&file)
                .spawn()
                .unwrap();
            Self { process, folder }
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

    /// The volumes of both channels, or twice that of the only one, of the streams of a program whose name begins so.
    fn volumes_of(program: &str) -> Vec<[u64; 2]> {
        let streams: Vec<Value> =
            serde_json::from_str(&pactl(&["--format=json", "list", "sink-inputs"])).unwrap();
        let is_meant = |stream: &&Value| {
            stream["properties"]["application.name"].as_str().is_some_and(|name| name.starts_with(program))
        };
        let channel = |stream: &Value, name: &str| stream["volume"][name]["value"].as_u64().unwrap();
        let both = |stream: &Value| match stream["volume"]["mono"]["value"].as_u64() {
            Some(mono) => [mono, mono],
            None => [channel(stream, "front-left"), channel(stream, "front-right")],
        };
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
        assert!(server.restore().unwrap());

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

    #[test]
    #[ignore = "run by its parent test"]
    fn program_that_ended_while_it_was_quieter_is_loud_when_it_plays_again() {
        // It remembers the volume for the next stream of a program.
        pactl(&["load-module", "module-stream-restore"]);
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("volumes.json");
        let mut server = SoundServer::new(note.clone());
        for channels in ["2", "1"] {
            until(|| volumes_of("paplay").is_empty());
            let other = OtherProgram::play();
            server.lower().unwrap();
            drop(other);
            until(|| volumes_of("paplay").is_empty());
            assert!(!server.restore().unwrap() && note.exists());
            // The next run knows it, too.
            server = SoundServer::new(note.clone());
            assert!(!server.restore().unwrap() && note.exists());

            let _again = OtherProgram::start(channels);
            until(|| volumes_of("paplay") == [[26_214, 26_214]]);
            let is_restored = server.restore().unwrap();

            assert_eq!((is_restored, volumes_of("paplay"), note.exists()), (true, vec![[LOUD, LOUD]], false));
        }
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn stream_that_is_still_quiet_is_not_made_quieter_again() {
        pactl(&["load-module", "module-stream-restore"]);
        let folder = tempfile::tempdir().unwrap();
        let server = SoundServer::new(folder.path().join("volumes.json"));
        let other = OtherProgram::play();
        server.lower().unwrap();
        drop(other);
        until(|| volumes_of("paplay").is_empty());
        assert!(!server.restore().unwrap());
        let _again = OtherProgram::start("2");
        until(|| volumes_of("paplay") == [[26_214, 26_214]]);

        server.lower().unwrap();
        let lowered = volumes_of("paplay");

        assert_eq!(lowered, [[26_214, 26_214]]);
        assert!(server.restore().unwrap());
        assert_eq!(volumes_of("paplay"), [[LOUD, LOUD]]);
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn other_stream_of_the_same_program_stays() {
        let other = OtherProgram::play();
        let server = SoundServer::new(other.note());
        server.lower().unwrap();
        let _second = OtherProgram::start("2");
        until(|| volumes_of("paplay").len() == 2);
        pactl(&["set-sink-input-volume", &streams()[1], "26214"]);

        assert!(server.restore().unwrap());

        assert_eq!(volumes_of("paplay"), [[LOUD, LOUD], [26_214, 26_214]]);
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn streams_of_the_sound_server_are_left_alone() {
        let other = OtherProgram::play();
        let source = format!("source={}.monitor", super::virtual_sound::MICROPHONE);
        pactl(&["load-module", "module-loopback", &source]);
        until(|| streams().len() == 2);

        SoundServer::new(other.note()).lower().unwrap();

        let listed = pactl(&["list", "sink-inputs"]);
        assert_eq!(
            [listed.matches("front-left: 26214 ").count(), listed.matches("front-left: 65536 ").count()],
            [1, 1]
        );
    }

    #[test]
    #[ignore = "run by its parent test"]
    fn restoring_ends_in_time_and_keeps_its_note() {
        let note = PathBuf::from(std::env::var_os("TEST_FOLDER").unwrap()).join("volumes.json");
        let server = SoundServer::new(note.clone());
        for _ in 0..2 {
            let began = Instant::now();

            let Err(OtherSoundError::Program(error)) = server.restore() else { panic!("it does not hang") };

            assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
            assert!(began.elapsed() < Duration::from_millis(3_200), "{:?}", began.elapsed());
            assert!(note.exists());
        }
    }

    /// The number of the only stream.
    fn stream() -> String {
        streams().remove(0)
    }

    /// The numbers of all streams, oldest first.
    fn streams() -> Vec<String> {
        let listed = pactl(&["list", "short", "sink-inputs"]);
        listed.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    }
}
