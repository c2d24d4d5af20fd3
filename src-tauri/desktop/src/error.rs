//! Why a command was refused, as pages get it.

use assistant::{ModelLibraryError, ProgramRefused};
use serde::Serialize;
use ts_rs::TS;
use vocabulary::Trouble;

/// Why a command did nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct CommandError {
    /// Names the kind for programs: `bad_value`, `not_found`, `io`, `taken`, `muted`, `no_device`, `switched_off`,
    /// `window`, `trouble`, `sign_in`.
    pub code: &'static str,
    /// A sentence for people: the trouble and its remedy.
    pub message: String,
}

impl CommandError {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<Trouble> for CommandError {
    fn from(trouble: Trouble) -> Self {
        Self::new("trouble", format!("{} {}", trouble.message, trouble.remedy))
    }
}

impl From<settings::SettingsError> for CommandError {
    fn from(error: settings::SettingsError) -> Self {
        match &error {
            settings::SettingsError::UnknownKey { path } => {
                Self::new("not_found", format!("There is no setting named {path}."))
            }
            settings::SettingsError::BadValue(bad) => {
                Self::new("bad_value", format!("That does not fit. Use {}.", bad.remedy))
            }
            _ => error.trouble().into(),
        }
    }
}

impl From<ProgramRefused> for CommandError {
    fn from(refused: ProgramRefused) -> Self {
        let code = match &refused {
            ProgramRefused::Settings(_) | ProgramRefused::NoRandom(_) => "trouble",
            ProgramRefused::Unknown(_) => "not_found",
            ProgramRefused::Taken(_) => "taken",
            ProgramRefused::Name(_) | ProgramRefused::NoScope => "bad_value",
        };
        match refused {
            ProgramRefused::Settings(error) => error.into(),
            refused => Self::new(code, format!("{}.", capitalised(&refused.to_string()))),
        }
    }
}

fn capitalised(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

impl From<ModelLibraryError> for CommandError {
    fn from(error: ModelLibraryError) -> Self {
        let code = match &error {
            error if error.is_unknown_model() => "not_found",
            ModelLibraryError::NotInstalled { .. } => "not_found",
            ModelLibraryError::NothingToChoose { .. } => "bad_value",
            ModelLibraryError::Store(_) => "io",
            ModelLibraryError::Settings(_) | ModelLibraryError::Trouble(_) => "trouble",
        };
        match error {
            ModelLibraryError::Settings(error) => error.into(),
            error => {
                let has_remedy = code != "not_found";
                let Trouble { message, remedy, .. } = error.trouble();
                let remedy = if has_remedy { remedy } else { String::new() };
                Self::new(code, format!("{message} {remedy}").trim_end())
            }
        }
    }
}

impl From<assistant::ReplyRefused> for CommandError {
    fn from(refused: assistant::ReplyRefused) -> Self {
        let code = match refused {
            assistant::ReplyRefused::TooLong { .. } => "bad_value",
            assistant::ReplyRefused::Busy { .. } | assistant::ReplyRefused::ShuttingDown => "busy",
        };
        Self { code, ..refused.trouble().into() }
    }
}

impl From<assistant::MicrophoneUnavailable> for CommandError {
    fn from(unavailable: assistant::MicrophoneUnavailable) -> Self {
        let code = match unavailable {
            assistant::MicrophoneUnavailable::Muted => "muted",
            assistant::MicrophoneUnavailable::SwitchedOff | assistant::MicrophoneUnavailable::Broken(_) => {
                "no_device"
            }
        };
        Self { code, ..unavailable.trouble().into() }
    }
}

impl From<assistant::OtherDescription> for CommandError {
    fn from(other: assistant::OtherDescription) -> Self {
        Self::new("not_found", format!("{}.", capitalised(&other.to_string())))
    }
}

impl From<assistant::NoQuestion> for CommandError {
    fn from(_: assistant::NoQuestion) -> Self {
        Self::new("not_found", "That question is settled already.")
    }
}

impl From<assistant::SignInError> for CommandError {
    fn from(error: assistant::SignInError) -> Self {
        Self::new("sign_in", format!("You are not signed in: {error}."))
    }
}

impl From<assistant::RingError> for CommandError {
    fn from(error: assistant::RingError) -> Self {
        match error {
            assistant::RingError::NotRinging => Self::new("not_found", "It does not ring any more."),
            assistant::RingError::Memory(error) => error.trouble().into(),
        }
    }
}

impl From<tauri::Error> for CommandError {
    fn from(error: tauri::Error) -> Self {
        Self::new("window", format!("The window system refused: {error}. Try again."))
    }
}
