use proptest::prelude::*;
use rstest::rstest;

use super::*;

#[rstest]
#[case::email("write to Ann.Lee+x@mail.example.org today", "write to [REDACTED_EMAIL] today")]
#[case::card("card 4111 1111-1111 1111 please", "card [REDACTED_CARD] please")]
#[case::card_behind_a_price("12.50 4111 1111 1111 1111", "12.[REDACTED_CARD] 1111")]
#[case::card_behind_a_full_stop("that one.4111111111111111", "that one.[REDACTED_CARD]")]
#[case::decimals("log_probability=-0.0001234567890123", "log_probability=-0.0001234567890123")]
#[case::twelve_digits_are_no_card("order 123456789012", "order 123456789012")]
#[case::aws("AKIAABCDEFGHIJKLMNOP", "[REDACTED_AWS_KEY]")]
#[case::aws_short_of_two_signs("AKIAABCDEFGHIJKLMN", "[REDACTED_AWS_KEY]")]
#[case::google_short_of_three_signs("AIzaabcdefghijklmnopqrstuvwxyz012345", "[REDACTED_GOOG_KEY]")]
#[case::google_with_a_sign_more("AIzaabcdefghijklmnopqrstuvwxyz0123456789", "[REDACTED_GOOG_KEY]")]
#[case::github_short_of_four_signs("ghp_abcdefghijklmnopqrstuvwxyz012345", "[REDACTED_GH_TOKEN]")]
#[case::openai_short_of_eight_signs("sk-abcdefghijklmnopqrstuvwx", "[REDACTED_OPENAI_KEY]")]
#[case::word_with_a_hyphen("sk-learn is a library", "sk-learn is a library")]
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
#[case::openai_project("sk-proj-abcdefgh-12345678_x", "[REDACTED_OPENAI_KEY]")]
#[case::anthropic("sk-ant-api03-abcdefgh_12345678.", "[REDACTED_ANTHROPIC_KEY].")]
#[case::fine_grained_github("github_pat_abcdefghij_1234567890", "[REDACTED_GH_TOKEN]")]
#[case::gitlab("glpat-abcdefgh12345678", "[REDACTED_GITLAB_TOKEN]")]
#[case::slack_app("xapp-1-abcdefghij", "[REDACTED_TOKEN]")]
#[case::truncated_private_key("a -----BEGIN PRIVATE KEY----- abc", "a [REDACTED_PRIVATE_KEY]")]
#[case::public_key("-----BEGIN PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----")]
#[case::otp_on_another_line("123456\n654321 code", "123456 [REDACTED_OTP] code")]
#[case::otp_word_before_the_last_number("123456 code and 654321", "[REDACTED_OTP] code and 654321")]
#[case::closing_bracket_and_full_stop("(token=abc).", "(token=[REDACTED]).")]
#[case::bearer_in_brackets("(Authorization: Bearer abc)", "(Authorization: Bearer [REDACTED])")]
#[case::bracket_of_the_secret("password=f(1)", "password=[REDACTED]")]
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

/// Parts of sentences which the rule for spoken secrets reads, and signs of several bytes.
const PARTS: &str = "my password|pin|der Code|mot de passe|la clé API|is|lautet|c'est|é|for|of the|to|:|…|„|«|\u{a0}|ß\
    |hunter2|482 913|one two three|a b c|😀|[REDACTED]|swordfish|and my|set";

/// Signs between the parts.
const SEPARATORS: [&str; 5] = ["", " ", ", ", ".", "\n"];

fn part_and_separator() -> impl Strategy<Value = (&'static str, &'static str)> {
    let parts: Vec<&str> = PARTS.split('|').collect();
    (prop::sample::select(parts), prop::sample::select(&SEPARATORS[..]))
}

proptest! {
    #[test]
    fn any_order_of_labels_and_values_is_read_to_its_end(
        parts in prop::collection::vec(part_and_separator(), 0..16),
    ) {
        let text: String = parts.iter().flat_map(|(part, separator)| [*part, *separator]).collect();

        let scrubbed = scrub(&format!("{text} tail"));

        prop_assert!(scrubbed.ends_with("tail") || scrubbed.ends_with(']'), "{}", scrubbed);
    }

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
