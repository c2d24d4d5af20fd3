//! Secrets that are recognised by their shape.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::closing_signs::len_without_closing_signs;

/// Applies all rules, in their order.
pub(crate) fn scrub(text: &str) -> String {
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
    /// As [`Replacement::Text`], but full stops and closing brackets at the end of the group `secret` stay.
    UpToClosingSigns(&'static str),
    /// This text, if the match looks like a token and not like a word.
    TokenShaped(&'static str),
    /// This text, unless the match is the decimals of a number, without a gap: "0.4111111111111111".
    UnlessDecimals(&'static str),
    /// This text, if the rest of the line mentions one-time codes.
    BeforeOtpWords(&'static str),
}

impl Rule {
    fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.replacement {
            Replacement::Text(text_or_group) => self.pattern.replace_all(text, text_or_group),
            Replacement::UpToClosingSigns(text_or_group) => {
                self.pattern.replace_all(text, |found: &Captures<'_>| {
                    let mut replaced = String::new();
                    found.expand(text_or_group, &mut replaced);
                    let secret = &found["secret"];
                    replaced + &secret[len_without_closing_signs(secret)..]
                })
            }
            Replacement::TokenShaped(mark) => self.pattern.replace_all(text, |found: &Captures<'_>| {
                if is_token_shaped(&found[1], &found[2]) { mark.to_owned() } else { found[0].to_owned() }
            }),
            Replacement::UnlessDecimals(mark) => self.pattern.replace_all(text, |found: &Captures<'_>| {
                let before = found.get(0).map_or("", |digits| &text[..digits.start()]);
                // Decimals have no gaps: "12.50 4111 1111 1111 1111" is a price and a card.
                let are_decimals = found[0].bytes().all(|byte| byte.is_ascii_digit())
                    && before.strip_suffix('.').is_some_and(|it| it.ends_with(|c: char| c.is_ascii_digit()));
                if are_decimals { found[0].to_owned() } else { mark.to_owned() }
            }),
            Replacement::BeforeOtpWords(mark) => {
                // Each line is searched once: a long line of numbers must not take quadratic time.
                let (mut line_end, mut last_otp_word) = (0, None);
                self.pattern.replace_all(text, |found: &Captures<'_>| {
                    let end = found.get(0).map_or(0, |number| number.end());
                    if end > line_end {
                        line_end = text[end..].find('\n').map_or(text.len(), |length| end + length);
                        last_otp_word =
                            OTP_WORDS.find_iter(&text[end..line_end]).last().map(|word| end + word.start());
                    }
                    if last_otp_word.is_some_and(|start| start >= end) {
                        mark.to_owned()
                    } else {
                        found[0].to_owned()
                    }
                })
            }
        }
    }
}

/// Returns `true` if `prefix` + `tail` is a vendor's token and not a word with the same beginning, such as
/// "ghostwriters".
///
/// A token contains digits, or has a separator after the vendor's name, or has lower-case letters after a name in capitals.
fn is_token_shaped(prefix: &str, tail: &str) -> bool {
    let prefix_in_lower_case = prefix.to_lowercase();
    let is_slack = prefix_in_lower_case.starts_with("xox") || prefix_in_lower_case.starts_with("xapp");
    let has_digit = tail.bytes().any(|b| b.is_ascii_digit());
    let has_separator = tail.starts_with(['_', '-']);
    let prefix_in_capitals = prefix.bytes().all(|b| b.is_ascii_uppercase());
    let tail_changes_case = tail.bytes().any(|b| b.is_ascii_lowercase());
    is_slack || has_digit || has_separator || (prefix_in_capitals && tail_changes_case)
}

/// "is" behind the label of a key, in each language that has the word.
fn key_copulas() -> String {
    let secrets = languages::all().iter().filter_map(|data| data.secrets.as_ref());
    secrets.filter_map(|secrets| secrets.key_copula).collect::<Vec<_>>().join("|")
}

static OTP_WORDS: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)otp|2fa|code"));

/// Vendors change the length of their keys, and people lose a sign when they copy: keys with a prefix are also found when
/// they are up to a third shorter than documented.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let is = key_copulas();
    [
        // Before all others, which would find parts of the key. Without its last line, a key is taken to fill the rest.
        (
            r"(?s)-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}.*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|\z)",
            Replacement::Text("[REDACTED_PRIVATE_KEY]"),
        ),
        (r"(?i)[a-z0-9._%+\-]+@[a-z0-9.\-]+\.[a-z]{2,}", Replacement::Text("[REDACTED_EMAIL]")),
        (r"\b(?:[0-9][ \-]*?){13,19}\b", Replacement::UnlessDecimals("[REDACTED_CARD]")),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{12,24}\b", Replacement::Text("[REDACTED_AWS_KEY]")),
        // Secret keys of AWS have 40 characters and no prefix, so they need their label. `{is}` is "is" in each language.
        (
            r#"(?i)\b((?:aws[ _\-]?)?secret[ _\-]?(?:access[ _\-]?)?key["']?\s*(?:[:=]|{is})?\s*["']?)[a-z0-9/+]{32,48}([^a-z0-9/+=]|$)"#,
            Replacement::Text("${1}[REDACTED_AWS_SECRET]$2"),
        ),
        (r"\b[spr]k_(?:live|test)_[A-Za-z0-9]{10,}\b", Replacement::Text("[REDACTED_STRIPE_KEY]")),
        (r"\bgh[pousr]_[A-Za-z0-9]{20,}\b", Replacement::Text("[REDACTED_GH_TOKEN]")),
        (r"\bgithub_pat_[A-Za-z0-9_]{12,}", Replacement::Text("[REDACTED_GH_TOKEN]")),
        (
            r"\bgl(?:pat|dt|rt|ptt|cbt|oas|ft|soat|agent)-[A-Za-z0-9_\-]{12,}(?:\.[A-Za-z0-9]+)*",
            Replacement::Text("[REDACTED_GITLAB_TOKEN]"),
        ),
        (r"\bsk-[A-Za-z0-9]{20,}\b", Replacement::Text("[REDACTED_OPENAI_KEY]")),
        (
            r"\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_\-]{12,}",
            Replacement::Text("[REDACTED_OPENAI_KEY]"),
        ),
        (r"\bsk-ant-[A-Za-z0-9_\-]{12,}", Replacement::Text("[REDACTED_ANTHROPIC_KEY]")),
        (r"\bAIza[A-Za-z0-9_\-]{25,}", Replacement::Text("[REDACTED_GOOG_KEY]")),
        (
            r"(?i)\bAuthorization:\s*Bearer\s+(?<secret>\S+)",
            Replacement::UpToClosingSigns("Authorization: Bearer [REDACTED]"),
        ),
        (r"(?i)\bAuthorization:\s*Basic\s+[A-Za-z0-9+/=]+", Replacement::Text("Authorization: Basic [REDACTED]")),
        (
            r"(?i)\b(AWS|GH|GCP|AZURE|xox[a-z](?:\.xox[a-z])?-|xapp-)([A-Za-z0-9_\-]{10,})",
            Replacement::TokenShaped("[REDACTED_TOKEN]"),
        ),
        (r"\beyJ[A-Za-z0-9._\-]*[A-Za-z0-9_\-]", Replacement::Text("[REDACTED_JWT]")),
        (
            r"(?i)\b(password|pass|secret|apikey|api_key|(?:refresh|access|id|oauth)_?token|token|sessionid|session_id|session|sid)\s*[:=]\s*(?<secret>\S+)",
            Replacement::UpToClosingSigns("$1=[REDACTED]"),
        ),
        (r"\b[0-9a-fA-F]{32,}\b", Replacement::Text("[REDACTED_HEX]")),
        (r"\b[0-9]{6}\b", Replacement::BeforeOtpWords("[REDACTED_OTP]")),
    ]
    .map(|(pattern, replacement)| Rule { pattern: compile(&pattern.replace("{is}", &is)), replacement })
    .into()
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}
