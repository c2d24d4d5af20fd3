//! A display in memory, a session bus, and a driver that clicks in the real window.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use super::support::{Home, PATIENCE};

/// A screen that nobody sees, with the window of one Jarvis on it.
pub struct Display {
    screen: Child,
    driver: Child,
    port: u16,
}

impl Display {
    /// A screen, and a driver for programs with the data of `home`.
    pub fn start(home: &Home) -> Self {
        let mut screen = Command::new("Xvfb")
            .args(["-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-displayfd", "1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is installed: run `cargo xtask system --tests`");
        let mut number = String::new();
        BufReader::new(screen.stdout.take().unwrap()).read_line(&mut number).unwrap();
        // Free now, and nobody else on this machine takes ports by number.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // Programs started by the driver inherit what it has.
        let mut driver = Command::new("dbus-run-session");
        driver
            .args(["--", "WebKitWebDriver", &format!("--port={port}")])
            .env("DISPLAY", format!(":{}", number.trim()))
            .env_remove("WAYLAND_DISPLAY")
            .env("GDK_BACKEND", "x11")
            .env("TAURI_AUTOMATION", "true")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("JARVIS_HOME", home.path())
            .env("JARVIS_MODELS", super::support::models())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let driver = driver.spawn().expect("dbus-run-session is installed: run `cargo xtask system --tests`");
        Self { screen, driver, port }
    }

    /// Starts Jarvis and waits until its conversation is there.
    pub async fn open_jarvis(&self) -> Client {
        let options = json!({
            "webkitgtk:browserOptions": { "binary": env!("CARGO_BIN_EXE_jarvis"), "args": [] },
            "browserName": "wry",
        });
        let Value::Object(options) = options else { unreachable!("written as an object above") };
        let capabilities = options.into_iter().collect::<Capabilities>();
        let address = format!("http://127.0.0.1:{}", self.port);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            builder.capabilities(capabilities.clone());
            match builder.connect(&address).await {
                Ok(client) => return client,
                Err(error) => assert!(Instant::now() < deadline, "no window opened: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Ends the Jarvis of a home as the end of a desktop session does, and waits until it is gone.
pub fn end_jarvis(of: &Home) {
    let home = format!("JARVIS_HOME={}", of.path().display());
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok).map(|entry| entry.path());
    let is_ours = |process: &std::path::PathBuf| {
        let is_jarvis = std::fs::read_link(process.join("exe"))
            .is_ok_and(|exe| exe == std::path::Path::new(env!("CARGO_BIN_EXE_jarvis")));
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        is_jarvis && environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
    };
    let jarvis = processes.into_iter().find(is_ours).expect("Jarvis runs");
    let id = jarvis.file_name().unwrap();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    // Whoever started it may leave a zombie behind, which holds nothing.
    super::support::wait_until("Jarvis ended", || {
        std::fs::read_to_string(jarvis.join("stat")).is_ok_and(|stat| stat.contains(") Z "))
            || !jarvis.exists()
    });
    assert!(of.log().contains("the windows are closed"), "it did not end in good order");
}

impl Drop for Display {
    fn drop(&mut self) {
        // With everything it started: the bus, the driver, a Jarvis that was left behind. They may have ended already.
        let _ = Command::new("kill").arg("--").arg(format!("-{}", self.driver.id())).status();
        let _ = self.screen.kill();
        let _ = (self.driver.wait(), self.screen.wait());
    }
}

/// Waits until the page shows `text` in what `selector` names.
pub async fn wait_for_text(page: &Client, selector: &str, text: &str) {
    let deadline = Instant::now() + PATIENCE;
    let mut seen = Vec::new();
    while Instant::now() < deadline {
        seen.clear();
        for element in page.find_all(Locator::Css(selector)).await.unwrap_or_default() {
            // An element may go while it is read.
            seen.push(element.text().await.unwrap_or_default());
        }
        if seen.iter().any(|seen| seen.contains(text)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{text:?} did not come in {selector}; this did: {seen:#?}");
}

/// Goes to the window whose page is `page`.
pub async fn switch_to(client: &Client, page: &str) {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        for window in client.windows().await.unwrap() {
            client.switch_to_window(window).await.unwrap();
            if client.current_url().await.unwrap().path().contains(page) {
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no window shows {page}");
}
