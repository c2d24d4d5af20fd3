### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = Nie wiem: nie znajduję nic na ten temat w swojej pamięci.
reply-rest-undone = Reszty nie udało się wykonać.
reply-one-moment = Chwileczkę.
reply-garbled = Przepraszam, odpowiedź mi się nie udała. Możesz zapytać jeszcze raz, może innymi słowami?
reply-no-answer = Przepraszam, nie mam na to odpowiedzi. Możesz powiedzieć to inaczej?
reply-out-of-turns = Tu przerwałem: to wymagało więcej kroków, niż mi wolno.
reply-files-left-out = { $count ->
    [one] Pominięto jeden plik: odpowiedź ma ich za dużo.
    [few] Pominięto { $count } pliki: odpowiedź ma ich za dużo.
    [many] Pominięto { $count } plików: odpowiedź ma ich za dużo.
   *[other] Pominięto { $count } pliku: odpowiedź ma ich za dużo.
}
reply-larger-model = Większy model językowy, w ustawieniach, poradziłby sobie lepiej.
reply-not-done = Nie zrobiłem tego.
reply-dismissed = Dobrze.
reply-missing = Możesz powiedzieć to dokładniej? Brakuje mi informacji.

## Delivering a reply

voice-quota = Limit usługi głosowej został wyczerpany, więc odpowiadam na piśmie.
voice-unavailable = Mój głos teraz nie działa, więc odpowiadam na piśmie.
file-not-shown = „{ $name }” nie może zostać tu pokazany.
feedback-explained = Nie udało mi się odpowiedzieć. { $explanation }
feedback-generic = Coś poszło nie tak i nie mam odpowiedzi. Zapytaj, proszę, jeszcze raz.

## What is undone

undone-removed = „{ $item }” znów nie ma.
undone-removed-unnamed = Tego już nie ma.
undone-restored = „{ $item }” jest jak przedtem.
undone-restored-unnamed = Wszystko jest jak przedtem.
undone-impossible = Nie można cofnąć zmiany „{ $item }”: od tego czasu coś się zmieniło albo nie zachowano kopii.
undone-nothing = Nie ma czego cofać: przez ostatnie dziesięć minut niczego tu nie zmieniłem.
random-pick = Wypadło: { $choice }.

## Links, as they are spoken

spoken-link-to-homepage = Link do strony głównej { $site } z tekstem „{ $text }”
spoken-link-to-page = Link do strony w serwisie { $site } z tekstem „{ $text }”
spoken-homepage = strona główna { $site }
spoken-page = strona w serwisie { $site }
