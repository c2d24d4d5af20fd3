//! Answers by rules to what no model may answer: what has no source, what no tool can do, and what the user said about
//! themselves and theirs.

use languages::{Introduction, OwnFact};
use memory::Participant;
use serde_json::Map;

use super::ReplyEngine;
use super::guarding::has_no_source;
use crate::plain_requests::fast_path::{FastCall, recognise};
use crate::plain_requests::last_exchange::with_last_exchange;
use crate::plain_requests::missing_argument::WaitingCall;
use crate::plain_requests::plain_truth::{cannot_do, no_source};
use crate::plain_requests::request_kind::{RequestKind, request_kind, without_name};
use crate::planning::compound::split_compound;
use crate::reply_context::{ReplyContext, request_of};
use crate::reply_loop::LoopOutcome;
use crate::reply_output::ReplyOutput;
use crate::told_facts::introductions::{Statement, learn, sentences_of_profile, text_of_profile};
use crate::told_facts::own_facts::{ToldSentence, asked, told, true_together};
use crate::told_facts::to_remember::asks_to_remember;
use crate::told_facts::told_appointments::{ToldAppointment, told_appointment};
use crate::tool_calls::tool_talk::failed_tools;

impl ReplyEngine {
    /// Answers without a model; `None` leaves the answer to it. What users say about themselves is stored for every model.
    pub(super) async fn answer_plainly(
        &self,
        context: &ReplyContext,
        output: &mut ReplyOutput,
    ) -> Option<LoopOutcome> {
        let is_guarded = context.policy.guards_answers;
        let statements = statements(context);
        let answer = if is_guarded { self.plain_answer(context, &statements).await } else { None };
        if let Some((text, _)) = &answer {
            let reminder = offered_reminder(&statements, context);
            let offer = reminder.as_ref().map(|_| context.sentences().reply_offer_reminder());
            let text = [Some(text.as_str()), offer].into_iter().flatten().collect::<Vec<_>>().join(" ");
            output.stream.say(&text, Some(context.sentences().language().clone())).await;
            output.waiting_call = reminder;
        }
        for (statement, said) in statements.iter().filter(|_| context.config.learns) {
            self.learn_statement(statement, said, context).await;
        }
        answer.map(|(_, finished)| finished)
    }

    /// The answer by rules, and how it ends the reply.
    async fn plain_answer(
        &self,
        context: &ReplyContext,
        statements: &[SaidStatement],
    ) -> Option<(String, LoopOutcome)> {
        let messages = context.sentences();
        if !statements.is_empty() {
            return acknowledgement(statements, context).map(|text| (text, LoopOutcome::Said));
        }
        if let Some(answer) = self.answer_about_dialogue(context).await {
            return Some((answer, LoopOutcome::Worded));
        }
        // A model may read what is said about the user: it is true. It would go on like the other sentences.
        match &context.request {
            RequestKind::AsksFor(introduction) => {
                let words = self.introduced(*introduction, context).await?;
                let text = match introduction {
                    Introduction::OwnName => messages.reply_your_name(&words),
                    Introduction::OwnPlace => messages.reply_your_place(&words),
                };
                Some((text, LoopOutcome::Said))
            }
            RequestKind::Action(action) if !context.toolbox.can_do(*action) => {
                Some((cannot_do(messages, *action), LoopOutcome::Worded))
            }
            RequestKind::Live(topic) if has_no_source(*topic, context) => {
                Some((no_source(messages, *topic, context.config.no_lookup), LoopOutcome::Worded))
            }
            _ => self.answer_about_own(context).await.map(|text| (text, LoopOutcome::Said)),
        }
    }

    /// The answer to a question for what was told of the user and theirs.
    async fn answer_about_own(&self, context: &ReplyContext) -> Option<String> {
        let (data, messages) = (context.language_data(), context.sentences());
        let text = without_name(&context.entry.redacted, &context.config.name);
        let thing = asked(text, data)?;
        let profile = self.profile(&context.config, &context.query.conversation).await;
        let known = sentences_of_profile(&profile, &thing, data);
        let tells = |said: &str| told(said, data).map(|it| (it, said.trim().to_owned()));
        let all = self.told_in_dialogue(context, tells, |(_, said)| known.iter().any(|(_, it)| it == said));
        let is_withdrawn = |at: usize| all[..at].iter().any(|(newer, _)| newer.is_contrary_to(&all[at].0));
        let of_thing = (0..all.len()).filter(|at| all[*at].0.is_same(&thing) && !is_withdrawn(*at));
        let said: Vec<ToldSentence> = of_thing.map(|at| all[at].clone()).collect();
        let sentences = true_together(&said, &known);
        (!sentences.is_empty()).then(|| messages.reply_told(&in_a_row(sentences, data.code)))
    }

    /// Stores at once what the user said. A conversation that is not written down teaches nothing.
    async fn learn_statement(&self, statement: &Statement, words: &str, context: &ReplyContext) {
        let conversation = &context.query.conversation;
        let said = self.said_by_user(context);
        let Some(at) = said.last().map(|(at, _)| *at) else { return };
        let (Ok(Some(row)), Some(memory)) =
            (self.dialogue.row_of(conversation, at).await, self.retriever.memory())
        else {
            return;
        };
        let evidence = memory::Evidence {
            quote: words.to_owned(),
            observed_at: at,
            day: Some(context.now().to_zoned(context.tools.zone.clone()).date()),
            conversation: conversation.0.clone(),
            participant: Some(Participant::User),
            channel: context.query.origin.name().to_owned(),
            message: Some(row),
            ..memory::Evidence::default()
        };
        let asked_at = context.now().as_microsecond();
        let memory = memory.in_request(conversation, asked_at);
        if let Err(error) = learn(&memory, statement, context.language_data(), evidence, at).await {
            tracing::warn!(%error, "what the user said about themselves could not be stored");
        }
    }

    /// The words with which the user introduced themselves: in this dialogue, else in the profile.
    async fn introduced(&self, introduction: Introduction, context: &ReplyContext) -> Option<String> {
        let (data, day) =
            (context.language_data(), context.now().to_zoned(context.tools.zone.clone()).date());
        let profile = self.profile(&context.config, &context.query.conversation).await;
        let known = text_of_profile(&profile, introduction);
        let introduces = |text: &str| match request_kind(text, data, day) {
            RequestKind::Introduces(introduced, words) if introduced == introduction => Some(words),
            _ => None,
        };
        let said = self.told_in_dialogue(context, introduces, |words| known.as_ref() == Some(words));
        said.into_iter().next().or(known)
    }

    /// The statements of the user in the dialogue that `read` finds, the newest first. Not those that were undone, which the
    /// dialogue still has, unless they are known from the profile.
    fn told_in_dialogue<T>(
        &self,
        context: &ReplyContext,
        read: impl Fn(&str) -> Option<T>,
        is_known: impl Fn(&T) -> bool,
    ) -> Vec<T> {
        let (mut told, mut is_undo_behind) = (Vec::new(), false);
        for (_, text) in self.said_by_user(context).iter().rev() {
            match read(text) {
                Some(statement) if !is_undo_behind || is_known(&statement) => told.push(statement),
                Some(_) => is_undo_behind = false,
                None => is_undo_behind |= is_undo(text, context),
            }
        }
        told
    }

    /// The messages of the user in the dialogue with their times, oldest first.
    pub(super) fn said_by_user(&self, context: &ReplyContext) -> Vec<(i64, String)> {
        let now = self.clock.now().as_microsecond();
        let recent = self.dialogue.recent(&context.query.conversation, context.config.dialogue_window, now);
        let by_user = recent.into_iter().filter(|said| said.participant == Participant::User);
        by_user.map(|said| (said.at_micros, said.text.0)).collect()
    }
}

/// A statement of the user, and the words that say it.
type SaidStatement = (Statement, String);

/// The statements of the user about themselves or theirs, if the request is nothing else: one, or two with "and" between them.
fn statements(context: &ReplyContext) -> Vec<SaidStatement> {
    let text = without_name(&context.entry.redacted, &context.config.name);
    let request = match text == context.entry.redacted {
        true => context.request.clone(),
        false => request_of(text, context.entry.language.as_ref(), &context.tools),
    };
    if let Some(statement) = statement(text, &request, context) {
        return vec![(statement, text.to_owned())];
    }
    let Some((first, second)) = split_compound(text, context.entry.language.as_ref()) else {
        return Vec::new();
    };
    let read = |part: String| {
        let request = request_of(&part, context.entry.language.as_ref(), &context.tools);
        Some((statement(&part, &request, context)?, part))
    };
    [first, second].into_iter().map(read).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The statement that a text with these needs is.
fn statement(text: &str, request: &RequestKind, context: &ReplyContext) -> Option<Statement> {
    match request {
        RequestKind::Introduces(introduction, words) => {
            Some(Statement::Introduction(*introduction, words.clone()))
        }
        // A large model answers by itself, and the facts that it writes later say the same in fewer words.
        RequestKind::Open if context.policy.guards_answers => {
            let data = context.language_data();
            let to_remember = || asks_to_remember(text, data).then_some(Statement::ToRemember);
            let appointment = || told_appointment(text, data).map(Statement::Appointment);
            told(text, data).map(Statement::Own).or_else(to_remember).or_else(appointment)
        }
        _ => None,
    }
}

/// Says what was noted. `None` if nothing is, and for what may be no statement: "I live in London" may be what a tool lacked, or
/// the answer to a question of ours.
fn acknowledgement(statements: &[SaidStatement], context: &ReplyContext) -> Option<String> {
    let messages = context.sentences();
    let is_meant = |statement: &Statement| match statement {
        Statement::Introduction(Introduction::OwnPlace, _) => !goes_on_with_last_reply(context),
        // We may have asked for these: "Do you have any allergies?"
        Statement::Own(thing) if is_often_asked_for(thing.fact) => !goes_on_with_last_reply(context),
        // "When is your meeting?"
        Statement::Appointment(_) => !goes_on_with_last_reply(context),
        _ => !has_failed_tool(context),
    };
    if !context.config.learns || !statements.iter().all(|(statement, _)| is_meant(statement)) {
        return None;
    }
    let mut said: Vec<String> = statements
        .iter()
        .map(|(statement, _)| match statement {
            Statement::Introduction(Introduction::OwnName, name) => messages.reply_name_noted(name),
            Statement::Introduction(Introduction::OwnPlace, place) => messages.reply_place_noted(place),
            Statement::Own(_) | Statement::ToRemember | Statement::Appointment(_) => {
                messages.reply_told_noted().to_owned()
            }
        })
        .collect();
    said.dedup();
    Some(said.join(" "))
}

/// `true` for a fact that an assistant asks for to answer something else.
fn is_often_asked_for(fact: OwnFact) -> bool {
    use OwnFact::{Age, Allergy, Diet, Dislike, Like, Origin, Work};
    matches!(fact, Allergy | Diet | Age | Origin | Work | Like | Dislike)
}

/// The tool that a reminder of an appointment is set with.
const SET_REMINDER: &str = "setReminder";

/// The call that reminds of the only thing that was told, if it has a time of day.
fn offered_reminder(statements: &[SaidStatement], context: &ReplyContext) -> Option<WaitingCall> {
    let [(Statement::Appointment(ToldAppointment { thing, time, date }), said)] = statements else {
        return None;
    };
    let (time, schema) = (time.as_ref()?, context.toolbox.schema(SET_REMINDER)?);
    let can_set = context.config.uses_fast_path && context.toolbox.is_ours(SET_REMINDER);
    let mut arguments = Map::from_iter([("label".to_owned(), thing.as_str().into())]);
    arguments.extend(date.as_ref().map(|date| ("date".to_owned(), date.as_str().into())));
    can_set.then(|| WaitingCall {
        tool: SET_REMINDER.to_owned(),
        arguments,
        missing: "time".to_owned(),
        schema: schema["properties"]["time"].clone(),
        request: Some(said.clone()),
        agreed: Some(time.as_str().into()),
    })
}

/// The sentences as one text. Each begins with a capital, and those before the last one end with a sign.
pub(super) fn in_a_row(sentences: Vec<String>, language: &str) -> String {
    let last = sentences.len().saturating_sub(1);
    let ended = sentences.into_iter().enumerate().map(|(at, sentence)| {
        let sentence = with_capital(&sentence, language);
        let lacks_end = at < last && !sentence.ends_with(['.', '!', '…']);
        if lacks_end { sentence + "." } else { sentence }
    });
    ended.collect::<Vec<_>>().join(" ")
}

/// The sentence with a capital at its beginning: the second half of a longer one has none.
fn with_capital(sentence: &str, language: &str) -> String {
    let mut letters = sentence.chars();
    match letters.next() {
        Some(first) => languages::capital(first, language) + letters.as_str(),
        None => String::new(),
    }
}

/// Returns `true` for "undo that".
fn is_undo(text: &str, context: &ReplyContext) -> bool {
    let calls = recognise(text, context.entry.language.as_ref(), &[&context.config.name]);
    calls.is_some_and(|calls| calls.iter().any(FastCall::undoes))
}

/// `true` if the last reply asked something, or one of its tools failed and is still there.
fn goes_on_with_last_reply(context: &ReplyContext) -> bool {
    has_failed_tool(context) || with_last_exchange(&context.entry).is_some()
}

/// `true` if a tool of the last reply failed and is still there: the text may be what it lacked.
fn has_failed_tool(context: &ReplyContext) -> bool {
    failed_tools(&context.entry.dialogue).iter().any(|tool| context.toolbox.is_known(tool))
}
