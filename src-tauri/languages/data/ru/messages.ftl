### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = Я этого не знаю: в моей памяти об этом ничего нет.
reply-rest-undone = Остальное сделать не удалось.
reply-one-moment = Минутку.
reply-garbled = К сожалению, ответ вышел бессвязным. Спросите ещё раз, может быть, другими словами?
reply-no-answer = К сожалению, у меня нет ответа. Скажете это по-другому?
reply-larger-model = Языковая модель побольше, в настройках, справится лучше.
reply-not-done = Я этого не сделал.
reply-dismissed = Хорошо.
reply-missing = Скажете точнее? Мне не хватает данных.
