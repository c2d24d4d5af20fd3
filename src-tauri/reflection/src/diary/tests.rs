use llm::LlmError;
use rstest::rstest;
use testkit::{ScriptedModel, Turn};
use vocabulary::Private;

use super::*;

const ANSWER: &str = "SUMMARY: The user likes tea.\nTOPICS: tea, food, habits";

fn request(chunks: &[Chunk]) -> DiaryRequest<'_> {
    DiaryRequest {
        today: Date::constant(2025, 9, 15),
        so_far: None,
        chunks,
        context_tokens: 8192,
        limit: DIARY_LIMIT,
    }
}

async fn summarise_with(
    turns: impl IntoIterator<Item = Turn>,
    request: DiaryRequest<'_>,
) -> (Result<DiaryOutcome, ReflectionError>, ScriptedModel) {
    let model = ScriptedModel::new(turns);
    let outcome = summarise(&model, request, &CancellationToken::new(), &mut |_| {}).await;
    (outcome, model)
}

fn entry(summary: &str, topics: &str) -> DiaryEntry {
    DiaryEntry { summary: Private(summary.into()), topics: Private(topics.into()) }
}

#[tokio::test]
async fn dialogue_becomes_an_entry_and_is_shown_while_written() {
    let model = ScriptedModel::new([Turn::says(ANSWER)]);
    let mut shown = String::new();

    let outcome =
        summarise(&model, request(&[Chunk::user("I like tea")]), &CancellationToken::new(), &mut |text| {
            shown.push_str(text);
        })
        .await
        .unwrap();

    let DiaryOutcome::Whole(written) = outcome else { panic!("{outcome:?}") };
    assert_eq!(written, entry("The user likes tea.", "tea, food, habits"));
    assert_eq!(shown, "The user likes tea.\n");
    assert_eq!(model.asked()[0].temperature, Some(0.0));
}

#[tokio::test]
async fn long_dialogue_is_read_completely_in_several_steps() {
    let chunks: Vec<Chunk> =
        (0..40).map(|i| Chunk::user(format!("remark {i} {}", "word ".repeat(100)))).collect();
    let turns = (0..20).map(|i| Turn::says(&format!("SUMMARY: Step {i}.\nTOPICS: a")));

    let (outcome, model) =
        summarise_with(turns, DiaryRequest { context_tokens: 6000, ..request(&chunks) }).await;

    let asked: Vec<String> =
        model.asked().iter().map(|asked| asked.messages.last().unwrap().content.clone()).collect();
    assert!(asked.len() > 2);
    assert!(asked[1].contains("Step 0."));
    for remark in 0..40 {
        let mentions = asked.iter().filter(|asked| asked.contains(&format!("remark {remark} "))).count();
        assert_eq!(mentions, 1, "remark {remark}");
    }
    let last = format!("Step {}.", asked.len() - 1);
    assert!(matches!(outcome, Ok(DiaryOutcome::Whole(entry)) if *entry.summary == last));
}

#[tokio::test]
async fn failure_of_a_later_step_leaves_the_rest_pending() {
    let chunks: Vec<Chunk> = (0..40).map(|_| Chunk::user("word ".repeat(100))).collect();
    let turns = [Turn::says(ANSWER), Turn::Refuses(LlmError::Busy)];

    let (outcome, _) = summarise_with(turns, DiaryRequest { context_tokens: 6000, ..request(&chunks) }).await;

    let Ok(DiaryOutcome::Part { entry, chunks, error }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(&entry.summary[..], "The user likes tea.");
    assert!((1..40).contains(&chunks));
    assert!(matches!(error, Some(ReflectionError::Model(LlmError::Busy))));
}

#[rstest]
#[case::nonsense("banana")]
#[case::empty("")]
#[case::json("{\"SUMMARY\": null, \"TOPICS\": 3}")]
#[case::half_an_answer("SUMMARY: The user likes")]
#[case::the_prompt_itself(
    "SUMMARY: the whole entry, in as many lines as it takes\nTOPICS: three to five topics in one line, separated by commas"
)]
#[case::far_too_little("SUMMARY: Tea.\nTOPICS: tea")]
#[tokio::test]
async fn unusable_answer_writes_nothing(#[case] answer: &str) {
    let chunks = [Chunk::user("I like tea")];
    let so_far = "The user moved to Leeds. ".repeat(20);

    let request = DiaryRequest { so_far: Some(&so_far), ..request(&chunks) };
    let (outcome, _) = summarise_with([Turn::says(answer)], request).await;

    assert!(matches!(outcome, Ok(DiaryOutcome::Unusable)), "{outcome:?}");
}

#[tokio::test]
async fn empty_dialogue_does_not_ask_the_model() {
    let (outcome, model) = summarise_with([], request(&[])).await;

    assert!(matches!(outcome, Ok(DiaryOutcome::Nothing)));
    assert!(model.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn time_limit_covers_all_steps_together() {
    let chunks = [Chunk::user("I like tea")];
    let request = DiaryRequest { limit: DIARY_LIMIT_AT_SHUTDOWN, ..request(&chunks) };
    let begun = Instant::now();

    let (outcome, _) = summarise_with([Turn::hangs_after("SUMMARY: ")], request).await;

    assert!(matches!(outcome, Err(ReflectionError::TooSlow { .. })));
    assert_eq!(begun.elapsed(), DIARY_LIMIT_AT_SHUTDOWN);
}
