//! The volume of the computer, with programs that note what they are told, and with a real sound server.

use std::sync::Arc;

use rstest::rstest;
use serde_json::{Value, json};
use testkit::ScriptedPrograms;
use tools::builtin::{DesktopParts, Parts};
use tools::desktop::{ApplicationFolders, Programs, System};

use crate::fixture::Fixture;

const LINUX: System = System::Linux { is_wayland: true };
const AT_95: &str = "Volume: front-left: 62259 /  95% / -1.34 dB";

fn with(programs: Arc<dyn Programs>, system: System) -> Fixture {
    let applications = ApplicationFolders::new(Vec::new());
    let desktop =
        DesktopParts { programs, system, applications, is_offline: tokio::sync::watch::channel(false).1 };
    Fixture::with(|parts| Parts { desktop: Some(desktop), ..parts })
}

#[rstest]
#[case::percent(json!({"percent": 40}), "The volume of the computer is 40 percent now.", &["pactl set-sink-volume @DEFAULT_SINK@ 40%", "pactl set-sink-mute @DEFAULT_SINK@ 0"])]
#[case::nothing_to_hear(json!({"percent": 0}), "The volume of the computer is 0 percent now.", &["pactl set-sink-volume @DEFAULT_SINK@ 0%"])]
#[case::up_to_the_end(json!({"change": "up"}), "The volume of the computer is 100 percent now.", &["pactl get-sink-volume @DEFAULT_SINK@", "pactl set-sink-volume @DEFAULT_SINK@ 100%", "pactl set-sink-mute @DEFAULT_SINK@ 0"])]
#[case::down(json!({"change": "down"}), "The volume of the computer is 85 percent now.", &["pactl get-sink-volume @DEFAULT_SINK@", "pactl set-sink-volume @DEFAULT_SINK@ 85%", "pactl set-sink-mute @DEFAULT_SINK@ 0"])]
#[case::off(json!({"muted": true}), "The sound of the computer is off.", &["pactl set-sink-mute @DEFAULT_SINK@ 1"])]
#[case::on(json!({"muted": false}), "The sound of the computer is on again.", &["pactl set-sink-mute @DEFAULT_SINK@ 0"])]
#[case::too_much(json!({"percent": 140}), "failed: 140 is no volume. Use a number from 0 to 100.", &[])]
#[case::nothing_named(json!({}), "failed: Ask how loud the computer is to be.", &[])]
#[tokio::test]
async fn volume_of_the_computer_is_changed(
    #[case] arguments: Value,
    #[case] expected: &str,
    #[case] run: &[&str],
) {
    let programs = Arc::new(ScriptedPrograms::default().printing("pactl", AT_95));
    let fixture = with(programs.clone(), LINUX);

    let told = fixture.told("setComputerVolume", arguments).await;

    assert_eq!(
        (told.as_str(), programs.lines()),
        (expected, run.iter().map(|&line| line.to_owned()).collect())
    );
}

#[tokio::test]
async fn program_that_finds_no_sound_server_is_passed_over() {
    let programs = ScriptedPrograms::default().failing("wpctl", "Could not connect to PipeWire");
    let fixture = with(Arc::new(programs.printing("pactl", AT_95)), LINUX);
    let alone = ScriptedPrograms::default().failing("wpctl", "Could not connect to PipeWire");
    let without = with(Arc::new(alone), LINUX);
    let bare = with(Arc::new(ScriptedPrograms::default()), LINUX);
    let told =
        |fixture: Fixture| async move { fixture.told("setComputerVolume", json!({"change": "down"})).await };

    assert_eq!(told(fixture).await, "The volume of the computer is 85 percent now.");
    assert_eq!(
        told(without).await,
        "failed: The volume of the computer could not be changed: wpctl says: Could not connect to PipeWire."
    );
    assert_eq!(
        told(bare).await,
        "failed: The volume of the computer could not be changed: wpctl or pactl is not installed."
    );
}

#[rstest]
#[case::mute("setComputerVolume", json!({"muted": true}), "The mute key was pressed: the sound of the computer is off now, or on again if it was off before.")]
#[case::louder("setComputerVolume", json!({"change": "up"}), "The computer is 10 percentage points louder now, as far as it goes.")]
#[case::percent("setComputerVolume", json!({"percent": 41}), "The volume of the computer is about 41 percent now.")]
#[case::pause("controlMedia", json!({"key": "pause"}), "The key for play and pause was pressed: what played pauses, and what was paused plays.")]
#[case::next("controlMedia", json!({"key": "next"}), "The next piece plays.")]
#[tokio::test]
async fn windows_tells_only_what_its_keys_do(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
) {
    let programs = Arc::new(ScriptedPrograms::default().printing("powershell", ""));
    let fixture = with(programs.clone(), System::Windows);

    assert_eq!(fixture.told(tool, arguments).await, expected);
    assert_eq!(programs.lines().len(), 1);
}

#[tokio::test]
async fn output_without_a_volume_of_its_own_is_named() {
    let programs = Arc::new(ScriptedPrograms::default().printing("osascript", "missing value\n"));
    let fixture = with(programs, System::MacOs);

    assert_eq!(
        fixture.told("setComputerVolume", json!({"change": "up"})).await,
        "failed: The volume of the computer could not be changed: osascript says: this output has no volume."
    );
}

#[cfg(target_os = "linux")]
mod real {
    use async_trait::async_trait;
    use testkit::VirtualSound;
    use tools::desktop::{DesktopCommand, ProgramError, SystemPrograms};

    use super::*;

    /// The programs of this system, at the sound server of the test.
    struct AtServer(Vec<String>);

    impl AtServer {
        fn new(sound: &VirtualSound) -> Self {
            let pairs = sound.env().into_iter();
            Self(pairs.map(|(name, value)| format!("{}={}", name.display(), value.display())).collect())
        }
    }

    #[async_trait]
    impl Programs for AtServer {
        async fn run(&self, command: &DesktopCommand) -> Result<String, ProgramError> {
            // The server of the test is no PipeWire.
            if command.program == "wpctl" {
                return Err(ProgramError::Missing(command.program.clone()));
            }
            let words = self.0.iter().chain([&command.program]).chain(&command.arguments);
            let arguments = words.cloned().collect();
            let command = DesktopCommand { program: "env".to_owned(), arguments, ..command.clone() };
            SystemPrograms.run(&command).await
        }
    }

    async fn state(programs: &AtServer) -> (u8, bool) {
        let ask = |word: &str| DesktopCommand {
            arguments: vec![word.to_owned(), "@DEFAULT_SINK@".to_owned()],
            ..LINUX.mute(true).pop().unwrap()
        };
        let volume = programs.run(&ask("get-sink-volume")).await.unwrap();
        let percent = volume.split_whitespace().find_map(|word| word.strip_suffix('%')).unwrap();
        let mute = programs.run(&ask("get-sink-mute")).await.unwrap();
        (percent.parse().unwrap(), mute.contains("yes"))
    }

    #[tokio::test]
    async fn real_sound_server_changes_its_volume() {
        let sound = VirtualSound::start().unwrap();
        let server = AtServer::new(&sound);
        let fixture = with(Arc::new(AtServer::new(&sound)), LINUX);

        for (arguments, expected) in [
            (json!({"percent": 40}), (40, false)),
            (json!({"change": "down"}), (30, false)),
            (json!({"muted": true}), (30, true)),
            (json!({"change": "up"}), (40, false)),
            (json!({"percent": 96}), (96, false)),
            (json!({"change": "up"}), (100, false)),
        ] {
            let told = fixture.told("setComputerVolume", arguments.clone()).await;

            assert!(!told.starts_with("failed"), "{told}");
            assert_eq!(state(&server).await, expected, "{arguments}: {told}");
        }
    }
}
