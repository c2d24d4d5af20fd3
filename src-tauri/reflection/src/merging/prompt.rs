//! The prompt for merging facts.
//!
//! Source of the rules and their order: docs/behaviour/memory.md#learning-facts, step 4. The words are ours.

use crate::fencing::{FENCE_RULE, fenced};
use crate::normalising::on_one_line;

/// The instructions, the same for every node.
pub(super) fn task() -> String {
    format!("{DUTIES}\n\n{FENCE_RULE}\n\n{RULES}\n\n{FORM}")
}

const DUTIES: &str = "\
You keep a list of facts about one topic in order. You are given the facts it holds already, numbered E1, E2 and so \
on, and perhaps new ones, numbered N1, N2 and so on. Write the whole list anew. Never add anything that no given fact \
says, no number, no name, no reason. Leave a fact word for word as it is unless a rule below says otherwise, and leave \
it in its language.";

const RULES: &str = "\
The rules, the earlier one first where two apply:
1. A new fact that contradicts an existing one takes its place. (E: The user lives in Leeds. N: The user moved to York. \
Only the new one stays.)
2. Facts that say the same become one, in the fuller wording.
3. The same thing done again and again becomes one fact about the habit. (Three walks on three mornings: The user \
often walks in the morning.)
4. Facts that do not depend on each other all stay. What somebody says and what they do may differ: keep both. (El \
usuario es vegetariano. El usuario comió jamón el domingo. Both stay.)
5. What anybody can look up goes.
6. What the assistant said, suggested or could not do goes; what the user ordered stays. (Der Assistent schlug Yoga \
vor: goes. Der Nutzer will keine Ratschläge: stays.)
7. What lasts stands first: name, family, home, work, health, tastes; then habits and plans; then single events.";

const FORM: &str = "\
Answer with one JSON object and nothing else. \"facts\" holds every fact of the new list as text; \"replaces\" names \
each existing fact that a new one took the place of, and is [] when there is none:
{\"facts\": [\"…\", \"…\"], \"replaces\": [{\"new\": 1, \"existing\": 2}]}";

/// The facts to merge, numbered.
pub(super) fn material(existing: &[String], new: &[String]) -> String {
    let mut parts = vec![fenced("EXISTING FACTS", &numbered('E', existing))];
    if !new.is_empty() {
        parts.push(fenced("NEW FACTS", &numbered('N', new)));
    }
    parts.join("\n\n")
}

fn numbered(letter: char, facts: &[String]) -> String {
    let lines =
        facts.iter().zip(1..).map(|(fact, number)| format!("{letter}{number}. {}", on_one_line(fact)));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_for_merging_matches_its_snapshot() {
        let existing = ["The user lives in Leeds.".to_owned(), "The user likes tea.".to_owned()];
        let new = ["The user moved to York.".to_owned()];

        insta::assert_snapshot!(format!("{}\n=====\n{}", task(), material(&existing, &new)));
    }
}
