//! The command of each system's voice. Pure: nothing is started here, so the commands of all systems are tested on any.

use std::path::Path;
use std::process::Command;

use crate::config::possible_speed;
use crate::normalisation::normalise_english;

/// Source: the manual of espeak-ng, option `-s`.
const ESPEAK_WORDS_PER_MINUTE: f32 = 175.0;

/// Source: `man say`, option `-r`, and the usual rate of its voices.
const SAY_WORDS_PER_MINUTE: f32 = 180.0;

/// Reads the text as UTF-8 from standard input. The file is an environment variable, so that no path can end a quoted
/// string of the script.
const SYSTEM_SPEECH_SCRIPT: &str = "$ErrorActionPreference = 'Stop'; Add-Type -AssemblyName System.Speech; \
    $reader = New-Object System.IO.StreamReader([Console]::OpenStandardInput(), [Text.Encoding]::UTF8); \
    $voice = New-Object System.Speech.Synthesis.SpeechSynthesizer; $voice.Rate = [int]$env:JARVIS_RATE; \
    $voice.SetOutputToWaveFile($env:JARVIS_WAV); $voice.Speak($reader.ReadToEnd()); $voice.Dispose()";

/// A program that speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// On Linux.
    EspeakNg,
    /// On Linux, where only the older one is installed.
    Espeak,
    /// On macOS. Speaks the language of the voice in the settings of the system.
    Say,
    /// On Windows. Speaks the language of the voice in the settings of the system.
    SystemSpeech,
}

/// A program with its arguments, and what is written to its standard input.
///
/// The text is never an argument: so no quotation mark, dollar sign or dash in it can mean anything to a program.
pub(super) struct VoiceCommand {
    pub command: Command,
    pub input: String,
}

impl Program {
    pub fn for_this_system() -> Self {
        if cfg!(target_os = "macos") {
            Self::Say
        } else if cfg!(windows) {
            Self::SystemSpeech
        } else {
            Self::EspeakNg
        }
    }

    /// Returns the name of the program.
    pub fn name(self) -> &'static str {
        match self {
            Self::EspeakNg => "espeak-ng",
            Self::Espeak => "espeak",
            Self::Say => "say",
            Self::SystemSpeech => "powershell",
        }
    }

    /// Returns `true` if the sound goes to a file; else it goes to standard output.
    pub fn writes_a_file(self) -> bool {
        matches!(self, Self::Say | Self::SystemSpeech)
    }

    /// The command that speaks `text`, into `file` if the program [writes a file](Self::writes_a_file).
    pub fn command(self, language: &str, text: &str, speed: f32, file: Option<&Path>) -> VoiceCommand {
        let mut command = Command::new(self.name());
        let input = match self {
            Self::EspeakNg | Self::Espeak => {
                let language = language.to_lowercase();
                command.args(["--stdin", "--stdout", "-b", "1", "-v", &language]);
                command.args(["-s", &words_per_minute(ESPEAK_WORDS_PER_MINUTE, speed)]);
                let is_english = language.starts_with("en");
                without_orders(&if is_english { normalise_english(text) } else { text.to_owned() })
            }
            Self::Say => {
                command.args(["-f", "-", "--file-format=WAVE", "--data-format=LEI16@22050"]);
                command.args(["-r", &words_per_minute(SAY_WORDS_PER_MINUTE, speed)]);
                command.arg("-o").args(file);
                without_orders(text)
            }
            Self::SystemSpeech => {
                command.args(["-NoProfile", "-NonInteractive", "-Command", SYSTEM_SPEECH_SCRIPT]);
                command.env("JARVIS_RATE", system_speech_rate(speed));
                command.envs(file.map(|file| ("JARVIS_WAV", file)));
                text.to_owned()
            }
        };
        VoiceCommand { command, input }
    }
}

/// Two brackets begin phonemes for espeak and orders such as `[[volm 0]]` for `say`.
fn without_orders(text: &str) -> String {
    let mut text = text.to_owned();
    // Three brackets become two when they are separated once.
    while text.contains("[[") {
        text = text.replace("[[", "[ [");
    }
    text
}

/// The rate in words per minute for a speed factor.
fn words_per_minute(default_rate: f32, speed: f32) -> String {
    format!("{:.0}", default_rate * possible_speed(speed))
}

/// The rate of System.Speech, -10 to 10. Each step changes the speed by about a ninth: 10 is three times as fast.
fn system_speech_rate(speed: f32) -> String {
    // Without the sum a speed of 1 gives "-0" on some systems.
    format!("{:.0}", (10.0 * possible_speed(speed).log(3.0)).clamp(-10.0, 10.0) + 0.0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const EVERY_PROGRAM: [Program; 4] =
        [Program::EspeakNg, Program::Espeak, Program::Say, Program::SystemSpeech];

    fn arguments(command: &Command) -> Vec<String> {
        command.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    fn environment(command: &Command) -> Vec<(String, String)> {
        let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        set.map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect()
    }

    fn built(program: Program, text: &str, speed: f32) -> VoiceCommand {
        let file = program.writes_a_file().then_some(Path::new("/tmp/it's \"here\"/speech.wav"));
        program.command("en-GB", text, speed, file)
    }

    #[rstest]
    #[case::linux(Program::EspeakNg, "espeak-ng", &["--stdin", "--stdout", "-b", "1", "-v", "en-gb", "-s", "175"])]
    #[case::old_linux(Program::Espeak, "espeak", &["--stdin", "--stdout", "-b", "1", "-v", "en-gb", "-s", "175"])]
    #[case::macos(
        Program::Say, "say",
        &["-f", "-", "--file-format=WAVE", "--data-format=LEI16@22050", "-r", "180", "-o", "/tmp/it's \"here\"/speech.wav"]
    )]
    #[case::windows(
        Program::SystemSpeech, "powershell",
        &["-NoProfile", "-NonInteractive", "-Command", SYSTEM_SPEECH_SCRIPT]
    )]
    fn each_system_has_its_command(#[case] program: Program, #[case] name: &str, #[case] expected: &[&str]) {
        let VoiceCommand { command, input } = built(program, "Good morning.", 1.0);

        assert_eq!((command.get_program().to_str(), input.as_str()), (Some(name), "Good morning."));
        assert_eq!(arguments(&command), expected);
    }

    #[test]
    fn windows_gets_file_and_rate_outside_of_the_script() {
        let VoiceCommand { command, .. } = built(Program::SystemSpeech, "Good morning.", 2.0);

        let expected = [("JARVIS_RATE", "6"), ("JARVIS_WAV", "/tmp/it's \"here\"/speech.wav")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(environment(&command), expected);
        assert_eq!(SYSTEM_SPEECH_SCRIPT.matches('"').count(), 0, "the script is one argument in quotes");
    }

    #[rstest]
    #[case::quotes("He said \"stop\"; it's late")]
    #[case::shell("$(rm -rf ~) `id` && true | cat")]
    #[case::powershell("'; Remove-Item C:\\ -Recurse; $env:PATH")]
    #[case::options("-o /etc/passwd --stdin")]
    #[case::phonemes_and_orders("[[volm 0]] quiet [[[slnc 9000]]]")]
    #[case::several_lines("One.\nTwo.\r\n\tThree.")]
    #[case::other_scripts("Grüße, 東京, émoji 🎉")]
    fn text_is_written_to_the_program_and_is_no_argument(#[case] text: &str) {
        for program in EVERY_PROGRAM {
            let plain = built(program, "x", 1.0);

            let VoiceCommand { command, input } = built(program, text, 1.0);

            assert_eq!(arguments(&command), arguments(&plain.command), "{program:?}");
            assert_eq!(environment(&command), environment(&plain.command), "{program:?}");
            let is_free_of_orders = program == Program::SystemSpeech || !input.contains("[[");
            assert!(is_free_of_orders, "{program:?}: {input}");
        }
        let VoiceCommand { input, .. } = built(Program::SystemSpeech, text, 1.0);
        assert_eq!(input, text, "System.Speech takes no orders from a plain text");
    }

    #[rstest]
    #[case::half(0.5, "88", "90", "-6")]
    #[case::usual(1.0, "175", "180", "0")]
    #[case::double(2.0, "350", "360", "6")]
    #[case::beyond_the_fastest(9.0, "438", "450", "8")]
    #[case::below_the_slowest(0.1, "88", "90", "-6")]
    fn speed_becomes_the_rate_of_each_program(
        #[case] speed: f32,
        #[case] espeak: &str,
        #[case] say: &str,
        #[case] system_speech: &str,
    ) {
        let after = |program: Program, option: &str| {
            let arguments = arguments(&built(program, "x", speed).command);
            let at = arguments.iter().position(|argument| argument == option).unwrap();
            arguments[at + 1].clone()
        };

        assert_eq!(after(Program::EspeakNg, "-s"), espeak);
        assert_eq!(after(Program::Say, "-r"), say);
        assert_eq!(environment(&built(Program::SystemSpeech, "x", speed).command)[0].1, system_speech);
    }

    #[test]
    fn english_is_normalised_for_espeak_only() {
        let text = "It costs $5.";

        assert_ne!(built(Program::EspeakNg, text, 1.0).input, text);
        assert_eq!(Program::EspeakNg.command("de", text, 1.0, None).input, text);
        assert_eq!(built(Program::Say, text, 1.0).input, text);
    }
}
