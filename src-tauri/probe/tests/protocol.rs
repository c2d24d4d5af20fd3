//! The program as its callers have it: one answer a line, and a good end.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

#[test]
fn program_answers_each_line_at_once_and_ends_with_its_input() {
    let mut probe = Command::new(env!("CARGO_BIN_EXE_jarvis-probe"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut requests = probe.stdin.take().unwrap();
    let mut answers = BufReader::new(probe.stdout.take().unwrap());
    let mut ask = |request: &str| {
        writeln!(requests, "{request}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        answer
    };

    let redacted = ask(r#"{"suite":"redaction.redact","input":{"text":"mail a@b.org","max_len":80}}"#);
    let unknown = ask(r#"{"suite":"no.such","input":{}}"#);
    drop(requests);

    assert_eq!(redacted, "{\"output\":\"mail [REDACTED_EMAIL]\"}\n");
    assert_eq!(unknown, "{\"unsupported\":true}\n");
    assert!(probe.wait().unwrap().success());
}
