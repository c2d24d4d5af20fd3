//! Amounts of a unit of measure: "two and a half hours", "a pound and a half", "6 metres 20".

use super::lexicon::RequestLanguage;
use super::times::number_at;
use super::tokens::Token;

/// An amount in digits, and the id of its unit.
pub(super) type Quantity = (String, &'static str);

/// The unit whose hundredths are said behind it without their own.
const UNIT_WITH_HUNDREDTHS: &str = "metre";

/// The quantities at the beginning of the tokens, longest first, with the number of tokens.
pub(super) fn quantities_at(tokens: &[Token], language: &RequestLanguage) -> Vec<(usize, Quantity)> {
    let counted = counted_at(tokens, language);
    // An article counts only with a half behind the unit: "a pound and a half".
    let article = || language.one.end_in(tokens).map(|used| (used, "1".to_owned()));
    let Some((at, amount)) = counted.clone().or_else(article) else { return Vec::new() };
    let Some((used, unit)) = language.unit_at(&tokens[at..]) else { return Vec::new() };
    let end = at + used;
    let is_whole = !amount.contains('.');
    let half = language.unit_and_a_half.end_in(&tokens[end..]).filter(|_| is_whole);
    let with_half = half.map(|more| (end + more, (format!("{amount}.5"), unit)));
    let with_hundredths = || {
        let (more, hundredths) = number_at(&tokens[end..], language)?;
        let is_meant = is_whole && unit == UNIT_WITH_HUNDREDTHS && is_of_two_digits(&hundredths);
        let amount = || format!("{amount}.{}", hundredths.trim_end_matches('0'));
        is_meant.then(|| (end + more, (amount(), unit)))
    };
    let counted = counted.map(|(_, amount)| (end, (amount, unit)));
    let longer = with_half.or_else(|| counted.is_some().then(with_hundredths).flatten());
    longer.into_iter().chain(counted).collect()
}

/// A number, with a half or without: tokens and digits.
fn counted_at(tokens: &[Token], language: &RequestLanguage) -> Option<(usize, String)> {
    let halves = language.halves.iter().filter_map(|(words, tenths)| Some((words.end_in(tokens)?, *tenths)));
    if let Some((used, tenths)) = halves.max() {
        return Some((used, format!("{}.{}", tenths / 10, tenths % 10)));
    }
    let (used, number) = number_at(tokens, language)?;
    match language.and_a_half.end_in(&tokens[used..]) {
        Some(more) if !number.contains('.') => Some((used + more, format!("{number}.5"))),
        _ => Some((used, number)),
    }
}

fn is_of_two_digits(number: &str) -> bool {
    number.len() == 2 && number.bytes().all(|digit| digit.is_ascii_digit()) && !number.starts_with('0')
}
