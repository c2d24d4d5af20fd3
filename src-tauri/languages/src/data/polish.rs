//! Polish.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const POLISH: LanguageData = LanguageData {
    code: "pl",
    english_name: "Polish",
    own_name: "polski",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordFirst,
    function_words: words(
        "i a w we z ze na do o u od po za dla przez przed nad pod przy bez oraz lub albo ale że żeby bo jeśli jeżeli gdy
        jest są był była było były być jestem jesteś będzie będę mam masz ma mamy mieć może możesz mogę chcę chcesz
        chciałbym chciałabym musisz muszę to ten ta te tego tej tym tam tu tutaj teraz on ona ono oni ja mnie mi ty
        ciebie cię ci my nas nam wy go jej jego ich się nie już też także tylko bardzo czy co proszę dzisiaj dziś jutro
        swój swoje twój twoja",
    ),
    question_words: words("co gdzie kiedy kto kogo komu jaki jaka jakie jak dlaczego ile który która które czyj skąd dokąd"),
    possessives: words("mój moja moje mojego mojej moich moim nasz nasza nasze"),
    continuation_words: words(
        "a albo ale bez bo dla do gdy i jeśli lub na nad o od oraz po pod przed przez przy u w we z za ze że żeby",
    ),
    fillers: words("yyy eee em hmm hm"),
    yes: phrases(
        "tak | tak proszę | jasne | pewnie | oczywiście | dobrze | ok | okej | zrób to | zgoda | no tak | śmiało | dokładnie",
    ),
    no: phrases("nie | nie dziękuję | nie dzięki | anuluj | daj spokój | nieważne | nie teraz | lepiej nie"),
    stop_words: phrases(
        "stop | przestań | dość | dosyć | wystarczy | cisza | cicho | bądź cicho | zamknij się | zatrzymaj się |
        zatrzymaj | koniec",
    ),
    polite_words: phrases("proszę | dziękuję | dzięki"),
    greetings: words("hej cześć halo ok okej witaj siema"),
    request_openers: phrases(
        "proszę | czy możesz | możesz | mógłbyś | przypomnij mi | powiedz mi | powiedz | pokaż | daj mi | ustaw |
        włącz | wyłącz | zagraj | otwórz | znajdź | poszukaj | dodaj | napisz | przeczytaj | zadzwoń | opowiedz |
        co to jest | ile | chcę | chciałbym | chciałabym | potrzebuję",
    ),
    looking_back: phrases(
        "mówiłem | mówiłam | powiedziałem | powiedziałam | wspominałem | wspominałam | pamiętasz",
    ),
    advice: phrases("powinienem | powinnam | mogę | muszę | czy warto | możemy | powinniśmy"),
    numbers: [
        "zero",
        "jeden|jedna|jedno",
        "dwa|dwie",
        "trzy",
        "cztery",
        "pięć",
        "sześć",
        "siedem",
        "osiem",
        "dziewięć",
        "dziesięć",
        "jedenaście",
        "dwanaście",
        "trzynaście",
        "czternaście",
        "piętnaście",
        "szesnaście",
        "siedemnaście",
        "osiemnaście",
        "dziewiętnaście",
        "dwadzieścia",
        "dwadzieścia jeden",
        "dwadzieścia dwa",
        "dwadzieścia trzy",
        "dwadzieścia cztery",
        "dwadzieścia pięć",
        "dwadzieścia sześć",
        "dwadzieścia siedem",
        "dwadzieścia osiem",
        "dwadzieścia dziewięć",
        "trzydzieści",
        "trzydzieści jeden",
    ],
    tens: [
        "czterdzieści",
        "pięćdziesiąt",
        "sześćdziesiąt",
        "siedemdziesiąt",
        "osiemdziesiąt",
        "dziewięćdziesiąt",
        "sto",
    ],
    letters: "ąćęłńóśźż",
    endings: words("nie ego ów ych ej ał nia ym ła ać zy ji ści ją cy ło zie uje łem łam iej"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words("np. itd. itp. tzn. tj. m.in. prof. dr. mgr. inż. ul. św. hab."),
    abbreviations_before_numbers: words("nr. str. s. art. pkt. godz. rys. tel. poz."),
    has_ordinals_with_full_stop: true,
    default_voice: Some("pl_PL-gosia-medium"),
};
