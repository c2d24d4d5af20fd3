//! Few-shot examples: a short conversation in several languages with its diary entry and its facts. Small models follow an
//! example far better than rules, and answer in its language.
//!
//! The words are ours.

use serde_json::json;

use crate::grounding::{SAME_MEANING, similarity};
use crate::language::{detect_language, language_name};
use crate::normalising::normalise_fact;

/// A conversation with its diary entry and its facts, and a second conversation without facts.
pub(crate) struct Example {
    language: &'static str,
    /// The conversation, as lines in the form of [`crate::chunks`].
    pub(crate) dialogue: &'static str,
    /// The summary of its diary entry.
    pub(crate) summary: &'static str,
    /// The topics of its diary entry.
    pub(crate) topics: &'static str,
    /// Its facts: branch, fact, and the user's words for it.
    facts: &'static [[&'static str; 3]],
    /// The distinctive words of the example, each followed by other words for the same. A sentence with such a word is copied
    /// from the example unless the user said one of the words. Words of up to three letters must match a whole word.
    distinctive: &'static [&'static [&'static str]],
    /// A conversation without facts.
    pub(crate) without_facts: &'static str,
}

impl Example {
    /// The example in the language of the user's lines, or else the English one. With the name of the user's language, if
    /// known.
    pub(crate) fn for_lines(lines: &[String]) -> (&'static Self, Option<&'static str>) {
        let said = lines.iter().filter_map(|line| line.strip_prefix("User: "));
        let language = detect_language(&said.collect::<Vec<_>>().join(" "));
        let example = EXAMPLES.iter().find(|example| Some(example.language) == language);
        (example.unwrap_or(&EXAMPLES[0]), language.and_then(language_name))
    }

    /// Returns `true` if the text contains distinctive words of the example, and the dialogue contains none of them.
    fn is_only_source<S: AsRef<str>>(&self, text: &str, dialogue: &[S]) -> bool {
        let mut contained =
            self.distinctive.iter().filter(|words| contains_any(text, &words[..1])).peekable();
        contained.peek().is_some()
            && !contained.any(|words| dialogue.iter().any(|line| contains_any(line.as_ref(), words)))
    }

    /// The facts in the form of a correct answer.
    pub(crate) fn facts_answer(&self) -> String {
        let facts = self.facts.iter();
        let facts =
            facts.map(|[branch, fact, quote]| json!({ "quote": quote, "fact": fact, "branch": branch }));
        json!({ "facts": facts.collect::<Vec<_>>() }).to_string()
    }
}

/// Returns `true` if a small model copied this sentence from an example, perhaps with its words in another order.
pub(crate) fn is_copied<S: AsRef<str>>(text: &str, dialogue: &[S]) -> bool {
    let is_in_example = |example: &Example| {
        let sentences = example.summary.split_inclusive(['.', '。']);
        let mut shown = sentences.chain(example.facts.iter().map(|[_, fact, _]| *fact));
        shown.any(|shown| similarity(shown, text) >= SAME_MEANING)
    };
    EXAMPLES.iter().any(|example| is_in_example(example) && example.is_only_source(text, dialogue))
}

/// Returns `true` if a small model copied this topic from an example.
pub(crate) fn is_copied_topic<S: AsRef<str>>(topic: &str, dialogue: &[S]) -> bool {
    let is_in_example =
        |example: &Example| example.topics.split(", ").any(|shown| similarity(shown, topic) >= SAME_MEANING);
    EXAMPLES.iter().any(|example| is_in_example(example) && example.is_only_source(topic, dialogue))
}

/// Returns `true` if the text contains one of these words.
fn contains_any(text: &str, words: &[&str]) -> bool {
    /// "Tom" must not match "tomorrow".
    const WHOLE_WORD_CHARS: usize = 3;
    let text = normalise_fact(text);
    words.iter().any(|word| match word.chars().count() <= WHOLE_WORD_CHARS && word.is_ascii() {
        true => text.split(|c: char| !c.is_alphanumeric()).any(|known| known == *word),
        false => text.contains(&normalise_fact(word)),
    })
}

const EXAMPLES: [Example; 6] = [
    Example {
        language: "en",
        dialogue: "\
User: is the library on Well Street open today? My brother Tom works there
Assistant: I'm sorry, I could not find that out. Shall I try again?
User: no. By the way, I can't digest milk, so please never suggest recipes with milk
Assistant: Noted. Oats were already grown by the Romans.",
        summary: "\
The user wanted to know whether the library on Well Street is open today. Tom, the user's brother, works there. The \
user cannot digest milk. The user never wants recipes with milk. The assistant said that the Romans already grew oats.",
        topics: "library on Well Street, brother Tom, milk, recipes, oats",
        facts: &[
            [
                "WORLD",
                "Tom, the user's brother, works in the library on Well Street.",
                "My brother Tom works there",
            ],
            ["USER", "The user cannot digest milk.", "I can't digest milk"],
            [
                "DIRECTIVES",
                "The assistant is never to suggest recipes with milk.",
                "never suggest recipes with milk",
            ],
        ],
        distinctive: &[
            &["tom"],
            &["library"],
            &["milk", "lactose", "dairy", "digest"],
            &["recipe", "cook", "dish", "meal"],
            &["oats"],
            &["roman"],
        ],
        without_facts: "User: good evening, how is it going? Tell me a riddle\nAssistant: What has teeth and cannot bite? A comb.\nUser: haha, thanks! and what time is it in Tokyo?",
    },
    Example {
        language: "de",
        dialogue: "\
User: hat die Bücherei in der Brunnengasse heute offen? Mein Bruder Tom arbeitet dort
Assistant: Es tut mir leid, das konnte ich nicht herausfinden. Soll ich es noch einmal versuchen?
User: nein. Übrigens vertrage ich keine Milch, schlag mir also nie Rezepte mit Milch vor
Assistant: Ist notiert. Hafer haben schon die Römer angebaut.",
        summary: "\
Der Nutzer wollte wissen, ob die Bücherei in der Brunnengasse heute offen hat. Tom, der Bruder des Nutzers, arbeitet \
dort. Der Nutzer verträgt keine Milch. Der Nutzer will nie Rezepte mit Milch. Laut Assistent bauten schon die Römer Hafer an.",
        topics: "Bücherei in der Brunnengasse, Bruder Tom, Milch, Rezepte, Hafer",
        facts: &[
            [
                "WORLD",
                "Tom, der Bruder des Nutzers, arbeitet in der Bücherei in der Brunnengasse.",
                "Mein Bruder Tom arbeitet dort",
            ],
            ["USER", "Der Nutzer verträgt keine Milch.", "vertrage ich keine Milch"],
            [
                "DIRECTIVES",
                "Der Assistent soll nie Rezepte mit Milch vorschlagen.",
                "schlag mir also nie Rezepte mit Milch vor",
            ],
        ],
        distinctive: &[
            &["tom"],
            &["bücherei", "bibliothek"],
            &["milch", "laktose", "lactose"],
            &["rezept", "koch", "gericht"],
            &["hafer"],
            &["römer"],
        ],
        without_facts: "User: guten Abend, wie geht's? Sag mir ein Rätsel\nAssistant: Was hat Zähne und kann nicht beißen? Ein Kamm.\nUser: haha, danke! und wie spät ist es in Tokio?",
    },
    Example {
        language: "fr",
        dialogue: "\
User: la bibliothèque de la rue du Puits est ouverte aujourd'hui ? Mon frère Tom y travaille
Assistant: Désolé, je n'ai pas pu le savoir. Voulez-vous que je réessaie ?
User: non. Au fait, je ne digère pas le lait, alors ne me propose jamais de recettes au lait
Assistant: C'est noté. Les Romains cultivaient déjà l'avoine.",
        summary: "\
L'utilisateur voulait savoir si la bibliothèque de la rue du Puits est ouverte aujourd'hui. Tom, le frère de \
l'utilisateur, y travaille. L'utilisateur ne digère pas le lait. L'utilisateur ne veut jamais de recettes au lait. Selon l'assistant, \
les Romains cultivaient déjà l'avoine.",
        topics: "bibliothèque de la rue du Puits, frère Tom, lait, recettes, avoine",
        facts: &[
            [
                "WORLD",
                "Tom, le frère de l'utilisateur, travaille à la bibliothèque de la rue du Puits.",
                "Mon frère Tom y travaille",
            ],
            ["USER", "L'utilisateur ne digère pas le lait.", "je ne digère pas le lait"],
            [
                "DIRECTIVES",
                "L'assistant ne doit jamais proposer de recettes au lait.",
                "ne me propose jamais de recettes au lait",
            ],
        ],
        distinctive: &[
            &["tom"],
            &["bibliothèque"],
            &["lait", "lactose"],
            &["recette", "cuisin", "plat"],
            &["avoine"],
            &["romain"],
        ],
        without_facts: "User: bonsoir, ça va ? Dis-moi une devinette\nAssistant: Qu'est-ce qui a des dents et ne mord pas ? Un peigne.\nUser: haha, merci ! et quelle heure est-il à Tokyo ?",
    },
    Example {
        language: "es",
        dialogue: "\
User: ¿está abierta hoy la biblioteca de la calle del Pozo? Mi hermano Tom trabaja allí
Assistant: Lo siento, no he podido averiguarlo. ¿Lo intento otra vez?
User: no. Por cierto, no digiero la leche, así que nunca me propongas recetas con leche
Assistant: Anotado. Los romanos ya cultivaban avena.",
        summary: "\
El usuario quería saber si la biblioteca de la calle del Pozo está abierta hoy. Tom, el hermano del usuario, trabaja \
allí. El usuario no digiere la leche. El usuario no quiere nunca recetas con leche. Según el asistente, los romanos ya cultivaban avena.",
        topics: "biblioteca de la calle del Pozo, hermano Tom, leche, recetas, avena",
        facts: &[
            [
                "WORLD",
                "Tom, el hermano del usuario, trabaja en la biblioteca de la calle del Pozo.",
                "Mi hermano Tom trabaja allí",
            ],
            ["USER", "El usuario no digiere la leche.", "no digiero la leche"],
            [
                "DIRECTIVES",
                "El asistente no debe proponer nunca recetas con leche.",
                "nunca me propongas recetas con leche",
            ],
        ],
        distinctive: &[
            &["tom"],
            &["biblioteca"],
            &["leche", "lactosa", "lácteo"],
            &["receta", "cocin", "plato"],
            &["avena"],
            &["romano"],
        ],
        without_facts: "User: buenas tardes, ¿qué tal? Dime una adivinanza\nAssistant: ¿Qué tiene dientes y no muerde? Un peine.\nUser: jaja, ¡gracias! ¿y qué hora es en Tokio?",
    },
    Example {
        language: "zh",
        dialogue: "\
User: 水井路的图书馆今天开门吗？我哥哥小唐在那里上班
Assistant: 抱歉，我没能查到。要再试一次吗？
User: 不用。对了，我喝不了牛奶，所以别再给我推荐有牛奶的菜谱
Assistant: 记下了。古罗马人就已经种燕麦了。",
        summary: "\
用户想知道水井路的图书馆今天是否开门。用户的哥哥小唐在那里上班。用户喝不了牛奶。用户不要有牛奶的菜谱。\
据助手说，古罗马人就已经种燕麦。",
        topics: "水井路图书馆, 哥哥小唐, 牛奶, 菜谱, 燕麦",
        facts: &[
            ["WORLD", "用户的哥哥小唐在水井路的图书馆上班。", "我哥哥小唐在那里上班"],
            ["USER", "用户喝不了牛奶。", "我喝不了牛奶"],
            ["DIRECTIVES", "助手不要推荐有牛奶的菜谱。", "别再给我推荐有牛奶的菜谱"],
        ],
        distinctive: &[
            &["小唐"],
            &["图书馆"],
            &["牛奶", "乳糖", "奶制品", "乳制品"],
            &["菜谱", "做菜", "食谱"],
            &["燕麦"],
            &["罗马"],
        ],
        without_facts: "User: 晚上好，最近怎么样？给我出个谜语\nAssistant: 什么有牙齿却不咬人？梳子。\nUser: 哈哈，谢谢！东京现在几点？",
    },
    Example {
        language: "ar",
        dialogue: "\
User: هل المكتبة في شارع البئر مفتوحة اليوم؟ أخي تامر يعمل هناك
Assistant: آسف، لم أتمكن من معرفة ذلك. هل أحاول مرة أخرى؟
User: لا. بالمناسبة، لا أهضم الحليب، فلا تقترح عليّ أبداً وصفات بالحليب
Assistant: سجّلت ذلك. كان الرومان يزرعون الشوفان.",
        summary: "\
أراد المستخدم أن يعرف هل المكتبة في شارع البئر مفتوحة اليوم. تامر، أخو المستخدم، يعمل هناك. المستخدم لا يهضم الحليب. المستخدم لا \
يريد وصفات بالحليب أبداً. قال المساعد إن الرومان كانوا يزرعون الشوفان.",
        topics: "مكتبة شارع البئر, الأخ تامر, الحليب, الوصفات, الشوفان",
        facts: &[
            ["WORLD", "تامر، أخو المستخدم، يعمل في المكتبة في شارع البئر.", "أخي تامر يعمل هناك"],
            ["USER", "المستخدم لا يهضم الحليب.", "لا أهضم الحليب"],
            ["DIRECTIVES", "على المساعد ألا يقترح أبداً وصفات بالحليب.", "لا تقترح عليّ أبداً وصفات بالحليب"],
        ],
        distinctive: &[
            &["تامر"],
            &["مكتبة"],
            &["حليب", "لاكتوز", "ألبان"],
            &["وصفات", "طبخ", "وصفة"],
            &["شوفان"],
            &["رومان"],
        ],
        without_facts: "User: مساء الخير، كيف الحال؟ قل لي لغزاً\nAssistant: ما الذي له أسنان ولا يعض؟ المشط.\nUser: هاها، شكراً! وكم الساعة في طوكيو؟",
    },
];

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn every_example_is_in_its_language_and_quotes_its_user() {
        for example in &EXAMPLES {
            let said: Vec<&str> =
                example.dialogue.lines().filter_map(|line| line.strip_prefix("User: ")).collect();

            assert_eq!(detect_language(&said.join(" ")), Some(example.language));
            assert_eq!(detect_language(example.summary), Some(example.language));
            for topic in example.topics.split(", ") {
                assert!(is_copied_topic(topic, &["nothing of it"]), "{topic}");
            }
            for [_, fact, quote] in example.facts {
                assert!(said.iter().any(|said| said.contains(quote)), "{quote}");
                assert!(is_copied(fact, &["nothing of it"]));
                assert!(!is_copied(fact, &said));
            }
        }
    }

    #[rstest]
    #[case::as_it_stands("The user cannot digest milk.", "I like tea", true)]
    #[case::meant("The user cannot digest milk.", "I'm lactose intolerant", false)]
    #[case::meant_in_german("Der Nutzer verträgt keine Milch.", "Ich habe eine Laktoseintoleranz", false)]
    #[case::in_another_order("The user's brother Tom works there.", "my brother is ill", true)]
    #[case::of_somebody_of_that_name("The user's brother Tom works there.", "Tom has a new job", false)]
    #[case::part_of_a_name("The user's brother Tom works there.", "tomorrow it is", true)]
    #[case::no_word_that_tells("The user's brother works there.", "he works at the mill", false)]
    #[case::something_else("The user cannot digest grapes.", "I like tea", false)]
    #[case::a_piece("The user", "I like tea", false)]
    #[case::nothing(" ", "I like tea", false)]
    fn sentence_copied_from_an_example_is_recognised(
        #[case] text: &str,
        #[case] said: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(is_copied(text, &[said]), expected);
    }

    #[rstest]
    #[case::as_it_stands("brother Tom", "I like tea", true)]
    #[case::said("milk", "I bought milk", false)]
    #[case::meant("milk", "I'm lactose intolerant", false)]
    #[case::something_else("tea", "I like tea", false)]
    fn topic_copied_from_an_example_is_recognised(
        #[case] topic: &str,
        #[case] said: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(is_copied_topic(topic, &[said]), expected);
    }

    #[test]
    fn example_is_chosen_by_the_language_of_the_user() {
        let lines = [
            "Assistant: What is the matter with you, and what is the plan?",
            "User: Ich bin müde und will ins Bett.",
        ];

        let (example, language) = Example::for_lines(&lines.map(str::to_owned));

        assert_eq!((example.language, language), ("de", Some("German")));
    }

    #[test]
    fn language_without_an_example_gets_the_english_one() {
        let (example, language) =
            Example::for_lines(&["User: Eu moro em Braga e não como carne.".to_owned()]);

        assert_eq!((example.language, language), ("en", Some("Portuguese")));
    }
}
