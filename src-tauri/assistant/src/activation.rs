//! Another start of Jarvis asks for the window of this one.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// What there is to raise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// Nothing: the door is a terminal.
    None,
    /// A window, now or as soon as this start is through.
    There,
    /// No more: the door closes.
    Closing,
}

/// Who asks, and what there is.
pub(crate) struct Activation {
    window: Mutex<Window>,
    asked: Notify,
}

impl Activation {
    /// With this to raise.
    pub fn new(window: Window) -> Self {
        Self { window: Mutex::new(window), asked: Notify::new() }
    }

    /// Asks, and says what there is.
    pub fn ask(&self) -> Window {
        let window = *self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if window == Window::There {
            self.asked.notify_one();
        }
        window
    }

    /// Waits until somebody asks. A question that came before is not lost.
    pub async fn asked(&self) {
        self.asked.notified().await;
    }

    /// From now on there is nothing to raise.
    pub fn close(&self) {
        *self.window.lock().unwrap_or_else(PoisonError::into_inner) = Window::Closing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_asks_before_the_window_is_there_is_heard_when_it_is() {
        let activation = Activation::new(Window::There);

        assert_eq!(activation.ask(), Window::There);
        activation.asked().await;

        activation.close();
        assert_eq!(activation.ask(), Window::Closing);
        assert_eq!(Activation::new(Window::None).ask(), Window::None);
    }
}
