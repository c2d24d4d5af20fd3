//! An interactive terminal: finished lines scroll up, the last rows show what happens now.

use std::io;
use std::time::Duration;

use assistant::Assistant;
use crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use ratatui::layout::{Constraint, Layout, Position};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line as TextLine, Span};
use ratatui::widgets::{Paragraph, Widget, Wrap};
use ratatui::{DefaultTerminal, Frame, TerminalOptions, Viewport};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use vocabulary::{AssistantEvent, Origin};

use super::conversation::{Conversation, FinishedLine, in_words, level_bar};
use super::editor::LineEditor;
use super::microphone::MicrophoneChoice;

/// Rows at the bottom that change: the unfinished reply, the state, the line being typed.
const LIVE_ROWS: u16 = 6;

/// Shown before the line being typed.
const PROMPT: &str = "› ";

/// Chats until the user quits.
pub(super) async fn run(assistant: &Assistant, microphone: MicrophoneChoice) -> anyhow::Result<()> {
    let options = TerminalOptions { viewport: Viewport::Inline(LIVE_ROWS) };
    let mut terminal = ratatui::try_init_with_options(options)?;
    crossterm::execute!(io::stdout(), EnableBracketedPaste)?;
    let outcome = chat(assistant, microphone, &mut terminal).await;
    crossterm::execute!(io::stdout(), DisableBracketedPaste)?;
    // Keeps the conversation readable above the shell prompt.
    terminal.clear()?;
    ratatui::try_restore()?;
    outcome
}

async fn chat(
    assistant: &Assistant,
    microphone: MicrophoneChoice,
    terminal: &mut DefaultTerminal,
) -> anyhow::Result<()> {
    let mut events = assistant.subscribe();
    let mut keys = Keys::read();
    let mut conversation = Conversation::new();
    let mut line = LineEditor::default();
    say(terminal, &FinishedLine::Note(greeting(assistant, microphone)))?;
    say_earlier_events(assistant, &mut conversation, terminal)?;
    loop {
        terminal.draw(|frame| draw(frame, &conversation, &line, microphone))?;
        tokio::select! {
            event = events.recv() => match event {
                Ok(event) => {
                    for said in conversation.apply(event) {
                        say(terminal, &said)?;
                    }
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Ok(()),
            },
            key = keys.pressed.recv() => match key.transpose()? {
                Some(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                    match press(key, &mut line, &conversation) {
                        KeyAction::Nothing => {}
                        KeyAction::Ask(text) => {
                            if let Err(refused) = assistant.ask(&text, Origin::Typed).await {
                                say(terminal, &FinishedLine::Trouble(refused.trouble().to_string()))?;
                            }
                        }
                        KeyAction::Stop => assistant.stop().await,
                        KeyAction::StopRings => {
                            for appointment in conversation.rings().to_vec() {
                                // It may have been settled a moment ago.
                                let _ = assistant.stop_ring(appointment).await;
                            }
                        }
                        KeyAction::Mute => assistant.mute(!conversation.is_muted()).await,
                        KeyAction::Quit => return Ok(()),
                    }
                }
                Some(Event::Paste(text)) => line.insert(&text.replace(['\r', '\n'], " ")),
                Some(_) => {}
                None => return Ok(()),
            },
        }
    }
}

/// Shows the troubles and the rings from before the conversation.
fn say_earlier_events(
    assistant: &Assistant,
    conversation: &mut Conversation,
    terminal: &mut DefaultTerminal,
) -> io::Result<()> {
    for trouble in assistant.troubles() {
        say(terminal, &FinishedLine::Trouble(trouble.to_string()))?;
    }
    // Missed appointments ring from the start.
    for ring in assistant.rings() {
        for said in conversation.apply(AssistantEvent::AppointmentRang(ring)) {
            say(terminal, &said)?;
        }
    }
    Ok(())
}

/// The keyboard, read by a thread of its own.
///
/// Not by the library's event stream: that one keeps the terminal to itself while it waits, and drawing, which has to
/// ask the terminal where its cursor is, would wait in vain.
struct Keys {
    pressed: mpsc::Receiver<io::Result<Event>>,
}

/// Keys that wait to be taken up: a fast typist's second.
const KEYS: usize = 64;
/// The interval at which the thread releases the terminal.
const LETS_GO_EVERY: Duration = Duration::from_millis(30);

impl Keys {
    fn read() -> Self {
        let (press, pressed) = mpsc::channel(KEYS);
        // It ends by itself once its receiver is dropped, so nothing waits for it.
        std::thread::spawn(move || {
            while !press.is_closed() {
                let event = match event::poll(LETS_GO_EVERY) {
                    Ok(false) => continue,
                    Ok(true) => event::read(),
                    Err(error) => Err(error),
                };
                let is_over = event.is_err();
                if press.blocking_send(event).is_err() || is_over {
                    return;
                }
            }
        });
        Self { pressed }
    }
}

fn greeting(assistant: &Assistant, microphone: MicrophoneChoice) -> String {
    let name = assistant.name();
    match microphone {
        MicrophoneChoice::Open => format!(
            "Say \"{name}, what time is it?\" or type. Esc stops, Ctrl+T mutes the microphone, Ctrl+C quits."
        ),
        MicrophoneChoice::Closed => "Type your question. Esc stops, Ctrl+C quits.".to_owned(),
    }
}

/// The request of a key press.
#[derive(Debug, PartialEq, Eq)]
enum KeyAction {
    Nothing,
    Ask(String),
    Stop,
    StopRings,
    Mute,
    Quit,
}

fn press(key: KeyEvent, line: &mut LineEditor, conversation: &Conversation) -> KeyAction {
    let with_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let rings = !conversation.rings().is_empty();
    match key.code {
        KeyCode::Esc | KeyCode::Enter if rings && line.is_empty() => return KeyAction::StopRings,
        KeyCode::Char('c') if with_ctrl && conversation.is_active() => return KeyAction::Stop,
        KeyCode::Char('c') if with_ctrl => return KeyAction::Quit,
        KeyCode::Char('d') if with_ctrl && line.is_empty() => return KeyAction::Quit,
        KeyCode::Char('t') if with_ctrl => return KeyAction::Mute,
        KeyCode::Esc if conversation.is_active() => return KeyAction::Stop,
        KeyCode::Esc => line.clear(),
        KeyCode::Enter => return line.take().map_or(KeyAction::Nothing, KeyAction::Ask),
        KeyCode::Char('a') if with_ctrl => line.go_to_start(),
        KeyCode::Char('e') if with_ctrl => line.go_to_end(),
        KeyCode::Char('u') if with_ctrl => line.clear(),
        KeyCode::Char('w') if with_ctrl => line.delete_word_back(),
        KeyCode::Char(c) if !with_ctrl => line.insert(c.encode_utf8(&mut [0; 4])),
        KeyCode::Backspace => line.delete_back(),
        KeyCode::Delete => line.delete_forward(),
        KeyCode::Left => line.left(),
        KeyCode::Right => line.right(),
        KeyCode::Home => line.go_to_start(),
        KeyCode::End => line.go_to_end(),
        KeyCode::Up => line.older(),
        KeyCode::Down => line.newer(),
        _ => {}
    }
    KeyAction::Nothing
}

/// Adds a finished line above the live rows.
fn say(terminal: &mut DefaultTerminal, said: &FinishedLine) -> io::Result<()> {
    let (text, style) = match said {
        FinishedLine::User(text) => (format!("{PROMPT}{text}"), Style::new().add_modifier(Modifier::BOLD)),
        FinishedLine::Assistant(text) => (text.clone(), Style::new()),
        FinishedLine::Trouble(text) => (format!("! {text}"), Style::new().fg(Color::Red)),
        FinishedLine::Note(text) => (text.clone(), Style::new().add_modifier(Modifier::DIM)),
    };
    let paragraph = Paragraph::new(text).style(style).wrap(Wrap { trim: false });
    let rows = paragraph.line_count(terminal.size()?.width).clamp(1, usize::from(u16::MAX)) as u16;
    terminal.insert_before(rows, |buffer| paragraph.render(buffer.area, buffer))
}

fn draw(frame: &mut Frame<'_>, conversation: &Conversation, line: &LineEditor, microphone: MicrophoneChoice) {
    let [live, status, typing] =
        Layout::vertical([Constraint::Min(1), Constraint::Length(1), Constraint::Length(1)])
            .areas(frame.area());

    let (words, style) = match conversation.unfinished.is_empty() {
        false => (conversation.unfinished.as_str(), Style::new()),
        true => {
            (conversation.live_words.as_str(), Style::new().add_modifier(Modifier::ITALIC | Modifier::DIM))
        }
    };
    let words = Paragraph::new(words).style(style).wrap(Wrap { trim: false });
    let hidden = words.line_count(live.width).saturating_sub(usize::from(live.height));
    frame.render_widget(words.scroll((hidden as u16, 0)), live);

    let (sign, label) = in_words(conversation.state);
    let mut spans = vec![Span::styled(format!("{sign} {label}"), Style::new().fg(Color::Cyan))];
    if microphone == MicrophoneChoice::Open {
        spans.push(Span::raw(format!("  {}", level_bar(conversation.level_dbfs))));
    }
    frame.render_widget(Paragraph::new(TextLine::from(spans)), status);

    let before = TextLine::from(format!("{PROMPT}{}", line.before_cursor())).width() as u16;
    let scrolled = before.saturating_sub(typing.width.saturating_sub(1));
    frame.render_widget(Paragraph::new(format!("{PROMPT}{}", line.text())).scroll((0, scrolled)), typing);
    frame.set_cursor_position(Position::new(typing.x + before - scrolled, typing.y));
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::{AssistantState, Language, Ring, RingKind, RingOutcome};

    use super::*;

    #[rstest]
    #[case::escape_stops_what_is_under_way(
        KeyCode::Esc,
        KeyModifiers::NONE,
        AssistantState::Speaking,
        KeyAction::Stop
    )]
    #[case::escape_when_idle(KeyCode::Esc, KeyModifiers::NONE, AssistantState::Idle, KeyAction::Nothing)]
    #[case::interrupt_stops_first(
        KeyCode::Char('c'),
        KeyModifiers::CONTROL,
        AssistantState::Thinking,
        KeyAction::Stop
    )]
    #[case::interrupt_quits_when_idle(
        KeyCode::Char('c'),
        KeyModifiers::CONTROL,
        AssistantState::Idle,
        KeyAction::Quit
    )]
    #[case::enter_on_an_empty_line(
        KeyCode::Enter,
        KeyModifiers::NONE,
        AssistantState::Idle,
        KeyAction::Nothing
    )]
    fn keys_mean_what_people_expect(
        #[case] code: KeyCode,
        #[case] modifiers: KeyModifiers,
        #[case] state: AssistantState,
        #[case] expected: KeyAction,
    ) {
        let mut conversation = Conversation::new();
        conversation.apply(AssistantEvent::State(state));

        assert_eq!(
            press(KeyEvent::new(code, modifiers), &mut LineEditor::default(), &conversation),
            expected
        );
    }

    #[test]
    fn enter_stops_what_rings_until_it_is_settled() {
        let mut conversation = Conversation::new();
        let mut line = LineEditor::default();
        let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        let ring = Ring {
            appointment: 4,
            kind: RingKind::Timer,
            text: "Your tea timer is done.".to_owned().into(),
            language: Language::new("en").unwrap(),
            due_at: std::time::UNIX_EPOCH.try_into().unwrap(),
            is_missed: false,
        };

        let shown = conversation.apply(AssistantEvent::AppointmentRang(ring));
        assert_eq!(
            shown,
            [FinishedLine::Note("♪ Your tea timer is done. (Enter or \"stop\" ends it.)".into())]
        );
        assert_eq!(press(enter, &mut line, &conversation), KeyAction::StopRings);
        line.insert("hello");
        assert_eq!(press(enter, &mut line, &conversation), KeyAction::Ask("hello".into()));

        let outcome = RingOutcome::Stopped;
        conversation.apply(AssistantEvent::AppointmentSettled { appointment: 4, outcome });
        assert_eq!(press(enter, &mut line, &conversation), KeyAction::Nothing);
    }
}
