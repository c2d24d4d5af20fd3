//! Calling tools: what is passed on, what the user sees of it, and what is kept.

use std::sync::atomic::Ordering;
use std::time::Duration;

use languages::folded_words;
use llm::{Message, Role, ToolCall};
use serde_json::{Map, Value};
use tools::{ReplyTexts, Taint, WordSources, split_tool_name, tool_name_in_words, unfenced};
use vocabulary::{ReplyEvent, ToolCallTrace, ToolOutcome, words_to_speak};

use super::ReplyLoop;
use crate::answer_text::answer_guard::{AnswerGuard, DoneCall};
use crate::answer_text::outside_orders::{WithoutOrders, without_orders};
use crate::plain_requests::kept_calls::{KeptCall, RepeatableCall};
use crate::plain_requests::missing_argument::WaitingCall;
use crate::prepare::add;
use crate::prompting::profiles::{is_allowed, profile_named};
use crate::reply_context::ReplyContext;
use crate::roles::{Digest, digest_result};
use crate::tool_calls::grounding::Sources;
use crate::tool_calls::tool_run_result::{MAX_QUOTE, ToolRunResult};
use crate::tool_calls::tool_talk::{cut_fenced, is_tool_message, scrubbed_value};
use crate::turn_loop::{CallResult, SEARCH, STOP};

/// The time that tools run before the voice says that they take a moment: longer silence sounds like a fault.
const SILENCE: Duration = Duration::from_secs(2);

/// The tool whose results are never shortened: they are tables of numbers. Source: docs/behaviour/replying.md#digests.
const NEVER_DIGESTED: &str = "getWeather";

/// The share of the model's context that one result may take: a reply has several of them, the dialogue and the answer in it.
const SHARE_OF_CONTEXT: usize = 4;

/// The fewest characters of a token that `longest_result` expects. Providers do not count tokens before a request, and a cut
/// in the text would be no better for it. Source: `reflection::chunks`.
const CHARS_PER_TOKEN: usize = 3;

/// The arguments that the user did not say.
struct MissingArguments {
    /// As the model reads it.
    what: String,
    /// The call that waits, if one argument is all that it lacks.
    waiting: Option<Box<WaitingCall>>,
}

impl ReplyLoop<'_> {
    /// Runs the calls that can run. The results come in the order of the calls.
    pub(super) async fn call(&mut self, calls: &[ToolCall], taint: Taint) -> Vec<CallResult> {
        for call in calls.iter().filter(|call| call.name != STOP) {
            let (call, tool) = (call.id.clone(), call.name.clone());
            self.output.stream.send(ReplyEvent::ToolStarted { call, tool }).await;
        }
        let grounded: Vec<Result<ToolCall, MissingArguments>> =
            calls.iter().map(|call| self.grounded(call)).collect();
        let running: Vec<ToolCall> = grounded.iter().filter_map(|call| call.as_ref().ok().cloned()).collect();
        let taint = self.with_private_words(taint, &running);
        let mut ran = self.run_aloud(&running, taint).await.into_iter();
        let mut results = Vec::new();
        for (call, grounded) in calls.iter().zip(grounded) {
            let result = match grounded {
                Ok(asked) => {
                    let result = ran.next().unwrap_or_default();
                    self.output.waiting_call =
                        self.call_lacking(&asked, &result).or(self.output.waiting_call.take());
                    result
                }
                Err(MissingArguments { what, waiting }) => {
                    self.output.waiting_call = waiting.map(|call| *call);
                    ToolRunResult::incomplete(&what)
                }
            };
            if !taint.is_from_outside() {
                let changes = self.context.toolbox.changes_something(call);
                self.output.repeatable_calls.extend(RepeatableCall::new(&call.name, &result, changes));
            }
            results.push(self.take(call, result).await);
        }
        results
    }

    /// After text from outside, a stronger taint if one of the calls would carry private words out.
    fn with_private_words(&self, taint: Taint, calls: &[ToolCall]) -> Taint {
        let carries = taint.is_from_outside() && calls.iter().any(|call| self.carries_private_words(call));
        if carries { Taint::Leaking } else { taint }
    }

    fn carries_private_words(&self, call: &ToolCall) -> bool {
        let Some(arguments) = call.arguments.as_object() else { return false };
        let parts = &self.parts;
        let (earlier, said): (Vec<&Message>, Vec<&Message>) =
            parts.dialogue.iter().partition(|message| is_tool_message(message));
        let (answers, asked): (Vec<&Message>, Vec<&Message>) =
            said.into_iter().partition(|message| message.role == Role::Assistant);
        let mut private: Vec<&str> = asked.into_iter().map(content).collect();
        private.extend([parts.profile.as_str(), parts.context.as_str()]);
        let results = earlier.into_iter().chain(self.turns.messages());
        let results = results.filter(|message| !is_of_same_server(message, call));
        // Everybody knows the time: models put the year into a search.
        let time = self.context.config.time_line(self.context.now());
        let toolbox = &self.context.toolbox;
        let before = self.context.entry.last_calls.iter().chain(&self.output.calls);
        let sent = before.filter(|call| toolbox.only_fetches(&call.tool)).map(|call| &call.arguments);
        let words = WordSources::new(&ReplyTexts {
            request: &format!("{} {time}", parts.query),
            private,
            answers: answers.into_iter().map(content).collect(),
            results: results.map(content).collect(),
            sent: sent.collect(),
        });
        words.are_private_in(arguments, &toolbox.schema(&call.name).unwrap_or_default())
    }

    /// Passes on what a call gave. Returns the part that the model reads.
    async fn take(&mut self, call: &ToolCall, ran: ToolRunResult) -> CallResult {
        self.output.calls.extend(KeptCall::new(&call.name, &ran));
        let ToolRunResult {
            mut result,
            attachments,
            voice_requested,
            voice_text,
            switches_to,
            outcome,
            took,
            ..
        } = ran;
        self.output.trace.tool_calls.push(ToolCallTrace { tool: call.name.clone(), outcome, took });
        if result.is_untrusted {
            let texts = [&mut result.text, &mut result.error].into_iter().flatten();
            self.output.extras.orders_left_out += texts.map(leave_out_orders).sum::<usize>();
            result.quote = self.quote_from_outside(call, &result);
        }
        if outcome == ToolOutcome::Succeeded {
            let topic = self.output.stream.guard().and_then(AnswerGuard::open_topic);
            let done = self.context.toolbox.done_call(&call.name, &call.arguments, topic);
            let is_quotable = self.turns.policy().quotes_results && result.quote.is_some();
            let text = result.text.as_deref().filter(|_| is_quotable);
            let quotable = text.map(|text| unfenced(text).unwrap_or(text).to_owned());
            self.output.stream.note_done(DoneCall { quotable, ..done });
        } else {
            self.output.stream.note_failure();
        }
        if call.name != STOP {
            self.output.stream.send(ReplyEvent::ToolFinished { call: call.id.clone(), outcome }).await;
        }
        let extras = &mut self.output.extras;
        extras.attachments.add(attachments);
        extras.voice_requested |= voice_requested;
        extras.voice_text = words_to_speak(extras.voice_text.take(), voice_text);
        extras.switches_to = switches_to.as_deref().and_then(profile_named).or(extras.switches_to);
        let offered = std::mem::take(&mut result.offered);
        let (offered, others) = offered.into_iter().partition(|tool| is_allowed(self.profile, tool));
        result.offered = offered;
        add(&mut self.prepared.of_other_profiles, others);
        self.shorten(call, &mut result).await;
        let most = longest_result(self.context.config.context_tokens);
        result.text = result.text.map(|text| cut_fenced(&text, most));
        result
    }

    /// A short result from outside as it can be said to the user: behind the name of its tool, so that nobody takes it for words
    /// of Jarvis.
    fn quote_from_outside(&self, call: &ToolCall, result: &CallResult) -> Option<String> {
        let text = result.text.as_ref().filter(|_| result.success)?;
        let text = unfenced(text)?.trim();
        let is_plain = !text.is_empty() && text.len() <= MAX_QUOTE && !text.starts_with(['{', '[', '<']);
        let title = self.context.sentences().tool_title(&tool_name_in_words(&call.name));
        is_plain.then(|| format!("{title}: {text}"))
    }

    /// Runs the calls. If they take long, the voice says so, unless the user is asked something meanwhile.
    async fn run_aloud(&mut self, calls: &[ToolCall], taint: Taint) -> Vec<ToolRunResult> {
        let ReplyContext { config, toolbox, tools, .. } = self.context;
        let asked = self.output.user.count();
        let asked_before = asked.load(Ordering::Relaxed);
        let mut running = Box::pin(toolbox.run(calls, tools, &mut self.output.user, taint));
        if let Ok(ran) = tokio::time::timeout(SILENCE, &mut running).await {
            return ran;
        }
        let is_spoken = tools.origin.is_spoken() && config.speaks;
        if is_spoken && asked.load(Ordering::Relaxed) == asked_before {
            let sentences = self.context.sentences();
            self.output
                .stream
                .speak_first(sentences.reply_one_moment(), Some(sentences.language().clone()))
                .await;
        }
        running.await
    }

    /// `true` for a choice without a reason in the request: the tool only reads, nothing but the model speaks of it, and what it
    /// needs was not said. To ask for that would help nobody: "Who won the world cup?" is no conversion of cups.
    pub(super) fn is_made_up(&self, call: &ToolCall) -> bool {
        let asked = folded_words(&self.parts.query);
        let names_it = folded_words(&tool_name_in_words(&call.name)).iter().any(|word| asked.contains(word));
        let is_meant =
            names_it || self.prepared.sure_tool.as_ref() == Some(&call.name) || self.is_leading(&call.name);
        !is_meant
            && !self.context.toolbox.changes_something(call)
            && self.open_topic().is_none()
            && self.grounded(call).is_err()
    }

    /// The call without optional arguments that the model invented, because a form that is enforced made it fill them in.
    /// With a required one it does not run: the user has to be asked.
    fn grounded(&self, call: &ToolCall) -> Result<ToolCall, MissingArguments> {
        let toolbox = &self.context.toolbox;
        // Those of a repeated call were checked when it ran first.
        let is_checked = self.turns.policy().tools.checks_arguments && !self.turns.is_repeating();
        let Some(schema) = toolbox.schema(&call.name).filter(|_| is_checked) else {
            return Ok(call.clone());
        };
        let Value::Object(mut arguments) = call.arguments.clone() else { return Ok(call.clone()) };
        let has_arguments = !arguments.is_empty();
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let required: Vec<&str> = required.collect();
        let sources = self.sources();
        let sources = match self.is_leading(&call.name) {
            // The model could not choose none, so it may have made a number up.
            true => sources.with_exact_numbers(&self.parts.query, self.context.language_data()),
            false => sources,
        };
        let invented = sources.invented(&arguments, &schema);
        let (missing, optional): (Vec<String>, Vec<String>) =
            invented.into_iter().partition(|name| required.contains(&name.as_str()));
        for name in optional.iter().chain(&missing) {
            arguments.remove(name);
        }
        let waiting = |name: &String| Box::new(waiting_call(&call.name, &arguments, name, &schema));
        if let [only] = missing.as_slice() {
            return Err(MissingArguments { what: only.clone(), waiting: Some(waiting(only)) });
        }
        if !missing.is_empty() {
            return Err(MissingArguments { what: missing.join(" and "), waiting: None });
        }
        // A tool with side effects needs at least one argument that the user actually said.
        if has_arguments && arguments.is_empty() && toolbox.changes_something(call) {
            return Err(MissingArguments {
                what: "details".to_owned(),
                waiting: optional.first().map(waiting),
            });
        }
        Ok(ToolCall { arguments: Value::Object(arguments), ..call.clone() })
    }

    /// The call that waits, if its tool lacks an argument.
    fn call_lacking(&self, call: &ToolCall, ran: &ToolRunResult) -> Option<WaitingCall> {
        let schema = self.context.toolbox.schema(&call.name)?;
        Some(waiting_call(&call.name, call.arguments.as_object()?, ran.lacks.as_ref()?, &schema))
    }

    /// The texts that the values of arguments may be taken from.
    fn sources(&self) -> Sources {
        let parts = &self.parts;
        let said = parts.dialogue.iter().chain(self.turns.messages());
        let said = said.filter(|message| message.role != Role::Assistant);
        // The first line is the time: its numbers are in every prompt.
        let context = parts.context.split_once('\n').map_or("", |(_, rest)| rest);
        let texts = [parts.query.as_str(), context, parts.profile.as_str()];
        Sources::from_texts(texts.into_iter().chain(said.map(|message| message.content.as_str())))
    }

    /// Shortens a long result to what matters, if the policy says so.
    async fn shorten(&self, call: &ToolCall, result: &mut CallResult) {
        let is_digested = self.turns.policy().digests_results && call.name != NEVER_DIGESTED;
        let Some(text) = result.text.as_ref().filter(|_| is_digested && call.name != SEARCH) else { return };
        let ReplyContext { models, config, .. } = self.context;
        let (timeout, stop) = (config.digest_timeout, self.context.stop());
        let digest = digest_result(models, &self.parts.query, &call.name, text, timeout, stop).await;
        if let Digest::Shortened(digest) = digest {
            result.text = Some(digest);
        }
    }
}

/// A call that waits for the argument `missing`. Its known arguments are kept without secrets.
fn waiting_call(tool: &str, arguments: &Map<String, Value>, missing: &str, schema: &Value) -> WaitingCall {
    let known = scrubbed_value(Value::Object(arguments.clone()));
    WaitingCall {
        tool: tool.to_owned(),
        arguments: known.as_object().cloned().unwrap_or_default(),
        missing: missing.to_owned(),
        schema: schema["properties"][missing].clone(),
        request: None,
        agreed: None,
    }
}

/// Leaves the orders out of a text from outside. Returns their number.
fn leave_out_orders(text: &mut String) -> usize {
    let WithoutOrders { text: told, left_out } = without_orders(text);
    *text = told;
    left_out
}

/// The longest result, in characters, for a context of this many tokens.
fn longest_result(context_tokens: u32) -> usize {
    usize::try_from(context_tokens).unwrap_or(usize::MAX).saturating_mul(CHARS_PER_TOKEN) / SHARE_OF_CONTEXT
}

fn content(message: &Message) -> &str {
    &message.content
}

/// Returns `true` for a result of the server that is called: it knows what it sent.
fn is_of_same_server(message: &Message, call: &ToolCall) -> bool {
    let server = |name: &str| split_tool_name(name).map(|(server, _)| server.to_owned());
    let sender = message.tool_name.as_deref().and_then(server);
    sender.is_some() && sender == server(&call.name)
}
