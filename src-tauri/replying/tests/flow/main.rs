//! The flow of a reply: a row for each branch and for each step
//! of their sequence diagram, with a scripted model, scripted tools and a real database; and what the model was asked,
//! word for word.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod fixture; // one reply and all that can be seen of it
mod bad_answers;
mod checklist;
mod diagram;
mod first_word;
mod follow_ups;
mod injected_page;
mod json_hints;
mod missing;
mod own_words;
mod parallel_steps;
mod profiles;
mod prompts;
mod reached;
mod redescribed_tool;
mod routed;
mod routines;
mod served;
mod spoken_words;
mod traces;
mod truth;
mod unsure;
mod undone;
mod without_model;
