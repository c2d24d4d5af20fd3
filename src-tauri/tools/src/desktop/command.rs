//! The programs that do it, on each system. Built here, run elsewhere, so that each can be tested on any system.

use std::path::Path;
use std::time::Duration;

use url::Url;

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

/// A key for what is playing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKey {
    /// Go on, or begin.
    Play,
    /// Rest.
    Pause,
    /// The next piece.
    Next,
    /// The piece before.
    Previous,
    /// End.
    Stop,
}

/// The codes of the keys of a keyboard on Windows. Source: "Virtual-Key Codes" of the Windows documentation.
const WINDOWS_PLAY_PAUSE: u8 = 0xB3;
const WINDOWS_NEXT: u8 = 0xB0;
const WINDOWS_PREVIOUS: u8 = 0xB1;
const WINDOWS_STOP: u8 = 0xB2;

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

    /// Starts the program of this name where the system knows the names.
    pub fn open_by_name(self, name: &str) -> Vec<DesktopCommand> {
        match self {
            Self::MacOs => vec![started("open", ["-a", name])],
            Self::Windows => vec![DesktopCommand {
                // The name is read from standard input, so that nothing in it is an order.
                input: Some(name.to_owned()),
                ..read("powershell", ["-NoProfile", "-NonInteractive", "-Command", WINDOWS_START])
            }],
            Self::Linux { .. } => Vec::new(),
        }
    }

    /// Prints the position of this computer: degrees north and east, `denied`, or nothing where it is not known. Systems with
    /// a service for it, and those without, have no such program.
    pub fn locate(self) -> Vec<DesktopCommand> {
        match self {
            Self::Linux { .. } | Self::MacOs => Vec::new(),
            Self::Windows => vec![DesktopCommand {
                limit: LIMIT_OF_LOCATION,
                ..read("powershell", ["-NoProfile", "-NonInteractive", "-Command", WINDOWS_LOCATION])
            }],
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
                vec![read("powershell", ["-NoProfile", "-NonInteractive", "-Command", WINDOWS_READ])]
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
                vec![read("powershell", ["-NoProfile", "-NonInteractive", "-Command", WINDOWS_WRITE])]
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
            Self::Windows => vec![DesktopCommand {
                input: Some(path.to_owned()),
                ..read("powershell", ["-NoProfile", "-NonInteractive", "-Command", WINDOWS_SCREEN])
            }],
        };
        commands.into_iter().map(|command| DesktopCommand { limit: LIMIT_OF_PICTURES, ..command }).collect()
    }

    /// Presses a key for what is playing.
    pub fn press(self, key: MediaKey) -> Vec<DesktopCommand> {
        match self {
            Self::Linux { .. } => vec![read("playerctl", [key.for_playerctl()])],
            Self::MacOs => vec![read("osascript", ["-e", key.for_music()])],
            Self::Windows => {
                let script =
                    format!("(New-Object -ComObject WScript.Shell).SendKeys([char]{})", key.windows_code());
                vec![read("powershell", ["-NoProfile", "-NonInteractive", "-Command", &script])]
            }
        }
    }
}

/// The clipboard in UTF-8; without it, Windows speaks the code page of old programs.
/// Prints degrees north and east, or `denied`, or nothing. A position good enough for a town is enough. Source:
/// "GeoCoordinateWatcher Class" of the .NET Framework documentation.
const WINDOWS_LOCATION: &str = "Add-Type -AssemblyName System.Device; \
    $watcher = New-Object System.Device.Location.GeoCoordinateWatcher; $watcher.Start(); \
    for ($i = 0; $i -lt 250 -and $watcher.Status -ne 'Ready' -and $watcher.Permission -ne 'Denied'; $i++) { Start-Sleep -Milliseconds 100 }; \
    if ($watcher.Permission -eq 'Denied') { 'denied'; exit }; $at = $watcher.Position.Location; \
    if (-not $at.IsUnknown) { [string]::Format([Globalization.CultureInfo]::InvariantCulture, '{0} {1}', $at.Latitude, $at.Longitude) }";

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

impl MediaKey {
    fn for_playerctl(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Pause => "pause",
            Self::Next => "next",
            Self::Previous => "previous",
            Self::Stop => "stop",
        }
    }

    fn for_music(self) -> &'static str {
        match self {
            Self::Play => "tell application \"Music\" to play",
            Self::Pause => "tell application \"Music\" to pause",
            Self::Next => "tell application \"Music\" to next track",
            Self::Previous => "tell application \"Music\" to previous track",
            Self::Stop => "tell application \"Music\" to stop",
        }
    }

    fn windows_code(self) -> u8 {
        match self {
            Self::Play | Self::Pause => WINDOWS_PLAY_PAUSE,
            Self::Next => WINDOWS_NEXT,
            Self::Previous => WINDOWS_PREVIOUS,
            Self::Stop => WINDOWS_STOP,
        }
    }
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

fn started<const N: usize>(program: &str, arguments: [&str; N]) -> DesktopCommand {
    DesktopCommand { output: Output::Ignore, ..read(program, arguments) }
}

fn in_order(is_wayland: bool, wayland: DesktopCommand, x11: [DesktopCommand; 2]) -> Vec<DesktopCommand> {
    let mut commands = x11.to_vec();
    commands.insert(if is_wayland { 0 } else { 2 }, wayland);
    commands
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const LINUX: System = System::Linux { is_wayland: false };

    fn lines(commands: &[DesktopCommand]) -> Vec<String> {
        commands
            .iter()
            .map(|command| format!("{} {}", command.program, command.arguments.join(" ")))
            .collect()
    }

    #[rstest]
    #[case::linux(LINUX, &["xdg-open https://a.example/x?y=1", "gio open https://a.example/x?y=1"])]
    #[case::mac(System::MacOs, &["open https://a.example/x?y=1"])]
    #[case::windows(System::Windows, &["rundll32 url.dll,FileProtocolHandler https://a.example/x?y=1"])]
    fn link_is_opened_by_the_program_of_the_system(#[case] system: System, #[case] expected: &[&str]) {
        let url = Url::parse("https://a.example/x?y=1").unwrap();

        assert_eq!(lines(&system.open_link(&url)), expected);
    }

    #[rstest]
    #[case::x11(LINUX, &["xclip -selection clipboard -in", "xsel --clipboard --input", "wl-copy "])]
    #[case::wayland(System::Linux { is_wayland: true }, &["wl-copy ", "xclip -selection clipboard -in", "xsel --clipboard --input"])]
    #[case::mac(System::MacOs, &["pbcopy "])]
    #[case::windows(System::Windows, &["powershell -NoProfile -NonInteractive -Command [Console]::InputEncoding = [Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())"])]
    fn text_for_the_clipboard_is_no_argument(#[case] system: System, #[case] expected: &[&str]) {
        let commands = system.write_clipboard("rm -rf $HOME");

        assert_eq!(lines(&commands), expected);
        assert!(commands.iter().all(|command| command.input.as_deref() == Some("rm -rf $HOME")));
    }

    #[test]
    fn name_of_a_program_is_no_part_of_a_script() {
        let [windows] = System::Windows.open_by_name("x'; Remove-Item C:\\").try_into().unwrap();
        let windows: DesktopCommand = windows;

        assert!(!windows.arguments.join(" ").contains("Remove-Item"));
        assert_eq!(windows.input.as_deref(), Some("x'; Remove-Item C:\\"));
        assert_eq!(lines(&System::MacOs.open_by_name("Mail")), ["open -a Mail"]);
    }

    #[rstest]
    #[case::x11(LINUX, &["scrot", "maim", "import", "spectacle", "gnome-screenshot"])]
    #[case::wayland(System::Linux { is_wayland: true }, &["grim", "spectacle", "gnome-screenshot"])]
    #[case::mac(System::MacOs, &["screencapture"])]
    #[case::windows(System::Windows, &["powershell"])]
    fn picture_of_the_screen_is_saved_in_the_file(#[case] system: System, #[case] expected: &[&str]) {
        let commands = system.take_screenshot(Path::new("/tmp/a/screen.png"));

        let programs: Vec<&str> = commands.iter().map(|command| &*command.program).collect();
        assert_eq!(programs, expected);
        for command in &commands {
            let told = command.input.as_ref().or(command.arguments.last());
            assert_eq!(told.map(String::as_str), Some("/tmp/a/screen.png"), "{command:?}");
        }
    }

    #[rstest]
    #[case::linux(LINUX, "playerctl next")]
    #[case::mac(System::MacOs, "osascript -e tell application \"Music\" to next track")]
    #[case::windows(
        System::Windows,
        "powershell -NoProfile -NonInteractive -Command (New-Object -ComObject WScript.Shell).SendKeys([char]176)"
    )]
    fn key_for_the_next_piece_is_pressed(#[case] system: System, #[case] expected: &str) {
        assert_eq!(lines(&system.press(MediaKey::Next)), [expected]);
    }
}
