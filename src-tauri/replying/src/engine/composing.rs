//! The prompt of a reply and the start of its loop, from all that was prepared.

use jiff::Timestamp;
use llm::Message;
use settings::Profile;
use vocabulary::{Language, Origin};

use super::recall::Enrichment;
use crate::config::ReplyingConfig;
use crate::model_policy::ModelPolicy;
use crate::plain_requests::request_kind::{asks_about_here, needs_place};
use crate::planning::compound::split_compound;
use crate::planning::plan::Plan;
use crate::prepare::PrepareOutput;
use crate::prompting::compose::Parts;
use crate::prompting::profiles::manner;
use crate::prompting::prompt::{answer_form, plan_block, system_message};
use crate::prompting::prompts::{PLACE_LINE, fill};
use crate::reply_context::ReplyContext;
use crate::turn_loop::{FirstCall, LoopLimits, LoopStart, TurnLoop};

/// The prompt of a reply that offers these tools.
pub(super) fn parts(
    context: &ReplyContext,
    prepared: &PrepareOutput,
    memory: &Enrichment,
    known: String,
    profile: Option<Profile>,
    tools: &[String],
) -> Parts {
    let ReplyContext { query, config, policy, entry, .. } = context;
    let line = line_with_time(config, *policy, context.now());
    let place = place_line(context, tools);
    let unchanging = unchanging_parts(config, *policy, known, profile);
    let instructions = context.instructions.as_ref().map(|text| text.0.as_str());
    Parts {
        persona: unchanging.persona,
        style: manner(profile, instructions),
        dialogue: entry.dialogue.clone(),
        context: format!("{line}{place}{}{}", memory.block, plan_block(&prepared.plan)),
        form: answer_form(&query.origin, config.speaks, entry.language.as_ref()),
        query: entry.redacted.clone(),
        profile: unchanging.profile,
        worded_by_models: entry.worded_by_models.clone(),
        position: unchanging.position,
        policy: unchanging.policy,
    }
}

/// The beginning of the next newest message: language and form of the answer, and the time. Both are taken to be as last
/// time; at first, the answer is taken to be heard, and in the language of the settings or in English.
pub(super) fn next_beginning(
    config: &ReplyingConfig,
    policy: ModelPolicy,
    origin: Option<Origin>,
    language: Option<Language>,
    now: Timestamp,
) -> Message {
    let origin = origin.unwrap_or(Origin::Voice);
    let language = config.language.clone().or(language).or_else(|| Language::new("en"));
    let form = answer_form(&origin, config.speaks, language.as_ref());
    Message::user(format!("{form}\n{}", line_with_time(config, policy, now)))
}

fn line_with_time(config: &ReplyingConfig, policy: ModelPolicy, now: Timestamp) -> String {
    match policy.tells_place_if_needed {
        true => config.time_line(now),
        false => config.context_line(now),
    }
}

/// The line with the place behind that with the time; empty if that has it, or nothing needs it.
fn place_line(context: &ReplyContext, tools: &[String]) -> String {
    let is_needed = || {
        needs_place(&context.request)
            || asks_about_here(&context.entry.redacted, context.language_data())
            || tools.iter().any(|tool| context.toolbox.asks_for_place(tool))
    };
    match context.config.place.as_deref().filter(|_| context.policy.tells_place_if_needed) {
        Some(place) if is_needed() => format!("\n{}", fill(PLACE_LINE, &[("place", place)])),
        _ => String::new(),
    }
}

/// A prompt with nothing but what stays the same.
pub(super) fn unchanging_parts(
    config: &ReplyingConfig,
    policy: ModelPolicy,
    known: String,
    profile: Option<Profile>,
) -> Parts {
    Parts {
        persona: system_message(&config.name, policy.templates),
        style: manner(profile, None),
        profile: known,
        dialogue: Vec::new(),
        worded_by_models: Vec::new(),
        context: String::new(),
        form: String::new(),
        query: String::new(),
        position: config.context_position,
        policy,
    }
}

/// The loop of a reply that has shown `said` so far.
pub(super) fn turns(
    context: &ReplyContext,
    plan: Plan,
    tools: Vec<String>,
    first: Option<FirstCall>,
    said: String,
) -> TurnLoop {
    let ReplyContext { config, policy, entry, .. } = context;
    let parts = split_compound(&entry.redacted, entry.language.as_ref());
    TurnLoop::new(LoopStart {
        limits: LoopLimits {
            turns: config.max_turns,
            searches: context.toolbox.searches(),
            retries_plainly: config.retries_plainly,
        },
        policy: *policy,
        parts: parts.filter(|_| plan.is_empty() && policy.tools.follows_steps),
        tools,
        plan,
        said,
        first,
        language: entry.language.clone(),
        is_tainted: entry.is_tainted,
    })
}
