//! The door with windows: conversation, settings, the tray and the talk key.
//!
//! Translates and nothing else: commands of the pages become calls of the [`Assistant`](assistant::Assistant), its
//! events become views. Only this crate knows the window system.

mod run; // from a start to the last window: start here
mod windows;
mod tray;
mod talk_key;
mod feed; // events on their way to the pages
mod commands;
mod library; // the models page
mod error;
mod views; // what crosses to the pages

pub use run::{DesktopError, run};
