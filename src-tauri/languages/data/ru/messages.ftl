### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = Я этого не знаю: в моей памяти об этом ничего нет.
reply-rest-undone = Остальное сделать не удалось.
reply-one-moment = Минутку.
reply-garbled = К сожалению, ответ вышел бессвязным. Спросите ещё раз, может быть, другими словами?
reply-no-answer = К сожалению, у меня нет ответа. Скажете это по-другому?
reply-out-of-turns = Я остановился здесь: для этого нужно больше шагов, чем мне разрешено.
reply-files-left-out = { $count ->
    [one] Пропущен { $count } файл: в ответе их слишком много.
    [few] Пропущено { $count } файла: в ответе их слишком много.
    [many] Пропущено { $count } файлов: в ответе их слишком много.
   *[other] Пропущено { $count } файла: в ответе их слишком много.
}
reply-larger-model = Языковая модель побольше, в настройках, справится лучше.
reply-not-done = Я этого не сделал.
reply-dismissed = Хорошо.
reply-missing = Скажете точнее? Мне не хватает данных.

## Delivering a reply

voice-quota = Квота голосовой службы исчерпана, поэтому я отвечаю текстом.
voice-unavailable = Мой голос сейчас не работает, поэтому я отвечаю текстом.
file-not-shown = «{ $name }» нельзя показать здесь.
feedback-explained = Мне не удалось ответить. { $explanation }
feedback-generic = Что-то пошло не так, и у меня нет ответа. Спросите, пожалуйста, ещё раз.

## What is undone

undone-removed = «{ $item }» снова нет.
undone-removed-unnamed = Этого больше нет.
undone-restored = «{ $item }» снова как раньше.
undone-restored-unnamed = Всё снова как раньше.
undone-impossible = Изменение «{ $item }» нельзя отменить: с тех пор что-то изменилось или копия не сохранилась.
undone-nothing = Отменять нечего: за последние десять минут я здесь ничего не менял.
random-pick = Выпало: { $choice }.

## Links, as they are spoken

spoken-link-to-homepage = Ссылка на главную страницу { $site } с текстом «{ $text }»
spoken-link-to-page = Ссылка на страницу сайта { $site } с текстом «{ $text }»
spoken-homepage = главная страница { $site }
spoken-page = страница сайта { $site }
