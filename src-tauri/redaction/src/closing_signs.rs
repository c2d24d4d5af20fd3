//! The place where a secret ends that was read up to the next white space.

/// Length of `value` in bytes without the full stops and closing brackets at its end, which belong to the sentence
/// around it. A closing bracket whose opening bracket is inside `value` stays part of it.
///
/// Other signs stay: a password may well end in `!` or `,`.
pub(crate) fn len_without_closing_signs(value: &str) -> usize {
    let mut unopened = [('(', ')'), ('[', ']'), ('{', '}')].map(|(opening, closing)| {
        (closing, value.matches(closing).count().saturating_sub(value.matches(opening).count()))
    });
    let mut rest = value;
    while let Some(last) = rest.chars().next_back() {
        let bracket = unopened.iter_mut().find(|(closing, count)| *closing == last && *count > 0);
        match bracket {
            Some((_, count)) => *count -= 1,
            None if last == '.' => {}
            None => return rest.len(),
        }
        rest = &rest[..rest.len() - 1];
    }
    value.len()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing_to_remove("hunter2", "hunter2")]
    #[case::full_stop("abc.", "abc")]
    #[case::bracket_and_full_stop("abc).", "abc")]
    #[case::full_stop_and_bracket("abc.)", "abc")]
    #[case::bracket_that_the_secret_opens("f(1)", "f(1)")]
    #[case::bracket_around_such_a_secret("f(1))", "f(1)")]
    #[case::mark_of_an_earlier_run("[REDACTED]", "[REDACTED]")]
    #[case::sign_of_the_secret("hunter2!", "hunter2!")]
    #[case::only_closing_signs(").", ").")]
    fn secret_ends_before_closing_signs(#[case] value: &str, #[case] expected: &str) {
        assert_eq!(&value[..len_without_closing_signs(value)], expected);
    }
}
