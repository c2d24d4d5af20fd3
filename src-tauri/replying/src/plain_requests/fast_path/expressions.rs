//! Arithmetic in words and signs, in the notation of the tool `calculate`.

use super::lexicon::{RequestLanguage, Words};
use super::times::number_at;
use super::tokens::Token;

/// Most parentheses and roots inside each other.
const MAX_DEPTH: usize = 6;

/// The expression at the beginning of the tokens, with at least one operator in it.
pub(super) fn expression_at(tokens: &[Token], language: &RequestLanguage) -> Option<(usize, String)> {
    let mut reader = Reader { tokens, language, at: 0, operators: 0 };
    let expression = reader.sum(0)?;
    (reader.operators > 0).then_some((reader.at, expression))
}

struct Reader<'a> {
    tokens: &'a [Token],
    language: &'a RequestLanguage,
    at: usize,
    operators: usize,
}

impl Reader<'_> {
    /// Operands with operators between them.
    fn sum(&mut self, depth: usize) -> Option<String> {
        let mut expression = self.operand(depth)?;
        loop {
            let before = self.at;
            let Some(operator) = self.take(&self.language.operators) else { break };
            match self.operand(depth) {
                Some(operand) => {
                    self.operators += 1;
                    expression = format!("{expression} {operator} {operand}");
                }
                None => {
                    self.at = before;
                    break;
                }
            }
        }
        Some(expression)
    }

    fn operand(&mut self, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let start = self.at;
        let mut operand = if let Some(function) = self.take(&self.language.prefixes) {
            self.operators += 1;
            format!("{function}({})", self.operand(depth + 1)?)
        } else if self.is_next("(") {
            self.at += 1;
            let inner = self.sum(depth + 1)?;
            if !self.is_next(")") {
                return None;
            }
            self.at += 1;
            format!("({inner})")
        } else if start == 0 && self.is_next("-") {
            self.at += 1;
            format!("-{}", self.operand(depth + 1)?)
        } else {
            let (used, number) = number_at(&self.tokens[self.at..], self.language)?;
            self.at += used;
            number
        };
        while let Some(operation) = self.take(&self.language.postfixes) {
            self.operators += 1;
            operand = match operation {
                root @ "sqrt" => format!("{root}({operand})"),
                power => format!("{operand} {power}"),
            };
        }
        Some(operand)
    }

    fn is_next(&self, sign: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|token| token.text == sign)
    }

    fn take(&mut self, signs: &[(Words, &'static str)]) -> Option<&'static str> {
        let rest = &self.tokens[self.at..];
        let (used, sign) =
            signs.iter().filter_map(|(words, sign)| Some((words.end_in(rest)?, *sign))).max()?;
        self.at += used;
        Some(sign)
    }
}
