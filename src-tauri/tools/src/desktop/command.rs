//! The programs that do it, on each system. Built here, run elsewhere, so that each can be tested on any system.

mod media_keys; // what plays
mod volume; // how loud it plays

use std::path::Path;
use std::time::Duration;

use url::Url;

pub use media_keys::MediaKey;
pub use volume::Step;
pub(super) use volume::{STEP_PERCENT, printed_percent};

/// A system with a desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux and other systems with a free desktop.
    Linux {
        /// The desktop speaks Wayland, else X11.
        is_wayland: bool,
    },
    /// macOS.
    MacOs,
    /// Microsoft Windows.
    Windows,
}

/// The use of the output of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// It is read.
    Read,
    /// Nobody reads it: the program may go on, as one that holds the clipboard does.
    Ignore,
}

/// A program with its arguments. No shell reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesktopCommand {
    /// Its name, to be found on the search path.
    pub program: String,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// The text for its standard input.
    pub input: Option<String>,
    /// The use of its output.
    pub output: Output,
    /// The longest time that it may take. One that nobody reads from has begun its work by then.
    pub limit: Duration,
}

/// The limit of most programs.
const LIMIT: Duration = Duration::from_secs(5);

/// The limit of those that work on a picture: reading a full screen of small text takes some 10 s on an old machine.
const LIMIT_OF_PICTURES: Duration = Duration::from_secs(30);

/// The limit of a program that finds out where this computer is: it looks for 25 s.
const LIMIT_OF_LOCATION: Duration = Duration::from_secs(40);

impl System {
    /// The system that this program runs on.
    pub fn this() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux { is_wayland: std::env::var_os("WAYLAND_DISPLAY").is_some() }
        }
    }

    /// Opens a link in the program that the user has for it. The first one that is installed is run.
    pub fn open_link(self, url: &Url) -> Vec<DesktopCommand> {
        let url = url.as_str();
        match self {
            Self::Linux { .. } => vec![started("xdg-open", [url]), started("gio", ["open", url])],
            Self::MacOs => vec![started("open", [url])],
            // Not `cmd /c start`: it would read signs in the address as orders.
            Self::Windows => vec![started("rundll32", ["url.dll,FileProtocolHandler", url])],
        }
    }

    /// Starts the program of this entry of the applications menu.
    pub fn open_entry(self, entry: &Path) -> Vec<DesktopCommand> {
        let path = entry.to_string_lossy();
        let id = entry.file_stem().unwrap_or_default().to_string_lossy();
        vec![started("gio", ["launch", &*path]), started("gtk-launch", [&*id])]
    }

    /// Starts the program of this name if the system knows the names.
    pub fn open_by_name(self, name: &str) -> Vec<DesktopCommand> {
        match self {
            Self::MacOs => vec![started("open", ["-a", name])],
            Self::Windows => vec![DesktopCommand {
                // The name is read from standard input, so that nothing in it is an order.
                input: Some(name.to_owned()),
                ..powershell(WINDOWS_START)
            }],
            Self::Linux { .. } => Vec::new(),
        }
    }

    /// Prints the position of this computer: degrees north and east, `denied`, or nothing if it is not known. Systems with
    /// a service for it, and those without, have no such program.
    pub fn locate(self) -> Vec<DesktopCommand> {
        match self {
            Self::Linux { .. } | Self::MacOs => Vec::new(),
            Self::Windows => {
                vec![DesktopCommand { limit: LIMIT_OF_LOCATION, ..powershell(WINDOWS_LOCATION) }]
            }
        }
    }

    /// Reads the text of the clipboard.
    pub fn read_clipboard(self) -> Vec<DesktopCommand> {
        match self {
            Self::Linux { is_wayland } => {
                let wayland = read("wl-paste", ["--no-newline", "--type", "text"]);
                let x11 = [
                    read("xclip", ["-selection", "clipboard", "-out"]),
                    read("xsel", ["--clipboard", "--output"]),
                ];
                in_order(is_wayland, wayland, x11)
            }
            Self::MacOs => vec![read("pbpaste", [])],
            Self::Windows => {
                vec![powershell(WINDOWS_READ)]
            }
        }
    }

    /// Puts a text on the clipboard.
    pub fn write_clipboard(self, text: &str) -> Vec<DesktopCommand> {
        let with_text = |command: DesktopCommand| DesktopCommand { input: Some(text.to_owned()), ..command };
        let commands = match self {
            Self::Linux { is_wayland } => {
                let wayland = started("wl-copy", []);
                let x11 = [
                    started("xclip", ["-selection", "clipboard", "-in"]),
                    started("xsel", ["--clipboard", "--input"]),
                ];
                in_order(is_wayland, wayland, x11)
            }
            Self::MacOs => vec![started("pbcopy", [])],
            Self::Windows => {
                vec![powershell(WINDOWS_WRITE)]
            }
        };
        commands.into_iter().map(with_text).collect()
    }

    /// Takes a picture of the whole screen. The first one that succeeds is enough.
    pub fn take_screenshot(self, picture: &Path) -> Vec<DesktopCommand> {
        let path = &*picture.to_string_lossy();
        let commands = match self {
            Self::Linux { is_wayland } => {
                let wayland = read("grim", [path]);
                let everywhere = [
                    read("spectacle", ["--background", "--nonotify", "--fullscreen", "--output", path]),
                    read("gnome-screenshot", ["--file", path]),
                ];
                let x11 =
                    [read("scrot", [path]), read("maim", [path]), read("import", ["-window", "root", path])];
                // Programs for X11 see a black screen under Wayland.
                match is_wayland {
                    true => [vec![wayland], everywhere.to_vec()].concat(),
                    false => [x11.to_vec(), everywhere.to_vec()].concat(),
                }
            }
            Self::MacOs => vec![read("screencapture", ["-x", path])],
            Self::Windows => {
                vec![DesktopCommand { input: Some(path.to_owned()), ..powershell(WINDOWS_SCREEN) }]
            }
        };
        commands.into_iter().map(|command| DesktopCommand { limit: LIMIT_OF_PICTURES, ..command }).collect()
    }
}

/// Prints degrees north and east, or `denied`, or nothing. A position good enough for a town is enough. Source:
/// "GeoCoordinateWatcher Class" of the .NET Framework documentation.
const WINDOWS_LOCATION: &str = "Add-Type -AssemblyName System.Device; \
    $watcher = New-Object System.Device.Location.GeoCoordinateWatcher; $watcher.Start(); \
    for ($i = 0; $i -lt 250 -and $watcher.Status -ne 'Ready' -and $watcher.Permission -ne 'Denied'; $i++) { Start-Sleep -Milliseconds 100 }; \
    if ($watcher.Permission -eq 'Denied') { 'denied'; exit }; $at = $watcher.Position.Location; \
    if (-not $at.IsUnknown) { [string]::Format([Globalization.CultureInfo]::InvariantCulture, '{0} {1}', $at.Latitude, $at.Longitude) }";

/// The clipboard in UTF-8; without it, Windows speaks the code page of old programs.
const WINDOWS_READ: &str = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw";
const WINDOWS_WRITE: &str =
    "[Console]::InputEncoding = [Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())";

/// Starts the installed program whose name is on standard input, or fails.
const WINDOWS_START: &str = "[Console]::InputEncoding = [Text.Encoding]::UTF8; $name = [Console]::In.ReadToEnd().Trim(); \
    $app = Get-StartApps | Where-Object { $_.Name -eq $name } | Select-Object -First 1; \
    if (-not $app) { exit 2 }; Start-Process ('shell:AppsFolder\\' + $app.AppID)";

/// Saves a picture of all screens in the file whose path is on standard input.
const WINDOWS_SCREEN: &str = "[Console]::InputEncoding = [Text.Encoding]::UTF8; $path = [Console]::In.ReadToEnd().Trim(); \
    Add-Type -AssemblyName System.Windows.Forms, System.Drawing; $all = [Windows.Forms.SystemInformation]::VirtualScreen; \
    $picture = New-Object Drawing.Bitmap $all.Width, $all.Height; \
    [Drawing.Graphics]::FromImage($picture).CopyFromScreen($all.Location, [Drawing.Point]::Empty, $all.Size); \
    $picture.Save($path, [Drawing.Imaging.ImageFormat]::Png)";

/// Prints the text in a picture; in the language of this code, else in that which Tesseract takes by itself.
pub fn recognise_text(picture: &Path, code: Option<&str>) -> DesktopCommand {
    let mut command = read("tesseract", [&*picture.to_string_lossy(), "stdout"]);
    command.arguments.extend(code.into_iter().flat_map(|code| ["-l".to_owned(), code.to_owned()]));
    DesktopCommand { limit: LIMIT_OF_PICTURES, ..command }
}

fn read<const N: usize>(program: &str, arguments: [&str; N]) -> DesktopCommand {
    DesktopCommand {
        program: program.to_owned(),
        arguments: arguments.map(str::to_owned).to_vec(),
        input: None,
        output: Output::Read,
        limit: LIMIT,
    }
}

fn powershell(script: &str) -> DesktopCommand {
    read("powershell", ["-NoProfile", "-NonInteractive", "-Command", script])
}

fn started<const N: usize>(program: &str, arguments: [&str; N]) -> DesktopCommand {
    DesktopCommand { output: Output::Ignore, ..read(program, arguments) }
}

fn in_order(is_wayland: bool, wayland: DesktopCommand, x11: [DesktopCommand; 2]) -> Vec<DesktopCommand> {
    let mut commands = x11.to_vec();
    commands.insert(if is_wayland { 0 } else { 2 }, wayland);
    commands
}

#[cfg(test)]
mod tests;
