//! The door with windows: conversation, settings, the overlay, the tray and the talk key.
//!
//! Translates and nothing else: commands of the pages become calls of the [`Assistant`](assistant::Assistant), its
//! events become views. Only this crate knows the window system.

mod run; // from a start to the last window: start here
mod door; // what all parts of it share
mod windows;
mod overlay;
mod tray;
mod talk_key;
#[cfg(target_os = "linux")]
mod portal; // the talk key on Wayland
mod news; // what this door itself has to tell
mod feed; // events on their way to the pages
mod commands;
mod library; // the models page
mod libraries; // what windows load, given back when they are closed
mod tasks; // what goes on beside the windows
mod error;
mod views; // what crosses to the pages
mod at_login;
mod rendering; // what WebKitGTK needs on some machines
mod page_guard;
mod tray_host;
#[cfg(test)]
mod command_tests;

pub use run::{DesktopError, run};
