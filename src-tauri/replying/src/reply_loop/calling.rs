//! Calling tools: what is passed on, what the user sees of it, and what is kept.

use std::sync::atomic::Ordering;
use std::time::Duration;

use languages::messages::Messages;
use llm::{Role as Author, ToolCall};
use serde_json::Value;
use tools::Taint;
use vocabulary::{Origin, ReplyEvent, ToolCallTrace};

use super::ReplyLoop;
use crate::grounding::Sources;
use crate::profiles::{Profile, is_allowed};
use crate::roles::{Digest, digest_result};
use crate::toolbox::Ran;
use crate::turn_loop::{CallResult, SEARCH, STOP};

/// How long tools run before the voice says that they take a moment: longer silence sounds like a fault.
const SILENCE: Duration = Duration::from_secs(2);

/// The longest result of a tool, in bytes, that is said as it is where a small model could not word it.
const MAX_PLAIN_RESULT: usize = 300;

/// The tool whose results are never shortened: they are tables of numbers. Source: behaviour reference, section 2.10.
const NEVER_DIGESTED: &str = "getWeather";

/// The required arguments that the user did not say.
struct Missing(String);

impl ReplyLoop<'_> {
    pub(super) async fn call(&mut self, calls: &[ToolCall]) -> Vec<Ran> {
        for call in calls.iter().filter(|call| call.name != STOP) {
            let (call, tool) = (call.id.clone(), call.name.clone());
            self.reply.send(ReplyEvent::ToolStarted { call, tool }).await;
        }
        let grounded: Vec<Result<ToolCall, Missing>> = calls.iter().map(|call| self.grounded(call)).collect();
        self.is_incomplete = grounded.iter().any(Result::is_err);
        let running: Vec<ToolCall> = grounded.iter().filter_map(|call| call.as_ref().ok().cloned()).collect();
        let mut ran = self.run_aloud(&running).await.into_iter();
        let results = grounded.into_iter().map(|call| match call {
            Ok(_) => ran.next(),
            Err(Missing(what)) => {
                let why = format!("the user did not say the {what}. Ask for it in one short question.");
                Some(Ran::refused(why))
            }
        });
        let mut results: Vec<Ran> = results.map(Option::unwrap_or_default).collect();
        for (call, ran) in calls.iter().zip(&mut results) {
            let (tool, took) = (call.name.clone(), ran.took);
            self.tool_calls.push(ToolCallTrace { tool, outcome: ran.outcome, took });
            if call.name != STOP {
                let finished = ReplyEvent::ToolFinished { call: call.id.clone(), outcome: ran.outcome };
                self.reply.send(finished).await;
            }
            self.extras.attachments.append(&mut ran.attachments);
            self.extras.voice_requested |= ran.voice_requested;
            self.extras.switches_to =
                ran.switches_to.as_deref().and_then(Profile::of).or(self.extras.switches_to);
            ran.result.offered.retain(|tool| is_allowed(self.profile, tool));
            self.is_tainted |= ran.is_untrusted;
            self.tool_answers.extend(ran.answer.clone());
            if ran.result.success && !ran.is_untrusted && call.name != SEARCH {
                self.tool_texts.extend(ran.result.text.clone().filter(|text| text.len() <= MAX_PLAIN_RESULT));
            }
            self.shorten(call, &mut ran.result).await;
        }
        results
    }

    /// Runs the calls. Where they take long, the voice says so, unless the user is asked something meanwhile.
    async fn run_aloud(&mut self, calls: &[ToolCall]) -> Vec<Ran> {
        let is_spoken = self.context.origin == Origin::Voice && self.config.speaks;
        let asked = self.user.count();
        let asked_before = asked.load(Ordering::Relaxed);
        let taint = match (self.is_tainted, self.is_unsure) {
            (true, _) => Taint::AfterUntrusted,
            (false, true) => Taint::Unsure,
            (false, false) => Taint::Clean,
        };
        let mut running = Box::pin(self.toolbox.run(calls, &self.context, self.user, taint));
        if let Ok(ran) = tokio::time::timeout(SILENCE, &mut running).await {
            return ran;
        }
        if is_spoken && asked.load(Ordering::Relaxed) == asked_before {
            let sentences = Messages::of(self.context.language.as_ref());
            let language = Some(sentences.language().clone());
            self.reply.speak_first(sentences.reply_one_moment(), language).await;
        }
        running.await
    }

    /// The call without optional arguments that the model invented, where a form that is enforced made it fill them in. With a
    /// required one it does not run: the user has to be asked.
    fn grounded(&self, call: &ToolCall) -> Result<ToolCall, Missing> {
        let is_checked = self.turns.policy().tools.checks_arguments;
        let Some(schema) = self.toolbox.schema(&call.name).filter(|_| is_checked) else {
            return Ok(call.clone());
        };
        let Value::Object(mut arguments) = call.arguments.clone() else { return Ok(call.clone()) };
        let has_arguments = !arguments.is_empty();
        let parts = &self.parts;
        let said = parts.dialogue.iter().chain(self.turns.messages());
        let said = said.filter(|message| message.role != Author::Assistant);
        // The first line is the time: its numbers are in every prompt.
        let context = parts.context.split_once('\n').map_or("", |(_, rest)| rest);
        let texts = [parts.query.as_str(), context, parts.profile.as_str()];
        let sources = Sources::of(texts.into_iter().chain(said.map(|message| message.content.as_str())));
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let required: Vec<&str> = required.collect();
        let mut missing = Vec::new();
        for name in sources.invented(&arguments, &schema) {
            match required.contains(&name.as_str()) {
                true => missing.push(name),
                false => {
                    arguments.remove(&name);
                }
            }
        }
        // What does something has to be told what: all that the model gave it is invented.
        if has_arguments && arguments.is_empty() && self.toolbox.changes_something(&call.name) {
            return Err(Missing("details".to_owned()));
        }
        match missing.is_empty() {
            true => Ok(ToolCall { arguments: Value::Object(arguments), ..call.clone() }),
            false => Err(Missing(missing.join(" and "))),
        }
    }

    /// Shortens a long result to what matters, where the settings say so.
    async fn shorten(&self, call: &ToolCall, result: &mut CallResult) {
        let is_digested = self.turns.policy().digests_results && call.name != NEVER_DIGESTED;
        let Some(text) = result.text.as_ref().filter(|_| is_digested && call.name != SEARCH) else { return };
        let timeout = self.config.digest_timeout;
        let digest =
            digest_result(self.models, &self.parts.query, &call.name, text, timeout, self.stop).await;
        if let Digest::Shortened(digest) = digest {
            result.text = Some(digest);
        }
    }
}
