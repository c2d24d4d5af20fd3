//! Another start of Jarvis asks this one to raise its window.

use parking_lot::Mutex;

use tokio::sync::Notify;

/// A window to raise, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// There is none: the door is a terminal.
    None,
    /// There is one, now or as soon as the start is complete.
    Exists,
    /// There is none any more: the door closes.
    Closing,
}

/// Requests for the window.
pub(crate) struct Activation {
    window: Mutex<Window>,
    requested: Notify,
}

impl Activation {
    /// No request yet.
    pub fn new(window: Window) -> Self {
        Self { window: Mutex::new(window), requested: Notify::new() }
    }

    /// Requests the window. Returns whether there is one.
    pub fn request(&self) -> Window {
        let window = *self.window.lock();
        if window == Window::Exists {
            self.requested.notify_one();
        }
        window
    }

    /// Waits for a request. One from before is not lost.
    pub async fn requested(&self) {
        self.requested.notified().await;
    }

    /// From now on there is no window.
    pub fn close(&self) {
        *self.window.lock() = Window::Closing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn request_before_the_window_is_open_is_kept() {
        let activation = Activation::new(Window::Exists);

        assert_eq!(activation.request(), Window::Exists);
        activation.requested().await;

        activation.close();
        assert_eq!(activation.request(), Window::Closing);
        assert_eq!(Activation::new(Window::None).request(), Window::None);
    }
}
