//! The meals of a time, and deleting one.

use std::ops::Range;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use memory::{ItemId, Meal, Memory, RecordKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::days::{micros, past_days};
use super::declaration::{broken, changing, declaration, opened, run, words};
use crate::meals::{amounts, summarise_meals};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The span that counts if no time is named. Source: docs/behaviour/tools.md#meals.
const USUAL_SPAN: SignedDuration = SignedDuration::from_hours(24);

/// Meals that are told at most: those of a month.
const MAX_MEALS: usize = 150;

#[derive(Deserialize, JsonSchema)]
struct TimeArguments {
    /// Since when: a time in UTC such as 2026-11-22T00:00:00Z, or a day in the user's words, such as "yesterday".
    since_utc: Option<String>,
    /// Until when, written in the same way.
    until_utc: Option<String>,
}

/// The tool `fetchMeals`.
pub(super) struct FetchMeals {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl FetchMeals {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<TimeArguments>(
            "fetchMeals",
            Effect::ReadOnly,
            "What the user ate in a time, with calories and nutrients; the last 24 hours where no time is given.",
            "meals food eat ate eaten calories protein carbs nutrition diet today week",
            &[
                ("what did I eat yesterday?", json!({"since_utc": "yesterday"})),
                ("how many calories did I have today?", json!({"since_utc": "today"})),
                ("what have I eaten so far?", json!({})),
            ],
        );
        Self { declaration, memory }
    }

    async fn fetch(&self, arguments: TimeArguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = opened(&self.memory)?;
        let span = asked_span(words(arguments.since_utc), words(arguments.until_utc), context)?;
        let meals = memory.meals(span.clone(), MAX_MEALS).await.map_err(broken)?;
        let (since, until) = (time(span.start, context), time(span.end, context));
        if meals.is_empty() {
            return Ok(ToolResult::done(format!("No meals are logged from {since} to {until}.")));
        }
        let totals = summarise_meals(&meals).totals;
        let mut lines = vec![format!(
            "{} meals from {since} to {until}. Together: {} kcal, {}g protein, {}g carbs, {}g fat.",
            meals.len(),
            totals.kcal,
            totals.protein_g,
            totals.carbs_g,
            totals.fat_g
        )];
        lines.extend(meals.iter().map(|meal| line(meal, context)));
        Ok(ToolResult::done(lines.join("\n")).touching(meals.iter().map(item)))
    }
}

#[derive(Deserialize, JsonSchema)]
struct IdArguments {
    /// The number of the meal, as fetchMeals or logMeal told it.
    id: i64,
}

/// The tool `deleteMeal`.
pub(super) struct DeleteMeal {
    declaration: Declaration,
    memory: watch::Receiver<Option<Memory>>,
}

impl DeleteMeal {
    pub fn new(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<IdArguments>(
            "deleteMeal",
            Effect::Destructive,
            "Deletes a logged meal by its number. Look the number up with fetchMeals first.",
            "meal food delete remove wrong mistake undo log",
            &[("delete meal 3", json!({"id": 3})), ("remove meal number 12", json!({"id": 12}))],
        );
        Self { declaration, memory }
    }

    async fn delete(&self, id: i64, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        if !memory.delete_meal(id).await.map_err(broken)? {
            return Err(ToolResult::failed(format!(
                "There is no meal #{id}, so nothing was deleted. Look its number up with fetchMeals."
            )));
        }
        Ok(ToolResult::done(format!("Meal #{id} is deleted.")).touching([ItemId::new(RecordKind::Meal, id)]))
    }
}

/// The time that is asked for, in microseconds since 1970 UTC. A day in words alone is that day.
fn asked_span(
    since: Option<String>,
    until: Option<String>,
    context: &ToolContext,
) -> Result<Range<i64>, ToolResult> {
    let now = context.now.as_microsecond();
    let usual = USUAL_SPAN.as_micros() as i64;
    let today = context.now.to_zoned(context.zone.clone()).date();
    let named = |text: &str| match text.parse::<Timestamp>() {
        Ok(time) => Ok((time.as_microsecond()..time.as_microsecond(), true)),
        Err(_) => past_days(text, today).map(|days| (micros(&days, &context.zone), false)),
    };
    let since = since.as_deref().map(named).transpose()?;
    let until = until.as_deref().map(named).transpose()?.map(|(span, _)| span.end);
    let span = match (since, until) {
        (None, None) => now - usual..now,
        (None, Some(until)) => until - usual..until,
        (Some((span, is_moment)), None) => span.start..if is_moment { now } else { span.end.min(now) },
        (Some((span, _)), Some(until)) => span.start..until,
    };
    // What is logged in this moment belongs to the present.
    let span = span.start..if span.end == now { now + 1 } else { span.end };
    if span.is_empty() {
        return Err(ToolResult::failed(
            "That time has no length or lies ahead. Ask for a time that is over.",
        ));
    }
    Ok(span)
}

fn time(at_micros: i64, context: &ToolContext) -> String {
    let at = Timestamp::from_microsecond(at_micros).unwrap_or(context.now);
    at.to_zoned(context.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

fn line(meal: &Meal, context: &ToolContext) -> String {
    let amounts = amounts(meal);
    let amounts = if amounts.is_empty() { amounts } else { format!(" — {amounts}") };
    format!("#{}, {}: {}{amounts}", meal.id, time(meal.eaten_at, context), meal.description)
}

fn item(meal: &Meal) -> ItemId {
    ItemId::new(RecordKind::Meal, meal.id)
}

#[async_trait]
impl Tool for FetchMeals {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.fetch(arguments, context)).await
    }
}

#[async_trait]
impl Tool for DeleteMeal {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |IdArguments { id }| self.delete(id, context)).await
    }
}
