//! The assistant's own voice: how loud it is, whether it speaks, and whether this answer is spoken.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use vocabulary::Private;

use super::declaration::{declaration, read, run};
use super::wording::{id, told, wording};
use crate::voice_settings::VoiceSettings;
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The change of "louder" and "quieter", in percentage points.
const STEP: u8 = 20;

/// "Quieter" goes no further, in per cent: below it, nobody would hear that it is on.
const QUIETEST: u8 = 10;

#[derive(Deserialize, JsonSchema)]
struct VolumeArguments {
    /// Volume from 0 to 100.
    percent: Option<u32>,
    /// Louder or quieter than now, where no number is named.
    change: Option<Change>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Change {
    Up,
    Down,
}

/// The tool `setVolume`.
pub(super) struct SetVolume {
    declaration: Declaration,
    voice: Arc<dyn VoiceSettings>,
}

impl SetVolume {
    pub fn new(voice: Arc<dyn VoiceSettings>) -> Self {
        let declaration = declaration::<VolumeArguments>(
            "setVolume",
            Effect::Writes,
            "Changes how loud you speak: your own voice alone, not the sound of the computer.",
            "volume loud louder quiet quieter softer voice speak up turn percent",
            &[
                ("speak louder", json!({"change": "up"})),
                ("you are too loud", json!({"change": "down"})),
                ("set the volume to 40 percent", json!({"percent": 40})),
            ],
        );
        Self { declaration, voice }
    }

    async fn set(&self, arguments: VolumeArguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let now = self.voice.volume_percent();
        let percent = match (arguments.percent, arguments.change) {
            (Some(percent), _) => match u8::try_from(percent).ok().filter(|percent| *percent <= 100) {
                Some(percent) => percent,
                None => return Err(out_of_range(percent, context)),
            },
            (None, Some(Change::Up)) => now.saturating_add(STEP).min(100),
            (None, Some(Change::Down)) => now.saturating_sub(STEP).max(QUIETEST.min(now)),
            (None, None) => {
                return Err(ToolResult::failed(format!(
                    "The volume is {now} percent. Ask how loud it is to be."
                )));
            }
        };
        self.voice.set_volume_percent(percent).await.map_err(|error| unsaved(error.as_ref()))?;
        let result = ToolResult::done(format!("You speak at {percent} percent of the volume now."));
        Ok(match wording(context, id::VOICE_VOLUME) {
            Some(wording) => result.answering(wording.voice_volume(&percent.to_string())),
            None => result,
        })
    }
}

fn out_of_range(percent: u32, context: &ToolContext) -> ToolResult {
    let failure = ToolResult::failed(format!("{percent} is no volume. Use a number from 0 to 100."));
    told(failure, context, id::VOICE_VOLUME_RANGE, |it| it.voice_volume_range().to_owned())
}

#[derive(Deserialize, JsonSchema)]
struct MuteArguments {
    /// True to be silent, false to speak again.
    muted: bool,
}

/// The tool `muteVoice`.
pub(super) struct MuteVoice {
    declaration: Declaration,
    voice: Arc<dyn VoiceSettings>,
}

impl MuteVoice {
    pub fn new(voice: Arc<dyn VoiceSettings>) -> Self {
        let declaration = declaration::<MuteArguments>(
            "muteVoice",
            Effect::Writes,
            "Turns your voice off, so that answers are shown only, or on again.",
            "mute unmute silent silence voice off on speak again quiet",
            &[("mute yourself", json!({"muted": true})), ("you may speak again", json!({"muted": false}))],
        );
        Self { declaration, voice }
    }

    async fn set(&self, muted: bool, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        self.voice.set_muted(muted).await.map_err(|error| unsaved(error.as_ref()))?;
        let text =
            if muted { "Your voice is off: answers are shown only." } else { "Your voice is on again." };
        let result = ToolResult::done(text);
        Ok(match wording(context, id::VOICE_MUTED) {
            Some(wording) if muted => result.answering(wording.voice_muted()),
            Some(wording) => result.answering(wording.voice_unmuted()),
            None => result,
        })
    }
}

#[derive(Deserialize, JsonSchema)]
struct SpeakArguments {
    /// Words to speak, where they differ from the answer.
    text: Option<String>,
}

/// The tool `speakAnswer`.
pub(super) struct SpeakAnswer {
    declaration: Declaration,
}

impl SpeakAnswer {
    pub fn new() -> Self {
        let declaration = declaration::<SpeakArguments>(
            "speakAnswer",
            Effect::ReadOnly,
            "Has the answer to this typed request spoken, where the user asks to hear it.",
            "speak aloud read out loud hear listen say voice",
            &[("tell me a story, out loud", json!({})), ("read the answer to me", json!({}))],
        );
        Self { declaration }
    }
}

fn unsaved(error: &(dyn Error + Send + Sync)) -> ToolResult {
    ToolResult::failed(format!("The settings could not be changed: {error}."))
}

#[async_trait]
impl Tool for SetVolume {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.set(arguments, context)).await
    }
}

#[async_trait]
impl Tool for MuteVoice {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        match read::<MuteArguments>(arguments) {
            Ok(arguments) => self.set(arguments.muted, context).await.unwrap_or_else(|failure| failure),
            Err(failure) => failure,
        }
    }
}

#[async_trait]
impl Tool for SpeakAnswer {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        let arguments: SpeakArguments = match read(arguments) {
            Ok(arguments) => arguments,
            Err(failure) => return failure,
        };
        let voice_text = arguments.text.filter(|words| !words.trim().is_empty()).map(Private);
        let result = ToolResult::done("The answer is spoken. Give it now.");
        ToolResult { voice_requested: true, voice_text, ..result }
    }
}
