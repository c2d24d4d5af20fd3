//! The prompts: text files with placeholders in double braces.

use llm::ModelSize;

/// The templates of the system message.
#[derive(Debug, PartialEq, Eq)]
pub struct SystemTemplates {
    /// Who answers, and in which manner.
    pub(crate) persona: &'static str,
    /// The rules for tools.
    pub(crate) tool_rules: &'static str,
}

impl SystemTemplates {
    /// The templates for models of this size. Those of small models are shorter: they follow few rules, and on small
    /// machines each takes time to read.
    pub fn for_size(size: ModelSize) -> &'static Self {
        match size {
            ModelSize::Small => &Self {
                persona: include_str!("../prompts/system_small.md"),
                tool_rules: include_str!("../prompts/tool_rules_small.md"),
            },
            ModelSize::Large => &Self {
                persona: include_str!("../prompts/system_large.md"),
                tool_rules: include_str!("../prompts/tool_rules_large.md"),
            },
        }
    }
}

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
