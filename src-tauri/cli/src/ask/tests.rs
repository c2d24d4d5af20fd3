//! Questions of a reply at a terminal, with a whole assistant behind it.

use std::sync::Arc;

use ::settings::Folders;
use assistant::NoQuestion;
use parking_lot::Mutex;
use rstest::rstest;
use serde_json::json;
use testkit::{InMemorySecrets, ScriptedModel, Turn};
use vocabulary::{Private, QuestionId};

use super::*;

const QUESTION: &str = "would you count down from five minutes for my tea";

/// Writes down what is printed.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().clone()).unwrap()
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A Jarvis that asks before it sets a timer, and whose model sets one.
struct Home {
    _folder: tempfile::TempDir,
    folders: Folders,
    assistant: Assistant,
    model: Arc<ScriptedModel>,
    answer: Printed,
    asked: Printed,
}

impl Home {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        let settings = json!({ "tools": { "asked": ["setTimer"] }, "memory": { "embeddings": "off" } });
        std::fs::create_dir_all(&folders.config).unwrap();
        std::fs::write(folders.config.join("settings.json"), settings.to_string()).unwrap();
        let turns = [Turn::calls("setTimer", json!({ "minutes": 5 })), Turn::says("That is settled.")];
        let model = Arc::new(ScriptedModel::new(turns));
        let builder = AssistantBuilder::new(folders.clone())
            .without_audio()
            .for_one_question()
            .with_model(model.clone())
            .with_secrets(Arc::new(InMemorySecrets::default()));
        let assistant = Assistant::start(builder, Instance::claim(&folders.data).unwrap()).await.unwrap();
        let (answer, asked) = (Printed::default(), Printed::default());
        Self { _folder: folder, folders, assistant, model, answer, asked }
    }

    /// Asks, in this process or through the socket. A person types the line, if there is one.
    async fn ask(&self, is_running: bool, typed: Option<&'static str>) {
        let mut printer =
            AnswerPrinter { out: Box::new(self.answer.clone()), as_json: false, has_failed: false };
        let typed = typed.map(|line| {
            TypedAnswers::new(Arc::new(move || Some(format!("{line}\n"))), Box::new(self.asked.clone()))
        });
        if is_running {
            let answers_questions = typed.is_some();
            let request = Request::Ask(AskRequest { answers_questions, ..AskRequest::new(QUESTION) });
            let connection = Connection::open(&self.folders.data, &request).await.unwrap();
            print_answer(connection, &mut printer, typed).await.unwrap();
        } else {
            ask_here(&self.assistant, QUESTION, &mut printer, typed).await.unwrap();
        }
    }

    /// The result of the call, as the model was told it.
    fn result(&self) -> String {
        self.model.asked()[1].messages.last().unwrap().content.clone()
    }
}

#[rstest]
#[case::agreed(Some("y"), "5 minutes")]
#[case::declined(Some("n"), "did not allow setTimer")]
#[case::enter_alone(Some(""), "did not allow setTimer")]
#[case::nobody_there(None, "nobody answered")]
#[tokio::test]
async fn person_at_the_terminal_decides_what_a_reply_asks_for(
    #[case] typed: Option<&'static str>,
    #[case] expected: &str,
    #[values(false, true)] is_running: bool,
) {
    let home = Home::new().await;

    home.ask(is_running, typed).await;

    let (answer, asked) = (home.answer.text(), home.asked.text());
    assert_eq!(answer, "That is settled.\n");
    assert_eq!(asked.contains("timer") && asked.contains("Yes"), typed.is_some(), "{asked}");
    assert!(home.result().contains(expected), "{}", home.result());
    home.assistant.shut_down().await;
}

#[tokio::test]
async fn answer_to_another_question_leaves_the_open_one_to_its_own() {
    let home = Home::new().await;
    let request = ReplyRequest::new(QUESTION, ConversationId::main());
    let mut reply = home.assistant.open_reply(request).await.unwrap();
    let question = loop {
        match reply.next().await.unwrap() {
            ReplyEvent::Question(question) => break question,
            _ => continue,
        }
    };
    let answer = |question, text: &str| Answer { question, text: Private(text.to_owned()) };

    let other = reply.take_typed(Some(&question), &answer(QuestionId(question.id.0 + 1), "Yes"));
    let own = reply.take_typed(Some(&question), &answer(question.id, "No"));
    while reply.next().await.is_some() {}

    assert_eq!((other, own), (Err(NoQuestion), Ok(())));
    assert!(home.result().contains("did not allow setTimer"), "{}", home.result());
    home.assistant.shut_down().await;
}
