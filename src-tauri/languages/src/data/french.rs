//! French.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const FRENCH: LanguageData = LanguageData {
    code: "fr",
    english_name: "French",
    own_name: "français",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordFirst,
    function_words: words(
        "le la les l un une des du de d et ou mais donc or ni car si à au aux en dans sur sous pour par avec sans chez
        vers entre avant après est sont était étais suis es être a ai as ont avons avez avait fait fais peux peut
        pourrais veux voudrais dois faut va vas vais ce cet cette ces ça c c'est j j'ai j'aime n n'est n'ai s t m qu
        qu'est il elle on tu te toi ton ta tes son sa ses je me moi nous vous ils elles lui leur leurs votre vos y ne
        pas plus rien jamais que qui aussi très bien ici là maintenant encore tout d'un d'une l'on est-ce quelle-heure
        s'il plaît",
    ),
    question_words: words(
        "que quoi où quand qui quel quelle quels quelles comment pourquoi combien lequel laquelle",
    ),
    possessives: words("mon ma mes notre nos mien mienne"),
    continuation_words: words(
        "à au aux avec car chez dans de des du en entre et la le les ma mais mes mon ou par parce pour que sans si sur
        une un vers",
    ),
    fillers: words("euh heu hum hm hmm"),
    yes: phrases(
        "oui | ouais | d'accord | vas-y | bien sûr | ok | okay | volontiers | oui merci | c'est bon | allez | absolument |
        fais-le | exact",
    ),
    no: phrases("non | non merci | annule | laisse tomber | pas maintenant | surtout pas | nan"),
    stop_words: phrases(
        "stop | arrête | arrête-toi | arrêtez | arrête ça | silence | tais-toi | chut | assez | ça suffit | suffit |
        ferme-la",
    ),
    polite_words: phrases("s'il te plaît | s'il vous plaît | stp | merci"),
    greetings: words("salut bonjour bonsoir hé hey eh ok coucou dis"),
    request_openers: phrases(
        "s'il te plaît | s'il vous plaît | peux-tu | tu peux | pourrais-tu | est-ce que tu peux | rappelle-moi |
        dis-moi | montre-moi | donne-moi | mets | allume | éteins | joue | ouvre | cherche | trouve | ajoute | écris |
        lis | appelle | raconte-moi | qu'est-ce que | quel est | quelle est | combien | je veux | je voudrais |
        j'ai besoin | il faut",
    ),
    looking_back: phrases(
        "j'ai dit | ai-je | je t'ai dit | je t'ai parlé | j'avais dit | souviens | te souviens-tu | tu te rappelles",
    ),
    advice: phrases(
        "dois-je | puis-je | devrais-je | peut-on | est-ce que je dois | est-ce que je peux | est-ce que je devrais",
    ),
    numbers: [
        "zéro",
        "un|une",
        "deux",
        "trois",
        "quatre",
        "cinq",
        "six",
        "sept",
        "huit",
        "neuf",
        "dix",
        "onze",
        "douze",
        "treize",
        "quatorze",
        "quinze",
        "seize",
        "dix-sept",
        "dix-huit",
        "dix-neuf",
        "vingt",
        "vingt et un|vingt et une",
        "vingt-deux",
        "vingt-trois",
        "vingt-quatre",
        "vingt-cinq",
        "vingt-six",
        "vingt-sept",
        "vingt-huit",
        "vingt-neuf",
        "trente",
        "trente et un|trente et une",
    ],
    tens: [
        "quarante",
        "cinquante",
        "soixante",
        "soixante-dix|septante",
        "quatre-vingts|quatre-vingt|huitante",
        "quatre-vingt-dix|nonante",
        "cent",
    ],
    letters: "àâæçéèêëîïôœùûü",
    endings: words("ement ée ées té ique iques eux eur eurs ait aire ère oir tres tion tions ette aient"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words("m. mme. mlle. mm. dr. pr. st. ste. etc. env. c.-à-d. p.ex. av. bd."),
    abbreviations_before_numbers: words("no. p. pp. art. chap. vol. fig. tél."),
    has_ordinals_with_full_stop: false,
    default_voice: Some("fr_FR-siwis-medium"),
};
