//! The choice of the profile that answers, if there are profiles.

use settings::Profile;

use super::ReplyEngine;
use crate::reply_context::ReplyContext;
use crate::roles::choose_profile;

impl ReplyEngine {
    /// The profile that answers: the one the user chose, else the one a model chooses, else that of the last reply.
    /// `None` if there are no profiles.
    pub(super) async fn choose_profile(&self, context: &ReplyContext) -> Option<Profile> {
        let ReplyContext { config, entry, query, .. } = context;
        let active = &config.profiles;
        let first = *active.first()?;
        if active.len() == 1 {
            return Some(first);
        }
        let (last, is_chosen) =
            self.conversations.with(&query.conversation, |state| (state.profile, state.has_chosen_profile));
        let last = last.filter(|profile| active.contains(profile));
        if let Some(last) = last.filter(|_| is_chosen) {
            return Some(last);
        }
        let (recent, timeout, stop) = (&entry.dialogue, config.profile_timeout, context.stop());
        let chosen =
            choose_profile(&context.models, active, last, recent, &entry.redacted, timeout, stop).await;
        let profile = chosen.or(last).unwrap_or(first);
        self.conversations.with(&query.conversation, |state| state.profile = Some(profile));
        Some(profile)
    }
}
