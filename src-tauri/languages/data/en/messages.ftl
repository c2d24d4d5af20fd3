### What Jarvis says in fixed words. Names of messages begin with their place.

## How numbers, days and times are written

# The tag (BCP 47) by which numbers and lists are written, and days and months are named.
format-locale = en-GB
# A day, as a Unicode pattern of dates: EEEE is the weekday, d the day, MMMM the month, y the year.
format-day = EEEE, d MMMM y
# A time of day: H has 24 hours, h has 12, mm are the minutes, a is "am" or "pm".
format-time = h:mm a
# The day of December that "Christmas" means.
format-christmas-day = 25

## Durations

duration-hours = { $count ->
    [one] { $count } hour
   *[other] { $count } hours
}
duration-minutes = { $count ->
    [one] { $count } minute
   *[other] { $count } minutes
}
duration-seconds = { $count ->
    [one] { $count } second
   *[other] { $count } seconds
}

## Replies that no model words

# The user asks for what was never told.
reply-nothing-known = I don't know that: I find nothing about it in my memory.
# Of several requests some were done.
reply-rest-undone = I could not do the rest.
# A tool takes its time.
reply-one-moment = One moment.
# The answer of the model was malformed.
reply-garbled = I'm afraid that came out garbled. Could you ask me again, perhaps in other words?
# The model gave no answer.
reply-no-answer = I'm afraid I have no answer to that. Could you put it another way?
# The turns of a reply were used up before there was an answer.
reply-out-of-turns = I stopped there: this took more steps than I may take.
# A reply has more files than it may have.
reply-files-left-out = { $count ->
    [one] One file was left out: the answer has too many.
   *[other] { $count } files were left out: the answer has too many.
}
# A result had orders to an assistant in it.
reply-orders-left-out = { $count ->
    [one] One sentence of what a tool returned gave orders to an assistant: I left it out.
   *[other] { $count } sentences of what tools returned gave orders to an assistant: I left them out.
}
# What would help if the model is small.
reply-larger-model = A larger language model, in the settings, would manage more.
# A call did not run.
reply-not-done = I have left that undone.
# The answer to a dismissal that was typed.
reply-dismissed = Very well.
# A call lacks what the user has to say.
reply-missing = Could you say that in full? I am missing how long, when, or what exactly.
# Asks for an argument of a tool that the user did not say. `$argument` is one of these kinds, or what the tool says about it.
reply-ask = { $argument ->
    [place] For which place?
    [time] At what time?
    [date] For which day?
    [duration] For how long?
    [label] What is it called?
    [text] What exactly?
    [list] Which list?
    [amount] How much?
    [unit] In which unit?
    [expression] What am I to calculate?
    [meal] What did you eat?
    [query] What am I to look for?
   *[other] One thing is missing: { $argument }.
}

## What Jarvis cannot look up or do, and what it was told

# No tool is a source of the topic.
reply-no-source = { $topic ->
    [weather] I can't look up the weather: I have no source for it yet.
    [news] I can't look up the news: I have no source for them yet.
    [prices] I can't look up prices: I have no source for them yet.
    [scores] I can't look up results: I have no source for them yet.
    [traffic] I can't look up traffic or timetables: I have no source for them yet.
    [opening_hours] I can't look up opening hours: I have no source for them yet.
   *[other] I can't know that: it lies in the future, or I have no source for it.
}
# Follows the sentence above where a setting is the reason.
reply-source-offline = You have switched on "Work offline"; the settings can change that.
reply-source-search-off = Web search is switched off; the settings can change that.
# The name of a tool as it is said. $tool: its identifier
tool-title = { $tool ->
    [webSearch] Web search
    [fetchWebPage] Web page
    [getWeather] Weather
   *[other] { $tool }
}
# The tool failed.
reply-source-failed = I can't tell: { $tool } gave me no answer.
# The user or a permission did not allow the tool.
reply-source-denied = I can't tell: { $tool } was not allowed to look it up.
# The model answered without calling the tool.
reply-source-unused = I can't tell: I have not looked it up with { $tool }.
# No tool does this. The action is mail, messages, calls, devices, music, purchases or bookings.
reply-cannot-do = { $action ->
    [mail] I can't send or read mail: no tool for it is set up.
    [messages] I can't send messages: no tool for it is set up.
    [calls] I can't call anyone: no tool for it is set up.
    [devices] I can't switch lights or devices: no tool for it is set up.
    [music] I can't play music: no tool for it is set up.
    [purchases] I can't buy anything: no tool for it is set up.
   *[other] I can't book anything: no tool for it is set up.
}
# The model claimed to have done something. It is true whatever earlier replies did.
reply-nothing-done = I have not done anything just now: no tool has carried that out.
# The model called itself a person. { $name } is the name of the assistant.
reply-no-person = I am { $name }, a program on this computer, and no person.
# The user said their name.
reply-name-noted = Nice to meet you, { $name }. I have noted your name.
# The user said where they live. The place is as they said it.
reply-place-noted = I have noted that you live in { $place }.
# The user asks for their name.
reply-your-name = Your name is { $name }.
# The user asks where they live.
reply-your-place = You live in { $place }.
# The user asks where they are. The place is that of this computer.
reply-you-are-here = You are here, as far as I know: { $place }.
# “Location” is the name of a section of the settings, which is not translated.
reply-no-place = I don’t know where you are: no place is set. You can name one in the settings, under “Location”.
# The user told something about a person or a thing of theirs.
reply-told-noted = Thanks, I will keep that in mind.
# Follows the sentence above if the user told of something that they have at a time of day.
reply-offer-reminder = Should I remind you of it?
# The user asks for what they told. The words are their sentence.
reply-told = You told me: “{ $words }”
# The user asks for what they said. The words are their sentence.
reply-you-said-first = The first thing you said: “{ $words }”
reply-you-said = You said: “{ $words }”
# There is no such sentence.
reply-nothing-said = You have said nothing else in this conversation yet.
# The user asks for what they asked.
reply-nothing-asked = You have asked nothing else in this conversation yet.
# The user asks for the letters of a word.
reply-spelt = “{ $word }” is spelt { $letters }.
# The user asks who answers. { $name } is the name of the assistant.
reply-who-i-am = I am { $name }, your assistant: a program on this computer, and no person.
# The user asks for what the assistant can do.
reply-what-i-can = I can set timers, alarms and reminders, keep your lists, calculate and convert, tell the time and the date anywhere, and remember what you tell me. Questions of general knowledge I answer as well as I can.
# The user asks how the assistant is.
reply-i-am-well = Very well, thank you.

## Permission to run a tool

# A tool of Jarvis.
permission-request = { $name } wants to { permission-action }.
permission-request-with = { $name } wants to { permission-action }: { $values }.
# What the tool does, as the words behind "Jarvis wants to".
permission-action = { $tool ->
    [setTimer] set a timer
    [cancelTimer] cancel a timer
    [changeTimer] change a timer
    [setAlarm] set an alarm
    [setReminder] set a reminder
    [cancelReminder] cancel an alarm or a reminder
    [snooze] let what rings ring again later
    [stopRinging] turn off what rings
    [addTodo] put something on a list
    [finishTodo] tick something off a list
    [takeBack] take back what was set
    [logMeal] log a meal
    [deleteMeal] delete a meal
    [setVolume] change the volume of the voice
    [muteVoice] turn the voice on or off
    [exportTodos] save the lists and reminders as a file
    [localFiles-writes] save a file
    [localFiles-deletes] move a file to the trash
    [undoFileChange] undo the last change of a file
    [openLink] open a web page
    [openApplication] open a program
    [screenshot] read the text on the screen
    [readClipboard] read the clipboard
    [writeClipboard] put a text on the clipboard
    [controlMedia] control what is playing
    [setComputerVolume] change the volume of the computer
   *[other] use { $tool }
}
# A tool of a server.
permission-request-of-server = { $name } wants to use the tool { $tool } of the server { $server }, which { permission-effect }.
permission-request-of-server-with = { $name } wants to use the tool { $tool } of the server { $server }, which { permission-effect }, with { $values }.
# What the tool can change.
permission-effect = { $effect ->
    [reads] reads or computes
    [fetches] reads from the network
    [writes] adds or changes data
    [deletes] deletes data
   *[executes] runs a program
}
permission-more-values = { $count ->
    [one] one more value
   *[other] { $count } more values
}
# `$request` is one of the sentences above.
permission-question = { $request } Is that all right?
# Behind one of the sentences above, for a tool that was allowed as it was described before.
permission-description-changed = Its server describes the tool differently now.
# The user speaks in another room, and this is asked at the computer only.
permission-needs-click = { $request } That needs a key or a click at the computer, so it was not done.
# A tool of a server asks something during a call.
server-question = The tool server { $server } asks: “{ $question }” Do you want to answer?
server-sampling = The tool server { $server } wants to ask your language model: “{ $question }” Is that all right?
permission-yes = Yes
permission-always = Always
permission-no = No
# Words agreed to a call that deletes or runs something.
permission-by-hand = Please press a key or click for that: I only do it when you confirm it on the screen.

## Dates

date-span = From { $first } to { $last }.
# The day that was asked for is today.
date-today = That is today, { $date }.
# The number of days is never 0.
date-days-until = { $days ->
    [1] { $date } is tomorrow.
   *[other] { $days } days until { $date }.
}
# The number of days is never 0.
date-days-since = { $days ->
    [1] { $date } was yesterday.
   *[other] { $date } was { $days } days ago.
}
# The user asks for the number of the week.
date-week-now = It is week { $week }.
# The same for a day.
date-week-of = { $date } is in week { $week }.

## Times

time-here = It is { $time }.
# The user asks how long it is until a time of day.
time-until = { $duration } until { $time }.
time-there = It is { $time } in { $place }.
# It is another day there.
time-there-on = It is { $time } on { $weekday } in { $place }.
# A country.
time-many-zones = { $place } has several time zones. Name a town there.
place-unknown = I know no town or country called { $place }.

## Calculations and conversions

calculation-exact = { $from } is { $to }.
calculation-about = { $from } is about { $to }.
calculation-percent-of = { $percent }% of { $whole }
calculation-root-exact = The square root of { $number } is { $root }.
calculation-root-about = The square root of { $number } is about { $root }.
calculation-by-zero = Nothing can be divided by zero.
calculation-too-large = That is too large for me to calculate.
# The square root of a negative number.
calculation-not-real = No real number is the result of that.
# The names of two units, such as hours and grams.
units-differ = { $from } and { $to } measure different things, so one cannot be converted to the other.
units-too-cold = Nothing is colder than absolute zero, −273.15 degrees Celsius.
random-pick = It is { $choice }.

## Timers

timer-set = The timer is running: { $duration }.
timer-set-named = The timer “{ $label }” is running: { $duration }.
timer-none = No timer is running.
timer-left = { $duration } left on the timer.
timer-left-named = { $duration } left on the timer “{ $label }”.
timer-cancelled = The timer is cancelled.
timer-cancelled-named = The timer “{ $label }” is cancelled.
timers-cancelled = All timers are cancelled.
timer-paused = The timer is paused, with { $duration } left.
timer-paused-named = The timer “{ $label }” is paused, with { $duration } left.
timer-resumed = The timer is running again: { $duration } left.
timer-resumed-named = The timer “{ $label }” is running again: { $duration } left.
timer-paused-already = It is paused already, with { $duration } left.
timer-runs-already = It is not paused: { $duration } left.
timer-too-short = Only { $duration } left on it, so I changed nothing.
timer-too-long = A timer runs for at most 24 hours.
# How much time is to be added or taken off.
timer-how-much = By how much?
# A timer that was meant rang, or was cancelled meanwhile.
timer-ended = That timer has ended.
timer-unknown = No timer is called that. There are: { $names }.
timers-several = Several timers are running: { $names }. Which one?
appointments-full = There are { $most } already, and that is the most. Cancel one first.

## Alarms and reminders

alarm-set = The alarm is set: { $time }.
reminder-set = I will remind you: { $label }, { $time }.
reminder-item = { $label }: { $time }
reminder-cancelled = “{ $item }” is cancelled.
reminders-none = There are no alarms or reminders.
# An alarm or a reminder for a time that has passed.
alarm-over = That time is over already. Name one to come.
# `$kind` is alarm, reminder, or any where the user did not say.
reminders-none-of = { $kind ->
    [alarm] No alarm is set.
    [reminder] No reminder is set.
   *[other] There are no alarms or reminders.
}
# `$items` are those that are set.
reminders-no-fit = { $kind ->
    [alarm] There is no such alarm. Set: { $items }.
    [reminder] There is no such reminder. Set: { $items }.
   *[other] No alarm and no reminder fits. Set: { $items }.
}
# None is due on the day. `$items` are those that are set.
reminders-none-on = { $kind ->
    [alarm] There is no alarm for { $day }. Set: { $items }.
    [reminder] There is no reminder for { $day }. Set: { $items }.
   *[other] There is no alarm and no reminder for { $day }. Set: { $items }.
}
# One of several is to be cancelled.
reminders-several = { $kind ->
    [alarm] Several alarms fit: { $items }. Which one?
    [reminder] Several reminders fit: { $items }. Which one?
   *[other] Several fit: { $items }. Which one?
}
reminders-cancelled = All of these are cancelled: { $items }.
# The user asks to cancel it for one day.
reminder-repeats = “{ $item }” repeats, and I can only cancel it for good: ask without the day if you want that.
repeats-daily = every day
repeats-weekdays = Monday to Friday
repeats-weekly = every week
repeats-monthly = every month
repeats-yearly = every year

## To-do lists

# A list as the sentences below have it. `$list` is what the user called it, or to-do.
todo-list = { $list ->
    [to-do] your to-do list
   *[other] your { $list } list
}
# The same if that has a word for a list in it: "Einkaufsliste".
todo-list-named = your { $list }
# `$list` is one of the two above.
todo-added = “{ $text }” is on { $list }.
todo-done = “{ $text }” is done.
todos-done = Done: { $list }.
# Something that is on no list is to be ticked off. `$list` is what is open.
todo-no-fit = “{ $text }” is not on the list. Still to do: { $list }.
# One of several is to be ticked off.
todos-several = Several things fit: { $list }. Which one?
todo-list-empty = Nothing is left to do on { $list }.
todo-removed = “{ $text }” is no longer on { $list }.
# What was set is over, done or cancelled already.
taken-back-nothing = There is nothing left to take back.
undone-removed = “{ $item }” is gone again.
undone-removed-unnamed = That is gone again.
undone-restored = “{ $item }” is as it was before.
undone-restored-unnamed = That is as it was before.
undone-impossible = “{ $item }” cannot be undone: it was changed since, or no copy of it was kept.
undone-nothing = There is nothing to undo: I have changed nothing here in the last ten minutes.
todos-open = Still to do: { $list }.
# The open things of one list.
todos-open-on = On { $list }: { $items }.
# The user asks if something is on a list. `$list` is the list, `$items` what is open.
todo-is-on = Yes, “{ $text }” is on { $list }.
todo-is-not-on = No, “{ $text }” is not on { $list }. It has: { $items }.
# The same if no list was named.
todo-is-on-none = No, “{ $text }” is on no list. Still to do: { $items }.
todos-none = Nothing is left to do.
todos-exported = Saved in your documents as { $file }.

## The voice of Jarvis

voice-volume = I speak at { $percent } percent now.
voice-volume-range = My volume goes from 0 to 100 percent.
voice-muted = I am silent: answers are shown only.
voice-unmuted = I speak again.
# No installed voice speaks the language of an answer. `$voice` is the name of a voice for it.
voice-missing = No installed voice speaks the language of this answer, so the system's voice reads it.
voice-missing-download = No installed voice speaks the language of this answer, so the system's voice reads it. Get a better one with `jarvis models fetch { $voice }`.

## What rings

ring-stopped = It is off.
ring-none = Nothing is ringing.
ring-again = It rings again in { $duration }.
snooze-range = It can ring again after one minute to 24 hours.
# What rings now. `$label` is what the user called it.
ring-timer = Your timer is done.
ring-timer-named = Your { $label } timer is done.
ring-alarm = Your alarm is ringing.
ring-alarm-named = Your alarm: { $label }.
ring-reminder = I was to remind you now.
ring-reminder-named = Reminder: { $label }.
# What could not ring in time. `$time` is when it was due.
ring-timer-missed = Your timer was done at { $time }, while I was off.
ring-timer-missed-named = Your { $label } timer was done at { $time }, while I was off.
ring-alarm-missed = You missed your alarm of { $time }, while I was off.
ring-alarm-missed-named = You missed your alarm of { $time }, while I was off: { $label }.
ring-reminder-missed = You missed a reminder of { $time }, while I was off.
ring-reminder-missed-named = You missed a reminder of { $time }, while I was off: { $label }.
# A day of this year that is not today.
ring-format-day = d/M
ring-format-time = HH:mm
# The time of a day that is not today.
ring-on-day = { $time } on { $day }


## A Command Center, whose node Jarvis is

# A tool waits for what the user says next.
node-go-ahead = Go ahead.
node-done = Done.
node-did-not-work = Sorry, that did not work.
# `$error` is what a tool or the server says.
node-did-not-work-why = Sorry, that did not work: { $error }
node-unreachable = I cannot reach the Command Center.
node-answers-itself = I cannot reach the Command Center, so I answer myself.
# `$request` says what would be done.
node-asks-for-tool = The Command Center asks for this. { $request }
node-results-not-sent = The Command Center did not take what I found.
node-answer-not-sent = The Command Center did not take your answer.
node-too-many-rounds = The Command Center asked for more and more, so I stopped.
node-unauthorised = The Command Center does not accept my key.
node-conversation-expired = The Command Center has forgotten our conversation.
node-server-error = The Command Center has a problem.
node-not-understood = I could not understand the answer of the Command Center.
# Said to another node, whose request took too many steps.
node-too-many-steps = I stopped, because this took too many steps.
node-woken = Yes?
# Sent to the Command Center in place of an answer.
node-answer-of-nobody = There is nobody to ask. Put the request in other words.

## Delivering a reply

# The voice of an online service may not be used any more.
voice-quota = The voice service has no quota left, so I answer in writing.
# Nothing can be spoken at the moment.
voice-unavailable = My voice does not work just now, so I answer in writing.
# A file that the place of the answer cannot show. $name: its name
file-not-shown = “{ $name }” cannot be shown here.
# Nothing of an answer came. $explanation: one or two sentences about the reason
feedback-explained = I could not answer. { $explanation }
# Nothing of an answer came, for no known reason.
feedback-generic = Something went wrong, and I have no answer. Please ask again.

## Links, as they are spoken

# A link with a text. A homepage is an address without a path. $site: the host, such as “example.com”
spoken-link-to-homepage = Link to { $site } homepage with the text '{ $text }'
spoken-link-to-page = Link to a page under { $site } with the text '{ $text }'
# An address within a sentence.
spoken-homepage = { $site } homepage
spoken-page = a page under { $site }
