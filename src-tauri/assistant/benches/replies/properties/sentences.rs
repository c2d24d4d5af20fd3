//! Sentences and words of an answer.

/// Words after which a sentence denies something.
const DENIALS: &[&str] = &[
    "not", "no", "never", "cannot", "can't", "couldn't", "didn't", "haven't", "hasn't", "isn't", "wasn't",
    "won't", "don't", "unable", "failed", "nothing", "nicht", "kein", "keine", "keinen", "nichts", "pas",
    "aucun", "aucune", "rien", "non", "nessun", "nessuna", "niente", "ningún", "ninguna", "nada", "não",
    "nenhum", "nenhuma", "niet", "geen", "niets", "inte", "ingen",
];

/// Words with which a sentence speaks of what may be.
const CONDITIONS: &[&str] = &[
    "if", "once", "would", "could", "should", "when", "please", "wenn", "falls", "sobald", "würde", "si",
    "quand", "quando", "se", "cuando", "als", "zodra", "zou",
];

/// A sentence with its words, lower case.
pub struct Sentence {
    pub text: String,
    pub words: Vec<String>,
}

impl Sentence {
    /// Returns `true` if it states something: it neither asks, nor denies, nor says what may be.
    pub fn is_statement(&self) -> bool {
        let has = |list: &[&str]| self.words.iter().any(|word| list.contains(&word.as_str()));
        !self.text.ends_with('?') && !has(DENIALS) && !has(CONDITIONS) && !self.text.contains("n'ai ")
    }
}

/// The sentences of a text. A point between two digits ends none.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let signs: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut current = String::new();
    for (at, sign) in signs.iter().enumerate() {
        current.push(*sign);
        let is_inside = signs.get(at + 1).is_some_and(|next| !next.is_whitespace());
        if *sign == '\n' || (matches!(sign, '.' | '!' | '?') && !is_inside) {
            found.push(std::mem::take(&mut current));
        }
    }
    found.push(current);
    found.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).map(sentence).collect()
}

fn sentence(text: &str) -> Sentence {
    Sentence { text: text.to_owned(), words: words(text) }
}

/// The words of a text, lower case, with one form of the apostrophe.
pub fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let parts = lower.split(|sign: char| !(sign.is_alphanumeric() || sign == '\''));
    parts.map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
