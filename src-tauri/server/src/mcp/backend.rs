//! Answers the calls of the two tools.

use std::path::PathBuf;
use std::sync::Weak;

use assistant::{
    AskRequest, Connection, DayRange, MemoryAnswer, MemoryRequest, ReplyView, Request, Response, Responses,
};
use jiff::Timestamp;
use settings::Scope;
use vocabulary::{Attachment, Private};

use crate::answer::answer;
use crate::door::Door;
use crate::programs::Program;

/// The one who answers.
pub(super) enum Backend {
    /// The assistant behind a door, within the key of the program.
    Door(Weak<Door>),
    /// The running Jarvis behind the socket in this folder. Who can use it is the user.
    Socket(PathBuf),
}

impl Backend {
    /// The answer to a question, with its files.
    pub async fn ask(
        &self,
        program: Option<&Program>,
        question: &str,
    ) -> Result<(String, Vec<Attachment>), String> {
        match self {
            Self::Door(door) => {
                let program = permitted(program, Scope::Ask)?;
                let door = door.upgrade().ok_or("Jarvis is quitting")?;
                let answered = answer(&door, program, question).await;
                let response = answered.map_err(|failure| failure.message)?;
                Ok((response.text.map(|Private(text)| text).unwrap_or_default(), response.attachments))
            }
            Self::Socket(folder) => {
                let request =
                    AskRequest { is_temporary: true, takes_files: true, ..AskRequest::new(question) };
                let mut connection = open(folder, &Request::Ask(request)).await?;
                let (mut trouble, mut files) = (None, Vec::new());
                loop {
                    match connection.next().await.map_err(|error| error.to_string())? {
                        Response::Reply(ReplyView::Trouble(failure)) => trouble = Some(failure),
                        Response::File(file) => {
                            files.push(file.into_attachment().ok_or("a file of the answer is damaged")?);
                        }
                        Response::Reply(ReplyView::Done { text }) => {
                            return match trouble {
                                None => Ok((text, files)),
                                Some(it) => Err(format!("{} {}", it.message, it.remedy)),
                            };
                        }
                        Response::Failed(it) => return Err(format!("{} {}", it.message, it.remedy)),
                        Response::Done => return Err("Jarvis gave no answer".to_owned()),
                        _ => {}
                    }
                }
            }
        }
    }

    /// The memories about these words, a line each.
    pub async fn search(&self, program: Option<&Program>, words: &str, limit: u64) -> Result<String, String> {
        let request = MemoryRequest::Search {
            words: Private(words.to_owned()),
            kinds: Vec::new(),
            days: DayRange::default(),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
        };
        let lines = match self {
            Self::Door(door) => {
                permitted(program, Scope::Memory)?;
                let door = door.upgrade().ok_or("Jarvis is quitting")?;
                let responses = door.assistant.about_memory(request).ok_or("Jarvis is starting")?;
                lines(Answers::Here(responses)).await?
            }
            Self::Socket(folder) => {
                lines(Answers::There(open(folder, &Request::Memory(request)).await?)).await?
            }
        };
        Ok(if lines.is_empty() { "Nothing was found.".to_owned() } else { lines.join("\n") })
    }
}

fn permitted(program: Option<&Program>, scope: Scope) -> Result<&Program, String> {
    let program = program.ok_or("the key is missing or unknown")?;
    match program.may(scope) {
        true => Ok(program),
        false => Err(format!("the key does not allow this: it lacks the scope {}", scope.value())),
    }
}

async fn open(folder: &std::path::Path, request: &Request) -> Result<Connection, String> {
    Connection::open(folder, request).await.map_err(|error| error.to_string())
}

/// Answers of this process, or of another one.
enum Answers {
    Here(Responses),
    There(Connection),
}

impl Answers {
    async fn next(&mut self) -> Result<Response, String> {
        let next = match self {
            Self::Here(responses) => responses.next().await,
            Self::There(connection) => connection.next().await,
        };
        next.map_err(|error| error.to_string())
    }
}

async fn lines(mut answers: Answers) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    loop {
        match answers.next().await? {
            Response::Memory(answer) => {
                if let MemoryAnswer::Hit(hit) = *answer {
                    let day = Timestamp::from_microsecond(hit.item.at_micros)
                        .map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%d ").to_string());
                    lines.push(format!("{day}{}", hit.item.text.0));
                }
            }
            Response::Failed(trouble) => return Err(format!("{} {}", trouble.message, trouble.remedy)),
            Response::Done => return Ok(lines),
            _ => {}
        }
    }
}
