//! The tool for the volume of the computer.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::command::{STEP_PERCENT, Step, System, printed_percent};
use super::programs::{ProgramError, Programs, run_first_working};
use crate::builtin::declaration::{declaration, run};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Volume from 0 to 100.
    percent: Option<u8>,
    /// Louder or quieter than now, where no number is named.
    change: Option<Change>,
    /// True to switch the sound of the computer off, false to switch it on again.
    muted: Option<bool>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Change {
    Up,
    Down,
}

/// The tool `setComputerVolume`.
pub struct SetComputerVolume {
    declaration: Declaration,
    programs: Arc<dyn Programs>,
    system: System,
}

impl SetComputerVolume {
    /// The tool, with these programs.
    pub fn new(programs: Arc<dyn Programs>, system: System) -> Self {
        let declaration = declaration::<Arguments>(
            "setComputerVolume",
            Effect::Writes,
            "Changes how loud this computer plays music, videos and all other sound, or switches its sound off or on. Not your own voice alone.",
            "computer system sound speakers headphones music video volume loud louder quiet quieter mute unmute",
            &[
                ("turn the music down", json!({"change": "down"})),
                ("set the volume of the computer to 40 percent", json!({"percent": 40})),
                ("mute the computer", json!({"muted": true})),
            ],
        );
        Self { declaration, programs, system }
    }

    async fn set(&self, arguments: Arguments) -> Result<ToolResult, ToolResult> {
        let done = match arguments {
            Arguments { percent: Some(percent), .. } if percent > 100 => {
                return Err(ToolResult::failed(format!(
                    "{percent} is no volume. Use a number from 0 to 100."
                )));
            }
            Arguments { muted: Some(true), .. } => self.mute(true).await,
            Arguments { percent: Some(percent), .. } => self.set_percent(percent).await,
            Arguments { change: Some(Change::Up), .. } => self.step(Step::Up).await,
            Arguments { change: Some(Change::Down), .. } => self.step(Step::Down).await,
            Arguments { muted: Some(false), .. } => self.mute(false).await,
            Arguments { percent: None, change: None, muted: None } => {
                return Err(ToolResult::failed("Ask how loud the computer is to be."));
            }
        };
        done.map(ToolResult::done).map_err(|error| {
            ToolResult::failed(format!("The volume of the computer could not be changed: {error}."))
        })
    }

    async fn set_percent(&self, percent: u8) -> Result<String, ProgramError> {
        self.run(self.system.set_volume(percent)).await?;
        // A volume is asked for to hear something, so the sound is switched on. Keys of Windows do that by themselves.
        if percent > 0 && !self.system.has_one_key_for_mute() {
            self.run(self.system.mute(false)).await?;
        }
        // Its keys go in steps of two.
        let about = if self.system.read_volume().is_empty() { "about " } else { "" };
        Ok(format!("The volume of the computer is {about}{percent} percent now."))
    }

    async fn step(&self, step: Step) -> Result<String, ProgramError> {
        let reading = self.system.read_volume();
        if reading.is_empty() {
            self.run(self.system.step_volume(step)).await?;
            let by = if step == Step::Up { "louder" } else { "quieter" };
            return Ok(format!(
                "The computer is {STEP_PERCENT} percentage points {by} now, as far as it goes."
            ));
        }
        let program = reading[0].program.clone();
        let printed = self.run(reading).await?;
        let unknown = || ProgramError::Failed { program, reason: "this output has no volume".to_owned() };
        let now = printed_percent(&printed).ok_or_else(unknown)?;
        let percent = match step {
            Step::Up => now.saturating_add(STEP_PERCENT).min(100),
            Step::Down => now.saturating_sub(STEP_PERCENT),
        };
        self.set_percent(percent).await
    }

    async fn mute(&self, muted: bool) -> Result<String, ProgramError> {
        self.run(self.system.mute(muted)).await?;
        Ok(match (self.system.has_one_key_for_mute(), muted) {
            (true, _) => {
                "The mute key was pressed: the sound of the computer is off now, or on again if it was off before."
            }
            (false, true) => "The sound of the computer is off.",
            (false, false) => "The sound of the computer is on again.",
        }
        .to_owned())
    }

    async fn run(&self, commands: Vec<super::DesktopCommand>) -> Result<String, ProgramError> {
        run_first_working(&*self.programs, &commands).await
    }
}

#[async_trait]
impl Tool for SetComputerVolume {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        run(arguments, |arguments: Arguments| self.set(arguments)).await
    }
}
