//! Links, programs, the clipboard and what plays, with programs that note what they are told.

use std::sync::Arc;

use rstest::rstest;
use serde_json::{Value, json};
use testkit::ScriptedPrograms;
use tools::builtin::{DesktopParts, Parts};
use tools::desktop::{ApplicationFolders, System};

use crate::bench::Bench;

fn desk(programs: ScriptedPrograms) -> (Bench, Arc<ScriptedPrograms>, tempfile::TempDir) {
    let menu = tempfile::tempdir().unwrap();
    for (file, name) in [("calc", "Calculator"), ("mail", "Mail Reader"), ("news", "News Reader")] {
        let entry = format!("[Desktop Entry]\nType=Application\nName={name}\n");
        std::fs::write(menu.path().join(format!("{file}.desktop")), entry).unwrap();
    }
    let programs = Arc::new(programs);
    let desktop = DesktopParts {
        programs: programs.clone(),
        system: System::Linux { is_wayland: false },
        applications: ApplicationFolders::new(vec![menu.path().to_path_buf()]),
    };
    (Bench::with(|parts| Parts { desktop: Some(desktop), ..parts }), programs, menu)
}

fn all_programs() -> ScriptedPrograms {
    let names = ["xdg-open", "gtk-launch", "xclip", "playerctl"];
    names
        .into_iter()
        .fold(ScriptedPrograms::default(), |programs, name| programs.printing(name, "copied text"))
}

#[rstest]
#[case::link("openLink", json!({"url": "wikipedia.org"}), "Opened https://wikipedia.org/.", &["xdg-open https://wikipedia.org/"])]
#[case::file("openLink", json!({"url": "file:///etc/passwd"}), "failed: Addresses that begin with file: are not opened, only web pages and mailto:.", &[])]
#[case::program("openApplication", json!({"name": "calculator"}), "Opened Calculator.", &["gtk-launch calc"])]
#[case::several("openApplication", json!({"name": "reader"}), "failed: Several programs fit: Mail Reader, News Reader. Ask which one.", &[])]
#[case::no_program("openApplication", json!({"name": "/bin/sh"}), "failed: Only programs of the applications menu are opened, by their names.", &[])]
#[case::copy("writeClipboard", json!({"text": "tea"}), "3 characters are on the clipboard.", &["xclip -selection clipboard -in < tea"])]
#[case::nothing_to_copy("writeClipboard", json!({"text": ""}), "failed: The text is missing. Ask the user what to copy.", &[])]
#[case::pause("controlMedia", json!({"key": "pause"}), "It is paused.", &["playerctl pause"])]
#[tokio::test]
async fn desktop_does_what_it_is_told(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
    #[case] run: &[&str],
) {
    let (bench, programs, _menu) = desk(all_programs());

    let told = bench.told(tool, arguments).await;

    assert_eq!(
        (told.as_str(), programs.lines()),
        (expected, run.iter().map(|&line| line.to_owned()).collect())
    );
}

#[tokio::test]
async fn clipboard_is_text_from_outside() {
    let (bench, _, _menu) = desk(all_programs());
    let (empty, _, _menu_too) = desk(ScriptedPrograms::default().failing("xclip", "there is no owner"));

    let read = bench.call("readClipboard", json!({})).await;

    assert!(read.is_untrusted);
    assert!(read.text.unwrap().0.contains("<<<BEGIN UNTRUSTED CLIPBOARD>>>\ncopied text\n<<<END"));
    assert_eq!(empty.told("readClipboard", json!({})).await, "There is no text on the clipboard.");
}

#[rstest]
#[case::link("openLink", json!({"url": "a.example"}), "failed: It could not be opened: xdg-open or gio is not installed.")]
#[case::program("openApplication", json!({"name": "calculator"}), "failed: It could not be opened: gio or gtk-launch is not installed.")]
#[case::clipboard("readClipboard", json!({}), "failed: The clipboard could not be read: xclip or xsel or wl-paste is not installed.")]
#[case::player("controlMedia", json!({"key": "next"}), "failed: The player could not be reached: playerctl is not installed.")]
#[tokio::test]
async fn missing_program_is_named(#[case] tool: &str, #[case] arguments: Value, #[case] expected: &str) {
    let (bench, _, _menu) = desk(ScriptedPrograms::default());

    assert_eq!(bench.told(tool, arguments).await, expected);
}
