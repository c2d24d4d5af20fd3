//! A virtual display, a session bus, and a WebDriver for the real window.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use testkit::SessionBus;

use super::support::{Home, STEP_LIMIT};

/// A virtual screen, a session bus, and a WebDriver for the windows on it.
pub struct Display {
    screen: Child,
    number: String,
    bus: SessionBus,
    driver: Child,
    port: u16,
}

impl Display {
    /// A screen, and a driver for programs with the data of `home`.
    pub fn start(home: &Home) -> Self {
        Self::with(home, &[])
    }

    /// The same, for programs that find `more` in their environment.
    pub fn with(home: &Home, more: &[(OsString, OsString)]) -> Self {
        let bus = SessionBus::start().expect("dbus-daemon is installed: run `cargo xtask system --tests`");
        Self::on(home, bus, more)
    }

    /// The same on a bus that has services already.
    pub fn on(home: &Home, bus: SessionBus, more: &[(OsString, OsString)]) -> Self {
        let mut screen = Command::new("Xvfb")
            .args(["-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-displayfd", "1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is installed: run `cargo xtask system --tests`");
        let mut number = String::new();
        BufReader::new(screen.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let number = format!(":{}", number.trim());
        // Free now, and no other program on this machine picks ports by number.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // Programs inherit the environment of the driver.
        let mut driver = Command::new("WebKitWebDriver");
        driver
            .arg(format!("--port={port}"))
            .envs(environment(home, &number, &bus))
            .env_remove("WAYLAND_DISPLAY")
            .envs(more.iter().cloned())
            .env("TAURI_AUTOMATION", "true")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let driver = driver.spawn().expect("WebKitWebDriver is installed: run `cargo xtask system --tests`");
        Self { screen, number, bus, driver, port }
    }

    /// A command of the Jarvis of `home` on this screen, without the driver.
    pub fn command(&self, home: &Home, arguments: &[&str]) -> Command {
        let mut command = home.command(arguments);
        command.envs(environment(home, &self.number, &self.bus)).process_group(0);
        command
    }

    /// Presses keys and moves windows, by commands of `xdotool`.
    pub fn does(&self, words: &[&str]) {
        let done = Command::new("xdotool").args(words).env("DISPLAY", &self.number).status();
        let done = done.expect("xdotool is installed: run `cargo xtask system --tests`");
        assert!(done.success(), "xdotool {words:?} failed");
    }

    /// Closes a window as the button in its title bar does.
    pub fn close(&self, name: &str) {
        use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt, EventMask};

        let words = ["search", "--onlyvisible", "--name", name];
        let found = Command::new("xdotool").args(words).env("DISPLAY", &self.number).output().unwrap();
        let window: u32 = String::from_utf8(found.stdout).unwrap().lines().next().unwrap().parse().unwrap();
        let (display, _) = x11rb::connect(Some(&self.number)).unwrap();
        let atom = |name: &[u8]| display.intern_atom(false, name).unwrap().reply().unwrap().atom;
        let (protocols, delete) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
        let message = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
        display.send_event(false, window, EventMask::NO_EVENT, message).unwrap().check().unwrap();
    }

    /// Another program that registers F9 with every modifier, until it is dropped.
    pub fn takes_every_f9(&self) -> impl Sized {
        use x11rb::connection::Connection;
        use x11rb::protocol::xproto::{ConnectionExt, GrabMode, ModMask};

        /// Key code of F9 on X servers.
        const F9: u8 = 75;
        let (display, screen) = x11rb::connect(Some(&self.number)).unwrap();
        let root = display.setup().roots[screen].root;
        let taking = display.grab_key(false, root, ModMask::ANY, F9, GrabMode::ASYNC, GrabMode::ASYNC);
        taking.unwrap().check().unwrap();
        display
    }

    /// Makes the screen smaller, as when a larger one is unplugged.
    pub fn shrinks_to(&self, width: u16, height: u16) {
        use x11rb::connection::Connection;
        use x11rb::protocol::randr::{ConnectionExt, ModeInfo, Rotation};

        let (display, screen) = x11rb::connect(Some(&self.number)).unwrap();
        let root = display.setup().roots[screen].root;
        let has = display.randr_get_screen_resources_current(root).unwrap().reply().unwrap();
        let (output, crtc) = (has.outputs[0], has.crtcs[0]);
        let name = b"smaller";
        let mode = ModeInfo { width, height, name_len: name.len() as u16, ..ModeInfo::default() };
        let mode = display.randr_create_mode(root, mode, name).unwrap().reply().unwrap().mode;
        display.randr_add_output_mode(output, mode).unwrap().check().unwrap();
        let show = |mode, outputs: &[u32]| {
            let shown = display.randr_set_crtc_config(
                crtc,
                0,
                has.config_timestamp,
                0,
                0,
                mode,
                Rotation::ROTATE0,
                outputs,
            );
            shown.unwrap().reply().unwrap();
        };
        show(0, &[]);
        display.randr_set_screen_size(root, width, height, 300, 200).unwrap().check().unwrap();
        show(mode, &[output]);
    }

    /// Returns `true` if a window of this name is visible.
    pub fn shows(&self, name: &str) -> bool {
        let words = ["search", "--onlyvisible", "--name", name];
        let found = Command::new("xdotool").args(words).env("DISPLAY", &self.number).output().unwrap();
        !found.stdout.is_empty()
    }

    /// Left, top, width and height of the visible window of this name, in pixels.
    pub fn place_of(&self, name: &str) -> (i32, i32, i32, i32) {
        let words = ["search", "--onlyvisible", "--name", name, "getwindowgeometry", "--shell"];
        let told = Command::new("xdotool").args(words).env("DISPLAY", &self.number).output().unwrap();
        let told = String::from_utf8(told.stdout).unwrap();
        let number = |name: &str| {
            let line = told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            line.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {name} in {told:?}"))
        };
        (number("X"), number("Y"), number("WIDTH"), number("HEIGHT"))
    }

    /// Saves a screenshot of a window.
    pub fn photograph(&self, name: &str, path: &Path) {
        let (x, y, width, height) = self.place_of(name);
        let part = format!("{width}x{height}+{x}+{y}");
        let mut camera = Command::new("import");
        camera.args(["-window", "root", "-crop", &part, "+repage"]).arg(path).env("DISPLAY", &self.number);
        assert!(
            camera.status().expect("ImageMagick is installed: run `cargo xtask system --tests`").success()
        );
    }

    /// Starts Jarvis and waits for its conversation.
    pub async fn open_jarvis(&self) -> Client {
        self.open(Path::new(env!("CARGO_BIN_EXE_jarvis"))).await
    }

    /// The same with another program.
    pub async fn open(&self, program: &Path) -> Client {
        let options = json!({
            "webkitgtk:browserOptions": { "binary": program, "args": [] },
            "browserName": "wry",
        });
        let Value::Object(options) = options else { unreachable!("written as an object above") };
        let capabilities = options.into_iter().collect::<Capabilities>();
        let address = format!("http://127.0.0.1:{}", self.port);
        let deadline = Instant::now() + STEP_LIMIT;
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

fn environment(home: &Home, screen: &str, bus: &SessionBus) -> Vec<(&'static str, OsString)> {
    vec![
        ("DISPLAY", screen.into()),
        ("GDK_BACKEND", "x11".into()),
        ("DBUS_SESSION_BUS_ADDRESS", bus.address().into()),
        ("JARVIS_HOME", home.path().into()),
        ("JARVIS_MODELS", super::support::models().into()),
        // Files that the desktop stores for programs go to the home too, not to the user who runs the tests.
        ("HOME", home.path().join("desktop").into()),
    ]
}

/// The process of the Jarvis of a home, as its folder under `/proc`.
pub fn process_of(home: &Home) -> PathBuf {
    find_process(home).expect("Jarvis runs")
}

/// Returns `true` if the Jarvis of this home runs.
pub fn runs(home: &Home) -> bool {
    find_process(home).is_some()
}

fn find_process(of: &Home) -> Option<PathBuf> {
    let home = format!("JARVIS_HOME={}", of.path().display());
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok).map(|entry| entry.path());
    let is_ours = |process: &PathBuf| {
        let is_jarvis = std::fs::read_link(process.join("exe"))
            .is_ok_and(|exe| exe == Path::new(env!("CARGO_BIN_EXE_jarvis")));
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        is_jarvis && environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
    };
    processes.into_iter().find(is_ours)
}

/// Ends the Jarvis of a home as the end of a desktop session does, and waits for its end.
pub fn end_jarvis(of: &Home) {
    let jarvis = process_of(of);
    let id = jarvis.file_name().unwrap();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    // A zombie may remain, which holds nothing.
    super::support::wait_until("Jarvis ended", || {
        std::fs::read_to_string(jarvis.join("stat")).is_ok_and(|stat| stat.contains(") Z "))
            || !jarvis.exists()
    });
    assert!(of.log().contains("the windows are closed"), "it did not end in good order");
}

impl Drop for Display {
    fn drop(&mut self) {
        // Ends a remaining Jarvis with everything it started. They may have ended already.
        let _ = Command::new("kill").arg("--").arg(format!("-{}", self.driver.id())).status();
        let _ = self.screen.kill();
        let _ = (self.driver.wait(), self.screen.wait());
    }
}

/// Types into the composer.
pub async fn types(page: &Client, text: &str) {
    let composer = page.wait().for_element(Locator::Css("textarea")).await.unwrap();
    composer.click().await.unwrap();
    composer.send_keys(text).await.unwrap();
}

/// Waits for the element of `selector` and clicks it.
pub async fn click(page: &Client, selector: &str) {
    page.wait().for_element(Locator::Css(selector)).await.unwrap().click().await.unwrap();
}

/// Opens a section of the settings.
pub async fn open_section(page: &Client, section: &str) {
    click(page, "button[aria-label^=Settings]").await;
    switch_to(page, "settings.html").await;
    go_to_section(page, section).await;
}

/// Opens another section of the settings.
pub async fn go_to_section(page: &Client, section: &str) {
    let words = format!("//nav//*[self::button or self::a][normalize-space()='{section}']");
    page.wait().for_element(Locator::XPath(&words)).await.unwrap().click().await.unwrap();
    wait_for_text(page, "h1, h2", section).await;
}

/// Waits until the element of `selector` contains `text`.
pub async fn wait_for_text(page: &Client, selector: &str, text: &str) {
    let deadline = Instant::now() + STEP_LIMIT;
    let mut seen = Vec::new();
    while Instant::now() < deadline {
        seen.clear();
        for element in page.find_all(Locator::Css(selector)).await.unwrap_or_default() {
            // An element may disappear while it is read.
            seen.push(element.text().await.unwrap_or_default());
        }
        if seen.iter().any(|seen| seen.contains(text)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{text:?} did not come in {selector}; this did: {seen:#?}");
}

/// Switches the driver to the window with this page.
pub async fn switch_to(client: &Client, page: &str) {
    let deadline = Instant::now() + STEP_LIMIT;
    while Instant::now() < deadline {
        for window in client.windows().await.unwrap() {
            client.switch_to_window(window).await.unwrap();
            // The first page of an application has no file name in its address.
            let url = client.current_url().await.unwrap();
            if url.path().trim_start_matches('/') == page.trim_start_matches("index.html") {
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no window shows {page}");
}
