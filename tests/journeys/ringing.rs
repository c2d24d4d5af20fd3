//! Timers that outlive the program.

use std::time::{SystemTime, UNIX_EPOCH};

use memory::{Appointment, AppointmentKind, AppointmentStatus, Memory, Repeats};
use testkit::OllamaServer;

use super::support::{Home, Running};

const SECOND: i64 = 1_000_000;

fn now_micros() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as i64
}

/// Works on the memory of a Jarvis that does not run.
fn with_memory<T>(home: &Home, work: impl AsyncFnOnce(&Memory) -> T) -> T {
    let memory = Memory::open(&home.path().join("data").join("jarvis.db")).unwrap().memory;
    let done = tokio::runtime::Runtime::new().unwrap().block_on(work(&memory));
    memory.store().close();
    done
}

fn timer(label: &str, due_at: i64) -> Appointment {
    Appointment {
        id: 0,
        kind: AppointmentKind::Timer,
        label: label.into(),
        due_at,
        first_at: None,
        repeats: Repeats::Once,
        zone: String::new(),
        status: AppointmentStatus::Waiting,
        paused_at: None,
        created_at: 0,
    }
}

#[test]
fn timers_ring_after_a_restart_and_one_word_ends_them() {
    let server = OllamaServer::start([]);
    let home = Home::without_listening(&server);
    with_memory(&home, async |memory| {
        let now = now_micros();
        memory.appoint(timer("egg", now - 3600 * SECOND), now).await.unwrap();
        memory.appoint(timer("tea", now + SECOND), now).await.unwrap();
    });

    let mut jarvis = Running::start(home.command(&[]));
    let missed = jarvis.wait_for("Your egg timer was done at");
    jarvis.wait_for("Your tea timer is done.");
    jarvis.types("stop");

    assert!(missed.contains("while I was off"), "{missed}");
    assert!(jarvis.ends_successfully());
    let left = with_memory(&home, async |memory| memory.appointments().await.unwrap());
    assert_eq!(left, []);
    assert!(super::support::questions(&server).is_empty(), "no model is asked to stop a timer");
}
