//! To-do and shopping lists.

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use crate::MemoryError;
use crate::error::Refusal;
use crate::memory::Memory;
use crate::search::normalise::normalise;

/// Something to do or to buy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// Its id in commands; ignored when it is added.
    #[serde(default)]
    pub id: i64,
    /// Name of its list.
    pub list: String,
    /// The words of the to-do.
    pub text: String,
    /// When it was entered: microseconds since 1970 UTC.
    pub created_at: i64,
    /// When it was done; `None` while it is open.
    #[serde(default)]
    pub done_at: Option<i64>,
}

impl Memory {
    /// Adds a to-do to a list, unless the list has an open one with the same words. Returns its id.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for an empty text.
    pub async fn add_todo(&self, list: &str, text: &str, now_micros: i64) -> Result<i64, MemoryError> {
        let (list, text) = (list.trim().to_owned(), text.trim().to_owned());
        self.change(move |changing| {
            if text.is_empty() {
                return Err(Refusal::NoWords.into());
            }
            let open = open(changing, Some(&list))?;
            match open.iter().find(|todo| normalise(&todo.text) == normalise(&text)) {
                Some(todo) => Ok(todo.id),
                None => {
                    let todo = Todo { id: 0, list, text, created_at: now_micros, done_at: None };
                    let id = insert(changing, &todo)?;
                    Ok(changing.added("todos", id))
                }
            }
        })
        .await
    }

    /// Open to-dos of one list or all lists, oldest first.
    pub async fn todos(&self, list: Option<&str>) -> Result<Vec<Todo>, MemoryError> {
        let list = list.map(str::to_owned);
        self.read(move |connection| open(connection, list.as_deref())).await
    }

    /// Marks a to-do as done.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when the id is unknown.
    pub async fn finish_todo(&self, id: i64, now_micros: i64) -> Result<(), MemoryError> {
        self.change(move |changing| {
            changing.before_change("todos", id)?;
            let updated = changing.execute(
                "UPDATE todos SET done_at = coalesce(done_at, ?2) WHERE id = ?1",
                params![id, now_micros],
            )?;
            if updated == 0 { Err(Refusal::NoSuchTodo(id).into()) } else { Ok(()) }
        })
        .await
    }

    /// Deletes a to-do. Returns whether it existed.
    pub async fn delete_todo(&self, id: i64) -> Result<bool, MemoryError> {
        self.change(move |changing| {
            changing.before_change("todos", id)?;
            Ok(changing.execute("DELETE FROM todos WHERE id = ?1", [id])? > 0)
        })
        .await
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

/// All to-dos, open or done.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Todo>> {
    let mut select =
        connection.prepare_cached("SELECT id, list, text, created_at, done_at FROM todos ORDER BY id")?;
    select.query_map([], read)?.collect()
}
