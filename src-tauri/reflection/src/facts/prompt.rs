//! What the model is told when it looks for facts.
//!
//! Source of the rules: behaviour reference, section 3.5, "Extract". The words are ours.

use jiff::civil::Date;

use crate::fencing::{FENCE_RULE, fenced};

/// The task, the same for every conversation.
pub(super) fn task() -> String {
    format!("{DUTIES}\n\n{FENCE_RULE}\n\n{BANS}\n\n{EXAMPLES}")
}

const DUTIES: &str = "\
You pick out of a conversation between a user and a voice assistant what is worth knowing for good. Answer with a JSON \
array and nothing else; [] when there is nothing:
[{\"branch\": \"USER\", \"fact\": \"…\", \"quote\": \"…\"}]

branch is one of
- USER: who the user is, what they like, own, do and plan, and the people and animals in their life.
- DIRECTIVES: how the assistant is to behave from now on, because the user ordered it.
- WORLD: lasting facts about other people, places, firms and things that matter to this user.

fact is one sentence that can be understood alone, in the language the user speaks, about \"the user\" in the third \
person. Names instead of pronouns, dates instead of \"today\" or \"next week\". One fact to a sentence.

quote is the user's own words that show the fact, copied letter by letter out of one line that begins with \"User:\". \
Leave quote out when no such words are there; never make one up.

One remark can hold several facts, also of different branches: take them all. A conversation that is mostly about \
passing things still gives the lasting facts in it.";

const BANS: &str = "\
Never write down, in any language:
- what the assistant advised, suggested, guessed or said about itself
- what is over within days: weather, the time, traffic, today's prices and scores
- what anybody can look up: general knowledge, definitions, what a film or a book is about
- the conversation itself: that the user asked, wanted to know or thanked, that the assistant answered or could not
- what a [REDACTED] mark hides";

const EXAMPLES: &str = "\
Examples:
User: my sister Ada runs the bakery on Mill Lane, I help her on Saturdays
[{\"branch\": \"USER\", \"fact\": \"The user helps their sister Ada in her bakery on Saturdays.\", \"quote\": \"I help \
her on Saturdays\"}, {\"branch\": \"WORLD\", \"fact\": \"Ada, the user's sister, runs the bakery on Mill Lane.\", \
\"quote\": \"my sister Ada runs the bakery on Mill Lane\"}]
User: wie warm wird es morgen? Und sag ab jetzt bitte du zu mir
Assistant: Morgen werden es 19 Grad.
[{\"branch\": \"DIRECTIVES\", \"fact\": \"Der Nutzer will geduzt werden.\", \"quote\": \"sag ab jetzt bitte du zu mir\"}]
User: ¿qué me recomiendas para dormir mejor?
Assistant: Podrías probar una infusión de tila.
[]
Today is Monday, 2025-09-15.
User: 来月から大阪で働くことになった
[{\"branch\": \"USER\", \"fact\": \"ユーザーは2025年10月から大阪で働く。\", \"quote\": \"来月から大阪で働く\"}]";

/// What the facts are to be found in.
pub(super) fn material(today: Date, lines: &[String]) -> String {
    format!("Today is {}.\n\n{}", today.strftime("%A, %Y-%m-%d"), fenced("DIALOGUE", &lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_for_facts_reads_so() {
        let lines = ["User: I moved to Leeds.".to_owned()];

        insta::assert_snapshot!(format!(
            "{}\n=====\n{}",
            task(),
            material(Date::constant(2025, 9, 15), &lines)
        ));
    }
}
