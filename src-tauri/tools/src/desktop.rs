//! Control of the desktop: links and programs, the clipboard, the player.
//!
//! Programs of the system do it. [`System`] says which; [`Programs`] is the port that runs them. Only the location of this
//! computer comes from a service on Linux.

mod command; // which programs, on each system: start here
mod programs; // running them
mod applications; // which may be opened
mod open; // the tools for links and programs
mod clipboard;
mod screen; // the text that can be seen
mod media;
mod location; // where this computer is

pub use applications::{Application, ApplicationFolders};
pub use clipboard::{ReadClipboard, WriteClipboard};
pub use command::{DesktopCommand, MediaKey, Output, System};
pub use location::{DesktopLocation, LocationError, LocationService, Position};
pub use media::ControlMedia;
pub use open::{OpenApplication, OpenLink};
pub use programs::{ProgramError, Programs, SystemPrograms, run_first};
pub use screen::{SCREENSHOT, Screenshot};
