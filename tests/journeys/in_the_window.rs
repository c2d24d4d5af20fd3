//! The real window on a virtual display, driven through WebDriver.

use std::time::Duration;

use fantoccini::{Client, Locator};
use serde_json::{Value, json};
use testkit::{OllamaServer, ScriptedAnswer};

use super::display::{
    Display, click, end_jarvis, go_to_section, open_section, switch_to, types, wait_for_text,
};
use super::support::{Home, questions};

#[tokio::test]
async fn answered_question_is_shown_again_after_a_restart() {
    let server = OllamaServer::start([ScriptedAnswer::says("It is **noon**, and the sun is out.")]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;
    types(&page, "What time is it?\u{e007}").await;
    wait_for_text(&page, "[data-reply] strong", "noon").await;
    end_jarvis(&home);
    drop(display);
    let display = Display::start(&home);
    let page = display.open_jarvis().await;

    wait_for_text(&page, "[data-message]", "What time is it?").await;
    wait_for_text(&page, "[data-message]", "It is noon, and the sun is out.").await;
    assert_eq!(questions(&server).len(), 1);
}

#[tokio::test]
async fn stop_button_ends_a_reply() {
    let words = "and on it goes ".repeat(400);
    let server =
        OllamaServer::start([ScriptedAnswer::says(words).with_token_delay(Duration::from_millis(20))]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;
    types(&page, "Tell me a story.\u{e007}").await;
    wait_for_text(&page, "[data-reply]", "and on it goes").await;
    page.find(Locator::Css("button[aria-label^=Stop]")).await.unwrap().click().await.unwrap();

    wait_for_text(&page, "button[aria-label^=Stop], [data-state=idle]", "Ready").await;
}

#[tokio::test]
async fn contacted_hosts_and_notices_are_shown_in_the_window() {
    let server = OllamaServer::start([ScriptedAnswer::says("It is noon.")]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;
    types(&page, "What time is it?\u{e007}").await;
    wait_for_text(&page, "[data-reply]", "It is noon.").await;
    open_section(&page, "Privacy").await;

    wait_for_text(&page, "tbody tr", &server.address().to_string()).await;
    wait_for_text(&page, "tbody tr", "language model").await;
    go_to_section(&page, "About").await;
    wait_for_text(&page, "details > summary", "Rust crates").await;
    // By keyboard alone: the libraries, and the licence of the first of them.
    let open = |selector: &'static str| {
        let page = page.clone();
        async move {
            let summary = page.wait().for_element(Locator::Css(selector)).await.unwrap();
            summary.send_keys("\u{e00d}").await.unwrap();
        }
    };
    open("details.list:nth-of-type(2) > summary").await;
    open("details.list details summary").await;
    wait_for_text(&page, "pre[role=region]", "Copyright").await;
}

#[tokio::test]
async fn setting_is_found_changed_and_saved_in_the_window() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;
    click(&page, "button[aria-label^=Settings]").await;
    switch_to(&page, "settings.html").await;
    let search = page.wait().for_element(Locator::Css("input[aria-label='Find a setting']")).await.unwrap();
    search.send_keys("location.place").await.unwrap();
    let place = page.wait().for_element(Locator::Css("input.input[type=text]")).await.unwrap();
    place.send_keys("Leeds\u{e007}").await.unwrap();

    let written = home.path().join("settings.json");
    super::support::wait_until("the place was saved", || {
        std::fs::read_to_string(&written).unwrap_or_default().contains("Leeds")
    });
}

#[tokio::test]
async fn chosen_model_and_place_survive_a_restart() {
    let server = OllamaServer::start([ScriptedAnswer::says("It is noon in Leeds.")]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;
    open_section(&page, "Location").await;
    let search = page.wait().for_element(Locator::Css("input[role=combobox]")).await.unwrap();
    search.send_keys("leeds").await.unwrap();
    wait_for_text(&page, "[role=option]", "Leeds").await;
    search.send_keys("\u{e007}").await.unwrap();
    wait_for_text(&page, "main", "Location: Leeds, England, United Kingdom]").await;
    go_to_section(&page, "Models").await;
    click(&page, "button[aria-label^='Use Whisper tiny']").await;
    page.wait().for_element(Locator::Css("button[aria-label^='Use Whisper base']")).await.unwrap();
    end_jarvis(&home);
    drop(display);
    let display = Display::start(&home);
    let page = display.open_jarvis().await;

    types(&page, "What time is it?\u{e007}").await;
    wait_for_text(&page, "[data-reply]", "It is noon in Leeds.").await;
    let told = questions(&server)[0]["messages"].to_string();
    assert!(told.contains("Leeds, England, United Kingdom"), "{told}");
    let written = std::fs::read_to_string(home.path().join("settings.json")).unwrap();
    assert!(written.contains("Europe/London"), "{written}");
    open_section(&page, "Models").await;
    page.wait().for_element(Locator::Css("button[aria-label^='Use Whisper base']")).await.unwrap();
    let tiny = page.find_all(Locator::Css("button[aria-label^='Use Whisper tiny']")).await.unwrap();
    assert!(tiny.is_empty(), "the model that was chosen is not in use");
}

#[tokio::test]
async fn model_can_be_tried_from_the_settings() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;
    open_section(&page, "Models").await;
    click(&page, "button[aria-label^='Test Whisper tiny']").await;

    wait_for_text(&page, "main", "of speech, after").await;
    wait_for_text(&page, "main", "time is it").await;
}

/// Calls a command as a page does, and returns the outcome.
async fn invoke(page: &Client, command: &str, arguments: Value) -> Value {
    let call = "const done = arguments[arguments.length - 1];
        window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1])
            .then((answer) => done({ answer }), (refused) => done({ refused }));";
    page.execute_async(call, vec![command.into(), arguments]).await.unwrap()
}

#[tokio::test]
async fn page_may_call_only_commands_of_its_own_window() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;
    let allowed = invoke(&page, "history", json!({ "before": 1 })).await;
    let refused = invoke(&page, "set_setting", json!({ "path": "location.place", "value": "Nowhere" })).await;

    assert!(allowed["answer"]["messages"].is_array(), "{allowed}");
    assert!(refused["refused"].to_string().contains("not allowed"), "{refused}");
    assert!(!std::fs::read_to_string(home.path().join("settings.json")).unwrap().contains("Nowhere"));
}

#[tokio::test]
async fn hotkey_of_another_program_is_refused() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);
    let _another = display.takes_every_f9();

    let page = display.open_jarvis().await;
    click(&page, "button[aria-label^=Settings]").await;
    switch_to(&page, "settings.html").await;
    let taken = invoke(&page, "check_hotkey", json!({ "keys": "Ctrl+F9" })).await;
    let free = invoke(&page, "check_hotkey", json!({ "keys": "Ctrl+F10" })).await;

    assert_eq!(taken["refused"]["code"], "taken", "{taken}");
    assert!(free.get("answer").is_some(), "{free}");
}

#[tokio::test]
async fn text_on_the_screen_is_read_when_asked_for() {
    let server = OllamaServer::start([
        ScriptedAnswer::calls("screenshot", json!({})),
        ScriptedAnswer::says("It shows a question."),
    ]);
    let home = Home::without_listening(&server);
    let display = Display::start(&home);

    let page = display.open_jarvis().await;
    types(&page, "Which words are on my screen?\u{e007}").await;
    wait_for_text(&page, "[data-reply]", "It shows a question.").await;

    let told = questions(&server).last().unwrap()["messages"].to_string();
    assert!(told.contains("BEGIN UNTRUSTED SCREEN") && told.contains("Which words are on"), "{told}");
}
