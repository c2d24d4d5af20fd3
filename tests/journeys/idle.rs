//! Nothing to do: a started Jarvis with an open, silent microphone and an open memory costs next to nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{OllamaServer, SessionBus, TrayHost, VirtualSound, cpu_time};

use super::display::Display;
use super::support::{Home, Running, STEP_LIMIT, listening_jarvis, wait_until};

/// The most idle processor time, as a share of one core. The 50 frames a second are most of it. They cost 1.8 % in a release
/// build, and 3 to 4.6 % in an unoptimised one (both on two cores; the former beside other tests).
const MAX_IDLE_SHARE: f64 = if cfg!(debug_assertions) { 0.07 } else { 0.03 };

/// The time that Jarvis is watched.
const WATCHED: Duration = Duration::from_secs(10);

/// The start is over if nothing was logged for this long.
const QUIET: Duration = Duration::from_secs(5);

fn home(server: &OllamaServer) -> Home {
    Home::with(&json!({ "llm": { "provider": "ollama", "base_url": server.url() } }))
}

/// The sizes of all files under a folder.
fn sizes(folder: &Path) -> BTreeMap<String, u64> {
    let mut sizes = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => sizes.extend(self::sizes(&entry.path())),
            Ok(metadata) => {
                sizes.insert(entry.path().display().to_string(), metadata.len());
            }
            // The display keeps sockets and temporary files, which come and go.
            Err(_) => {}
        }
    }
    sizes
}

/// Waits until the start is over, watches, and compares. The log counts as a file: at level `trace` the storage logs each
/// job of its writer, so a write that changes nothing is seen as well.
fn assert_idle(home: &Home, process: u32) {
    // It loads in the background, and says nothing meanwhile.
    wait_until("the voice is ready", || home.log().contains("the voice is ready"));
    let (mut logged, mut since) = (home.log().len(), Instant::now());
    let deadline = Instant::now() + STEP_LIMIT;
    while since.elapsed() < QUIET {
        assert!(Instant::now() < deadline, "Jarvis does not come to rest");
        std::thread::sleep(Duration::from_millis(100));
        let now = home.log().len();
        if now != logged {
            (logged, since) = (now, Instant::now());
        }
    }
    assert!(home.log().contains("the writer did a job"), "the writer is not logged");
    let folders = ["data", "logs"].map(|folder| home.path().join(folder));
    let before = folders.each_ref().map(|folder| sizes(folder));
    let busy_before = cpu_time(process).unwrap();

    std::thread::sleep(WATCHED);

    let share = (cpu_time(process).unwrap() - busy_before).as_secs_f64() / WATCHED.as_secs_f64();
    assert_eq!(folders.each_ref().map(|folder| sizes(folder)), before);
    assert!(share <= MAX_IDLE_SHARE, "{:.1} % of a core while idle", share * 100.0);
}

#[test]
fn listening_terminal_is_idle_when_nothing_happens() {
    let server = OllamaServer::start([]);
    let sound = VirtualSound::start().unwrap();
    let home = home(&server);

    let jarvis = listening_jarvis(&home, &sound);

    assert_idle(&home, jarvis.id());
}

#[test]
fn hidden_window_is_idle_when_nothing_happens() {
    let server = OllamaServer::start([]);
    let sound = VirtualSound::start().unwrap();
    let home = home(&server);
    let bus = SessionBus::start().unwrap();
    let tray = TrayHost::start(bus.address()).unwrap();
    let display = Display::on(&home, bus, &[]);
    let mut command = display.command(&home, &["--hidden"]);
    command.envs(sound.env());

    let jarvis = Running::start(command);
    tray.icon().unwrap();
    wait_until("the models are warm", || home.log().contains("the models are warm"));

    assert_idle(&home, jarvis.id());
}
