//! Removes sentences from an entry that models write although the prompt forbids them: inabilities of the assistant,
//! sentences of the example, repeated sentences.
//!
//! Source of the rule: docs/behaviour/memory.md#clean-diary. The patterns are ours, in the data of each language; the batch
//! pass `deflections` works in every language.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use regex::Regex;
use vocabulary::Private;

use super::entry::DiaryEntry;
use crate::examples::{is_copied, is_copied_topic};
use crate::grounding::grounded_share;
use crate::narration::{CONJUNCTION, INABILITY, USER_CLAUSE};
use crate::normalising::{is_dense_script, normalise_fact};

/// A sentence with at least this grounded share comes from the dialogue, although it resembles the example.
const MIN_GROUNDED_SHARE: f64 = 0.6;

/// The entry without these sentences; `None` when nothing is left. `sources` are all texts that it was written from.
pub(super) fn cleaned(entry: DiaryEntry, sources: &[String]) -> Option<DiaryEntry> {
    let mut known = HashSet::new();
    let mut lines = Vec::new();
    for line in entry.summary.lines() {
        let kept = sentences(line).filter_map(without_inability);
        let kept = kept.filter(|sentence| {
            !is_copied(sentence, sources) || grounded_share(sentence, sources) >= MIN_GROUNDED_SHARE
        });
        let kept: String = kept.filter(|sentence| known.insert(normalise_fact(sentence))).collect();
        lines.push(kept.trim().to_owned());
    }
    let summary = lines.join("\n").trim().to_owned();
    let topics = entry.topics.split(", ").filter(|topic| !is_copied_topic(topic, sources));
    let topics = topics.collect::<Vec<_>>().join(", ");
    (!summary.is_empty()).then_some(DiaryEntry { summary: Private(summary), topics: Private(topics) })
}

/// The sentences, each with the blanks after it. A full stop that may belong to an abbreviation does not end a sentence.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    static END: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[.!?؟]+\s+|[。！？]+\s*").expect("the regex is a constant"));
    let mut begin = 0;
    let is_end = |end: &regex::Match<'_>| {
        end.as_str().trim_end() != "." || !is_abbreviated(&line[..end.start()], &line[end.end()..])
    };
    let ends = END.find_iter(line).filter(is_end).map(|end| end.end());
    let ends: Vec<usize> = ends.chain([line.len()]).collect();
    ends.into_iter().filter_map(move |end| {
        let sentence = &line[begin..end];
        begin = end;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Returns `true` if the full stop between these texts belongs to an ordinal ("am 5. Mai") or an abbreviation ("Dr.
/// Weber", "8 a.m. or later").
fn is_abbreviated(before: &str, after: &str) -> bool {
    /// Most short words without a vowel are abbreviations: "Dr", "St", "bzw".
    const MAX_CHARS_WITHOUT_VOWEL: usize = 3;
    /// A longer number is a year, which may end a sentence.
    const MAX_ORDINAL_DIGITS: usize = 2;
    let word = before.split([' ', '(', '-', '\u{a0}', '\t']).next_back().unwrap_or_default();
    let length = word.chars().count();
    let continues = after.chars().next().is_some_and(|c| c.is_lowercase() || c.is_numeric());
    if word.chars().all(char::is_numeric) {
        return length <= MAX_ORDINAL_DIGITS;
    }
    let word = word.to_lowercase();
    let has_no_vowel = !word.contains(['a', 'e', 'i', 'o', 'u', 'y']) && word.is_ascii();
    let with_stop = format!("{word}.");
    let is_abbreviation = (length <= MAX_CHARS_WITHOUT_VOWEL && has_no_vowel)
        || length == 1
        || languages::all().iter().any(|data| data.abbreviations.contains(&with_stop));
    word.contains('.') || is_abbreviation || continues
}

/// The syllables of Korean.
const HANGUL: RangeInclusive<char> = '\u{ac00}'..='\u{d7a3}';

/// The sentence without the clause about the assistant's inability; `None` when nothing else is left. A later clause about
/// the user stays.
fn without_inability(sentence: &str) -> Option<String> {
    /// A shorter rest has no subject and verb.
    const MIN_WORDS: usize = 3;
    /// The same limit for scripts without blanks.
    const MIN_DENSE_CHARS: usize = 4;
    let Some(inability) = INABILITY.captures(sentence) else { return Some(sentence.to_owned()) };
    let found = inability.get_match();
    let rest = &sentence[found.end()..];
    let later = match USER_CLAUSE.captures(rest) {
        // The user's answer to an offer is not an inability, and without a comma the clauses cannot be separated.
        Some(user_clause) if user_clause.name("joined").is_some() || inability.name("offer").is_some() => {
            return Some(sentence.to_owned());
        }
        Some(user_clause) => {
            let begin = user_clause.name("clause").expect("it is one or the other").start();
            without_inability(&capitalised(&rest[begin..]))
        }
        None => None,
    };
    let before = CONJUNCTION.replace(&sentence[..found.start()], "");
    let before = before.trim().trim_end_matches(['.', '!', '?', '。']);
    // Korean has blanks and full stops like the scripts of Europe.
    let is_dense = before.chars().any(|c| is_dense_script(c) && !HANGUL.contains(&c));
    let is_sentence = match is_dense {
        true => before.chars().count() >= MIN_DENSE_CHARS,
        false => before.split_whitespace().count() >= MIN_WORDS,
    };
    let before = is_sentence.then(|| if is_dense { format!("{before}。") } else { format!("{before}. ") });
    match (before, later) {
        (Some(before), Some(later)) => Some(before + &later),
        (before, later) => before.or(later),
    }
}

fn capitalised(clause: &str) -> String {
    let mut chars = clause.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn clean(summary: &str, said: &str) -> Option<String> {
        let entry = DiaryEntry { summary: Private(summary.into()), topics: Private("a".into()) };
        cleaned(entry, &[said.to_owned()]).map(|entry| entry.summary.0)
    }

    #[rstest]
    #[case::a_clause(
        "The user asked about the quiz, but the assistant couldn't find anything about it. The user likes tea.",
        Some("The user asked about the quiz. The user likes tea.")
    )]
    #[case::a_sentence("The user likes tea. The assistant apologised for that.", Some("The user likes tea."))]
    #[case::all_there_is("The assistant was unable to help.", None)]
    #[case::german(
        "Der Nutzer fragte nach dem Wetter, aber der Assistent konnte es nicht abrufen.",
        Some("Der Nutzer fragte nach dem Wetter.")
    )]
    #[case::french(
        "L'utilisateur cherchait un train, mais l'assistant n'a pas pu le trouver.",
        Some("L'utilisateur cherchait un train.")
    )]
    #[case::spanish(
        "El usuario preguntó por la farmacia, pero el asistente no pudo ayudar.",
        Some("El usuario preguntó por la farmacia.")
    )]
    #[case::italian(
        "L'utente ha chiesto degli orari, ma l'assistente non ha trovato nulla.",
        Some("L'utente ha chiesto degli orari.")
    )]
    #[case::dutch(
        "De gebruiker zocht een trein, maar de assistent kon die niet vinden.",
        Some("De gebruiker zocht een trein.")
    )]
    #[case::dutch_subordinate_clause(
        "De gebruiker liep naar huis, omdat de assistent het niet kon vinden.",
        Some("De gebruiker liep naar huis.")
    )]
    #[case::portuguese(
        "O usuário procurou um café, mas o assistente não encontrou nenhum.",
        Some("O usuário procurou um café.")
    )]
    #[case::swedish(
        "Användaren letade efter ett tåg, men assistenten kunde inte hitta det.",
        Some("Användaren letade efter ett tåg.")
    )]
    #[case::chinese(
        "用户问了药店的时间，但助手没能查到。用户喜欢茶。",
        Some("用户问了药店的时间。用户喜欢茶。")
    )]
    #[case::arabic(
        "سأل المستخدم عن الصيدلية، لكن المساعد لم يستطع المساعدة.",
        Some("سأل المستخدم عن الصيدلية.")
    )]
    #[case::what_the_user_could_not(
        "The user told the assistant that he could not sleep.",
        Some("The user told the assistant that he could not sleep.")
    )]
    #[case::what_the_assistant_said(
        "The assistant said that Ada cannot come.",
        Some("The assistant said that Ada cannot come.")
    )]
    #[case::german_user(
        "Der Nutzer sagte dem Assistenten, er könne nicht schlafen.",
        Some("Der Nutzer sagte dem Assistenten, er könne nicht schlafen.")
    )]
    #[case::dutch_user(
        "De assistent vond een restaurant, maar de gebruiker eet geen vis.",
        Some("De assistent vond een restaurant, maar de gebruiker eet geen vis.")
    )]
    #[case::swedish_user(
        "Assistenten hittade en restaurang, men användaren äter inte fisk.",
        Some("Assistenten hittade en restaurang, men användaren äter inte fisk.")
    )]
    #[case::several_lines(
        "The user likes tea.\nThe user likes cake.",
        Some("The user likes tea.\nThe user likes cake.")
    )]
    #[case::twice(
        "The user likes tea. The user has a cat. The user likes TEA.",
        Some("The user likes tea. The user has a cat.")
    )]
    #[case::an_ordinal(
        "Der Nutzer fliegt am 5. Mai nach Rom. Der Nutzer fliegt am 5. Juni nach Wien.",
        Some("Der Nutzer fliegt am 5. Mai nach Rom. Der Nutzer fliegt am 5. Juni nach Wien.")
    )]
    #[case::a_title(
        "The user saw Dr. Weber on Monday. The user saw Dr. Smith on Tuesday.",
        Some("The user saw Dr. Weber on Monday. The user saw Dr. Smith on Tuesday.")
    )]
    #[case::a_time_of_day(
        "The user runs at 8 a.m. Tom runs at 8 a.m. Tom is the user's brother.",
        Some("The user runs at 8 a.m. Tom runs at 8 a.m. Tom is the user's brother.")
    )]
    #[case::an_inability_of_a_title(
        "The user asked for Dr. Weber, but the assistant could not find him.",
        Some("The user asked for Dr. Weber.")
    )]
    #[case::the_user_goes_on(
        "Although the assistant could not find the opening hours, the user said that he needs insulin today.",
        Some("The user said that he needs insulin today.")
    )]
    #[case::the_user_goes_on_behind_more(
        "The user asked about a bus, but the assistant could not find it, and the user walked.",
        Some("The user asked about a bus. The user walked.")
    )]
    #[case::an_offer(
        "The assistant offered to book a table for 19:00 and the user agreed.",
        Some("The assistant offered to book a table for 19:00 and the user agreed.")
    )]
    #[case::the_user_is_told(
        "The user likes tea. The assistant could not tell the user the time.",
        Some("The user likes tea.")
    )]
    #[case::german_user_goes_on(
        "Der Assistent konnte die Zeiten nicht finden, aber der Nutzer braucht heute Insulin.",
        Some("Der Nutzer braucht heute Insulin.")
    )]
    #[case::french_user_goes_on(
        "L’assistant n’a pas trouvé les horaires, mais l’utilisateur part demain.",
        Some("L’utilisateur part demain.")
    )]
    #[case::italian_user_goes_on(
        "L'assistente non sapeva gli orari, ma l'utente parte domani.",
        Some("L'utente parte domani.")
    )]
    #[case::dutch_user_goes_on(
        "De assistent wist de tijden niet, maar de gebruiker vertrekt morgen.",
        Some("De gebruiker vertrekt morgen.")
    )]
    #[case::portuguese_user_goes_on(
        "O assistente não sabia os horários, mas a utilizadora parte amanhã.",
        Some("A utilizadora parte amanhã.")
    )]
    #[case::swedish_user_goes_on(
        "Assistenten visste inte tiden, men användaren reser i morgon.",
        Some("Användaren reser i morgon.")
    )]
    #[case::arabic_user_goes_on(
        "لم يستطع المساعد إيجاد المواعيد، والمستخدم يسافر غدا.",
        Some("المستخدم يسافر غدا.")
    )]
    #[case::swedish_offer(
        "Assistenten erbjöd sig att boka ett bord, och användaren tackade ja.",
        Some("Assistenten erbjöd sig att boka ett bord, och användaren tackade ja.")
    )]
    #[case::swedish_user_could_not(
        "Användaren sa till assistenten att han inte kunde sova.",
        Some("Användaren sa till assistenten att han inte kunde sova.")
    )]
    #[case::dutch_user_could_not(
        "De gebruiker zei tegen de assistent dat hij niet kon slapen.",
        Some("De gebruiker zei tegen de assistent dat hij niet kon slapen.")
    )]
    #[case::a_no_at_the_end_of_a_sentence(
        "The user said no. The user likes tea. The user said no.",
        Some("The user said no. The user likes tea.")
    )]
    #[case::japanese(
        "ユーザーは薬局の時間を尋ねたが、アシスタントは見つけられなかった。ユーザーはお茶が好き。",
        Some("ユーザーは薬局の時間を尋ねた。ユーザーはお茶が好き。")
    )]
    #[case::japanese_user_goes_on(
        "アシスタントは時間を見つけられなかったが、ユーザーは今日インスリンが必要だ。",
        Some("ユーザーは今日インスリンが必要だ。")
    )]
    #[case::japanese_user_could_not(
        "ユーザーはアシスタントに眠れなかったと言った。",
        Some("ユーザーはアシスタントに眠れなかったと言った。")
    )]
    #[case::korean(
        "사용자는 약국 시간을 물었다. 하지만 어시스턴트는 찾지 못했다. 사용자는 차를 좋아한다.",
        Some("사용자는 약국 시간을 물었다. 사용자는 차를 좋아한다.")
    )]
    #[case::korean_clause_before(
        "사용자는 약국 시간을 물었고, 어시스턴트는 시간을 찾지 못했다.",
        Some("사용자는 약국 시간을 물었고.")
    )]
    #[case::korean_user_goes_on(
        "어시스턴트는 시간을 찾지 못했지만, 사용자는 오늘 인슐린이 필요하다.",
        Some("사용자는 오늘 인슐린이 필요하다.")
    )]
    #[case::korean_user_goes_on_without_a_comma(
        "어시스턴트는 도움을 주지 못했지만 사용자는 걸어서 갔다.",
        Some("어시스턴트는 도움을 주지 못했지만 사용자는 걸어서 갔다.")
    )]
    #[case::polish(
        "Użytkownik szukał pociągu, ale asystent nie mógł go znaleźć.",
        Some("Użytkownik szukał pociągu.")
    )]
    #[case::polish_user_goes_on(
        "Asystent nie znalazł godzin, ale użytkownik potrzebuje dziś insuliny.",
        Some("Użytkownik potrzebuje dziś insuliny.")
    )]
    #[case::polish_user_could_not(
        "Użytkownik powiedział asystentowi, że nie mógł spać.",
        Some("Użytkownik powiedział asystentowi, że nie mógł spać.")
    )]
    #[case::russian(
        "Пользователь искал поезд, но ассистент не смог его найти.",
        Some("Пользователь искал поезд.")
    )]
    #[case::russian_user_goes_on(
        "Ассистент не нашёл часы работы, но пользователь уезжает завтра.",
        Some("Пользователь уезжает завтра.")
    )]
    #[case::russian_user_could_not(
        "Пользователь сказал ассистенту, что не мог уснуть.",
        Some("Пользователь сказал ассистенту, что не мог уснуть.")
    )]
    #[case::ukrainian(
        "Користувач шукав потяг, але асистент не зміг його знайти.",
        Some("Користувач шукав потяг.")
    )]
    #[case::ukrainian_user_goes_on(
        "Асистент не знав розкладу, проте користувач їде завтра.",
        Some("Користувач їде завтра.")
    )]
    #[case::ukrainian_user_could_not(
        "Користувач сказав асистенту, що не міг заснути.",
        Some("Користувач сказав асистенту, що не міг заснути.")
    )]
    #[case::turkish(
        "Kullanıcı bir tren aradı, ama asistan uygun bir tren bulamadı.",
        Some("Kullanıcı bir tren aradı.")
    )]
    #[case::turkish_user_goes_on(
        "Asistan saatleri bulamadı, ama kullanıcı yarın yola çıkıyor.",
        Some("Kullanıcı yarın yola çıkıyor.")
    )]
    #[case::turkish_user_could_not(
        "Kullanıcı asistana anahtarını bulamadığını söyledi.",
        Some("Kullanıcı asistana anahtarını bulamadığını söyledi.")
    )]
    #[case::chinese_user_goes_on("助手没能查到时间，但用户今天需要胰岛素。", Some("用户今天需要胰岛素。"))]
    fn inabilities_of_the_assistant_are_removed(#[case] summary: &str, #[case] expected: Option<&str>) {
        assert_eq!(clean(summary, "").as_deref(), expected);
    }

    #[test]
    fn topics_copied_from_the_example_are_removed() {
        let (summary, topics) = (Private("The user likes tea.".into()), "tea, brother Tom, milk, oats");
        let entry = DiaryEntry { summary, topics: Private(topics.into()) };

        let cleaned = cleaned(entry, &["User: tea, please, I'm lactose intolerant".to_owned()]).unwrap();

        assert_eq!(cleaned.topics.0, "tea, milk");
    }

    #[rstest]
    #[case::copied("User: I like tea", Some("The user likes tea."))]
    #[case::really_said(
        "User: I cannot digest milk, so no tea with it, the user cannot",
        Some("The user cannot digest milk. The user likes tea.")
    )]
    #[case::meant(
        "User: I'm lactose intolerant, and I like tea",
        Some("The user cannot digest milk. The user likes tea.")
    )]
    fn sentence_of_the_example_stays_when_the_user_said_it(
        #[case] said: &str,
        #[case] expected: Option<&str>,
    ) {
        let summary = "The user cannot digest milk. The user likes tea.";

        assert_eq!(clean(summary, said).as_deref(), expected);
    }
}
