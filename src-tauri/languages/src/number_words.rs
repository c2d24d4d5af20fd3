//! Numbers in words, up to 999,999, for languages in which requests are recognised without a model.

use std::collections::HashMap;

use crate::normalisation::folded_words;
use crate::per_language::PerLanguage;
use crate::tables::{LanguageData, NumberComposition, Tens};

/// Most words of a number below 1,000 that is looked up as a whole: "quatre vingt dix neuf".
const MAX_WORDS: usize = 4;

/// The number words of a language.
pub struct NumberWords {
    /// Folded words with blanks between them.
    below_thousand: HashMap<String, u32>,
    hundreds: HashMap<String, u32>,
    thousand: Vec<String>,
    and: &'static str,
}

impl NumberWords {
    /// The number words of a language; `None` if we cannot compose them.
    pub fn of_code(code: &str) -> Option<&'static Self> {
        ALL.get(crate::of_code(code)?).as_ref()
    }

    /// The longest number at the beginning of the words, which are [`crate::folded_words`], and how many of them it is.
    pub fn leading(&self, words: &[&str]) -> Option<(u32, usize)> {
        let (value, used) = match self.below_thousand(words) {
            Some(found) => found,
            None if self.is_thousand(words.first()) => (1, 0),
            None => return None,
        };
        let (thousands, used) = match (value, self.is_thousand(words.get(used))) {
            (1..1000, true) => (value * 1000, used + 1),
            // "zweitausend"
            (1000.., false) => (value, used),
            _ => return Some((value, used)),
        };
        let (rest, more) =
            self.rest(&words[used..]).filter(|(rest, _)| (1..1000).contains(rest)).unwrap_or_default();
        Some((thousands + rest, used + more))
    }

    fn is_thousand(&self, word: Option<&&str>) -> bool {
        word.is_some_and(|word| self.thousand.iter().any(|thousand| thousand == word))
    }

    fn below_thousand(&self, words: &[&str]) -> Option<(u32, usize)> {
        let (small, used) = longest(&self.below_thousand, words).unwrap_or_default();
        // "two hundred", "hundred", "doscientos"
        let hundreds = match longest(&self.hundreds, &words[used..]) {
            Some((hundreds, more)) if used == 0 => Some((hundreds, more)),
            Some((100, more)) if (1..10).contains(&small) => Some((small * 100, used + more)),
            _ => None,
        };
        let Some((hundreds, used)) = hundreds else {
            return (used > 0).then_some((small, used));
        };
        let (rest, more) =
            self.rest(&words[used..]).filter(|(rest, _)| (1..100).contains(rest)).unwrap_or_default();
        Some((hundreds + rest, used + more))
    }

    /// The number behind hundreds or thousands and an optional "and".
    fn rest(&self, words: &[&str]) -> Option<(u32, usize)> {
        let skipped = usize::from(!self.and.is_empty() && words.first() == Some(&self.and));
        let (rest, used) = self.below_thousand(words.get(skipped..)?)?;
        Some((rest, used + skipped))
    }
}

fn longest(table: &HashMap<String, u32>, words: &[&str]) -> Option<(u32, usize)> {
    (1..=words.len().min(MAX_WORDS))
        .rev()
        .find_map(|count| Some((*table.get(&words[..count].join(" "))?, count)))
}

static ALL: PerLanguage<Option<NumberWords>> = PerLanguage::new(|data| {
    data.number_composition.as_ref().map(|composition| Composer { data, composition }.number_words())
});

/// Builds the numbers of a language.
struct Composer {
    data: &'static LanguageData,
    composition: &'static NumberComposition,
}

impl Composer {
    fn number_words(&self) -> NumberWords {
        let mut below_thousand = HashMap::new();
        for number in 0..100 {
            for words in self.below_hundred(number) {
                below_thousand.entry(key(&words)).or_insert(number);
            }
        }
        let mut hundreds: HashMap<String, u32> =
            self.composition.hundred.split('|').map(|word| (key(word), 100)).collect();
        for (words, number) in self.composition.hundreds.iter().zip(2..) {
            hundreds.extend(words.split('|').map(|word| (key(word), number * 100)));
        }
        if self.composition.is_joined {
            self.add_joined_hundreds(&mut below_thousand);
        }
        NumberWords {
            below_thousand,
            hundreds,
            thousand: self.composition.thousand.split('|').map(key).collect(),
            and: self.composition.and,
        }
    }

    fn add_joined_hundreds(&self, table: &mut HashMap<String, u32>) {
        for hundreds in 1..10 {
            let mut prefixes = self.below_hundred(hundreds);
            if hundreds == 1 {
                prefixes.push(String::new());
            }
            for prefix in prefixes {
                table.insert(key(&format!("{prefix}{}", self.composition.hundred)), hundreds * 100);
                for rest in 1..100 {
                    for words in self.below_hundred(rest) {
                        table.insert(
                            key(&format!("{prefix}{}{words}", self.composition.hundred)),
                            hundreds * 100 + rest,
                        );
                    }
                }
            }
        }
        for thousands in 1..10 {
            for prefix in self.below_hundred(thousands) {
                let thousand = self.composition.thousand.split('|').next_back().unwrap_or_default();
                table.insert(key(&format!("{prefix}{thousand}")), thousands * 1000);
            }
        }
    }

    fn below_hundred(&self, number: u32) -> Vec<String> {
        let words = |number: u32| self.data.number_words(number as usize).map(str::to_owned);
        let known: Vec<String> = words(number).collect();
        let (ten, unit) = (number / 10 * 10, number % 10);
        if !known.is_empty() || number < 21 {
            return known;
        }
        let mut built = Vec::new();
        for ten_word in words(ten) {
            for unit_word in words(unit) {
                built.push(match &self.composition.tens {
                    Tens::Joined => format!("{ten_word}{unit_word}"),
                    Tens::Juxtaposed => format!("{ten_word} {unit_word}"),
                    Tens::With(link) => format!("{ten_word} {link} {unit_word}"),
                    Tens::UnitFirst(link, after_vowel) => {
                        let link = if unit_word.ends_with('e') { after_vowel } else { link };
                        format!("{unit_word}{link}{ten_word}")
                    }
                    Tens::Elided if matches!(unit, 1 | 8) => {
                        format!("{}{unit_word}", &ten_word[..ten_word.len() - 1])
                    }
                    Tens::Elided => format!("{ten_word}{unit_word}"),
                    Tens::French if unit == 1 => format!("{ten_word} et {unit_word}"),
                    Tens::French => format!("{ten_word} {unit_word}"),
                });
            }
        }
        if matches!(self.composition.tens, Tens::French) && matches!(ten, 70 | 90) {
            // "soixante et onze", "quatre-vingt-douze"
            let base = if ten == 70 { "soixante" } else { "quatre vingt" };
            for unit_word in words(number - ten + 10) {
                built.push(format!("{base} {unit_word}"));
                built.push(format!("{base} et {unit_word}"));
            }
        }
        if matches!(self.composition.tens, Tens::French) && number == 81 {
            built.push("quatre vingt un".to_owned());
        }
        built
    }
}

impl LanguageData {
    /// Returns `true` if the word is a ten and a unit that are written as one word: "vierundvierzig", "trentaquattro".
    pub fn is_joined_number(&self, word: &str) -> bool {
        let Some(composition) = &self.number_composition else { return false };
        let is_unit = |word: &str| (1..10).any(|unit| self.number_words(unit).any(|known| known == word));
        let tens: Vec<&str> = (20..100).step_by(10).flat_map(|ten| self.number_words(ten)).collect();
        match composition.tens {
            Tens::UnitFirst(link, after_vowel) => [link, after_vowel].iter().any(|link| {
                word.match_indices(link)
                    .any(|(at, _)| is_unit(&word[..at]) && tens.contains(&&word[at + link.len()..]))
            }),
            Tens::Joined => tens.iter().any(|ten| word.strip_prefix(ten).is_some_and(is_unit)),
            Tens::Elided => tens.iter().any(|ten| {
                let vowel = ten.chars().next_back().map_or(0, char::len_utf8);
                let unit =
                    |stem: &str| word.strip_prefix(stem).is_some_and(|unit| is_unit(&unaccented(unit)));
                unit(ten) || unit(&ten[..ten.len() - vowel])
            }),
            Tens::Juxtaposed | Tens::With(_) | Tens::French => false,
        }
    }
}

/// "tré" at the end of a number is "tre" alone.
fn unaccented(unit: &str) -> String {
    folded_words(unit).join(" ")
}

fn key(words: &str) -> String {
    folded_words(words).join(" ")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::unit_and_ten("en", "forty-five minutes", 45, 2)]
    #[case::hundreds("en", "two hundred and fifty", 250, 4)]
    #[case::hundred_alone("en", "hundred grams", 100, 1)]
    #[case::thousands("en", "three thousand two hundred", 3200, 4)]
    #[case::and_that_belongs_to_what_follows("en", "one hundred and then", 100, 2)]
    #[case::german("de", "fünfundvierzig", 45, 1)]
    #[case::german_hundreds("de", "zweihundertfünfzig", 250, 1)]
    #[case::german_year("de", "zweitausend vierundzwanzig", 2024, 2)]
    #[case::german_without_umlaut("de", "fuenf", 5, 1)]
    #[case::french_seventies("fr", "soixante et onze", 71, 3)]
    #[case::french_nineties("fr", "quatre-vingt-dix-sept", 97, 4)]
    #[case::french_eighty("fr", "quatre-vingts", 80, 2)]
    #[case::french_hundreds("fr", "deux cent cinquante", 250, 3)]
    #[case::spanish("es", "cuarenta y cinco", 45, 3)]
    #[case::spanish_hundreds("es", "quinientos veinte", 520, 2)]
    #[case::italian("it", "quarantotto", 48, 1)]
    #[case::italian_hundreds("it", "duecentocinquanta", 250, 1)]
    #[case::dutch("nl", "tweeënveertig", 42, 1)]
    #[case::dutch_hundreds("nl", "driehonderd", 300, 1)]
    #[case::portuguese("pt", "cento e vinte e cinco", 125, 5)]
    #[case::turkish("tr", "kırk beş dakika", 45, 2)]
    #[case::turkish_hundreds("tr", "iki yüz elli", 250, 3)]
    fn number_at_the_beginning_is_read(
        #[case] code: &str,
        #[case] text: &str,
        #[case] value: u32,
        #[case] used: usize,
    ) {
        let words = folded_words(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();

        assert_eq!(NumberWords::of_code(code).unwrap().leading(&words), Some((value, used)));
    }

    #[test]
    fn words_that_are_no_number_are_left_alone() {
        let numbers = NumberWords::of_code("en").unwrap();

        assert_eq!(
            (numbers.leading(&["tea"]), numbers.leading(&["and", "two"]), numbers.leading(&[])),
            (None, None, None)
        );
    }
}
