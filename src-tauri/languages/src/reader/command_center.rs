//! `command_center.toml`.

use super::section::Section;
use crate::tables::{CommandCenterWords, SpokenTimerWords};

/// The words of a language.
pub(super) fn read(mut file: Section<'_>) -> CommandCenterWords {
    let timer = file.section("timer").map(timer);
    if timer.is_none() {
        file.lacks("timer");
    }
    let none = file.optional_phrases("");
    let words = CommandCenterWords {
        dismissals: file.phrases("dismissals"),
        closings: file.optional_phrases("closings"),
        small_openers: file.optional_phrases("small_openers"),
        negations: file.phrases("negations"),
        harmless_negations: file.optional_phrases("harmless_negations"),
        questions: file.optional_phrases("questions"),
        question_forms: file.optional_phrases("question_forms"),
        other_orders: file.phrases("other_orders"),
        timer: timer.unwrap_or(SpokenTimerWords {
            triggers: none,
            plurals: none,
            more: none,
            two: none,
            minutes: none,
            range_signs: none,
            range_openers: none,
            relations: none,
            conditions: none,
            when: none,
            fillers: none,
        }),
    };
    file.finish();
    words
}

fn timer(mut section: Section<'_>) -> SpokenTimerWords {
    let words = SpokenTimerWords {
        triggers: section.phrases("triggers"),
        plurals: section.optional_phrases("plurals"),
        more: section.optional_phrases("more"),
        two: section.optional_phrases("two"),
        minutes: section.optional_phrases("minutes"),
        range_signs: section.phrases("range_signs"),
        range_openers: section.optional_phrases("range_openers"),
        relations: section.phrases("relations"),
        conditions: section.phrases("conditions"),
        when: section.optional_phrases("when"),
        fillers: section.phrases("fillers"),
    };
    section.finish();
    words
}
