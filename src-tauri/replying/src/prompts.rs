//! The prompts: text files with placeholders in double braces.

/// The template with its placeholders filled.
///
/// # Panics
///
/// When a placeholder of the template has no value: a mistake in the program, and a test fills every template.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template.trim_end();
    while let Some((before, behind)) = rest.split_once("{{") {
        let (name, after) = behind.split_once("}}").expect("every placeholder of our templates is closed");
        let value = values.iter().find(|(known, _)| *known == name);
        let (_, value) = value.expect("every placeholder of our templates has a value");
        text.push_str(before);
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        assert_eq!(fill("{{a}} and {{b}}, {{a}}\n", &[("a", "{{b}}"), ("b", "2")]), "{{b}} and 2, {{b}}");
    }
}
