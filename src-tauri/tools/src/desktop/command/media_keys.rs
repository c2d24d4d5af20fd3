//! The keys of a keyboard for what plays.

use super::{DesktopCommand, System, powershell, read};

/// A key for what is playing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKey {
    /// Go on, or begin.
    Play,
    /// Rest.
    Pause,
    /// The next piece.
    Next,
    /// The piece before.
    Previous,
    /// End.
    Stop,
}

/// The codes of the keys of a keyboard on Windows. Source: "Virtual-Key Codes" of the Windows documentation.
const WINDOWS_PLAY_PAUSE: u8 = 0xB3;
const WINDOWS_NEXT: u8 = 0xB0;
const WINDOWS_PREVIOUS: u8 = 0xB1;
const WINDOWS_STOP: u8 = 0xB2;

impl System {
    /// Presses a key for what is playing.
    pub fn press(self, key: MediaKey) -> Vec<DesktopCommand> {
        match self {
            Self::Linux { .. } => vec![read("playerctl", [key.for_playerctl()])],
            Self::MacOs => vec![read("osascript", ["-e", key.for_music()])],
            Self::Windows => vec![powershell(&format!(
                "(New-Object -ComObject WScript.Shell).SendKeys([char]{})",
                key.windows_code()
            ))],
        }
    }

    /// Returns `true` if play and pause are one key here, so that each of them does what the other one does, too.
    pub fn has_one_key_for_play_and_pause(self) -> bool {
        self == Self::Windows
    }
}

impl MediaKey {
    fn for_playerctl(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Pause => "pause",
            Self::Next => "next",
            Self::Previous => "previous",
            Self::Stop => "stop",
        }
    }

    fn for_music(self) -> &'static str {
        match self {
            Self::Play => "tell application \"Music\" to play",
            Self::Pause => "tell application \"Music\" to pause",
            Self::Next => "tell application \"Music\" to next track",
            Self::Previous => "tell application \"Music\" to previous track",
            Self::Stop => "tell application \"Music\" to stop",
        }
    }

    fn windows_code(self) -> u8 {
        match self {
            Self::Play | Self::Pause => WINDOWS_PLAY_PAUSE,
            Self::Next => WINDOWS_NEXT,
            Self::Previous => WINDOWS_PREVIOUS,
            Self::Stop => WINDOWS_STOP,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::play(MediaKey::Play, "play", "play", 179)]
    #[case::pause(MediaKey::Pause, "pause", "pause", 179)]
    #[case::next(MediaKey::Next, "next", "next track", 176)]
    #[case::previous(MediaKey::Previous, "previous", "previous track", 177)]
    #[case::stop(MediaKey::Stop, "stop", "stop", 178)]
    fn each_key_is_pressed_on_each_system(
        #[case] key: MediaKey,
        #[case] playerctl: &str,
        #[case] music: &str,
        #[case] code: u8,
    ) {
        let line = |system: System| -> String {
            let [command] = <[DesktopCommand; 1]>::try_from(system.press(key)).unwrap();
            format!("{} {}", command.program, command.arguments.join(" "))
        };

        assert_eq!(line(System::Linux { is_wayland: false }), format!("playerctl {playerctl}"));
        assert_eq!(line(System::MacOs), format!("osascript -e tell application \"Music\" to {music}"));
        assert_eq!(
            line(System::Windows),
            format!(
                "powershell -NoProfile -NonInteractive -Command (New-Object -ComObject WScript.Shell).SendKeys([char]{code})"
            )
        );
    }
}
