//! To-do and shopping lists: adding, listing, finishing.

use async_trait::async_trait;
use languages::messages::Messages;
use memory::{ItemId, Memory, RecordKind, Todo};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::declaration::{broken, changing, declaration, run, words};
use super::wording::{id, list_phrase, told, wording};
use crate::{Declaration, Effect, Tool, ToolContext, ToolResult};

/// The list of a to-do that names none.
const USUAL_LIST: &str = "to-do";

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// What is to be done or bought, or what is looked for on a list. Leave it out to list everything.
    text: Option<String>,
    /// Name of the list, such as "shopping".
    list: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct FinishArguments {
    /// The thing that was done or bought.
    text: Option<String>,
    /// Name of the list, such as "shopping".
    list: Option<String>,
    /// Everything on the list is done. Without a name that is the to-do list.
    #[serde(default)]
    all: bool,
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
            "What is open on the to-do and shopping lists, or whether something is on them.",
            "todo task list shopping open groceries",
            &[
                ("what is on my shopping list?", json!({"list": "shopping"})),
                ("is milk on the shopping list?", json!({"text": "milk", "list": "shopping"})),
                ("what do I have to do?", json!({})),
            ],
        );
        Self { declaration, verb: Verb::List, memory }
    }

    pub fn finishing(memory: watch::Receiver<Option<Memory>>) -> Self {
        let declaration = declaration::<FinishArguments>(
            "finishTodo",
            Effect::Writes,
            "Marks something on a list as done, or everything.",
            "todo task done finished tick check off bought clear empty",
            &[
                ("I bought the milk", json!({"text": "milk"})),
                ("tick off the bank", json!({"text": "bank"})),
                ("clear the shopping list", json!({"list": "shopping", "all": true})),
            ],
        );
        Self { declaration, verb: Verb::Finish, memory }
    }

    async fn finish(
        &self,
        arguments: FinishArguments,
        context: &ToolContext,
    ) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let (text, list) = (words(arguments.text), words(arguments.list));
        // "All the milk" is one thing.
        let is_all = arguments.all && text.is_none();
        let list = if is_all { list.or_else(|| Some(USUAL_LIST.to_owned())) } else { list };
        let open = self.open(&memory, list.as_deref(), context).await?;
        let done = match is_all {
            true if open.is_empty() => return Err(nothing_open(context)),
            true => open,
            false => vec![only_fitting(&needed(text)?, &open, context)?],
        };
        for todo in &done {
            memory.finish_todo(todo.id, context.now.as_microsecond()).await.map_err(broken)?;
        }
        let names: Vec<String> = done.iter().map(|todo| todo.text.clone()).collect();
        let result = ToolResult::done(format!("Done: {}.", names.join("; "))).touching(done.iter().map(item));
        Ok(match wording(context, id::TODO_DONE) {
            Some(wording) => result.answering(match names.as_slice() {
                [name] => wording.todo_done(name),
                names => wording.todos_done(&wording.list(names)),
            }),
            None => result,
        })
    }

    async fn add(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let (text, list) = (needed(words(arguments.text))?, words(arguments.list));
        let list = list.unwrap_or_else(|| USUAL_LIST.to_owned());
        let id = memory.add_todo(&list, &text, context.now.as_microsecond()).await.map_err(broken)?;
        let result = ToolResult::done(format!("{text:?} is on the list {list:?}."))
            .touching([ItemId::new(RecordKind::Todo, id)]);
        Ok(match wording(context, id::TODO_ADDED) {
            Some(wording) => result.answering(wording.todo_added(&list_phrase(wording, &list), &text)),
            None => result,
        })
    }

    async fn list(&self, arguments: Arguments, context: &ToolContext) -> Result<ToolResult, ToolResult> {
        let memory = changing(&self.memory, context)?;
        let wording = wording(context, id::TODO_ADDED);
        let list = words(arguments.list);
        let open = self.open(&memory, list.as_deref(), context).await?;
        if let Some(wanted) = words(arguments.text) {
            return Ok(looked_up(&wanted, &open, list.as_deref(), wording));
        }
        let names: Vec<String> = open.iter().map(|todo| todo.text.clone()).collect();
        let lines: Vec<String> = open.iter().map(|todo| format!("{} ({})", todo.text, todo.list)).collect();
        let text = if open.is_empty() { "Nothing is open.".to_owned() } else { lines.join("; ") };
        let answer = wording.map(|it| match &list {
            _ if names.is_empty() => it.todos_none().to_owned(),
            Some(list) => it.todos_open_on(&it.list(&names), &list_phrase(it, list)),
            None => it.todos_open(&it.list(&names)),
        });
        let result = ToolResult::done(text).touching(open.iter().map(item));
        Ok(match answer {
            Some(answer) => result.answering(answer),
            None => result,
        })
    }

    /// The open to-dos of a list, or of all of them.
    async fn open(
        &self,
        memory: &Memory,
        list: Option<&str>,
        context: &ToolContext,
    ) -> Result<Vec<Todo>, ToolResult> {
        let open = memory.todos(list).await.map_err(broken)?;
        let Some(list) = list.filter(|_| open.is_empty()) else { return Ok(open) };
        let all = memory.todos(None).await.map_err(broken)?;
        let mut lists: Vec<&str> = all.iter().map(|todo| todo.list.as_str()).collect();
        lists.dedup();
        let failure = ToolResult::failed(format!(
            "Nothing is open on a list called {list:?}. Lists with something open: {}.",
            if lists.is_empty() { "none".to_owned() } else { lists.join(", ") }
        ));
        Err(told(failure, context, id::TODO_LIST_EMPTY, |wording| {
            wording.todo_list_empty(&list_phrase(wording, list))
        }))
    }
}

/// The answer to the question if something is on a list, or on any.
fn looked_up(
    wanted: &str,
    open: &[Todo],
    list: Option<&str>,
    wording: Option<&'static Messages>,
) -> ToolResult {
    let found: Vec<&Todo> = open.iter().filter(|todo| names(&todo.text, wanted)).collect();
    let items: Vec<String> = open.iter().map(|todo| todo.text.clone()).collect();
    let (text, answer) = match found.as_slice() {
        [] if open.is_empty() => {
            ("No: nothing is open.".to_owned(), wording.map(|it| it.todos_none().to_owned()))
        }
        [] => {
            let text = format!("No: {wanted:?} is not open. Open: {}.", items.join("; "));
            let answer = wording.map(|it| match list {
                Some(list) => it.todo_is_not_on(&it.list(&items), &list_phrase(it, list), wanted),
                None => it.todo_is_on_none(&it.list(&items), wanted),
            });
            (text, answer)
        }
        found => {
            let line = |todo: &&Todo| format!("Yes: {:?} is on the list {:?}.", todo.text, todo.list);
            let lines: Vec<String> = found.iter().map(line).collect();
            let words = |it: &'static Messages| {
                let said = found.iter().map(|todo| it.todo_is_on(&list_phrase(it, &todo.list), &todo.text));
                said.collect::<Vec<_>>().join(" ")
            };
            (lines.join(" "), wording.map(words))
        }
    };
    let result = ToolResult::done(text).touching(found.into_iter().map(item));
    match answer {
        Some(answer) => result.answering(answer),
        None => result,
    }
}

/// The most characters by which two forms of a word differ: "egg" and "eggs", "tomato" and "tomatoes".
const LONGEST_ENDING: usize = 2;

/// The shortest word that may have such an ending, in characters. A shorter one has one of a single character: "salsa" is no "sal".
const LONG_STEM: usize = 5;

/// `true` if each of the wanted words, in one of its forms, is one of the text: "oat milk" has "milk", "shampoo" has no "ham".
fn names(text: &str, wanted: &str) -> bool {
    let (text, wanted) = (memory::normalise(text), memory::normalise(wanted));
    let begins = |long: &str, short: &str| {
        let rest = long.strip_prefix(short).map(|rest| rest.chars().count());
        let stem = short.chars().count();
        let longest = if stem < LONG_STEM { 1 } else { LONGEST_ENDING };
        stem > LONGEST_ENDING && rest.is_some_and(|rest| rest <= longest)
    };
    let is_same = |one: &str, other: &str| one == other || begins(one, other) || begins(other, one);
    wanted.split_whitespace().all(|wanted| text.split_whitespace().any(|word| is_same(word, wanted)))
}

/// The only open to-do with these words: the one that has no others, or else the one that has them among others, or else the one
/// that has them in other forms: "egg" for "the eggs", Turkish "süt" for "sütü".
fn only_fitting(text: &str, open: &[Todo], context: &ToolContext) -> Result<Todo, ToolResult> {
    let wanted = memory::normalise(text);
    let with = |fits: &dyn Fn(&str) -> bool| -> Vec<&Todo> {
        open.iter().filter(|todo| fits(&memory::normalise(&todo.text))).collect()
    };
    let ways: [&dyn Fn(&str) -> bool; 3] =
        [&|known| known == wanted, &|known| known.contains(&wanted), &|known| names(known, &wanted)];
    let fitting = ways.into_iter().map(with).find(|fitting| !fitting.is_empty()).unwrap_or_default();
    let texts = |todos: &[&Todo]| todos.iter().map(|todo| todo.text.clone()).collect::<Vec<String>>();
    let all: Vec<&Todo> = open.iter().collect();
    let failure = ToolResult::failed(format!(
        "{} to-dos fit. Open: {}. Ask which one.",
        fitting.len(),
        texts(&all).join("; ")
    ));
    match fitting.as_slice() {
        [only] => Ok((*only).clone()),
        [] if open.is_empty() => Err(nothing_open(context)),
        [] => Err(told(failure, context, id::TODO_NO_FIT, |it| it.todo_no_fit(&it.list(&texts(&all)), text))),
        several => {
            let failure = failure.choosing_among(several.iter().map(|todo| (todo.text.clone(), item(todo))));
            Err(told(failure, context, id::TODOS_SEVERAL, |it| it.todos_several(&it.list(&texts(several)))))
        }
    }
}

fn nothing_open(context: &ToolContext) -> ToolResult {
    let failure = ToolResult::failed("Nothing is open.");
    told(failure, context, id::TODOS_NONE, |it| it.todos_none().to_owned())
}

fn needed(text: Option<String>) -> Result<String, ToolResult> {
    text.ok_or_else(|| ToolResult::failed("Ask the user what it is about."))
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
        match self.verb {
            Verb::Finish => run(arguments, |arguments| self.finish(arguments, context)).await,
            Verb::Add => run(arguments, |arguments| self.add(arguments, context)).await,
            Verb::List => run(arguments, |arguments| self.list(arguments, context)).await,
        }
    }
}
