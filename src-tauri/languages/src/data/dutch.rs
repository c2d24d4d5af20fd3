//! Dutch.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const DUTCH: LanguageData = LanguageData {
    code: "nl",
    english_name: "Dutch",
    own_name: "Nederlands",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordFirst,
    function_words: words(
        "de het een en of maar want als dat dan omdat van voor naar in op aan uit met bij over onder tussen tot zonder
        door na om te is zijn was waren ben bent heeft heb hebt hebben had word wordt worden kan kun kunt kunnen zou zal
        wil wilt moet moeten mag dit die deze daar hier hij zij ze jij je jouw jullie u uw ik mij me wij we ons hem haar
        hun zich niet geen nog ook al er eens even nu heel veel meer iets niets alles vandaag ga gaat doe doet",
    ),
    question_words: words("wat waar wanneer wie welke welk hoe waarom hoeveel waarheen wiens"),
    possessives: words("mijn m'n ons onze"),
    continuation_words: words(
        "aan als bij de door een en het in maar met mijn naar of om omdat onze op over te tot tussen uit van voor want
        zonder",
    ),
    fillers: words("eh ehm uh uhm euh hm"),
    yes: phrases(
        "ja | ja graag | jawel | jazeker | zeker | doe maar | ga je gang | ok | okay | oké | prima | is goed | graag |
        natuurlijk | klopt",
    ),
    no: phrases("nee | nee bedankt | nee dank je | neen | laat maar | annuleer | niet nu | liever niet | doe maar niet"),
    stop_words: phrases(
        "stop | stop maar | hou op | houd op | stil | wees stil | stilte | genoeg | zo is het genoeg | hou je mond |
        kop dicht | ophouden",
    ),
    polite_words: phrases("alsjeblieft | alstublieft | graag | bedankt | dank je"),
    greetings: words("hoi hallo hé hey hi ok oké dag"),
    request_openers: phrases(
        "alsjeblieft | alstublieft | kun je | kan je | kunt u | zou je | wil je | herinner me | herinner mij | zeg me |
        vertel me | laat me | geef me | zet | doe | speel | open | zoek | vind | voeg | schrijf | lees | bel | wat is |
        hoeveel | ik wil | ik heb | ik zou graag",
    ),
    looking_back: phrases("heb ik | had ik | ik gezegd | ik verteld | weet je nog | herinner je je | ik zei"),
    advice: phrases("moet ik | kan ik | mag ik | zou ik | zal ik | kunnen we | moeten we"),
    numbers: [
        "nul",
        "een|één",
        "twee",
        "drie",
        "vier",
        "vijf",
        "zes",
        "zeven",
        "acht",
        "negen",
        "tien",
        "elf",
        "twaalf",
        "dertien",
        "veertien",
        "vijftien",
        "zestien",
        "zeventien",
        "achttien",
        "negentien",
        "twintig",
        "eenentwintig",
        "tweeëntwintig",
        "drieëntwintig",
        "vierentwintig",
        "vijfentwintig",
        "zesentwintig",
        "zevenentwintig",
        "achtentwintig",
        "negenentwintig",
        "dertig",
        "eenendertig",
    ],
    tens: ["veertig", "vijftig", "zestig", "zeventig", "tachtig", "negentig", "honderd"],
    letters: "ëïéèöü",
    endings: words("erd ke tie ijk jk eld aal aar eid ilie ingen eerde jd aat kken ij aats tje heid lijk"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words(
        "dhr. mevr. mw. dr. drs. ir. prof. bijv. bv. o.a. enz. etc. d.w.z. m.b.t. i.p.v. t.o.v. ca. evt. incl. excl.
        a.u.b.",
    ),
    abbreviations_before_numbers: words("nr. blz. p. art. tel. hfst."),
    has_ordinals_with_full_stop: false,
    default_voice: Some("nl_BE-nathalie-medium"),
};
