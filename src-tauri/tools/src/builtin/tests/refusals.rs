//! Refusals that a tool words itself, so that a request that rules read needs no model.

use super::*;

/// A fixture with two kinds of bread and a call on the lists.
async fn with_todos(language: &str) -> Fixture {
    let fixture = Fixture::new(language);
    for (text, list) in [("white bread", "shopping"), ("rye bread", "shopping"), ("call the bank", "to-do")] {
        fixture.told("addTodo", json!({"text": text, "list": list})).await;
    }
    fixture
}

/// The answer to a call that fails.
async fn refused(fixture: &Fixture, tool: &str, arguments: Value) -> String {
    let result = fixture.call(tool, arguments).await;
    assert!(!result.success, "{tool} did what was asked");
    result.answer.unwrap_or_else(|| panic!("{tool} leaves the words to a model")).0
}

#[rstest]
#[case::division_by_zero("calculate", json!({"expression": "5 / 0"}), "Nothing can be divided by zero.")]
#[case::too_large("calculate", json!({"expression": "9 ^ 9 ^ 9 ^ 9"}), "That is too large for me to calculate.")]
#[case::no_real_number("calculate", json!({"expression": "sqrt(-4)"}), "No real number is the result of that.")]
#[case::too_cold("convertUnits", json!({"amount": -300, "from": "celsius", "to": "kelvin"}), "Nothing is colder than absolute zero, −273.15 degrees Celsius.")]
#[case::different_kinds("convertUnits", json!({"amount": 2, "from": "hour", "to": "gram"}), "Hours and grams measure different things, so one cannot be converted to the other.")]
#[case::many_zones("getTime", json!({"place": "Australia"}), "Australia has several time zones. Name a town there.")]
#[case::unknown_place("getTime", json!({"place": "Xyzzyville"}), "I know no town or country called Xyzzyville.")]
#[case::town_of_an_unknown_area("getTime", json!({"place": "Paris, TX"}), "I know no town or country called Paris, TX.")]
#[case::unknown_place_of_a_day("getDate", json!({"place": "Xyzzyville"}), "I know no town or country called Xyzzyville.")]
#[case::time_that_is_over("setAlarm", json!({"time": "12:00", "date": "yesterday"}), "That time is over already. Name one to come.")]
#[case::not_on_the_list("finishTodo", json!({"text": "eggs", "list": "shopping"}), "“eggs” is not on the list. Still to do: white bread and rye bread.")]
#[case::several_on_the_list("finishTodo", json!({"text": "bread"}), "Several things fit: white bread and rye bread. Which one?")]
#[case::list_with_nothing("finishTodo", json!({"text": "eggs", "list": "garden"}), "Nothing is left to do on your garden list.")]
#[case::listed_list_with_nothing("listTodos", json!({"list": "garden"}), "Nothing is left to do on your garden list.")]
#[tokio::test]
async fn refusal_is_worded_without_a_model(
    #[case] tool: &str,
    #[case] arguments: Value,
    #[case] expected: &str,
) {
    assert_eq!(refused(&with_todos("en").await, tool, arguments).await, expected);
}

#[tokio::test]
async fn nothing_is_ticked_off_empty_lists() {
    let answer = refused(&Fixture::new("en"), "finishTodo", json!({"text": "eggs"})).await;

    assert_eq!(answer, "Nothing is left to do.");
}

#[tokio::test]
async fn exact_words_come_before_longer_ones() {
    let fixture = with_todos("en").await;
    fixture.told("addTodo", json!({"text": "bread", "list": "shopping"})).await;

    assert_eq!(fixture.told("finishTodo", json!({"text": "bread"})).await, "“bread” is done.");
}

#[tokio::test]
async fn change_without_an_amount_is_asked_for() {
    let fixture = Fixture::new("en");
    fixture.told("setTimer", json!({"minutes": 5})).await;

    assert_eq!(refused(&fixture, "changeTimer", json!({"action": "add"})).await, "By how much?");
}

#[rstest]
#[case::english("en", "Nothing can be divided by zero. That time is over already. Name one to come.")]
#[case::german(
    "de",
    "Durch null kann man nicht teilen. Die Zeit ist schon vorbei. Nenne eine, die noch kommt."
)]
#[case::french("fr", "On ne peut pas diviser par zéro. Cette heure est déjà passée. Donne-m’en une à venir.")]
#[case::spanish("es", "No se puede dividir por cero. Esa hora ya ha pasado. Dime una que esté por venir.")]
#[case::italian("it", "Non si può dividere per zero. Quell’ora è già passata. Dimmene una che deve venire.")]
#[case::dutch("nl", "Door nul kun je niet delen. Die tijd is al voorbij. Noem er een die nog komt.")]
#[case::portuguese("pt", "Não se pode dividir por zero. Essa hora já passou. Diz uma que ainda venha.")]
#[case::swedish("sv", "Det går inte att dela med noll. Den tiden är redan förbi. Säg en som kommer.")]
#[case::turkish("tr", "Sıfıra bölünmez. O saat geçti. Gelecek bir saat söyle.")]
#[tokio::test]
async fn refusal_is_in_the_language_of_the_user(#[case] language: &str, #[case] expected: &str) {
    let fixture = Fixture::new(language);

    let answers = [
        refused(&fixture, "calculate", json!({"expression": "5 / 0"})).await,
        refused(&fixture, "setAlarm", json!({"time": "12:00", "date": "2026-11-20"})).await,
    ];

    assert_eq!(answers.join(" "), expected);
}

/// Rules read these words wrongly, so a model reads them again.
#[rstest]
#[case::no_calculation("calculate", json!({"expression": "apples + pears"}))]
#[case::unknown_unit("convertUnits", json!({"from": "parsnip", "to": "gram"}))]
#[case::no_day("setAlarm", json!({"time": "12:00", "date": "the Titanic"}))]
#[tokio::test]
async fn misread_words_are_left_to_a_model(#[case] tool: &str, #[case] arguments: Value) {
    let result = Fixture::new("en").call(tool, arguments).await;

    assert_eq!((result.success, result.answer), (false, None));
}
