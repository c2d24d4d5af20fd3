//! Answers the calls of the two tools.

use std::path::PathBuf;
use std::sync::Weak;

use assistant::{
    AskRequest, Connection, DamagedFile, DayRange, MemoryAnswer, MemoryRequest, ReplyView, Request, Response,
    Responses,
};
use jiff::Timestamp;
use settings::Scope;
use vocabulary::{Attachment, Private, Trouble};

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
    /// The answer to a question.
    pub async fn ask(&self, program: Option<&Program>, question: &str) -> Result<AskAnswer, String> {
        match self {
            Self::Door(door) => {
                let program = permitted(program, Scope::Ask)?;
                let door = door.upgrade().ok_or("Jarvis is quitting")?;
                let answered = answer(&door, program, question).await;
                let response = answered.map_err(|failure| failure.message)?;
                let text = response.text.map(|Private(text)| text).unwrap_or_default();
                Ok(AskAnswer { text, files: response.attachments, damaged: Vec::new() })
            }
            Self::Socket(folder) => {
                let request =
                    AskRequest { is_temporary: true, takes_files: true, ..AskRequest::new(question) };
                let mut connection = open(folder, &Request::Ask(request)).await?;
                let mut collected = PartialAnswer::default();
                loop {
                    let response = connection.next().await.map_err(|error| error.to_string())?;
                    if let Some(answered) = collected.take(response) {
                        return answered;
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

/// The answer to a question.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AskAnswer {
    pub text: String,
    /// The files that arrived whole.
    pub files: Vec<Attachment>,
    /// The files that did not.
    pub damaged: Vec<DamagedFile>,
}

/// The parts of an answer that have arrived.
#[derive(Default)]
struct PartialAnswer {
    answer: AskAnswer,
    trouble: Option<Trouble>,
}

impl PartialAnswer {
    /// Adds a response. Returns the answer if it was the last one of it, or the reason why there is none. A damaged file keeps
    /// nothing else from arriving.
    fn take(&mut self, response: Response) -> Option<Result<AskAnswer, String>> {
        match response {
            Response::Reply(ReplyView::Trouble(trouble)) => self.trouble = Some(trouble),
            Response::File(file) => match file.into_attachment() {
                Ok(file) => self.answer.files.push(file),
                Err(damaged) => {
                    tracing::warn!("a file of an answer arrived damaged");
                    self.answer.damaged.push(damaged);
                }
            },
            Response::Reply(ReplyView::Done { text }) => {
                let answer = AskAnswer { text, ..std::mem::take(&mut self.answer) };
                return Some(self.trouble.take().map_or(Ok(answer), |trouble| Err(in_words(&trouble))));
            }
            Response::Failed(trouble) => return Some(Err(in_words(&trouble))),
            Response::Done => return Some(Err("Jarvis gave no answer".to_owned())),
            _ => {}
        }
        None
    }
}

fn in_words(trouble: &Trouble) -> String {
    format!("{} {}", trouble.message, trouble.remedy)
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
            Response::Failed(trouble) => return Err(in_words(&trouble)),
            Response::Done => return Ok(lines),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file(name: &str, base64: &str) -> Response {
        let file = json!({
            "is_picture": false, "filename": name, "mime_type": "text/plain", "caption": null, "base64": base64,
        });
        serde_json::from_value(json!({ "response": "file", "of": file })).unwrap()
    }

    #[test]
    fn damaged_file_keeps_neither_the_text_nor_other_files_back() {
        let mut collected = PartialAnswer::default();
        let last = Response::Reply(ReplyView::Done { text: "Here they are.".to_owned() });

        let taken = [file("a.txt", "YQ=="), file("b.txt", "?"), file("c.txt", "Yw=="), last]
            .map(|response| collected.take(response));

        let [None, None, None, Some(Ok(answer))] = taken else { panic!("{taken:?}") };
        let arrived: Vec<&str> = answer.files.iter().map(|file| file.filename.as_str()).collect();
        assert_eq!((answer.text.as_str(), arrived), ("Here they are.", vec!["a.txt", "c.txt"]));
        assert_eq!(answer.damaged, [DamagedFile { filename: "b.txt".to_owned() }]);
    }
}
