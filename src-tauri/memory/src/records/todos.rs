//! To-do and shopping lists.

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use crate::MemoryError;
use crate::error::Refusal;
use crate::memory::Memory;
use crate::search::normalise::fold;

/// Something to do or to buy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// Its name in commands; ignored when it is added.
    #[serde(default)]
    pub id: i64,
    /// The list that it is on.
    pub list: String,
    /// What to do.
    pub text: String,
    /// When it was noted: microseconds since 1970 UTC.
    pub created_at: i64,
    /// When it was done.
    #[serde(default)]
    pub done_at: Option<i64>,
}

impl Memory {
    /// Puts something on a list. What is open on it already, in the same words, is not put there twice. Says its id.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for nothing at all.
    pub async fn add_todo(&self, list: &str, text: &str, now_micros: i64) -> Result<i64, MemoryError> {
        let (list, text) = (list.trim().to_owned(), text.trim().to_owned());
        self.change(move |changing| {
            if text.is_empty() {
                return Err(Refusal::NoWords.into());
            }
            let open = open(changing, Some(&list))?;
            match open.iter().find(|todo| fold(&todo.text) == fold(&text)) {
                Some(todo) => Ok(todo.id),
                None => {
                    let todo = Todo { id: 0, list, text, created_at: now_micros, done_at: None };
                    Ok(insert(changing, &todo)?)
                }
            }
        })
        .await
    }

    /// What is still to be done, of one list or all, oldest first.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn todos(&self, list: Option<&str>) -> Result<Vec<Todo>, MemoryError> {
        let list = list.map(str::to_owned);
        self.read(move |connection| open(connection, list.as_deref())).await
    }

    /// Notes that something is done.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when there is none of that id.
    pub async fn finish_todo(&self, id: i64, now_micros: i64) -> Result<(), MemoryError> {
        self.change(move |changing| {
            let updated = changing.execute(
                "UPDATE todos SET done_at = coalesce(done_at, ?2) WHERE id = ?1",
                params![id, now_micros],
            )?;
            if updated == 0 { Err(Refusal::NoSuchTodo(id).into()) } else { Ok(()) }
        })
        .await
    }

    /// Takes something off its list. Says whether it was there.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database fails.
    pub async fn delete_todo(&self, id: i64) -> Result<bool, MemoryError> {
        self.change(move |changing| Ok(changing.execute("DELETE FROM todos WHERE id = ?1", [id])? > 0)).await
    }
}

fn open(connection: &Connection, list: Option<&str>) -> rusqlite::Result<Vec<Todo>> {
    let mut select = connection.prepare_cached(
        "SELECT id, list, text, created_at, done_at FROM todos
         WHERE done_at IS NULL AND (?1 IS NULL OR list = ?1 COLLATE NOCASE) ORDER BY created_at, id",
    )?;
    select.query_map([list], read)?.collect()
}

pub(crate) fn insert(connection: &Connection, todo: &Todo) -> rusqlite::Result<i64> {
    connection.execute(
        "INSERT INTO todos (list, text, created_at, done_at) VALUES (?1, ?2, ?3, ?4)",
        params![todo.list, todo.text, todo.created_at, todo.done_at],
    )?;
    Ok(connection.last_insert_rowid())
}

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Todo> {
    Ok(Todo {
        id: row.get(0)?,
        list: row.get(1)?,
        text: row.get(2)?,
        created_at: row.get(3)?,
        done_at: row.get(4)?,
    })
}

/// All, whether done or not.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Todo>> {
    let mut select =
        connection.prepare_cached("SELECT id, list, text, created_at, done_at FROM todos ORDER BY id")?;
    select.query_map([], read)?.collect()
}
