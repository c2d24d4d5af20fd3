//! The tray: its icon, its menu, and desktops without a tray.

use serde_json::json;
use testkit::{OllamaServer, SessionBus, TrayHost, VirtualSound};

use super::display::{Display, runs};
use super::support::{Home, Running, wait_until};

fn home(server: &OllamaServer) -> Home {
    Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }))
}

fn log_has(home: &Home, what: &str) {
    wait_until(what, || home.log().contains(what));
}

#[test]
fn tray_icon_shows_the_state_and_its_menu_works() {
    let server = OllamaServer::start([]);
    let sound = VirtualSound::start().unwrap();
    let home = home(&server);
    let bus = SessionBus::start().unwrap();
    let tray = TrayHost::start(bus.address()).unwrap();
    let display = Display::on(&home, bus, &[]);
    let mut command = display.command(&home, &[]);
    command.envs(sound.env());
    let others = sound.microphone_users().unwrap();
    let _jarvis = Running::start(command);
    log_has(&home, "the microphone is open");
    assert!(sound.microphone_users().unwrap() > others);

    let idle = tray.icon().unwrap();
    let labels: Vec<String> = tray.menu().unwrap().into_iter().map(|entry| entry.label).collect();
    assert_eq!(
        labels,
        ["Ready", "Talk now", "Stop", "Mute microphone", "Conversation", "Settings", "Quit Jarvis"]
    );
    tray.click("Talk now").unwrap();
    log_has(&home, "the hot window opened");
    tray.click("Stop").unwrap();
    tray.click("Mute microphone").unwrap();
    wait_until("the menu says so", || tray.menu().unwrap().iter().any(|entry| entry.label == "Muted"));
    assert!(tray.menu().unwrap().iter().any(|entry| entry.label == "Mute microphone" && entry.is_checked));
    assert_ne!(tray.icon().unwrap(), idle);
    wait_until("the microphone is closed", || sound.microphone_users().unwrap() == others);
    tray.click("Settings").unwrap();
    wait_until("the settings are open", || display.shows("Jarvis settings"));
    tray.click("Quit Jarvis").unwrap();

    wait_until("Jarvis ended", || !runs(&home));
    assert!(home.log().contains("the windows are closed"));
}

#[test]
fn second_start_opens_the_window_from_the_tray() {
    let server = OllamaServer::start([]);
    let home = home(&server);
    let bus = SessionBus::start().unwrap();
    let tray = TrayHost::start(bus.address()).unwrap();
    let display = Display::on(&home, bus, &[]);
    let _jarvis = Running::start(display.command(&home, &[]));
    log_has(&home, "the page is loaded");

    display.close("^Jarvis$");
    wait_until("the window is closed", || !display.shows("^Jarvis$"));
    let second = display.command(&home, &[]).status().unwrap();

    assert!(second.success());
    wait_until("the window is open again", || display.shows("^Jarvis$"));
    assert!(tray.icon().is_ok());
}

#[test]
fn closing_the_last_window_without_a_tray_quits() {
    let server = OllamaServer::start([]);
    let home = home(&server);
    let display = Display::start(&home);
    let _jarvis = Running::start(display.command(&home, &[]));
    log_has(&home, "the page is loaded");

    display.close("^Jarvis$");

    wait_until("Jarvis ended", || home.log().contains("the windows are closed"));
}

#[test]
fn hidden_start_opens_no_window() {
    let server = OllamaServer::start([]);
    let home = home(&server);
    let bus = SessionBus::start().unwrap();
    let tray = TrayHost::start(bus.address()).unwrap();
    let display = Display::on(&home, bus, &[]);
    let _jarvis = Running::start(display.command(&home, &["--hidden"]));

    assert!(tray.icon().is_ok());
    log_has(&home, "the models are warm");
    assert!(!home.log().contains("the page is loaded"));
    tray.click("Conversation").unwrap();
    log_has(&home, "the page is loaded");
}

#[test]
fn start_at_login_follows_its_setting() {
    let server = OllamaServer::start([]);
    let home = home(&server);
    let display = Display::start(&home);
    let entry = home.path().join("desktop/.config/autostart/Jarvis.desktop");
    let start_with = |is_wanted: bool| {
        home.write_settings(&json!({
            "llm": { "provider": "ollama", "base_url": server.url() },
            "startup": { "at_login": is_wanted },
        }));
        Running::start(display.command(&home, &[]))
    };

    let jarvis = start_with(true);
    wait_until("the entry is there", || entry.exists());
    let command = std::fs::read_to_string(&entry).unwrap();
    drop(jarvis);
    let _jarvis = start_with(false);

    assert!(command.contains("--hidden"), "{command}");
    wait_until("the entry is gone", || !entry.exists());
}
