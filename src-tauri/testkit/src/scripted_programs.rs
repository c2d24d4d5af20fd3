//! Programs of a desktop that are not there.

use std::collections::HashMap;

use async_trait::async_trait;
use parking_lot::Mutex;
use tools::desktop::{DesktopCommand, ProgramError, Programs};

/// Answers for each program by its name; all others are not installed. Notes what was run.
#[derive(Default)]
pub struct ScriptedPrograms {
    answers: HashMap<String, Result<String, ProgramError>>,
    run: Mutex<Vec<DesktopCommand>>,
}

impl ScriptedPrograms {
    /// The same programs, and one more that prints this.
    pub fn printing(mut self, program: &str, output: &str) -> Self {
        self.answers.insert(program.to_owned(), Ok(output.to_owned()));
        self
    }

    /// The same programs, and one more that fails for this reason.
    pub fn failing(mut self, program: &str, reason: &str) -> Self {
        let error = ProgramError::Failed { program: program.to_owned(), reason: reason.to_owned() };
        self.answers.insert(program.to_owned(), Err(error));
        self
    }

    /// The commands that ran, each as one line, with what it read behind `<`.
    pub fn lines(&self) -> Vec<String> {
        let line = |command: &DesktopCommand| {
            let input = command.input.as_ref().map(|input| format!(" < {input}")).unwrap_or_default();
            format!("{} {}{input}", command.program, command.arguments.join(" "))
        };
        self.run.lock().iter().map(line).collect()
    }
}

#[async_trait]
impl Programs for ScriptedPrograms {
    async fn run(&self, command: &DesktopCommand) -> Result<String, ProgramError> {
        let Some(answer) = self.answers.get(&command.program) else {
            return Err(ProgramError::Missing(command.program.clone()));
        };
        self.run.lock().push(command.clone());
        answer.clone()
    }
}
