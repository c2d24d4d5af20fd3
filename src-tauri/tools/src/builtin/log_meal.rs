//! Writes down what somebody ate, with its amounts.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use memory::{ItemId, Meal, Memory, RecordKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::declaration::{broken, changing, declaration, run};
use crate::meals::{MealReader, confirmation, meal_text};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// Time limit for reading the meal, in two attempts: a small model on a slow machine takes half a minute each.
const READING_LIMIT: Duration = Duration::from_secs(90);

/// The time that its remarks may take. The meal is stored by then, so they are left out rather than waited for.
const FOLLOW_UPS_LIMIT: Duration = Duration::from_secs(20);

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Everything that was eaten or drunk, in the user's words and with the amounts as far as they were said.
    meal: Option<String>,
}

pub(super) struct LogMeal {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
    reader: Option<Arc<dyn MealReader>>,
}

impl LogMeal {
    pub fn new(memory: watch::Receiver<Option<Memory>>, reader: Option<Arc<dyn MealReader>>) -> Self {
        let declaration = declaration::<Arguments>(
            "logMeal",
            Effect::Writes,
            "Writes down what the user just ate or drank, with estimated calories and nutrients.",
            "meal food eat ate drink drank breakfast lunch dinner snack calories nutrition",
            &[
                ("I just had two eggs and toast", json!({"meal": "two eggs and toast"})),
                ("log my lunch: a bowl of lentil soup", json!({"meal": "a bowl of lentil soup"})),
            ],
        );
        // The reading, the remarks, and the database.
        let timeout = READING_LIMIT + FOLLOW_UPS_LIMIT + declaration.timeout;
        Self { declaration: Declaration { timeout, ..declaration }, memory, reader }
    }

    async fn log(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let reader = self.reader.as_ref().ok_or_else(|| {
            ToolResult::failed(
                "Meals are read by a language model, and there is none. Choose one in the settings.",
            )
        })?;
        let text = meal_text(arguments.meal.as_deref(), &context.query.0)
            .ok_or_else(|| ToolResult::failed("Ask the user what they ate."))?;
        let meal = match tokio::time::timeout(READING_LIMIT, reader.read(text, &context.stop)).await {
            Ok(Ok(Some(meal))) => meal,
            Ok(Ok(None)) => {
                return Err(ToolResult::failed(
                    "No meal was found in these words, so nothing was logged. Ask what was eaten or drunk.",
                ));
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "a meal could not be read");
                return Err(ToolResult::failed(format!("The meal was not logged: {error}.")));
            }
            Err(_) => {
                let seconds = READING_LIMIT.as_secs();
                return Err(ToolResult::failed(format!(
                    "The meal was not logged: the language model did not read it within {seconds} seconds."
                )));
            }
        };
        // Not `Origin::name`: meals of programs have always been stored as typed, and old records must stay comparable.
        let source = if context.origin.is_spoken() { "voice" } else { "typed" };
        let meal = Meal { eaten_at: context.now.as_microsecond(), source: source.to_owned(), ..meal };
        let id = memory.log_meal(meal.clone()).await.map_err(broken)?;
        let asking = reader.follow_ups(&meal, &context.stop);
        let follow_ups = tokio::time::timeout(FOLLOW_UPS_LIMIT, asking).await.unwrap_or_default();
        let text = confirmation(id, &meal, &follow_ups);
        Ok(ToolResult::done(text).touching([ItemId::new(RecordKind::Meal, id)]))
    }
}

#[async_trait]
impl Tool for LogMeal {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.log(arguments, context)).await
    }
}
