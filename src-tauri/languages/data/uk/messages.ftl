### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = Я цього не знаю: у моїй пам'яті про це нічого немає.
reply-rest-undone = Решту зробити не вдалося.
reply-one-moment = Хвилинку.
reply-garbled = На жаль, відповідь вийшла незрозумілою. Запитаєте ще раз, можливо, іншими словами?
reply-no-answer = На жаль, я не маю на це відповіді. Скажете це інакше?
reply-out-of-turns = Я зупинився тут: для цього потрібно більше кроків, ніж мені дозволено.
reply-files-left-out = { $count ->
    [one] Пропущено { $count } файл: у відповіді їх забагато.
    [few] Пропущено { $count } файли: у відповіді їх забагато.
    [many] Пропущено { $count } файлів: у відповіді їх забагато.
   *[other] Пропущено { $count } файлу: у відповіді їх забагато.
}
reply-larger-model = Більша мовна модель, у налаштуваннях, упоралася б краще.
reply-not-done = Я цього не зробив.
reply-dismissed = Добре.
reply-missing = Скажете точніше? Мені бракує даних.

## Delivering a reply

voice-quota = Квоту голосової служби вичерпано, тому я відповідаю текстом.
voice-unavailable = Мій голос зараз не працює, тому я відповідаю текстом.
file-not-shown = «{ $name }» не можна показати тут.
feedback-explained = Мені не вдалося відповісти. { $explanation }
feedback-generic = Щось пішло не так, і я не маю відповіді. Запитайте, будь ласка, ще раз.

## What is undone

undone-removed = «{ $item }» знову немає.
undone-removed-unnamed = Цього більше немає.
undone-restored = «{ $item }» знову як раніше.
undone-restored-unnamed = Усе знову як раніше.
undone-impossible = Зміну «{ $item }» не можна скасувати: відтоді щось змінилося або копію не збережено.
undone-nothing = Скасовувати нічого: за останні десять хвилин я тут нічого не змінював.
random-pick = Випало: { $choice }.

## Links, as they are spoken

spoken-link-to-homepage = Посилання на головну сторінку { $site } з текстом «{ $text }»
spoken-link-to-page = Посилання на сторінку сайту { $site } з текстом «{ $text }»
spoken-homepage = головна сторінка { $site }
spoken-page = сторінка сайту { $site }
