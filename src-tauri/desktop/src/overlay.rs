//! The listening overlay: shows what Jarvis hears and says above other windows, while the conversation is not in front.

use std::time::Duration;

use tauri::{
    AppHandle, LogicalSize, Manager, PhysicalPosition, PhysicalSize, Runtime, WebviewUrl,
    WebviewWindowBuilder,
};
use tokio::sync::broadcast;
use tokio::time::Instant;
use vocabulary::{AssistantEvent, AssistantState, Origin};

use crate::door::Door;
use crate::page_guard;
use crate::windows::{WindowKind, is_in_front, is_own_page};

/// Its label in the window system and in the capability files.
pub const LABEL: &str = "overlay";

/// In logical pixels. The page draws upwards from the lower edge and uses only the height it needs.
const SIZE: LogicalSize<f64> = LogicalSize { width: 416.0, height: 92.0 };
/// Distance to the lower edge of the screen, in logical pixels.
const ABOVE_EDGE: f64 = 48.0;

/// The time that it stays after the last reason to show it, so that it does not flicker between two of them.
const HIDE_DELAY: Duration = Duration::from_millis(1200);
/// The time that a hidden overlay is kept before its memory is freed. Making it again takes about 0.3 s.
const KEPT_HIDDEN: Duration = Duration::from_secs(60);
/// The time that it shows why the talk key did nothing.
const REFUSAL_SHOWN: Duration = Duration::from_secs(4);

/// The time that it shows what rings, unless that is settled before: as long as it sounds.
const RING_SHOWN: Duration = Duration::from_secs(60);

/// The activity of Jarvis, as far as the overlay shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Activity {
    state: AssistantState,
    /// The hot window is open, or the talk key listens.
    is_listening: bool,
    /// The utterance being said contains the wake word.
    is_called: bool,
    /// The reply under way answers a spoken question.
    is_aloud: bool,
    /// The talk key was pressed a moment ago while the microphone was not available.
    is_refused: bool,
    /// A timer, alarm or reminder rings.
    is_ringing: bool,
}

impl Activity {
    const NOTHING: Self = Self {
        state: AssistantState::Idle,
        is_listening: false,
        is_called: false,
        is_aloud: false,
        is_refused: false,
        is_ringing: false,
    };

    fn follow(&mut self, event: &AssistantEvent, names: &[String]) {
        match event {
            AssistantEvent::State(state) => {
                self.state = *state;
                // The utterance ended, and the wake word led to no query.
                self.is_called &= *state == AssistantState::Listening;
            }
            AssistantEvent::HotWindowOpened { .. } => self.is_listening = true,
            AssistantEvent::HotWindowClosed => self.is_listening = false,
            AssistantEvent::Partial { text, .. } => {
                let text = text.to_lowercase();
                self.is_called = names.iter().any(|name| text.contains(name));
            }
            AssistantEvent::Overheard { .. } => self.is_called = false,
            // Somebody in another room does not change what happens here.
            AssistantEvent::Asked { origin, .. } if *origin != Origin::Satellite => {
                self.is_called = false;
                self.is_aloud = *origin == Origin::Voice;
            }
            _ => {}
        }
    }

    /// Returns `true` if there is something to show while the conversation is not in front.
    fn is_worth_showing(&self) -> bool {
        match self.state {
            AssistantState::Speaking => true,
            AssistantState::Thinking => self.is_aloud || self.is_ringing,
            _ => self.is_listening || self.is_called || self.is_refused || self.is_ringing,
        }
    }
}

/// Shows and hides the overlay until the assistant ends.
pub async fn follow<R: Runtime>(app: AppHandle<R>, mut events: broadcast::Receiver<AssistantEvent>) {
    let mut activity = Activity::NOTHING;
    let door = app.state::<Door>();
    let mut stage = Stage::Gone;
    let mut refused_until = None;
    // Missed appointments ring before this task begins.
    let mut rings_until = (!door.assistant.rings().is_empty()).then(|| Instant::now() + RING_SHOWN);
    loop {
        let due = [stage.next_change(), refused_until, rings_until].into_iter().flatten().min();
        tokio::select! {
            event = events.recv() => match event {
                Ok(AssistantEvent::Level { .. } | AssistantEvent::Reply { .. }) => continue,
                Ok(AssistantEvent::AppointmentRang(_)) => rings_until = Some(Instant::now() + RING_SHOWN),
                Ok(AssistantEvent::AppointmentSettled { .. }) if door.assistant.rings().is_empty() => {
                    rings_until = None;
                }
                Ok(event) => activity.follow(&event, &names(&door)),
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    activity = Activity { state: door.assistant.state(), ..Activity::NOTHING };
                }
                Err(broadcast::error::RecvError::Closed) => return,
            },
            () = door.refused.notified() => refused_until = Some(Instant::now() + REFUSAL_SHOWN),
            () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
        }
        let now = Instant::now();
        refused_until = refused_until.filter(|until| *until > now);
        activity.is_refused = refused_until.is_some();
        rings_until = rings_until.filter(|until| *until > now);
        activity.is_ringing = rings_until.is_some();
        let is_due = activity.is_worth_showing()
            && door.assistant.settings().current().appearance.overlay
            && !is_in_front(&app, WindowKind::Conversation);
        let next = stage.after(is_due, now);
        if (next.is_seen() != stage.is_seen() || next == Stage::Gone && stage != Stage::Gone)
            && let Err(error) = change(&app, next).await
        {
            tracing::warn!(%error, "the overlay could not be shown or hidden");
        }
        stage = next;
    }
}

/// The stage of the overlay: absent, hidden or shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Gone,
    Shown,
    /// Still shown, without a reason since then.
    Lingering(Instant),
    /// Hidden since then, and quick to show again.
    Hidden(Instant),
}

impl Stage {
    fn is_seen(self) -> bool {
        matches!(self, Self::Shown | Self::Lingering(_))
    }

    fn next_change(self) -> Option<Instant> {
        match self {
            Self::Gone | Self::Shown => None,
            Self::Lingering(since) => Some(since + HIDE_DELAY),
            Self::Hidden(since) => Some(since + KEPT_HIDDEN),
        }
    }

    fn after(self, is_due: bool, now: Instant) -> Self {
        match self {
            _ if is_due => Self::Shown,
            Self::Shown => Self::Lingering(now),
            Self::Lingering(since) if now >= since + HIDE_DELAY => Self::Hidden(now),
            Self::Hidden(since) if now >= since + KEPT_HIDDEN => Self::Gone,
            unchanged => unchanged,
        }
    }
}

fn names(door: &Door) -> Vec<String> {
    let listening = door.assistant.settings().current().listening;
    let names = std::iter::once(listening.wake_word).chain(listening.wake_aliases);
    names.map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect()
}

async fn change<R: Runtime>(app: &AppHandle<R>, stage: Stage) -> tauri::Result<()> {
    let window = app.get_webview_window(LABEL);
    match (stage, window) {
        (Stage::Shown | Stage::Lingering(_), Some(window)) => {
            place(&window);
            window.show()
        }
        (Stage::Shown | Stage::Lingering(_), None) => make(app).await,
        (Stage::Hidden(_), Some(window)) => window.hide(),
        (Stage::Gone, Some(window)) => window.destroy(),
        (Stage::Hidden(_) | Stage::Gone, None) => Ok(()),
    }
}

async fn make<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let is_see_through = can_be_seen_through(app).await;
    let page = if is_see_through { "overlay.html" } else { "overlay.html?opaque" };
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App(page.into()))
        .title("Jarvis listens")
        .inner_size(SIZE.width, SIZE.height)
        .max_inner_size(SIZE.width, SIZE.height)
        // It has no decorations, so the user cannot resize it. GTK makes windows that are not resizable 200 pixels high.
        .decorations(false)
        .shadow(false)
        .always_on_top(true)
        .visible_on_all_workspaces(true)
        .skip_taskbar(true)
        .focused(false)
        .focusable(false)
        .visible(false)
        .on_navigation(is_own_page);
    // On macOS a transparent window needs a private interface, which app stores refuse.
    #[cfg(not(target_os = "macos"))]
    let window = window.transparent(is_see_through);
    let window = window.build()?;
    page_guard::watch(&window);
    place(&window);
    window.show()?;
    window.set_ignore_cursor_events(true)
}

/// Moves it to the bottom centre of the screen with the pointer. When that fails, it stays where it is.
fn place<R: Runtime>(window: &tauri::WebviewWindow<R>) {
    let placed = || {
        let pointer = window.cursor_position()?;
        let screen = window.monitor_from_point(pointer.x, pointer.y)?.or(window.primary_monitor()?);
        let Some(screen) = screen else { return Ok(()) };
        let area = screen.work_area();
        window.set_position(bottom_centre(area.position, area.size, screen.scale_factor()))
    };
    if let Err(error) = placed() {
        tracing::info!(%error, "the overlay could not be placed");
    }
}

/// The position in pixels on a screen with this corner, size and scale.
fn bottom_centre(
    corner: PhysicalPosition<i32>,
    room: PhysicalSize<u32>,
    scale: f64,
) -> PhysicalPosition<i32> {
    let size: PhysicalSize<u32> = SIZE.to_physical(scale);
    let above_edge = (ABOVE_EDGE * scale) as u32;
    PhysicalPosition {
        x: corner.x + (room.width.saturating_sub(size.width) / 2) as i32,
        y: corner.y + room.height.saturating_sub(size.height + above_edge) as i32,
    }
}

/// Returns `true` if windows can be transparent. Without a compositor a transparent window is black.
#[cfg(target_os = "linux")]
async fn can_be_seen_through<R: Runtime>(app: &AppHandle<R>) -> bool {
    let (sent, answer) = tokio::sync::oneshot::channel();
    // GTK can be asked on its own thread only.
    let asking = app.run_on_main_thread(move || {
        let is_composited = gtk::gdk::Screen::default().is_some_and(|screen| screen.is_composited());
        // The caller may have ended.
        let _ = sent.send(is_composited);
    });
    asking.is_ok() && answer.await.unwrap_or(false)
}

#[cfg(not(target_os = "linux"))]
async fn can_be_seen_through<R: Runtime>(_: &AppHandle<R>) -> bool {
    cfg!(windows)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::{ReplyId, UtteranceId};

    use super::*;

    fn after(events: &[AssistantEvent]) -> Activity {
        let mut activity = Activity::NOTHING;
        for event in events {
            activity.follow(event, &["jarvis".to_owned()]);
        }
        activity
    }

    fn partial(text: &str) -> AssistantEvent {
        AssistantEvent::Partial { utterance: UtteranceId(1), text: text.into() }
    }

    fn asked(origin: Origin) -> AssistantEvent {
        AssistantEvent::Asked {
            reply: ReplyId(1),
            text: "what time is it".into(),
            origin,
            replaces_previous: false,
        }
    }

    use AssistantState::{Idle, Listening, Muted, Speaking, Thinking};

    #[rstest]
    #[case::nothing(&[], false)]
    #[case::speech_without_the_wake_word(&[AssistantEvent::State(Listening), partial("pass the salt")], false)]
    #[case::called(&[AssistantEvent::State(Listening), partial("Jarvis, what")], true)]
    #[case::called_to_stop(&[AssistantEvent::State(Listening), partial("Jarvis, stop"), AssistantEvent::State(Idle)], false)]
    #[case::follow_up(&[AssistantEvent::HotWindowOpened { lasts: Duration::from_secs(3) }], true)]
    #[case::thinks_for_a_voice(&[asked(Origin::Voice), AssistantEvent::State(Thinking)], true)]
    #[case::thinks_for_a_typist(&[asked(Origin::Typed), AssistantEvent::State(Thinking)], false)]
    #[case::speaks(&[asked(Origin::Typed), AssistantEvent::State(Speaking)], true)]
    #[case::muted(&[AssistantEvent::State(Muted)], false)]
    fn it_is_shown_for_who_speaks_with_us(#[case] events: &[AssistantEvent], #[case] expected: bool) {
        assert_eq!(after(events).is_worth_showing(), expected);
    }

    #[test]
    fn it_lingers_hides_and_goes() {
        let zero = Instant::now();
        let at = |secs| zero + Duration::from_secs(secs);
        let lingering = Stage::Shown.after(false, zero);
        let hidden = lingering.after(false, at(2));

        assert_eq!(lingering.after(false, zero + HIDE_DELAY / 2), lingering);
        assert_eq!(lingering.after(true, at(1)), Stage::Shown);
        assert_eq!(hidden, Stage::Hidden(at(2)));
        assert_eq!(hidden.after(true, at(3)), Stage::Shown);
        assert_eq!(hidden.after(false, at(2) + KEPT_HIDDEN), Stage::Gone);
    }

    #[test]
    fn it_stands_at_the_bottom_of_any_screen() {
        let corner = PhysicalPosition { x: 1920, y: 0 };

        let on_second = bottom_centre(corner, PhysicalSize { width: 1280, height: 720 }, 1.0);
        let on_fine = bottom_centre(corner, PhysicalSize { width: 2560, height: 1440 }, 2.0);
        let tiny = PhysicalSize { width: 320, height: 100 };
        let on_tiny = bottom_centre(PhysicalPosition { x: 0, y: 0 }, tiny, 1.0);

        assert_eq!(on_second, PhysicalPosition { x: 2352, y: 580 });
        assert_eq!(on_fine, PhysicalPosition { x: 1920 + 864, y: 1160 });
        assert_eq!(on_tiny, PhysicalPosition { x: 0, y: 0 });
    }
}
