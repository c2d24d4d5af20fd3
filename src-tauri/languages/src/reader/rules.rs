//! Rules: parts of patterns that a file shares.

use std::collections::BTreeMap;

/// A rule may use others, which may use others.
const MAX_DEPTH: usize = 8;

/// The pattern with its rules filled in.
///
/// # Errors
///
/// A rule is unknown, or uses itself.
pub fn with_rules(pattern: &str, rules: &BTreeMap<&str, &str>) -> Result<String, String> {
    filled(pattern, rules, 0)
}

fn filled(pattern: &str, rules: &BTreeMap<&str, &str>, depth: usize) -> Result<String, String> {
    if depth > MAX_DEPTH {
        return Err("a rule uses itself".to_owned());
    }
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('<') {
        let (name, after) = after.split_once('>').ok_or("< without >")?;
        let rule = rules.get(name).ok_or_else(|| format!("there is no rule {name}"))?;
        text.push_str(before);
        text.push_str(&filled(rule, rules, depth + 1)?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nested("<set> it", Ok("(set|put (up|down)) it"))]
    #[case::unknown("<start> it", Err("there is no rule start"))]
    #[case::endless("<loop>", Err("a rule uses itself"))]
    #[case::open("<set it", Err("< without >"))]
    fn rules_are_filled_in(#[case] pattern: &str, #[case] expected: Result<&str, &str>) {
        let rules =
            BTreeMap::from([("set", "(set|put <where>)"), ("where", "(up|down)"), ("loop", "<loop>")]);

        let text = with_rules(pattern, &rules);

        assert_eq!(text.as_deref().map_err(String::as_str), expected);
    }
}
