### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = Nie wiem: nie znajduję nic na ten temat w swojej pamięci.
reply-rest-undone = Reszty nie udało się wykonać.
reply-one-moment = Chwileczkę.
reply-garbled = Przepraszam, odpowiedź mi się nie udała. Możesz zapytać jeszcze raz, może innymi słowami?
reply-no-answer = Przepraszam, nie mam na to odpowiedzi. Możesz powiedzieć to inaczej?
reply-larger-model = Większy model językowy, w ustawieniach, poradziłby sobie lepiej.
reply-not-done = Nie zrobiłem tego.
reply-dismissed = Dobrze.
reply-missing = Możesz powiedzieć to dokładniej? Brakuje mi informacji.
