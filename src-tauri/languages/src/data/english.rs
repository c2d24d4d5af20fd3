//! English.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const ENGLISH: LanguageData = LanguageData {
    code: "en",
    english_name: "English",
    own_name: "English",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordFirst,
    function_words: words(
        "the a an and or but if so as than then of to in into on at for from with without about by over under after
        before between is are was were be been being am isn't aren't wasn't do does did don't doesn't didn't has
        have had haven't hasn't will would can could should shall may might must won't can't it its it's this that
        these those there here he she they you i we me him them us his their your i'm i've i'll you're that's
        what's where's who's let's not no just also very too only now please",
    ),
    question_words: words("what where when who whom which whose how why"),
    possessives: words("my our mine ours"),
    continuation_words: words(
        "a an and as at because but by for from if into my of or our so than that's the their to until when where
        which while with your",
    ),
    fillers: words("uh um uhm er erm hm hmm mm"),
    yes: phrases(
        "yes | yeah | yep | yup | sure | ok | okay | please do | do it | go ahead | yes please | of course | right |
        correct",
    ),
    no: phrases(
        "no | nope | nah | don't | do not | cancel | no thanks | no thank you | never mind | not now | leave it",
    ),
    stop_words: phrases(
        "stop | quiet | be quiet | shush | hush | silence | enough | that's enough | shut up | stop it |
        stop talking",
    ),
    polite_words: phrases("please | thanks | thank you"),
    greetings: words("hey hi hello ok okay yo"),
    request_openers: phrases(
        "please | can you | could you | would you | will you | remind me | tell me | show me | give me | set a |
        set an | turn on | turn off | play | open | find | search for | look up | add | write | read | call | what's |
        what is | how do | how much | how many | i want | i need | i'd like | let's",
    ),
    looking_back: phrases(
        "did i | have i | had i | i said | i told | told you | i mentioned | was i | remember | do you know my",
    ),
    advice: phrases(
        "should i | can i | could i | may i | shall i | must i | do i | would i | might i | should we | can we",
    ),
    numbers: [
        "zero|oh|nought",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
        "twenty-one",
        "twenty-two",
        "twenty-three",
        "twenty-four",
        "twenty-five",
        "twenty-six",
        "twenty-seven",
        "twenty-eight",
        "twenty-nine",
        "thirty",
        "thirty-one",
    ],
    tens: ["forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"],
    letters: "",
    endings: words("ing ings ly ity ght ness ical ary ough uld ted ther eir tion"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words(
        "mr. mrs. ms. dr. prof. st. vs. etc. e.g. i.e. approx. jr. sr. mt. rev. capt. sgt. lt. inc. ltd. dept.",
    ),
    abbreviations_before_numbers: words(
        "no. nos. p. pp. fig. vol. ch. sec. art. ver. jan. feb. aug. sept. oct. nov. dec.",
    ),
    has_ordinals_with_full_stop: false,
    default_voice: Some("en_US-joe-medium"),
};
