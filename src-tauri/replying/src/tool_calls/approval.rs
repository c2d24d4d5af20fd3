//! Asking the user before a call runs.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::channel::mpsc::Receiver;
use futures::stream::Peekable;
use futures::{FutureExt, StreamExt};
use languages::messages::Messages;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tools::{Approval, ApprovalAnswer, ApprovalRequest, Inquiry};
use vocabulary::{Answer, Private, Question, QuestionId, ReplyEvent};

/// The time that a question waits for its answer. A person who was called away finds the call not made, and can ask
/// again.
const PATIENCE: Duration = Duration::from_secs(60);

/// The questions of one reply.
pub struct QuestionToUser {
    events: mpsc::Sender<ReplyEvent>,
    answers: Peekable<Receiver<Answer>>,
    stop: CancellationToken,
    asked: Arc<AtomicU64>,
    /// An "always" counts. It does not from another program, which answers for its own call only.
    may_remember: bool,
    /// The user is at this machine, with its keys and its screen.
    can_click: bool,
}

impl QuestionToUser {
    /// Questions that go out as `events` and whose answers come as `answers`.
    pub fn new(events: mpsc::Sender<ReplyEvent>, answers: Receiver<Answer>, stop: CancellationToken) -> Self {
        Self {
            events,
            answers: answers.peekable(),
            stop,
            asked: Arc::default(),
            may_remember: true,
            can_click: true,
        }
    }

    /// The answers that may still come, for another one who asks.
    pub fn into_answers(self) -> Receiver<Answer> {
        self.answers.into_inner()
    }

    /// Answers count for one call each from now on, whatever they say.
    pub(crate) fn remembers_nothing(&mut self) {
        self.may_remember = false;
    }

    /// The user is in another room: what is confirmed by a key or a click is refused from now on, and said to be.
    pub fn cannot_click(&mut self) {
        self.can_click = false;
    }

    /// Returns the number of questions; it goes on counting.
    pub(crate) fn count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.asked)
    }

    /// Returns `true` if no answer can come any more.
    fn nobody_answers(&mut self) -> bool {
        matches!(Pin::new(&mut self.answers).peek().now_or_never(), Some(None))
    }

    /// The option that was chosen. `None` when there is no answer in time, or the reply was stopped.
    async fn choose(&mut self, text: String, options: Vec<String>, by_hand: bool) -> Option<String> {
        if self.nobody_answers() {
            return None;
        }
        let id = QuestionId(self.asked.fetch_add(1, Ordering::Relaxed) + 1);
        let question = Question { id, text, options, by_hand };
        self.events.send(ReplyEvent::Question(question)).await.ok()?;
        let mut settling = QuestionGuard { events: self.events.clone(), question: Some(id) };
        let waiting = async {
            loop {
                let answer = self.answers.next().await?;
                if answer.question == id {
                    return Some(answer.text.0);
                }
            }
        };
        let waiting = tokio::time::timeout(PATIENCE, waiting);
        let answer = self.stop.run_until_cancelled(waiting).await.and_then(Result::ok).flatten();
        settling.question = None;
        // Nobody may be listening any more; the call then simply does not run.
        let _ = self.events.send(ReplyEvent::QuestionSettled { question: id }).await;
        answer
    }
}

/// Settles a question that is dropped before it has an answer: the tool took it back.
struct QuestionGuard {
    events: mpsc::Sender<ReplyEvent>,
    question: Option<QuestionId>,
}

impl Drop for QuestionGuard {
    fn drop(&mut self) {
        let Some(question) = self.question.take() else { return };
        let events = self.events.clone();
        // Ends with the reply at the latest, which needs no notice.
        tokio::spawn(async move { drop(events.send(ReplyEvent::QuestionSettled { question }).await) });
    }
}

#[async_trait]
impl Approval for QuestionToUser {
    async fn ask(&mut self, request: ApprovalRequest) -> ApprovalAnswer {
        let messages = Messages::for_language(Some(&request.language));
        if !self.can_click && request.effect.needs_a_hand() {
            let text = messages.permission_needs_click(&request.sentence.0);
            // Nobody may be listening any more; the call does not run all the same.
            let _ = self.events.send(ReplyEvent::Note { text }).await;
            return ApprovalAnswer::NeedsClick;
        }
        let (yes, always, no) =
            (messages.permission_yes(), messages.permission_always(), messages.permission_no());
        let can_remember = request.can_remember && self.may_remember;
        let options: &[&str] = if can_remember { &[yes, always, no] } else { &[yes, no] };
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let text = messages.permission_question(&request.sentence.0);
        match self.choose(text, options, request.effect.needs_a_hand()).await.as_deref() {
            Some(chosen) if chosen == yes => ApprovalAnswer::Once,
            Some(chosen) if can_remember && chosen == always => ApprovalAnswer::Always,
            Some(_) => ApprovalAnswer::No,
            None => ApprovalAnswer::Unanswered,
        }
    }

    async fn inquire(&mut self, inquiry: Inquiry) -> Option<Private<String>> {
        self.choose(inquiry.text.0, inquiry.options, false).await.map(Private)
    }

    async fn report(&mut self, progress: Private<String>) {
        // Nobody may be listening any more; the call goes on all the same.
        let _ = self.events.send(ReplyEvent::Progress { text: progress.0 }).await;
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use tools::Effect;

    use super::*;

    #[tokio::test]
    async fn question_that_a_tool_takes_back_is_settled() {
        let (events, mut told) = mpsc::channel(4);
        let (_answers, answered) = futures::channel::mpsc::channel(1);
        let mut user = QuestionToUser::new(events, answered, CancellationToken::new());
        let inquiry = Inquiry { text: Private("Which town?".to_owned()), options: Vec::new() };

        let asked = tokio::select! {
            biased;
            _ = user.inquire(inquiry) => panic!("nobody answered"),
            asked = told.recv() => asked,
        };

        let Some(ReplyEvent::Question(question)) = asked else { panic!("{asked:?}") };
        assert_eq!(told.recv().await, Some(ReplyEvent::QuestionSettled { question: question.id }));
    }

    #[tokio::test(start_paused = true)]
    async fn question_that_nobody_can_answer_is_not_asked() {
        let (events, mut told) = mpsc::channel(4);
        let (mut answers, answered) = futures::channel::mpsc::channel(1);
        let mut user = QuestionToUser::new(events, answered, CancellationToken::new());
        answers.close_channel();
        let began = tokio::time::Instant::now();

        let inquiry = Inquiry { text: Private("Which town?".to_owned()), options: Vec::new() };
        let answer = user.inquire(inquiry).await;

        assert_eq!((answer, began.elapsed()), (None, Duration::ZERO));
        assert!(told.try_recv().is_err());
    }

    #[rstest]
    #[case::writing_is_confirmed_by_voice(
        Effect::Writes,
        ApprovalAnswer::Once,
        "Jarvis wants to. Is that all right?"
    )]
    #[case::deleting(
        Effect::Destructive,
        ApprovalAnswer::NeedsClick,
        "Jarvis wants to. That needs a key or a click at the computer, so it was not done."
    )]
    #[case::executing(
        Effect::Executes,
        ApprovalAnswer::NeedsClick,
        "Jarvis wants to. That needs a key or a click at the computer, so it was not done."
    )]
    #[tokio::test]
    async fn user_in_another_room_confirms_by_voice_what_may_be(
        #[case] effect: Effect,
        #[case] expected: ApprovalAnswer,
        #[case] said: &str,
    ) {
        let (events, mut told) = mpsc::channel(4);
        let (mut answers, answered) = futures::channel::mpsc::channel(1);
        answers.try_send(Answer { question: QuestionId(1), text: Private("Yes".to_owned()) }).unwrap();
        let mut user = QuestionToUser::new(events, answered, CancellationToken::new());
        user.cannot_click();

        let answer = user
            .ask(ApprovalRequest {
                tool: "tool".to_owned(),
                sentence: Private("Jarvis wants to.".to_owned()),
                language: vocabulary::Language::new("en").unwrap(),
                effect,
                can_remember: false,
            })
            .await;

        assert_eq!(answer, expected);
        match told.recv().await {
            Some(ReplyEvent::Question(Question { text, .. }) | ReplyEvent::Note { text }) => {
                assert_eq!(text, said);
            }
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn question_of_a_tool_goes_out_and_the_answer_comes_back() {
        let (events, mut told) = mpsc::channel(4);
        let (mut answers, answered) = futures::channel::mpsc::channel(1);
        let mut user = QuestionToUser::new(events, answered, CancellationToken::new());
        let answering = async {
            let Some(ReplyEvent::Question(question)) = told.recv().await else { panic!("nothing is asked") };
            answers.try_send(Answer { question: question.id, text: Private("Leeds".to_owned()) }).unwrap();
            question
        };

        let inquiry = Inquiry { text: Private("Which town?".to_owned()), options: Vec::new() };
        let (answer, question) = tokio::join!(user.inquire(inquiry), answering);

        assert_eq!(answer, Some(Private("Leeds".to_owned())));
        assert_eq!((question.text.as_str(), question.options.len()), ("Which town?", 0));
    }
}
