### The messages of English in this language; what is missing is said in English.

## How numbers, days and times are written

format-locale = fr
format-day = EEEE d MMMM y
format-time = H:mm
format-christmas-day = 25

## Durations

duration-hours = { $count ->
    [one] { $count } heure
   *[other] { $count } heures
}
duration-minutes = { $count ->
    [one] { $count } minute
   *[other] { $count } minutes
}
duration-seconds = { $count ->
    [one] { $count } seconde
   *[other] { $count } secondes
}

## Replies that no model words

reply-nothing-known = Je ne le sais pas : je ne trouve rien à ce sujet dans ma mémoire.
reply-rest-undone = Je n'ai pas pu faire le reste.
reply-one-moment = Un instant.
reply-garbled = Désolé, ma réponse était incompréhensible. Pouvez-vous reposer la question, peut-être autrement ?
reply-no-answer = Désolé, je n'ai pas de réponse à cela. Pouvez-vous le dire autrement ?
reply-out-of-turns = Je me suis arrêté : cela demandait plus d’étapes que je n’ai le droit d’en faire.
reply-files-left-out = { $count ->
    [one] Un fichier manque : la réponse en a trop.
   *[other] { $count } fichiers manquent : la réponse en a trop.
}
reply-orders-left-out = { $count ->
    [one] Une phrase du résultat d'un outil donnait des ordres à un assistant : je l'ai omise.
   *[other] { $count } phrases des résultats d'outils donnaient des ordres à un assistant : je les ai omises.
}
reply-larger-model = Un modèle de langue plus grand, dans les réglages, y arriverait mieux.
reply-not-done = Je ne l'ai pas fait.
reply-dismissed = Très bien.
reply-missing = Pouvez-vous préciser ? Il me manque une indication.
reply-ask = { $argument ->
    [place] Pour quel endroit ?
    [time] À quelle heure ?
    [date] Pour quel jour ?
    [duration] Pour combien de temps ?
    [label] Comment cela s’appelle-t-il ?
    [text] Quoi exactement ?
    [list] Quelle liste ?
    [amount] Combien ?
    [unit] Dans quelle unité ?
    [expression] Que dois-je calculer ?
    [meal] Qu’avez-vous mangé ?
    [query] Que dois-je chercher ?
   *[other] Il manque une indication : { $argument }.
}
reply-no-source = { $topic ->
    [weather] Je ne peux pas consulter la météo : je n'ai pas encore de source.
    [news] Je ne peux pas consulter les actualités : je n'ai pas encore de source.
    [prices] Je ne peux pas consulter les prix : je n'ai pas encore de source.
    [scores] Je ne peux pas consulter les résultats : je n'ai pas encore de source.
    [traffic] Je ne peux pas consulter le trafic ni les horaires de transport : je n'ai pas encore de source.
    [opening_hours] Je ne peux pas consulter les horaires d'ouverture : je n'ai pas encore de source.
   *[other] Je ne peux pas le savoir : c'est dans le futur, ou il me manque une source.
}
reply-source-offline = Le travail hors ligne est activé ; cela se change dans les réglages.
reply-source-search-off = La recherche sur le Web est désactivée ; cela se change dans les réglages.
tool-title = { $tool ->
    [webSearch] Recherche web
    [fetchWebPage] Page web
    [getWeather] Météo
   *[other] { $tool }
}
reply-source-failed = Je ne peux pas le dire : { $tool } ne m'a pas répondu.
reply-source-denied = Je ne peux pas le dire : { $tool } n'a pas eu le droit de le consulter.
reply-source-unused = Je ne peux pas le dire : je ne l'ai pas consulté avec { $tool }.
reply-cannot-do = { $action ->
    [mail] Je ne peux ni envoyer ni lire de courriels : aucun outil n'est configuré pour cela.
    [messages] Je ne peux pas envoyer de messages : aucun outil n'est configuré pour cela.
    [calls] Je ne peux appeler personne : aucun outil n'est configuré pour cela.
    [devices] Je ne peux pas commander de lumières ni d'appareils : aucun outil n'est configuré pour cela.
    [music] Je ne peux pas jouer de musique : aucun outil n'est configuré pour cela.
    [purchases] Je ne peux rien acheter : aucun outil n'est configuré pour cela.
   *[other] Je ne peux rien réserver : aucun outil n'est configuré pour cela.
}
reply-nothing-done = Je n'ai rien fait à l'instant : aucun outil ne s'en est chargé.
reply-no-person = Je suis { $name }, un programme sur cet ordinateur, et non une personne.
reply-name-noted = Enchanté, { $name }. J'ai noté votre nom.
reply-place-noted = J'ai noté où vous habitez : { $place }.
reply-your-name = Vous vous appelez { $name }.
reply-your-place = Vous habitez ici : { $place }.
reply-you-are-here = À ma connaissance, vous êtes ici : { $place }.
reply-no-place = Je ne sais pas où vous êtes : aucun lieu n’est indiqué. Vous pouvez en indiquer un dans les réglages, sous « Location ».
reply-told-noted = Merci, je m'en souviendrai.
reply-offer-reminder = Dois-je vous le rappeler ?
reply-told = Vous m'avez dit : « { $words } »
reply-you-said-first = Vous avez dit d’abord : « { $words } »
reply-you-said = Vous avez dit : « { $words } »
reply-nothing-said = Vous n’avez encore rien dit d’autre dans cette conversation.
reply-nothing-asked = Vous n’avez encore rien demandé d’autre dans cette conversation.
reply-spelt = « { $word } » s’écrit { $letters }.
reply-who-i-am = Je suis { $name }, votre assistant : un programme sur cet ordinateur, et non une personne.
reply-what-i-can = Je règle des minuteurs, des alarmes et des rappels, je tiens vos listes, je calcule et convertis, je donne l’heure et la date partout, et je retiens ce que vous me dites. Je réponds de mon mieux aux questions générales.
reply-i-am-well = Très bien, merci.

## Permission to run a tool

permission-request = { $name } veut { permission-action }.
permission-request-with = { $name } veut { permission-action } : { $values }.
permission-action = { $tool ->
    [setTimer] lancer un minuteur
    [cancelTimer] annuler un minuteur
    [changeTimer] modifier un minuteur
    [setAlarm] régler une alarme
    [setReminder] créer un rappel
    [cancelReminder] annuler une alarme ou un rappel
    [snooze] faire sonner de nouveau plus tard
    [stopRinging] arrêter ce qui sonne
    [addTodo] ajouter quelque chose à une liste
    [finishTodo] cocher quelque chose sur une liste
    [takeBack] annuler ce qui a été réglé
    [logMeal] noter un repas
    [deleteMeal] supprimer un repas
    [setVolume] changer le volume de la voix
    [muteVoice] activer ou couper la voix
    [exportTodos] enregistrer les listes et les rappels dans un fichier
    [localFiles-writes] enregistrer un fichier
    [localFiles-deletes] mettre un fichier à la corbeille
    [undoFileChange] annuler la dernière modification d’un fichier
    [openLink] ouvrir une page web
    [openApplication] ouvrir un programme
    [screenshot] lire le texte à l’écran
    [readClipboard] lire le presse-papiers
    [writeClipboard] copier un texte dans le presse-papiers
    [controlMedia] commander la lecture
    [setComputerVolume] changer le volume de l’ordinateur
   *[other] utiliser { $tool }
}
permission-request-of-server = { $name } veut utiliser l'outil { $tool } du serveur { $server }, qui { permission-effect }.
permission-request-of-server-with = { $name } veut utiliser l'outil { $tool } du serveur { $server }, qui { permission-effect }, avec { $values }.
permission-effect = { $effect ->
    [reads] lit ou calcule
    [fetches] récupère des données sur le réseau
    [writes] ajoute ou modifie des données
    [deletes] supprime des données
   *[executes] exécute un programme
}
permission-more-values = { $count ->
    [one] une autre valeur
   *[other] { $count } autres valeurs
}
permission-question = { $request } D'accord ?
permission-description-changed = Son serveur décrit maintenant l’outil autrement.
permission-needs-click = { $request } Cela demande une touche ou un clic à l'ordinateur, donc rien n'a été fait.
server-question = Le serveur d'outils { $server } demande : « { $question } » Veux-tu répondre ?
server-sampling = Le serveur d'outils { $server } veut interroger ton modèle de langage : « { $question } » Es-tu d'accord ?
permission-yes = Oui
permission-always = Toujours
permission-no = Non
permission-by-hand = Pour cela, appuyez sur une touche ou cliquez : je ne le fais que si vous le confirmez à l’écran.

## Dates

date-span = Du { $first } au { $last }.
date-today = C’est aujourd’hui, { $date }.
date-days-until = { $days ->
    [1] C’est demain, { $date }.
   *[other] Encore { $days } jours jusqu’au { $date }.
}
date-days-since = { $days ->
    [1] C’était hier, { $date }.
   *[other] { $days } jours ont passé depuis le { $date }.
}
date-week-now = Nous sommes en semaine { $week }.
date-week-of = { $date } : semaine { $week }.

## Times

time-here = Il est { $time }.
time-until = Encore { $duration } jusqu’à { $time }.
time-there = À { $place }, il est { $time }.
time-there-on = À { $place }, nous sommes { $weekday } et il est { $time }.
time-many-zones = { $place } a plusieurs fuseaux horaires. Nomme une ville là-bas.
place-unknown = Je ne connais ni ville ni pays du nom de { $place }.

## Calculations and conversions

calculation-exact = { $from } font { $to }.
calculation-about = { $from } font environ { $to }.
calculation-percent-of = { $percent } pour cent de { $whole }
calculation-root-exact = La racine carrée de { $number } est { $root }.
calculation-root-about = La racine carrée de { $number } est environ { $root }.
calculation-by-zero = On ne peut pas diviser par zéro.
calculation-too-large = C’est trop grand pour que je le calcule.
calculation-not-real = Aucun nombre réel n’en est le résultat.
units-differ = { $from } et { $to } ne mesurent pas la même chose : la conversion est impossible.
units-too-cold = Rien n’est plus froid que le zéro absolu, −273,15 degrés Celsius.
random-pick = C’est { $choice }.

## Timers

timer-set = Le minuteur tourne : { $duration }.
timer-set-named = Le minuteur « { $label } » tourne : { $duration }.
timer-none = Aucun minuteur ne tourne.
timer-left = Il reste { $duration } sur le minuteur.
timer-left-named = Il reste { $duration } sur le minuteur « { $label } ».
timer-cancelled = Le minuteur est annulé.
timer-cancelled-named = Le minuteur « { $label } » est annulé.
timers-cancelled = Tous les minuteurs sont annulés.
timer-paused = Le minuteur est en pause : il reste { $duration }.
timer-paused-named = Le minuteur « { $label } » est en pause : il reste { $duration }.
timer-resumed = Le minuteur tourne de nouveau : il reste { $duration }.
timer-resumed-named = Le minuteur « { $label } » tourne de nouveau : il reste { $duration }.
timer-paused-already = Il est déjà en pause : il reste { $duration }.
timer-runs-already = Il n’est pas en pause : il reste { $duration }.
timer-too-short = Il ne reste que { $duration }, je n’ai donc rien changé.
timer-too-long = Un minuteur dure au plus 24 heures.
timer-how-much = De combien ?
timer-ended = Ce minuteur est déjà terminé.
timer-unknown = Aucun minuteur ne s’appelle ainsi. Il y a : { $names }.
timers-several = Plusieurs minuteurs tournent : { $names }. Lequel ?
appointments-full = Il y en a déjà { $most }, c’est le maximum. Annules-en d’abord un.

## Alarms and reminders

alarm-set = Le réveil est réglé : { $time }.
reminder-set = Je te le rappellerai : { $label }, { $time }.
reminder-item = { $label } : { $time }
reminder-cancelled = « { $item } » est annulé.
reminders-none = Il n’y a ni réveil ni rappel.
alarm-over = Cette heure est déjà passée. Donne-m’en une à venir.
reminders-none-of = { $kind ->
    [alarm] Aucun réveil n’est réglé.
    [reminder] Il n’y a aucun rappel.
   *[other] Il n’y a ni réveil ni rappel.
}
reminders-no-fit = { $kind ->
    [alarm] Il n’y a pas de tel réveil. Réglés : { $items }.
    [reminder] Il n’y a pas de tel rappel. Prévus : { $items }.
   *[other] Aucun réveil et aucun rappel ne convient. Prévus : { $items }.
}
reminders-none-on = { $kind ->
    [alarm] Il n’y a pas de réveil pour le { $day }. Réglés : { $items }.
    [reminder] Il n’y a pas de rappel pour le { $day }. Prévus : { $items }.
   *[other] Il n’y a ni réveil ni rappel pour le { $day }. Prévus : { $items }.
}
reminders-several = { $kind ->
    [alarm] Plusieurs réveils conviennent : { $items }. Lequel ?
    [reminder] Plusieurs rappels conviennent : { $items }. Lequel ?
   *[other] Il y en a plusieurs : { $items }. Lequel ?
}
reminders-cancelled = Tout cela est annulé : { $items }.
reminder-repeats = « { $item } » se répète, et je ne peux que l’annuler pour de bon : dis-le sans le jour si tu le veux.
repeats-daily = tous les jours
repeats-weekdays = du lundi au vendredi
repeats-weekly = toutes les semaines
repeats-monthly = tous les mois
repeats-yearly = tous les ans

## To-do lists

todo-list = { $list ->
    [to-do] votre liste de tâches
   *[other] votre liste « { $list } »
}
todo-list-named = votre { $list }
todo-added = « { $text } » est sur { $list }.
todo-done = « { $text } » est fait.
todos-done = Fait : { $list }.
todo-no-fit = « { $text } » n’est pas sur la liste. Encore à faire : { $list }.
todos-several = Plusieurs choses conviennent : { $list }. Laquelle ?
todo-list-empty = Il n’y a plus rien à faire sur { $list }.
todo-removed = « { $text } » n’est plus sur { $list }.
taken-back-nothing = Il n’y a plus rien à annuler.
undone-removed = « { $item } » a été retiré.
undone-removed-unnamed = C’est retiré.
undone-restored = « { $item } » est comme avant.
undone-restored-unnamed = Tout est comme avant.
undone-impossible = « { $item } » ne peut pas être rétabli : il a changé depuis, ou aucune copie n’a été gardée.
undone-nothing = Il n’y a rien à annuler : je n’ai rien changé ici ces dix dernières minutes.
todos-open = Encore à faire : { $list }.
todos-open-on = Sur { $list } : { $items }.
todo-is-on = Oui, « { $text } » est sur { $list }.
todo-is-not-on = Non, « { $text } » n’est pas sur { $list }. Il y a : { $items }.
todo-is-on-none = Non, « { $text } » n’est sur aucune liste. Encore à faire : { $items }.
todos-none = Il n’y a plus rien à faire.
todos-exported = Enregistré dans vos documents sous le nom { $file }.

## The voice of Jarvis

voice-volume = Je parle maintenant à { $percent } pour cent du volume.
voice-volume-range = Mon volume va de 0 à 100 pour cent.
voice-muted = Je me tais : les réponses sont seulement affichées.
voice-unmuted = Je parle de nouveau.
voice-missing = Aucune voix installée ne parle la langue de cette réponse, c'est donc la voix du système qui la lit.
voice-missing-download = Aucune voix installée ne parle la langue de cette réponse, c'est donc la voix du système qui la lit. Pour en obtenir une meilleure : `jarvis models fetch { $voice }`.

## What rings

ring-stopped = C’est arrêté.
ring-none = Rien ne sonne.
ring-again = Ça sonnera de nouveau dans { $duration }.
snooze-range = Ça peut sonner de nouveau après une minute à 24 heures.
ring-timer = Votre minuteur est terminé.
ring-timer-named = Votre minuteur { $label } est terminé.
ring-alarm = Votre réveil sonne.
ring-alarm-named = Votre réveil : { $label }.
ring-reminder = Je devais vous le rappeler maintenant.
ring-reminder-named = Rappel : { $label }.
ring-timer-missed = Votre minuteur s'est terminé à { $time }, pendant que j'étais éteint.
ring-timer-missed-named = Votre minuteur { $label } s'est terminé à { $time }, pendant que j'étais éteint.
ring-alarm-missed = Votre réveil devait sonner à { $time }, pendant que j'étais éteint.
ring-alarm-missed-named = Votre réveil devait sonner à { $time }, pendant que j'étais éteint : { $label }.
ring-reminder-missed = Un rappel était prévu à { $time }, pendant que j'étais éteint.
ring-reminder-missed-named = Un rappel était prévu à { $time }, pendant que j'étais éteint : { $label }.
ring-format-day = d/M
ring-format-time = HH:mm
ring-on-day = { $time } le { $day }

## A Command Center, whose node Jarvis is

node-go-ahead = Je vous écoute.
node-done = C'est fait.
node-did-not-work = Désolé, cela n'a pas marché.
node-did-not-work-why = Désolé, cela n'a pas marché : { $error }
node-unreachable = Je n'arrive pas à joindre le Command Center.
node-answers-itself = Je n'arrive pas à joindre le Command Center, je réponds donc moi-même.
node-asks-for-tool = C'est le Command Center qui le demande. { $request }
node-results-not-sent = Le Command Center n'a pas accepté ce que j'ai trouvé.
node-answer-not-sent = Le Command Center n'a pas accepté votre réponse.
node-too-many-rounds = Le Command Center en demandait toujours plus, alors j'ai arrêté.
node-unauthorised = Le Command Center n'accepte pas ma clé.
node-conversation-expired = Le Command Center a oublié notre conversation.
node-server-error = Le Command Center a un problème.
node-not-understood = Je n'ai pas pu comprendre la réponse du Command Center.
node-too-many-steps = J'ai arrêté, car il y avait trop d'étapes.
node-woken = Oui ?
node-answer-of-nobody = Il n'y a personne à qui demander. Formulez la demande autrement.

## Delivering a reply

voice-quota = Le quota du service vocal est épuisé, je réponds donc par écrit.
voice-unavailable = Ma voix ne fonctionne pas pour le moment, je réponds donc par écrit.
file-not-shown = « { $name } » ne peut pas être affiché ici.
feedback-explained = Je n’ai pas pu répondre. { $explanation }
feedback-generic = Quelque chose s’est mal passé et je n’ai pas de réponse. Reposez la question, s’il vous plaît.

## Links, as they are spoken

spoken-link-to-homepage = Lien vers la page d'accueil de { $site } avec le texte « { $text } »
spoken-link-to-page = Lien vers une page de { $site } avec le texte « { $text } »
spoken-homepage = la page d'accueil de { $site }
spoken-page = une page de { $site }
