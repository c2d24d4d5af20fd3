### The messages of English in this language; what is missing is said in English.

## How numbers, days and times are written

format-locale = nl
format-day = EEEE d MMMM y
format-time = H:mm
format-christmas-day = 25

## Durations

duration-hours = { $count } uur
duration-minutes = { $count ->
    [one] { $count } minuut
   *[other] { $count } minuten
}
duration-seconds = { $count ->
    [one] { $count } seconde
   *[other] { $count } seconden
}

## Replies that no model words

reply-nothing-known = Dat weet ik niet: ik vind er niets over in mijn geheugen.
reply-rest-undone = De rest is niet gelukt.
reply-one-moment = Een ogenblik.
reply-garbled = Sorry, dat antwoord is mislukt. Wil je het nog eens vragen, misschien in andere woorden?
reply-no-answer = Sorry, daar heb ik geen antwoord op. Kun je het anders zeggen?
reply-out-of-turns = Ik ben hier gestopt: dit kostte meer stappen dan ik mag zetten.
reply-files-left-out = { $count ->
    [one] Eén bestand ontbreekt: het antwoord heeft er te veel.
   *[other] { $count } bestanden ontbreken: het antwoord heeft er te veel.
}
reply-orders-left-out = { $count ->
    [one] Eén zin uit het resultaat van een hulpmiddel gaf bevelen aan een assistent: die heb ik weggelaten.
   *[other] { $count } zinnen uit resultaten van hulpmiddelen gaven bevelen aan een assistent: die heb ik weggelaten.
}
reply-larger-model = Een groter taalmodel, in de instellingen, zou meer kunnen.
reply-not-done = Dat heb ik niet gedaan.
reply-dismissed = Goed.
reply-missing = Kun je het preciezer zeggen? Ik mis een gegeven.
reply-ask = { $argument ->
    [place] Voor welke plaats?
    [time] Hoe laat?
    [date] Voor welke dag?
    [duration] Voor hoe lang?
    [label] Hoe heet het?
    [text] Wat precies?
    [list] Welke lijst?
    [amount] Hoeveel?
    [unit] In welke eenheid?
    [expression] Wat moet ik uitrekenen?
    [meal] Wat heb je gegeten?
    [query] Wat moet ik zoeken?
   *[other] Er ontbreekt nog iets: { $argument }.
}
reply-no-source = { $topic ->
    [weather] Ik kan het weer niet opzoeken: ik heb er nog geen bron voor.
    [news] Ik kan het nieuws niet opzoeken: ik heb er nog geen bron voor.
    [prices] Ik kan geen prijzen opzoeken: ik heb er nog geen bron voor.
    [scores] Ik kan geen uitslagen opzoeken: ik heb er nog geen bron voor.
    [traffic] Ik kan verkeer en dienstregelingen niet opzoeken: ik heb er nog geen bron voor.
    [opening_hours] Ik kan geen openingstijden opzoeken: ik heb er nog geen bron voor.
   *[other] Dat kan ik niet weten: het ligt in de toekomst, of ik heb er geen bron voor.
}
reply-source-offline = Offline werken staat aan; dat kan in de instellingen worden veranderd.
reply-source-search-off = Zoeken op het web staat uit; dat kan in de instellingen worden veranderd.
tool-title = { $tool ->
    [webSearch] Zoeken op het web
    [fetchWebPage] Webpagina
    [getWeather] Weer
   *[other] { $tool }
}
reply-source-failed = Dat kan ik niet zeggen: { $tool } gaf me geen antwoord.
reply-source-denied = Dat kan ik niet zeggen: { $tool } mocht het niet opzoeken.
reply-source-unused = Dat kan ik niet zeggen: ik heb het niet opgezocht met { $tool }.
reply-cannot-do = { $action ->
    [mail] Ik kan geen e-mail versturen of lezen: daar is geen hulpmiddel voor ingesteld.
    [messages] Ik kan geen berichten versturen: daar is geen hulpmiddel voor ingesteld.
    [calls] Ik kan niemand bellen: daar is geen hulpmiddel voor ingesteld.
    [devices] Ik kan geen lampen of apparaten schakelen: daar is geen hulpmiddel voor ingesteld.
    [music] Ik kan geen muziek afspelen: daar is geen hulpmiddel voor ingesteld.
    [purchases] Ik kan niets kopen: daar is geen hulpmiddel voor ingesteld.
   *[other] Ik kan niets boeken: daar is geen hulpmiddel voor ingesteld.
}
reply-nothing-done = Ik heb net niets gedaan: geen hulpmiddel heeft dat uitgevoerd.
reply-no-person = Ik ben { $name }, een programma op deze computer, en geen mens.
reply-name-noted = Aangenaam, { $name }. Ik heb je naam onthouden.
reply-place-noted = Ik heb onthouden dat je in { $place } woont.
reply-your-name = Je heet { $name }.
reply-your-place = Je woont in { $place }.
reply-you-are-here = Voor zover ik weet ben je hier: { $place }.
reply-no-place = Ik weet niet waar je bent: er is geen plaats ingesteld. Je kunt er een opgeven in de instellingen, onder ‘Location’.
reply-told-noted = Bedankt, dat onthoud ik.
reply-offer-reminder = Zal ik je eraan herinneren?
reply-told = Je hebt me verteld: “{ $words }”
reply-you-said-first = Eerst zei je: ‘{ $words }’
reply-you-said = Je zei: ‘{ $words }’
reply-nothing-said = Je hebt in dit gesprek nog niets anders gezegd.
reply-nothing-asked = Je hebt in dit gesprek nog niets anders gevraagd.
reply-spelt = ‘{ $word }’ spel je als { $letters }.
reply-who-i-am = Ik ben { $name }, je assistent: een programma op deze computer, en geen mens.
reply-what-i-can = Ik zet timers, wekkers en herinneringen, houd je lijsten bij, reken en reken om, zeg overal de tijd en de datum en onthoud wat je me vertelt. Algemene vragen beantwoord ik zo goed als ik kan.
reply-i-am-well = Heel goed, dank je.

## Permission to run a tool

permission-request = { $name } wil { permission-action }.
permission-request-with = { $name } wil { permission-action }: { $values }.
permission-action = { $tool ->
    [setTimer] een timer zetten
    [cancelTimer] een timer annuleren
    [changeTimer] een timer wijzigen
    [setAlarm] een wekker zetten
    [setReminder] een herinnering instellen
    [cancelReminder] een wekker of een herinnering annuleren
    [snooze] later opnieuw laten afgaan wat nu afgaat
    [stopRinging] uitzetten wat afgaat
    [addTodo] iets op een lijst zetten
    [finishTodo] iets op een lijst afvinken
    [takeBack] terugnemen wat is ingesteld
    [logMeal] een maaltijd noteren
    [deleteMeal] een maaltijd verwijderen
    [setVolume] het volume van de stem veranderen
    [muteVoice] de stem aan- of uitzetten
    [exportTodos] de lijsten en herinneringen als bestand opslaan
    [localFiles-writes] een bestand opslaan
    [localFiles-deletes] een bestand naar de prullenbak verplaatsen
    [undoFileChange] de laatste wijziging van een bestand ongedaan maken
    [openLink] een webpagina openen
    [openApplication] een programma openen
    [screenshot] de tekst op het scherm lezen
    [readClipboard] het klembord lezen
    [writeClipboard] een tekst op het klembord zetten
    [controlMedia] het afspelen bedienen
    [setComputerVolume] het volume van de computer veranderen
   *[other] { $tool } gebruiken
}
permission-request-of-server = { $name } wil het hulpmiddel { $tool } van de server { $server } gebruiken, dat { permission-effect }.
permission-request-of-server-with = { $name } wil het hulpmiddel { $tool } van de server { $server } gebruiken, dat { permission-effect }, met { $values }.
permission-effect = { $effect ->
    [reads] iets opzoekt of berekent
    [fetches] gegevens van het netwerk haalt
    [writes] gegevens toevoegt of wijzigt
    [deletes] gegevens verwijdert
   *[executes] een programma uitvoert
}
permission-more-values = { $count ->
    [one] nog één waarde
   *[other] nog { $count } waarden
}
permission-question = { $request } Is dat goed?
permission-description-changed = De server beschrijft het hulpmiddel nu anders.
permission-needs-click = { $request } Daarvoor is een toets of een klik bij de computer nodig, dus het is niet gedaan.
server-question = De toolserver { $server } vraagt: “{ $question }” Wil je antwoorden?
server-sampling = De toolserver { $server } wil je taalmodel vragen: “{ $question }” Mag dat?
permission-yes = Ja
permission-always = Altijd
permission-no = Nee
permission-by-hand = Druk daarvoor op een toets of klik: ik doe het alleen als je het op het scherm bevestigt.

## Dates

date-span = Van { $first } tot en met { $last }.
date-today = Dat is vandaag, { $date }.
date-days-until = { $days ->
    [1] Dat is morgen, { $date }.
   *[other] Nog { $days } dagen tot { $date }.
}
date-days-since = { $days ->
    [1] Dat was gisteren, { $date }.
   *[other] Sinds { $date } zijn er { $days } dagen verstreken.
}
date-week-now = Het is week { $week }.
date-week-of = { $date } valt in week { $week }.

## Times

time-here = Het is { $time }.
time-until = Nog { $duration } tot { $time }.
time-there = In { $place } is het { $time }.
time-there-on = In { $place } is het { $weekday }, { $time }.
time-many-zones = { $place } heeft meer tijdzones. Noem een stad daar.
place-unknown = Ik ken geen plaats of land met de naam { $place }.

## Calculations and conversions

calculation-exact = { $from } is { $to }.
calculation-about = { $from } is ongeveer { $to }.
calculation-percent-of = { $percent } procent van { $whole }
calculation-root-exact = De wortel van { $number } is { $root }.
calculation-root-about = De wortel van { $number } is ongeveer { $root }.
calculation-by-zero = Door nul kun je niet delen.
calculation-too-large = Dat is te groot om uit te rekenen.
calculation-not-real = Daar komt geen reëel getal uit.
units-differ = { $from } en { $to } meten iets anders, dus dat valt niet om te rekenen.
units-too-cold = Niets is kouder dan het absolute nulpunt, −273,15 graden Celsius.
random-pick = Het is { $choice }.

## Timers

timer-set = De timer loopt: { $duration }.
timer-set-named = De timer ‘{ $label }’ loopt: { $duration }.
timer-none = Er loopt geen timer.
timer-left = Nog { $duration } op de timer.
timer-left-named = Nog { $duration } op de timer ‘{ $label }’.
timer-cancelled = De timer is geannuleerd.
timer-cancelled-named = De timer ‘{ $label }’ is geannuleerd.
timers-cancelled = Alle timers zijn geannuleerd.
timer-paused = De timer staat op pauze, nog { $duration }.
timer-paused-named = De timer ‘{ $label }’ staat op pauze, nog { $duration }.
timer-resumed = De timer loopt weer: nog { $duration }.
timer-resumed-named = De timer ‘{ $label }’ loopt weer: nog { $duration }.
timer-paused-already = Hij staat al op pauze, nog { $duration }.
timer-runs-already = Hij staat niet op pauze: nog { $duration }.
timer-too-short = Er is nog maar { $duration }, dus ik heb niets veranderd.
timer-too-long = Een timer loopt hoogstens 24 uur.
timer-how-much = Met hoeveel?
timer-ended = Die timer is al afgelopen.
timer-unknown = Geen timer heet zo. Er zijn: { $names }.
timers-several = Er lopen meer timers: { $names }. Welke?
appointments-full = Er zijn er al { $most }, meer kan niet. Annuleer er eerst een.

## Alarms and reminders

alarm-set = De wekker is gezet: { $time }.
reminder-set = Ik herinner je eraan: { $label }, { $time }.
reminder-item = { $label }: { $time }
reminder-cancelled = ‘{ $item }’ is geannuleerd.
reminders-none = Er zijn geen wekkers of herinneringen.
alarm-over = Die tijd is al voorbij. Noem er een die nog komt.
reminders-none-of = { $kind ->
    [alarm] Er is geen wekker gezet.
    [reminder] Er is geen herinnering.
   *[other] Er zijn geen wekkers of herinneringen.
}
reminders-no-fit = { $kind ->
    [alarm] Zo’n wekker is er niet. Gezet: { $items }.
    [reminder] Zo’n herinnering is er niet. Gezet: { $items }.
   *[other] Geen wekker en geen herinnering past. Gezet: { $items }.
}
reminders-none-on = { $kind ->
    [alarm] Voor { $day } is er geen wekker. Gezet: { $items }.
    [reminder] Voor { $day } is er geen herinnering. Gezet: { $items }.
   *[other] Voor { $day } is er geen wekker of herinnering. Gezet: { $items }.
}
reminders-several = { $kind ->
    [alarm] Er zijn meer wekkers: { $items }. Welke?
    [reminder] Er zijn meer herinneringen: { $items }. Welke?
   *[other] Er zijn er meer: { $items }. Welke?
}
reminders-cancelled = Dit is allemaal geannuleerd: { $items }.
reminder-repeats = ‘{ $item }’ herhaalt zich, en ik kan het alleen helemaal annuleren: zeg het zonder de dag als je dat wilt.
repeats-daily = elke dag
repeats-weekdays = maandag tot en met vrijdag
repeats-weekly = elke week
repeats-monthly = elke maand
repeats-yearly = elk jaar

## To-do lists

todo-list = { $list ->
    [to-do] je takenlijst
   *[other] je lijst ‘{ $list }’
}
todo-list-named = je { $list }
todo-added = ‘{ $text }’ staat op { $list }.
todo-done = ‘{ $text }’ is gedaan.
todos-done = Gedaan: { $list }.
todo-no-fit = ‘{ $text }’ staat niet op de lijst. Nog te doen: { $list }.
todos-several = Er zijn er meer: { $list }. Welke?
todo-list-empty = Op { $list } is niets meer te doen.
todo-removed = ‘{ $text }’ staat niet meer op { $list }.
taken-back-nothing = Er valt niets meer terug te nemen.
undone-removed = ‘{ $item }’ is weer weg.
undone-removed-unnamed = Dat is weer weg.
undone-restored = ‘{ $item }’ is weer zoals het was.
undone-restored-unnamed = Dat is weer zoals het was.
undone-impossible = ‘{ $item }’ kan niet ongedaan worden gemaakt: het is sindsdien gewijzigd, of er is geen kopie van bewaard.
undone-nothing = Er is niets ongedaan te maken: ik heb hier de laatste tien minuten niets gewijzigd.
todos-open = Nog te doen: { $list }.
todos-open-on = Op { $list }: { $items }.
todo-is-on = Ja, ‘{ $text }’ staat op { $list }.
todo-is-not-on = Nee, ‘{ $text }’ staat niet op { $list }. Er staat: { $items }.
todo-is-on-none = Nee, ‘{ $text }’ staat op geen enkele lijst. Nog te doen: { $items }.
todos-none = Er is niets meer te doen.
todos-exported = Opgeslagen in je documenten als { $file }.

## The voice of Jarvis

voice-volume = Ik spreek nu op { $percent } procent van het volume.
voice-volume-range = Mijn volume gaat van 0 tot 100 procent.
voice-muted = Ik zwijg: antwoorden worden alleen getoond.
voice-unmuted = Ik spreek weer.
voice-missing = Geen enkele geïnstalleerde stem spreekt de taal van dit antwoord, dus de stem van het systeem leest het voor.
voice-missing-download = Geen enkele geïnstalleerde stem spreekt de taal van dit antwoord, dus de stem van het systeem leest het voor. Een betere krijg je met `jarvis models fetch { $voice }`.

## What rings

ring-stopped = Het is uit.
ring-none = Er gaat niets af.
ring-again = Het gaat weer af over { $duration }.
snooze-range = Het kan na een minuut tot 24 uur weer afgaan.
ring-timer = Je timer is klaar.
ring-timer-named = Je timer { $label } is klaar.
ring-alarm = Je wekker gaat af.
ring-alarm-named = Je wekker: { $label }.
ring-reminder = Ik moest je nu herinneren.
ring-reminder-named = Herinnering: { $label }.
ring-timer-missed = Je timer was klaar om { $time }, toen ik uit stond.
ring-timer-missed-named = Je timer { $label } was klaar om { $time }, toen ik uit stond.
ring-alarm-missed = Je wekker stond op { $time }, toen ik uit stond.
ring-alarm-missed-named = Je wekker stond op { $time }, toen ik uit stond: { $label }.
ring-reminder-missed = Een herinnering stond op { $time }, toen ik uit stond.
ring-reminder-missed-named = Een herinnering stond op { $time }, toen ik uit stond: { $label }.
ring-format-day = d-M
ring-format-time = HH:mm
ring-on-day = { $time } op { $day }

## A Command Center, whose node Jarvis is

node-go-ahead = Ga je gang.
node-done = Klaar.
node-did-not-work = Sorry, dat is niet gelukt.
node-did-not-work-why = Sorry, dat is niet gelukt: { $error }
node-unreachable = Ik kan het Command Center niet bereiken.
node-answers-itself = Ik kan het Command Center niet bereiken, dus ik antwoord zelf.
node-asks-for-tool = Het Command Center vraagt hierom. { $request }
node-results-not-sent = Het Command Center heeft niet aangenomen wat ik heb gevonden.
node-answer-not-sent = Het Command Center heeft je antwoord niet aangenomen.
node-too-many-rounds = Het Command Center vroeg steeds meer, dus ben ik gestopt.
node-unauthorised = Het Command Center accepteert mijn sleutel niet.
node-conversation-expired = Het Command Center is ons gesprek vergeten.
node-server-error = Het Command Center heeft een probleem.
node-not-understood = Ik kon het antwoord van het Command Center niet begrijpen.
node-too-many-steps = Ik ben gestopt, want het waren te veel stappen.
node-woken = Ja?
node-answer-of-nobody = Er is niemand om het aan te vragen. Formuleer het verzoek anders.

## Delivering a reply

voice-quota = Het tegoed van de spraakdienst is op, daarom antwoord ik schriftelijk.
voice-unavailable = Mijn stem werkt nu even niet, daarom antwoord ik schriftelijk.
file-not-shown = “{ $name }” kan hier niet worden getoond.
feedback-explained = Ik kon niet antwoorden. { $explanation }
feedback-generic = Er ging iets mis en ik heb geen antwoord. Vraag het alsjeblieft nog eens.

## Links, as they are spoken

spoken-link-to-homepage = Link naar de startpagina van { $site } met de tekst “{ $text }”
spoken-link-to-page = Link naar een pagina van { $site } met de tekst “{ $text }”
spoken-homepage = de startpagina van { $site }
spoken-page = een pagina van { $site }
