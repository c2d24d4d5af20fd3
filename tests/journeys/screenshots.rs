//! Pictures of every window in light and dark, narrow and wide: `cargo xtask screenshots DIR`.

use std::path::PathBuf;
use std::time::Duration;

use fantoccini::Client;
use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, SessionBus, TrayHost, VirtualSound};

use super::display::{Display, click, go_to_section, open_section, switch_to, types, wait_for_text};
use super::support::{Home, wait_until};

/// The time that a window may take to redraw; WebKit reports no end of drawing.
const DRAWN: Duration = Duration::from_millis(700);

const ANSWER: &str = "It opens at **9:30** on weekdays and at 11:00 at weekends.\n\n\
    Two things to know before you go:\n\n\
    1. The *east wing* is closed until March.\n\
    2. Tickets bought on the day cost a little more.\n\n\
    ```\nMon–Fri  9:30–18:00\nSat–Sun 11:00–17:00\n```";

async fn resize(page: &Client, width: u32, height: u32) {
    page.set_window_rect(0, 0, width, height).await.unwrap();
    tokio::time::sleep(DRAWN).await;
}

#[tokio::test]
#[ignore = "takes pictures, proves nothing"]
async fn of_every_window() {
    let folder = PathBuf::from(std::env::var_os("JARVIS_SCREENSHOTS").expect("a folder for the pictures"));
    std::fs::create_dir_all(&folder).unwrap();
    for theme in ["light", "dark"] {
        let server = OllamaServer::start([ScriptedAnswer::says(ANSWER)]);
        let sound = VirtualSound::start().unwrap();
        let home = Home::with(&json!({
            "llm": { "provider": "ollama", "base_url": server.url() },
            "appearance": { "theme": theme },
            "location": { "place": "Leeds, England, United Kingdom", "time_zone": "Europe/London" },
        }));
        let bus = SessionBus::start().unwrap();
        let tray = TrayHost::start(bus.address()).unwrap();
        let display = Display::on(&home, bus, &sound.env());
        let page = display.open_jarvis().await;
        wait_until("the models are warm", || home.log().contains("the models are warm"));
        let picture = |what: &str, size: &str| folder.join(format!("{what}-{theme}-{size}.png"));

        for (size, width, height) in [("wide", 1000, 740), ("narrow", 360, 740)] {
            resize(&page, width, height).await;
            display.photograph("^Jarvis$", &picture("empty", size));
        }
        types(&page, "When does the museum open?\u{e007}").await;
        wait_for_text(&page, "[data-reply]", "Mon–Fri").await;
        wait_for_text(&page, "header [data-state]", "Ready").await;
        for (size, width, height) in [("wide", 1000, 740), ("narrow", 360, 740)] {
            resize(&page, width, height).await;
            display.photograph("^Jarvis$", &picture("conversation", size));
        }
        click(&page, ".acts button[aria-expanded]").await;
        for (size, width, height) in [("wide", 1000, 740), ("narrow", 360, 740)] {
            resize(&page, width, height).await;
            display.photograph("^Jarvis$", &picture("how-answered", size));
        }
        click(&page, ".acts button[aria-expanded]").await;
        resize(&page, 1000, 740).await;
        open_section(&page, "Appearance").await;
        for section in ["Appearance", "Privacy", "About", "Keys", "Sound", "Models", "Memory", "Location"] {
            resize(&page, 920, 700).await;
            go_to_section(&page, section).await;
            for (size, width, height) in [("wide", 920, 700), ("narrow", 360, 740)] {
                resize(&page, width, height).await;
                let name = format!("settings-{}", section.to_lowercase());
                display.photograph("^Jarvis settings$", &picture(&name, size));
            }
        }
        display.close("^Jarvis$");
        wait_until("the conversation is closed", || !display.shows("^Jarvis$"));
        tray.click("Talk now").unwrap();
        switch_to(&page, "overlay.html").await;
        wait_for_text(&page, "main", "Listening").await;
        tokio::time::sleep(DRAWN).await;
        display.photograph("^Jarvis listens$", &picture("overlay-listening", "wide"));
        tray.click("Stop").unwrap();
        tray.click("Conversation").unwrap();
        switch_to(&page, "index.html").await;
        tray.click("Mute microphone").unwrap();
        wait_for_text(&page, "header [data-state]", "Muted").await;
        click(&page, "textarea").await;
        resize(&page, 1000, 740).await;
        display.photograph("^Jarvis$", &picture("muted", "wide"));
    }
}
