//! Spanish.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const SPANISH: LanguageData = LanguageData {
    code: "es",
    english_name: "Spanish",
    own_name: "español",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordFirst,
    function_words: words(
        "el la los las lo un una unos unas y e o u pero si porque que de del a al en para por con sin sobre entre hasta
        desde según es son era fue soy eres somos está están estoy estás estaba hay ha he has han hemos había ser estar
        tener tengo tienes tiene puedes puede podrías quiero quieres voy va vas este esta esto ese esa eso estos estas
        aquí ahí ahora hoy él ella ellos ellas tú tu tus te ti yo me mí conmigo nosotros nos usted ustedes se le les su
        sus no ni ya también muy más menos todo nada algo hace",
    ),
    question_words: words(
        "qué dónde cuándo quién quiénes cuál cuáles cómo cuánto cuánta cuántos cuántas adónde",
    ),
    possessives: words("mi mis mío mía míos mías nuestro nuestra nuestros nuestras"),
    continuation_words: words(
        "a al con cuando de del desde e el en entre hasta la las los mi mis o para pero por porque que si sin sobre su
        sus tu un una y",
    ),
    fillers: words("eh em mmm hm"),
    yes: phrases(
        "sí | si | claro | adelante | vale | ok | okay | por supuesto | de acuerdo | sí por favor | hazlo | dale | exacto |
        bueno | está bien",
    ),
    no: phrases("no | no gracias | cancela | cancelar | déjalo | olvídalo | mejor no | ahora no | para nada"),
    stop_words: phrases(
        "stop | para | para ya | alto | basta | basta ya | ya basta | detente | silencio | cállate | calla | suficiente |
        ya está | ya está bien",
    ),
    polite_words: phrases("por favor | gracias"),
    greetings: words("hola oye eh ey hey ok buenas"),
    request_openers: phrases(
        "por favor | puedes | podrías | me puedes | recuérdame | dime | muéstrame | dame | pon | enciende | apaga |
        reproduce | abre | busca | encuentra | añade | agrega | escribe | lee | llama | cuéntame | qué es | cuál es |
        cuánto | quiero | quisiera | necesito | me gustaría",
    ),
    looking_back: phrases("he dicho | te dije | dije | te conté | recuerdas | te acuerdas | había dicho | mencioné"),
    advice: phrases("debo | debería | puedo | podría | tengo que | podemos | deberíamos"),
    numbers: [
        "cero",
        "uno|un|una",
        "dos",
        "tres",
        "cuatro",
        "cinco",
        "seis",
        "siete",
        "ocho",
        "nueve",
        "diez",
        "once",
        "doce",
        "trece",
        "catorce",
        "quince",
        "dieciséis",
        "diecisiete",
        "dieciocho",
        "diecinueve",
        "veinte",
        "veintiuno|veintiún",
        "veintidós",
        "veintitrés",
        "veinticuatro",
        "veinticinco",
        "veintiséis",
        "veintisiete",
        "veintiocho",
        "veintinueve",
        "treinta",
        "treinta y uno|treinta y un",
    ],
    tens: ["cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa", "cien|ciento"],
    letters: "áéíñóúü¿¡",
    endings: words("ción ciones idad dad ones cias ales encia arios ados adas iendo aje ería illa illo mente"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words(
        "sr. sra. srta. sres. dr. dra. ud. uds. etc. p.ej. ej. aprox. av. avda. d. dña. prof. lic.",
    ),
    abbreviations_before_numbers: words("núm. no. pág. págs. art. cap. vol. fig. tel."),
    has_ordinals_with_full_stop: false,
    default_voice: Some("es_ES-davefx-medium"),
};
