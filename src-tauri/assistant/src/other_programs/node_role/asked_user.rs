//! The user, whom a Command Center asks.

use async_trait::async_trait;
use command_center::{NodeUser, ValidationRequest};
use languages::messages::Messages;
use replying::QuestionToUser;
use tokio::sync::{Mutex, MutexGuard, mpsc};
use tools::{Approval, ApprovalAnswer, ApprovalRequest, Inquiry};
use vocabulary::{Origin, Private};

/// The longest question that is shown, in characters: it comes from outside.
const MAX_QUESTION: usize = 600;
/// The most options that are offered, and the longest of them.
const MAX_OPTIONS: usize = 12;
const MAX_OPTION: usize = 80;

/// Asks the user in the stream of one reply.
pub(super) struct AskedUser {
    /// A reply asks one question at a time, so that nobody waits for the lock.
    questions: Mutex<QuestionToUser>,
    origin: Origin,
    /// Words that are said while the reply is still being made.
    said: mpsc::Sender<String>,
}

impl AskedUser {
    /// Questions go out through `questions`, announcements through `said`.
    pub fn new(questions: QuestionToUser, origin: Origin, said: mpsc::Sender<String>) -> Self {
        Self { questions: Mutex::new(questions), origin, said }
    }

    /// Takes the questions back, for another one who asks.
    pub fn into_questions(self) -> QuestionToUser {
        self.questions.into_inner()
    }

    /// Asks whether a call of the user's own may run.
    pub async fn of_user(&self) -> MutexGuard<'_, QuestionToUser> {
        self.questions.lock().await
    }

    /// Asks whether a call of the Command Center may run, and says who wants it.
    pub async fn of_center(&self) -> CenterApproval<'_> {
        CenterApproval(self.questions.lock().await)
    }
}

#[async_trait]
impl NodeUser for AskedUser {
    async fn ask(&self, request: &ValidationRequest) -> Option<String> {
        let listed = request.options.iter().flatten().take(MAX_OPTIONS);
        let options: Vec<String> = listed.map(|option| shown(option, MAX_OPTION)).collect();
        let question = shown(&request.question, MAX_QUESTION);
        let inquiry = match self.origin {
            // Options that are only heard are answered in free words.
            Origin::Voice | Origin::Satellite if !options.is_empty() => {
                Inquiry { text: Private(format!("{question} {}.", options.join(", "))), options: Vec::new() }
            }
            _ => Inquiry { text: Private(question), options },
        };
        let answer = self.questions.lock().await.inquire(inquiry).await;
        answer.map(|Private(words)| words)
    }

    fn acknowledge(&self, words: &str) {
        // There is one announcement in a reply; a second would not be worth waiting for.
        let _ = self.said.try_send(shown(words, MAX_QUESTION));
    }
}

/// Asks about calls of the Command Center.
pub(super) struct CenterApproval<'u>(MutexGuard<'u, QuestionToUser>);

#[async_trait]
impl Approval for CenterApproval<'_> {
    async fn ask(&mut self, mut request: ApprovalRequest) -> ApprovalAnswer {
        let sentences = Messages::for_language(Some(&request.language));
        request.sentence = Private(sentences.node_asks_for_tool(&request.sentence.0));
        self.0.ask(request).await
    }

    async fn inquire(&mut self, inquiry: Inquiry) -> Option<Private<String>> {
        self.0.inquire(inquiry).await
    }
}

/// The beginning of a text from outside, on one line.
fn shown(text: &str, max: usize) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(max).collect::<String>().trim().to_owned()
}
