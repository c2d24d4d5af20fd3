//! To-do and shopping lists: adding, listing, finishing.

use async_trait::async_trait;
use memory::{ItemId, Memory, RecordKind, Todo};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::declaration::{broken, changing, declaration, run, words};
use super::wording::{id, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The list of a to-do that names none.
const USUAL_LIST: &str = "to-do";

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// What is to be done or bought. Leave it out to list.
    text: Option<String>,
    /// Name of the list, such as "shopping".
    list: Option<String>,
}

#[derive(Clone, Copy)]
enum Verb {
    Add,
    List,
    Finish,
}

/// The tool `addTodo`, `listTodos` or `finishTodo`.
pub(super) struct Todos {
    declaration: Declaration,
    verb: Verb,
    memory: watch::Receiver<Option<Memory>>,
}

impl Todos {
    pub fn adding(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "addTodo",
            Effect::Writes,
            "Puts something to do or to buy on a list.",
            "todo task list shopping buy add note groceries",
            &[
                ("put milk on the shopping list", json!({"text": "milk", "list": "shopping"})),
                ("I have to call the bank", json!({"text": "call the bank"})),
            ],
        );
        Self { declaration, verb: Verb::Add, memory }
    }

    pub fn listing(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "listTodos",
            Effect::ReadOnly,
            "What is open on the to-do and shopping lists.",
            "todo task list shopping open groceries",
            &[
                ("what is on my shopping list?", json!({"list": "shopping"})),
                ("what do I have to do?", json!({})),
            ],
        );
        Self { declaration, verb: Verb::List, memory }
    }

    pub fn finishing(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<Arguments>(
            "finishTodo",
            Effect::Writes,
            "Marks something on a list as done.",
            "todo task done finished tick check off bought",
            &[("I bought the milk", json!({"text": "milk"})), ("tick off the bank", json!({"text": "bank"}))],
        );
        Self { declaration, verb: Verb::Finish, memory }
    }

    async fn run_with(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let wording = wording(context, id::TODO_ADDED);
        let (text, list) = (words(arguments.text), words(arguments.list));
        let needed = || text.clone().ok_or_else(|| ToolResult::failed("Ask the user what it is about."));
        let (result, answer) = match self.verb {
            Verb::Add => {
                let (text, list) = (needed()?, list.unwrap_or_else(|| USUAL_LIST.to_owned()));
                let now = context.now.as_microsecond();
                let id = memory.add_todo(&list, &text, now).await.map_err(broken)?;
                let result = ToolResult::done(format!("{text:?} is on the list {list:?}."))
                    .touching([ItemId::new(RecordKind::Todo, id)]);
                (result, wording.map(|it| it.todo_added(&list, &text)))
            }
            Verb::List => {
                let nothing = |failure: ToolResult| match wording {
                    Some(wording) => failure.answering(wording.todos_none()),
                    None => failure,
                };
                let open = self.open(&memory, list.as_deref()).await.map_err(nothing)?;
                let names: Vec<String> = open.iter().map(|todo| todo.text.clone()).collect();
                let lines: Vec<String> =
                    open.iter().map(|todo| format!("{} ({})", todo.text, todo.list)).collect();
                let text = if open.is_empty() { "Nothing is open.".to_owned() } else { lines.join("; ") };
                let answer = wording.map(|it| match names.is_empty() {
                    true => it.todos_none().to_owned(),
                    false => it.todos_open(&it.list(&names)),
                });
                (ToolResult::done(text).touching(open.iter().map(item)), answer)
            }
            Verb::Finish => {
                let wanted = memory::normalise(&needed()?);
                let open = self.open(&memory, list.as_deref()).await?;
                let fitting: Vec<&Todo> =
                    open.iter().filter(|todo| memory::normalise(&todo.text).contains(&wanted)).collect();
                let [todo] = fitting.as_slice() else {
                    let names: Vec<&str> = open.iter().map(|todo| todo.text.as_str()).collect();
                    return Err(ToolResult::failed(format!(
                        "{} to-dos fit. Open: {}. Ask which one.",
                        fitting.len(),
                        names.join("; ")
                    )));
                };
                memory.finish_todo(todo.id, context.now.as_microsecond()).await.map_err(broken)?;
                let result = ToolResult::done(format!("{:?} is done.", todo.text)).touching([item(todo)]);
                (result, wording.map(|it| it.todo_done(&todo.text)))
            }
        };
        Ok(match answer {
            Some(answer) => result.answering(answer),
            None => result,
        })
    }

    /// The open to-dos of a list, or of all of them.
    async fn open(&self, memory: &Memory, list: Option<&str>) -> Result<Vec<Todo>, ToolResult> {
        let open = memory.todos(list).await.map_err(broken)?;
        let Some(list) = list.filter(|_| open.is_empty()) else { return Ok(open) };
        let all = memory.todos(None).await.map_err(broken)?;
        let mut lists: Vec<&str> = all.iter().map(|todo| todo.list.as_str()).collect();
        lists.dedup();
        Err(ToolResult::failed(format!(
            "Nothing is open on a list called {list:?}. Lists with something open: {}.",
            if lists.is_empty() { "none".to_owned() } else { lists.join(", ") }
        )))
    }
}

fn item(todo: &Todo) -> ItemId {
    ItemId::new(RecordKind::Todo, todo.id)
}

#[async_trait]
impl Tool for Todos {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult {
        run(arguments, |arguments| self.run_with(arguments, context)).await
    }
}
