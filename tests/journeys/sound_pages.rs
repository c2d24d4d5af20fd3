//! Every page in every theme: accessible, without script errors, without content policy violations.

use std::time::Duration;

use fantoccini::{Client, Locator};
use serde_json::{Value, json};
use testkit::{OllamaServer, ScriptedAnswer, VirtualSound};

use super::display::{Display, click, switch_to, types, wait_for_text};
use super::support::{Home, wait_until};

/// axe-core, as the front-end's tests have it.
fn axe() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ui/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(path).expect("the front-end's packages are installed: run `cargo xtask test`")
}

/// Returns the violations that axe finds on this page now, colours included.
async fn violations(page: &Client, axe: &str) -> Vec<String> {
    page.execute(&format!("{axe}; window.axe = axe;"), vec![]).await.unwrap();
    let run = "const done = arguments[arguments.length - 1];
        window.axe.run(document, { resultTypes: ['violations'] }).then((found) => done(
            found.violations.flatMap((rule) => rule.nodes.map((node) => rule.id + ': ' + node.html))));";
    let found = page.execute_async(run, vec![]).await.unwrap();
    let Value::Array(found) = found else { panic!("axe did not answer: {found}") };
    found.iter().map(|violation| violation.as_str().unwrap_or_default().to_owned()).collect()
}

async fn sound_in(theme: &str, contrast: &str) {
    let story = "Once upon a time, and so on. ".repeat(400);
    let server = OllamaServer::start([
        ScriptedAnswer::says("It is **noon**: `12:00`.\n\n1. One\n2. Two"),
        ScriptedAnswer::says(story).with_token_delay(Duration::from_millis(20)),
    ]);
    let home = Home::with(&json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "listening": { "enabled": false },
        "appearance": { "theme": theme, "contrast": contrast },
    }));
    let display = Display::start(&home);
    let axe = axe();
    let page = display.open_jarvis().await;
    let mut found = Vec::new();

    wait_for_text(&page, "h2", "Type, then press Enter.").await;
    found.extend(violations(&page, &axe).await);
    types(&page, "What time is it?\u{e007}").await;
    wait_for_text(&page, "[data-reply] strong", "noon").await;
    wait_for_text(&page, "header [data-state]", "Ready").await;
    found.extend(violations(&page, &axe).await);
    // While text streams, with the list of keys open, and with a trouble shown.
    types(&page, "Tell me a story.\u{e007}").await;
    wait_for_text(&page, "[data-reply]", "Once upon").await;
    found.extend(violations(&page, &axe).await);
    types(&page, "\u{e009}/\u{e000}").await;
    wait_for_text(&page, "dialog", "This list").await;
    found.extend(violations(&page, &axe).await);
    page.active_element().await.unwrap().send_keys("\u{e00c}").await.unwrap();
    click(&page, "button[aria-label^=Stop]").await;
    wait_for_text(&page, "header [data-state]", "Ready").await;
    drop(server);
    types(&page, "Are you there?\u{e007}").await;
    wait_for_text(&page, "main", "does not answer").await;
    found.extend(violations(&page, &axe).await);
    click(&page, "button[aria-label^=Settings]").await;
    switch_to(&page, "settings.html").await;
    wait_for_text(&page, "nav", "Location").await;
    let search = page.find(Locator::Css("input[aria-label='Find a setting']")).await.unwrap();
    search.send_keys("voice").await.unwrap();
    wait_for_text(&page, "main", "Voice").await;
    found.extend(violations(&page, &axe).await);
    search.send_keys("\u{e00c}").await.unwrap();
    let sections = page.find_all(Locator::Css("nav button, nav a")).await.unwrap().len();
    for section in 0..sections {
        let section = &page.find_all(Locator::Css("nav button, nav a")).await.unwrap()[section];
        let name = section.text().await.unwrap();
        section.click().await.unwrap();
        wait_for_text(&page, "h1, h2", name.trim()).await;
        // Some content is loaded when it is shown.
        match name.trim() {
            "Models" => wait_for_text(&page, "main", "free on disk").await,
            "Location" => wait_for_text(&page, "main", "[Context:").await,
            _ => {}
        }
        found.extend(violations(&page, &axe).await);
    }

    assert_eq!(found, Vec::<String>::new(), "{theme}, contrast {contrast}");
    assert!(sections > 8, "only {sections} sections were looked at");
    assert!(!home.log().contains("a page is at fault"), "{}", home.log());
}

#[tokio::test]
async fn in_light() {
    sound_in("light", "standard").await;
}

#[tokio::test]
async fn in_dark() {
    sound_in("dark", "standard").await;
}

#[tokio::test]
async fn in_light_with_more_contrast() {
    sound_in("light", "more").await;
}

#[tokio::test]
async fn in_dark_with_more_contrast() {
    sound_in("dark", "more").await;
}

async fn overlay_is_sound_in(theme: &str) {
    let server = OllamaServer::start([]);
    let sound = VirtualSound::start().unwrap();
    let home = Home::with(&json!({
        "llm": { "provider": "ollama", "base_url": server.url() },
        "appearance": { "theme": theme },
    }));
    let display = Display::with(&home, &sound.env());
    let axe = axe();
    let page = display.open_jarvis().await;
    wait_until("the microphone is open", || home.log().contains("the microphone is open"));
    click(&page, "button[aria-label^=Settings]").await;
    switch_to(&page, "settings.html").await;
    // The overlay is shown while the conversation is not in front.
    display.close("^Jarvis$");
    wait_until("the conversation is closed", || !display.shows("^Jarvis$"));

    display.does(&["key", "ctrl+shift+space"]);
    switch_to(&page, "overlay.html").await;
    wait_for_text(&page, "main", "Listening").await;

    assert_eq!(violations(&page, &axe).await, Vec::<String>::new(), "{theme}");
    assert!(!home.log().contains("a page is at fault"), "{}", home.log());
}

#[tokio::test]
async fn the_overlay_in_light() {
    overlay_is_sound_in("light").await;
}

#[tokio::test]
async fn the_overlay_in_dark() {
    overlay_is_sound_in("dark").await;
}

#[tokio::test]
async fn content_policy_violation_is_reported() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let page = display.open_jarvis().await;
    wait_for_text(&page, "header [data-state]", "Ready").await;

    let breach = "const s = document.createElement('script'); s.textContent = 'window.breached = 1';
        document.head.append(s); return window.breached ?? 0;";
    let breached = page.execute(breach, vec![]).await.unwrap();

    assert_eq!(breached, json!(0), "an inline script ran");
    wait_until("the breach was reported", || home.log().contains("a page is at fault"));
}
