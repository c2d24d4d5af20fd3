### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = Я цього не знаю: у моїй пам'яті про це нічого немає.
reply-rest-undone = Решту зробити не вдалося.
reply-one-moment = Хвилинку.
reply-garbled = На жаль, відповідь вийшла незрозумілою. Запитаєте ще раз, можливо, іншими словами?
reply-no-answer = На жаль, я не маю на це відповіді. Скажете це інакше?
reply-larger-model = Більша мовна модель, у налаштуваннях, упоралася б краще.
reply-not-done = Я цього не зробив.
reply-dismissed = Добре.
reply-missing = Скажете точніше? Мені бракує даних.
