//! The model that answers now, and the policy for it.

use llm::ModelIdentity;
use tokio::sync::watch;

use crate::config::ReplyingConfig;
use crate::model_policy::{AnsweringModel, ModelPolicy};
use crate::roles::{ModelTask, RoleModels};

/// The model that answers, now and later. Whoever holds it keeps neither the dialogue nor the memory open.
#[derive(Clone)]
pub struct AnsweringModels {
    models: RoleModels,
    config: watch::Receiver<ReplyingConfig>,
    rejecting: watch::Receiver<Option<ModelIdentity>>,
}

impl AnsweringModels {
    /// Those among `models`, as `config` treats them. `rejecting` is the model that rejected tools.
    pub(crate) fn new(
        models: RoleModels,
        config: watch::Receiver<ReplyingConfig>,
        rejecting: watch::Receiver<Option<ModelIdentity>>,
    ) -> Self {
        Self { models, config, rejecting }
    }

    /// The one that answers now.
    pub fn current(&self) -> AnsweringModel {
        policy_now(&self.models, &self.config.borrow(), self.rejecting.borrow().as_ref()).answering_model()
    }
}

/// The policy for the model that answers now.
pub(crate) fn policy_now(
    models: &RoleModels,
    config: &ReplyingConfig,
    rejecting: Option<&ModelIdentity>,
) -> ModelPolicy {
    let model = models.of(ModelTask::Answer).identity();
    let policy = ModelPolicy::new(config, config.model_size.unwrap_or_else(|| model.size()));
    if rejecting == Some(&model) { policy.after_rejection() } else { policy }
}
