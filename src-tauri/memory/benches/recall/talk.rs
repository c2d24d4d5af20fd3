//! Generated sentences with the word frequencies and lengths of speech.

use crate::random::Random;

/// Size of the vocabulary. Source: a person uses some tens of thousands of words.
const WORDS: usize = 40_000;

/// The most frequent words of spoken English, roughly in this order. Real words, because recall treats some of them specially.
const FREQUENT: &str = "i you the and it a to that of in is was we have do they on for what he so but there with no \
    be not know at this one she my me are if like just all can had your well or about as up when then from out them \
    get got would will did how go which some were been their because by who his an think her more our us here has \
    where could time any now want see very back than really him two too other said these its into over down way \
    right good off why much should";

/// Beginnings of questions.
const OPENINGS: [&str; 6] = [
    "what did i say about",
    "when was the",
    "who told me about",
    "where is the",
    "do you remember",
    "how much was",
];

/// A generator of sentences for one seed.
pub struct Talk {
    words: Vec<String>,
    /// Cumulative frequency of the words, most frequent first, from 0 to 1.
    up_to: Vec<f64>,
}

impl Talk {
    /// The vocabulary. A word's frequency falls with its rank, by Mandelbrot's rule.
    pub fn new() -> Self {
        let frequent = FREQUENT.split_whitespace().map(str::to_owned);
        let words: Vec<String> = frequent.chain((0..).map(made_up)).take(WORDS).collect();
        let mut sum = 0.0;
        let mut up_to: Vec<f64> = (0..words.len())
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 3.7).powf(1.07);
                sum
            })
            .collect();
        up_to.iter_mut().for_each(|share| *share /= sum);
        Self { words, up_to }
    }

    /// The sentence of a row: 3 to 40 words, 11 on average.
    pub fn sentence(&self, row: u64) -> String {
        let mut random = Random::new(1, row);
        let length = 3 + (-8.0 * (1.0 - random.share()).ln()) as usize;
        let words: Vec<&str> = (0..length.min(40)).map(|_| self.word(&mut random)).collect();
        words.join(" ")
    }

    /// A question about a row: half of its words, a third of them in another form.
    pub fn question(&self, row: u64) -> String {
        let mut random = Random::new(2, row);
        let mut words = vec![OPENINGS[random.below(OPENINGS.len())]];
        let sentence = self.sentence(row);
        for word in sentence.split(' ') {
            match random.below(6) {
                0 => words.push(self.word(&mut random)),
                1 | 2 => words.push(word),
                _ => {}
            }
        }
        words.join(" ")
    }

    fn word(&self, random: &mut Random) -> &str {
        let share = random.share();
        &self.words[self.up_to.partition_point(|up_to| *up_to <= share).min(self.words.len() - 1)]
    }
}

/// A word of syllables, different for each number.
fn made_up(number: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ba", "co", "di", "fu", "ga", "he", "ji", "ko", "lu", "ma", "ne", "po", "qui", "ra", "si", "tu",
        "va", "we", "xo", "ze",
    ];
    let mut word = String::new();
    let mut rest = number + SYLLABLES.len();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}
