mod moved_alarms;
mod refusals;
mod reminders;
mod timers;

use std::sync::Arc;

use jiff::tz::TimeZone;
use memory::{Memory, OpenedMemory};
use rstest::rstest;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vocabulary::{ConversationId, Language, Origin, Private};

use super::{Parts, all};
use crate::files::{FileParts, SystemTrash};
use crate::{Tool, ToolContext, ToolResult};

/// All tools with an open memory in a temporary folder, on a Monday afternoon.
struct Fixture {
    tools: Vec<Arc<dyn Tool>>,
    memory: Memory,
    context: ToolContext,
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new(language: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let OpenedMemory { memory, .. } = Memory::open(folder.path().join("memory.db").as_path()).unwrap();
        let (_, receiver) = watch::channel(Some(memory.clone()));
        let context = ToolContext {
            query: Private(String::new()),
            language: Language::new(language),
            conversation: ConversationId::main(),
            origin: Origin::Typed,
            now: "2026-11-23T15:05:00Z".parse().unwrap(),
            zone: TimeZone::get("Europe/London").unwrap(),
            stop: CancellationToken::new(),
            inquiries: crate::Inquiries::default(),
        };
        let documents = Some(folder.path().join("documents"));
        let files = FileParts {
            home: folder.path().join("home"),
            private: Vec::new(),
            journal: folder.path().join("journal"),
            trash: Arc::new(SystemTrash),
        };
        let parts = Parts { documents, files: Some(files), ..Parts::from_memory(receiver) };
        Self { tools: all(parts), memory, context, folder }
    }

    async fn call(&self, name: &str, arguments: Value) -> ToolResult {
        let tool = self.tools.iter().find(|tool| tool.declaration().name == name).unwrap();
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        tool.run(arguments, &self.context).await
    }

    /// The answer for the user, or the failure's text.
    async fn told(&self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments).await;
        let (answer, text) = (result.answer, result.text);
        if result.success { answer.or(text) } else { text.map(|text| Private(format!("failed: {}", text.0))) }
            .unwrap()
            .0
    }

    fn now_micros(&self) -> i64 {
        self.context.now.as_microsecond()
    }

    fn later(mut self, seconds: i64) -> Self {
        self.context.now += jiff::SignedDuration::from_secs(seconds);
        self
    }
}

#[rstest]
#[case::english("en", "It is 3:05 pm. / It is 12:05 am on Tuesday in Tokyo. / Monday, 4 January 2027.")]
#[case::german("de", "Es ist 15:05. / In Tokyo ist es Dienstag, 0:05. / Montag, 4. Januar 2027.")]
#[case::french("fr", "Il est 15:05. / À Tokyo, nous sommes mardi et il est 0:05. / Lundi 4 janvier 2027.")]
#[case::spanish("es", "La hora es: 15:05. / En Tokyo es martes, 0:05. / Lunes, 4 de enero de 2027.")]
#[case::italian("it", "L’ora è: 15:05. / A Tokyo è martedì, ore 0:05. / Lunedì 4 gennaio 2027.")]
#[case::dutch("nl", "Het is 15:05. / In Tokyo is het dinsdag, 0:05. / Maandag 4 januari 2027.")]
#[case::portuguese(
    "pt",
    "A hora certa: 15:05. / Em Tokyo: terça-feira, 0:05. / Segunda-feira, 4 de janeiro de 2027."
)]
#[case::turkish("tr", "Saat 15:05. / Tokyo: Salı, saat 0:05. / 4 Ocak 2027 Pazartesi.")]
#[tokio::test]
async fn time_and_date_are_answered_in_the_users_language(#[case] language: &str, #[case] expected: &str) {
    let fixture = Fixture::new(language);

    let answers = [
        fixture.told("getTime", json!({})).await,
        fixture.told("getTime", json!({"place": "Tokyo"})).await,
        fixture.told("getDate", json!({"date": "in six weeks"})).await,
    ];

    assert_eq!(answers.join(" / "), expected);
}

#[rstest]
#[case::today(json!({}), "Monday, 23 November 2026.")]
#[case::named_today(json!({"date": "today"}), "That is today, Monday, 23 November 2026.")]
#[case::christmas(json!({"date": "Christmas"}), "Friday, 25 December 2026.")]
#[case::easter(json!({"date": "Easter"}), "Sunday, 28 March 2027.")]
#[case::days_until_easter(json!({"date": "Easter", "count_days": true}), "125 days until Sunday, 28 March 2027.")]
#[case::days_until(json!({"date": "Christmas", "count_days": true}), "32 days until Friday, 25 December 2026.")]
#[case::one_day(json!({"date": "tomorrow", "count_days": true}), "Tuesday, 24 November 2026 is tomorrow.")]
#[case::days_since(json!({"date": "2026-11-01", "count_days": true}), "Sunday, 1 November 2026 was 22 days ago.")]
#[case::yesterday(json!({"date": "yesterday"}), "Sunday, 22 November 2026.")]
#[case::span(json!({"date": "next week"}), "From Monday, 30 November 2026 to Sunday, 6 December 2026.")]
#[case::week(json!({"week_number": true}), "It is week 48.")]
#[case::week_of_a_feast(json!({"date": "Christmas", "week_number": true}), "Friday, 25 December 2026 is in week 52.")]
#[case::week_of_the_year_before(json!({"date": "2027-01-03", "week_number": true}), "Sunday, 3 January 2027 is in week 53.")]
#[case::elsewhere(json!({"place": "Auckland"}), "Tuesday, 24 November 2026.")]
#[case::no_day(json!({"date": "the Titanic"}), "failed: \"the Titanic\" names no day. Write it as YYYY-MM-DD, or in plain words.")]
#[tokio::test]
async fn day_of_an_expression_is_told(#[case] arguments: Value, #[case] expected: &str) {
    assert_eq!(Fixture::new("en").told("getDate", arguments).await, expected);
}

#[rstest]
#[case::german("de", "Wir haben Kalenderwoche 48. / Freitag, 25. Dezember 2026 liegt in Kalenderwoche 52.")]
#[case::french("fr", "Nous sommes en semaine 48. / Vendredi 25 décembre 2026 : semaine 52.")]
#[case::turkish("tr", "Yılın 48. haftasındayız. / 25 Aralık 2026 Cuma: yılın 52. haftası.")]
#[tokio::test]
async fn week_is_told_in_the_users_language(#[case] language: &str, #[case] expected: &str) {
    let fixture = Fixture::new(language);

    let now = fixture.told("getDate", json!({"week_number": true})).await;
    let of_day = fixture.told("getDate", json!({"date": "2026-12-25", "week_number": true})).await;

    assert_eq!(format!("{now} / {of_day}"), expected);
}

#[rstest]
#[case::country("getTime", json!({"place": "Japan"}), "It is 12:05 am on Tuesday in Japan.")]
#[case::country_with_many_zones("getTime", json!({"place": "Australia"}), "failed: Australia has 8 time zones. Ask for a town there.")]
#[case::place_of_the_user("getTime", json!({"place": "Leeds, Leeds, United Kingdom"}), "It is 3:05 pm in Leeds, Leeds, United Kingdom.")]
#[case::unknown_town("getTime", json!({"place": "Xyzzyville"}), "failed: There is no town or country called Xyzzyville in the list. Ask for a larger town nearby.")]
#[case::product("calculate", json!({"expression": "17 * 23"}), "17 × 23 is 391.")]
#[case::rounded("calculate", json!({"expression": "10 / 3"}), "10 ÷ 3 is about 3.3333333333.")]
#[case::division_by_zero("calculate", json!({"expression": "1/0"}), "failed: No result: nothing can be divided by zero.")]
#[case::length("convertUnits", json!({"amount": 5, "from": "mile", "to": "kilometre"}), "5 miles is 8.04672 kilometres.")]
#[case::temperature("convertUnits", json!({"amount": 100, "from": "°F", "to": "celsius"}), "100 degrees Fahrenheit is about 37.78 degrees Celsius.")]
#[case::speed("convertUnits", json!({"amount": 100, "from": "kilometre_per_hour", "to": "mph"}), "100 kilometres per hour is about 62.14 miles per hour.")]
#[case::data("convertUnits", json!({"amount": 2, "from": "gigabytes", "to": "megabyte"}), "2 gigabytes is 2000 megabytes.")]
#[case::ingredient("convertUnits", json!({"amount": 2, "from": "cup", "to": "gram", "ingredient": "flour"}), "2 cups of flour = about 250.78 grams")]
#[case::different_kinds("convertUnits", json!({"amount": 2, "from": "hour", "to": "gram"}), "failed: hour measures time and gram measures mass: they cannot be converted.")]
#[case::unknown_unit("convertUnits", json!({"from": "parsnip", "to": "gram"}), "failed: The unit \"parsnip\" is unknown. Write it out, such as kilometre.")]
#[case::too_cold("convertUnits", json!({"amount": -300, "from": "celsius", "to": "kelvin"}), "failed: Nothing is colder than absolute zero, -273.15 degrees Celsius.")]
#[case::certain_pick("pickAtRandom", json!({"from": 4, "to": 4}), "It is 4.")]
#[case::nothing_to_pick("pickAtRandom", json!({}), "failed: There is nothing to pick from: give options, or the highest number as to.")]
#[case::timer_of_zero("setTimer", json!({}), "failed: A timer runs for one second to 24 hours. Ask for how long, or set an alarm for a time of day.")]
#[case::timer_of_days("setTimer", json!({"hours": 25}), "failed: A timer runs for one second to 24 hours. Ask for how long, or set an alarm for a time of day.")]
#[case::nothing_to_cancel("cancelTimer", json!({}), "failed: No timer is running.")]
#[tokio::test]
async fn one_call_is_answered(#[case] tool: &str, #[case] arguments: Value, #[case] expected: &str) {
    assert_eq!(Fixture::new("en").told(tool, arguments).await, expected);
}

#[rstest]
#[case::english("en", "15% of 80", "15% of 80 is 12.")]
#[case::german("de", "15% of 80", "15 Prozent von 80 sind 12.")]
#[case::spanish("es", "2.5% of 80", "2,5 por ciento de 80 son 2.")]
#[case::french("fr", "15% of 80", "15 pour cent de 80 font 12.")]
#[case::italian("it", "15% of 80", "15 per cento di 80 sono 12.")]
#[case::dutch("nl", "15% of 80", "15 procent van 80 is 12.")]
#[case::portuguese("pt", "15% of 80", "15 por cento de 80 são 12.")]
#[case::swedish("sv", "15% of 80", "15 procent av 80 är 12.")]
#[case::turkish("tr", "15% of 80", "80 için yüzde 15, 12 eder.")]
#[case::english_root("en", "sqrt(144)", "The square root of 144 is 12.")]
#[case::german_root("de", "sqrt(2)", "Die Wurzel aus 2 ist etwa 1,4142135624.")]
#[case::french_root("fr", "sqrt(144)", "La racine carrée de 144 est 12.")]
#[case::turkish_root("tr", "sqrt(144)", "144 sayısının karekökü 12.")]
#[case::share_in_a_sum("de", "(15% of 80) + 1", "(15% × 80) + 1 sind 13.")]
#[case::root_in_a_sum("de", "sqrt(144) + 1", "√(144) + 1 sind 13.")]
#[tokio::test]
async fn calculation_is_told_in_words_of_the_language(
    #[case] language: &'static str,
    #[case] expression: &str,
    #[case] expected: &str,
) {
    let told = Fixture::new(language).told("calculate", json!({ "expression": expression })).await;

    assert_eq!(told, expected);
}

#[rstest]
#[case::its_name("Mehl", "2 cups of flour = about 250.78 grams")]
#[case::a_kind_of_it("Weizenmehl", "2 cups of flour = about 250.78 grams")]
#[case::english("flour", "2 cups of flour = about 250.78 grams")]
#[case::unknown(
    "Zement",
    "failed: The weight of Zement is not known here, only of water, milk, flour, sugar, butter, rice, oil, honey, salt, oats."
)]
#[tokio::test]
async fn ingredient_is_known_by_its_german_name(#[case] ingredient: &str, #[case] expected: &str) {
    let arguments = json!({"amount": 2, "from": "cup", "to": "gram", "ingredient": ingredient});

    assert_eq!(Fixture::new("de").told("convertUnits", arguments).await, expected);
}

#[tokio::test]
async fn several_timers_run_side_by_side() {
    let fixture = Fixture::new("en");
    let set = fixture.told("setTimer", json!({"minutes": 4, "label": "tea"})).await;
    fixture.told("setTimer", json!({"hours": 1, "minutes": 30})).await;

    let fixture = fixture.later(60);
    let told = [
        set,
        fixture.told("listTimers", json!({})).await,
        fixture.told("listTimers", json!({"label": "tea"})).await,
        fixture.told("cancelTimer", json!({})).await,
        fixture.told("cancelTimer", json!({"label": "Tea"})).await,
        fixture.told("cancelTimer", json!({})).await,
        fixture.told("listTimers", json!({})).await,
    ];

    insta::assert_snapshot!(told.join("\n"), @r#"
    The timer “tea” is running: 4 minutes.
    3 minutes left on the timer “tea”. 1 hour and 29 minutes left on the timer.
    3 minutes left on the timer “tea”.
    failed: Several timers are running: tea, 1 hour and 29 minutes. Ask which one, or say all.
    The timer “tea” is cancelled.
    The timer is cancelled.
    No timer is running.
    "#);
}

#[tokio::test]
async fn the_33rd_timer_is_refused() {
    let fixture = Fixture::new("en");
    for _ in 0..32 {
        assert!(fixture.call("setTimer", json!({"minutes": 1})).await.success);
    }

    let told = fixture.told("setTimer", json!({"minutes": 1})).await;

    assert_eq!(told, "failed: There are 32 of them already, and 32 is the most. Cancel one first.");
}

#[tokio::test]
async fn alarms_and_reminders_are_set_listed_and_cancelled() {
    let fixture = Fixture::new("en");
    let mut told = Vec::new();
    for (tool, arguments) in [
        ("cancelReminder", json!({})),
        ("setAlarm", json!({"time": "06:30"})),
        ("setAlarm", json!({"time": "16:00", "date": "tomorrow"})),
        ("setReminder", json!({"time": "17:00", "label": "call Ann"})),
        ("setReminder", json!({"time": "17:00"})),
        ("setAlarm", json!({"time": "25:00"})),
        ("setAlarm", json!({"time": "12:00", "date": "yesterday"})),
        ("cancelReminder", json!({})),
        ("cancelReminder", json!({"label": "ann"})),
        ("listReminders", json!({})),
        // It is Monday noon.
        ("setReminder", json!({"time": "09:00", "date": "Monday", "repeats": "weekly", "label": "plants"})),
    ] {
        told.push(fixture.told(tool, arguments).await);
    }

    insta::assert_snapshot!(told.join("\n"), @r#"
    failed: There are no alarms or reminders.
    The alarm is set: Tuesday, 24 November 2026, 6:30 am.
    The alarm is set: Tuesday, 24 November 2026, 4:00 pm.
    I will remind you: call Ann, Monday, 23 November 2026, 5:00 pm.
    failed: A reminder needs words. Ask what to remind the user of.
    failed: "25:00" is no time of day. Write it as HH:MM.
    failed: That time is over. Ask for a time to come.
    failed: Several fit: Call Ann: Monday, 23 November 2026, 5:00 pm; Tuesday, 24 November 2026, 6:30 am; Tuesday, 24 November 2026, 4:00 pm. Ask which one.
    “Call Ann: Monday, 23 November 2026, 5:00 pm” is cancelled.
    Tuesday, 24 November 2026, 6:30 am; Tuesday, 24 November 2026, 4:00 pm.
    I will remind you: plants, Monday, 30 November 2026, 9:00 am, every week.
    "#);
}

#[rstest]
#[case::singular("en", "egg", "eggs", "“egg” is done.")]
#[case::plural("de", "Tomaten", "Tomate", "„Tomaten“ ist erledigt.")]
#[case::object("tr", "süt", "sütü", "“süt” tamamlandı.")]
#[case::object_of_a_longer_word("tr", "yumurta", "yumurtayı", "“yumurta” tamamlandı.")]
#[tokio::test]
async fn todo_is_finished_by_another_form_of_its_word(
    #[case] language: &'static str,
    #[case] added: &str,
    #[case] said: &str,
    #[case] expected: &str,
) {
    let fixture = Fixture::new(language);
    fixture.told("addTodo", json!({ "text": added })).await;
    fixture.told("addTodo", json!({ "text": "pasta" })).await;

    assert_eq!(fixture.told("finishTodo", json!({ "text": said })).await, expected);
}

#[tokio::test]
async fn todos_are_added_listed_and_finished() {
    let fixture = Fixture::new("en");
    let mut told = Vec::new();
    for (tool, arguments) in [
        ("listTodos", json!({})),
        ("addTodo", json!({"text": "milk", "list": "shopping"})),
        ("addTodo", json!({"text": "call the bank"})),
        ("addTodo", json!({})),
        ("listTodos", json!({})),
        ("listTodos", json!({"list": "garden"})),
        ("finishTodo", json!({"text": "bread"})),
        ("finishTodo", json!({"text": "Milk"})),
        ("listTodos", json!({})),
    ] {
        told.push(fixture.told(tool, arguments).await);
    }

    insta::assert_snapshot!(told.join("\n"), @r#"
    Nothing is left to do.
    “milk” is on your shopping list.
    “call the bank” is on your to-do list.
    failed: Ask the user what it is about.
    Still to do: milk and call the bank.
    failed: Nothing is open on a list called "garden". Lists with something open: shopping, to-do.
    failed: 0 to-dos fit. Open: milk; call the bank. Ask which one.
    “milk” is done.
    Still to do: call the bank.
    "#);
}

#[tokio::test]
async fn whole_list_is_finished_and_the_others_stay() {
    let fixture = Fixture::new("en");
    fixture.call("addTodo", json!({"text": "milk", "list": "shopping"})).await;
    fixture.call("addTodo", json!({"text": "eggs", "list": "shopping"})).await;
    fixture.call("addTodo", json!({"text": "call the bank"})).await;
    let everything = json!({"list": "shopping", "all": true});

    // "All the milk" is one thing.
    assert_eq!(fixture.told("finishTodo", json!({"text": "milk", "all": true})).await, "“milk” is done.");
    fixture.call("addTodo", json!({"text": "bread", "list": "shopping"})).await;
    assert_eq!(fixture.told("finishTodo", json!({"all": true})).await, "“call the bank” is done.");
    assert_eq!(fixture.told("listTodos", json!({})).await, "Still to do: eggs and bread.");
    assert_eq!(fixture.told("finishTodo", everything.clone()).await, "Done: eggs and bread.");
    assert_eq!(
        fixture.told("finishTodo", everything).await,
        "failed: Nothing is open on a list called \"shopping\". Lists with something open: none."
    );
}

#[tokio::test]
async fn thing_is_looked_for_on_its_list_alone() {
    let fixture = Fixture::new("en");
    fixture.call("addTodo", json!({"text": "oat milk", "list": "shopping"})).await;
    fixture.call("addTodo", json!({"text": "shampoo", "list": "shopping"})).await;
    fixture.call("addTodo", json!({"text": "call the bank"})).await;
    let mut told = Vec::new();
    for arguments in [
        json!({"text": "milk", "list": "shopping"}),
        json!({"text": "ham", "list": "shopping"}),
        json!({"text": "bank", "list": "shopping"}),
        json!({"text": "the banks"}),
        json!({"text": "bank"}),
        json!({"text": "bread"}),
        json!({"text": "oaths"}),
        json!({"text": "milk", "list": "garden"}),
    ] {
        told.push(fixture.told("listTodos", arguments).await);
    }

    insta::assert_snapshot!(told.join("\n"), @r#"
    Yes, “oat milk” is on your shopping list.
    No, “ham” is not on your shopping list. It has: oat milk and shampoo.
    No, “bank” is not on your shopping list. It has: oat milk and shampoo.
    Yes, “call the bank” is on your to-do list.
    Yes, “call the bank” is on your to-do list.
    No, “bread” is on no list. Still to do: oat milk, shampoo and call the bank.
    No, “oaths” is on no list. Still to do: oat milk, shampoo and call the bank.
    failed: Nothing is open on a list called "garden". Lists with something open: shopping, to-do.
    "#);
}

#[tokio::test]
async fn time_until_a_time_of_day_is_told_to_the_minute() {
    let fixture = Fixture::new("en");
    let mut told = vec![fixture.told("getTime", json!({})).await];
    for arguments in [
        json!({"until": "05:00 or 17:00"}),
        json!({"until": "12:00"}),
        json!({"until": "00:00"}),
        json!({"until": "08:00", "date": "tomorrow morning"}),
        json!({"until": "12:00", "date": "yesterday"}),
        json!({"until": "noon"}),
    ] {
        told.push(fixture.told("getTime", arguments).await);
    }

    insta::assert_snapshot!(told.join("\n"), @r#"
    It is 3:05 pm.
    1 hour and 55 minutes until 5:00 pm.
    20 hours and 55 minutes until 12:00 pm.
    8 hours and 55 minutes until 12:00 am.
    16 hours and 55 minutes until 8:00 am.
    failed: 12:00 on that day is over.
    failed: "noon" is no time of day. Write it as HH:MM.
    "#);
}

#[tokio::test]
async fn todos_and_reminders_are_exported_as_a_calendar() {
    let fixture = Fixture::new("en");
    let nothing = fixture.told("exportTodos", json!({})).await;
    fixture.call("addTodo", json!({"text": "milk", "list": "shopping"})).await;
    fixture.call("setReminder", json!({"label": "Call Ann", "time": "17:00"})).await;
    fixture.call("setTimer", json!({"duration": "10 minutes"})).await;

    let all = fixture.call("exportTodos", json!({})).await;
    let shopping = fixture.told("exportTodos", json!({"list": "shopping"})).await;

    assert_eq!(nothing, "failed: Nothing is open, so there is nothing to save.");
    assert_eq!(all.answer.unwrap().0, "Saved in your documents as to-do.ics.");
    let text = all.text.unwrap().0;
    assert!(text.starts_with("Saved 1 to-dos, 1 alarms and reminders in "), "{text}");
    assert_eq!(shopping, "Saved in your documents as shopping.ics.");
    let file =
        |name: &str| std::fs::read_to_string(fixture.folder.path().join("documents").join(name)).unwrap();
    assert!(file("to-do.ics").contains("SUMMARY:Call Ann") && file("to-do.ics").contains("SUMMARY:milk"));
    assert!(!file("shopping.ics").contains("Call Ann"));
}

#[tokio::test]
async fn closed_memory_is_a_plain_failure() {
    let (_, memory) = watch::channel(None);
    let fixture = Fixture { tools: all(Parts::from_memory(memory)), ..Fixture::new("en") };

    let told = fixture.told("listTimers", json!({})).await;

    assert_eq!(
        told,
        "failed: The memory is not open yet. Try again in a moment; the log says what is wrong."
    );
}

#[tokio::test]
async fn stop_ends_the_reply_in_silence() {
    let result = Fixture::new("en").call("stop", json!({})).await;

    assert_eq!(result.transition, Some(crate::Transition::Stop));
}

#[test]
fn declarations_are_complete() {
    let (_, memory) = watch::channel(None);
    let files = FileParts {
        home: "home".into(),
        private: Vec::new(),
        journal: "journal".into(),
        trash: Arc::new(SystemTrash),
    };
    for tool in all(Parts { files: Some(files), ..Parts::from_memory(memory) }) {
        let declaration = tool.declaration();
        assert!(declaration.examples.len() >= 2, "{}", declaration.name);
        assert!(declaration.keywords.len() >= 3, "{}", declaration.name);
        assert_eq!(declaration.parameters["type"], "object", "{}", declaration.name);
    }
}
