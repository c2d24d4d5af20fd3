//! Alarms and reminders that are cancelled: chosen by their kind, time and day.

use super::*;

/// A fixture with an alarm for Tuesday and Friday, one for each working day, and a reminder for today.
async fn with_four(language: &str) -> Fixture {
    let fixture = Fixture::new(language);
    for (tool, arguments) in [
        ("setAlarm", json!({"time": "06:30", "date": "2026-11-24"})),
        ("setAlarm", json!({"time": "19:00", "date": "2026-11-27"})),
        ("setAlarm", json!({"time": "07:00", "repeats": "weekdays"})),
        ("setReminder", json!({"time": "17:00", "label": "call Ann"})),
    ] {
        fixture.told(tool, arguments).await;
    }
    fixture
}

/// The answer, which is given without a model.
async fn said(fixture: &Fixture, arguments: Value) -> (bool, String) {
    let result = fixture.call("cancelReminder", arguments).await;
    (result.success, result.answer.expect("the tool words it").0)
}

#[rstest]
#[case::by_time(json!({"kind": "alarm", "time": "06:30"}), true, "“Tuesday, 24 November 2026, 6:30 am” is cancelled.")]
#[case::by_day(json!({"kind": "alarm", "date": "Friday", "time": "19:00"}), true, "“Friday, 27 November 2026, 7:00 pm” is cancelled.")]
#[case::by_kind(json!({"kind": "reminder"}), true, "“Call Ann: Monday, 23 November 2026, 5:00 pm” is cancelled.")]
#[case::by_clock_of_either_half(json!({"time": "06:30 or 18:30"}), true, "“Tuesday, 24 November 2026, 6:30 am” is cancelled.")]
#[case::both_halves(json!({"time": "07:00 or 19:00"}), false, "Several fit: Tuesday, 24 November 2026, 7:00 am, Monday to Friday; Friday, 27 November 2026, 7:00 pm. Which one?")]
#[case::other_half(json!({"kind": "alarm", "time": "18:30"}), false, "There is no such alarm. Set: Tuesday, 24 November 2026, 6:30 am; Tuesday, 24 November 2026, 7:00 am, Monday to Friday; Friday, 27 November 2026, 7:00 pm.")]
#[case::no_such_day(json!({"kind": "reminder", "date": "tomorrow"}), false, "There is no reminder for Tuesday, 24 November 2026. Set: Call Ann: Monday, 23 November 2026, 5:00 pm.")]
#[case::several_of_a_day(json!({"kind": "alarm", "date": "tomorrow"}), false, "Several alarms fit: Tuesday, 24 November 2026, 6:30 am; Tuesday, 24 November 2026, 7:00 am, Monday to Friday. Which one?")]
#[case::day_of_a_repetition(json!({"kind": "alarm", "date": "2026-11-25"}), false, "“Tuesday, 24 November 2026, 7:00 am, Monday to Friday” repeats, and I can only cancel it for good: ask without the day if you want that.")]
#[case::weekend(json!({"kind": "alarm", "date": "Saturday"}), false, "There is no alarm for Saturday, 28 November 2026. Set: Tuesday, 24 November 2026, 6:30 am; Tuesday, 24 November 2026, 7:00 am, Monday to Friday; Friday, 27 November 2026, 7:00 pm.")]
#[case::all_of_a_day_with_a_repetition(json!({"kind": "alarm", "all": true, "date": "tomorrow"}), false, "“Tuesday, 24 November 2026, 7:00 am, Monday to Friday” repeats, and I can only cancel it for good: ask without the day if you want that.")]
#[case::other_time_of_a_day(json!({"kind": "alarm", "date": "Friday", "time": "20:00"}), false, "There is no such alarm. Set: Tuesday, 24 November 2026, 6:30 am; Tuesday, 24 November 2026, 7:00 am, Monday to Friday; Friday, 27 November 2026, 7:00 pm.")]
#[case::by_id(json!({"kind": "alarm", "items": ["appointment-2", "appointment-9"]}), true, "“Friday, 27 November 2026, 7:00 pm” is cancelled.")]
#[case::by_ids_on_a_day_with_a_repetition(json!({"items": ["appointment-1", "appointment-3"], "date": "tomorrow"}), false, "“Tuesday, 24 November 2026, 7:00 am, Monday to Friday” repeats, and I can only cancel it for good: ask without the day if you want that.")]
#[case::by_id_of_none(json!({"items": ["appointment-9"]}), false, "There is nothing left to take back.")]
#[case::all_of_a_kind(json!({"kind": "alarm", "all": true}), true, "All of these are cancelled: Tuesday, 24 November 2026, 6:30 am; Tuesday, 24 November 2026, 7:00 am, Monday to Friday; Friday, 27 November 2026, 7:00 pm.")]
#[tokio::test]
async fn only_what_the_user_named_is_cancelled(
    #[case] arguments: Value,
    #[case] success: bool,
    #[case] expected: &str,
) {
    let fixture = with_four("en").await;

    assert_eq!(said(&fixture, arguments).await, (success, expected.to_owned()));
}

#[rstest]
#[case::english("en", "No alarm is set.")]
#[case::german("de", "Es ist kein Wecker gestellt.")]
#[case::french("fr", "Aucun réveil n’est réglé.")]
#[case::spanish("es", "No hay ninguna alarma puesta.")]
#[case::italian("it", "Non c’è nessuna sveglia impostata.")]
#[case::dutch("nl", "Er is geen wekker gezet.")]
#[case::portuguese("pt", "Não há nenhum alarme definido.")]
#[case::swedish("sv", "Inget alarm är ställt.")]
#[case::turkish("tr", "Kurulu alarm yok.")]
#[tokio::test]
async fn cancelled_alarm_leaves_the_reminder_that_is_set(#[case] language: &str, #[case] expected: &str) {
    let fixture = Fixture::new(language);
    fixture.told("setReminder", json!({"time": "17:00", "label": "Ann"})).await;

    let answer = said(&fixture, json!({"kind": "alarm"})).await;

    assert_eq!(answer, (false, expected.to_owned()));
    assert_eq!(fixture.memory.appointments().await.unwrap().len(), 1);
}

#[test]
fn schema_of_cancelling_is_short() {
    let (_, memory) = watch::channel(None);
    let tools = all(Parts::from_memory(memory));
    let tool = tools.iter().find(|tool| tool.declaration().name == "cancelReminder").unwrap();

    insta::assert_snapshot!(tool.declaration().parameters, @r#"{"type":"object","properties":{"label":{"type":["string","null"],"description":"Words of the reminder."},"kind":{"type":["string","null"],"enum":["alarm","reminder",null],"description":"If the user says which."},"time":{"type":["string","null"],"description":"Time of day as HH:MM."},"date":{"type":["string","null"],"description":"The day in the user's words."},"stops_ringing":{"type":"boolean","description":"If anything rings, that is meant.","default":false},"all":{"type":"boolean","description":"All that fit are meant.","default":false},"items":{"type":["array","null"],"items":{"type":"string"},"description":"Ids in earlier results. They alone count."}}}"#);
}
