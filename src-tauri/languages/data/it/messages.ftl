### The messages of English in this language; what is missing is said in English.

## How numbers, days and times are written

format-locale = it
format-day = EEEE d MMMM y
format-time = H:mm
format-christmas-day = 25

## Durations

duration-hours = { $count ->
    [one] { $count } ora
   *[other] { $count } ore
}
duration-minutes = { $count ->
    [one] { $count } minuto
   *[other] { $count } minuti
}
duration-seconds = { $count ->
    [one] { $count } secondo
   *[other] { $count } secondi
}

## Replies that no model words

reply-nothing-known = Non lo so: nella mia memoria non trovo nulla in proposito.
reply-rest-undone = Non sono riuscito a fare il resto.
reply-one-moment = Un attimo.
reply-garbled = Mi dispiace, la risposta è venuta male. Puoi chiedermelo di nuovo, magari con altre parole?
reply-no-answer = Mi dispiace, non ho una risposta. Puoi dirlo in un altro modo?
reply-out-of-turns = Mi sono fermato: servivano più passaggi di quanti ne posso fare.
reply-files-left-out = { $count ->
    [one] Manca un file: la risposta ne ha troppi.
   *[other] Mancano { $count } file: la risposta ne ha troppi.
}
reply-orders-left-out = { $count ->
    [one] Una frase del risultato di uno strumento dava ordini a un assistente: l'ho tralasciata.
   *[other] { $count } frasi dei risultati di strumenti davano ordini a un assistente: le ho tralasciate.
}
reply-larger-model = Un modello linguistico più grande, nelle impostazioni, riuscirebbe meglio.
reply-not-done = Non l'ho fatto.
reply-dismissed = Va bene.
reply-missing = Puoi essere più preciso? Mi manca un dato.
reply-ask = { $argument ->
    [place] Per quale luogo?
    [time] A che ora?
    [date] Per quale giorno?
    [duration] Per quanto tempo?
    [label] Come si chiama?
    [text] Che cosa esattamente?
    [list] Quale lista?
    [amount] Quanto?
    [unit] In quale unità?
    [expression] Che cosa devo calcolare?
    [meal] Che cosa hai mangiato?
    [query] Che cosa devo cercare?
   *[other] Manca un dato: { $argument }.
}
reply-no-source = { $topic ->
    [weather] Non posso controllare il meteo: non ho ancora una fonte.
    [news] Non posso controllare le notizie: non ho ancora una fonte.
    [prices] Non posso controllare i prezzi: non ho ancora una fonte.
    [scores] Non posso controllare i risultati: non ho ancora una fonte.
    [traffic] Non posso controllare il traffico o gli orari dei trasporti: non ho ancora una fonte.
    [opening_hours] Non posso controllare gli orari di apertura: non ho ancora una fonte.
   *[other] Non posso saperlo: è nel futuro, o mi manca una fonte.
}
reply-source-offline = Il lavoro offline è attivo; si può cambiare nelle impostazioni.
reply-source-search-off = La ricerca sul Web è disattivata; si può cambiare nelle impostazioni.
tool-title = { $tool ->
    [webSearch] Ricerca web
    [fetchWebPage] Pagina web
    [getWeather] Meteo
   *[other] { $tool }
}
reply-source-failed = Non posso dirlo: { $tool } non mi ha dato risposta.
reply-source-denied = Non posso dirlo: { $tool } non aveva il permesso di controllare.
reply-source-unused = Non posso dirlo: non ho controllato con { $tool }.
reply-cannot-do = { $action ->
    [mail] Non posso inviare o leggere e-mail: nessuno strumento è configurato per farlo.
    [messages] Non posso inviare messaggi: nessuno strumento è configurato per farlo.
    [calls] Non posso chiamare nessuno: nessuno strumento è configurato per farlo.
    [devices] Non posso comandare luci o dispositivi: nessuno strumento è configurato per farlo.
    [music] Non posso riprodurre musica: nessuno strumento è configurato per farlo.
    [purchases] Non posso comprare nulla: nessuno strumento è configurato per farlo.
   *[other] Non posso prenotare nulla: nessuno strumento è configurato per farlo.
}
reply-nothing-done = In questo momento non ho fatto nulla: nessuno strumento l'ha eseguito.
reply-no-person = Sono { $name }, un programma su questo computer, e non una persona.
reply-name-noted = Piacere, { $name }. Ho preso nota del tuo nome.
reply-place-noted = Ho preso nota di dove abiti: { $place }.
reply-your-name = Ti chiami { $name }.
reply-your-place = Abiti qui: { $place }.
reply-you-are-here = Per quanto ne so, sei qui: { $place }.
reply-no-place = Non so dove sei: non è indicato nessun luogo. Puoi indicarne uno nelle impostazioni, sotto «Location».
reply-told-noted = Grazie, lo terrò a mente.
reply-offer-reminder = Te lo devo ricordare?
reply-told = Mi hai detto: «{ $words }»
reply-you-said-first = La prima cosa che hai detto: «{ $words }»
reply-you-said = Hai detto: «{ $words }»
reply-nothing-said = Non hai ancora detto altro in questa conversazione.
reply-nothing-asked = Non hai ancora chiesto altro in questa conversazione.
reply-spelt = «{ $word }» si scrive { $letters }.
reply-who-i-am = Sono { $name }, il tuo assistente: un programma su questo computer, e non una persona.
reply-what-i-can = Imposto timer, sveglie e promemoria, tengo le tue liste, calcolo e converto, dico l’ora e la data ovunque e ricordo quello che mi dici. Alle domande generali rispondo come posso.
reply-i-am-well = Molto bene, grazie.

## Permission to run a tool

permission-request = { $name } vuole { permission-action }.
permission-request-with = { $name } vuole { permission-action }: { $values }.
permission-action = { $tool ->
    [setTimer] avviare un timer
    [cancelTimer] annullare un timer
    [changeTimer] modificare un timer
    [setAlarm] impostare una sveglia
    [setReminder] creare un promemoria
    [cancelReminder] annullare una sveglia o un promemoria
    [snooze] far suonare di nuovo più tardi
    [stopRinging] spegnere ciò che suona
    [addTodo] mettere qualcosa in una lista
    [finishTodo] spuntare qualcosa da una lista
    [takeBack] annullare ciò che è stato impostato
    [logMeal] annotare un pasto
    [deleteMeal] eliminare un pasto
    [setVolume] cambiare il volume della voce
    [muteVoice] attivare o disattivare la voce
    [exportTodos] salvare liste e promemoria in un file
    [localFiles-writes] salvare un file
    [localFiles-deletes] spostare un file nel cestino
    [undoFileChange] annullare l’ultima modifica di un file
    [openLink] aprire una pagina web
    [openApplication] aprire un programma
    [screenshot] leggere il testo sullo schermo
    [readClipboard] leggere gli appunti
    [writeClipboard] copiare un testo negli appunti
    [controlMedia] controllare la riproduzione
    [setComputerVolume] cambiare il volume del computer
   *[other] usare { $tool }
}
permission-request-of-server = { $name } vuole usare lo strumento { $tool } del server { $server }, che { permission-effect }.
permission-request-of-server-with = { $name } vuole usare lo strumento { $tool } del server { $server }, che { permission-effect }, con { $values }.
permission-effect = { $effect ->
    [reads] legge o calcola
    [fetches] recupera dati dalla rete
    [writes] aggiunge o modifica dati
    [deletes] elimina dati
   *[executes] esegue un programma
}
permission-more-values = { $count ->
    [one] un altro valore
   *[other] altri { $count } valori
}
permission-question = { $request } Va bene?
permission-description-changed = Il suo server ora descrive lo strumento in modo diverso.
permission-needs-click = { $request } Per questo serve un tasto o un clic al computer, quindi non è stato fatto.
server-question = Il server di strumenti { $server } chiede: «{ $question }» Vuoi rispondere?
server-sampling = Il server di strumenti { $server } vuole chiedere al tuo modello linguistico: «{ $question }» Va bene?
permission-yes = Sì
permission-always = Sempre
permission-no = No
permission-by-hand = Per questo premi un tasto o fai clic: lo faccio solo se lo confermi sullo schermo.

## Dates

date-span = Da { $first } a { $last }.
date-today = È oggi, { $date }.
date-days-until = { $days ->
    [1] È domani, { $date }.
   *[other] Mancano { $days } giorni a { $date }.
}
date-days-since = { $days ->
    [1] Era ieri, { $date }.
   *[other] Sono passati { $days } giorni da { $date }.
}
date-week-now = Siamo nella settimana { $week }.
date-week-of = { $date }: settimana { $week }.

## Times

time-here = L’ora è: { $time }.
time-until = Tempo rimanente ({ $time }): { $duration }.
time-there = A { $place } l’ora è: { $time }.
time-there-on = A { $place } è { $weekday }, ore { $time }.
time-many-zones = { $place } ha più fusi orari. Nomina una città del posto.
place-unknown = Non conosco nessuna città e nessun paese di nome { $place }.

## Calculations and conversions

calculation-exact = { $from } sono { $to }.
calculation-about = { $from } sono circa { $to }.
calculation-percent-of = { $percent } per cento di { $whole }
calculation-root-exact = La radice quadrata di { $number } è { $root }.
calculation-root-about = La radice quadrata di { $number } è circa { $root }.
calculation-by-zero = Non si può dividere per zero.
calculation-too-large = È troppo grande perché io possa calcolarlo.
calculation-not-real = Il risultato non è un numero reale.
units-differ = { $from } e { $to } misurano cose diverse: non si possono convertire.
units-too-cold = Nulla è più freddo dello zero assoluto, −273,15 gradi Celsius.
random-pick = Il risultato è { $choice }.

## Timers

timer-set = Il timer è partito: { $duration }.
timer-set-named = Il timer «{ $label }» è partito: { $duration }.
timer-none = Non c’è nessun timer attivo.
timer-left = Sul timer restano { $duration }.
timer-left-named = Sul timer «{ $label }» restano { $duration }.
timer-cancelled = Il timer è annullato.
timer-cancelled-named = Il timer «{ $label }» è annullato.
timers-cancelled = Tutti i timer sono annullati.
timer-paused = Il timer è in pausa: restano { $duration }.
timer-paused-named = Il timer «{ $label }» è in pausa: restano { $duration }.
timer-resumed = Il timer è ripartito: restano { $duration }.
timer-resumed-named = Il timer «{ $label }» è ripartito: restano { $duration }.
timer-paused-already = È già in pausa: restano { $duration }.
timer-runs-already = Non è in pausa: restano { $duration }.
timer-too-short = Restano solo { $duration }, quindi non ho cambiato nulla.
timer-too-long = Un timer dura al massimo 24 ore.
timer-how-much = Di quanto?
timer-ended = Quel timer è già finito.
timer-unknown = Nessun timer si chiama così. Ci sono: { $names }.
timers-several = Sono attivi più timer: { $names }. Quale?
appointments-full = Ce ne sono già { $most }, di più non si può. Annullane prima uno.

## Alarms and reminders

alarm-set = La sveglia è impostata: { $time }.
reminder-set = Te lo ricorderò: { $label }, { $time }.
reminder-item = { $label }: { $time }
reminder-cancelled = «{ $item }» è annullato.
reminders-none = Non ci sono sveglie né promemoria.
alarm-over = Quell’ora è già passata. Dimmene una che deve venire.
reminders-none-of = { $kind ->
    [alarm] Non c’è nessuna sveglia impostata.
    [reminder] Non c’è nessun promemoria.
   *[other] Non ci sono sveglie né promemoria.
}
reminders-no-fit = { $kind ->
    [alarm] Non c’è nessuna sveglia così. Impostate: { $items }.
    [reminder] Non c’è nessun promemoria così. Impostati: { $items }.
   *[other] Nessuna sveglia e nessun promemoria corrisponde. Impostati: { $items }.
}
reminders-none-on = { $kind ->
    [alarm] Non c’è nessuna sveglia per { $day }. Impostate: { $items }.
    [reminder] Non c’è nessun promemoria per { $day }. Impostati: { $items }.
   *[other] Non ci sono sveglie né promemoria per { $day }. Impostati: { $items }.
}
reminders-several = { $kind ->
    [alarm] Ci sono più sveglie: { $items }. Quale?
    [reminder] Ci sono più promemoria: { $items }. Quale?
   *[other] Ce ne sono diversi: { $items }. Quale?
}
reminders-cancelled = Tutto questo è annullato: { $items }.
reminder-repeats = «{ $item }» si ripete, e posso solo annullarlo del tutto: dillo senza il giorno se vuoi.
repeats-daily = ogni giorno
repeats-weekdays = dal lunedì al venerdì
repeats-weekly = ogni settimana
repeats-monthly = ogni mese
repeats-yearly = ogni anno

## To-do lists

todo-list = { $list ->
    [to-do] tua lista di cose da fare
   *[other] tua lista «{ $list }»
}
todo-list-named = tua { $list }
todo-added = «{ $text }» è nella { $list }.
todo-done = «{ $text }» è fatto.
todos-done = Fatto: { $list }.
todo-no-fit = «{ $text }» non è nella lista. Da fare: { $list }.
todos-several = Ci sono più voci: { $list }. Quale?
todo-list-empty = Nella { $list } non c’è più nulla da fare.
todo-removed = «{ $text }» non è più nella { $list }.
taken-back-nothing = Non c’è più nulla da annullare.
undone-removed = «{ $item }» non c’è più.
undone-removed-unnamed = Non c’è più.
undone-restored = «{ $item }» è come prima.
undone-restored-unnamed = È tutto come prima.
undone-impossible = «{ $item }» non si può ripristinare: è cambiato nel frattempo, o non ne è stata tenuta una copia.
undone-nothing = Non c’è nulla da annullare: qui non ho cambiato nulla negli ultimi dieci minuti.
todos-open = Da fare: { $list }.
todos-open-on = Nella { $list }: { $items }.
todo-is-on = Sì, «{ $text }» è nella { $list }.
todo-is-not-on = No, «{ $text }» non è nella { $list }. Contiene: { $items }.
todo-is-on-none = No, «{ $text }» non è in nessuna lista. Da fare: { $items }.
todos-none = Non c’è più nulla da fare.
todos-exported = Salvato nei tuoi documenti come { $file }.

## The voice of Jarvis

voice-volume = Ora parlo al { $percent } per cento del volume.
voice-volume-range = Il mio volume va da 0 a 100 per cento.
voice-muted = Taccio: le risposte vengono solo mostrate.
voice-unmuted = Parlo di nuovo.
voice-missing = Nessuna voce installata parla la lingua di questa risposta, quindi la legge la voce del sistema.
voice-missing-download = Nessuna voce installata parla la lingua di questa risposta, quindi la legge la voce del sistema. Puoi ottenerne una migliore con `jarvis models fetch { $voice }`.

## What rings

ring-stopped = È spento.
ring-none = Non sta suonando nulla.
ring-again = Suonerà di nuovo tra { $duration }.
snooze-range = Può suonare di nuovo dopo un minuto e fino a 24 ore.
ring-timer = Il timer è finito.
ring-timer-named = Il timer { $label } è finito.
ring-alarm = La sveglia suona.
ring-alarm-named = La sveglia: { $label }.
ring-reminder = Dovevo ricordartelo adesso.
ring-reminder-named = Promemoria: { $label }.
ring-timer-missed = Il timer è finito alle { $time }, mentre ero spento.
ring-timer-missed-named = Il timer { $label } è finito alle { $time }, mentre ero spento.
ring-alarm-missed = La sveglia era alle { $time }, mentre ero spento.
ring-alarm-missed-named = La sveglia era alle { $time }, mentre ero spento: { $label }.
ring-reminder-missed = Un promemoria era alle { $time }, mentre ero spento.
ring-reminder-missed-named = Un promemoria era alle { $time }, mentre ero spento: { $label }.
ring-format-day = d/M
ring-format-time = HH:mm
ring-on-day = { $time } del { $day }

## A Command Center, whose node Jarvis is

node-go-ahead = Dimmi pure.
node-done = Fatto.
node-did-not-work = Mi dispiace, non ha funzionato.
node-did-not-work-why = Mi dispiace, non ha funzionato: { $error }
node-unreachable = Non riesco a raggiungere il Command Center.
node-answers-itself = Non riesco a raggiungere il Command Center, quindi rispondo io.
node-asks-for-tool = Lo chiede il Command Center. { $request }
node-results-not-sent = Il Command Center non ha accettato quello che ho trovato.
node-answer-not-sent = Il Command Center non ha accettato la tua risposta.
node-too-many-rounds = Il Command Center chiedeva sempre di più, quindi mi sono fermato.
node-unauthorised = Il Command Center non accetta la mia chiave.
node-conversation-expired = Il Command Center ha dimenticato la nostra conversazione.
node-server-error = Il Command Center ha un problema.
node-not-understood = Non ho capito la risposta del Command Center.
node-too-many-steps = Mi sono fermato, perché erano troppi passaggi.
node-woken = Sì?
node-answer-of-nobody = Non c'è nessuno a cui chiedere. Formula la richiesta in un altro modo.

## Delivering a reply

voice-quota = La quota del servizio vocale è esaurita, quindi rispondo per iscritto.
voice-unavailable = La mia voce al momento non funziona, quindi rispondo per iscritto.
file-not-shown = «{ $name }» non può essere mostrato qui.
feedback-explained = Non ho potuto rispondere. { $explanation }
feedback-generic = Qualcosa è andato storto e non ho una risposta. Chiedi di nuovo, per favore.

## Links, as they are spoken

spoken-link-to-homepage = Link alla pagina iniziale di { $site } con il testo «{ $text }»
spoken-link-to-page = Link a una pagina di { $site } con il testo «{ $text }»
spoken-homepage = la pagina iniziale di { $site }
spoken-page = una pagina di { $site }
