//! What every provider's answer goes through, whatever its wire format: pure, fed piece by piece.

mod shaper; // start here
mod thinking;
mod calls;
mod lines;
mod reading;

pub(crate) use lines::Lines;
pub(crate) use reading::{ReadLines, cancelled, read};
pub(crate) use shaper::Shaper;
