//! Lists, alarms and reminders as a calendar file that other programs read (RFC 5545).

use icalendar::{Alarm, Calendar, Component, Event, EventLike, Property, Todo as CalendarTodo, Trigger};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memory::{Appointment, Repeats, Todo};

/// The text of a calendar file with these to-dos and appointments. `zone` is that of the user.
pub(super) fn calendar_file(
    todos: &[Todo],
    appointments: &[Appointment],
    now: Timestamp,
    zone: &TimeZone,
) -> String {
    let mut calendar = Calendar::empty();
    for line in [("VERSION", "2.0"), ("PRODID", "-//Jarvis//EN"), ("CALSCALE", "GREGORIAN")] {
        calendar.append_property(line);
    }
    for todo in todos {
        let mut entry = CalendarTodo::with_uid(&format!("todo-{}-{}@jarvis", todo.id, todo.created_at));
        entry.summary(&todo.text);
        entry.add_property("CATEGORIES", &todo.list);
        entry.add_property("STATUS", "NEEDS-ACTION");
        entry.add_property("DTSTAMP", utc(now));
        entry.add_property("CREATED", utc(micros(todo.created_at)));
        calendar.push(entry.done());
    }
    for appointment in appointments {
        calendar.push(event(appointment, now, zone));
    }
    calendar.done().to_string()
}

fn event(appointment: &Appointment, now: Timestamp, zone: &TimeZone) -> Event {
    let Appointment { id, created_at, label, due_at, repeats, .. } = appointment;
    let mut event = Event::with_uid(&format!("reminder-{id}-{created_at}@jarvis"));
    let summary = if label.is_empty() { "Alarm" } else { label };
    event.summary(summary);
    event.add_property("DTSTAMP", utc(now));
    event.append_property(start(appointment, micros(*due_at), zone));
    if let Some(rule) = rule(*repeats) {
        event.add_property("RRULE", rule);
    }
    // It rings when it begins.
    let mut alarm = Alarm::display(summary, Trigger::after_start(chrono::Duration::zero()));
    alarm.add_property("UID", format!("ring-{id}-{created_at}@jarvis"));
    alarm.add_property("DTSTAMP", utc(now));
    event.alarm(alarm.done());
    event.done()
}

/// When it begins. What repeats keeps its local time, so it needs a zone.
fn start(appointment: &Appointment, due_at: Timestamp, zone: &TimeZone) -> Property {
    let own_zone = TimeZone::get(&appointment.zone).unwrap_or_else(|_| zone.clone());
    match own_zone.iana_name().filter(|_| appointment.repeats != Repeats::Once) {
        Some(name) => {
            let local = due_at.to_zoned(own_zone.clone()).strftime("%Y%m%dT%H%M%S").to_string();
            Property::new("DTSTART", local).add_parameter("TZID", name).done()
        }
        None => Property::new("DTSTART", utc(due_at)),
    }
}

fn rule(repeats: Repeats) -> Option<&'static str> {
    Some(match repeats {
        Repeats::Once => return None,
        Repeats::Daily => "FREQ=DAILY",
        Repeats::Weekdays => "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
        Repeats::Weekly => "FREQ=WEEKLY",
        Repeats::Monthly => "FREQ=MONTHLY",
        Repeats::Yearly => "FREQ=YEARLY",
    })
}

fn micros(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap_or_default()
}

fn utc(at: Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use memory::{AppointmentKind, AppointmentStatus};

    use super::*;

    fn appointment(label: &str, repeats: Repeats) -> Appointment {
        Appointment {
            id: 1,
            kind: AppointmentKind::Reminder,
            label: label.into(),
            due_at: 1_751_353_200_000_000, // 2025-07-01 07:00 UTC
            first_at: None,
            repeats,
            zone: "Europe/Berlin".into(),
            status: AppointmentStatus::Waiting,
            paused_at: None,
            created_at: 0,
        }
    }

    #[test]
    fn file_has_a_line_for_all_that_matters() {
        let text = "milk; eggs,\nbread".to_owned();
        let todo = Todo { id: 7, list: "shopping".into(), text, created_at: 0, done_at: None };
        let appointments = [appointment("Call Ann", Repeats::Once), appointment("", Repeats::Weekdays)];
        let now = "2025-06-30T12:00:00Z".parse().unwrap();

        let file = calendar_file(&[todo], &appointments, now, &TimeZone::UTC);

        insta::assert_snapshot!(file.replace('\r', ""), @r"
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//Jarvis//EN
        CALSCALE:GREGORIAN
        BEGIN:VTODO
        CATEGORIES:shopping
        CREATED:19700101T000000Z
        DTSTAMP:20250630T120000Z
        STATUS:NEEDS-ACTION
        SUMMARY:milk\; eggs\,\nbread
        UID:todo-7-0@jarvis
        END:VTODO
        BEGIN:VEVENT
        DTSTAMP:20250630T120000Z
        DTSTART:20250701T070000Z
        SUMMARY:Call Ann
        UID:reminder-1-0@jarvis
        BEGIN:VALARM
        ACTION:DISPLAY
        DESCRIPTION:Call Ann
        DTSTAMP:20250630T120000Z
        TRIGGER;RELATED=START:P0D
        UID:ring-1-0@jarvis
        END:VALARM
        END:VEVENT
        BEGIN:VEVENT
        DTSTAMP:20250630T120000Z
        DTSTART;TZID=Europe/Berlin:20250701T090000
        RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR
        SUMMARY:Alarm
        UID:reminder-1-0@jarvis
        BEGIN:VALARM
        ACTION:DISPLAY
        DESCRIPTION:Alarm
        DTSTAMP:20250630T120000Z
        TRIGGER;RELATED=START:P0D
        UID:ring-1-0@jarvis
        END:VALARM
        END:VEVENT
        END:VCALENDAR
        ");
    }
}
