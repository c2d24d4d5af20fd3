use rstest::rstest;

use super::taken;

#[rstest]
#[case("What time is it?", "getTime")]
#[case("hey Jarvis, could you tell me what time it is now please", "getTime")]
#[case("Jarvis, can you tell me the time please?", "getTime")]
#[case("what's the time in Tokyo", r#"getTime {"place":"Tokyo"}"#)]
#[case("What time is it in New York right now?", r#"getTime {"place":"New York"}"#)]
#[case("what time is it in Japan", r#"getTime {"place":"Japan"}"#)]
#[case("what day is it", "getDate")]
#[case("What's the date today?", "getDate")]
#[case("what day is in six weeks", r#"getDate {"date":"in six weeks"}"#)]
#[case("what day is it in six weeks?", r#"getDate {"date":"in six weeks"}"#)]
#[case("which weekday is next Friday", r#"getDate {"date":"next Friday"}"#)]
#[case("what day is 24 December", r#"getDate {"date":"24 December"}"#)]
#[case("How many days until Christmas?", r#"getDate {"date":"Christmas","count_days":true}"#)]
#[case("set a timer for ten minutes", r#"setTimer {"seconds":600}"#)]
#[case("please set a ten-minute timer", r#"setTimer {"seconds":600}"#)]
#[case("set a timer for an hour and a half", r#"setTimer {"seconds":5400}"#)]
#[case("set a timer for two and a half hours", r#"setTimer {"seconds":9000}"#)]
#[case("timer 1 hour and 20 minutes", r#"setTimer {"seconds":4800}"#)]
#[case("start a timer for half an hour", r#"setTimer {"seconds":1800}"#)]
#[case("a tea timer for four minutes", r#"setTimer {"seconds":240,"label":"tea"}"#)]
#[case("set a timer for 90 seconds called soft eggs", r#"setTimer {"seconds":90,"label":"soft eggs"}"#)]
#[case("set a timer for the pizza for 12 minutes", r#"setTimer {"seconds":720,"label":"pizza"}"#)]
#[case(
    "Set a tea timer for four minutes and another for eggs",
    r#"setTimer {"seconds":240,"label":"tea"} + setTimer {"seconds":240,"label":"eggs"}"#
)]
#[case(
    "set a tea timer for 4 minutes and a pizza timer for 12 minutes",
    r#"setTimer {"seconds":240,"label":"tea"} + setTimer {"seconds":720,"label":"pizza"}"#
)]
#[case("How long is left?", "listTimers")]
#[case("how much time have I left?", "listTimers")]
#[case("tell me when six minutes are over", r#"setTimer {"seconds":360}"#)]
#[case("I need to be up by half past five", r#"setAlarm {"time":"05:30"}"#)]
#[case("what do I still have to do?", "listTodos")]
#[case("how long is left on the tea timer?", r#"listTimers {"label":"tea"}"#)]
#[case("what timers are running", "listTimers")]
#[case("cancel the pizza timer", r#"cancelTimer {"label":"pizza"}"#)]
#[case("cancel all timers", r#"cancelTimer {"all":true}"#)]
#[case("stop the alarm", "stopRinging")]
#[case("snooze", "snooze")]
#[case("snooze for five minutes", r#"snooze {"minutes":5}"#)]
#[case("five more minutes", r#"snooze {"minutes":5}"#)]
#[case("wake me at half past six", r#"setAlarm {"time":"06:30"}"#)]
#[case("wake me up tomorrow at 7", r#"setAlarm {"time":"07:00","date":"tomorrow"}"#)]
#[case("set an alarm for 6:45 pm", r#"setAlarm {"time":"18:45"}"#)]
#[case("set an alarm for quarter to eight in the evening", r#"setAlarm {"time":"19:45"}"#)]
#[case("never mind", "stop")]
#[case("thank you, Jarvis", "stop")]
#[case("set the volume to 40 percent", r#"setVolume {"percent":40}"#)]
#[case("louder please", r#"setVolume {"change":"up"}"#)]
#[case("mute yourself", r#"muteVoice {"muted":true}"#)]
#[case("what is 17 times 23?", r#"calculate {"expression":"17 * 23"}"#)]
#[case("17 × 23", r#"calculate {"expression":"17 * 23"}"#)]
#[case("what's two point five times (3 + 4) squared", r#"calculate {"expression":"2.5 * (3 + 4) ^ 2"}"#)]
#[case("fifteen percent of eighty", r#"calculate {"expression":"15% of 80"}"#)]
#[case("the square root of 144", r#"calculate {"expression":"sqrt(144)"}"#)]
#[case("how many grams are two cups", r#"convertUnits {"amount":2,"from":"cup","to":"gram"}"#)]
#[case("convert 5 miles to km", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
#[case(
    "what is 100 degrees Fahrenheit in Celsius",
    r#"convertUnits {"amount":100,"from":"fahrenheit","to":"celsius"}"#
)]
#[case("put milk on my shopping list", r#"addTodo {"text":"milk","list":"shopping"}"#)]
#[case("add milk, eggs and olive oil to the shopping list", r#"addTodo {"text":"milk","list":"shopping"} + addTodo {"text":"eggs","list":"shopping"} + addTodo {"text":"olive oil","list":"shopping"}"#)]
#[case("put call Ann and Bob on my to-do list", r#"addTodo {"text":"call Ann and Bob"}"#)]
#[case("what's on my shopping list?", r#"listTodos {"list":"shopping"}"#)]
#[case("what is on my list", r#"listTodos"#)]
#[case("take the milk off my list", r#"finishTodo {"text":"milk"}"#)]
#[case(
    "Remind me to call the dentist tomorrow at nine",
    r#"setReminder {"time":"09:00","date":"tomorrow","label":"call the dentist"}"#
)]
#[case("remind me at five to leave", r#"setReminder {"time":"17:00","label":"leave"}"#)]
#[case("remind me at five in the morning to leave", r#"setReminder {"time":"05:00","label":"leave"}"#)]
#[case(
    "remind me next Friday at half past six about the film",
    r#"setReminder {"time":"18:30","date":"next Friday","label":"the film"}"#
)]
#[case("remind me in 20 minutes to check the oven", r#"setTimer {"seconds":1200,"label":"check the oven"}"#)]
#[case("which alarms are set?", r#"listReminders"#)]
#[case("what reminders do I have", r#"listReminders"#)]
#[case("cancel my alarm", r#"cancelReminder"#)]
#[case("cancel the reminder about the dentist", r#"cancelReminder {"label":"dentist"}"#)]
#[case("wake me every weekday at 7", r#"setAlarm {"time":"07:00","repeats":"weekdays"}"#)]
#[case(
    "remind me every Monday at nine to water the plants",
    r#"setReminder {"time":"09:00","date":"Monday","repeats":"weekly","label":"water the plants"}"#
)]
#[case(
    "remind me to stretch every day at nine",
    r#"setReminder {"time":"09:00","repeats":"daily","label":"stretch"}"#
)]
#[case("convert five miles to kilometres", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
fn closed_request_is_taken(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(taken("en", text), expected);
}

#[rstest]
#[case::duration_that_has_to_be_known("set a timer for the length of the Titanic")]
#[case::time_of_an_event("what time is the match")]
#[case::no_town("what time is it in my head")]
#[case::half_a_town("what time is it in Tok")]
#[case::two_requests("what time is it and will it rain")]
#[case::no_duration("set a timer")]
#[case::condition("set a timer for ten minutes if it rains")]
#[case::told_not_asked("I set a timer for ten minutes yesterday")]
#[case::alarm_for_an_event("wake me before the match")]
#[case::word_problem("what is two times as good")]
#[case::a_name("what is 24")]
#[case::mood("stop the war")]
#[case::not_a_unit("how many people are two teams")]
#[case::open_question("how long is the Nile")]
#[case::thanks_and_more("thanks, and who wrote it?")]
#[case::unfinished("what is 17 times")]
#[case::impossible_hour("wake me at 27")]
#[case::reminder_that_repeats_oddly("remind me to stretch every other day at nine")]
#[case::reminder_with_a_vague_day("remind me to call Ann next week at nine")]
#[case::reminder_without_a_time("remind me to call Ann")]
#[case::no_list("put the kettle on")]
#[case::nothing(" ?! ")]
#[case::something("Add something to my list")]
#[case::that("put that on my to-do list")]
fn anything_else_is_left_to_a_model(#[case] text: &str) {
    assert_eq!(taken("en", text), "-");
}
