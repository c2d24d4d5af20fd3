//! The preparation of a reply by a model, and the tools that it offers.

use settings::Profile;

use super::ReplyEngine;
use super::guarding::{performers, sources};
use crate::model_policy::ToolOffer;
use crate::plain_requests::last_exchange::with_last_exchange;
use crate::prepare::{PrepareInput, PrepareOutput, add, prepare};
use crate::prompting::profiles::is_allowed;
use crate::reply_context::ReplyContext;
use crate::tool_calls::toolbox::{MIN_FIT, SEARCH_MEMORY};
use crate::turn_loop::FirstCall;

impl ReplyEngine {
    /// Prepares the reply of a model. Returns the vector of the request and the profile that answers, too.
    pub(super) async fn prepare(
        &self,
        context: &ReplyContext,
        first: Option<&FirstCall>,
    ) -> (PrepareOutput, Option<Vec<f32>>, Option<Profile>) {
        let exchange = with_last_exchange(&context.entry).filter(|_| first.is_none());
        let of_exchange = async { self.retriever.vector(exchange.as_ref()?).await };
        let (vector, exchange_vector, profile) = tokio::join!(
            self.retriever.vector(&context.entry.redacted),
            of_exchange,
            self.choose_profile(context)
        );
        let (conversations, embedding) = (&self.conversations, vector.as_deref());
        let exchange = exchange.as_deref().map(|text| (text, exchange_vector.as_deref()));
        let prepared = match first {
            Some(first) => PrepareOutput::for_call(&first.tool, context),
            None => prepare(PrepareInput { context, conversations, embedding, exchange, profile }).await,
        };
        (prepared, vector, profile)
    }

    /// The tools of earlier replies that this profile does not have. Another one may go on with the reply.
    pub(super) fn of_other_profiles(&self, context: &ReplyContext, profile: Option<Profile>) -> Vec<String> {
        if profile.is_none() || context.policy.tools.offer != ToolOffer::Growing {
            return Vec::new();
        }
        self.conversations.with(&context.query.conversation, |state| {
            let is_of_other = |name: &&String| context.toolbox.is_known(name) && !is_allowed(profile, name);
            state.offered.iter().filter(is_of_other).cloned().collect()
        })
    }

    /// The prepared tools that this reply offers.
    pub(super) fn offered(
        &self,
        context: &ReplyContext,
        prepared: &PrepareOutput,
        profile: Option<Profile>,
    ) -> Vec<String> {
        let mut sources = sources(context);
        sources.retain(|tool| is_allowed(profile, tool));
        match context.policy.tools.offer {
            ToolOffer::Prepared => prepared.tools.clone(),
            // Without its source the question stays open, however its words fit.
            ToolOffer::Fitting if !sources.is_empty() => sources,
            ToolOffer::Fitting => {
                let fits = prepared.best >= MIN_FIT || !prepared.plan.is_empty();
                // A small model would search what was searched already.
                let is_due = |name: &String| fits && (name != SEARCH_MEMORY || prepared.search.is_none());
                let is_offered = |name: &&String| is_due(name) || prepared.undone.contains(name);
                let mut offered = performers(context, profile);
                add(&mut offered, prepared.tools.iter().filter(is_offered).cloned().collect());
                offered
            }
            ToolOffer::Growing => self.conversations.with(&context.query.conversation, |state| {
                state.offer(&prepared.tools);
                // Another profile may have answered before.
                let is_offered = |name: &&String| context.toolbox.is_known(name) && is_allowed(profile, name);
                state.offered.iter().filter(is_offered).cloned().collect()
            }),
        }
    }
}
