//! Whole journeys: the program as its user has it, with virtual microphone and speaker.
//!
//! Everything except the room is real: cpal, voice activity, whisper, HTTP, the voice. What the virtual speaker plays is
//! recognised again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod journeys {
    #[cfg(target_os = "linux")]
    pub mod display;
    pub mod support;

    mod bad_days;
    mod by_voice;
    mod command_line;
    mod echoing_room;
    mod embedded_model;
    #[cfg(all(target_os = "linux", feature = "encryption"))]
    mod encryption;
    mod everyday;
    #[cfg(target_os = "linux")]
    mod every_page;
    #[cfg(target_os = "linux")]
    mod idle;
    #[cfg(target_os = "linux")]
    mod in_the_window;
    mod memory_verbs;
    mod other_languages;
    mod other_programs;
    #[cfg(target_os = "linux")]
    mod permissions;
    mod plain_requests;
    mod python_clients;
    mod remembering;
    mod ringing;
    #[cfg(target_os = "linux")]
    mod screenshots;
    #[cfg(target_os = "linux")]
    mod sound_pages;
    #[cfg(target_os = "linux")]
    mod talk_key;
    #[cfg(target_os = "linux")]
    mod tray;
    #[cfg(target_os = "linux")]
    mod window_bad_days;
}
