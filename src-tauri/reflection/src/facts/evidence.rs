//! Checks whether the user said a fact: finds the quoted words in the dialogue and compares the fact with them.

use std::collections::HashSet;

use memory::Participant;

use super::extracted::ExtractedFact;
use crate::chunks::Chunk;
use crate::grounding::grounded_share;
use crate::narration::{NARRATION, STANDARD_PARTS};
use crate::normalising::{is_dense_script, normalise_fact};

/// A quote may differ at its ends ("Ada is" for "She's") when this share of its words is one unchanged run, as a fraction.
const MIN_RUN_SHARE: (usize, usize) = (2, 3);

/// A run of fewer words is evidence only when it is the whole quote.
const MIN_RUN_WORDS: usize = 4;

/// The user's words that the quote means, as they were said. They may differ from the quote in case, in punctuation and in
/// words at the ends.
pub(super) fn find_user_words(quote: &str, chunks: &[Chunk]) -> Option<String> {
    let wanted = words(quote);
    if wanted.is_empty() {
        return None;
    }
    let longest = |speaker: Participant| {
        let said = chunks.iter().filter(|chunk| chunk.speaker == speaker);
        said.filter_map(|chunk| longest_run(&wanted, &chunk.text)).max_by_key(|(length, _)| *length)
    };
    let (length, said) = longest(Participant::User)?;
    let is_most_of_it = length >= MIN_RUN_WORDS && length * MIN_RUN_SHARE.1 >= wanted.len() * MIN_RUN_SHARE.0;
    // "You like tea" are the assistant's words, though the user said "I like tea".
    let is_of_assistant =
        || longest(Participant::Assistant).is_some_and(|(length, _)| length == wanted.len());
    (length == wanted.len() || (is_most_of_it && !is_of_assistant())).then_some(said)
}

/// Returns `true` if the quote consists of questions only: a question is not evidence.
pub(super) fn is_only_a_question(quote: &str, chunks: &[Chunk]) -> bool {
    let by_user = chunks.iter().filter(|chunk| chunk.speaker == Participant::User);
    let mut candidates = by_user.filter_map(|chunk| Some((chunk, chunk.text.find(quote)?)));
    let asks = |chunk: &Chunk, begin: usize| {
        // The quote may leave out the end of its sentence.
        let rest = &chunk.text[begin + quote.len()..];
        let is_ended = quote.trim_end().ends_with(SENTENCE_ENDS);
        let tail = if is_ended { "" } else { rest.split_inclusive(SENTENCE_ENDS).next().unwrap_or_default() };
        let said = format!("{}{tail}", quote.trim_end());
        said.split_inclusive(SENTENCE_ENDS).all(|sentence| {
            let sentence = sentence.trim();
            sentence.ends_with(['?', '？', '؟']) || !sentence.chars().any(char::is_alphanumeric)
        })
    };
    // A statement within a question that is quoted up to a comma counts as a statement.
    candidates.next().is_some_and(|(chunk, begin)| asks(chunk, begin)) && !ends_at_comma(quote, chunks)
}

const SENTENCE_ENDS: [char; 7] = ['.', '!', '?', '。', '！', '？', '؟'];

fn ends_at_comma(quote: &str, chunks: &[Chunk]) -> bool {
    let after = |chunk: &Chunk| {
        let begin = chunk.text.find(quote)?;
        chunk.text[begin + quote.len()..].chars().next()
    };
    chunks.iter().filter_map(after).any(|next| [',', '，', '،', ';'].contains(&next))
}

/// Least grounded share of a fact in the remark with its quote, or of the quote in the fact. With less, the fact is invented.
///
/// Source: the tuning half of `tests/reflecting`, answered by Qwen2.5 Coder 1.5B. Correct facts have a share of 0.23 and
/// more, most inventions less than 0.2.
const MIN_GROUNDED_SHARE: f64 = 0.2;

/// An answer of at most this many words is compared together with the question before it.
const SHORT_ANSWER_WORDS: usize = 5;

/// Returns `true` if the fact has nothing in common with the remark that contains its quote.
pub(super) fn is_unrelated(fact: &str, quote: &str, chunks: &[Chunk]) -> bool {
    let fact = without_standard_parts(fact);
    let distinctive = names_and_numbers(&fact);
    let quoted = words(quote);
    // "I'm 40 and I live in Leeds" gives two facts, and each has a small share of it.
    let shares_one = quoted.iter().any(|word| distinctive.contains(&word.normalised));
    let is_related = |index: usize| {
        let mut remark = vec![&chunks[index].text[..]];
        if words(remark[0]).len() <= SHORT_ANSWER_WORDS {
            remark.extend(question_before(&chunks[..index]));
        }
        grounded_share(&fact, &remark) >= MIN_GROUNDED_SHARE
    };
    let has_quote =
        |index: &usize| chunks[*index].speaker == Participant::User && chunks[*index].text.contains(quote);
    let is_in_fact = || !quoted.is_empty() && grounded_share(quote, &[&fact[..]]) >= MIN_GROUNDED_SHARE;
    let mut candidates = (0..chunks.len()).filter(has_quote).peekable();
    candidates.peek().is_none() || !(shares_one || is_in_fact() || candidates.any(is_related))
}

/// The fact without the parts that come from its standard form and not from the dialogue: "the user" and dates.
fn without_standard_parts(fact: &str) -> String {
    STANDARD_PARTS.replace_all(fact, " ").trim().to_owned()
}

/// The distinctive words of a fact: capitalised words except the first one, and numbers.
fn names_and_numbers(fact: &str) -> HashSet<String> {
    let is_distinctive = |(index, word): &(usize, Word)| {
        let first = fact[word.begin..].chars().next();
        first.is_some_and(|c| c.is_numeric() || (*index > 0 && c.is_uppercase()))
    };
    words(fact).into_iter().enumerate().filter(is_distinctive).map(|(_, word)| word.normalised).collect()
}

/// The question of the assistant directly before.
fn question_before(chunks: &[Chunk]) -> Option<&str> {
    let before = chunks.last().filter(|chunk| chunk.speaker == Participant::Assistant)?;
    let last = before.text.trim_end().split_inclusive(SENTENCE_ENDS).next_back()?;
    last.ends_with(['?', '？', '؟']).then_some(last)
}

/// Returns `true` if the fact narrates the conversation instead of describing the user. Instructions to the assistant
/// use the same words and are not narration.
pub(super) fn narrates_conversation(found: &ExtractedFact) -> bool {
    found.branch != memory::Branch::Directives && NARRATION.is_match(found.fact.trim())
}

/// The longest run of the wanted words in the text: its number of words, and its text.
fn longest_run(wanted: &[Word], text: &str) -> Option<(usize, String)> {
    let said = words(text);
    let mut best: Option<(usize, usize)> = None;
    for first in 0..said.len() {
        for from in 0..wanted.len() {
            let pairs = said[first..].iter().zip(&wanted[from..]);
            let length = pairs.take_while(|(said, wanted)| said.normalised == wanted.normalised).count();
            if length > best.map_or(0, |(length, _)| length) {
                best = Some((length, first));
            }
        }
    }
    let (length, first) = best?;
    let (begin, end) = (said[first].begin, said[first + length - 1].end);
    Some((length, text[begin..end].to_owned()))
}

/// A word and its position, in bytes.
struct Word {
    normalised: String,
    begin: usize,
    end: usize,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut joins = false;
    for (begin, c) in text.char_indices() {
        let end = begin + c.len_utf8();
        let is_dense = is_dense_script(c);
        if !c.is_alphanumeric() {
            joins = false;
            continue;
        }
        match words.last_mut().filter(|_| joins && !is_dense) {
            Some(word) => word.end = end,
            None => words.push(Word { normalised: String::new(), begin, end }),
        }
        joins = !is_dense;
    }
    for word in &mut words {
        word.normalised = normalise_fact(&text[word.begin..word.end]);
    }
    words
}

#[cfg(test)]
mod tests {
    use memory::Branch;
    use rstest::rstest;
    use vocabulary::Private;

    use super::*;

    #[rstest]
    #[case::as_it_was("She's a vegetarian, I'm not.", "she's a VEGETARIAN", Some("She's a vegetarian"))]
    #[case::without_commas(
        "Hanna is coming, with her dog.",
        "Hanna is coming with her dog",
        Some("Hanna is coming, with her dog")
    )]
    #[case::a_name_for_a_pronoun(
        "She's a vegetarian, I'm not, so find something.",
        "Hanna is a vegetarian, I'm not, so find something.",
        Some("a vegetarian, I'm not, so find something")
    )]
    #[case::chinese("先不用。我不吃辣，帮我找餐馆。", "我不吃辣", Some("我不吃辣"))]
    #[case::other_words("I like tea a lot", "You like tea", None)]
    #[case::of_the_assistant("I like green tea with lemon", "You like green tea with lemon", None)]
    #[case::half_of_it("I like tea a lot", "I like tea a lot and my wife has three cats", None)]
    #[case::part_of_a_word("I like teapots", "tea", None)]
    #[case::no_words("I like tea", "…", None)]
    fn quote_is_found_in_the_users_words(
        #[case] said: &str,
        #[case] quote: &str,
        #[case] expected: Option<&str>,
    ) {
        let chunks = [Chunk::assistant("You like green tea with lemon. Is that so?"), Chunk::user(said)];

        assert_eq!(find_user_words(quote, &chunks).as_deref(), expected);
    }

    #[rstest]
    #[case::a_question("How tall is the tower?", "How tall is the tower?", true)]
    #[case::its_beginning("How tall is the tower?", "How tall is", true)]
    #[case::a_statement_beside_it(
        "What can I take? I'm allergic to nuts.",
        "What can I take? I'm allergic to nuts.",
        false
    )]
    #[case::the_statement("What can I take? I'm allergic to nuts.", "I'm allergic to nuts", false)]
    #[case::a_clause_of_it("I'm allergic to nuts, what can I eat?", "I'm allergic to nuts", false)]
    #[case::chinese("现在几点？", "现在几点", true)]
    fn quote_of_a_question_is_not_evidence(#[case] said: &str, #[case] quote: &str, #[case] expected: bool) {
        assert_eq!(is_only_a_question(quote, &[Chunk::user(said)]), expected);
    }

    #[rstest]
    #[case::made_up("Ha, good one.", "The user finds a joke funny.", true)]
    #[case::another_language("Ich bin Schreinerin", "The user works with wood.", true)]
    #[case::describe("please stop calling me sir", "The user is never to be called sir.", false)]
    #[case::chinese("我不吃辣", "用户不吃辣。", false)]
    #[case::a_name("I'm Max.", "The user is called Max.", false)]
    #[case::an_age("I'm 41.", "The user is 41 years old.", false)]
    #[case::other_words("I've got two kids", "The user has two children.", false)]
    #[case::half_of_a_remark("I'm 40 and I live in Leeds", "The user is 40 years old.", false)]
    #[case::a_name_in_a_remark("I'm Max and I live in Leeds", "The user is called Max.", false)]
    #[case::a_day_as_a_date("I'm moving next Friday", "The user moves on 2025-11-28.", false)]
    fn fact_without_relation_to_its_remark_is_recognised(
        #[case] said: &str,
        #[case] fact: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(is_unrelated(fact, said, &[Chunk::user(said)]), expected);
    }

    #[rstest]
    #[case::a_number("How old are you?", "41", "The user is 41 years old.", false)]
    #[case::yes("Noted. Do you have a dog?", "yes", "The user has a dog.", false)]
    #[case::not_asked("Many people have a dog.", "yes", "The user has a dog.", true)]
    #[case::of_something_else("Shall I play music?", "yes", "The user has a dog.", true)]
    fn short_answer_is_compared_together_with_its_question(
        #[case] asked: &str,
        #[case] said: &str,
        #[case] fact: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(is_unrelated(fact, said, &[Chunk::assistant(asked), Chunk::user(said)]), expected);
    }

    #[rstest]
    #[case::asked(Branch::User, "The user asked about the quiz.", true)]
    #[case::asking(Branch::User, "The user is getting ready and asking for a joke.", true)]
    #[case::german(Branch::World, "Der Nutzer wollte wissen, wie spät es ist.", true)]
    #[case::french(Branch::User, "L’utilisatrice a demandé l'heure.", true)]
    #[case::spanish(Branch::User, "La usuaria quiere saber la hora.", true)]
    #[case::italian(Branch::User, "L'utente ha chiesto se piove.", true)]
    #[case::dutch(Branch::User, "De gebruiker vroeg hoe laat het is.", true)]
    #[case::portuguese(Branch::User, "O utilizador queria saber as horas.", true)]
    #[case::swedish(Branch::User, "Användaren undrade vad klockan är.", true)]
    #[case::chinese(Branch::User, "用户询问时间。", true)]
    #[case::arabic(Branch::User, "سأل المستخدم عن الوقت.", true)]
    #[case::japanese(Branch::User, "ユーザーは薬局の営業時間について尋ねた。", true)]
    #[case::korean(Branch::User, "사용자는 약국이 언제 여는지 물었다.", true)]
    #[case::polish(Branch::User, "Użytkownik zapytał o godzinę.", true)]
    #[case::russian(Branch::User, "Пользователь хотел узнать, который час.", true)]
    #[case::ukrainian(Branch::User, "Користувач запитав про погоду.", true)]
    #[case::turkish(Branch::User, "Kullanıcı saati sordu.", true)]
    #[case::turkish_with_more_words(Branch::User, "Kullanıcı eczanenin ne zaman açıldığını sordu.", true)]
    #[case::japanese_fact(Branch::User, "ユーザーは質問が好きだ。", false)]
    #[case::korean_fact(Branch::User, "사용자는 질문을 좋아한다.", false)]
    #[case::polish_fact(Branch::User, "Użytkownik zapytał Adę, czy za niego wyjdzie.", false)]
    #[case::russian_fact(Branch::User, "Пользователь спросил Аду, выйдет ли она за него.", false)]
    #[case::ukrainian_fact(Branch::User, "Користувач спитав Аду, чи вийде вона за нього.", false)]
    #[case::turkish_fact(Branch::User, "Kullanıcı Ada'ya onunla evlenir mi diye sordu.", false)]
    #[case::italian_fact(Branch::User, "L'utente ha chiesto ad Ada di sposarlo.", false)]
    #[case::dutch_fact(Branch::User, "De gebruiker vroeg Ada ten huwelijk.", false)]
    #[case::swedish_fact(Branch::User, "Användaren frågade chans på Ada.", false)]
    #[case::an_order(Branch::Directives, "The user asked for short answers.", false)]
    #[case::somebody_else(Branch::User, "The user's boss asks for a report every Friday.", false)]
    #[case::of_somebody_else(Branch::User, "The user has a boss who asks for reports.", false)]
    #[case::a_fact(Branch::User, "The user asked Ada to marry him.", false)]
    fn narration_of_the_conversation_is_recognised(
        #[case] branch: Branch,
        #[case] fact: &str,
        #[case] expected: bool,
    ) {
        let found = ExtractedFact { branch, fact: Private(fact.into()), quote: None };

        assert_eq!(narrates_conversation(&found), expected);
    }
}
