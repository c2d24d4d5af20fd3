//! Routines: each of their commands is answered like a request of its own.

use vocabulary::Private;

use super::ReplyEngine;
use crate::plain_requests::routine::Routine;
use crate::plain_requests::rules::{ByRules, answer_by_rules};
use crate::reply_context::ReplyContext;
use crate::reply_loop::LoopOutcome;
use crate::reply_output::ReplyOutput;

/// The selection of a reply that carried out a routine, in its trace.
const SELECTION: &str = "routine";

impl ReplyEngine {
    /// Carries out the commands one after the other. One that fails keeps none of the others from being carried out.
    pub(super) async fn run_routine(
        &self,
        routine: &Routine,
        context: &ReplyContext,
        output: &mut ReplyOutput,
    ) -> LoopOutcome {
        tracing::info!(name = routine.name, commands = routine.commands.len(), "a routine is carried out");
        let (mut is_by_rules, mut trouble) = (true, None);
        for command in &routine.commands {
            let finished = self.run_command(&context.for_command(command), output).await;
            is_by_rules &= output.trace.is_by_rules;
            match finished {
                LoopOutcome::Stopped => return LoopOutcome::Stopped,
                LoopOutcome::Said | LoopOutcome::Worded | LoopOutcome::Silenced => {}
                _ => trouble = trouble.or(Some(finished)),
            }
        }
        output.trace.is_by_rules = is_by_rules;
        SELECTION.clone_into(&mut output.trace.selection);
        output.trace.plan = routine.commands.iter().cloned().map(Private).collect();
        let has_answered = !output.stream.shown().trim().is_empty();
        match trouble {
            Some(_) if has_answered => {
                let sentences = context.sentences();
                let language = Some(sentences.language().clone());
                output.stream.say(sentences.reply_rest_undone(), language).await;
                LoopOutcome::Said
            }
            Some(trouble) => trouble,
            None if is_by_rules => LoopOutcome::Worded,
            None => LoopOutcome::Said,
        }
    }

    async fn run_command(&self, context: &ReplyContext, output: &mut ReplyOutput) -> LoopOutcome {
        output.shown_before = output.stream.shown().len();
        match answer_by_rules(context, output).await {
            ByRules::Answered => LoopOutcome::Worded,
            ByRules::Silenced => LoopOutcome::Silenced,
            ByRules::HalfAnswered { rest } => {
                self.answer_by_model(&context.with_rest(rest), output, None).await
            }
            ByRules::Open => self.answer_by_model(context, output, None).await,
        }
    }
}
