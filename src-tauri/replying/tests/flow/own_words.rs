//! Statements of users about themselves, questions about the dialogue and words to spell are answered without a model.

use rstest::rstest;
use testkit::Turn;

use crate::fixture::Given;

const SMALL: &str = "small-model-3b";

#[rstest]
#[case::birthday(
    "My birthday is on March 3rd",
    "When is my birthday?",
    "You told me: “My birthday is on March 3rd”"
)]
#[case::job("I work as a nurse.", "What's my job?", "You told me: “I work as a nurse.”")]
#[case::allergy("I'm allergic to nuts.", "Am I allergic to nuts?", "You told me: “I'm allergic to nuts.”")]
#[case::german(
    "Ich habe am 3. März Geburtstag.",
    "Wann habe ich Geburtstag?",
    "Du hast mir gesagt: „Ich habe am 3. März Geburtstag.“"
)]
#[case::spanish(
    "Soy alérgico a las nueces.",
    "¿A qué soy alérgico?",
    "Me dijiste: «Soy alérgico a las nueces.»"
)]
#[tokio::test]
async fn what_users_tell_of_themselves_is_a_fact_and_answers(
    #[case] told: &'static str,
    #[case] asked: &'static str,
    #[case] expected: &str,
) {
    let seen = Given::asked(told, []).of(SMALL).then(asked).reply().await;

    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 4"));
    assert_eq!(seen.facts, [format!("The user said: “{told}”")]);
}

#[tokio::test]
async fn two_statements_in_one_sentence_are_two_facts() {
    let seen = Given::asked("My name is Ben and my son is called Tom.", []).of(SMALL).reply().await;

    let expected = "Nice to meet you, Ben. I have noted your name. Thanks, I will keep that in mind.";
    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 2"));
    let mut facts = seen.facts;
    facts.sort();
    assert_eq!(facts, ["The user said: “my son is called Tom.”", "The user's name is Ben."]);
}

#[rstest]
#[case::english(
    "My name is Ben and my son is called Tom.",
    "What is my son called?",
    "You told me: “My son is called Tom.”"
)]
#[case::turkish_letter(
    "İsmim Can ve incirleri çok seviyorum.",
    "Neyi severim?",
    "Bana şunu söylediniz: “İncirleri çok seviyorum.”"
)]
#[tokio::test]
async fn second_half_of_a_sentence_is_quoted_with_a_capital(
    #[case] told: &'static str,
    #[case] asked: &'static str,
    #[case] expected: &str,
) {
    let seen = Given::asked(told, []).of(SMALL).then(asked).reply().await;

    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 4"));
}

#[rstest]
#[case::like("I love jazz.", "What do I like?", "You told me: “I love jazz.”")]
#[case::dislike("I don't like mushrooms.", "What don't I like?", "You told me: “I don't like mushrooms.”")]
#[case::german("Ich mag keine Pilze.", "Was mag ich nicht?", "Du hast mir gesagt: „Ich mag keine Pilze.“")]
#[tokio::test]
async fn likes_and_dislikes_are_kept(
    #[case] told: &'static str,
    #[case] asked: &'static str,
    #[case] expected: &str,
) {
    let seen = Given::asked(told, []).of(SMALL).then(asked).reply().await;

    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 4"));
    assert_eq!(seen.facts, [format!("The user said: “{told}”")]);
}

#[tokio::test]
async fn newer_taste_replaces_its_contrary() {
    let told = Given::asked("I don't like mushrooms.", []).of(SMALL).then("I hate rain.");

    let seen = told.then("I like mushrooms.").reply().await;

    let mut facts = seen.facts;
    facts.sort();
    assert_eq!(facts, ["The user said: “I hate rain.”", "The user said: “I like mushrooms.”"]);
}

#[tokio::test]
async fn withdrawn_taste_is_told_no_more() {
    let told = Given::asked("I like mushrooms.", []).of(SMALL).then("I like jazz.");

    let seen = told.then("I don't like mushrooms.").then("What do I like?").reply().await;

    assert_eq!(seen.line(), r#"asked nothing; spoke "You told me: “I like jazz.”"; kept 8"#);
}

/// A user who tells a small model of an appointment.
fn with_appointment() -> Given {
    Given::asked("I have a meeting at 3 tomorrow.", []).of(SMALL).built_in()
}

const NOTED_WITH_OFFER: &str = "Thanks, I will keep that in mind. Should I remind you of it?";

#[tokio::test]
async fn appointment_is_kept_with_its_day_and_a_reminder_is_offered() {
    let seen = with_appointment().reply().await;

    assert_eq!(seen.line(), format!("asked nothing; spoke {NOTED_WITH_OFFER:?}; kept 2"));
    assert_eq!(seen.facts, ["The user said on 2025-09-15: “I have a meeting at 3 tomorrow.”"]);
}

#[rstest]
#[case::agreed(
    "Yes please.",
    r#"ran setreminder succeeded; showed "I will remind you: meeting, Tuesday, 16 September 2025, 3:00 pm.""#
)]
#[case::other_time(
    "At half past two in the afternoon.",
    r#"ran setreminder succeeded; showed "I will remind you: meeting, Tuesday, 16 September 2025, 2:30 pm.""#
)]
#[case::refused("No, thanks.", r#"ran stop succeeded; showed "Very well.""#)]
#[case::refused_shortly("No.", r#"ran stop succeeded; showed "Very well.""#)]
#[tokio::test]
async fn offer_of_a_reminder_is_taken_or_refused(#[case] answer: &'static str, #[case] expected: &str) {
    let line = with_appointment().typed().then(answer).reply().await.line();

    assert_eq!(line, format!("asked nothing; {expected}; kept 4"));
}

#[tokio::test]
async fn no_reminder_is_offered_without_a_time_of_day() {
    let given = Given::asked("I have an exam on Friday.", []).of(SMALL).built_in();

    let seen = given.reply().await;

    assert_eq!(seen.line(), r#"asked nothing; spoke "Thanks, I will keep that in mind."; kept 2"#);
}

#[tokio::test]
async fn only_questions_and_requests_count_as_asked() {
    let turns = [Turn::says("How nice."), Turn::says("Paris.")];
    let given = Given::asked("We went to the zoo yesterday.", turns).of(SMALL);

    let seen = given.then("What is the capital of France?").then("What did I ask you first?").reply().await;

    assert!(
        seen.line().contains("The first thing you said: “What is the capital of France?”"),
        "{}",
        seen.line()
    );
}

#[tokio::test]
async fn nothing_was_asked_by_statements() {
    let given = Given::asked("We went to the zoo yesterday.", [Turn::says("How nice.")]).of(SMALL);

    let seen = given.then("What did I ask you first?").reply().await;

    assert!(seen.line().contains("You have asked nothing else in this conversation yet."), "{}", seen.line());
}

#[rstest]
#[case::known("Where am I?", "You are here, as far as I know: Leeds.")]
#[case::german("Wo bin ich?", "Soweit ich weiß, bist du hier: Leeds.")]
#[tokio::test]
async fn place_of_the_computer_is_told_by_rules(#[case] asked: &'static str, #[case] expected: &str) {
    let seen = Given::asked(asked, []).of(SMALL).reply().await;

    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 2"));
}

#[tokio::test]
async fn unknown_place_is_asked_for_in_the_settings() {
    let given = Given::asked("Where am I?", []).of(SMALL).set(|settings| settings.location.place.clear());

    let expected =
        "I don’t know where you are: no place is set. You can name one in the settings, under “Location”.";
    assert_eq!(given.reply().await.line(), format!("asked nothing; spoke {expected:?}; kept 2"));
}

#[tokio::test]
async fn second_allergy_stays_beside_the_first() {
    let told = Given::asked("I'm allergic to nuts.", []).of(SMALL).then("I'm allergic to cats.");

    let seen = told.then("What am I allergic to?").reply().await;

    let expected =
        r#"asked nothing; spoke "You told me: “I'm allergic to nuts. I'm allergic to cats.”"; kept 6"#;
    assert_eq!(seen.line(), expected);
}

#[tokio::test]
async fn second_diet_stays_beside_the_first() {
    let told = Given::asked("I'm a vegetarian.", []).of(SMALL).then("I don't eat eggs.");

    let seen = told.then("What do you know about me?").reply().await;

    let expected = "You told me: “I'm a vegetarian. I don't eat eggs.”";
    assert!(seen.line().contains(expected), "{}", seen.line());
}

#[tokio::test]
async fn answer_to_our_own_question_goes_to_the_model() {
    let turns = [Turn::says("Do you have any allergies?"), Turn::says("Then soup it is.")];
    let given = Given::asked("Suggest a dinner", turns).of(SMALL).then("I'm allergic to nuts.");

    assert!(given.reply().await.line().contains("Then soup it is."));
}

#[tokio::test]
async fn appointment_that_was_asked_for_goes_to_the_model() {
    let turns = [Turn::says("When is your meeting?"), Turn::says("Then soup it is.")];
    let given = Given::asked("Suggest a dinner", turns).of(SMALL).then("My meeting is on Friday at 10.");

    assert!(given.reply().await.line().contains("Then soup it is."));
}

#[tokio::test]
async fn small_talk_of_the_model_keeps_no_statement_from_being_noted() {
    let given = Given::asked("good day to you", [Turn::says("Good day. What is on your mind?")]).of(SMALL);

    let seen = given.then("My birthday is on March 3rd.").reply().await;

    assert_eq!(seen.line(), r#"asked nothing; spoke "Thanks, I will keep that in mind."; kept 4"#);
}

#[tokio::test(start_paused = true)]
async fn model_may_not_repeat_that_it_keeps_something_in_mind() {
    let turns = [Turn::says("Thanks, I will keep that in mind."), Turn::says("I am sorry.")];
    let given = Given::asked("My dog is called Rex.", turns).of(SMALL);

    let seen = given.then("My birthday was terrible.").reply().await;

    assert_eq!(seen.line(), r#"asked answer, answer; spoke "I am sorry."; kept 4"#);
}

#[rstest]
#[case::first("What did I ask you first?", "The first thing you said: “How do you spell cat?”")]
#[case::first_said("What was the first thing I said?", "The first thing you said: “My dog is called Rex.”")]
#[case::last("What did I just say?", "You said: “Spell dog.”")]
#[case::answer("Could you repeat that?", "“dog” is spelt D, O, G.")]
#[tokio::test]
async fn questions_about_the_dialogue_are_answered_from_it(
    #[case] asked: &'static str,
    #[case] expected: &str,
) {
    let given = Given::asked("My dog is called Rex.", []).of(SMALL).set(|it| it.replying.fast_path = true);

    let seen = given.then("How do you spell cat?").then("Spell dog.").then(asked).reply().await;

    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 8"));
}

#[tokio::test]
async fn what_is_known_of_the_user_is_told_in_their_words() {
    let told = Given::asked("My name is Ben.", []).of(SMALL).then("I'm allergic to nuts.");

    let seen = told.then("What do you know about me?").reply().await;

    let expected = "Your name is Ben. You told me: “I'm allergic to nuts.”";
    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 6"));
}

#[tokio::test]
async fn nothing_was_said_before_the_first_question() {
    let seen = Given::asked("What did I just say?", []).of(SMALL).reply().await;

    let expected = "You have said nothing else in this conversation yet.";
    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 2"));
}

#[tokio::test(start_paused = true)]
async fn large_model_answers_questions_about_the_dialogue_itself() {
    let given = Given::asked("What did I just say?", [Turn::says("Nothing yet.")]);

    assert_eq!(given.reply().await.line(), r#"asked answer; spoke "Nothing yet."; kept 2"#);
}

#[rstest]
#[case::who("Who are you?", "I am Jarvis, your assistant: a program on this computer, and no person.")]
#[case::called("Jarvis, how are you?", "Very well, thank you.")]
#[case::german("Guten Morgen, wie geht es dir heute?", "Sehr gut, danke.")]
#[tokio::test]
async fn questions_about_the_assistant_need_no_model(#[case] asked: &'static str, #[case] expected: &str) {
    let seen = Given::asked(asked, []).of(SMALL).reply().await;

    assert_eq!(seen.line(), format!("asked nothing; spoke {expected:?}; kept 2"));
}

#[tokio::test(start_paused = true)]
async fn persona_in_the_first_person_is_left_out() {
    let persona = "I'm Jarvis, a helpful voice assistant with the dry manner of a British butler.";
    let given = Given::asked("I am so bored", [Turn::says(&format!("{persona} Read a book."))]).of(SMALL);

    assert_eq!(given.reply().await.line(), r#"asked answer; spoke "Read a book."; kept 2"#);
}
