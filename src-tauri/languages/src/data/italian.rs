//! Italian.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const ITALIAN: LanguageData = LanguageData {
    code: "it",
    english_name: "Italian",
    own_name: "italiano",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordFirst,
    function_words: words(
        "il lo la i gli le l un uno una e ed o ma se perché anche che di del dello della dei degli delle dell a al allo
        alla ai alle all da dal dalla dalle in nel nella nei nelle nell su sul sulla sui per con senza tra fra è sono
        sei era ero siamo siete essere ho hai ha abbiamo hanno avere avevo c'è ci sta sto stai fa fai puoi può potresti
        vuoi voglio vorrei devo devi va vai questo questa questi queste quello quella io tu lui lei noi voi loro mi me
        ti te si vi ne non più già ancora molto tutto niente qui qua lì adesso ora oggi d",
    ),
    question_words: words(
            "che cosa dove quando chi quale quali come qual perché quanto quanta quanti quante cos'è com'è
        dov'è",
    ),
    possessives: words("mio mia miei mie nostro nostra nostri nostre"),
    continuation_words: words(
        "a ad ai al alla alle che con da dal dalla dei del della delle di e ed gli il in la le lo ma mentre mia mio nel
        nella o per perché quando se senza su sul sulla un una uno",
    ),
    fillers: words("ehm eh uhm mmm hm"),
    yes: phrases(
        "sì | si | va bene | certo | d'accordo | ok | okay | sì grazie | fallo | fai pure | procedi | volentieri | esatto |
        certamente",
    ),
    no: phrases("no | no grazie | annulla | lascia stare | lascia perdere | non ora | meglio di no"),
    stop_words: phrases(
        "stop | basta | basta così | fermati | ferma | fermo | zitto | zitta | sta zitto | stai zitto | stai zitta |
        silenzio | smettila | alt | taci",
    ),
    polite_words: phrases("per favore | per piacere | grazie"),
    greetings: words("ciao ehi hey eh ok salve senti buongiorno"),
    request_openers: phrases(
        "per favore | puoi | potresti | mi puoi | ricordami | dimmi | mostrami | fammi | dammi | metti | imposta |
        accendi | spegni | riproduci | apri | cerca | trova | aggiungi | scrivi | leggi | chiama | raccontami | cos'è |
        qual è | quanto | voglio | vorrei | ho bisogno",
    ),
    looking_back: phrases("ho detto | ti ho detto | ho parlato | ricordi | ti ricordi | avevo detto | ho menzionato"),
    advice: phrases("devo | dovrei | posso | potrei | possiamo | dovremmo"),
    numbers: [
        "zero",
        "uno|un|una",
        "due",
        "tre",
        "quattro",
        "cinque",
        "sei",
        "sette",
        "otto",
        "nove",
        "dieci",
        "undici",
        "dodici",
        "tredici",
        "quattordici",
        "quindici",
        "sedici",
        "diciassette",
        "diciotto",
        "diciannove",
        "venti",
        "ventuno",
        "ventidue",
        "ventitré",
        "ventiquattro",
        "venticinque",
        "ventisei",
        "ventisette",
        "ventotto",
        "ventinove",
        "trenta",
        "trentuno",
    ],
    tens: ["quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta", "cento"],
    letters: "àèéìòù",
    endings: words("ione ioni zione lla tto ato ata tà nno gli ggio cchio ssimo etto etta ella ando mente"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words("sig. sigg. dott. dr. prof. ing. avv. arch. geom. ecc. p.es. ca."),
    abbreviations_before_numbers: words("n. nn. pag. pagg. p. art. cap. fig. tel."),
    has_ordinals_with_full_stop: false,
    default_voice: Some("it_IT-paola-medium"),
};
