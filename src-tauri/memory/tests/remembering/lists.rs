//! Meals, timers, alarms, reminders, to-dos.

use jiff::civil::date;
use jiff::tz::TimeZone;
use memory::{Appointment, AppointmentKind, AppointmentStatus, Meal, MemoryError, Repeats};
use rstest::rstest;

use crate::support::{DAY, Home, MINUTE, NOW, open};

fn reminder(due_at: i64, repeats: Repeats) -> Appointment {
    Appointment {
        id: 0,
        kind: AppointmentKind::Reminder,
        label: "call Anna".into(),
        due_at,
        first_at: None,
        repeats,
        zone: "Europe/London".into(),
        status: AppointmentStatus::Waiting,
        paused_at: None,
        created_at: 0,
    }
}

#[tokio::test]
async fn reminder_survives_a_restart_and_rings_once() {
    let home = Home::new();
    let id = home.memory.appoint(reminder(NOW + MINUTE, Repeats::Once), NOW).await.unwrap();
    home.memory.store().close();
    let memory = open(&home.path());

    let early = memory.take_due(NOW).await.unwrap();
    let due = memory.take_due(NOW + DAY).await.unwrap();
    let again = memory.take_due(NOW + DAY).await.unwrap();

    assert!(early.is_empty() && again.is_empty());
    assert_eq!((due[0].id, due[0].label.as_str()), (id, "call Anna"));
    assert_eq!(memory.appointments().await.unwrap()[0].status, AppointmentStatus::Rung);
    memory.settle_appointment(id, AppointmentStatus::Done).await.unwrap();
    assert!(memory.appointments().await.unwrap().is_empty());
    assert!(matches!(
        memory.settle_appointment(99, AppointmentStatus::Done).await,
        Err(MemoryError::Refused(_))
    ));
}

#[tokio::test]
async fn paused_appointment_stays_paused_after_a_restart() {
    let home = Home::new();
    let id = home.memory.appoint(reminder(NOW + 10 * MINUTE, Repeats::Once), NOW).await.unwrap();
    home.memory.pause_appointment(id, NOW + MINUTE).await.unwrap();
    home.memory.store().close();
    let memory = open(&home.path());

    let while_paused = (memory.next_due().await.unwrap(), memory.take_due(NOW + DAY).await.unwrap().len());
    let left = memory.appointments().await.unwrap()[0].micros_left(NOW + DAY);
    memory.resume_appointment(id, NOW + DAY).await.unwrap();

    assert_eq!((while_paused, left), ((None, 0), 9 * MINUTE));
    assert_eq!(memory.next_due().await.unwrap(), Some(NOW + DAY + 9 * MINUTE));
}

#[rstest]
#[case::once(Repeats::Once, None)]
#[case::daily(Repeats::Daily, Some(NOW + DAY))]
#[tokio::test]
async fn acknowledged_appointment_is_done_unless_it_repeats(
    #[case] repeats: Repeats,
    #[case] next_due: Option<i64>,
) {
    let home = Home::new();
    let id = home.memory.appoint(reminder(NOW, repeats), NOW).await.unwrap();
    home.memory.take_due(NOW).await.unwrap();

    home.memory.acknowledge_appointment(id).await.unwrap();

    assert_eq!(home.memory.next_due().await.unwrap(), next_due);
    let statuses: Vec<_> = home.memory.appointments().await.unwrap().iter().map(|one| one.status).collect();
    assert_eq!(statuses, vec![AppointmentStatus::Waiting; usize::from(next_due.is_some())]);
    let unknown = home.memory.acknowledge_appointment(99).await;
    assert!(matches!(unknown, Err(MemoryError::Refused(_))));
}

#[rstest]
#[case::once(Repeats::Once, None)]
#[case::daily(Repeats::Daily, Some(NOW + DAY))]
#[tokio::test]
async fn snoozed_appointment_rings_again_and_keeps_its_later_times(
    #[case] repeats: Repeats,
    #[case] later: Option<i64>,
) {
    let home = Home::new();
    let id = home.memory.appoint(reminder(NOW, repeats), NOW).await.unwrap();
    home.memory.take_due(NOW).await.unwrap();

    home.memory.snooze_appointment(id, NOW + 5 * MINUTE).await.unwrap();

    assert_eq!(home.memory.next_due().await.unwrap(), Some(NOW + 5 * MINUTE));
    let due = home.memory.take_due(NOW + 5 * MINUTE).await.unwrap();
    assert_eq!(due.iter().map(|one| one.id).collect::<Vec<_>>(), [id]);
    assert_eq!(home.memory.next_due().await.unwrap(), later);
    assert!(matches!(home.memory.snooze_appointment(99, NOW).await, Err(MemoryError::Refused(_))));
}

#[tokio::test]
async fn repeating_alarm_rings_once_for_all_missed_times() {
    let home = Home::new();
    home.memory.appoint(reminder(NOW, Repeats::Daily), NOW).await.unwrap();

    let due = home.memory.take_due(NOW + 5 * DAY + MINUTE).await.unwrap();

    assert_eq!(due.len(), 1);
    assert_eq!(home.memory.next_due().await.unwrap(), Some(NOW + 6 * DAY));
}

#[rstest]
#[case::daily_over_the_clock_change(Repeats::Daily, (2025, 10, 25, 7), (2025, 10, 26, 7))]
#[case::weekdays(Repeats::Weekdays, (2025, 11, 21, 7), (2025, 11, 24, 7))]
#[case::weekly(Repeats::Weekly, (2025, 11, 21, 7), (2025, 11, 28, 7))]
#[case::monthly_from_the_31st(Repeats::Monthly, (2025, 1, 31, 7), (2025, 2, 28, 7))]
#[case::yearly(Repeats::Yearly, (2024, 2, 29, 7), (2025, 2, 28, 7))]
fn repetitions_follow_local_time(
    #[case] repeats: Repeats,
    #[case] first: (i16, i8, i8, i8),
    #[case] next: (i16, i8, i8, i8),
) {
    let zone = TimeZone::get("Europe/London").unwrap();
    let micros = |(year, month, day, hour): (i16, i8, i8, i8)| {
        let at = date(year, month, day).at(hour, 0, 0, 0).to_zoned(zone.clone()).unwrap();
        at.timestamp().as_microsecond()
    };

    assert_eq!(reminder(micros(first), repeats).next_after(micros(first)), Some(micros(next)));
    assert_eq!(reminder(micros(first), Repeats::Once).next_after(micros(first)), None);
}

#[tokio::test]
async fn monthly_repetition_returns_to_the_31st() {
    let home = Home::new();
    let zone = TimeZone::get("Europe/London").unwrap();
    let at = |month, day| {
        let at = date(2025, month, day).at(7, 0, 0, 0).to_zoned(zone.clone()).unwrap();
        at.timestamp().as_microsecond()
    };
    home.memory.appoint(reminder(at(1, 31), Repeats::Monthly), NOW).await.unwrap();

    let mut next = Vec::new();
    for due in [at(1, 31), at(2, 28), at(3, 31)] {
        home.memory.take_due(due).await.unwrap();
        next.push(home.memory.next_due().await.unwrap().unwrap());
    }

    assert_eq!(next, [at(2, 28), at(3, 31), at(4, 30)]);
}

#[tokio::test]
async fn meals_are_stored_listed_and_deleted() {
    let home = Home::new();
    let meal = Meal {
        eaten_at: NOW,
        source: "voice".into(),
        description: "two eggs".into(),
        calories_kcal: Some(140.0),
        micros: serde_json::json!({"iron_mg": 1.2}).as_object().cloned(),
        ..Meal::default()
    };

    let id = home.memory.log_meal(meal.clone()).await.unwrap();
    let listed = home.memory.meals(NOW - DAY..NOW + 1, 500).await.unwrap();

    assert_eq!(listed, [Meal { id, entered_at: NOW, ..meal }]);
    assert!(home.memory.meals(NOW + 1..NOW + DAY, 500).await.unwrap().is_empty());
    assert!(home.memory.delete_meal(id).await.unwrap());
    assert!(!home.memory.delete_meal(id).await.unwrap());
}

#[tokio::test]
async fn open_todo_is_listed_once() {
    let home = Home::new();
    let milk = home.memory.add_todo("Shopping", "Milk", NOW).await.unwrap();

    assert_eq!(home.memory.add_todo("shopping", " milk ", NOW).await.unwrap(), milk);
    home.memory.add_todo("home", "sweep", NOW).await.unwrap();
    home.memory.finish_todo(milk, NOW + 1).await.unwrap();

    let open: Vec<String> =
        home.memory.todos(None).await.unwrap().into_iter().map(|todo| todo.text).collect();
    assert_eq!(open, ["sweep"]);
    assert_ne!(home.memory.add_todo("shopping", "milk", NOW).await.unwrap(), milk);
    assert!(home.memory.delete_todo(milk).await.unwrap());
    assert!(home.memory.finish_todo(milk, NOW).await.is_err());
    assert!(home.memory.add_todo("home", "  ", NOW).await.is_err());
}
