//! The prompt of a reply and the start of its loop, from all that was prepared.

use settings::Profile;

use super::recall::Enrichment;
use crate::compose::Parts;
use crate::compound::split_compound;
use crate::config::ReplyingConfig;
use crate::model_policy::ModelPolicy;
use crate::plan::Plan;
use crate::prepare::PrepareOutput;
use crate::profiles::style;
use crate::prompt::{answer_form, plan_block, system_message};
use crate::reply_context::ReplyContext;
use crate::turn_loop::{FirstCall, LoopLimits, LoopStart, TurnLoop};

/// The prompt of a reply.
pub(super) fn parts(
    context: &ReplyContext,
    prepared: &PrepareOutput,
    memory: &Enrichment,
    known: String,
    profile: Option<Profile>,
) -> Parts {
    let ReplyContext { query, config, policy, entry, .. } = context;
    let line = match policy.tells_place_first {
        true => config.time_line(context.now()),
        false => config.context_line(context.now()),
    };
    let unchanging = unchanging_parts(config, *policy, known, profile);
    let instructions = context.instructions.as_ref().map(|text| format!("\n\n{}", text.0));
    Parts {
        system: unchanging.system + &instructions.unwrap_or_default(),
        dialogue: entry.dialogue.clone(),
        context: format!("{line}{}{}", memory.block, plan_block(&prepared.plan)),
        form: answer_form(&query.origin, config.speaks, entry.language.as_ref()),
        query: entry.redacted.clone(),
        profile: unchanging.profile,
        worded_by_models: entry.worded_by_models.clone(),
        position: unchanging.position,
        policy: unchanging.policy,
    }
}

/// A prompt with nothing but what stays the same.
pub(super) fn unchanging_parts(
    config: &ReplyingConfig,
    policy: ModelPolicy,
    known: String,
    profile: Option<Profile>,
) -> Parts {
    let place = config.place.as_deref().filter(|_| policy.tells_place_first);
    let rules = system_message(&config.name, policy.templates, place);
    Parts {
        system: match profile {
            Some(profile) => format!("{rules}\n\n{}", style(profile)),
            None => rules,
        },
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
