//! Meals.
//!
//! Source: docs/behaviour/memory.md#meals and docs/behaviour/tools.md#meals.

use std::ops::Range;

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::MemoryError;
use crate::memory::Memory;

/// A meal. Unknown amounts are `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meal {
    /// Its id in commands; ignored when it is added.
    pub id: i64,
    /// When it was eaten: microseconds since 1970 UTC.
    pub eaten_at: i64,
    /// When it was entered: microseconds since 1970 UTC; 0 means when it was eaten.
    pub entered_at: i64,
    /// voice, typed or import.
    pub source: String,
    /// Everything that was eaten.
    pub description: String,
    /// Energy, in kilocalories.
    pub calories_kcal: Option<f64>,
    /// Protein, in grams.
    pub protein_g: Option<f64>,
    /// Carbohydrates, in grams.
    pub carbs_g: Option<f64>,
    /// Fat, in grams.
    pub fat_g: Option<f64>,
    /// Fibre, in grams.
    pub fiber_g: Option<f64>,
    /// Sugar, in grams.
    pub sugar_g: Option<f64>,
    /// Sodium, in milligrams.
    pub sodium_mg: Option<f64>,
    /// Potassium, in milligrams.
    pub potassium_mg: Option<f64>,
    /// Vitamins and minerals, by name.
    pub micros: Option<Map<String, Value>>,
    /// Confidence of the estimate, 0 to 1.
    pub confidence: Option<f64>,
}

impl Memory {
    /// Stores a meal. Returns its id.
    pub async fn log_meal(&self, meal: Meal) -> Result<i64, MemoryError> {
        self.change(move |changing| {
            let id = insert(changing, &meal)?;
            Ok(changing.added("meals", id))
        })
        .await
    }

    /// The meals eaten in a time span (microseconds since 1970 UTC), oldest first.
    pub async fn meals(&self, span: Range<i64>, limit: usize) -> Result<Vec<Meal>, MemoryError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT * FROM meals WHERE eaten_at >= ?1 AND eaten_at < ?2 ORDER BY eaten_at, id LIMIT ?3",
            )?;
            select.query_map(params![span.start, span.end, limit as i64], read)?.collect()
        })
        .await
    }

    /// Deletes a meal. Returns whether it existed.
    pub async fn delete_meal(&self, id: i64) -> Result<bool, MemoryError> {
        self.change(move |changing| {
            changing.before_change("meals", id)?;
            Ok(changing.execute("DELETE FROM meals WHERE id = ?1", [id])? > 0)
        })
        .await
    }
}

pub(crate) fn insert(connection: &Connection, meal: &Meal) -> rusqlite::Result<i64> {
    let micros = meal.micros.as_ref().map(|micros| Value::Object(micros.clone()).to_string());
    connection.execute(
        "INSERT INTO meals (eaten_at, entered_at, source, description, calories_kcal, protein_g, carbs_g, fat_g, fiber_g, sugar_g,
                            sodium_mg, potassium_mg, micros, confidence)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            meal.eaten_at,
            if meal.entered_at == 0 { meal.eaten_at } else { meal.entered_at },
            meal.source,
            meal.description,
            finite(meal.calories_kcal),
            finite(meal.protein_g),
            finite(meal.carbs_g),
            finite(meal.fat_g),
            finite(meal.fiber_g),
            finite(meal.sugar_g),
            finite(meal.sodium_mg),
            finite(meal.potassium_mg),
            micros,
            finite(meal.confidence),
        ],
    )?;
    Ok(connection.last_insert_rowid())
}

/// Infinite and NaN amounts cannot be exported as JSON, so they count as unknown.
fn finite(amount: Option<f64>) -> Option<f64> {
    amount.filter(|amount| amount.is_finite())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Meal> {
    let micros: Option<String> = row.get("micros")?;
    Ok(Meal {
        id: row.get("id")?,
        eaten_at: row.get("eaten_at")?,
        entered_at: row.get("entered_at")?,
        source: row.get("source")?,
        description: row.get("description")?,
        calories_kcal: row.get("calories_kcal")?,
        protein_g: row.get("protein_g")?,
        carbs_g: row.get("carbs_g")?,
        fat_g: row.get("fat_g")?,
        fiber_g: row.get("fiber_g")?,
        sugar_g: row.get("sugar_g")?,
        sodium_mg: row.get("sodium_mg")?,
        potassium_mg: row.get("potassium_mg")?,
        micros: micros.and_then(|micros| serde_json::from_str(&micros).ok()),
        confidence: row.get("confidence")?,
    })
}

/// All meals, oldest first.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Meal>> {
    connection.prepare_cached("SELECT * FROM meals ORDER BY eaten_at, id")?.query_map([], read)?.collect()
}
