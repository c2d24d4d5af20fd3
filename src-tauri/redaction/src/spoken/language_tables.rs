//! The words of six languages that the rule needs, in small letters.

use std::collections::HashSet;
use std::sync::LazyLock;

use languages::LanguageData;

pub(super) type WordList = LazyLock<HashSet<&'static str>>;

/// A set of the words in a text.
macro_rules! word_list {
    ($text:literal) => {
        LazyLock::new(|| $text.split_whitespace().collect())
    };
}

/// Words between a label and its value.
pub(super) static COPULAS: WordList = word_list!(
    "
    is was be are equals reads ist war lautet lautete heißt heisst wäre est c'est c’est était es era fue
    será è sarà é foi sono são -> => ==
    "
);

/// Whether people say this word while they think: "um", "äh".
pub(super) fn is_hesitation(word: &str) -> bool {
    LANGUAGES.iter().filter_map(|code| languages::of_code(code)).any(|data| data.fillers.contains(word))
}

/// Words between "is" and the value. A hesitation may stand there too.
pub(super) static FILLERS: WordList = word_list!(
    "
    still now currently just again actually also always simply not set changed to like something noch immer
    jetzt wieder auch einfach nur nicht aktuell toujours maintenant encore juste simplement pas ahora
    todavía siempre simplemente no este adesso ora ancora sempre semplicemente non agora ainda simplesmente
    não
    "
);

/// Nouns which, behind an article or alone, stand before the value: "the password is the word …".
pub(super) static FILLERS_AFTER_DETERMINER: WordList = word_list!(
    "
    word number digits wort nummer ziffern zahl mot numéro chiffres palabra número parola numero cifre
    palavra dígitos
    "
);

pub(super) static DETERMINERS: WordList = word_list!(
    "
    the my your our his her their der die das mein meine dein deine ihr ihre unser unsere sein seine le la
    les mon ma ton ta son sa notre votre leur el los las mi tu su nuestro nuestra il lo mio mia tuo tua suo
    sua nostro nostra vostro o os as meu minha teu seu nosso nossa
    "
);

/// Words that may follow a label and lead to "is": "the code for the door is …".
pub(super) static PREPOSITIONS: WordList = word_list!(
    "
    for of on to from at in für fürs von vom zu zum zur der des im am beim bei de d du pour sur à au del
    para en per di della dello dell dei delle do da dos das no na
    "
);

/// Words that open a clause about the label: "the code they sent me is …".
pub(super) static CLAUSE_OPENERS: WordList =
    word_list!("that which i you we they he she den das die que qu che");

/// Pronouns for the label: "remember my PIN, it is …".
pub(super) static PRONOUNS: WordList = word_list!("it this that er sie es das ce esta questa ela ele");

/// Pronouns and "is" in one word.
pub(super) static PRONOUNS_WITH_IS: WordList = word_list!("it's it’s that's that’s c'est c’est");

/// Adjectives, nouns and possessives that follow a label in some languages: "le code secret est …".
pub(super) static ADJECTIVES_OF_LABELS: WordList = word_list!(
    "
    number wifi wi-fi wlan now secret provisoire temporaire bancaire secreto secreta temporal personal
    bancario segreto segreta temporaneo personale temporário pessoal bancário unique confidentiel personnel
    confidencial riservato meiner deiner ihrer unserer meines deines ihres único
    d'accès d’accès d'authentification d’authentification
    "
);

/// Words before "to" and a new value.
pub(super) static CHANGING_VERBS: WordList = word_list!(
    "
    set change changed reset update make setz setze ändere änder stelle stell mets changez cambia cambiar
    cambié pon imposta cambiare muda mude mudar altere alterar
    "
);

/// "to" before a new value.
pub(super) static TARGET_PREPOSITIONS: WordList = word_list!("to auf zu en à por a in su para");

/// Words beside "code" that make it something else than a secret.
pub(super) static HARMLESS_QUALIFIERS: WordList = word_list!(
    "
    zip post postal postale area country dialling dialing error status exit return response result source
    color colour hex bar qr tax http promo discount morse dress airport product building version build
    erreur l'erreur l’erreur d'erreur d’erreur barre barras errore erro país pays paese área
    "
);

/// What numbers count. A number before one of these is no secret.
pub(super) static UNITS: WordList = word_list!(
    "
    line lines character characters char chars letter letters digit digits word words symbol symbols bit
    bits byte bytes kilobytes megabytes token tokens page pages file files user users people time times
    second seconds minute minutes hour hours day days week weeks month months year years metre metres meter
    meters kilometre kilometres kilometers km miles feet percent % dollar dollars euro euros pounds zeile
    zeilen zeichen buchstabe buchstaben stelle stellen stellig ziffern wörter seiten dateien nutzer mal
    sekunden minuten stunden tag tage tagen wochen monate monaten jahr jahre jahren kilometer prozent ligne
    lignes caractère caractères lettres chiffres mots octets fichiers fois secondes heures jours semaines
    mois an ans mètres kilomètres línea líneas carácter caracteres letras dígitos cifras palabras páginas
    archivos veces segundos minutos horas días semanas meses años metros kilómetros riga righe linee
    carattere caratteri lettere cifre parole pagine volte secondi minuti ore giorni settimane mesi anni
    metri chilometri linha linhas palavras vezes dias anos quilômetros quilómetros
    "
);

/// Names with digits or capitals that are no secrets.
pub(super) static TECHNICAL_TERMS: WordList = word_list!(
    "
    1password 2fa mp3 mp4 md5 sha1 sha-1 sha2 sha256 sha-256 sha512 sha-512 aes128 aes256 aes-256 base32
    base64 utf8 utf-8 utf16 utf-16 rot13 argon2 argon2id wpa2 wpa3 oauth2 ipv4 ipv6 python2 python3 html5
    css3 es6 x86 arm64 amd64 windows10 windows11 keepassxc lastpass icloud github gitlab iphone ios macos
    javascript typescript
    "
);

/// Words that are said while a secret is spelled.
pub(super) static SPELLING_WORDS: WordList = word_list!(
    "
    capital uppercase lowercase upper lower case double triple dash hyphen underscore dot slash groß großes
    klein kleines großbuchstabe doppel bindestrich unterstrich punkt majuscule minuscule tiret mayúscula
    minúscula guion guión maiuscola minuscola trattino maiúscula hífen
    "
);

/// "and" before the next clause.
pub(super) static SENTENCE_CONJUNCTIONS: WordList = word_list!("and und et y e");

/// Whether the word is added to the end of a sentence: "please", "danke".
pub(super) fn is_polite(word: &str) -> bool {
    let is_polite_in = |data: &LanguageData| data.polite_words.contains(word);
    matches!(word, "ok" | "okay")
        || LANGUAGES.iter().filter_map(|code| languages::of_code(code)).any(is_polite_in)
}

/// Words that often follow "the password is" and are no password: function words, adverbs, adjectives and nouns.
pub(super) static CONTINUATIONS: WordList = word_list!(
    "
    the this that these those what which who whose where when why how for from with without about under over
    inside your yours mine ours theirs hers his its and but not none nothing something anything everything
    here there somewhere everywhere nowhere now then today tomorrow soon again always never maybe probably
    however though too also only well fine good great better best bad worse worst wrong right correct
    incorrect true false valid invalid weak strong stronger secure insecure safe unsafe simple easy hard
    difficult complex complicated long longer short shorter old older new newer same different unique common
    random similar empty blank missing lost gone stolen known unknown forgotten written hidden broken kept
    set reset sent out off up down due required optional mandatory necessary important public private
    secret confidential personal permanent temporary default standard ready active inactive current enough
    okay obvious unclear clear case-sensitive case plain plaintext up-to-date correctly a an number version
    part page step option item chapter level yes perfect terrible awful ridiculous funny crap rubbish
    garbage stale overdue unset outdated human visible
    der die das dem den ein eine einer eines mein meins dein deins ihr ihrs unser unseres was wie welches
    wer warum hier dort da weg nirgends überall jetzt dann heute morgen bald wieder immer nie noch schon
    auch nur nicht nichts etwas alles falsch richtig korrekt inkorrekt wahr gültig ungültig gut besser
    schlecht schlechter schwach stark stärker sicher unsicher einfach leicht schwer schwierig komplex
    kompliziert lang länger kurz kürzer alt älter neu gleich dasselbe anders leer bekannt unbekannt verloren
    vergessen geheim privat öffentlich nötig notwendig pflicht erforderlich wichtig aktiv inaktiv aktuell
    veraltet klar fertig bereit temporär dauerhaft vorläufig nummer groß klein genug super toll
    le la les un une des ce cela ça celui quoi quel comment pourquoi où ici là là-bas maintenant demain
    bientôt encore toujours jamais déjà aussi pas rien bon bonne meilleur mauvais faux fausse vrai exact
    inexact valide invalide faible fort forte sûr facile difficile complexe court vieux ancien nouveau neuf
    même différent vide perdu inconnu connu requis privé nécessaire obligatoire facultatif optionnel prêt
    actif inactif temporaire provisoire écrit suffisant identique mien tien
    el los las una unos este esta esto ese esa eso qué cuál cómo dónde aquí allí ahora hoy mañana pronto
    siempre nunca también solo nada algo todo buena bueno mejor mala malo peor correcta correcto incorrecta
    incorrecto falsa verdad válida válido inválida inválido débil fuerte segura seguro insegura fácil
    difícil compleja larga largo corta corto vieja antigua nueva nuevo misma mismo distinta diferente única
    vacía secreta secreto privada pública necesaria obligatoria opcional importante lista activa temporal
    permanente mía tuya suya igual otra
    il gli uno questa questo quella quello che cosa quale come dove qui qua lì adesso ora oggi domani presto
    sempre mai anche niente nulla tutto buona buono migliore cattiva peggiore giusta giusto corretta
    corretto errata errato sbagliata sbagliato vera valida valido debole sicura sicuro insicura semplice
    complessa lunga lungo vecchia vecchio nuova nuovo stessa stesso diversa unica vuota segreta segreto
    privata pubblica necessaria obbligatoria facoltativa pronta attiva temporanea scaduta persa scritta mia
    tua sua richiesta uguale
    um uma os as isto isso aquilo qual como onde aqui ali lá agora hoje amanhã também só tudo boa bom melhor
    má ruim pior certa certo correta correto incorreta errada errado fraca fraco simples longa curta velha
    antiga nova novo mesma mesmo vazia necessária obrigatória ativa temporária minha outra exigida
    "
);

/// Endings of adjectives and participles.
const ADJECTIVE_ENDINGS: &[&str] = &[
    "ed", "ing", "able", "ible", "ful", "less", "ous", "ive", "lich", "bar", "los", "sam", "isch", "é", "ée",
    "és", "ées", "eux", "euse", "ado", "ada", "ido", "ida", "ato", "ata", "uto", "uta", "ito", "ita",
    "abile", "ibile", "ável", "ível", "oso", "osa", "ivo", "iva",
];

/// Whether a word ends as adjectives and participles do. It has to be longer than its ending by three letters.
pub(super) fn has_adjective_ending(word: &str) -> bool {
    let has_ending = ADJECTIVE_ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .any(|stem| stem.chars().count() >= 3);
    // "gespeichert", "verschlüsselt", "abgelaufen".
    let is_german_participle =
        ["ge", "ver", "be", "ent", "er", "zer", "abge", "ange", "aufge", "ausge", "einge", "zurückge"]
            .iter()
            .any(|prefix| word.strip_prefix(prefix).is_some_and(|stem| stem.chars().count() >= 4))
            && (word.ends_with('t') || word.ends_with("en"));
    has_ending || is_german_participle
}

/// The languages of these tables.
const LANGUAGES: [&str; 6] = ["en", "de", "fr", "es", "it", "pt"];

/// The words of `languages` for these numbers, without those of several words.
fn number_words(numbers: impl Iterator<Item = usize>) -> impl Iterator<Item = &'static str> {
    let data = || LANGUAGES.iter().filter_map(|code| languages::of_code(code));
    numbers
        .flat_map(move |number| data().flat_map(move |data| data.number_words(number)))
        .filter(|word| !word.contains(' '))
}

/// Words for 0 to 9, and the words "double" and "triple" before them. "meia" is six in Brazil.
pub(super) static UNIT_DIGITS: WordList =
    LazyLock::new(|| number_words(0..=9).chain(["double", "triple", "meia"]).collect());

/// Words for 10 to 31 and for tens.
pub(super) static TEENS_AND_TENS: WordList = LazyLock::new(|| number_words(10..=90).collect());
