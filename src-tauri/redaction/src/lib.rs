//! Removes secrets from text before it is stored, logged or sent to a model.
//!
//! Source of the rules and their order: behaviour reference, section 2.2. The first rule that matches
//! decides the label, so the order of the rules is part of the behaviour.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Length limit of a redacted text, in characters.
pub const MAX_CHARS: usize = 8_000;

/// Removes secrets, replaces every run of white space by one blank, and truncates to `max_chars` characters.
pub fn redact(text: &str, max_chars: usize) -> String {
    let scrubbed = scrub(text);
    let mut collapsed = String::with_capacity(scrubbed.len());
    for word in scrubbed.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    if let Some((end, _)) = collapsed.char_indices().nth(max_chars) {
        collapsed.truncate(end);
    }
    collapsed
}

/// Removes secrets. All other text stays, including line breaks.
pub fn scrub(text: &str) -> String {
    RULES.iter().fold(text.to_owned(), |text, rule| match rule.apply(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(changed) => changed,
    })
}

struct Rule {
    pattern: Regex,
    replacement: Replacement,
}

enum Replacement {
    /// This text; `$1` is the first group.
    Text(&'static str),
    /// This text, if the match looks like a token and not like a word.
    TokenShaped(&'static str),
    /// This text, if the rest of the line mentions one-time codes.
    BeforeOtpWords(&'static str),
}

impl Rule {
    fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.replacement {
            Replacement::Text(text_or_group) => self.pattern.replace_all(text, text_or_group),
            Replacement::TokenShaped(label) => self.pattern.replace_all(text, |found: &Captures<'_>| {
                if is_token_shaped(&found[1], &found[2]) { label.to_owned() } else { found[0].to_owned() }
            }),
            Replacement::BeforeOtpWords(label) => self.pattern.replace_all(text, |found: &Captures<'_>| {
                let after = found.get(0).map_or("", |m| &text[m.end()..]);
                let line = after.lines().next().unwrap_or_default();
                if OTP_WORDS.is_match(line) { label.to_owned() } else { found[0].to_owned() }
            }),
        }
    }
}

/// Whether `prefix` + `tail` is a vendor's token and not a word with the same beginning, such as "ghostwriters".
///
/// A token contains digits, or has a separator after the vendor's name, or has lower-case letters after a name in capitals.
fn is_token_shaped(prefix: &str, tail: &str) -> bool {
    let is_slack = prefix.to_lowercase().starts_with("xox");
    let has_digit = tail.bytes().any(|b| b.is_ascii_digit());
    let has_separator = tail.starts_with(['_', '-']);
    let prefix_in_capitals = prefix.bytes().all(|b| b.is_ascii_uppercase());
    let tail_changes_case = tail.bytes().any(|b| b.is_ascii_lowercase());
    is_slack || has_digit || has_separator || (prefix_in_capitals && tail_changes_case)
}

static OTP_WORDS: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)otp|2fa|code"));

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [
        (r"(?i)[a-z0-9._%+\-]+@[a-z0-9.\-]+\.[a-z]{2,}", Replacement::Text("[REDACTED_EMAIL]")),
        (r"\b(?:[0-9][ \-]*?){13,19}\b", Replacement::Text("[REDACTED_CARD]")),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", Replacement::Text("[REDACTED_AWS_KEY]")),
        (r"\b[spr]k_(?:live|test)_[A-Za-z0-9]{16,}\b", Replacement::Text("[REDACTED_STRIPE_KEY]")),
        (r"\bgh[pousr]_[A-Za-z0-9]{36,}\b", Replacement::Text("[REDACTED_GH_TOKEN]")),
        (r"\bsk-[A-Za-z0-9]{32,}\b", Replacement::Text("[REDACTED_OPENAI_KEY]")),
        (r"\bAIza[A-Za-z0-9_\-]{35}", Replacement::Text("[REDACTED_GOOG_KEY]")),
        (r"(?i)\bAuthorization:\s*Bearer\s+\S+", Replacement::Text("Authorization: Bearer [REDACTED]")),
        (r"(?i)\bAuthorization:\s*Basic\s+[A-Za-z0-9+/=]+", Replacement::Text("Authorization: Basic [REDACTED]")),
        (
            r"(?i)\b(AWS|GH|GCP|AZURE|xox[abpcr]-)([A-Za-z0-9_\-]{10,})",
            Replacement::TokenShaped("[REDACTED_TOKEN]"),
        ),
        (r"\beyJ[A-Za-z0-9._\-]+", Replacement::Text("[REDACTED_JWT]")),
        (
            r"(?i)\b(password|pass|secret|apikey|api_key|(?:refresh|access|id|oauth)_?token|token|sessionid|session_id|session|sid)\s*[:=]\s*\S+",
            Replacement::Text("$1=[REDACTED]"),
        ),
        (r"\b[0-9a-fA-F]{32,}\b", Replacement::Text("[REDACTED_HEX]")),
        (r"\b[0-9]{6}\b", Replacement::BeforeOtpWords("[REDACTED_OTP]")),
    ]
    .map(|(pattern, replacement)| Rule { pattern: compile(pattern), replacement })
    .into()
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::email("write to Ann.Lee+x@mail.example.org today", "write to [REDACTED_EMAIL] today")]
    #[case::card("card 4111 1111-1111 1111 please", "card [REDACTED_CARD] please")]
    #[case::twelve_digits_are_no_card("order 123456789012", "order 123456789012")]
    #[case::aws("AKIAABCDEFGHIJKLMNOP", "[REDACTED_AWS_KEY]")]
    #[case::stripe("rk_live_abcdefghijklmnop", "[REDACTED_STRIPE_KEY]")]
    #[case::bearer("authorization: bearer abc.def", "Authorization: Bearer [REDACTED]")]
    #[case::basic("Authorization: Basic dXNlcjpwdw==", "Authorization: Basic [REDACTED]")]
    #[case::slack("xoxb-abcdefghijkl", "[REDACTED_TOKEN]")]
    #[case::vendor("AZURE_storage_key_one", "[REDACTED_TOKEN]")]
    #[case::a_word_is_no_token("Ghostwriters wrote GHOSTWRITERS", "Ghostwriters wrote GHOSTWRITERS")]
    #[case::jwt("eyJhbGciOi.eyJzdWIi.x-y", "[REDACTED_JWT]")]
    #[case::keyword("my Password : hunter2 ok", "my Password=[REDACTED] ok")]
    #[case::refresh_token("refresh_token=abc", "refresh_token=[REDACTED]")]
    #[case::hex("0123456789abcdef0123456789ABCDEF", "[REDACTED_HEX]")]
    #[case::otp("123456 is your code", "[REDACTED_OTP] is your code")]
    #[case::six_digits_alone("the year 123456", "the year 123456")]
    fn secrets_are_replaced_by_labels(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(redact(text, MAX_CHARS), expected);
    }

    #[test]
    fn white_space_is_collapsed_and_text_truncated() {
        assert_eq!(redact("  a\n\tb  c ", 3), "a b");
        assert_eq!(redact("éèê", 2), "éè");
    }

    #[test]
    fn scrubbing_keeps_line_breaks() {
        assert_eq!(scrub("a\n  pass=x\n"), "a\n  pass=[REDACTED]\n");
    }

    proptest! {
        #[test]
        fn redacted_text_never_exceeds_the_limit(text in "\\PC{0,300}", max in 0usize..50) {
            prop_assert!(redact(&text, max).chars().count() <= max);
        }

        #[test]
        fn mail_address_is_always_removed(local in "[a-z]{1,8}", domain in "[a-z]{1,8}") {
            let address = format!("{local}@{domain}.org");

            let redacted = redact(&format!("to {address} now"), MAX_CHARS);

            prop_assert!(!redacted.contains(&address));
        }
    }
}
