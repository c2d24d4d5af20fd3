//! Faults around the windows are reported, cost no data, and are recovered from.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use fantoccini::Locator;
use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, SessionBus, TrayHost};

use super::display::{Display, process_of, runs, switch_to, types, wait_for_text};
use super::support::{Home, Running, settings_without_listening, wait_until};

fn times(home: &Home, what: &str) -> usize {
    home.log().matches(what).count()
}

/// Processes that this one started, and those that they started.
fn descendants(of: &str) -> Vec<(String, String)> {
    let listed = Command::new("ps").args(["-e", "-o", "pid=,ppid=,comm="]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let all: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut parents = vec![of.to_owned()];
    while let Some(parent) = parents.pop() {
        for line in all.iter().filter(|line| line[1] == parent) {
            found.push((line[0].to_owned(), line[2].to_owned()));
            parents.push(line[0].to_owned());
        }
    }
    found
}

fn id_of(process: PathBuf) -> String {
    process.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn page_whose_process_was_killed_is_reloaded() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let _jarvis = Running::start(display.command(&home, &[]));
    wait_until("the page is loaded", || times(&home, "the page is loaded") == 1);

    let pages = descendants(&id_of(process_of(&home)));
    let page =
        pages.iter().find(|(_, name)| name.starts_with("WebKitWebProces")).expect("a page has a process");
    assert!(Command::new("kill").args(["-9", &page.0]).status().unwrap().success());

    wait_until("the page is loaded again", || times(&home, "the page is loaded") == 2);
    assert!(home.log().contains("the process of a page died; it is loaded again"));
}

#[tokio::test]
async fn stop_stays_responsive_at_a_thousand_words_a_second() {
    let words = "and on it goes ".repeat(5_000);
    let server =
        OllamaServer::start([ScriptedAnswer::says(words).with_token_delay(Duration::from_millis(1))]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let page = display.open_jarvis().await;

    types(&page, "Tell me a story.\u{e007}").await;
    wait_for_text(&page, "[data-reply]", "and on it goes and on it goes").await;
    page.find(Locator::Css("button[aria-label^=Stop]")).await.unwrap().click().await.unwrap();

    wait_for_text(&page, "header [data-state]", "Ready").await;
    types(&page, "still here").await;
    let typed = page.find(Locator::Css("textarea")).await.unwrap().prop("value").await.unwrap();
    assert_eq!(typed.as_deref(), Some("still here"));
}

#[tokio::test]
async fn reopened_window_shows_the_whole_reply() {
    let server = OllamaServer::start([ScriptedAnswer::says("It rains in Leeds, as it often does.")
        .with_token_delay(Duration::from_millis(300))]);
    let home = Home::without_listening(&server);
    let bus = SessionBus::start().unwrap();
    let tray = TrayHost::start(bus.address()).unwrap();
    let display = Display::on(&home, bus, &[]);
    let page = display.open_jarvis().await;
    // The driver needs a window that stays open.
    tray.click("Settings").unwrap();

    types(&page, "Does it rain?\u{e007}").await;
    wait_for_text(&page, "[data-reply]", "It rains").await;
    display.close("^Jarvis$");
    wait_until("the window is closed", || !display.shows("^Jarvis$"));
    wait_until("the reply is complete", || home.log().contains("a reply was delivered"));
    tray.click("Conversation").unwrap();

    switch_to(&page, "index.html").await;
    wait_for_text(&page, "[data-message]", "It rains in Leeds, as it often does.").await;
}

#[tokio::test]
async fn bad_values_in_an_edited_settings_file_are_named() {
    let server = OllamaServer::start([ScriptedAnswer::says("It rains.")]);
    let mut nonsense = settings_without_listening(&server);
    nonsense["appearance"] = json!({ "theme": 7, "contrast": "more" });
    nonsense["listening"]["hot_window_secs"] = json!("long");
    let home = Home::with(&nonsense);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;

    wait_for_text(&page, "[role=alert]", "appearance.theme is 7").await;
    let contrast = page.find(Locator::Css("html")).await.unwrap().attr("data-contrast").await.unwrap();
    assert_eq!(contrast.as_deref(), Some("more"));
    types(&page, "Does it rain?\u{e007}").await;
    wait_for_text(&page, "[data-reply]", "It rains.").await;
}

#[test]
fn software_rendering_draws_the_windows() {
    let server = OllamaServer::start([]);
    let mut wanted = settings_without_listening(&server);
    wanted["appearance"] = json!({ "software_rendering": true });
    let home = Home::with(&wanted);
    let display = Display::start(&home);

    let _jarvis = Running::start(display.command(&home, &[]));
    wait_until("the page is loaded", || times(&home, "the page is loaded") == 1);

    let environment = std::fs::read(process_of(&home).join("environ")).unwrap();
    let has =
        |wanted: &str| environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes());
    assert!(has("WEBKIT_DISABLE_DMABUF_RENDERER=1") && has("WEBKIT_DISABLE_COMPOSITING_MODE=1"));
}

#[test]
fn remembered_window_position_is_fitted_to_the_screen() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let elsewhere = json!({ "conversation": {
        "width": 3000, "height": 2000, "x": 4000, "y": 3000, "prev_x": 4000, "prev_y": 3000,
        "maximized": false, "visible": true, "decorated": true, "fullscreen": false,
    } });
    std::fs::write(home.path().join("windows.json"), elsewhere.to_string()).unwrap();
    let display = Display::start(&home);

    let _jarvis = Running::start(display.command(&home, &[]));
    wait_until("the page is loaded", || times(&home, "the page is loaded") == 1);

    wait_until("the window fits", || {
        let (x, y, width, height) = display.place_of("^Jarvis$");
        width <= 1600 && height <= 1000 && (0..1600).contains(&x) && (0..1000).contains(&y)
    });
}

#[test]
fn window_returns_from_an_unplugged_display() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let _jarvis = Running::start(display.command(&home, &[]));
    wait_until("the page is loaded", || times(&home, "the page is loaded") == 1);
    display.does(&["search", "--onlyvisible", "--name", "^Jarvis$", "windowmove", "1200", "700"]);
    wait_until("the window is moved", || display.place_of("^Jarvis$").0 == 1200);

    display.shrinks_to(1024, 600);

    wait_until("the window is back", || {
        let (x, y, width, height) = display.place_of("^Jarvis$");
        width <= 1024 && height <= 600 && (0..900).contains(&x) && (0..500).contains(&y)
    });
}

/// The memory of a process that shows the code of libraries, in kB. Our own program and the model runtime stay.
fn resident_libraries(process: &std::path::Path) -> u64 {
    let mappings = std::fs::read_to_string(process.join("smaps")).unwrap();
    let (mut resident, mut is_library) = (0, false);
    for line in mappings.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("Rss:"), Some(size)) if is_library => resident += size.parse::<u64>().unwrap(),
            (Some(range), Some(permissions)) if range.contains('-') && !range.ends_with(':') => {
                let path = words.nth(3).unwrap_or_default();
                let is_code = !permissions.contains('w') && path.contains(".so");
                is_library = is_code && !path.contains("onnxruntime");
            }
            _ => {}
        }
    }
    resident
}

#[test]
fn closed_window_frees_its_libraries_and_opens_again() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let bus = SessionBus::start().unwrap();
    let tray = TrayHost::start(bus.address()).unwrap();
    let display = Display::on(&home, bus, &[]);
    let _jarvis = Running::start(display.command(&home, &[]));
    wait_until("the page is loaded", || times(&home, "the page is loaded") == 1);
    let process = process_of(&home);
    let open = resident_libraries(&process);

    display.close("^Jarvis$");

    wait_until("half of it is freed", || resident_libraries(&process) < open / 2);
    assert!(runs(&home), "Jarvis ended with its window: {}", home.log());
    tray.click("Conversation").unwrap();
    wait_until("the page is loaded again", || times(&home, "the page is loaded") == 2);
}

#[test]
fn start_during_shutdown_opens_the_window() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let first = Running::start(display.command(&home, &[]));
    wait_until("the page is loaded", || times(&home, "the page is loaded") == 1);

    assert!(Command::new("kill").arg(first.id().to_string()).status().unwrap().success());
    let _second = Running::start(display.command(&home, &[]));

    wait_until("the page is loaded again", || times(&home, "the page is loaded") == 2);
}

#[test]
fn start_beside_a_terminal_jarvis_names_the_terminal() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let mut terminal = Running::start(home.command(&["chat"]));
    terminal.wait_for("Ready.");

    let window = display.command(&home, &[]).output().unwrap();

    let said = String::from_utf8_lossy(&window.stderr).into_owned();
    assert!(
        !window.status.success() && said.contains("running in a terminal") && said.contains("Quit it there"),
        "{said}"
    );
}
