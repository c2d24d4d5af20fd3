//! The volume of the computer: all that it plays.

use super::{DesktopCommand, System, powershell, read};

/// A step on the scale of the volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Louder.
    Up,
    /// Quieter.
    Down,
}

/// The size of a step, in percentage points.
pub const STEP_PERCENT: u8 = 10;

/// The codes of the keys of a keyboard on Windows. Source: "Virtual-Key Codes" of the Windows documentation.
const WINDOWS_MUTE: u8 = 0xAD;
const WINDOWS_DOWN: u8 = 0xAE;
const WINDOWS_UP: u8 = 0xAF;
/// The change of the volume by one of these keys, in percentage points.
const WINDOWS_PERCENT: u8 = 2;

/// The loudspeaker in use, as PipeWire and PulseAudio name it.
const PIPEWIRE_SINK: &str = "@DEFAULT_AUDIO_SINK@";
const PULSE_SINK: &str = "@DEFAULT_SINK@";

impl System {
    /// Prints the volume. Empty if no program does.
    pub fn read_volume(self) -> Vec<DesktopCommand> {
        match self {
            Self::Linux { .. } => {
                vec![
                    read("wpctl", ["get-volume", PIPEWIRE_SINK]),
                    read("pactl", ["get-sink-volume", PULSE_SINK]),
                ]
            }
            Self::MacOs => vec![read("osascript", ["-e", "output volume of (get volume settings)"])],
            Self::Windows => Vec::new(),
        }
    }

    /// Sets the volume in per cent, 0 to 100.
    pub fn set_volume(self, percent: u8) -> Vec<DesktopCommand> {
        let value = &*format!("{percent}%");
        match self {
            Self::Linux { .. } => vec![
                read("wpctl", ["set-volume", PIPEWIRE_SINK, value]),
                read("pactl", ["set-sink-volume", PULSE_SINK, value]),
            ],
            Self::MacOs => vec![read("osascript", ["-e", &format!("set volume output volume {percent}")])],
            // There are only the keys: first all the way down.
            Self::Windows => vec![pressed(&[
                (WINDOWS_DOWN, 100 / WINDOWS_PERCENT),
                (WINDOWS_UP, percent.div_ceil(WINDOWS_PERCENT)),
            ])],
        }
    }

    /// Makes it louder or quieter by a step where the volume cannot be read; empty elsewhere.
    pub fn step_volume(self, step: Step) -> Vec<DesktopCommand> {
        let key = match step {
            Step::Up => WINDOWS_UP,
            Step::Down => WINDOWS_DOWN,
        };
        match self {
            Self::Linux { .. } | Self::MacOs => Vec::new(),
            Self::Windows => vec![pressed(&[(key, STEP_PERCENT / WINDOWS_PERCENT)])],
        }
    }

    /// Switches the sound off, or on again. On Windows one key does either.
    pub fn mute(self, muted: bool) -> Vec<DesktopCommand> {
        let flag = if muted { "1" } else { "0" };
        match self {
            Self::Linux { .. } => vec![
                read("wpctl", ["set-mute", PIPEWIRE_SINK, flag]),
                read("pactl", ["set-sink-mute", PULSE_SINK, flag]),
            ],
            Self::MacOs => vec![read("osascript", ["-e", &format!("set volume output muted {muted}")])],
            Self::Windows => vec![pressed(&[(WINDOWS_MUTE, 1)])],
        }
    }

    /// Returns `true` if one key switches the sound off and on, so that nobody knows which of them it did.
    pub fn has_one_key_for_mute(self) -> bool {
        self == Self::Windows
    }
}

/// Presses keys of Windows, each this many times.
fn pressed(keys: &[(u8, u8)]) -> DesktopCommand {
    let presses = keys
        .iter()
        .map(|(key, times)| format!("for ($i = 0; $i -lt {times}; $i++) {{ $shell.SendKeys([char]{key}) }}"));
    let presses: Vec<String> = presses.collect();
    powershell(&format!("$shell = New-Object -ComObject WScript.Shell; {}", presses.join("; ")))
}

/// The volume in per cent that a program printed: `Volume: 0.40` of PipeWire, `40%` of PulseAudio, `40` of macOS.
pub(in crate::desktop) fn printed_percent(printed: &str) -> Option<u8> {
    let mut words = printed.split_whitespace();
    let percent = match words.clone().find_map(|word| word.strip_suffix('%')) {
        Some(percent) => percent.parse::<f64>().ok()?,
        None => match printed.trim().strip_prefix("Volume:") {
            Some(share) => share.split_whitespace().next()?.parse::<f64>().ok()? * 100.0,
            None => words.next()?.parse::<f64>().ok()?,
        },
    };
    whole_percent(percent)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number is one of 0 to 100")]
fn whole_percent(percent: f64) -> Option<u8> {
    // Programs may make it louder than the full scale.
    percent.is_finite().then(|| percent.round().clamp(0.0, 100.0) as u8)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const LINUX: System = System::Linux { is_wayland: true };

    fn lines(commands: &[DesktopCommand]) -> Vec<String> {
        let line = |command: &DesktopCommand| {
            let arguments = command.arguments.join(" ").replace("-NoProfile -NonInteractive -Command ", "");
            format!("{} {arguments}", command.program)
        };
        commands.iter().map(line).collect()
    }

    #[rstest]
    #[case::linux(LINUX.set_volume(40), &["wpctl set-volume @DEFAULT_AUDIO_SINK@ 40%", "pactl set-sink-volume @DEFAULT_SINK@ 40%"])]
    #[case::mac(System::MacOs.set_volume(40), &["osascript -e set volume output volume 40"])]
    #[case::windows(System::Windows.set_volume(41), &["powershell $shell = New-Object -ComObject WScript.Shell; for ($i = 0; $i -lt 50; $i++) { $shell.SendKeys([char]174) }; for ($i = 0; $i -lt 21; $i++) { $shell.SendKeys([char]175) }"])]
    #[case::linux_off(LINUX.mute(true), &["wpctl set-mute @DEFAULT_AUDIO_SINK@ 1", "pactl set-sink-mute @DEFAULT_SINK@ 1"])]
    #[case::linux_on(LINUX.mute(false), &["wpctl set-mute @DEFAULT_AUDIO_SINK@ 0", "pactl set-sink-mute @DEFAULT_SINK@ 0"])]
    #[case::mac_off(System::MacOs.mute(true), &["osascript -e set volume output muted true"])]
    #[case::windows_off(System::Windows.mute(true), &["powershell $shell = New-Object -ComObject WScript.Shell; for ($i = 0; $i -lt 1; $i++) { $shell.SendKeys([char]173) }"])]
    #[case::linux_reads(LINUX.read_volume(), &["wpctl get-volume @DEFAULT_AUDIO_SINK@", "pactl get-sink-volume @DEFAULT_SINK@"])]
    #[case::mac_reads(System::MacOs.read_volume(), &["osascript -e output volume of (get volume settings)"])]
    #[case::windows_up(System::Windows.step_volume(Step::Up), &["powershell $shell = New-Object -ComObject WScript.Shell; for ($i = 0; $i -lt 5; $i++) { $shell.SendKeys([char]175) }"])]
    #[case::windows_down(System::Windows.step_volume(Step::Down), &["powershell $shell = New-Object -ComObject WScript.Shell; for ($i = 0; $i -lt 5; $i++) { $shell.SendKeys([char]174) }"])]
    fn volume_is_changed_by_the_programs_of_the_system(
        #[case] commands: Vec<DesktopCommand>,
        #[case] expected: &[&str],
    ) {
        assert_eq!(lines(&commands), expected);
    }

    #[rstest]
    #[case::pipewire("Volume: 0.40\n", Some(40))]
    #[case::pipewire_muted("Volume: 0.55 [MUTED]\n", Some(55))]
    #[case::pulse(
        "Volume: front-left: 26214 /  41% / -23.88 dB,   front-right: 26214 /  41% / -23.88 dB\n",
        Some(41)
    )]
    #[case::other_language("Lautstärke: mono: 65536 / 100% / 0,00 dB", Some(100))]
    #[case::too_loud("Volume: 1.53", Some(100))]
    #[case::mac("37\n", Some(37))]
    #[case::output_without_volume("missing value\n", None)]
    #[case::nothing("", None)]
    fn printed_volume_is_read(#[case] printed: &str, #[case] expected: Option<u8>) {
        assert_eq!(printed_percent(printed), expected);
    }
}
