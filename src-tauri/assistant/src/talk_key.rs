//! The meaning of the talk key: a tap listens for a while, a hold listens as long as it lasts, a second tap ends it.
//! Pure.

use std::time::{Duration, Instant};

use vocabulary::TalkOrder;

/// The longest tap; anything longer is a hold. Source: desktops take 300 to 500 ms for a long press.
const TAP: Duration = Duration::from_millis(350);

/// The state of the key.
#[derive(Debug, Default)]
pub(crate) struct TalkKey {
    down_at: Option<Instant>,
    /// It was tapped, and we still listen because of that.
    is_tapped: bool,
}

impl TalkKey {
    /// The key went down.
    pub fn press(&mut self, at: Instant) -> Option<TalkOrder> {
        // Systems send repeated presses while a key is held.
        if self.down_at.is_some() {
            return None;
        }
        self.down_at = Some(at);
        Some(TalkOrder::Hold)
    }

    /// The key came up.
    pub fn release(&mut self, at: Instant, somebody_speaks: bool) -> Option<TalkOrder> {
        let down_at = self.down_at.take()?;
        let was_tapped = std::mem::take(&mut self.is_tapped);
        let is_tap = at.saturating_duration_since(down_at) < TAP;
        Some(match (is_tap, was_tapped) {
            (true, false) => {
                self.is_tapped = true;
                TalkOrder::Listen
            }
            (true, true) if !somebody_speaks => TalkOrder::Discard,
            _ => TalkOrder::Finish,
        })
    }

    /// Listening because of a tap has ended.
    pub fn is_done(&mut self) {
        self.is_tapped = false;
    }

    /// Returns `true` if it is down, as far as we know.
    pub fn is_held(&self) -> bool {
        self.down_at.is_some()
    }

    /// Forgets all presses.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns `true` if we listen because of the key.
    pub fn is_listening(&self) -> bool {
        self.down_at.is_some() || self.is_tapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The orders of taps (`t`) and holds (`h`), a second apart, during speech or not.
    fn orders(presses: &str, somebody_speaks: bool) -> Vec<TalkOrder> {
        let mut key = TalkKey::default();
        let mut at = Instant::now();
        let mut orders = Vec::new();
        for press in presses.chars() {
            at += Duration::from_secs(1);
            orders.extend(key.press(at));
            let lasts = if press == 't' { TAP / 2 } else { TAP * 2 };
            orders.extend(key.release(at + lasts, somebody_speaks));
        }
        orders
    }

    #[test]
    fn a_tap_listens_and_a_second_one_ends_it() {
        use TalkOrder::{Discard, Finish, Hold, Listen};
        assert_eq!(orders("tt", true), [Hold, Listen, Hold, Finish]);
        assert_eq!(orders("tt", false), [Hold, Listen, Hold, Discard]);
        assert_eq!(orders("ttt", false), [Hold, Listen, Hold, Discard, Hold, Listen]);
    }

    #[test]
    fn a_held_key_listens_as_long() {
        assert_eq!(orders("h", false), [TalkOrder::Hold, TalkOrder::Finish]);
    }

    #[test]
    fn a_key_that_the_system_repeats_is_pressed_once() {
        let mut key = TalkKey::default();
        let at = Instant::now();

        assert_eq!(key.press(at), Some(TalkOrder::Hold));
        assert_eq!(key.press(at), None);
        assert!(key.is_listening());
    }

    #[test]
    fn a_key_whose_release_was_lost_can_be_pressed_again() {
        let mut key = TalkKey::default();
        let at = Instant::now();
        key.press(at);
        assert!(key.is_held());

        key.reset();

        assert!(!key.is_listening());
        assert_eq!(key.press(at), Some(TalkOrder::Hold));
    }

    #[test]
    fn a_key_that_was_down_when_all_was_ended_orders_nothing_when_it_comes_up() {
        let mut key = TalkKey::default();
        let at = Instant::now();
        key.press(at);
        key.reset();

        assert_eq!(key.release(at, true), None);
    }
}
