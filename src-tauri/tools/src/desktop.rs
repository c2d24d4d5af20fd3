//! Control of the desktop: links and programs, the clipboard, the player, the volume.
//!
//! Programs of the system do it. [`System`] says which; [`Programs`] is the port that runs them. Only the location of this
//! computer, and a picture of the screen under Wayland, come from a service on Linux.

mod command; // which programs, on each system: start here
mod programs; // running them
mod applications; // which may be opened
mod open; // the tools for links and programs
mod clipboard;
#[cfg(target_os = "linux")]
mod portal; // services of Linux desktops
mod screen; // the text that can be seen
mod media;
mod volume; // of all that the computer plays
mod location; // where this computer is

pub use applications::{Application, ApplicationFolders};
pub use clipboard::{ReadClipboard, WriteClipboard};
pub use command::{DesktopCommand, MediaKey, Output, Step, System};
pub use location::{DesktopLocation, LocationError, LocationService, Position};
pub use media::ControlMedia;
pub use open::{OpenApplication, OpenLink};
pub use programs::{ProgramError, Programs, SystemPrograms, run_first, run_first_working};
pub use screen::{SCREENSHOT, Screenshot};
pub use volume::SetComputerVolume;
