//! Every page at every size, by keyboard, with a long conversation, and without its scripts.

use std::path::PathBuf;

use fantoccini::{Client, Locator};
use memchr::memmem;
use memory::{Dialogue, MemoryService, Participant};
use serde_json::{Value, json};
use testkit::{OllamaServer, ScriptedAnswer};
use vocabulary::{ConversationId, Origin};

use super::display::{Display, click, switch_to, types, wait_for_text};
use super::support::{Home, STEP_LIMIT, wait_until};

/// Returns the pixels by which the page reaches beyond the right edge of its window.
async fn overhang(page: &Client) -> i64 {
    let script = "const root = document.scrollingElement; return root.scrollWidth - root.clientWidth;";
    page.execute(script, vec![]).await.unwrap().as_i64().unwrap()
}

/// Waits until the page has this width, in CSS pixels.
async fn is_as_wide_as(page: &Client, width: u32) {
    let deadline = std::time::Instant::now() + STEP_LIMIT;
    loop {
        let now = page.execute("return innerWidth", vec![]).await.unwrap().as_u64().unwrap();
        if now == u64::from(width) {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "the page is {now} wide and not {width}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// The pages that are wider than their window at this width and zoom.
async fn too_wide(page: &Client, width: u32, zoom: u32) -> Vec<String> {
    let mut found = Vec::new();
    switch_to(page, "index.html").await;
    page.set_window_rect(0, 0, width, 740).await.unwrap();
    is_as_wide_as(page, width * 100 / zoom).await;
    if overhang(page).await > 0 {
        found.push(format!("conversation at {width}, {zoom} %"));
    }
    switch_to(page, "settings.html").await;
    page.set_window_rect(0, 0, width, 740).await.unwrap();
    is_as_wide_as(page, width * 100 / zoom).await;
    for section in SECTIONS {
        page.execute(&format!("location.hash = '{section}'"), vec![]).await.unwrap();
        let current = format!("nav a[href='#{section}'][aria-current=page]");
        page.wait().for_element(Locator::Css(&current)).await.unwrap();
        if overhang(page).await > 0 {
            found.push(format!("{section} at {width}, {zoom} %"));
        }
    }
    found
}

/// The sections of the settings, as their addresses name them.
const SECTIONS: [&str; 22] = [
    "appearance",
    "keys",
    "startup",
    "audio",
    "hearing",
    "listening",
    "speaking",
    "models",
    "llm",
    "replying",
    "memory",
    "location",
    "web",
    "command_center",
    "tools",
    "routines",
    "permissions",
    "mcp",
    "programs",
    "tool-log",
    "privacy",
    "about",
];

#[tokio::test]
async fn no_page_is_wider_than_its_window() {
    let answer = "A table:\n\n| one | two |\n|---|---|\n| 1 | 2 |\n\n```\nA line of code that is much longer than any window is wide, and then some more of it\n```\n\nhttps://example.com/an/address/that/goes/on/and/on/without/any/place/to/break/it/for/quite/a/while";
    let server = OllamaServer::start([ScriptedAnswer::says(answer)]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let page = display.open_jarvis().await;
    types(&page, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft\u{e007}")
        .await;
    wait_for_text(&page, "[data-reply]", "for/quite/a/while").await;
    click(&page, "button[aria-label^=Settings]").await;
    switch_to(&page, "settings.html").await;
    wait_for_text(&page, "nav", "Location").await;
    assert_eq!(page.find_all(Locator::Css("nav a")).await.unwrap().len(), SECTIONS.len());

    let mut found = Vec::new();
    for width in [360, 720, 1600] {
        found.extend(too_wide(&page, width, 100).await);
    }
    // Seven steps from 100 to 200 %.
    for _ in 0..7 {
        page.find(Locator::Css("body")).await.unwrap().send_keys("\u{e009}=\u{e000}").await.unwrap();
    }
    let written = home.path().join("settings.json");
    wait_until("the zoom is 200 %", || {
        let written = std::fs::read_to_string(&written).unwrap_or_default();
        serde_json::from_str::<Value>(&written).is_ok_and(|written| written["appearance"]["zoom"] == 200)
    });
    found.extend(too_wide(&page, 720, 200).await);

    assert_eq!(found, Vec::<String>::new());
}

/// The accessible name of the focused element.
async fn focused(page: &Client) -> String {
    let script = "const on = document.activeElement;
        return on.getAttribute('aria-label') ?? on.labels?.[0]?.innerText ?? on.innerText ?? on.tagName;";
    page.execute(script, vec![]).await.unwrap().as_str().unwrap_or_default().trim().to_owned()
}

#[tokio::test]
async fn all_controls_can_be_reached_by_keyboard() {
    const TAB: &str = "\u{e004}";
    const ENTER: &str = "\u{e007}";
    let words = "and on it goes ".repeat(400);
    let server = OllamaServer::start([
        ScriptedAnswer::says("It is noon."),
        ScriptedAnswer::says(words).with_token_delay(std::time::Duration::from_millis(20)),
    ]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let page = display.open_jarvis().await;
    let press = async |keys: &str| page.active_element().await.unwrap().send_keys(keys).await.unwrap();
    wait_for_text(&page, "h2", "Type, then press Enter.").await;

    // The composer is focused first.
    press(&format!("What time is it?{ENTER}")).await;
    wait_for_text(&page, "[data-reply]", "It is noon.").await;
    press(&format!("Tell me a story.{ENTER}")).await;
    wait_for_text(&page, "[data-reply]", "and on it goes").await;
    press("\u{e00c}").await;
    wait_for_text(&page, "header [data-state]", "Ready").await;
    // Tab reaches every control of the window.
    let mut seen = vec![focused(&page).await];
    for _ in 0..30 {
        press(TAB).await;
        seen.push(focused(&page).await);
    }
    let has = |name: &str| seen.iter().any(|seen| seen.starts_with(name));
    for name in ["Settings", "Copy", "Ask again"] {
        assert!(has(name), "{name} is not among {seen:#?}");
    }
    // Its settings, and a switch in them.
    press("\u{e009},\u{e000}").await;
    switch_to(&page, "settings.html").await;
    wait_for_text(&page, "nav", "Appearance").await;
    for _ in 0..40 {
        if focused(&page).await == "Appearance" {
            break;
        }
        press(TAB).await;
    }
    press(ENTER).await;
    wait_for_text(&page, "h2", "Appearance").await;
    for _ in 0..40 {
        if focused(&page).await.starts_with("Listening overlay") {
            break;
        }
        press(TAB).await;
    }
    press(" ").await;

    let written = home.path().join("settings.json");
    wait_until("the overlay is switched off", || {
        let written = std::fs::read_to_string(&written).unwrap_or_default();
        serde_json::from_str::<Value>(&written).is_ok_and(|written| written["appearance"]["overlay"] == false)
    });
}

/// The text of message `number`.
const MESSAGES: i64 = 10_000;

#[tokio::test]
async fn long_history_can_be_scrolled_to_its_first_message() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    say(&home, MESSAGES).await;
    let display = Display::start(&home);
    let page = display.open_jarvis().await;
    wait_for_text(&page, "[data-message]", "message 9999").await;

    let script = "const done = arguments[arguments.length - 1];
        const thread = document.querySelector('[role=log]');
        const began = Date.now();
        const step = () => {
            thread.scrollTop = 0;
            const first = thread.querySelector('[data-message]').textContent;
            if (/message 0\\b/.test(first) || Date.now() - began > 100_000) {
                done([first, thread.querySelectorAll('[data-message]').length, Date.now() - began]);
            } else {
                setTimeout(step, 20);
            }
        };
        step();";
    page.update_timeouts(fantoccini::wd::TimeoutConfiguration::new(
        Some(std::time::Duration::from_secs(110)),
        None,
        None,
    ))
    .await
    .unwrap();
    let told = page.execute_async(script, vec![]).await.unwrap();

    assert!(told[0].as_str().unwrap().contains("message 0"), "{told}");
    assert!(told[1].as_i64().unwrap() < 1000, "too many messages are in the page at once: {told}");
}

/// Stores messages in the memory of a home.
async fn say(home: &Home, messages: i64) {
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    let (service, opening) = MemoryService::start(&data.join("jarvis.db"), |_| {});
    let (dialogue, writing) = Dialogue::start(&service);
    let keeping = tokio::spawn(async { tokio::join!(opening, writing) });
    assert!(dialogue.opened(STEP_LIMIT).await);
    for n in 0..messages {
        let speaker = if n % 2 == 0 { Participant::User } else { Participant::Assistant };
        dialogue.say(&ConversationId::main(), &Origin::Typed, speaker, &format!("message {n}"), n);
        // The queue of the writer is bounded, so wait for it.
        assert!(n % 500 != 499 || dialogue.flush(STEP_LIMIT).await);
    }
    drop((dialogue, service));
    keeping.await.unwrap();
}

/// The program with its pages, but without the scripts of them.
fn without_scripts(home: &Home) -> PathBuf {
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/ui/dist/assets");
    let mut program = std::fs::read(env!("CARGO_BIN_EXE_jarvis")).unwrap();
    let mut lost = 0;
    for asset in std::fs::read_dir(assets).unwrap().map(|asset| asset.unwrap().file_name()) {
        let name = format!("/assets/{}", asset.to_str().unwrap());
        if !name.ends_with(".js") {
            continue;
        }
        // A name that no page asks for.
        let places: Vec<usize> = memmem::find_iter(&program, name.as_bytes()).collect();
        for place in &places {
            program[place + 1] = b'-';
        }
        lost += usize::from(!places.is_empty());
    }
    assert!(lost > 3, "the scripts were not found in the program");
    let path = home.path().join("jarvis-without-scripts");
    std::fs::write(&path, program).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[tokio::test]
async fn window_without_its_scripts_says_what_to_do() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open(&without_scripts(&home)).await;

    wait_for_text(&page, ".fallback", "This window could not be drawn.").await;
    let shown = "return getComputedStyle(document.querySelector('.fallback')).visibility";
    assert_eq!(page.execute(shown, vec![]).await.unwrap(), json!("visible"));
}
