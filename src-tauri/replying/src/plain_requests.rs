//! Requests that rules answer, without a model.

pub(crate) mod rules; // plain requests, without a model
pub mod fast_path; // how they are recognised
pub(crate) mod routine; // phrases that start commands of the user
pub(crate) mod own_request; // what no other computer can answer
pub(crate) mod follow_up; // short requests that go on with the last one
pub(crate) mod kept_calls; // the calls of the last reply
pub(crate) mod missing_argument; // a call that waits for an argument
pub(crate) mod which_one; // a call that fits several things
pub(crate) mod last_exchange; // words that go on with it
pub(crate) mod request_kind; // what a request takes, told by rules
pub(crate) mod plain_truth; // answers to such requests without a model
pub(crate) mod dialogue_questions; // what was said before, and who answers
pub(crate) mod spelling; // requests for the letters of a word
