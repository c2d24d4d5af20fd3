//! The fit of the phonemes of a name to some sound.
//!
//! The network writes a row of log probabilities for each 20 ms: one for every phoneme, and one for a blank between them. A
//! name fits where its phonemes, in order, with blanks between them and each for as many rows as needed, are nearly as
//! likely as the likeliest phonemes of the same rows.

use super::pronunciation::Phoneme;

/// The loss for a phoneme that may be silent and is left out. Source: British speakers leave out the r of "Jarvis"; their 36
/// clips of Kokoro voices score 0.1 to 0.4 better so.
const SILENT_LOSS: f32 = 0.5;

/// The log probabilities of phonemes over some sound.
pub(super) struct SoundPhonemes {
    /// Row by row.
    numbers: Vec<f32>,
    /// The numbers in a row; the last one is the blank.
    width: usize,
}

impl SoundPhonemes {
    /// `None` if the numbers make no rows.
    pub fn new(numbers: Vec<f32>, width: usize) -> Option<Self> {
        (width > 1 && numbers.len().is_multiple_of(width)).then_some(Self { numbers, width })
    }

    /// The rows, each less its greatest number: the loss of a phoneme against the likeliest one.
    fn losses(&self) -> impl Iterator<Item = (&[f32], f32)> {
        self.numbers.chunks_exact(self.width).map(|row| {
            let greatest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            (row, greatest)
        })
    }
}

/// The score of the place where the phonemes fit best, per phoneme: 0.0 if they are the likeliest ones, less elsewhere.
/// `None` when the sound has too few rows for them.
pub(super) fn best_score(sound: &SoundPhonemes, phonemes: &[Phoneme]) -> Option<f32> {
    let blank = sound.width - 1;
    // The vocabulary of another network: the name fits any sound, so that none is lost.
    if phonemes.iter().any(|phoneme| phoneme.id >= blank) {
        return Some(0.0);
    }
    // Even places are the phonemes, odd ones the blanks between them.
    let places = (phonemes.len() * 2).checked_sub(1)?;
    let mut paths = vec![f32::NEG_INFINITY; places];
    let mut best = f32::NEG_INFINITY;
    for (row, greatest) in sound.losses() {
        // From the last place to the first, so that each reads the paths of the row before.
        for place in (0..places).rev() {
            let before = best_way_to(place, &paths, phonemes);
            let token = if place % 2 == 0 { phonemes[place / 2].id } else { blank };
            paths[place] = before + row[token] - greatest;
        }
        best = best.max(paths[places - 1]);
    }
    best.is_finite().then(|| best / phonemes.len() as f32)
}

/// The best path that can go on at this place.
fn best_way_to(place: usize, paths: &[f32], phonemes: &[Phoneme]) -> f32 {
    if place == 0 {
        // The name may begin with any row.
        return paths[0].max(0.0);
    }
    let mut best = paths[place].max(paths[place - 1]);
    if place % 2 == 1 {
        return best;
    }
    let index = place / 2;
    // The same phoneme twice needs a blank between.
    if phonemes[index].id != phonemes[index - 1].id {
        best = best.max(paths[place - 2]);
    }
    if phonemes[index - 1].may_be_silent && place >= 4 {
        best = best.max(paths[place - 3].max(paths[place - 4]) - SILENT_LOSS);
    }
    best
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Sound in which each letter is the likeliest phoneme of a row; `_` is the blank. Others are less likely by 2.0.
    fn sound(letters: &str) -> SoundPhonemes {
        let width = 5;
        let row = |letter: char| {
            let likeliest = "abcd_".find(letter).unwrap();
            (0..width).map(move |id| if id == likeliest { -0.25 } else { -2.25 })
        };
        SoundPhonemes::new(letters.chars().flat_map(row).collect(), width).unwrap()
    }

    /// The phonemes of a name: a letter in upper case may be silent.
    fn name(letters: &str) -> Vec<Phoneme> {
        let phoneme = |letter: char| Phoneme {
            id: "abcd".find(letter.to_ascii_lowercase()).unwrap(),
            may_be_silent: letter.is_uppercase(),
        };
        letters.chars().map(phoneme).collect()
    }

    #[rstest]
    #[case::every_phoneme_for_one_row("abc", "abc", Some(0.0))]
    #[case::long_phonemes_and_blanks("d_aa_b___cc_d", "abc", Some(0.0))]
    #[case::one_wrong_phoneme("adc", "abc", Some(-2.0 / 3.0))]
    #[case::other_order("cba", "abc", Some(-4.0 / 3.0))]
    #[case::best_of_two_places("ddc_abc", "abc", Some(0.0))]
    #[case::same_phoneme_twice_needs_a_blank("aaab", "aab", Some(-2.0 / 3.0))]
    #[case::same_phoneme_twice("a_ab", "aab", Some(0.0))]
    #[case::silent_phoneme_is_left_out("ac", "aBc", Some(-0.5 / 3.0))]
    #[case::phoneme_that_is_not_silent_is_missing("adc", "aBc", Some(-2.0 / 3.0))]
    #[case::only_the_end_of_the_name("bc", "abc", None)]
    #[case::no_sound("", "a", None)]
    fn name_fits_where_its_phonemes_are_the_likeliest(
        #[case] letters: &str,
        #[case] wanted: &str,
        #[case] expected: Option<f32>,
    ) {
        let score = best_score(&sound(letters), &name(wanted));

        assert_eq!(score.is_some(), expected.is_some(), "{score:?}");
        let difference = score.unwrap_or_default() - expected.unwrap_or_default();
        assert!(difference.abs() < 1e-5, "{score:?}");
    }

    #[test]
    fn numbers_that_make_no_rows_are_no_sound() {
        assert!(SoundPhonemes::new(vec![0.0; 7], 5).is_none());
        assert!(SoundPhonemes::new(Vec::new(), 0).is_none());
    }
}
