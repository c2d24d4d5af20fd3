use rstest::rstest;

use super::*;

const LINUX: System = System::Linux { is_wayland: false };

fn lines(commands: &[DesktopCommand]) -> Vec<String> {
    commands.iter().map(|command| format!("{} {}", command.program, command.arguments.join(" "))).collect()
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
#[case::x11(LINUX, &["xclip -selection clipboard -out", "xsel --clipboard --output", "wl-paste --no-newline --type text"])]
#[case::wayland(System::Linux { is_wayland: true }, &["wl-paste --no-newline --type text", "xclip -selection clipboard -out", "xsel --clipboard --output"])]
#[case::mac(System::MacOs, &["pbpaste "])]
#[case::windows(System::Windows, &["powershell -NoProfile -NonInteractive -Command [Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"])]
fn clipboard_is_read_by_the_program_of_the_system(#[case] system: System, #[case] expected: &[&str]) {
    let commands = system.read_clipboard();

    assert_eq!(lines(&commands), expected);
    assert!(commands.iter().all(|command| command.output == Output::Read && command.input.is_none()));
}

#[test]
fn position_of_windows_is_asked_for_until_shortly_before_the_limit() {
    let [windows] = <[DesktopCommand; 1]>::try_from(System::Windows.locate()).unwrap();

    let script = windows.arguments.last().unwrap();
    assert_eq!((&*windows.program, &windows.arguments[2]), ("powershell", &"-Command".to_owned()));
    // Looks 250 times, ten times a second; tells a refusal; prints numbers with points in every language.
    for part in ["$i -lt 250", "Start-Sleep -Milliseconds 100", "{ 'denied'; exit }", "InvariantCulture"] {
        assert!(script.contains(part), "{part} is missing in {script}");
    }
    assert!(windows.limit > Duration::from_secs(25) && windows.output == Output::Read);
    assert!(LINUX.locate().is_empty() && System::MacOs.locate().is_empty());
}
