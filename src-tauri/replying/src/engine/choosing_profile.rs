//! Who answers, where there are profiles.

use tokio_util::sync::CancellationToken;
use vocabulary::Query;

use super::ReplyEngine;
use crate::config::ReplyingConfig;
use crate::entry::Entry;
use crate::profiles::Profile;
use crate::roles::{RoleModels, choose_profile};

impl ReplyEngine {
    /// Who answers, where there are profiles: whom the user chose, else whom a model chooses, else who answered last.
    pub(super) async fn choose_profile(
        &self,
        config: &ReplyingConfig,
        query: &Query,
        entry: &Entry,
        models: &RoleModels,
        stop: &CancellationToken,
    ) -> Option<Profile> {
        let first = *config.profiles.first()?;
        if config.profiles.len() == 1 {
            return Some(first);
        }
        let (last, is_chosen) =
            self.conversations.with(&query.conversation, |state| (state.profile, state.has_chosen_profile));
        let last = last.filter(|profile| config.profiles.contains(profile));
        if let Some(last) = last.filter(|_| is_chosen) {
            return Some(last);
        }
        let (active, timeout) = (&config.profiles, config.profile_timeout);
        let chosen =
            choose_profile(models, active, last, &entry.dialogue, &entry.redacted, timeout, stop).await;
        let profile = chosen.or(last).unwrap_or(first);
        self.conversations.with(&query.conversation, |state| state.profile = Some(profile));
        Some(profile)
    }
}
