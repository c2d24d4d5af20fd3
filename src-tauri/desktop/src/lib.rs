//! The window door: conversation, settings, overlay, tray icon and talk key.
//!
//! Commands of the pages become calls of the [`Assistant`](assistant::Assistant), and its events become views. Only this crate knows the window system.

mod run; // from the start to the last window: read this first
mod door; // what all parts of it share
mod windows;
#[cfg(target_os = "linux")]
mod notifications; // of the desktop: what rings, answers that nobody saw
mod overlay;
mod tray;
mod talk_key;
#[cfg(target_os = "linux")]
mod portal; // the talk key on Wayland
mod page_events; // events of this door itself
mod feed; // events on their way to the pages
mod commands;
mod attachments; // files of replies
mod libraries; // memory of libraries that windows load is freed when they close
mod tasks; // background tasks
mod error;
mod views; // the data that pages get
mod at_login;
mod rendering; // environment variables that WebKitGTK needs on some machines
mod page_guard;
mod tray_host;
#[cfg(test)]
mod command_tests;
#[cfg(test)]
mod icon_tests;

pub use run::{DesktopError, Serve, run};
