//! Reads meals with the chat model.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use llm::ChatModel;
use memory::Meal;
use reflection::meals;
use tokio_util::sync::CancellationToken;

/// The chat model as a reader of meals.
pub(crate) struct ModelMealReader(pub Arc<dyn ChatModel>);

#[async_trait]
impl tools::meals::MealReader for ModelMealReader {
    async fn read(
        &self,
        text: &str,
        stop: &CancellationToken,
    ) -> Result<Option<Meal>, Box<dyn Error + Send + Sync>> {
        Ok(meals::read_meal(self.0.as_ref(), text, stop).await?)
    }

    async fn follow_ups(&self, meal: &Meal, stop: &CancellationToken) -> String {
        meals::follow_ups(self.0.as_ref(), meal, stop).await
    }
}
