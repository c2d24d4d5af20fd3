//! The diary is written of what was said.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::CancellationToken;
use memory::Participant;
use reflection::{PassContext, ReflectionError};

use crate::support::{DAY, Home, Instead, MINUTE, NOW, Pass, message, occasion};

#[tokio::test]
async fn what_was_said_becomes_an_entry_and_facts() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.answer(NOW + 1, "Lovely.").await;
    let mut shown = String::new();

    let written = home
        .reflection
        .write_diary(&occasion(), &CancellationToken::new(), &mut |piece| shown.push_str(piece))
        .await
        .unwrap();

    assert_eq!(home.diary().await, [("2025-11-22".into(), "Said: I like tea.".into())]);
    assert_eq!(shown.trim(), "Said: I like tea.");
    assert_eq!((written.messages, home.pending().await), (2, 0));
    assert_eq!(home.of_user().await, ["The user likes tea."]);
    assert_eq!(written.learning.learned.len(), 1);
    assert!(written.unfinished.is_none() && written.learning.unfinished.is_none());
}

#[tokio::test]
async fn the_day_goes_on_in_the_same_entry_and_only_new_words_are_searched_for_facts() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    let first = home.write().await.unwrap();
    home.say(NOW + MINUTE, "I like cake").await;

    let second = home.write().await.unwrap();

    assert_eq!(first.entries, second.entries);
    assert_eq!(home.diary().await[0].1, "Said: I like tea. Said: I like cake.");
    assert!(!home.model.last(Pass::Facts).contains("tea"));
    assert_eq!(home.of_user().await, ["The user likes tea.", "The user likes cake."]);
}

#[tokio::test]
async fn what_is_said_while_the_model_writes_is_not_lost() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    let memory = home.memory.clone();
    home.model.instead(move |pass, _| {
        if pass == Pass::Diary {
            let late = message(NOW + 1, Participant::User, "I like cake");
            let memory = memory.clone();
            // The store has its own thread, so waiting here is safe.
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

    home.write().await.unwrap();

    assert_eq!(home.diary().await[0].1, "Said: I like tea.");
    assert_eq!(home.pending().await, 1);
    home.model.works();
    home.write().await.unwrap();
    assert_eq!(home.diary().await[0].1, "Said: I like tea. Said: I like cake.");
}

fn in_zone(zone: &str) -> PassContext {
    PassContext { zone: TimeZone::get(zone).unwrap(), ..occasion() }
}

fn micros(at: &str) -> i64 {
    at.parse::<Timestamp>().unwrap().as_microsecond()
}

#[tokio::test]
async fn a_day_begins_at_midnight_where_the_user_is() {
    let home = Home::new();
    // Kiritimati is 14 hours ahead of UTC.
    home.say(micros("2025-11-22T09:59:59Z"), "I like evenings").await;
    home.say(micros("2025-11-22T10:00:00Z"), "I like mornings").await;

    home.write_at(&in_zone("Pacific/Kiritimati")).await.unwrap();

    assert_eq!(
        home.diary().await,
        [
            ("2025-11-23".into(), "Said: I like mornings.".into()),
            ("2025-11-22".into(), "Said: I like evenings.".into()),
        ]
    );
    let mornings = home.facts(memory::Branch::User.node()).await.pop().unwrap();
    let evidence = home.memory.evidence(mornings.id).await.unwrap();
    assert_eq!(evidence[0].day.unwrap().to_string(), "2025-11-23");
}

#[tokio::test]
async fn a_night_in_which_the_clocks_change_divides_the_days_as_any_other() {
    let home = Home::new();
    // In Auckland, summer time ended at 3 on 6 April 2025: that day had 25 hours.
    for at in ["2025-04-05T10:59:59Z", "2025-04-05T11:00:00Z", "2025-04-06T11:59:59Z", "2025-04-06T12:00:00Z"]
    {
        home.say(micros(at), &format!("I like {at}")).await;
    }

    home.write_at(&in_zone("Pacific/Auckland")).await.unwrap();

    let days: Vec<(String, usize)> =
        home.diary().await.into_iter().map(|(day, text)| (day, text.matches("I like").count())).collect();
    assert_eq!(days, [("2025-04-07".into(), 1), ("2025-04-06".into(), 2), ("2025-04-05".into(), 1)]);
}

#[tokio::test]
async fn what_holds_nothing_is_passed_over_without_asking() {
    let home = Home::new();
    home.say(NOW, "[REDACTED_EMAIL]").await;
    home.say(NOW + 1, "...").await;

    let written = home.write().await.unwrap();

    assert_eq!((written.passed_over, home.pending().await), (2, 0));
    assert_eq!(home.model.asked(Pass::Diary) + home.model.asked(Pass::Facts), 0);
    assert!(home.diary().await.is_empty());
}

#[tokio::test]
async fn secrets_that_the_model_puts_together_are_redacted() {
    let home = Home::new();
    home.say(NOW, "my mail is ada at example dot org").await;
    home.model.instead(|pass, _| match pass {
        Pass::Diary => Some(Instead::Says("SUMMARY: Mail ada@example.org.\nTOPICS: mail, ada@example.org".into())),
        Pass::Facts => Some(Instead::Says(
            r#"[{"branch":"USER","fact":"The user's mail is ada@example.org.","quote":"my mail is ada at example"}]"#
                .into(),
        )),
        _ => None,
    });

    home.write().await.unwrap();

    assert_eq!(home.diary().await[0].1, "Mail [REDACTED_EMAIL].");
    assert_eq!(home.of_user().await, ["The user's mail is [REDACTED_EMAIL]."]);
    assert_eq!(home.memory.topics().await.unwrap()[0].0, "[redacted_email]");
}

#[tokio::test]
async fn an_unusable_answer_leaves_all_pending_and_is_not_asked_for_for_ever() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.model.instead(|_, _| Some(Instead::Says("banana".into())));

    for _ in 0..3 {
        assert!(matches!(home.write().await, Err(ReflectionError::Unusable)));
    }
    let fourth = home.write().await.unwrap();

    assert_eq!((fourth.given_up, home.pending().await), (1, 1));
    assert_eq!(home.model.asked(Pass::Diary), 3);
    home.model.works();
    home.say(NOW + 1, "I like cake").await;
    home.write().await.unwrap();
    assert_eq!(home.diary().await[0].1, "Said: I like tea; I like cake.");
}

#[tokio::test]
async fn one_day_that_fails_does_not_hold_up_the_others() {
    let home = Home::new();
    home.say(NOW - DAY, "I like bananas").await;
    home.say(NOW, "I like tea").await;
    home.model.instead(|pass, given| {
        (pass == Pass::Diary && given.contains("bananas")).then(|| Instead::Says("banana".into()))
    });

    let written = home.write().await.unwrap();

    assert_eq!(home.diary().await, [("2025-11-22".into(), "Said: I like tea.".into())]);
    assert!(matches!(written.unfinished, Some(ReflectionError::Unusable)));
    assert_eq!(home.pending().await, 1);
}

#[tokio::test]
async fn a_part_of_a_long_day_marks_only_what_is_in_it() {
    let home = Home::new();
    for i in 0..40 {
        home.say(NOW + i, &format!("I like {}", "words ".repeat(80))).await;
    }
    let mut answers = 0;
    home.model.instead(move |pass, _| {
        answers += i32::from(pass == Pass::Diary);
        (pass == Pass::Diary && answers > 1).then_some(Instead::Refuses)
    });

    let written = home.write_at(&PassContext { context_tokens: 6000, ..occasion() }).await.unwrap();

    assert!((1..40).contains(&written.messages), "{}", written.messages);
    assert_eq!(home.pending().await, 40 - written.messages);
    assert_eq!(written.unfinished.unwrap().code(), "model_failed");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_too_long_is_written_by_its_beginning_and_holds_up_no_other() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.answer(NOW + 1, &format!("It begins well. {}THE END", "word ".repeat(40_000))).await;
    home.say(NOW + 2, "I like cake").await;
    home.model.instead(|pass, given| {
        (pass == Pass::Diary && given.contains("word") && !given.contains("It begins well"))
            .then_some(Instead::Hangs)
    });

    let first = home.write().await.unwrap();
    assert_eq!(first.unfinished.unwrap().code(), "too_slow");
    home.write().await.unwrap();

    assert_eq!(home.pending().await, 0);

    let entry = &home.diary().await[0].1;
    assert!(entry.starts_with("Said: I like tea.") && entry.ends_with("Said: I like cake."), "{entry}");
    assert!(!home.model.last(Pass::Diary).contains("word"));
}

#[tokio::test]
async fn a_message_that_the_model_finds_no_words_for_is_passed_over_and_the_rest_is_written() {
    let home = Home::new();
    for (place, liked) in (0..).zip(["tea", "cake", "bananas", "pie", "jam"]) {
        home.say(NOW + place, &format!("I like {liked}")).await;
    }
    home.model.instead(|pass, given| {
        (pass == Pass::Diary && given.contains("bananas")).then(|| Instead::Says("banana".into()))
    });

    for _ in 0..6 {
        // What is not written this time is asked for again, in smaller portions.
        let _ = home.write().await;
    }
    let after = home.write().await.unwrap();

    let entry = &home.diary().await[0].1;
    for liked in ["tea", "cake", "pie", "jam"] {
        assert!(entry.contains(&format!("I like {liked}")), "{liked} is not in {entry}");
    }
    assert_eq!((after.given_up, after.entries.len(), home.pending().await), (1, 0, 1));
}

#[tokio::test]
async fn a_model_that_fails_at_everything_is_not_asked_for_ever() {
    let home = Home::new();
    for i in 0..50 {
        home.say(NOW + i, &format!("I like tea number {i}")).await;
    }
    home.model.instead(|_, _| Some(Instead::Says("banana".into())));

    for _ in 0..40 {
        // It fails each time.
        let _ = home.write().await;
    }

    assert_eq!((home.pending().await, home.diary().await.len()), (50, 0));
    assert!(home.model.asked(Pass::Diary) <= 12, "asked {} times", home.model.asked(Pass::Diary));
}

#[tokio::test]
async fn a_model_that_is_away_costs_nothing() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.model.instead(|_, _| Some(Instead::Refuses));

    for _ in 0..5 {
        assert_eq!(home.write().await.unwrap_err().code(), "model_failed");
    }
    home.model.works();
    home.write().await.unwrap();

    assert_eq!(home.diary().await.len(), 1);
}

#[tokio::test]
async fn stopping_in_the_middle_leaves_all_pending() {
    let home = Home::new();
    home.say(NOW, "I like tea").await;
    home.model.instead(|_, _| Some(Instead::Hangs));
    let stop = CancellationToken::new();
    let occasion = occasion();

    let mut ignore = |_: &str| {};
    let writing = home.reflection.write_diary(&occasion, &stop, &mut ignore);
    let (outcome, ()) = tokio::join!(writing, async {
        tokio::task::yield_now().await;
        stop.cancel();
    });

    assert_eq!(outcome.unwrap_err().code(), "stopped");
    assert_eq!((home.pending().await, home.diary().await.len()), (1, 0));
}
