### The messages of English in this language; what is missing is said in English.

## How numbers, days and times are written

format-locale = de
format-day = EEEE, d. MMMM y
format-time = H:mm
format-christmas-day = 24

## Durations

duration-hours = { $count ->
    [one] { $count } Stunde
   *[other] { $count } Stunden
}
duration-minutes = { $count ->
    [one] { $count } Minute
   *[other] { $count } Minuten
}
duration-seconds = { $count ->
    [one] { $count } Sekunde
   *[other] { $count } Sekunden
}

## Replies that no model words

reply-nothing-known = Das weiß ich nicht: In meiner Erinnerung finde ich nichts darüber.
reply-rest-undone = Den Rest konnte ich nicht erledigen.
reply-one-moment = Einen Moment.
reply-garbled = Das ist mir leider missraten. Fragst du mich noch einmal, vielleicht mit anderen Worten?
reply-no-answer = Darauf habe ich leider keine Antwort. Kannst du es anders sagen?
reply-out-of-turns = Ich habe hier aufgehört: Das brauchte mehr Schritte, als ich machen darf.
reply-files-left-out = { $count ->
    [one] Eine Datei fehlt: Die Antwort hat zu viele.
   *[other] { $count } Dateien fehlen: Die Antwort hat zu viele.
}
reply-orders-left-out = { $count ->
    [one] Ein Satz aus dem Ergebnis eines Werkzeugs gab einem Assistenten Befehle: Ich habe ihn weggelassen.
   *[other] { $count } Sätze aus Ergebnissen von Werkzeugen gaben einem Assistenten Befehle: Ich habe sie weggelassen.
}
reply-larger-model = Ein größeres Sprachmodell, in den Einstellungen, könnte mehr.
reply-not-done = Das habe ich nicht getan.
reply-dismissed = In Ordnung.
reply-missing = Sag es bitte genauer: Welche Angabe fehlt noch?
reply-ask = { $argument ->
    [place] Für welchen Ort?
    [time] Um wie viel Uhr?
    [date] Für welchen Tag?
    [duration] Für wie lange?
    [label] Wie heißt es?
    [text] Was genau?
    [list] Welche Liste?
    [amount] Wie viel?
    [unit] In welcher Einheit?
    [expression] Was soll ich ausrechnen?
    [meal] Was hast du gegessen?
    [query] Wonach soll ich suchen?
   *[other] Eine Angabe fehlt noch: { $argument }.
}
reply-no-source = { $topic ->
    [weather] Das Wetter kann ich nicht nachsehen: Ich habe noch keine Quelle dafür.
    [news] Nachrichten kann ich nicht nachsehen: Ich habe noch keine Quelle dafür.
    [prices] Preise kann ich nicht nachsehen: Ich habe noch keine Quelle dafür.
    [scores] Ergebnisse kann ich nicht nachsehen: Ich habe noch keine Quelle dafür.
    [traffic] Verkehr und Fahrpläne kann ich nicht nachsehen: Ich habe noch keine Quelle dafür.
    [opening_hours] Öffnungszeiten kann ich nicht nachsehen: Ich habe noch keine Quelle dafür.
   *[other] Das kann ich nicht wissen: Es liegt in der Zukunft, oder mir fehlt eine Quelle dafür.
}
reply-source-offline = Du hast „Offline arbeiten“ eingeschaltet; das lässt sich in den Einstellungen ändern.
reply-source-search-off = Die Websuche ist ausgeschaltet; das lässt sich in den Einstellungen ändern.
tool-title = { $tool ->
    [webSearch] Websuche
    [fetchWebPage] Webseite
    [getWeather] Wetter
   *[other] { $tool }
}
reply-source-failed = Das kann ich nicht sagen: { $tool } hat mir keine Antwort gegeben.
reply-source-denied = Das kann ich nicht sagen: { $tool } durfte nicht nachsehen.
reply-source-unused = Das kann ich nicht sagen: Ich habe nicht mit { $tool } nachgesehen.
reply-cannot-do = { $action ->
    [mail] Ich kann keine E-Mails senden oder lesen: Dafür ist kein Werkzeug eingerichtet.
    [messages] Ich kann keine Nachrichten senden: Dafür ist kein Werkzeug eingerichtet.
    [calls] Ich kann niemanden anrufen: Dafür ist kein Werkzeug eingerichtet.
    [devices] Ich kann kein Licht und keine Geräte schalten: Dafür ist kein Werkzeug eingerichtet.
    [music] Ich kann keine Musik abspielen: Dafür ist kein Werkzeug eingerichtet.
    [purchases] Ich kann nichts kaufen: Dafür ist kein Werkzeug eingerichtet.
   *[other] Ich kann nichts buchen: Dafür ist kein Werkzeug eingerichtet.
}
reply-nothing-done = Ich habe gerade nichts getan: Kein Werkzeug hat das ausgeführt.
reply-no-person = Ich bin { $name }, ein Programm auf diesem Computer und kein Mensch.
reply-name-noted = Freut mich, { $name }. Ich habe mir deinen Namen gemerkt.
reply-place-noted = Ich habe mir gemerkt, wo du wohnst: { $place }.
reply-your-name = Du heißt { $name }.
reply-your-place = Du wohnst in { $place }.
reply-you-are-here = Soweit ich weiß, bist du hier: { $place }.
reply-no-place = Ich weiß nicht, wo du bist: Es ist kein Ort eingestellt. Du kannst einen in den Einstellungen unter „Location“ angeben.
reply-told-noted = Danke, das merke ich mir.
reply-offer-reminder = Soll ich dich daran erinnern?
reply-told = Du hast mir gesagt: „{ $words }“
reply-you-said-first = Zuerst hast du gesagt: „{ $words }“
reply-you-said = Du hast gesagt: „{ $words }“
reply-nothing-said = In diesem Gespräch hast du noch nichts anderes gesagt.
reply-nothing-asked = In diesem Gespräch hast du noch nichts anderes gefragt.
reply-spelt = „{ $word }“ schreibt man { $letters }.
reply-who-i-am = Ich bin { $name }, dein Assistent: ein Programm auf diesem Computer und kein Mensch.
reply-what-i-can = Ich stelle Timer, Wecker und Erinnerungen, führe deine Listen, rechne und rechne um, nenne Uhrzeit und Datum überall und merke mir, was du mir sagst. Allgemeine Fragen beantworte ich, so gut ich kann.
reply-i-am-well = Sehr gut, danke.

## Permission to run a tool

permission-request = { $name } möchte { permission-action }.
permission-request-with = { $name } möchte { permission-action }: { $values }.
permission-action = { $tool ->
    [setTimer] einen Timer stellen
    [cancelTimer] einen Timer löschen
    [changeTimer] einen Timer ändern
    [setAlarm] einen Wecker stellen
    [setReminder] eine Erinnerung anlegen
    [cancelReminder] einen Wecker oder eine Erinnerung löschen
    [snooze] später noch einmal klingeln lassen, was jetzt klingelt
    [stopRinging] ausschalten, was klingelt
    [addTodo] etwas auf eine Liste setzen
    [finishTodo] etwas auf einer Liste abhaken
    [takeBack] zurücknehmen, was eingestellt wurde
    [logMeal] eine Mahlzeit eintragen
    [deleteMeal] eine Mahlzeit löschen
    [setVolume] die Lautstärke der Stimme ändern
    [muteVoice] die Stimme ein- oder ausschalten
    [exportTodos] Listen und Erinnerungen als Datei speichern
    [localFiles-writes] eine Datei speichern
    [localFiles-deletes] eine Datei in den Papierkorb verschieben
    [undoFileChange] die letzte Änderung an einer Datei rückgängig machen
    [openLink] eine Webseite öffnen
    [openApplication] ein Programm öffnen
    [screenshot] den Text auf dem Bildschirm lesen
    [readClipboard] die Zwischenablage lesen
    [writeClipboard] einen Text in die Zwischenablage legen
    [controlMedia] die Wiedergabe steuern
    [setComputerVolume] die Lautstärke des Computers ändern
   *[other] { $tool } benutzen
}
permission-request-of-server = { $name } möchte das Werkzeug { $tool } des Servers { $server } benutzen, das { permission-effect }.
permission-request-of-server-with = { $name } möchte das Werkzeug { $tool } des Servers { $server } benutzen, das { permission-effect }, und zwar mit { $values }.
permission-effect = { $effect ->
    [reads] etwas nachsieht oder berechnet
    [fetches] Daten aus dem Netz holt
    [writes] Daten hinzufügt oder ändert
    [deletes] Daten löscht
   *[executes] ein Programm ausführt
}
permission-more-values = { $count ->
    [one] einem weiteren Wert
   *[other] { $count } weiteren Werten
}
permission-question = { $request } Ist das in Ordnung?
permission-description-changed = Sein Server beschreibt das Werkzeug jetzt anders.
permission-needs-click = { $request } Das geht nur mit einer Taste oder einem Klick am Computer, darum ist es nicht geschehen.
server-question = Der Werkzeugserver { $server } fragt: „{ $question }“ Möchtest du antworten?
server-sampling = Der Werkzeugserver { $server } möchte dein Sprachmodell fragen: „{ $question }“ Darf er das?
permission-yes = Ja
permission-always = Immer
permission-no = Nein
permission-by-hand = Bitte drücke dafür eine Taste oder klicke: Ich tue das nur, wenn du es auf dem Bildschirm bestätigst.

## Dates

date-span = Von { $first } bis { $last }.
date-today = Das ist heute, { $date }.
date-days-until = { $days ->
    [1] Das ist morgen, { $date }.
   *[other] Noch { $days } Tage bis { $date }.
}
date-days-since = { $days ->
    [1] Das war gestern, { $date }.
   *[other] Seit { $date } sind { $days } Tage vergangen.
}
date-week-now = Wir haben Kalenderwoche { $week }.
date-week-of = { $date } liegt in Kalenderwoche { $week }.

## Times

time-here = Es ist { $time }.
time-until = Noch { $duration } bis { $time }.
time-there = In { $place } ist es { $time }.
time-there-on = In { $place } ist es { $weekday }, { $time }.
time-many-zones = { $place } hat mehrere Zeitzonen. Nenne eine Stadt dort.
place-unknown = Ich kenne keinen Ort und kein Land namens { $place }.

## Calculations and conversions

calculation-exact = { $from } sind { $to }.
calculation-about = { $from } sind etwa { $to }.
calculation-percent-of = { $percent } Prozent von { $whole }
calculation-root-exact = Die Wurzel aus { $number } ist { $root }.
calculation-root-about = Die Wurzel aus { $number } ist etwa { $root }.
calculation-by-zero = Durch null kann man nicht teilen.
calculation-too-large = Das ist mir zu groß zum Rechnen.
calculation-not-real = Dafür gibt es keine reelle Zahl als Ergebnis.
units-differ = { $from } und { $to } messen Verschiedenes, das lässt sich nicht umrechnen.
units-too-cold = Nichts ist kälter als der absolute Nullpunkt, −273,15 Grad Celsius.
random-pick = Es ist { $choice }.

## Timers

timer-set = Der Timer läuft: { $duration }.
timer-set-named = Der Timer „{ $label }“ läuft: { $duration }.
timer-none = Es läuft kein Timer.
timer-left = Auf dem Timer: noch { $duration }.
timer-left-named = Auf dem Timer „{ $label }“: noch { $duration }.
timer-cancelled = Der Timer ist gelöscht.
timer-cancelled-named = Der Timer „{ $label }“ ist gelöscht.
timers-cancelled = Alle Timer sind gelöscht.
timer-paused = Der Timer ist angehalten, noch { $duration }.
timer-paused-named = Der Timer „{ $label }“ ist angehalten, noch { $duration }.
timer-resumed = Der Timer läuft wieder: noch { $duration }.
timer-resumed-named = Der Timer „{ $label }“ läuft wieder: noch { $duration }.
timer-paused-already = Er ist schon angehalten, noch { $duration }.
timer-runs-already = Er ist nicht angehalten: noch { $duration }.
timer-too-short = Es sind nur noch { $duration }, deshalb habe ich nichts geändert.
timer-too-long = Ein Timer läuft höchstens 24 Stunden.
timer-how-much = Um wie viel?
timer-ended = Dieser Timer ist schon zu Ende.
timer-unknown = So heißt kein Timer. Es gibt: { $names }.
timers-several = Es laufen mehrere Timer: { $names }. Welcher?
appointments-full = Es gibt schon { $most }, mehr gehen nicht. Lösche erst einen.

## Alarms and reminders

alarm-set = Der Wecker ist gestellt: { $time }.
reminder-set = Ich erinnere dich: { $label }, { $time }.
reminder-item = { $label }: { $time }
reminder-cancelled = „{ $item }“ ist gelöscht.
reminders-none = Es gibt keine Wecker und keine Erinnerungen.
alarm-over = Die Zeit ist schon vorbei. Nenne eine, die noch kommt.
reminders-none-of = { $kind ->
    [alarm] Es ist kein Wecker gestellt.
    [reminder] Es gibt keine Erinnerung.
   *[other] Es gibt keine Wecker und keine Erinnerungen.
}
reminders-no-fit = { $kind ->
    [alarm] So einen Wecker gibt es nicht. Gestellt: { $items }.
    [reminder] So eine Erinnerung gibt es nicht. Vorgemerkt: { $items }.
   *[other] Kein Wecker und keine Erinnerung passt. Vorgemerkt: { $items }.
}
reminders-none-on = { $kind ->
    [alarm] Für { $day } ist kein Wecker gestellt. Gestellt: { $items }.
    [reminder] Für { $day } gibt es keine Erinnerung. Vorgemerkt: { $items }.
   *[other] Für { $day } gibt es keinen Wecker und keine Erinnerung. Vorgemerkt: { $items }.
}
reminders-several = { $kind ->
    [alarm] Es passen mehrere Wecker: { $items }. Welcher?
    [reminder] Es passen mehrere Erinnerungen: { $items }. Welche?
   *[other] Es passt mehreres: { $items }. Was davon?
}
reminders-cancelled = Alles gelöscht: { $items }.
reminder-repeats = „{ $item }“ wiederholt sich, ich kann es nur ganz löschen: Sag es ohne den Tag, wenn du das willst.
repeats-daily = jeden Tag
repeats-weekdays = montags bis freitags
repeats-weekly = jede Woche
repeats-monthly = jeden Monat
repeats-yearly = jedes Jahr

## To-do lists

todo-list = { $list ->
    [to-do] deiner To-do-Liste
   *[other] der Liste „{ $list }“
}
todo-list-named = deiner { $list }
todo-added = „{ $text }“ steht auf { $list }.
todo-done = „{ $text }“ ist erledigt.
todos-done = Erledigt: { $list }.
todo-no-fit = „{ $text }“ steht nicht auf der Liste. Noch zu tun: { $list }.
todos-several = Es passt mehreres: { $list }. Was davon?
todo-list-empty = Auf { $list } ist nichts mehr zu tun.
todo-removed = „{ $text }“ steht nicht mehr auf { $list }.
taken-back-nothing = Da gibt es nichts mehr zurückzunehmen.
undone-removed = „{ $item }“ ist wieder weg.
undone-removed-unnamed = Das ist wieder weg.
undone-restored = „{ $item }“ ist wieder wie vorher.
undone-restored-unnamed = Das ist wieder wie vorher.
undone-impossible = „{ $item }“ lässt sich nicht rückgängig machen: Es wurde seitdem geändert, oder es gibt keine Kopie davon.
undone-nothing = Es gibt nichts rückgängig zu machen: Ich habe hier in den letzten zehn Minuten nichts geändert.
todos-open = Noch zu tun: { $list }.
todos-open-on = Auf { $list }: { $items }.
todo-is-on = Ja, „{ $text }“ steht auf { $list }.
todo-is-not-on = Nein, „{ $text }“ steht nicht auf { $list }. Dort steht: { $items }.
todo-is-on-none = Nein, „{ $text }“ steht auf keiner Liste. Noch zu tun: { $items }.
todos-none = Es ist nichts mehr zu tun.
todos-exported = In deinen Dokumenten gespeichert als { $file }.

## The voice of Jarvis

voice-volume = Ich spreche jetzt mit { $percent } Prozent der Lautstärke.
voice-volume-range = Meine Lautstärke geht von 0 bis 100 Prozent.
voice-muted = Ich bin still: Antworten werden nur gezeigt.
voice-unmuted = Ich spreche wieder.
voice-missing = Keine installierte Stimme spricht die Sprache dieser Antwort, deshalb liest die Stimme des Systems sie vor.
voice-missing-download = Keine installierte Stimme spricht die Sprache dieser Antwort, deshalb liest die Stimme des Systems sie vor. Eine bessere bekommst du mit `jarvis models fetch { $voice }`.

## What rings

ring-stopped = Es ist aus.
ring-none = Es klingelt nichts.
ring-again = Es klingelt wieder in { $duration }.
snooze-range = Es kann nach einer Minute bis 24 Stunden wieder klingeln.
ring-timer = Dein Timer ist abgelaufen.
ring-timer-named = Dein Timer { $label } ist abgelaufen.
ring-alarm = Dein Wecker klingelt.
ring-alarm-named = Dein Wecker: { $label }.
ring-reminder = Ich soll dich jetzt erinnern.
ring-reminder-named = Erinnerung: { $label }.
ring-timer-missed = Dein Timer ist um { $time } abgelaufen, als ich aus war.
ring-timer-missed-named = Dein Timer { $label } ist um { $time } abgelaufen, als ich aus war.
ring-alarm-missed = Dein Wecker war um { $time } gestellt, als ich aus war.
ring-alarm-missed-named = Dein Wecker war um { $time } gestellt, als ich aus war: { $label }.
ring-reminder-missed = Eine Erinnerung war um { $time } fällig, als ich aus war.
ring-reminder-missed-named = Eine Erinnerung war um { $time } fällig, als ich aus war: { $label }.
ring-format-day = d.M.
ring-format-time = HH:mm
ring-on-day = { $time } am { $day }

## A Command Center, whose node Jarvis is

node-go-ahead = Nur zu.
node-done = Erledigt.
node-did-not-work = Das hat leider nicht geklappt.
node-did-not-work-why = Das hat leider nicht geklappt: { $error }
node-unreachable = Ich erreiche das Command Center nicht.
node-answers-itself = Ich erreiche das Command Center nicht und antworte deshalb selbst.
node-asks-for-tool = Das Command Center bittet darum. { $request }
node-results-not-sent = Das Command Center hat nicht angenommen, was ich gefunden habe.
node-answer-not-sent = Das Command Center hat deine Antwort nicht angenommen.
node-too-many-rounds = Das Command Center wollte immer mehr, da habe ich aufgehört.
node-unauthorised = Das Command Center nimmt meinen Schlüssel nicht an.
node-conversation-expired = Das Command Center hat unser Gespräch vergessen.
node-server-error = Das Command Center hat ein Problem.
node-not-understood = Ich konnte die Antwort des Command Centers nicht verstehen.
node-too-many-steps = Ich habe aufgehört, denn es waren zu viele Schritte.
node-woken = Ja?
node-answer-of-nobody = Es ist niemand da, der antworten kann. Formuliere die Bitte anders.

## Delivering a reply

voice-quota = Das Kontingent des Sprachdienstes ist aufgebraucht, deshalb antworte ich schriftlich.
voice-unavailable = Meine Stimme funktioniert gerade nicht, deshalb antworte ich schriftlich.
file-not-shown = „{ $name }“ kann hier nicht angezeigt werden.
feedback-explained = Ich konnte nicht antworten. { $explanation }
feedback-generic = Etwas ist schiefgegangen, und ich habe keine Antwort. Bitte frag noch einmal.

## Links, as they are spoken

spoken-link-to-homepage = Link zur Startseite von { $site } mit dem Text „{ $text }“
spoken-link-to-page = Link zu einer Seite unter { $site } mit dem Text „{ $text }“
spoken-homepage = Startseite von { $site }
spoken-page = Seite unter { $site }
