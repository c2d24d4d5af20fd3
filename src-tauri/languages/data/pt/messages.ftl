### The messages of English in this language; what is missing is said in English.

## How numbers, days and times are written

format-locale = pt
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

reply-nothing-known = Não sei: não encontro nada sobre isso na minha memória.
reply-rest-undone = Não consegui fazer o resto.
reply-one-moment = Um momento.
reply-garbled = Desculpe, a resposta saiu mal. Pode perguntar outra vez, talvez com outras palavras?
reply-no-answer = Desculpe, não tenho resposta para isso. Pode dizer de outra maneira?
reply-out-of-turns = Parei aqui: isto precisava de mais passos do que posso dar.
reply-files-left-out = { $count ->
    [one] Falta um ficheiro: a resposta tem demasiados.
   *[other] Faltam { $count } ficheiros: a resposta tem demasiados.
}
reply-orders-left-out = { $count ->
    [one] Uma frase do resultado de uma ferramenta dava ordens a um assistente: omiti-a.
   *[other] { $count } frases dos resultados de ferramentas davam ordens a um assistente: omiti-as.
}
reply-larger-model = Um modelo de linguagem maior, nas definições, conseguiria mais.
reply-not-done = Não o fiz.
reply-dismissed = Muito bem.
reply-missing = Pode dizer com mais pormenor? Falta-me um dado.
reply-ask = { $argument ->
    [place] Para que lugar?
    [time] A que horas?
    [date] Para que dia?
    [duration] Por quanto tempo?
    [label] Como se chama?
    [text] O quê exatamente?
    [list] Que lista?
    [amount] Quanto?
    [unit] Em que unidade?
    [expression] O que devo calcular?
    [meal] O que comeu?
    [query] O que devo procurar?
   *[other] Falta um dado: { $argument }.
}
reply-no-source = { $topic ->
    [weather] Não consigo consultar o tempo: ainda não tenho nenhuma fonte.
    [news] Não consigo consultar as notícias: ainda não tenho nenhuma fonte.
    [prices] Não consigo consultar preços: ainda não tenho nenhuma fonte.
    [scores] Não consigo consultar resultados: ainda não tenho nenhuma fonte.
    [traffic] Não consigo consultar o trânsito nem horários de transportes: ainda não tenho nenhuma fonte.
    [opening_hours] Não consigo consultar horários de funcionamento: ainda não tenho nenhuma fonte.
   *[other] Não posso saber isso: está no futuro, ou falta-me uma fonte.
}
reply-source-offline = O trabalho sem ligação está ativado; pode mudar isso nas definições.
reply-source-search-off = A pesquisa na Web está desativada; pode mudar isso nas definições.
tool-title = { $tool ->
    [webSearch] Pesquisa na web
    [fetchWebPage] Página web
    [getWeather] Tempo
   *[other] { $tool }
}
reply-source-failed = Não posso dizer: { $tool } não me deu resposta.
reply-source-denied = Não posso dizer: { $tool } não teve permissão para consultar.
reply-source-unused = Não posso dizer: não consultei com { $tool }.
reply-cannot-do = { $action ->
    [mail] Não consigo enviar nem ler e-mails: nenhuma ferramenta está configurada para isso.
    [messages] Não consigo enviar mensagens: nenhuma ferramenta está configurada para isso.
    [calls] Não consigo ligar a ninguém: nenhuma ferramenta está configurada para isso.
    [devices] Não consigo controlar luzes nem aparelhos: nenhuma ferramenta está configurada para isso.
    [music] Não consigo tocar música: nenhuma ferramenta está configurada para isso.
    [purchases] Não consigo comprar nada: nenhuma ferramenta está configurada para isso.
   *[other] Não consigo reservar nada: nenhuma ferramenta está configurada para isso.
}
reply-nothing-done = Não fiz nada agora: nenhuma ferramenta executou isso.
reply-no-person = Sou { $name }, um programa neste computador, e não uma pessoa.
reply-name-noted = Prazer, { $name }. Anotei o seu nome.
reply-place-noted = Anotei onde você mora: { $place }.
reply-your-name = Você se chama { $name }.
reply-your-place = Você mora em { $place }.
reply-you-are-here = Que eu saiba, você está aqui: { $place }.
reply-no-place = Não sei onde você está: nenhum lugar está definido. Pode indicar um nas definições, em “Location”.
reply-told-noted = Certo, vou me lembrar disso.
reply-offer-reminder = Devo lembrar você disso?
reply-told = Você me disse: “{ $words }”
reply-you-said-first = A primeira coisa que você disse: “{ $words }”
reply-you-said = Você disse: “{ $words }”
reply-nothing-said = Você ainda não disse mais nada nesta conversa.
reply-nothing-asked = Você ainda não perguntou mais nada nesta conversa.
reply-spelt = “{ $word }” se escreve { $letters }.
reply-who-i-am = Sou { $name }, o seu assistente: um programa neste computador, e não uma pessoa.
reply-what-i-can = Eu marco temporizadores, alarmes e lembretes, cuido das suas listas, calculo e converto, digo a hora e a data em qualquer lugar e lembro o que você me conta. Perguntas gerais respondo como posso.
reply-i-am-well = Muito bem, obrigado.

## Permission to run a tool

permission-request = { $name } quer { permission-action }.
permission-request-with = { $name } quer { permission-action }: { $values }.
permission-action = { $tool ->
    [setTimer] iniciar um temporizador
    [cancelTimer] cancelar um temporizador
    [changeTimer] mudar um temporizador
    [setAlarm] definir um alarme
    [setReminder] criar um lembrete
    [cancelReminder] cancelar um alarme ou um lembrete
    [snooze] fazer tocar de novo mais tarde
    [stopRinging] desligar o que está a tocar
    [addTodo] pôr algo numa lista
    [finishTodo] riscar algo de uma lista
    [takeBack] anular o que foi definido
    [logMeal] registar uma refeição
    [deleteMeal] apagar uma refeição
    [setVolume] mudar o volume da voz
    [muteVoice] ligar ou desligar a voz
    [exportTodos] guardar as listas e os lembretes num ficheiro
    [localFiles-writes] guardar um ficheiro
    [localFiles-deletes] mover um ficheiro para o lixo
    [undoFileChange] anular a última alteração de um ficheiro
    [openLink] abrir uma página web
    [openApplication] abrir um programa
    [screenshot] ler o texto no ecrã
    [readClipboard] ler a área de transferência
    [writeClipboard] copiar um texto para a área de transferência
    [controlMedia] controlar a reprodução
    [setComputerVolume] mudar o volume do computador
   *[other] usar { $tool }
}
permission-request-of-server = { $name } quer usar a ferramenta { $tool } do servidor { $server }, que { permission-effect }.
permission-request-of-server-with = { $name } quer usar a ferramenta { $tool } do servidor { $server }, que { permission-effect }, com { $values }.
permission-effect = { $effect ->
    [reads] lê ou calcula
    [fetches] obtém dados da rede
    [writes] adiciona ou altera dados
    [deletes] apaga dados
   *[executes] executa um programa
}
permission-more-values = { $count ->
    [one] mais um valor
   *[other] mais { $count } valores
}
permission-question = { $request } Pode ser?
permission-description-changed = O servidor descreve agora a ferramenta de outra forma.
permission-needs-click = { $request } Isso precisa de uma tecla ou de um clique no computador, por isso não foi feito.
server-question = O servidor de ferramentas { $server } pergunta: “{ $question }” Queres responder?
server-sampling = O servidor de ferramentas { $server } quer perguntar ao teu modelo de linguagem: “{ $question }” Pode ser?
permission-yes = Sim
permission-always = Sempre
permission-no = Não
permission-by-hand = Para isso, prima uma tecla ou clique: só o faço se confirmar no ecrã.

## Dates

date-span = De { $first } a { $last }.
date-today = É hoje, { $date }.
date-days-until = { $days ->
    [1] É amanhã, { $date }.
   *[other] Faltam { $days } dias para { $date }.
}
date-days-since = { $days ->
    [1] Foi ontem, { $date }.
   *[other] Passaram { $days } dias desde { $date }.
}
date-week-now = Estamos na semana { $week }.
date-week-of = { $date }: semana { $week }.

## Times

time-here = A hora certa: { $time }.
time-until = Tempo até { $time }: { $duration }.
time-there = A hora em { $place }: { $time }.
time-there-on = Em { $place }: { $weekday }, { $time }.
time-many-zones = { $place } tem vários fusos horários. Diz uma cidade de lá.
place-unknown = Não conheço nenhuma cidade nem país chamado { $place }.

## Calculations and conversions

calculation-exact = { $from } são { $to }.
calculation-about = { $from } são cerca de { $to }.
calculation-percent-of = { $percent } por cento de { $whole }
calculation-root-exact = A raiz quadrada de { $number } é { $root }.
calculation-root-about = A raiz quadrada de { $number } é cerca de { $root }.
calculation-by-zero = Não se pode dividir por zero.
calculation-too-large = É grande demais para eu calcular.
calculation-not-real = O resultado não é um número real.
units-differ = { $from } e { $to } não medem o mesmo, por isso não se podem converter.
units-too-cold = Nada é mais frio do que o zero absoluto, −273,15 graus Celsius.
random-pick = Saiu { $choice }.

## Timers

timer-set = O temporizador começou: { $duration }.
timer-set-named = O temporizador “{ $label }” começou: { $duration }.
timer-none = Não há nenhum temporizador ativo.
timer-left = Faltam { $duration } no temporizador.
timer-left-named = Faltam { $duration } no temporizador “{ $label }”.
timer-cancelled = O temporizador foi cancelado.
timer-cancelled-named = O temporizador “{ $label }” foi cancelado.
timers-cancelled = Todos os temporizadores foram cancelados.
timer-paused = O temporizador está em pausa: faltam { $duration }.
timer-paused-named = O temporizador “{ $label }” está em pausa: faltam { $duration }.
timer-resumed = O temporizador continua: faltam { $duration }.
timer-resumed-named = O temporizador “{ $label }” continua: faltam { $duration }.
timer-paused-already = Já está em pausa: faltam { $duration }.
timer-runs-already = Não está em pausa: faltam { $duration }.
timer-too-short = Só faltam { $duration }, por isso não mudei nada.
timer-too-long = Um temporizador dura no máximo 24 horas.
timer-how-much = Quanto tempo?
timer-ended = Esse temporizador já terminou.
timer-unknown = Nenhum temporizador se chama assim. Há: { $names }.
timers-several = Há vários temporizadores ativos: { $names }. Qual deles?
appointments-full = Já há { $most }, e é o máximo. Cancela um primeiro.

## Alarms and reminders

alarm-set = O alarme está definido: { $time }.
reminder-set = Vou lembrar: { $label }, { $time }.
reminder-item = { $label }: { $time }
reminder-cancelled = “{ $item }” foi cancelado.
reminders-none = Não há alarmes nem lembretes.
alarm-over = Essa hora já passou. Diz uma que ainda venha.
reminders-none-of = { $kind ->
    [alarm] Não há nenhum alarme definido.
    [reminder] Não há nenhum lembrete.
   *[other] Não há alarmes nem lembretes.
}
reminders-no-fit = { $kind ->
    [alarm] Não há nenhum alarme assim. Definidos: { $items }.
    [reminder] Não há nenhum lembrete assim. Definidos: { $items }.
   *[other] Nenhum alarme e nenhum lembrete corresponde. Definidos: { $items }.
}
reminders-none-on = { $kind ->
    [alarm] Não há nenhum alarme para { $day }. Definidos: { $items }.
    [reminder] Não há nenhum lembrete para { $day }. Definidos: { $items }.
   *[other] Não há alarmes nem lembretes para { $day }. Definidos: { $items }.
}
reminders-several = { $kind ->
    [alarm] Há vários alarmes: { $items }. Qual deles?
    [reminder] Há vários lembretes: { $items }. Qual deles?
   *[other] Há vários: { $items }. Qual deles?
}
reminders-cancelled = Tudo isto foi cancelado: { $items }.
reminder-repeats = “{ $item }” repete-se, e só posso cancelar tudo: diz sem o dia, se é isso que queres.
repeats-daily = todos os dias
repeats-weekdays = de segunda a sexta
repeats-weekly = todas as semanas
repeats-monthly = todos os meses
repeats-yearly = todos os anos

## To-do lists

todo-list = { $list ->
    [to-do] sua lista de tarefas
   *[other] sua lista de { $list }
}
todo-list-named = sua { $list }
todo-added = “{ $text }” está na { $list }.
todo-done = “{ $text }” está feito.
todos-done = Feito: { $list }.
todo-no-fit = “{ $text }” não está na lista. Por fazer: { $list }.
todos-several = Há várias coisas: { $list }. Qual delas?
todo-list-empty = Na { $list } não há mais nada para fazer.
todo-removed = “{ $text }” já não está na { $list }.
taken-back-nothing = Já não há nada para anular.
undone-removed = “{ $item }” já não está lá.
undone-removed-unnamed = Isso já não está lá.
undone-restored = “{ $item }” está como antes.
undone-restored-unnamed = Isso está como antes.
undone-impossible = “{ $item }” não pode ser desfeito: foi alterado entretanto, ou não foi guardada nenhuma cópia.
undone-nothing = Não há nada para desfazer: não alterei nada aqui nos últimos dez minutos.
todos-open = Por fazer: { $list }.
todos-open-on = Na { $list }: { $items }.
todo-is-on = Sim, “{ $text }” está na { $list }.
todo-is-not-on = Não, “{ $text }” não está na { $list }. Há: { $items }.
todo-is-on-none = Não, “{ $text }” não está em nenhuma lista. Por fazer: { $items }.
todos-none = Não há mais nada para fazer.
todos-exported = Guardado nos seus documentos como { $file }.

## The voice of Jarvis

voice-volume = Agora falo a { $percent } por cento do volume.
voice-volume-range = O meu volume vai de 0 a 100 por cento.
voice-muted = Fico em silêncio: as respostas são apenas mostradas.
voice-unmuted = Volto a falar.
voice-missing = Nenhuma voz instalada fala a língua desta resposta, por isso é a voz do sistema que a lê.
voice-missing-download = Nenhuma voz instalada fala a língua desta resposta, por isso é a voz do sistema que a lê. Para obter uma melhor: `jarvis models fetch { $voice }`.

## What rings

ring-stopped = Está desligado.
ring-none = Não há nada a tocar.
ring-again = Volta a tocar em { $duration }.
snooze-range = Pode voltar a tocar depois de um minuto a 24 horas.
ring-timer = O temporizador terminou.
ring-timer-named = O temporizador { $label } terminou.
ring-alarm = O seu alarme está a tocar.
ring-alarm-named = O seu alarme: { $label }.
ring-reminder = Era para lembrar agora.
ring-reminder-named = Lembrete: { $label }.
ring-timer-missed = O temporizador terminou às { $time }, enquanto eu estava desligado.
ring-timer-missed-named = O temporizador { $label } terminou às { $time }, enquanto eu estava desligado.
ring-alarm-missed = O seu alarme era às { $time }, enquanto eu estava desligado.
ring-alarm-missed-named = O seu alarme era às { $time }, enquanto eu estava desligado: { $label }.
ring-reminder-missed = Um lembrete era às { $time }, enquanto eu estava desligado.
ring-reminder-missed-named = Um lembrete era às { $time }, enquanto eu estava desligado: { $label }.
ring-format-day = d/M
ring-format-time = HH:mm
ring-on-day = { $time } de { $day }

## A Command Center, whose node Jarvis is

node-go-ahead = Pode falar.
node-done = Feito.
node-did-not-work = Desculpe, não funcionou.
node-did-not-work-why = Desculpe, não funcionou: { $error }
node-unreachable = Não consigo alcançar o Command Center.
node-answers-itself = Não consigo alcançar o Command Center, por isso respondo eu.
node-asks-for-tool = É o Command Center que o pede. { $request }
node-results-not-sent = O Command Center não aceitou o que encontrei.
node-answer-not-sent = O Command Center não aceitou a sua resposta.
node-too-many-rounds = O Command Center pedia cada vez mais, por isso parei.
node-unauthorised = O Command Center não aceita a minha chave.
node-conversation-expired = O Command Center esqueceu a nossa conversa.
node-server-error = O Command Center tem um problema.
node-not-understood = Não consegui entender a resposta do Command Center.
node-too-many-steps = Parei, porque eram passos demais.
node-woken = Sim?
node-answer-of-nobody = Não há ninguém a quem perguntar. Formule o pedido de outra maneira.

## Delivering a reply

voice-quota = O serviço de voz já não tem quota, por isso respondo por escrito.
voice-unavailable = A minha voz não funciona agora, por isso respondo por escrito.
file-not-shown = “{ $name }” não pode ser mostrado aqui.
feedback-explained = Não consegui responder. { $explanation }
feedback-generic = Algo correu mal e não tenho resposta. Pergunta outra vez, por favor.

## Links, as they are spoken

spoken-link-to-homepage = Ligação para a página inicial de { $site } com o texto “{ $text }”
spoken-link-to-page = Ligação para uma página de { $site } com o texto “{ $text }”
spoken-homepage = a página inicial de { $site }
spoken-page = uma página de { $site }
