//! The speaker closes once nothing was heard for a while.

use super::*;

#[tokio::test]
async fn speaker_is_closed_after_some_time_without_speech() {
    let test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.queue.finish(REPLY).await;
    test.until_started(1).await;
    assert!(test.speaker.finish_sound());
    test.queue.until_silent().await;
    assert!(test.speaker.seen().is_open);

    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(21)).await;

    test.speaker.until(|seen| !seen.is_open).await;
}

#[tokio::test]
async fn speaker_stays_open_after_a_long_sentence_too() {
    let test = TestQueue::new();
    test.say(REPLY, "It rains.").await;
    test.queue.finish(REPLY).await;
    test.until_started(1).await;

    // From here on the time of the test goes by at once.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(25)).await;
    assert!(test.speaker.finish_sound());
    test.queue.until_silent().await;
    tokio::time::sleep(Duration::from_secs(15)).await;

    assert!(test.speaker.seen().is_open);
    test.speaker.until(|seen| !seen.is_open).await;
}
