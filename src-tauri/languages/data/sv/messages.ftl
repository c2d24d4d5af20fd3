### The messages of English in this language; what is missing is said in English.

## How numbers, days and times are written

format-locale = sv
format-day = EEEE d MMMM y
format-time = HH:mm
format-christmas-day = 24

## Durations

duration-hours = { $count ->
    [one] { $count } timme
   *[other] { $count } timmar
}
duration-minutes = { $count ->
    [one] { $count } minut
   *[other] { $count } minuter
}
duration-seconds = { $count ->
    [one] { $count } sekund
   *[other] { $count } sekunder
}

## Replies that no model words

reply-nothing-known = Det vet jag inte: jag hittar inget om det i mitt minne.
reply-rest-undone = Resten kunde jag inte göra.
reply-one-moment = Ett ögonblick.
reply-garbled = Det blev tyvärr rörigt. Kan du fråga mig igen, kanske med andra ord?
reply-no-answer = Det har jag tyvärr inget svar på. Kan du säga det på ett annat sätt?
reply-out-of-turns = Jag stannade där: det krävde fler steg än jag får ta.
reply-files-left-out = { $count ->
    [one] En fil saknas: svaret har för många.
   *[other] { $count } filer saknas: svaret har för många.
}
reply-orders-left-out = { $count ->
    [one] En mening i ett verktygs resultat gav en assistent order: den har jag utelämnat.
   *[other] { $count } meningar i verktygs resultat gav en assistent order: dem har jag utelämnat.
}
reply-larger-model = En större språkmodell, i inställningarna, skulle klara mer.
reply-not-done = Då låter jag bli.
reply-dismissed = Okej.
reply-missing = Kan du säga det fullständigt? Jag saknar hur länge, när eller vad exakt.
reply-ask = { $argument ->
    [place] För vilken plats?
    [time] Hur dags?
    [date] För vilken dag?
    [duration] Hur länge?
    [label] Vad heter det?
    [text] Vad exakt?
    [list] Vilken lista?
    [amount] Hur mycket?
    [unit] I vilken enhet?
    [expression] Vad ska jag räkna ut?
    [meal] Vad har du ätit?
    [query] Vad ska jag leta efter?
   *[other] En uppgift saknas: { $argument }.
}
reply-no-source = { $topic ->
    [weather] Jag kan inte kolla vädret: jag har ingen källa för det än.
    [news] Jag kan inte kolla nyheterna: jag har ingen källa för dem än.
    [prices] Jag kan inte kolla priser: jag har ingen källa för dem än.
    [scores] Jag kan inte kolla resultat: jag har ingen källa för dem än.
    [traffic] Jag kan inte kolla trafik eller tidtabeller: jag har ingen källa för dem än.
    [opening_hours] Jag kan inte kolla öppettider: jag har ingen källa för dem än.
   *[other] Det kan jag inte veta: det ligger i framtiden, eller så saknar jag en källa.
}
reply-source-offline = Offlinearbete är påslaget; det går att ändra i inställningarna.
reply-source-search-off = Webbsökning är avstängd; det går att ändra i inställningarna.
tool-title = { $tool ->
    [webSearch] Webbsökning
    [fetchWebPage] Webbsida
    [getWeather] Väder
   *[other] { $tool }
}
reply-source-failed = Det kan jag inte säga: { $tool } gav mig inget svar.
reply-source-denied = Det kan jag inte säga: { $tool } fick inte kolla det.
reply-source-unused = Det kan jag inte säga: jag har inte kollat det med { $tool }.
reply-cannot-do = { $action ->
    [mail] Jag kan inte skicka eller läsa e-post: inget verktyg är inställt för det.
    [messages] Jag kan inte skicka meddelanden: inget verktyg är inställt för det.
    [calls] Jag kan inte ringa någon: inget verktyg är inställt för det.
    [devices] Jag kan inte styra lampor eller apparater: inget verktyg är inställt för det.
    [music] Jag kan inte spela musik: inget verktyg är inställt för det.
    [purchases] Jag kan inte köpa något: inget verktyg är inställt för det.
   *[other] Jag kan inte boka något: inget verktyg är inställt för det.
}
reply-nothing-done = Jag har inte gjort något just nu: inget verktyg har utfört det.
reply-no-person = Jag är { $name }, ett program på den här datorn, och ingen människa.
reply-name-noted = Trevligt att träffas, { $name }. Jag har lagt ditt namn på minnet.
reply-place-noted = Jag har lagt på minnet att du bor i { $place }.
reply-your-name = Du heter { $name }.
reply-your-place = Du bor i { $place }.
reply-you-are-here = Så vitt jag vet är du här: { $place }.
reply-no-place = Jag vet inte var du är: ingen plats är angiven. Du kan ange en i inställningarna, under ”Location”.
reply-told-noted = Tack, det lägger jag på minnet.
reply-offer-reminder = Ska jag påminna dig om det?
reply-told = Du har sagt till mig: ”{ $words }”
reply-you-said-first = Först sa du: ”{ $words }”
reply-you-said = Du sa: ”{ $words }”
reply-nothing-said = Du har inte sagt något annat i det här samtalet än.
reply-nothing-asked = Du har inte frågat något annat i det här samtalet än.
reply-spelt = ”{ $word }” stavas { $letters }.
reply-who-i-am = Jag är { $name }, din assistent: ett program på den här datorn, och ingen människa.
reply-what-i-can = Jag ställer timrar, alarm och påminnelser, sköter dina listor, räknar och omvandlar, säger tid och datum var som helst och minns det du berättar. Allmänna frågor svarar jag på så gott jag kan.
reply-i-am-well = Mycket bra, tack.

## Permission to run a tool

permission-request = { $name } vill { permission-action }.
permission-request-with = { $name } vill { permission-action }: { $values }.
permission-action = { $tool ->
    [setTimer] ställa en timer
    [cancelTimer] avbryta en timer
    [changeTimer] ändra en timer
    [setAlarm] ställa ett alarm
    [setReminder] lägga in en påminnelse
    [cancelReminder] ta bort ett alarm eller en påminnelse
    [snooze] låta det ringa igen senare
    [stopRinging] stänga av det som ringer
    [addTodo] sätta upp något på en lista
    [finishTodo] bocka av något på en lista
    [takeBack] ångra det som ställdes in
    [logMeal] anteckna en måltid
    [deleteMeal] radera en måltid
    [setVolume] ändra röstens volym
    [muteVoice] slå på eller av rösten
    [exportTodos] spara listor och påminnelser i en fil
    [localFiles-writes] spara en fil
    [localFiles-deletes] flytta en fil till papperskorgen
    [undoFileChange] ångra den senaste ändringen av en fil
    [openLink] öppna en webbsida
    [openApplication] öppna ett program
    [screenshot] läsa texten på skärmen
    [readClipboard] läsa urklipp
    [writeClipboard] lägga en text i urklipp
    [controlMedia] styra uppspelningen
    [setComputerVolume] ändra datorns volym
   *[other] använda { $tool }
}
permission-request-of-server = { $name } vill använda verktyget { $tool } från servern { $server }, som { permission-effect }.
permission-request-of-server-with = { $name } vill använda verktyget { $tool } från servern { $server }, som { permission-effect }, med { $values }.
permission-effect = { $effect ->
    [reads] läser eller räknar
    [fetches] hämtar data från nätet
    [writes] lägger till eller ändrar data
    [deletes] raderar data
   *[executes] kör ett program
}
permission-more-values = { $count ->
    [one] ett värde till
   *[other] { $count } värden till
}
permission-question = { $request } Går det bra?
permission-description-changed = Servern beskriver nu verktyget på ett annat sätt.
permission-needs-click = { $request } Det kräver en tangent eller ett klick vid datorn, så det gjordes inte.
server-question = Verktygsservern { $server } frågar: ”{ $question }” Vill du svara?
server-sampling = Verktygsservern { $server } vill fråga din språkmodell: ”{ $question }” Går det bra?
permission-yes = Ja
permission-always = Alltid
permission-no = Nej
permission-by-hand = Tryck på en tangent eller klicka för det: jag gör det bara om du bekräftar på skärmen.

## Dates

date-span = Från { $first } till { $last }.
date-today = Det är idag, { $date }.
date-days-until = { $days ->
    [1] Det är imorgon, { $date }.
   *[other] Det är { $days } dagar kvar till { $date }.
}
date-days-since = { $days ->
    [1] Det var igår, { $date }.
   *[other] Det är { $days } dagar sedan { $date }.
}
date-week-now = Det är vecka { $week }.
date-week-of = { $date } infaller i vecka { $week }.

## Times

time-here = Klockan är { $time }.
time-until = { $duration } kvar till { $time }.
time-there = Klockan är { $time } i { $place }.
time-there-on = I { $place } är det { $weekday } och klockan är { $time }.
time-many-zones = { $place } har flera tidszoner. Nämn en ort där.
place-unknown = Jag känner inte till någon ort eller något land som heter { $place }.

## Calculations and conversions

calculation-exact = { $from } är { $to }.
calculation-about = { $from } är ungefär { $to }.
calculation-percent-of = { $percent } procent av { $whole }
calculation-root-exact = Kvadratroten ur { $number } är { $root }.
calculation-root-about = Kvadratroten ur { $number } är ungefär { $root }.
calculation-by-zero = Det går inte att dela med noll.
calculation-too-large = Det är för stort för att jag ska kunna räkna ut det.
calculation-not-real = Det ger inget reellt tal.
units-differ = { $from } och { $to } mäter olika saker, så det går inte att räkna om.
units-too-cold = Inget är kallare än den absoluta nollpunkten, −273,15 grader Celsius.
random-pick = Det blev { $choice }.

## Timers

timer-set = Timern går: { $duration }.
timer-set-named = Timern ”{ $label }” går: { $duration }.
timer-none = Ingen timer går.
timer-left = { $duration } kvar på timern.
timer-left-named = { $duration } kvar på timern ”{ $label }”.
timer-cancelled = Timern är avbruten.
timer-cancelled-named = Timern ”{ $label }” är avbruten.
timers-cancelled = Alla timrar är avbrutna.
timer-paused = Timern är pausad, { $duration } kvar.
timer-paused-named = Timern ”{ $label }” är pausad, { $duration } kvar.
timer-resumed = Timern går igen: { $duration } kvar.
timer-resumed-named = Timern ”{ $label }” går igen: { $duration } kvar.
timer-paused-already = Den är redan pausad, { $duration } kvar.
timer-runs-already = Den är inte pausad: { $duration } kvar.
timer-too-short = Det är bara { $duration } kvar, så jag ändrade inget.
timer-too-long = En timer går i högst 24 timmar.
timer-how-much = Med hur mycket?
timer-ended = Den timern är redan slut.
timer-unknown = Ingen timer heter så. Det finns: { $names }.
timers-several = Flera timrar går: { $names }. Vilken?
appointments-full = Det finns redan { $most }, och fler går inte. Avbryt en först.

## Alarms and reminders

alarm-set = Alarmet är ställt: { $time }.
reminder-set = Jag påminner dig: { $label }, { $time }.
reminder-item = { $label }: { $time }
reminder-cancelled = ”{ $item }” har tagits bort.
reminders-none = Det finns inga alarm eller påminnelser.
alarm-over = Den tiden är redan förbi. Säg en som kommer.
reminders-none-of = { $kind ->
    [alarm] Inget alarm är ställt.
    [reminder] Det finns ingen påminnelse.
   *[other] Det finns inga alarm eller påminnelser.
}
reminders-no-fit = { $kind ->
    [alarm] Det finns inget sådant alarm. Ställda: { $items }.
    [reminder] Det finns ingen sådan påminnelse. Inställda: { $items }.
   *[other] Inget alarm och ingen påminnelse passar. Inställda: { $items }.
}
reminders-none-on = { $kind ->
    [alarm] Det finns inget alarm för { $day }. Ställda: { $items }.
    [reminder] Det finns ingen påminnelse för { $day }. Inställda: { $items }.
   *[other] Det finns inget alarm eller påminnelse för { $day }. Inställda: { $items }.
}
reminders-several = { $kind ->
    [alarm] Det finns flera alarm: { $items }. Vilket?
    [reminder] Det finns flera påminnelser: { $items }. Vilken?
   *[other] Det finns flera: { $items }. Vilken?
}
reminders-cancelled = Allt detta har tagits bort: { $items }.
reminder-repeats = ”{ $item }” upprepas, och jag kan bara ta bort det helt: säg det utan dagen om du vill det.
repeats-daily = varje dag
repeats-weekdays = måndag till fredag
repeats-weekly = varje vecka
repeats-monthly = varje månad
repeats-yearly = varje år

## To-do lists

todo-list = { $list ->
    [to-do] din att göra-lista
   *[other] din lista ”{ $list }”
}
todo-list-named = listan ”{ $list }”
todo-added = ”{ $text }” står på { $list }.
todo-done = Jag har bockat av ”{ $text }”.
todos-done = Klart: { $list }.
todo-no-fit = ”{ $text }” står inte på listan. Kvar att göra: { $list }.
todos-several = Flera saker passar: { $list }. Vilken?
todo-list-empty = Inget är kvar att göra på { $list }.
todo-removed = ”{ $text }” står inte längre på { $list }.
taken-back-nothing = Det finns inget kvar att ångra.
undone-removed = ”{ $item }” är borta igen.
undone-removed-unnamed = Det är borta igen.
undone-restored = ”{ $item }” är som förut.
undone-restored-unnamed = Det är som förut.
undone-impossible = ”{ $item }” kan inte ångras: det har ändrats sedan dess, eller så sparades ingen kopia.
undone-nothing = Det finns inget att ångra: jag har inte ändrat något här de senaste tio minuterna.
todos-open = Kvar att göra: { $list }.
todos-open-on = På { $list }: { $items }.
todo-is-on = Ja, ”{ $text }” står på { $list }.
todo-is-not-on = Nej, ”{ $text }” står inte på { $list }. Där står: { $items }.
todo-is-on-none = Nej, ”{ $text }” står inte på någon lista. Kvar att göra: { $items }.
todos-none = Inget är kvar att göra.
todos-exported = Sparat bland dina dokument som { $file }.

## The voice of Jarvis

voice-volume = Volymen är nu { $percent } procent.
voice-volume-range = Min volym går från 0 till 100 procent.
voice-muted = Jag är tyst: svaren visas bara.
voice-unmuted = Nu talar jag igen.
voice-missing = Ingen installerad röst talar språket i det här svaret, så systemets röst läser det.
voice-missing-download = Ingen installerad röst talar språket i det här svaret, så systemets röst läser det. Skaffa en bättre med `jarvis models fetch { $voice }`.

## What rings

ring-stopped = Den är av.
ring-none = Inget ringer.
ring-again = Det ringer igen om { $duration }.
snooze-range = Det kan ringa igen efter en minut till 24 timmar.
ring-timer = Din timer är klar.
ring-timer-named = Din timer ”{ $label }” är klar.
ring-alarm = Ditt alarm ringer.
ring-alarm-named = Ditt alarm: { $label }.
ring-reminder = Jag skulle påminna dig nu.
ring-reminder-named = Påminnelse: { $label }.
ring-timer-missed = Din timer var klar klockan { $time }, medan jag var avstängd.
ring-timer-missed-named = Din timer ”{ $label }” var klar klockan { $time }, medan jag var avstängd.
ring-alarm-missed = Du missade ditt alarm klockan { $time }, medan jag var avstängd.
ring-alarm-missed-named = Du missade ditt alarm klockan { $time }, medan jag var avstängd: { $label }.
ring-reminder-missed = Du missade en påminnelse klockan { $time }, medan jag var avstängd.
ring-reminder-missed-named = Du missade en påminnelse klockan { $time }, medan jag var avstängd: { $label }.
ring-format-day = d/M
ring-format-time = HH:mm
ring-on-day = { $time } den { $day }

## A Command Center, whose node Jarvis is

node-go-ahead = Varsågod.
node-done = Klart.
node-did-not-work = Tyvärr, det gick inte.
node-did-not-work-why = Tyvärr, det gick inte: { $error }
node-unreachable = Jag når inte Command Center.
node-answers-itself = Jag når inte Command Center, så jag svarar själv.
node-asks-for-tool = Command Center ber om det här. { $request }
node-results-not-sent = Command Center tog inte emot det jag hittade.
node-answer-not-sent = Command Center tog inte emot ditt svar.
node-too-many-rounds = Command Center bad om mer och mer, så jag slutade.
node-unauthorised = Command Center godtar inte min nyckel.
node-conversation-expired = Command Center har glömt vårt samtal.
node-server-error = Command Center har ett problem.
node-not-understood = Jag kunde inte förstå svaret från Command Center.
node-too-many-steps = Jag slutade, för det blev för många steg.
node-woken = Ja?
node-answer-of-nobody = Det finns ingen att fråga. Formulera frågan på ett annat sätt.

## Delivering a reply

voice-quota = Rösttjänstens kvot är slut, så jag svarar i skrift.
voice-unavailable = Min röst fungerar inte just nu, så jag svarar i skrift.
file-not-shown = ”{ $name }” kan inte visas här.
feedback-explained = Jag kunde inte svara. { $explanation }
feedback-generic = Något gick fel, och jag har inget svar. Fråga gärna igen.

## Links, as they are spoken

spoken-link-to-homepage = Länk till startsidan för { $site } med texten ”{ $text }”
spoken-link-to-page = Länk till en sida på { $site } med texten ”{ $text }”
spoken-homepage = startsidan för { $site }
spoken-page = en sida på { $site }
