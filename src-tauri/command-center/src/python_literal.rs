//! Literals of Python, which some models write instead of JSON.

use serde_json::{Map, Number, Value};

/// Values may not be nested deeper than this. Source: the limit of the JSON parser.
const MAX_DEPTH: usize = 128;

/// The value of a literal of lists, tuples, dictionaries, texts, numbers, `True`, `False` and `None`; `None` for anything
/// else, such as bytes, sets and expressions.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let mut parser = Parser { rest: text };
    let value = parser.value(0)?;
    parser.skip_blanks();
    parser.rest.is_empty().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n', '\x0c']);
    }

    /// Takes the sign if it is the next one.
    fn takes(&mut self, sign: char) -> bool {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_blanks();
        match self.rest.chars().next()? {
            '[' => {
                self.takes('[');
                Some(Value::Array(self.items(']', depth)?.0))
            }
            '(' => {
                self.takes('(');
                let (mut items, has_comma) = self.items(')', depth)?;
                // One value in parentheses is that value.
                if items.len() == 1 && !has_comma { items.pop() } else { Some(Value::Array(items)) }
            }
            '{' => {
                self.takes('{');
                self.dictionary(depth)
            }
            '\'' | '"' => self.texts(),
            '0'..='9' | '.' | '-' | '+' => self.number(),
            _ => self.word(),
        }
    }

    /// The items up to the closing sign, and `true` if a comma stands among them.
    fn items(&mut self, closing: char, depth: usize) -> Option<(Vec<Value>, bool)> {
        let (mut items, mut has_comma) = (Vec::new(), false);
        while !self.takes(closing) {
            if !items.is_empty() && !has_comma {
                return None;
            }
            items.push(self.value(depth + 1)?);
            let is_followed = self.takes(',');
            has_comma |= is_followed;
            if !is_followed {
                return self.takes(closing).then_some((items, has_comma));
            }
        }
        Some((items, has_comma))
    }

    fn dictionary(&mut self, depth: usize) -> Option<Value> {
        let mut object = Map::new();
        while !self.takes('}') {
            let name = match self.value(depth + 1)? {
                Value::String(name) => name,
                name @ (Value::Number(_) | Value::Bool(_) | Value::Null) => name.to_string(),
                Value::Array(_) | Value::Object(_) => return None,
            };
            if !self.takes(':') {
                return None;
            }
            let value = self.value(depth + 1)?;
            object.insert(name, value);
            if !self.takes(',') {
                return self.takes('}').then_some(Value::Object(object));
            }
        }
        Some(Value::Object(object))
    }

    /// Texts that stand one behind the other are one text.
    fn texts(&mut self) -> Option<Value> {
        let mut whole = String::new();
        loop {
            whole.push_str(&self.text()?);
            self.skip_blanks();
            if !self.rest.starts_with(['\'', '"']) {
                return Some(Value::String(whole));
            }
        }
    }

    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        let triple: String = [quote; 3].iter().collect();
        let closing = if self.rest.starts_with(&triple) { triple } else { quote.to_string() };
        self.rest = &self.rest[closing.len()..];
        let mut text = String::new();
        loop {
            if let Some(rest) = self.rest.strip_prefix(&closing) {
                self.rest = rest;
                return Some(text);
            }
            match self.next_char()? {
                '\\' => self.escape(&mut text)?,
                '\n' if closing.len() == 1 => return None,
                c => text.push(c),
            }
        }
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        let c = self.next_char()?;
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'a' => text.push('\u{7}'),
            'v' => text.push('\u{b}'),
            '\'' | '"' | '\\' => text.push(c),
            '\n' => {}
            '0'..='7' => {
                let more = self.rest.chars().take(2).take_while(|c| c.is_digit(8)).count();
                let digits = format!("{c}{}", &self.rest[..more]);
                self.rest = &self.rest[more..];
                text.push(char::from_u32(u32::from_str_radix(&digits, 8).ok()?)?);
            }
            'x' => text.push(self.code(2)?),
            'u' => text.push(self.code(4)?),
            'U' => text.push(self.code(8)?),
            // An escape that Python does not know stays as it is written.
            other => text.extend(['\\', other]),
        }
        Some(())
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let code = self.rest.get(..digits).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.rest = &self.rest[digits..];
        char::from_u32(u32::from_str_radix(code, 16).ok()?)
    }

    fn number(&mut self) -> Option<Value> {
        let mut sign = "";
        if let Some(rest) = self.rest.strip_prefix(['-', '+']) {
            sign = if self.rest.starts_with('-') { "-" } else { "" };
            self.rest = rest.trim_start();
        }
        let is_exponent_sign = |at: usize, c: char| {
            matches!(c, '-' | '+') && self.rest[..at].ends_with(['e', 'E']) && !self.rest.starts_with("0x")
        };
        let end = self
            .rest
            .char_indices()
            .find(|(at, c)| {
                !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || is_exponent_sign(*at, *c))
            })
            .map_or(self.rest.len(), |(at, _)| at);
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        if digits.contains("__") || digits.starts_with('_') || digits.ends_with('_') {
            return None;
        }
        let digits = digits.replace('_', "").to_ascii_lowercase();
        let radix = [("0x", 16), ("0o", 8), ("0b", 2)];
        if let Some((prefix, radix)) = radix.into_iter().find(|(prefix, _)| digits.starts_with(prefix)) {
            let whole = i64::from_str_radix(&digits[prefix.len()..], radix).ok()?;
            return Some(Value::from(if sign == "-" { -whole } else { whole }));
        }
        let is_whole = digits.bytes().all(|b| b.is_ascii_digit());
        if is_whole && digits.len() > 1 && digits.starts_with('0') && !digits.trim_matches('0').is_empty() {
            return None;
        }
        let signed = format!("{sign}{digits}");
        if is_whole && let Ok(whole) = signed.parse::<i64>() {
            return Some(Value::from(whole));
        }
        let starts_like_a_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let float = signed.parse::<f64>().ok().filter(|_| starts_like_a_number)?;
        Number::from_f64(float).map(Value::Number)
    }

    fn word(&mut self) -> Option<Value> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            "None" => Some(Value::Null),
            // A prefix of a text; the text of `r''` may hold signs that mean something else in it.
            "u" | "U" if self.rest.starts_with(['\'', '"']) => self.texts(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::list("['a', \"b\", 'it\\'s']", Some(json!(["a", "b", "it's"])))]
    #[case::words("[True, False, None]", Some(json!([true, false, null])))]
    #[case::numbers("[1, -2, 1.5, 1e3, 1_000, 0x10, .5, 1.]", Some(json!([1, -2, 1.5, 1000.0, 1000, 16, 0.5, 1.0])))]
    #[case::tuples("[(1, 2), (3,), (4), ()]", Some(json!([[1, 2], [3], 4, []])))]
    #[case::dictionary("[{'a': [1], 2: 'b',}]", Some(json!([{"a": [1], "2": "b"}])))]
    #[case::escapes(r"['\n\x41\u00e9\q']", Some(json!(["\nAé\\q"])))]
    #[case::joined_texts("['a' 'b']", Some(json!(["ab"])))]
    #[case::unicode("['東京', u'ü']", Some(json!(["東京", "ü"])))]
    #[case::triple_quotes("['''a\nb''']", Some(json!(["a\nb"])))]
    #[case::name("[today]", None)]
    #[case::lower_case_words("[true]", None)]
    #[case::call("[int('1')]", None)]
    #[case::bytes("[b'a']", None)]
    #[case::set("[{1, 2}]", None)]
    #[case::no_comma("[1 2]", None)]
    #[case::only_a_comma("[,]", None)]
    #[case::open("['a", None)]
    #[case::leading_zero("[01]", None)]
    #[case::infinite("[1e999]", None)]
    #[case::complex("[1j]", None)]
    #[case::something_behind("[1] [2]", None)]
    fn literal_is_read_as_a_json_value(#[case] text: &str, #[case] expected: Option<Value>) {
        assert_eq!(parse(text), expected);
    }

    #[test]
    fn literal_that_is_nested_too_deep_is_refused() {
        assert_eq!(parse(&"[".repeat(100_000)), None);
    }
}
