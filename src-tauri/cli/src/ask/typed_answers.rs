//! Answers of the person at the terminal to the questions of a reply.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use crossterm::event;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use tokio::sync::oneshot;
use vocabulary::{Answer, Private, Question, QuestionId};

use crate::terminal::asked;

/// Reads a line, and blocks until it is typed; `None` if there will be none.
type ReadLine = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// The person at the terminal.
pub(super) struct TypedAnswers {
    read: ReadLine,
    /// The place where questions are shown.
    prompt: Box<dyn Write + Send>,
    /// The question that is not settled.
    open: Option<Question>,
    /// A line that is being typed. It outlives a question whose time is over: reading cannot be taken back.
    typing: Option<oneshot::Receiver<Option<String>>>,
    /// That line was begun for an earlier question, and answers none.
    is_stale: bool,
}

impl TypedAnswers {
    /// The person at the terminal of this process; `None` if a program reads or writes in their place, or a shell runs this
    /// process in the background.
    pub fn from_terminal() -> Option<Self> {
        let is_there = io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
        (is_there && !is_in_background()).then(|| Self::new(Arc::new(read_line), Box::new(io::stderr())))
    }

    /// Answers that are read in this way, to questions that are shown there.
    pub fn new(read: ReadLine, prompt: Box<dyn Write + Send>) -> Self {
        Self { read, prompt, open: None, typing: None, is_stale: false }
    }

    /// Shows a question, and begins to read its answer.
    pub fn ask(&mut self, question: Question) -> io::Result<()> {
        self.show(&question)?;
        self.open = Some(question);
        match self.typing {
            Some(_) => self.is_stale = true,
            None => self.begin_reading(),
        }
        Ok(())
    }

    fn show(&mut self, question: &Question) -> io::Result<()> {
        write!(self.prompt, "{} ", asked(question))?;
        self.prompt.flush()
    }

    fn begin_reading(&mut self) {
        let (sender, typing) = oneshot::channel();
        let read = Arc::clone(&self.read);
        // A thread of its own: the runtime waits at its end for threads that it lent out.
        std::thread::spawn(move || sender.send(read()));
        self.typing = Some(typing);
    }

    /// The question waits no more.
    pub fn settle(&mut self, question: QuestionId) -> io::Result<()> {
        match self.open.take_if(|open| open.id == question) {
            Some(_) => writeln!(self.prompt),
            None => Ok(()),
        }
    }

    /// The answer to the open question, empty for a line without words; never if none is open. Cancel-safe.
    pub async fn next(&mut self) -> Answer {
        loop {
            let (Some(question), Some(typing)) = (&self.open, &mut self.typing) else {
                return std::future::pending().await;
            };
            let line = typing.await.ok().flatten().unwrap_or_default();
            let question = question.clone();
            self.typing = None;
            if !std::mem::take(&mut self.is_stale) {
                self.open = None;
                let text = Private(chosen(&question, line.trim()));
                return Answer { question: question.id, text };
            }
            // A prompt that cannot be shown declines: nobody reads it.
            if self.show(&question).is_err() {
                self.open = None;
                return Answer { question: question.id, text: Private(String::new()) };
            }
            self.begin_reading();
        }
    }
}

/// The option that the typed letters begin, else the words themselves.
fn chosen(question: &Question, typed: &str) -> String {
    let begins = |option: &&String| option.to_lowercase().starts_with(&typed.to_lowercase());
    let fitting: Vec<&String> = question.options.iter().filter(begins).collect();
    match fitting.as_slice() {
        [only] if !typed.is_empty() => (*only).clone(),
        _ => typed.to_owned(),
    }
}

/// Returns `true` if the terminal belongs to another job of the shell: reading from it would stop this process.
#[cfg(unix)]
fn is_in_background() -> bool {
    // SAFETY: both calls only ask about this process and its terminal.
    let (in_front, own) = unsafe { (libc::tcgetpgrp(libc::STDIN_FILENO), libc::getpgrp()) };
    // A terminal that does not control this process has no jobs of it.
    in_front >= 0 && in_front != own
}

/// Elsewhere there are no jobs.
#[cfg(not(unix))]
fn is_in_background() -> bool {
    false
}

/// Reads a line of standard input that is typed from now on: what was typed before the question is no answer to it.
fn read_line() -> Option<String> {
    // The shell may have moved this process since it began.
    if is_in_background() {
        return None;
    }
    if let Err(error) = drop_typed_ahead() {
        tracing::debug!(%error, "what was typed before the question could not be dropped");
        return None;
    }
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line).ok()?;
    (read > 0).then_some(line)
}

fn drop_typed_ahead() -> io::Result<()> {
    enable_raw_mode()?;
    let dropped = (|| {
        while event::poll(Duration::ZERO)? {
            event::read()?;
        }
        Ok(())
    })();
    disable_raw_mode()?;
    dropped
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::letter("y", "Yes")]
    #[case::small_word("no", "No")]
    #[case::letters_of_two("ye", "Yes")]
    #[case::other_word("sure", "sure")]
    #[case::nothing("", "")]
    fn first_letters_choose_an_option(#[case] typed: &str, #[case] expected: &str) {
        let options = vec!["Yes".to_owned(), "No".to_owned()];
        let question = Question { id: QuestionId(1), text: "Shall I?".into(), options, by_hand: false };

        assert_eq!(chosen(&question, typed), expected);
    }

    #[tokio::test]
    async fn line_begun_for_an_earlier_question_answers_no_other() {
        let (type_line, typed) = std::sync::mpsc::channel::<String>();
        let typed = std::sync::Mutex::new(typed);
        let read: ReadLine = Arc::new(move || typed.lock().unwrap().recv().ok());
        let mut answers = TypedAnswers::new(read, Box::new(io::sink()));
        let question = |id| Question {
            id: QuestionId(id),
            text: "Shall I?".into(),
            options: vec!["Yes".to_owned(), "No".to_owned()],
            by_hand: false,
        };

        answers.ask(question(1)).unwrap();
        answers.settle(QuestionId(1)).unwrap();
        answers.ask(question(2)).unwrap();
        type_line.send("y".to_owned()).unwrap();
        type_line.send("n".to_owned()).unwrap();

        let answer = answers.next().await;
        assert_eq!((answer.question, answer.text.0.as_str()), (QuestionId(2), "No"));
    }

    #[test]
    fn letter_that_begins_two_options_chooses_none() {
        let options = vec!["Nie".to_owned(), "Nein".to_owned()];
        let question = Question { id: QuestionId(1), text: "Soll ich?".into(), options, by_hand: false };

        assert_eq!(chosen(&question, "n"), "n");
    }

    /// Runs in a process of its own, see below.
    #[test]
    #[ignore = "started by another test as a job of a shell"]
    fn nobody_is_at_the_terminal() {
        assert!(TypedAnswers::from_terminal().is_none());
    }

    #[cfg(unix)]
    #[rstest]
    #[case::background("set -m; \"$0\" \"$@\" & wait $!", true)]
    #[case::foreground("\"$0\" \"$@\"", false)]
    fn job_in_the_background_has_nobody_at_its_terminal(#[case] script: &str, #[case] expected: bool) {
        use std::os::fd::{FromRawFd, OwnedFd};
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};
        use std::ptr::null_mut;

        let (mut master, mut terminal) = (-1, -1);
        // SAFETY: both numbers are written before they are read, and the others may be null.
        let opened = unsafe { libc::openpty(&mut master, &mut terminal, null_mut(), null_mut(), null_mut()) };
        assert_eq!(opened, 0, "{}", io::Error::last_os_error());
        // SAFETY: they were opened just now, and nothing else owns them.
        let (_master, terminal) = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(terminal)) };
        let same_terminal = || Stdio::from(terminal.try_clone().unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(std::env::current_exe().unwrap());
        shell.args(["--exact", "ask::typed_answers::tests::nobody_is_at_the_terminal", "--ignored"]);
        shell.stdin(same_terminal()).stdout(same_terminal()).stderr(same_terminal());
        // Long output would wait for a reader.
        shell.env_remove("RUST_BACKTRACE");
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            shell.pre_exec(|| {
                // The shell begins a session that the terminal controls.
                let has_begun = libc::setsid() >= 0 && libc::ioctl(0, libc::TIOCSCTTY as _, 0) == 0;
                if has_begun { Ok(()) } else { Err(io::Error::last_os_error()) }
            });
        }

        let status = shell.status().unwrap();

        assert_eq!(status.success(), expected, "{status}");
    }
}
