//! German.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const GERMAN: LanguageData = LanguageData {
    code: "de",
    english_name: "German",
    own_name: "Deutsch",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordFirst,
    function_words: words(
        "der die das den dem des ein eine einen einem einer eines und oder aber denn wenn weil dass ob als von vom zu
        zum zur in im ins an am ans auf für aus mit bei beim nach vor über unter um ohne bis seit gegen durch ist sind
        war waren sein bin bist seid hat habe haben hast hatte wird werden wurde kann kannst können könnte könntest
        soll sollte muss musst will willst möchte magst mag darf es er sie du dein deine ihr ihre ich mir mich wir uns
        dir dich euch ihm ihn sich nicht kein keine keinen noch auch nur schon mal doch bitte da hier dort jetzt so
        sehr gibt gib man etwas alle",
    ),
    question_words: words("was wo wann wer wen wem wie warum wieso weshalb welche welcher welches welchen wessen
        wohin woher wieviel"),
    possessives: words(
        "mein meine meinen meinem meiner meines unser unsere unseren unserem unserer",
    ),
    continuation_words: words(
        "aber als dass dem den denn der des die das ein eine einem einen einer für im mein meine meinem meinen meiner
        mit oder sowie und vom von weil wenn zum zur",
    ),
    fillers: words("äh ähm ähem öh öhm hm hmm"),
    yes: phrases(
        "ja | ja bitte | jawohl | jap | jo | klar | na klar | genau | gerne | gern | mach das | mach es | ok | okay |
        natürlich | sicher | in ordnung | einverstanden",
    ),
    no: phrases(
        "nein | nein danke | nee | nö | ne | lass es | lass das | lieber nicht | nicht jetzt | abbrechen | auf keinen fall",
    ),
    stop_words: phrases(
        "stopp | stop | halt | ruhe | sei still | sei ruhig | sei leise | still | genug | hör auf | aufhören | schluss |
        es reicht | das reicht | reicht | halt den mund | schweig | pst",
    ),
    polite_words: phrases("bitte | danke | danke schön"),
    greetings: words("hallo hey hi he ok okay na moin servus"),
    request_openers: phrases(
        "bitte | kannst du | könntest du | würdest du | erinnere mich | erinner mich | sag mir | zeig mir | gib mir |
        stell | stelle | schalte | schalt | mach | mache | spiel | spiele | öffne | such | suche | finde | schreib |
        schreibe | lies | ruf | erzähl mir | was ist | wie viel | wie viele | ich möchte | ich brauche | ich will | lass uns",
    ),
    looking_back: phrases(
        "habe ich | hab ich | hatte ich | ich gesagt | ich erwähnt | ich erzählt | erinnerst | weißt du noch | war ich",
    ),
    advice: phrases(
        "soll ich | sollte ich | kann ich | könnte ich | darf ich | muss ich | sollen wir | können wir",
    ),
    numbers: [
        "null",
        "eins|ein",
        "zwei|zwo",
        "drei",
        "vier",
        "fünf|fuenf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf|zwoelf",
        "dreizehn",
        "vierzehn",
        "fünfzehn",
        "sechzehn",
        "siebzehn",
        "achtzehn",
        "neunzehn",
        "zwanzig",
        "einundzwanzig",
        "zweiundzwanzig",
        "dreiundzwanzig",
        "vierundzwanzig",
        "fünfundzwanzig",
        "sechsundzwanzig",
        "siebenundzwanzig",
        "achtundzwanzig",
        "neunundzwanzig",
        "dreißig|dreissig",
        "einunddreißig|einunddreissig",
    ],
    tens: ["vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig", "hundert"],
    letters: "äöüß",
    endings: words("lich liche lichen igen enden tet lten ieren iert eht tige iger cher chen ung ungen keit heit isch ische tsch chte"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words(
        "bzw. z.b. z. usw. dr. prof. hr. fr. str. ca. d.h. u.a. ggf. evtl. inkl. exkl. vgl. etc. sog. bspw. geb. gest.
        dipl. ing. st.",
    ),
    abbreviations_before_numbers: words("nr. s. abs. art. kap. abb. bd. tel."),
    has_ordinals_with_full_stop: true,
    default_voice: Some("de_DE-thorsten-medium"),
};
