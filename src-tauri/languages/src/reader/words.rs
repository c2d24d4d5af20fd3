//! `about.toml` and `words.toml`.

use super::narration;
use super::secrets;
use super::section::Section;
use crate::measure_ids::{INGREDIENTS, MEASURES};
use crate::tables::{
    IngredientNames, LanguageData, List, MeasureNames, NumberComposition, Tens, ToolWords, WordOrder, Writing,
};

const WRITINGS: [(&str, Writing); 3] = [
    ("spaced", Writing::Spaced),
    ("spaced with particles", Writing::SpacedWithParticles),
    ("unspaced", Writing::Unspaced),
];

const WORD_ORDERS: [(&str, WordOrder); 2] = [
    ("question word first", WordOrder::QuestionWordFirst),
    ("question word in place", WordOrder::QuestionWordInPlace),
];

/// The data of a language from its two files.
pub(super) fn read(code: &str, about: &mut Section<'_>, words: &mut Section<'_>) -> LanguageData {
    LanguageData {
        index: 0,
        code: code.to_owned().leak(),
        english_name: about.text("english_name"),
        own_name: about.text("own_name"),
        ocr_code: about.text("ocr_code"),
        writing: about.choice("writing", &WRITINGS),
        word_order: about.choice("word_order", &WORD_ORDERS),
        default_voice: about.optional_text("default_voice"),
        letters: about.optional_text("letters").unwrap_or_default(),
        endings: about.optional_words("endings"),
        has_ordinals_with_full_stop: about.flag("ordinals_with_full_stop"),
        function_words: words.words("function_words"),
        question_words: words.words("question_words"),
        possessives: words.words("possessives"),
        of_owner: words.optional_words("of_owner"),
        continuation_words: words.words("continuation_words"),
        conjunctions: words.optional_phrases("conjunctions"),
        fillers: words.words("fillers"),
        yes: words.phrases("yes"),
        no: words.phrases("no"),
        stop_words: words.phrases("stop_words"),
        lone_stop_words: words.optional_phrases("lone_stop_words"),
        undo_requests: words.optional_phrases("undo_requests"),
        polite_words: words.phrases("polite_words"),
        greetings: words.words("greetings"),
        request_openers: words.phrases("request_openers"),
        looking_back: words.phrases("looking_back"),
        pointing_words: words.phrases("pointing_words"),
        said_of_others: words.optional_words("said_of_others"),
        advice: words.phrases("advice"),
        name_sentence: name_sentence(words),
        invented_over_noise: words.optional_phrases("invented_over_noise"),
        numbers: words.texts_exactly("numbers"),
        tens: words.texts_exactly("tens"),
        number_composition: words.section("number_composition").map(number_composition),
        measures: words.section("measures").map(measures),
        ingredients: words.section("ingredients").map(ingredients),
        sentence_ends: words.text("sentence_ends"),
        abbreviations: words.optional_words("abbreviations"),
        abbreviations_before_numbers: words.optional_words("abbreviations_before_numbers"),
        ordinal_endings: words.optional_words("ordinal_endings"),
        secrets: words.section("secrets").map(secrets::read),
        tool_words: words.section("tool_words").map(tool_words),
        narration: words.section("narration").map(narration::read),
        dates: None,
        requests: None,
        answers: None,
        command_center: None,
    }
}

fn name_sentence(words: &mut Section<'_>) -> Option<&'static str> {
    let field = words.optional("name_sentence")?;
    let sentence = words.text_of("name_sentence", &field)?;
    let has_parts = sentence.split_once('|').is_some_and(|(_, phrase)| phrase.contains("{name}"));
    if !has_parts {
        words.mistake(field.at, "name_sentence has no | before what identifies it, or no {name} behind it");
    }
    Some(sentence)
}

fn number_composition(mut section: Section<'_>) -> NumberComposition {
    let link = |section: &mut Section<'_>| section.text("link");
    let tens = match section.choice(
        "tens",
        &[
            ("juxtaposed", 0),
            ("with a link", 1),
            ("unit first", 2),
            ("joined", 3),
            ("elided", 4),
            ("french", 5),
        ],
    ) {
        1 => Tens::With(link(&mut section)),
        2 => {
            let plain = link(&mut section);
            Tens::UnitFirst(plain, section.optional_text("link_after_vowel").unwrap_or(plain))
        }
        3 => Tens::Joined,
        4 => Tens::Elided,
        5 => Tens::French,
        _ => Tens::Juxtaposed,
    };
    let hundreds: Vec<&'static str> = match section.optional("hundreds") {
        Some(field) => section.texts_of("hundreds", &field).into_iter().map(|(_, text)| text).collect(),
        None => Vec::new(),
    };
    let composition = NumberComposition {
        tens,
        hundreds: List(hundreds.leak()),
        is_joined: section.flag("joined"),
        hundred: section.text("hundred"),
        thousand: section.text("thousand"),
        and: section.optional_text("and").unwrap_or_default(),
    };
    if !matches!(composition.hundreds.len(), 0 | 8) {
        section.lacks("one of the hundreds from 200 to 900");
    }
    section.finish();
    composition
}

fn measures(mut section: Section<'_>) -> MeasureNames {
    let ids = MEASURES.iter().flat_map(|(_, ids)| ids.iter().copied());
    let names: Vec<_> = ids.map(|id| (id, section.text(id))).collect();
    section.finish();
    MeasureNames { names: List(names.leak()) }
}

fn ingredients(mut section: Section<'_>) -> IngredientNames {
    let names: Vec<_> = INGREDIENTS.iter().map(|id| (*id, section.text(id))).collect();
    section.finish();
    IngredientNames { names: List(names.leak()) }
}

fn tool_words(mut section: Section<'_>) -> ToolWords {
    let tools = match section.section("tools") {
        Some(mut tools) => tools.all_phrases(),
        None => {
            section.lacks("tools");
            Vec::new()
        }
    };
    let words = ToolWords {
        tools: List(tools.leak()),
        negations: section.phrases("negations"),
        no_negations: section.optional_phrases("no_negations"),
        clause_openers: section.phrases("clause_openers"),
        endings: section.optional_words("endings"),
    };
    section.finish();
    words
}
