### The messages of English in this language; what is missing is said in English.

## How numbers, days and times are written

format-locale = es
format-day = EEEE, d 'de' MMMM 'de' y
format-time = H:mm
format-christmas-day = 25

## Durations

duration-hours = { $count ->
    [one] { $count } hora
   *[other] { $count } horas
}
duration-minutes = { $count ->
    [one] { $count } minuto
   *[other] { $count } minutos
}
duration-seconds = { $count ->
    [one] { $count } segundo
   *[other] { $count } segundos
}

## Replies that no model words

reply-nothing-known = No lo sé: no encuentro nada sobre eso en mi memoria.
reply-rest-undone = No he podido hacer el resto.
reply-one-moment = Un momento.
reply-garbled = Lo siento, la respuesta me ha salido mal. ¿Me lo preguntas otra vez, quizá con otras palabras?
reply-no-answer = Lo siento, no tengo respuesta para eso. ¿Puedes decirlo de otra manera?
reply-out-of-turns = Me he detenido: esto necesitaba más pasos de los que puedo dar.
reply-files-left-out = { $count ->
    [one] Falta un archivo: la respuesta tiene demasiados.
   *[other] Faltan { $count } archivos: la respuesta tiene demasiados.
}
reply-orders-left-out = { $count ->
    [one] Una frase del resultado de una herramienta daba órdenes a un asistente: la he omitido.
   *[other] { $count } frases de los resultados de herramientas daban órdenes a un asistente: las he omitido.
}
reply-larger-model = Un modelo de lenguaje más grande, en los ajustes, podría con más.
reply-not-done = No lo he hecho.
reply-dismissed = Muy bien.
reply-missing = ¿Puedes decirlo con más detalle? Me falta un dato.
reply-ask = { $argument ->
    [place] ¿Para qué lugar?
    [time] ¿A qué hora?
    [date] ¿Para qué día?
    [duration] ¿Por cuánto tiempo?
    [label] ¿Cómo se llama?
    [text] ¿Qué exactamente?
    [list] ¿Qué lista?
    [amount] ¿Cuánto?
    [unit] ¿En qué unidad?
    [expression] ¿Qué tengo que calcular?
    [meal] ¿Qué has comido?
    [query] ¿Qué tengo que buscar?
   *[other] Falta un dato: { $argument }.
}
reply-no-source = { $topic ->
    [weather] No puedo consultar el tiempo: todavía no tengo ninguna fuente.
    [news] No puedo consultar las noticias: todavía no tengo ninguna fuente.
    [prices] No puedo consultar precios: todavía no tengo ninguna fuente.
    [scores] No puedo consultar resultados: todavía no tengo ninguna fuente.
    [traffic] No puedo consultar el tráfico ni los horarios de transporte: todavía no tengo ninguna fuente.
    [opening_hours] No puedo consultar horarios de apertura: todavía no tengo ninguna fuente.
   *[other] No puedo saberlo: está en el futuro o me falta una fuente.
}
reply-source-offline = El trabajo sin conexión está activado; se puede cambiar en los ajustes.
reply-source-search-off = La búsqueda web está desactivada; se puede cambiar en los ajustes.
tool-title = { $tool ->
    [webSearch] Búsqueda web
    [fetchWebPage] Página web
    [getWeather] Tiempo
   *[other] { $tool }
}
reply-source-failed = No puedo decirlo: { $tool } no me ha dado respuesta.
reply-source-denied = No puedo decirlo: { $tool } no tenía permiso para consultarlo.
reply-source-unused = No puedo decirlo: no lo he consultado con { $tool }.
reply-cannot-do = { $action ->
    [mail] No puedo enviar ni leer correos: no hay ninguna herramienta configurada para eso.
    [messages] No puedo enviar mensajes: no hay ninguna herramienta configurada para eso.
    [calls] No puedo llamar a nadie: no hay ninguna herramienta configurada para eso.
    [devices] No puedo controlar luces ni aparatos: no hay ninguna herramienta configurada para eso.
    [music] No puedo poner música: no hay ninguna herramienta configurada para eso.
    [purchases] No puedo comprar nada: no hay ninguna herramienta configurada para eso.
   *[other] No puedo reservar nada: no hay ninguna herramienta configurada para eso.
}
reply-nothing-done = Ahora mismo no he hecho nada: ninguna herramienta lo ha llevado a cabo.
reply-no-person = Soy { $name }, un programa de este ordenador, y no una persona.
reply-name-noted = Encantado, { $name }. He anotado tu nombre.
reply-place-noted = He anotado que vives en { $place }.
reply-your-name = Te llamas { $name }.
reply-your-place = Vives en { $place }.
reply-you-are-here = Que yo sepa, estás aquí: { $place }.
reply-no-place = No sé dónde estás: no hay ningún lugar indicado. Puedes indicar uno en los ajustes, en «Location».
reply-told-noted = Gracias, lo tendré en cuenta.
reply-offer-reminder = ¿Te lo recuerdo?
reply-told = Me dijiste: «{ $words }»
reply-you-said-first = Lo primero que dijiste: «{ $words }»
reply-you-said = Dijiste: «{ $words }»
reply-nothing-said = Todavía no has dicho nada más en esta conversación.
reply-nothing-asked = Todavía no has preguntado nada más en esta conversación.
reply-spelt = «{ $word }» se escribe { $letters }.
reply-who-i-am = Soy { $name }, tu asistente: un programa de este ordenador, y no una persona.
reply-what-i-can = Pongo temporizadores, alarmas y recordatorios, llevo tus listas, calculo y convierto unidades, digo la hora y la fecha en cualquier lugar y recuerdo lo que me cuentas. Las preguntas generales las respondo lo mejor que puedo.
reply-i-am-well = Muy bien, gracias.

## Permission to run a tool

permission-request = { $name } quiere { permission-action }.
permission-request-with = { $name } quiere { permission-action }: { $values }.
permission-action = { $tool ->
    [setTimer] poner un temporizador
    [cancelTimer] cancelar un temporizador
    [changeTimer] cambiar un temporizador
    [setAlarm] poner una alarma
    [setReminder] crear un recordatorio
    [cancelReminder] cancelar una alarma o un recordatorio
    [snooze] hacer que vuelva a sonar más tarde
    [stopRinging] apagar lo que suena
    [addTodo] añadir algo a una lista
    [finishTodo] marcar algo de una lista como hecho
    [takeBack] anular lo que se puso
    [logMeal] apuntar una comida
    [deleteMeal] borrar una comida
    [setVolume] cambiar el volumen de la voz
    [muteVoice] activar o desactivar la voz
    [exportTodos] guardar las listas y los recordatorios en un archivo
    [localFiles-writes] guardar un archivo
    [localFiles-deletes] mover un archivo a la papelera
    [undoFileChange] deshacer el último cambio de un archivo
    [openLink] abrir una página web
    [openApplication] abrir un programa
    [screenshot] leer el texto de la pantalla
    [readClipboard] leer el portapapeles
    [writeClipboard] copiar un texto al portapapeles
    [controlMedia] controlar la reproducción
    [setComputerVolume] cambiar el volumen del ordenador
   *[other] usar { $tool }
}
permission-request-of-server = { $name } quiere usar la herramienta { $tool } del servidor { $server }, que { permission-effect }.
permission-request-of-server-with = { $name } quiere usar la herramienta { $tool } del servidor { $server }, que { permission-effect }, con { $values }.
permission-effect = { $effect ->
    [reads] lee o calcula
    [fetches] obtiene datos de la red
    [writes] añade o modifica datos
    [deletes] borra datos
   *[executes] ejecuta un programa
}
permission-more-values = { $count ->
    [one] un valor más
   *[other] { $count } valores más
}
permission-question = { $request } ¿Te parece bien?
permission-description-changed = Su servidor describe ahora la herramienta de otra manera.
permission-needs-click = { $request } Eso requiere una tecla o un clic en el ordenador, así que no se ha hecho.
server-question = El servidor de herramientas { $server } pregunta: «{ $question }» ¿Quieres responder?
server-sampling = El servidor de herramientas { $server } quiere preguntar a tu modelo de lenguaje: «{ $question }» ¿Lo permites?
permission-yes = Sí
permission-always = Siempre
permission-no = No
permission-by-hand = Para eso, pulsa una tecla o haz clic: solo lo hago si lo confirmas en la pantalla.

## Dates

date-span = Del { $first } al { $last }.
date-today = Es hoy, { $date }.
date-days-until = { $days ->
    [1] Es mañana, { $date }.
   *[other] Faltan { $days } días para el { $date }.
}
date-days-since = { $days ->
    [1] Fue ayer, { $date }.
   *[other] Han pasado { $days } días desde el { $date }.
}
date-week-now = Estamos en la semana { $week }.
date-week-of = { $date }: semana { $week }.

## Times

time-here = La hora es: { $time }.
time-until = Quedan { $duration } ({ $time }).
time-there = La hora en { $place } es: { $time }.
time-there-on = En { $place } es { $weekday }, { $time }.
time-many-zones = { $place } tiene varias zonas horarias. Nombra una ciudad de allí.
place-unknown = No conozco ninguna ciudad ni país llamado { $place }.

## Calculations and conversions

calculation-exact = { $from } son { $to }.
calculation-about = { $from } son unos { $to }.
calculation-percent-of = { $percent } por ciento de { $whole }
calculation-root-exact = La raíz cuadrada de { $number } es { $root }.
calculation-root-about = La raíz cuadrada de { $number } es aproximadamente { $root }.
calculation-by-zero = No se puede dividir por cero.
calculation-too-large = Es demasiado grande para que lo calcule.
calculation-not-real = Eso no da ningún número real.
units-differ = { $from } y { $to } no miden lo mismo, así que no se pueden convertir.
units-too-cold = Nada está más frío que el cero absoluto, −273,15 grados Celsius.
random-pick = Ha salido { $choice }.

## Timers

timer-set = El temporizador está en marcha: { $duration }.
timer-set-named = El temporizador «{ $label }» está en marcha: { $duration }.
timer-none = No hay ningún temporizador en marcha.
timer-left = Quedan { $duration } en el temporizador.
timer-left-named = Quedan { $duration } en el temporizador «{ $label }».
timer-cancelled = El temporizador está cancelado.
timer-cancelled-named = El temporizador «{ $label }» está cancelado.
timers-cancelled = Todos los temporizadores están cancelados.
timer-paused = El temporizador está en pausa: quedan { $duration }.
timer-paused-named = El temporizador «{ $label }» está en pausa: quedan { $duration }.
timer-resumed = El temporizador sigue en marcha: quedan { $duration }.
timer-resumed-named = El temporizador «{ $label }» sigue en marcha: quedan { $duration }.
timer-paused-already = Ya está en pausa: quedan { $duration }.
timer-runs-already = No está en pausa: quedan { $duration }.
timer-too-short = Solo quedan { $duration }, así que no he cambiado nada.
timer-too-long = Un temporizador dura como mucho 24 horas.
timer-how-much = ¿Cuánto tiempo?
timer-ended = Ese temporizador ya ha terminado.
timer-unknown = Ningún temporizador se llama así. Hay: { $names }.
timers-several = Hay varios temporizadores en marcha: { $names }. ¿Cuál?
appointments-full = Ya hay { $most }, y no caben más. Cancela uno primero.

## Alarms and reminders

alarm-set = La alarma está puesta: { $time }.
reminder-set = Te lo recordaré: { $label }, { $time }.
reminder-item = { $label }: { $time }
reminder-cancelled = «{ $item }» está cancelado.
reminders-none = No hay alarmas ni recordatorios.
alarm-over = Esa hora ya ha pasado. Dime una que esté por venir.
reminders-none-of = { $kind ->
    [alarm] No hay ninguna alarma puesta.
    [reminder] No hay ningún recordatorio.
   *[other] No hay alarmas ni recordatorios.
}
reminders-no-fit = { $kind ->
    [alarm] No hay ninguna alarma así. Puestas: { $items }.
    [reminder] No hay ningún recordatorio así. Puestos: { $items }.
   *[other] Ninguna alarma y ningún recordatorio encaja. Puestos: { $items }.
}
reminders-none-on = { $kind ->
    [alarm] No hay ninguna alarma para el { $day }. Puestas: { $items }.
    [reminder] No hay ningún recordatorio para el { $day }. Puestos: { $items }.
   *[other] No hay alarmas ni recordatorios para el { $day }. Puestos: { $items }.
}
reminders-several = { $kind ->
    [alarm] Hay varias alarmas: { $items }. ¿Cuál?
    [reminder] Hay varios recordatorios: { $items }. ¿Cuál?
   *[other] Hay varios: { $items }. ¿Cuál?
}
reminders-cancelled = Todo esto está cancelado: { $items }.
reminder-repeats = «{ $item }» se repite, y solo puedo cancelarlo del todo: dilo sin el día si lo quieres.
repeats-daily = todos los días
repeats-weekdays = de lunes a viernes
repeats-weekly = cada semana
repeats-monthly = cada mes
repeats-yearly = cada año

## To-do lists

todo-list = { $list ->
    [to-do] tu lista de tareas
   *[other] tu lista de { $list }
}
todo-list-named = tu { $list }
todo-added = «{ $text }» está en { $list }.
todo-done = «{ $text }» está hecho.
todos-done = Hecho: { $list }.
todo-no-fit = «{ $text }» no está en la lista. Por hacer: { $list }.
todos-several = Hay varias cosas: { $list }. ¿Cuál?
todo-list-empty = No queda nada por hacer en { $list }.
todo-removed = «{ $text }» ya no está en { $list }.
taken-back-nothing = Ya no hay nada que anular.
undone-removed = «{ $item }» ya no está.
undone-removed-unnamed = Eso ya no está.
undone-restored = «{ $item }» está como antes.
undone-restored-unnamed = Eso está como antes.
undone-impossible = «{ $item }» no se puede deshacer: ha cambiado desde entonces o no se guardó ninguna copia.
undone-nothing = No hay nada que deshacer: no he cambiado nada aquí en los últimos diez minutos.
todos-open = Por hacer: { $list }.
todos-open-on = En { $list }: { $items }.
todo-is-on = Sí, «{ $text }» está en { $list }.
todo-is-not-on = No, «{ $text }» no está en { $list }. Hay: { $items }.
todo-is-on-none = No, «{ $text }» no está en ninguna lista. Por hacer: { $items }.
todos-none = No queda nada por hacer.
todos-exported = Guardado en tus documentos como { $file }.

## The voice of Jarvis

voice-volume = Ahora hablo al { $percent } por ciento del volumen.
voice-volume-range = Mi volumen va de 0 a 100 por ciento.
voice-muted = Me callo: las respuestas solo se muestran.
voice-unmuted = Vuelvo a hablar.
voice-missing = Ninguna voz instalada habla el idioma de esta respuesta, así que la lee la voz del sistema.
voice-missing-download = Ninguna voz instalada habla el idioma de esta respuesta, así que la lee la voz del sistema. Consigue una mejor con `jarvis models fetch { $voice }`.

## What rings

ring-stopped = Está apagado.
ring-none = No suena nada.
ring-again = Volverá a sonar en { $duration }.
snooze-range = Puede volver a sonar al cabo de un minuto a 24 horas.
ring-timer = Tu temporizador ha terminado.
ring-timer-named = Tu temporizador { $label } ha terminado.
ring-alarm = Suena tu alarma.
ring-alarm-named = Tu alarma: { $label }.
ring-reminder = Tenía que recordártelo ahora.
ring-reminder-named = Recordatorio: { $label }.
ring-timer-missed = Tu temporizador terminó a las { $time }, mientras yo estaba apagado.
ring-timer-missed-named = Tu temporizador { $label } terminó a las { $time }, mientras yo estaba apagado.
ring-alarm-missed = Tu alarma era a las { $time }, mientras yo estaba apagado.
ring-alarm-missed-named = Tu alarma era a las { $time }, mientras yo estaba apagado: { $label }.
ring-reminder-missed = Un recordatorio era a las { $time }, mientras yo estaba apagado.
ring-reminder-missed-named = Un recordatorio era a las { $time }, mientras yo estaba apagado: { $label }.
ring-format-day = d/M
ring-format-time = HH:mm
ring-on-day = { $time } del { $day }

## A Command Center, whose node Jarvis is

node-go-ahead = Adelante.
node-done = Hecho.
node-did-not-work = Lo siento, no ha funcionado.
node-did-not-work-why = Lo siento, no ha funcionado: { $error }
node-unreachable = No puedo conectar con el Command Center.
node-answers-itself = No puedo conectar con el Command Center, así que respondo yo.
node-asks-for-tool = Lo pide el Command Center. { $request }
node-results-not-sent = El Command Center no ha aceptado lo que he encontrado.
node-answer-not-sent = El Command Center no ha aceptado tu respuesta.
node-too-many-rounds = El Command Center pedía cada vez más, así que he parado.
node-unauthorised = El Command Center no acepta mi clave.
node-conversation-expired = El Command Center ha olvidado nuestra conversación.
node-server-error = El Command Center tiene un problema.
node-not-understood = No he podido entender la respuesta del Command Center.
node-too-many-steps = He parado, porque eran demasiados pasos.
node-woken = ¿Sí?
node-answer-of-nobody = No hay nadie a quien preguntar. Formula la petición de otra manera.

## Delivering a reply

voice-quota = El servicio de voz no tiene cuota, así que respondo por escrito.
voice-unavailable = Mi voz no funciona ahora mismo, así que respondo por escrito.
file-not-shown = «{ $name }» no se puede mostrar aquí.
feedback-explained = No he podido responder. { $explanation }
feedback-generic = Algo ha salido mal y no tengo respuesta. Vuelve a preguntar, por favor.

## Links, as they are spoken

spoken-link-to-homepage = Enlace a la página principal de { $site } con el texto «{ $text }»
spoken-link-to-page = Enlace a una página de { $site } con el texto «{ $text }»
spoken-homepage = la página principal de { $site }
spoken-page = una página de { $site }
