//! Clients that are slow, or gone.

use std::time::Duration;

use serde_json::json;
use testkit::Turn;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::served::Served;

const CHAT: &str = "/v1/chat/completions";
const SPEAK: &str = "/api/v0/media/tts/speak/stream";

/// Connects, sends this, and reads until the door closes the connection, while the clock runs ahead.
async fn answer_to(served: &Served, begin: &str) -> String {
    let mut connection = TcpStream::connect(served.address).await.unwrap();
    connection.write_all(begin.as_bytes()).await.unwrap();
    tokio::time::pause();
    let mut answer = String::new();
    let mut reading = std::pin::pin!(connection.read_to_string(&mut answer));
    for _ in 0..200 {
        tokio::select! {
            biased;
            // A connection that is reset has no more to say.
            _ = &mut reading => {
                tokio::time::resume();
                return answer;
            }
            () = tokio::time::advance(Duration::from_secs(1)) => {}
        }
    }
    panic!("the connection is still open");
}

#[tokio::test]
async fn head_that_never_ends_closes_the_connection() {
    let served = Served::new([]).await;
    let began = tokio::time::Instant::now();

    let answer = answer_to(&served, "POST /v1/chat/completions HTTP/1.1\r\nHost: local").await;

    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(began.elapsed() >= Duration::from_secs(30), "{:?}", began.elapsed());
}

#[tokio::test]
async fn body_that_never_ends_is_answered_and_the_door_stays_open() {
    let served = Served::new([]).await;
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {}\r\n\
         Connection: close\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{\"model\": ",
        served.key
    );

    let answer = answer_to(&served, &head).await;
    let after = served.get("/v1/models").send().await.unwrap().status().as_u16();

    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert_eq!(after, 200);
}

/// Bytes of an answer that has begun: more than its head.
const BEGUN: usize = 1024;

/// Connects, asks for a long answer, and takes none of it. Once it has begun, the clock runs ahead until the door breaks the
/// connection.
async fn ask_without_reading(served: &Served, path: &str, body: &str) -> Duration {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut connection = socket.connect(served.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        served.key,
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    // Before that, the limits of time of the reply itself would end it.
    let mut begin = [0; BEGUN];
    while connection.peek(&mut begin).await.unwrap() < BEGUN {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let patience = std::time::Instant::now() + Duration::from_secs(30);
    while connection.take_error().unwrap().is_none() {
        assert!(std::time::Instant::now() < patience, "the connection is still open");
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    tokio::time::resume();
    began.elapsed()
}

#[tokio::test]
async fn spoken_answer_that_is_not_read_ends_with_its_connection() {
    // More than two megabytes of samples: no buffer of the system takes them.
    let slow_speech = json!({ "speaking": { "speed": 0.5 } });
    let served = Served::with([], slow_speech, []).await;
    let text = "This is a long sentence. ".repeat(160);

    let stalled = ask_without_reading(&served, SPEAK, &json!({ "text": text }).to_string()).await;
    let said = served.voice.asked().len();

    assert!(stalled >= Duration::from_secs(30), "{stalled:?}");
    assert!(said < 160, "all {said} sentences were spoken");
}

#[tokio::test]
async fn written_answer_that_is_not_read_ends_with_its_reply() {
    let story: String = (0..4000).map(|number| format!("A fox met {number} hares in the wood. ")).collect();
    let served = Served::new([Turn::says(&story), Turn::says("Hello.")]).await;
    let body = |text: &str, stream: bool| {
        let messages = json!([{ "role": "user", "content": text }]);
        json!({ "model": "jarvis", "stream": stream, "messages": messages })
    };

    let stalled = ask_without_reading(&served, CHAT, &body("tell me a story", true).to_string()).await;
    let (status, answer) = served.ask(CHAT, body("how are you", false)).await;

    assert!(stalled >= Duration::from_secs(30), "{stalled:?}");
    assert_eq!(
        (status, answer["choices"][0]["message"]["content"].as_str()),
        (200, Some("Hello.")),
        "{answer}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_hang_up_in_a_stream_end_their_replies() {
    // More than ask the model at the same time: one that went on would let nobody else ask.
    const GONE: usize = 4;
    let hanging = (0..GONE).map(|_| Turn::hangs_after("It is a long story"));
    let served = Served::new(hanging.chain([Turn::says("Hello.")])).await;
    let body = |text: &str, stream: bool| {
        let messages = json!([{ "role": "user", "content": text }]);
        json!({ "model": "jarvis", "stream": stream, "messages": messages })
    };

    for _ in 0..GONE {
        let request = served.post(CHAT).json(&body("tell me a story about a fox", true));
        let mut stream = request.send().await.unwrap();
        while !String::from_utf8_lossy(&stream.chunk().await.unwrap().unwrap()).contains("It") {}
    }
    let (status, answer) = served.ask(CHAT, body("how are you", false)).await;

    let said = answer["choices"][0]["message"]["content"].as_str();
    assert_eq!((status, said), (200, Some("Hello.")), "{answer}");
}
