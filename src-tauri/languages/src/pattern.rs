//! The notation of patterns: `(a|b)` alternatives, `[x]` optional, `{slot}` a value. Translators of voice assistants know
//! it from hassil. `<rule>` is replaced when the file is read.

/// A pattern may not have more readings than this.
const MAX_SEQUENCES: usize = 64;

/// Nor more phrases at one place.
const MAX_PHRASES: usize = 512;

/// A place in a pattern: words or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternItem {
    /// The words or the slot that may stand there.
    pub kind: PatternItemKind,
    /// Nothing may stand there as well.
    pub is_optional: bool,
}

/// The words or the slot at a place in a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternItemKind {
    /// One of these words or phrases.
    Words(Vec<String>),
    /// A value: the name of the slot, without braces.
    Slot(String),
}

/// The readings of a pattern, each a sequence of places. An option around a slot and words gives two readings.
///
/// # Errors
///
/// The pattern is not well formed, in words.
pub fn sequences(pattern: &str) -> Result<Vec<Vec<PatternItem>>, String> {
    let mut parser = Parser { rest: pattern };
    let nodes = parser.nodes()?;
    match parser.rest.chars().next() {
        None => {}
        Some('|') => return Err("put alternatives in parentheses: (a|b)".to_owned()),
        Some(sign) => return Err(format!("{sign} closes nothing")),
    }
    if nodes.is_empty() {
        return Err("the pattern is empty".to_owned());
    }
    flat(&nodes)
}

enum Node {
    Words(String),
    Slot(String),
    Group { alternatives: Vec<Vec<Node>>, is_optional: bool },
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// The parts up to the end of the pattern or of a group.
    fn nodes(&mut self) -> Result<Vec<Node>, String> {
        let mut nodes: Vec<Node> = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            let Some(sign) = self.rest.chars().next() else { return Ok(nodes) };
            match sign {
                '(' => nodes.push(self.group(')')?),
                '[' => nodes.push(self.group(']')?),
                '{' => {
                    let (name, rest) = self.rest[1..].split_once('}').ok_or("{ without }")?;
                    nodes.push(Node::Slot(name.to_owned()));
                    self.rest = rest;
                }
                ')' | ']' | '|' => return Ok(nodes),
                '}' | '<' | '>' => return Err(format!("{sign} stands for nothing here")),
                _ => {
                    let is_end = |c: char| c.is_whitespace() || "()[]{}<>|".contains(c);
                    let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
                    if word.ends_with('?') {
                        return Err(format!(
                            "write [{}] for what may be left out",
                            word.trim_end_matches('?')
                        ));
                    }
                    match nodes.last_mut() {
                        Some(Node::Words(words)) => {
                            words.push(' ');
                            words.push_str(word);
                        }
                        _ => nodes.push(Node::Words(word.to_owned())),
                    }
                    self.rest = rest;
                }
            }
        }
    }

    fn group(&mut self, closing: char) -> Result<Node, String> {
        let opening = if closing == ')' { '(' } else { '[' };
        let mut alternatives = Vec::new();
        loop {
            self.rest = &self.rest[1..];
            alternatives.push(self.nodes()?);
            match self.rest.chars().next() {
                Some('|') => {}
                Some(sign) if sign == closing => break,
                _ => return Err(format!("{opening} without {closing}")),
            }
        }
        self.rest = &self.rest[1..];
        if alternatives.iter().any(Vec::is_empty) {
            return Err("an alternative is empty".to_owned());
        }
        Ok(Node::Group { alternatives, is_optional: closing == ']' })
    }
}

fn flat(nodes: &[Node]) -> Result<Vec<Vec<PatternItem>>, String> {
    let mut sequences: Vec<Vec<PatternItem>> = vec![Vec::new()];
    for node in nodes {
        let (options, is_optional) = match node {
            Node::Words(words) => (vec![vec![words_item(vec![words.clone()])]], false),
            Node::Slot(name) => (vec![vec![slot_item(name)]], false),
            Node::Group { alternatives, is_optional } if alternatives.iter().flatten().any(has_slot) => {
                let mut options = Vec::new();
                for alternative in alternatives {
                    options.extend(flat(alternative)?);
                }
                (options, *is_optional)
            }
            group @ Node::Group { .. } => {
                let mut phrases = phrases(std::slice::from_ref(group))?;
                let may_be_empty = phrases.iter().any(String::is_empty);
                phrases.retain(|phrase| !phrase.is_empty());
                (vec![vec![words_item(phrases)]], may_be_empty)
            }
        };
        sequences = match options.as_slice() {
            [only] if only.len() == 1 => {
                let item = PatternItem { is_optional: only[0].is_optional || is_optional, ..only[0].clone() };
                sequences.into_iter().map(|sequence| [sequence, vec![item.clone()]].concat()).collect()
            }
            options => {
                let none = is_optional.then(Vec::new);
                let choices: Vec<Vec<PatternItem>> = options.iter().cloned().chain(none).collect();
                let with = |sequence: &Vec<PatternItem>| -> Vec<Vec<PatternItem>> {
                    choices.iter().map(|choice| [sequence.clone(), choice.clone()].concat()).collect()
                };
                sequences.iter().flat_map(with).collect()
            }
        };
        if sequences.len() > MAX_SEQUENCES {
            return Err("the pattern has too many readings: write several patterns".to_owned());
        }
    }
    Ok(sequences)
}

fn words_item(phrases: Vec<String>) -> PatternItem {
    PatternItem { kind: PatternItemKind::Words(phrases), is_optional: false }
}

fn slot_item(name: &str) -> PatternItem {
    PatternItem { kind: PatternItemKind::Slot(name.to_owned()), is_optional: false }
}

fn has_slot(node: &Node) -> bool {
    match node {
        Node::Words(_) => false,
        Node::Slot(_) => true,
        Node::Group { alternatives, .. } => alternatives.iter().flatten().any(has_slot),
    }
}

/// All phrases of parts without a slot; an empty one if they may be left out.
fn phrases(nodes: &[Node]) -> Result<Vec<String>, String> {
    let mut all = vec![String::new()];
    for node in nodes {
        let options = match node {
            Node::Words(words) => vec![words.clone()],
            Node::Slot(_) => unreachable!("there is no slot in here"),
            Node::Group { alternatives, is_optional } => {
                let mut options = Vec::new();
                for alternative in alternatives {
                    options.extend(phrases(alternative)?);
                }
                options.extend(is_optional.then(String::new));
                options
            }
        };
        let joined = |before: &String| -> Vec<String> {
            options.iter().map(|option| format!("{before} {option}").trim().to_owned()).collect()
        };
        all = all.iter().flat_map(joined).collect();
        if all.len() > MAX_PHRASES {
            return Err("too many phrases at one place".to_owned());
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The readings in a short form: `(a|b)` for alternatives, `?` behind what may be left out.
    fn shown(pattern: &str) -> String {
        let item = |item: &PatternItem| {
            let text = match &item.kind {
                PatternItemKind::Words(phrases) => format!("({})", phrases.join("|")),
                PatternItemKind::Slot(name) => format!("{{{name}}}"),
            };
            if item.is_optional { text + "?" } else { text }
        };
        let sequences = match sequences(pattern) {
            Ok(sequences) => sequences,
            Err(mistake) => return mistake,
        };
        let lines = sequences.iter().map(|items| items.iter().map(item).collect::<Vec<_>>().join(" "));
        lines.collect::<Vec<_>>().join(" / ")
    }

    #[rstest]
    #[case::words("what time is it", "(what time is it)")]
    #[case::alternatives("(set|start) a timer", "(set|start) (a timer)")]
    #[case::phrases_as_alternatives("(what is|what's) the time", "(what is|what's) (the time)")]
    #[case::option("[the|a] time", "(the|a)? (time)")]
    #[case::nested("(in [the]|at) {place}", "(in the|in|at) {place}")]
    #[case::only_options("[[a] b]", "(a b|b)?")]
    #[case::slot_as_option("[{label}] timer", "{label}? (timer)")]
    #[case::option_with_a_slot("timer [for {label}]", "(timer) (for) {label} / (timer)")]
    #[case::alternatives_with_slots("({clock}|at {clock})", "{clock} / (at) {clock}")]
    #[case::not_closed("(set|start a timer", "( without )")]
    #[case::closed_twice("set) a timer", ") closes nothing")]
    #[case::no_parentheses("set|start a timer", "put alternatives in parentheses: (a|b)")]
    #[case::other_notation("the? time", "write [the] for what may be left out")]
    #[case::empty_alternative("(a|) timer", "an alternative is empty")]
    #[case::open_slot("for {duration", "{ without }")]
    #[case::nothing("", "the pattern is empty")]
    fn pattern_is_read_into_sequences(#[case] pattern: &str, #[case] expected: &str) {
        assert_eq!(shown(pattern), expected);
    }
}
