//! Secrets taken out of text before it is stored, logged or sent to a model.
//!
//! Source of the rules and their order: behaviour reference, section 2.2. The first rule that matches wins its
//! label, so the order of the rules is behaviour.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The longest text that is worth redacting and keeping, in characters.
pub const MAX_CHARS: usize = 8_000;

/// Takes secrets out, folds all white space into single blanks and keeps the first `max_chars` characters.
pub fn redact(text: &str, max_chars: usize) -> String {
    let scrubbed = scrub(text);
    let mut folded = String::with_capacity(scrubbed.len());
    for word in scrubbed.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    if let Some((end, _)) = folded.char_indices().nth(max_chars) {
        folded.truncate(end);
    }
    folded
}

/// Takes secrets out and leaves everything else as it is, line breaks included.
pub fn scrub(text: &str) -> String {
    RULES.iter().fold(text.to_owned(), |text, rule| match rule.apply(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(changed) => changed,
    })
}

struct Rule {
    pattern: Regex,
    put: Put,
}

enum Put {
    /// This text, `$1` being the first group.
    Text(&'static str),
    /// This text, where the match looks like a token rather than a word.
    TokenShaped(&'static str),
    /// This text, where the rest of the line speaks of one-time codes.
    BeforeOtpWords(&'static str),
}

impl Rule {
    fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.put {
            Put::Text(replacement) => self.pattern.replace_all(text, replacement),
            Put::TokenShaped(label) => self.pattern.replace_all(text, |found: &Captures<'_>| {
                if is_token_shaped(&found[1], &found[2]) { label.to_owned() } else { found[0].to_owned() }
            }),
            Put::BeforeOtpWords(label) => self.pattern.replace_all(text, |found: &Captures<'_>| {
                let after = found.get(0).map_or("", |m| &text[m.end()..]);
                let line = after.lines().next().unwrap_or_default();
                if OTP_WORDS.is_match(line) { label.to_owned() } else { found[0].to_owned() }
            }),
        }
    }
}

/// Is `prefix` + `tail` a vendor's token and not a word that happens to begin alike, such as "ghostwriters"?
///
/// Tokens hold digits, or are set off from the vendor's name, or change case behind a name in capitals.
fn is_token_shaped(prefix: &str, tail: &str) -> bool {
    let is_slack = prefix.to_lowercase().starts_with("xox");
    let has_digit = tail.bytes().any(|b| b.is_ascii_digit());
    let is_set_off = tail.starts_with(['_', '-']);
    let prefix_in_capitals = prefix.bytes().all(|b| b.is_ascii_uppercase());
    let tail_changes_case = tail.bytes().any(|b| b.is_ascii_lowercase());
    is_slack || has_digit || is_set_off || (prefix_in_capitals && tail_changes_case)
}

static OTP_WORDS: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)otp|2fa|code"));

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [
        (r"(?i)[a-z0-9._%+\-]+@[a-z0-9.\-]+\.[a-z]{2,}", Put::Text("[REDACTED_EMAIL]")),
        (r"\b(?:[0-9][ \-]*?){13,19}\b", Put::Text("[REDACTED_CARD]")),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", Put::Text("[REDACTED_AWS_KEY]")),
        (r"\b[spr]k_(?:live|test)_[A-Za-z0-9]{16,}\b", Put::Text("[REDACTED_STRIPE_KEY]")),
        (r"\bgh[pousr]_[A-Za-z0-9]{36,}\b", Put::Text("[REDACTED_GH_TOKEN]")),
        (r"\bsk-[A-Za-z0-9]{32,}\b", Put::Text("[REDACTED_OPENAI_KEY]")),
        (r"\bAIza[A-Za-z0-9_\-]{35}", Put::Text("[REDACTED_GOOG_KEY]")),
        (r"(?i)\bAuthorization:\s*Bearer\s+\S+", Put::Text("Authorization: Bearer [REDACTED]")),
        (r"(?i)\bAuthorization:\s*Basic\s+[A-Za-z0-9+/=]+", Put::Text("Authorization: Basic [REDACTED]")),
        (
            r"(?i)\b(AWS|GH|GCP|AZURE|xox[abpcr]-)([A-Za-z0-9_\-]{10,})",
            Put::TokenShaped("[REDACTED_TOKEN]"),
        ),
        (r"\beyJ[A-Za-z0-9._\-]+", Put::Text("[REDACTED_JWT]")),
        (
            r"(?i)\b(password|pass|secret|apikey|api_key|(?:refresh|access|id|oauth)_?token|token|sessionid|session_id|session|sid)\s*[:=]\s*\S+",
            Put::Text("$1=[REDACTED]"),
        ),
        (r"\b[0-9a-fA-F]{32,}\b", Put::Text("[REDACTED_HEX]")),
        (r"\b[0-9]{6}\b", Put::BeforeOtpWords("[REDACTED_OTP]")),
    ]
    .map(|(pattern, put)| Rule { pattern: compile(pattern), put })
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
    fn takes_secrets_out(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(redact(text, MAX_CHARS), expected);
    }

    #[test]
    fn folds_white_space_and_cuts_by_characters() {
        assert_eq!(redact("  a\n\tb  c ", 3), "a b");
        assert_eq!(redact("éèê", 2), "éè");
    }

    #[test]
    fn scrubbing_keeps_the_lines() {
        assert_eq!(scrub("a\n  pass=x\n"), "a\n  pass=[REDACTED]\n");
    }

    proptest! {
        #[test]
        fn never_panics_and_never_exceeds_the_limit(text in "\\PC{0,300}", max in 0usize..50) {
            prop_assert!(redact(&text, max).chars().count() <= max);
        }

        #[test]
        fn a_mail_address_never_survives(local in "[a-z]{1,8}", domain in "[a-z]{1,8}") {
            let address = format!("{local}@{domain}.org");

            let redacted = redact(&format!("to {address} now"), MAX_CHARS);

            prop_assert!(!redacted.contains(&address));
        }
    }
}
