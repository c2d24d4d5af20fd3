//! Of whom a remark tells: what is said of a child or a friend must not be learnt of the user.

use std::collections::HashSet;
use std::sync::LazyLock;

use memory::Participant;
use regex::Regex;

use super::evidence::{ENDS, words};
use crate::talk::Chunk;

/// Somebody else, as the subject of a sentence. Where verbs do without a pronoun, nothing is known of the subject.
const OTHERS: [&str; 9] = [
    "he she they",         // English
    "er sie",              // German
    "il elle ils elles",   // French
    "él ella ellos ellas", // Spanish
    "lui lei loro",        // Italian
    "hij zij ze",          // Dutch
    "ele ela eles elas",   // Portuguese
    "он она они ему ей",   // Russian
    "他 她 他们 她们",     // Chinese
];

/// The user, in whatever place of a sentence, and what is theirs: "they promoted me", "she is one of mine".
const SELF: [&str; 9] = [
    "i me my mine myself we us our ours ourselves", // English
    "ich mich mir mein meine meinen meinem meiner meines meins wir uns unser unsere unseren unserem unserer unseres", // German
    "je j me m moi mon ma mes mien mienne miens miennes nous notre nos nôtre nôtres", // French
    "yo me mí mi mis mío mía míos mías conmigo nosotros nosotras nos nuestro nuestra nuestros nuestras", // Spanish
    "io me mi mio mia miei mie noi ci nostro nostra nostri nostre", // Italian
    "ik me mij mijn mijne wij we ons onze",                         // Dutch
    "eu me mim meu minha meus minhas comigo nós nos nosso nossa nossos nossas conosco connosco", // Portuguese
    "я меня мне мной мною мой моя моё мое мои моего моей моему моим моих мою мы нас нам нами наш наша наше наши нашего \
     нашей нашему нашим наших нашу", // Russian
    "我 咱",                                                        // Chinese
];

/// Sentences that begin with the word for "he" and are about nobody.
const ABOUT_NOBODY: [&str; 13] = [
    "il y a",
    "il y avait",
    "il y aura",
    "il y aurait",
    "il y eut",
    "il n y a",
    "il n y avait",
    "il n y aura",
    "il faut",
    "il fallait",
    "il faudra",
    "il pleut",
    "il neige",
];

/// What is the user's own, as the first word of somebody's name.
const MY: &str = "my our mein meine unser unsere mon ma mes notre nos mi mis nuestro nuestra mio mia mijn onze ons meu \
                  minha nosso nossa мой моя мои наш наша";

/// Those of whom people tell most, after a word for "my".
const KIN: [&str; 8] = [
    "son daughter brother sister mother father mum mom dad wife husband partner boyfriend girlfriend friend grandson \
     granddaughter grandmother grandfather gran grandma grandpa aunt uncle cousin nephew niece boss colleague neighbour \
     neighbor kid child baby dog cat", // English
    "sohn tochter bruder schwester mutter vater mama papa frau mann partner partnerin freund freundin enkel enkelin oma \
     opa tante onkel neffe nichte chef chefin kollege kollegin nachbar nachbarin kind baby hund katze", // German
    "fils fille frère sœur mère père maman papa femme mari ami amie copain copine tante oncle neveu nièce patron patronne \
     collègue voisin voisine enfant bébé chien chat", // French
    "hijo hija hermano hermana madre padre mamá papá mujer esposa marido esposo amigo amiga novio novia abuela abuelo tía \
     tío sobrino sobrina jefe jefa vecino vecina bebé perro gato", // Spanish
    "figlio figlia fratello sorella madre padre mamma papà moglie marito amico amica nonna nonno zia zio cane gatto", // Italian
    "zoon dochter broer zus moeder vader mama papa vrouw man vriend vriendin oma opa tante oom hond kat", // Dutch
    "filho filha irmão irmã mãe pai esposa mulher marido amigo amiga avó avô tia tio cachorro gato", // Portuguese
    "сын дочь брат сестра мама мать папа отец жена муж друг подруга бабушка дедушка собака кошка", // Russian
];

/// Words of a fact that say nothing of whom it is about: forms of "is" and "has", articles, and those of an age.
const LITTLE: [&str; 9] = [
    "is are was has have a an the of year years old age aged",
    "ist sind war hat ein eine einen der die das jahr jahre alt",
    "est sont était a un une le la les de an ans âgé âgée",
    "es está tiene un una el la los las de año años edad",
    "è ha un una il lo la di anno anni",
    "is zijn heeft een de het jaar oud",
    "é está tem um uma o a os as de ano anos idade",
    "год года лет",
    "是 有 了 的 岁",
];

static RELATED: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&KIN));

fn set(texts: &[&'static str]) -> HashSet<&'static str> {
    texts.iter().flat_map(|text| text.split_whitespace()).collect()
}

/// Does the fact tell of the user what the remark says of somebody else? Errs towards no: what the fact words in its own way
/// may well be the user's, such as a son who is called so.
pub(super) fn is_of_another(fact: &str, quote: &str, chunks: &[Chunk]) -> bool {
    static LITTLE_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&LITTLE));

    let Some(claim) = claim_of_user(fact) else { return false };
    if !tells_of_another(quote) && !sentence_before(quote, chunks).is_some_and(|said| tells_of_another(&said))
    {
        return false;
    }
    let said: HashSet<String> = words(quote).into_iter().map(|word| word.folded).collect();
    let is_said = |word: &String| {
        said.contains(word) || LITTLE_WORDS.contains(word.as_str()) || word.chars().all(char::is_numeric)
    };
    let claimed: Vec<String> = words(claim).into_iter().map(|word| word.folded).collect();
    // That the user has a son is of both.
    let is_of_both = claimed.iter().any(|word| RELATED.contains(word.as_str()));
    !is_of_both && claimed.iter().all(is_said)
}

/// What a fact says of the user directly; `None` where it is about something or somebody of theirs.
fn claim_of_user(fact: &str) -> Option<&str> {
    static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
        let names = [
            "the user",
            "der nutzer",
            "die nutzerin",
            "l['’]utilisat(?:eur|rice)",
            "el usuario",
            "la usuaria",
            "l['’]utente",
            "de gebruiker",
            "[oa] usuári[oa]",
            "o utilizador",
            "пользовател[ьюя]",
        ];
        Regex::new(&format!(r"(?i)^\s*(?:(?:{})\b|用户)", names.join("|"))).expect("the regex is a constant")
    });
    let claim = &fact[SUBJECT.find(fact)?.end()..];
    (!claim.starts_with(['\'', '’']) && claim.chars().any(char::is_alphanumeric)).then_some(claim)
}

/// Is somebody else its subject, and the user nowhere in it?
fn tells_of_another(said: &str) -> bool {
    static OTHER: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&OTHERS));
    static USER: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&SELF));
    static MINE: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&[MY]));
    let words: Vec<String> = words(said).into_iter().map(|word| word.folded).collect();
    let is_one_of =
        |place: usize, set: &HashSet<&str>| words.get(place).is_some_and(|word| set.contains(word.as_str()));
    let is_kin = is_one_of(0, &MINE) && is_one_of(1, &RELATED);
    // "My son" names him, and not the user.
    let rest = words.get(usize::from(is_kin)..).unwrap_or_default();
    let is_about_nobody = || ABOUT_NOBODY.iter().any(|begin| begins_with(&words, begin));
    (is_kin || (is_one_of(0, &OTHER) && !is_about_nobody()))
        && !rest.iter().any(|word| USER.contains(word.as_str()))
}

fn begins_with(words: &[String], begin: &str) -> bool {
    let mut words = words.iter();
    begin.split(' ').all(|wanted| words.next().is_some_and(|word| word == wanted))
}

/// The user's sentence up to the end of the quote in it.
fn sentence_before(quote: &str, chunks: &[Chunk]) -> Option<String> {
    let mut by_user = chunks.iter().filter(|chunk| chunk.speaker == Participant::User);
    let (text, begin) = by_user.find_map(|chunk| Some((&chunk.text[..], chunk.text.find(quote)?)))?;
    let start =
        text[..begin].rfind(ENDS).map_or(0, |end| end + text[end..].chars().next().map_or(1, char::len_utf8));
    Some(text[start..begin + quote.len()].to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english(
        "My son goes to school. He's eight years old.",
        "He's eight years old",
        "The user is 8 years old."
    )]
    #[case::english_kin("My sister lives in Leeds.", "My sister lives in Leeds", "The user lives in Leeds.")]
    #[case::a_part_of_it("She plays the cello.", "plays the cello", "The user plays the cello.")]
    #[case::within_a_sentence("I think he is eight.", "he is eight", "The user is eight years old.")]
    #[case::french("J'ai un fils. Il a huit ans.", "Il a huit ans", "L'utilisateur a huit ans.")]
    #[case::french_kin("Mon fils a huit ans.", "Mon fils a huit ans", "L’utilisateur a huit ans.")]
    #[case::german("Er ist acht Jahre alt.", "Er ist acht Jahre alt", "Der Nutzer ist acht Jahre alt.")]
    #[case::german_kin("Meine Frau ist Ärztin.", "Meine Frau ist Ärztin", "Die Nutzerin ist Ärztin.")]
    #[case::spanish("Ella tiene 30 años.", "Ella tiene 30 años", "El usuario tiene 30 años.")]
    #[case::italian("Lei ha otto anni.", "Lei ha otto anni", "L'utente ha otto anni.")]
    #[case::dutch("Hij is acht jaar oud.", "Hij is acht jaar oud", "De gebruiker is 8 jaar oud.")]
    #[case::portuguese("Ele tem oito anos.", "Ele tem oito anos", "O usuário tem oito anos.")]
    #[case::russian("Ему восемь лет.", "Ему восемь лет", "Пользователю восемь лет.")]
    #[case::chinese("他八岁。", "他八岁", "用户八岁。")]
    #[case::english_promoted(
        "They promoted him to manager.",
        "They promoted him to manager",
        "The user was promoted to manager."
    )]
    #[case::english_kin_and_theirs(
        "My son has his own car.",
        "My son has his own car",
        "The user has a car."
    )]
    #[case::german_promoted(
        "Sie haben ihn zum Leiter gemacht.",
        "Sie haben ihn zum Leiter gemacht",
        "Der Nutzer ist Leiter."
    )]
    #[case::german_our("Unser Sohn ist acht.", "Unser Sohn ist acht", "Der Nutzer ist acht.")]
    #[case::french_has("Il a un piano chez lui.", "Il a un piano chez lui", "L'utilisateur a un piano.")]
    #[case::french_goes_there("Il y va à vélo.", "Il y va à vélo", "L'utilisateur va à vélo.")]
    #[case::spanish_plural("Ellos son de León.", "Ellos son de León", "El usuario es de León.")]
    fn what_is_said_of_somebody_else_is_not_the_users(
        #[case] said: &str,
        #[case] quote: &str,
        #[case] fact: &str,
    ) {
        assert!(is_of_another(fact, quote, &[Chunk::user(said)]));
    }

    #[rstest]
    #[case::of_the_user("I'm eight years old.", "I'm eight years old", "The user is eight years old.")]
    #[case::a_son_of_theirs("He's called Bob.", "He's called Bob", "The user has a son called Bob.")]
    #[case::somebody_of_theirs("She's eight.", "She's eight", "The user's daughter is eight.")]
    #[case::both(
        "She's a vegetarian, I'm one too.",
        "She's a vegetarian, I'm one too",
        "The user is a vegetarian."
    )]
    #[case::with_somebody(
        "My wife and I live in Leeds.",
        "My wife and I live in Leeds",
        "The user lives in Leeds."
    )]
    #[case::something_of_theirs("My home is Leeds.", "My home is Leeds", "The user is from Leeds.")]
    #[case::their_age("My age is 41.", "My age is 41", "The user is 41 years old.")]
    #[case::a_sentence_before("He left. I live in Leeds.", "I live in Leeds", "The user lives in Leeds.")]
    #[case::a_relation("My son is eight.", "My son is eight", "The user has a son.")]
    #[case::german("Ich bin acht.", "Ich bin acht", "Der Nutzer ist acht.")]
    #[case::french(
        "Elle et moi, nous vivons à Lyon.",
        "Elle et moi, nous vivons à Lyon",
        "L'utilisateur vit à Lyon."
    )]
    #[case::spanish_without_a_pronoun("Tengo 30 años.", "Tengo 30 años", "El usuario tiene 30 años.")]
    #[case::chinese("我八岁。", "我八岁", "用户八岁。")]
    #[case::somebody_by_name("He likes tea.", "He likes tea", "Ada likes tea.")]
    #[case::done_to_them(
        "They promoted me to manager.",
        "They promoted me to manager",
        "The user was promoted to manager."
    )]
    #[case::found_in_them(
        "They diagnosed me with ADHD.",
        "They diagnosed me with ADHD",
        "The user has ADHD."
    )]
    #[case::part_of_what_was_done_to_them(
        "They promoted me to manager.",
        "promoted me to manager",
        "The user was promoted to manager."
    )]
    #[case::a_friend_of_theirs(
        "She is a friend of mine.",
        "She is a friend of mine",
        "The user is a friend."
    )]
    #[case::kin_and_them("My boss gave us a car.", "My boss gave us a car", "The user has a car.")]
    #[case::german_object(
        "Sie haben mich zum Leiter gemacht.",
        "Sie haben mich zum Leiter gemacht",
        "Der Nutzer ist Leiter."
    )]
    #[case::german_to_them(
        "Er hat mir ein Klavier geschenkt.",
        "Er hat mir ein Klavier geschenkt",
        "Der Nutzer hat ein Klavier."
    )]
    #[case::german_kin_and_them(
        "Meine Chefin hat uns ein Auto gegeben.",
        "Meine Chefin hat uns ein Auto gegeben",
        "Der Nutzer hat ein Auto."
    )]
    #[case::french_object(
        "Ils m'ont nommé directeur.",
        "Ils m'ont nommé directeur",
        "L'utilisateur est directeur."
    )]
    #[case::french_there_is(
        "Il y a un piano chez moi.",
        "Il y a un piano chez moi",
        "L'utilisateur a un piano."
    )]
    #[case::french_about_nobody(
        "Il y a un piano au salon.",
        "Il y a un piano au salon",
        "L'utilisateur a un piano au salon."
    )]
    #[case::french_about_no_one(
        "Il n'y a pas de piano.",
        "Il n'y a pas de piano",
        "L'utilisateur n'a pas de piano."
    )]
    #[case::german_about_nobody("Es gibt ein Klavier.", "Es gibt ein Klavier", "Der Nutzer hat ein Klavier.")]
    #[case::english_about_nobody("There is a piano.", "There is a piano", "The user has a piano.")]
    #[case::spanish_object(
        "Ellos me nombraron director.",
        "Ellos me nombraron director",
        "El usuario es director."
    )]
    #[case::italian_object(
        "Loro mi hanno nominato direttore.",
        "Loro mi hanno nominato direttore",
        "L'utente è direttore."
    )]
    #[case::dutch_object(
        "Zij maakten mij directeur.",
        "Zij maakten mij directeur",
        "De gebruiker is directeur."
    )]
    #[case::portuguese_object("Eles me fizeram diretor.", "Eles me fizeram diretor", "O usuário é diretor.")]
    #[case::russian_object(
        "Они назначили меня директором.",
        "Они назначили меня директором",
        "Пользователь директором."
    )]
    #[case::chinese_object("他们选我当经理。", "他们选我当经理", "用户是经理。")]
    fn what_may_be_the_users_stays(#[case] said: &str, #[case] quote: &str, #[case] fact: &str) {
        assert!(!is_of_another(fact, quote, &[Chunk::user(said)]));
    }
}
