//! Portuguese, of Portugal and Brazil.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const PORTUGUESE: LanguageData = LanguageData {
    code: "pt",
    english_name: "Portuguese",
    own_name: "português",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordFirst,
    function_words: words(
            "o a os as um uma uns umas e ou mas se porque que de do da dos das em no na nos nas num numa ao
        à aos às para pra por pelo pela com sem sobre entre até desde é são era foi sou somos está estão
        estou estava há tem têm tenho temos tinha ser estar ter pode podes poderia posso quero quer queres
        vou vai este esta isto esse essa isso aquele aquela ele ela eles elas eu me mim tu te ti você vocês
        nós lhe seu sua seus suas teu tua não nem já também muito mais menos tudo nada aqui aí ali lá agora
        hoje",
    ),
    question_words: words(
        "que quê onde quando quem qual quais como quanto quanta quantos quantas porquê aonde",
    ),
    possessives: words("meu minha meus minhas nosso nossa nossos nossas"),
    continuation_words: words(
        "a ao as com da das de do dos e em entre mas meu minha na nas no nos o os ou para pela pelo por porque quando
        que se sem sobre um uma",
    ),
    fillers: words("hum ahn ãh hã hm"),
    yes: phrases(
        "sim | pode | pode ser | claro | com certeza | ok | okay | tá | tá bom | está bem | sim por favor | isso | faz |
        faça | vai | exato",
    ),
    no: phrases("não | nao | não obrigado | não obrigada | cancela | cancelar | deixa | esquece | agora não"),
    stop_words: phrases(
        "stop | para | pare | pare já | chega | já chega | basta | silêncio | cala a boca | cala-te | quieto |
        cale-se | para com isso",
    ),
    polite_words: phrases("por favor | se faz favor | obrigado | obrigada"),
    greetings: words("oi olá ei hey ok ó opa"),
    request_openers: phrases(
        "por favor | você pode | podes | pode | poderia | me lembre | me lembra | lembra-me | lembre-me | diga-me |
        me diga | me diz | diz-me | mostra | mostre | me dê | dá-me | põe | coloca | coloque | liga | ligue | desliga | acende | acenda | apaga | apague |
        desligue | toca | toque | abre | abra | procura | procure | encontra | adiciona | adicione | escreve | escreva |
        lê | leia | conta-me | me conte | o que é | qual é | quanto | quero | queria | gostaria | preciso",
    ),
    looking_back: phrases("eu disse | te disse | disse-te | falei | lembras | lembra | você se lembra | mencionei"),
    advice: phrases("devo | deveria | posso | poderia | tenho que | podemos | devemos"),
    numbers: [
        "zero",
        "um|uma",
        "dois|duas",
        "três",
        "quatro",
        "cinco",
        "seis",
        "sete",
        "oito",
        "nove",
        "dez",
        "onze",
        "doze",
        "treze",
        "catorze|quatorze",
        "quinze",
        "dezesseis|dezasseis",
        "dezessete|dezassete",
        "dezoito",
        "dezenove|dezanove",
        "vinte",
        "vinte e um|vinte e uma",
        "vinte e dois|vinte e duas",
        "vinte e três",
        "vinte e quatro",
        "vinte e cinco",
        "vinte e seis",
        "vinte e sete",
        "vinte e oito",
        "vinte e nove",
        "trinta",
        "trinta e um|trinta e uma",
    ],
    tens: ["quarenta", "cinquenta", "sessenta", "setenta", "oitenta", "noventa", "cem|cento"],
    letters: "áâãàçéêíóôõú",
    endings: words("ão ões dade ais ça ém ário eira eiro inho inha nho nha ência agem mente ando endo"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words("sr. sra. srta. dr. dra. prof. profa. etc. p.ex. av. aprox. exmo. exma. eng."),
    abbreviations_before_numbers: words("n. pág. págs. p. art. cap. vol. fig. tel."),
    has_ordinals_with_full_stop: false,
    default_voice: Some("pt_BR-faber-medium"),
};
