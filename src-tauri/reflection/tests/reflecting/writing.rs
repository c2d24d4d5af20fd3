//! Messages are written into the diary.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::CancellationToken;
use memory::Participant;
use reflection::{PassContext, ReflectionError};

use crate::support::{DAY, Fixture, MINUTE, NOW, Override, Pass, context, message};

#[tokio::test]
async fn messages_become_an_entry_and_facts() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.answer(NOW + 1, "Lovely.").await;
    let mut shown = String::new();

    let written = fixture
        .reflection
        .write_diary(&context(), &CancellationToken::new(), &mut |piece| shown.push_str(piece))
        .await
        .unwrap();

    assert_eq!(fixture.diary().await, [("2025-11-22".into(), "Said: I like tea.".into())]);
    assert_eq!(shown.trim(), "Said: I like tea.");
    assert_eq!((written.messages, fixture.pending().await), (2, 0));
    assert_eq!(fixture.user_facts().await, ["The user likes tea."]);
    assert_eq!(written.learning.learned.len(), 1);
    assert!(written.error.is_none() && written.learning.error.is_none());
}

#[tokio::test]
async fn later_messages_continue_the_entry_and_only_they_are_searched() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    let first = fixture.write().await.unwrap();
    fixture.say(NOW + MINUTE, "I like cake").await;

    let second = fixture.write().await.unwrap();

    assert_eq!(first.entries, second.entries);
    assert_eq!(fixture.diary().await[0].1, "Said: I like tea. Said: I like cake.");
    assert!(!fixture.model.last(Pass::Facts).contains("tea"));
    assert_eq!(fixture.user_facts().await, ["The user likes tea.", "The user likes cake."]);
}

#[tokio::test]
async fn message_during_writing_waits_for_the_next_run() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    let memory = fixture.memory.clone();
    fixture.model.override_answers(move |pass, _| {
        if pass == Pass::Diary {
            let late = message(NOW + 1, Participant::User, "I like cake");
            let memory = memory.clone();
            // The database has its own thread, so waiting here is safe.
            let adding = async move { memory.add_messages(vec![late]).await };
            std::thread::spawn(move || {
                tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(adding)
            })
            .join()
            .unwrap()
            .unwrap();
        }
        None
    });

    fixture.write().await.unwrap();

    assert_eq!(fixture.diary().await[0].1, "Said: I like tea.");
    assert_eq!(fixture.pending().await, 1);
    fixture.model.answer_normally();
    fixture.write().await.unwrap();
    assert_eq!(fixture.diary().await[0].1, "Said: I like tea. Said: I like cake.");
}

fn in_zone(zone: &str) -> PassContext {
    PassContext { zone: TimeZone::get(zone).unwrap(), ..context() }
}

fn micros(at: &str) -> i64 {
    at.parse::<Timestamp>().unwrap().as_microsecond()
}

#[tokio::test]
async fn day_begins_at_midnight_in_the_users_time_zone() {
    let fixture = Fixture::new();
    // Kiritimati is 14 hours ahead of UTC.
    fixture.say(micros("2025-11-22T09:59:59Z"), "I like evenings").await;
    fixture.say(micros("2025-11-22T10:00:00Z"), "I like mornings").await;

    fixture.write_at(&in_zone("Pacific/Kiritimati")).await.unwrap();

    assert_eq!(
        fixture.diary().await,
        [
            ("2025-11-23".into(), "Said: I like mornings.".into()),
            ("2025-11-22".into(), "Said: I like evenings.".into()),
        ]
    );
    let mornings = fixture.facts(memory::Branch::User.node()).await.pop().unwrap();
    let evidence = fixture.memory.evidence(mornings.id).await.unwrap();
    assert_eq!(evidence[0].day.unwrap().to_string(), "2025-11-23");
}

#[tokio::test]
async fn days_are_separated_at_midnight_when_the_clocks_change() {
    let fixture = Fixture::new();
    // In Auckland, summer time ended at 3 on 6 April 2025: that day had 25 hours.
    for at in ["2025-04-05T10:59:59Z", "2025-04-05T11:00:00Z", "2025-04-06T11:59:59Z", "2025-04-06T12:00:00Z"]
    {
        fixture.say(micros(at), &format!("I like {at}")).await;
    }

    fixture.write_at(&in_zone("Pacific/Auckland")).await.unwrap();

    let days: Vec<(String, usize)> =
        fixture.diary().await.into_iter().map(|(day, text)| (day, text.matches("I like").count())).collect();
    assert_eq!(days, [("2025-04-07".into(), 1), ("2025-04-06".into(), 2), ("2025-04-05".into(), 1)]);
}

#[tokio::test]
async fn messages_without_content_do_not_ask_the_model() {
    let fixture = Fixture::new();
    fixture.say(NOW, "[REDACTED_EMAIL]").await;
    fixture.say(NOW + 1, "...").await;

    let written = fixture.write().await.unwrap();

    assert_eq!((written.without_content, fixture.pending().await), (2, 0));
    assert_eq!(fixture.model.asked(Pass::Diary) + fixture.model.asked(Pass::Facts), 0);
    assert!(fixture.diary().await.is_empty());
}

#[tokio::test]
async fn secrets_assembled_by_the_model_are_redacted() {
    let fixture = Fixture::new();
    fixture.say(NOW, "my mail is ada at example dot org").await;
    fixture.model.override_answers(|pass, _| match pass {
        Pass::Diary => Some(Override::Says("SUMMARY: Mail ada@example.org.\nTOPICS: mail, ada@example.org".into())),
        Pass::Facts => Some(Override::Says(
            r#"[{"branch":"USER","fact":"The user's mail is ada@example.org.","quote":"my mail is ada at example"}]"#
                .into(),
        )),
        _ => None,
    });

    fixture.write().await.unwrap();

    assert_eq!(fixture.diary().await[0].1, "Mail [REDACTED_EMAIL].");
    assert_eq!(fixture.user_facts().await, ["The user's mail is [REDACTED_EMAIL]."]);
    assert_eq!(fixture.memory.topics().await.unwrap()[0].0, "[redacted_email]");
}

#[tokio::test]
async fn unusable_answers_leave_messages_pending_and_retries_end() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.model.override_answers(|_, _| Some(Override::Says("banana".into())));

    for _ in 0..3 {
        assert!(matches!(fixture.write().await, Err(ReflectionError::Unusable)));
    }
    let fourth = fixture.write().await.unwrap();

    assert_eq!((fourth.skipped, fixture.pending().await), (1, 1));
    assert_eq!(fixture.model.asked(Pass::Diary), 3);
    fixture.model.answer_normally();
    fixture.say(NOW + 1, "I like cake").await;
    fixture.write().await.unwrap();
    assert_eq!(fixture.diary().await[0].1, "Said: I like tea; I like cake.");
}

#[tokio::test]
async fn failure_at_one_day_does_not_block_other_days() {
    let fixture = Fixture::new();
    fixture.say(NOW - DAY, "I like bananas").await;
    fixture.say(NOW, "I like tea").await;
    fixture.model.override_answers(|pass, given| {
        (pass == Pass::Diary && given.contains("bananas")).then(|| Override::Says("banana".into()))
    });

    let written = fixture.write().await.unwrap();

    assert_eq!(fixture.diary().await, [("2025-11-22".into(), "Said: I like tea.".into())]);
    assert!(matches!(written.error, Some(ReflectionError::Unusable)));
    assert_eq!(fixture.pending().await, 1);
}

#[tokio::test]
async fn partial_entry_marks_only_its_own_messages_as_written() {
    let fixture = Fixture::new();
    for i in 0..40 {
        fixture.say(NOW + i, &format!("I like {}", "words ".repeat(80))).await;
    }
    let mut answers = 0;
    fixture.model.override_answers(move |pass, _| {
        answers += i32::from(pass == Pass::Diary);
        (pass == Pass::Diary && answers > 1).then_some(Override::Refuses)
    });

    let written = fixture.write_at(&PassContext { context_tokens: 6000, ..context() }).await.unwrap();

    assert!((1..40).contains(&written.messages), "{}", written.messages);
    assert_eq!(fixture.pending().await, 40 - written.messages);
    assert_eq!(written.error.unwrap().code(), "model_failed");
}

#[tokio::test(start_paused = true)]
async fn too_long_message_is_cut_and_does_not_block_others() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.answer(NOW + 1, &format!("It begins well. {}THE END", "word ".repeat(40_000))).await;
    fixture.say(NOW + 2, "I like cake").await;
    fixture.model.override_answers(|pass, given| {
        (pass == Pass::Diary && given.contains("word") && !given.contains("It begins well"))
            .then_some(Override::Hangs)
    });

    let first = fixture.write().await.unwrap();
    assert_eq!(first.error.unwrap().code(), "too_slow");
    fixture.write().await.unwrap();

    assert_eq!(fixture.pending().await, 0);

    let entry = &fixture.diary().await[0].1;
    assert!(entry.starts_with("Said: I like tea.") && entry.ends_with("Said: I like cake."), "{entry}");
    assert!(!fixture.model.last(Pass::Diary).contains("word"));
}

#[tokio::test]
async fn message_at_which_the_model_fails_is_skipped() {
    let fixture = Fixture::new();
    for (place, liked) in (0..).zip(["tea", "cake", "bananas", "pie", "jam"]) {
        fixture.say(NOW + place, &format!("I like {liked}")).await;
    }
    fixture.model.override_answers(|pass, given| {
        (pass == Pass::Diary && given.contains("bananas")).then(|| Override::Says("banana".into()))
    });

    for _ in 0..6 {
        // Each run tries the unwritten messages again, in smaller batches.
        let _ = fixture.write().await;
    }
    let after = fixture.write().await.unwrap();

    let entry = &fixture.diary().await[0].1;
    for liked in ["tea", "cake", "pie", "jam"] {
        assert!(entry.contains(&format!("I like {liked}")), "{liked} is not in {entry}");
    }
    assert_eq!((after.skipped, after.entries.len(), fixture.pending().await), (1, 0, 1));
}

#[tokio::test]
async fn model_that_always_fails_is_asked_only_a_few_times() {
    let fixture = Fixture::new();
    for i in 0..50 {
        fixture.say(NOW + i, &format!("I like tea number {i}")).await;
    }
    fixture.model.override_answers(|_, _| Some(Override::Says("banana".into())));

    for _ in 0..40 {
        // It fails each time.
        let _ = fixture.write().await;
    }

    assert_eq!((fixture.pending().await, fixture.diary().await.len()), (50, 0));
    assert!(fixture.model.asked(Pass::Diary) <= 12, "asked {} times", fixture.model.asked(Pass::Diary));
}

#[tokio::test]
async fn unavailable_model_does_not_count_as_a_failed_attempt() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.model.override_answers(|_, _| Some(Override::Refuses));

    for _ in 0..5 {
        assert_eq!(fixture.write().await.unwrap_err().code(), "model_failed");
    }
    fixture.model.answer_normally();
    fixture.write().await.unwrap();

    assert_eq!(fixture.diary().await.len(), 1);
}

#[tokio::test]
async fn stopping_during_writing_leaves_all_messages_pending() {
    let fixture = Fixture::new();
    fixture.say(NOW, "I like tea").await;
    fixture.model.override_answers(|_, _| Some(Override::Hangs));
    let stop = CancellationToken::new();
    let context = context();

    let mut ignore = |_: &str| {};
    let writing = fixture.reflection.write_diary(&context, &stop, &mut ignore);
    let (outcome, ()) = tokio::join!(writing, async {
        tokio::task::yield_now().await;
        stop.cancel();
    });

    assert_eq!(outcome.unwrap_err().code(), "stopped");
    assert_eq!((fixture.pending().await, fixture.diary().await.len()), (1, 0));
}
