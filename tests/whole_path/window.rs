//! The costs of the windows: from the start to the first one that can be used, and in memory.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use testkit::{OllamaServer, SessionBus, TrayHost};

use crate::Figures;
use crate::process::{beside_us, private_mb, proportional_mb, resident_mb};

/// Number of starts that are measured.
const STARTS: usize = 5;
/// A start that takes longer counts as failed.
const STEP_LIMIT: Duration = Duration::from_secs(60);
/// Memory is measured after this, when what the start needed is freed.
const SETTLED: Duration = Duration::from_secs(8);

struct Screen {
    server: Child,
    number: String,
}

impl Screen {
    fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-displayfd", "1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is installed: run `cargo xtask system --tests`");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Self { server, number: format!(":{}", number.trim()) }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A Jarvis with nothing loaded: a server answers, and the microphone is closed.
struct Jarvis {
    process: Child,
    home: tempfile::TempDir,
}

impl Jarvis {
    fn start(screen: &Screen, bus: &SessionBus, server: &OllamaServer, arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let settings = serde_json::json!({
            "llm": { "provider": "ollama", "base_url": server.url() },
            "listening": { "enabled": false },
            "speaking": { "enabled": false },
            // An empty folder of models: none is loaded.
            "models": { "folder": home.path().join("models") },
        });
        std::fs::write(home.path().join("settings.json"), settings.to_string()).unwrap();
        let process = Command::new(beside_us("jarvis").expect("jarvis is built beside the bench"))
            .args(arguments)
            .env("DISPLAY", &screen.number)
            .env("GDK_BACKEND", "x11")
            .env("DBUS_SESSION_BUS_ADDRESS", bus.address())
            .env("JARVIS_HOME", home.path())
            .env("HOME", home.path())
            .env_remove("JARVIS_MODELS")
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, home }
    }

    fn wait_for(&self, words: &str) {
        let deadline = Instant::now() + STEP_LIMIT;
        while !log_of(self.home.path()).contains(words) {
            assert!(Instant::now() < deadline, "{words:?} did not come: {}", log_of(self.home.path()));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Jarvis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn log_of(home: &Path) -> String {
    let files = std::fs::read_dir(home.join("logs")).into_iter().flatten().filter_map(Result::ok);
    files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect()
}

/// Measures on a display in memory, drawn by the processor alone.
pub fn measure(figures: &mut Figures) {
    let (screen, bus, server) = (Screen::start(), SessionBus::start().unwrap(), OllamaServer::start([]));
    let tray = TrayHost::start(bus.address()).unwrap();
    let starts: Vec<f64> = (0..STARTS)
        .map(|_| {
            let began = Instant::now();
            let jarvis = Jarvis::start(&screen, &bus, &server, &[]);
            jarvis.wait_for("the page is loaded");
            began.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    figures.note_spread("start -> window usable", &starts);

    let jarvis = Jarvis::start(&screen, &bus, &server, &[]);
    jarvis.wait_for("the page is loaded");
    std::thread::sleep(SETTLED);
    figures.note("memory with the window open, all processes, MB", proportional_mb(jarvis.process.id()));
    drop(jarvis);
    let jarvis = Jarvis::start(&screen, &bus, &server, &["--hidden"]);
    tray.icon().unwrap();
    std::thread::sleep(SETTLED);
    figures.note("resident with the window never opened MB", resident_mb(&jarvis.process.id().to_string()));
    tray.click("Conversation").unwrap();
    jarvis.wait_for("the page is loaded");
    std::thread::sleep(SETTLED);
    close_windows(&screen);
    std::thread::sleep(SETTLED);
    figures.note("resident with the window closed again MB", resident_mb(&jarvis.process.id().to_string()));
    figures.note("of it then not pages of files MB", private_mb(&jarvis.process.id().to_string()));
    figures
        .note("memory with the window closed again, all processes, MB", proportional_mb(jarvis.process.id()));
    note_front_end(figures);
}

/// The size of the pages.
pub fn note_front_end(figures: &mut Figures) {
    figures.note("front-end gzipped kB", front_end_kb());
}

/// Closes every window as the button in its title bar does.
fn close_windows(screen: &Screen) {
    use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt, EventMask};

    let (display, at) = x11rb::connect(Some(&screen.number)).unwrap();
    let root = x11rb::connection::Connection::setup(&display).roots[at].root;
    let atom = |name: &[u8]| display.intern_atom(false, name).unwrap().reply().unwrap().atom;
    let (protocols, delete) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
    for window in display.query_tree(root).unwrap().reply().unwrap().children {
        let message = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
        display.send_event(false, window, EventMask::NO_EVENT, message).unwrap().check().unwrap();
    }
}

/// Size of the pages, each file compressed as it is inside the program.
fn front_end_kb() -> f64 {
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("ui/dist")];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().filter_map(Result::ok) {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            std::io::copy(&mut std::fs::File::open(entry.path()).unwrap(), &mut packed).unwrap();
            bytes += packed.finish().unwrap().len();
        }
    }
    bytes as f64 / 1e3
}
