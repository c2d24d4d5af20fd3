//! The utterance that the user is speaking, and how much silence ends it.

use std::time::Duration;

use vocabulary::{Language, UtteranceId};

use crate::config::HearingConfig;
use crate::decoder::RunningPass;
use crate::endpoint::PauseSigns;
use crate::filters::AcceptedWords;
use crate::segmenter::UtteranceAudio;

/// The utterance that the user is speaking.
pub(crate) struct CurrentUtterance {
    pub id: UtteranceId,
    pub partial_pass: Option<RunningPass>,
    /// The number of samples that the newest pass covered.
    pub samples_decoded: usize,
    /// It is decoded. Otherwise its passes look for the name only.
    pub is_wanted: bool,
    /// The number of samples that hold no name.
    pub samples_checked: usize,
    /// The final pass starts at the first pause that may be the end.
    pub final_pass: FinalPass,
    /// The vote of the sound in the current pause.
    pub vote: PauseVote,
    pub language: Option<Language>,
    /// The user said with the talk key that the utterance is over: the first silence ends it.
    pub is_ending: bool,
}

pub(crate) enum FinalPass {
    NotStarted,
    Running(RunningPass),
    Done(AcceptedWords),
    /// Nobody said the name, and the words are not needed.
    Uncalled,
    Failed,
}

/// Numbers the votes of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VoteId(pub u64);

/// The vote of the sound in the current pause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PauseVote {
    NotAsked,
    Asked(VoteId),
    /// The probability that the user has finished.
    Given(f32),
}

/// An utterance that ended and waits for its final pass.
pub(crate) struct ClosingUtterance {
    pub id: UtteranceId,
    pub audio: UtteranceAudio,
    pub pass: RunningPass,
}

impl CurrentUtterance {
    pub fn new(id: UtteranceId, language: Option<Language>, is_wanted: bool) -> Self {
        Self {
            id,
            partial_pass: None,
            samples_decoded: 0,
            is_wanted,
            samples_checked: 0,
            final_pass: FinalPass::NotStarted,
            vote: PauseVote::NotAsked,
            language,
            is_ending: false,
        }
    }

    pub fn can_start_partial_pass(&self) -> bool {
        self.partial_pass.is_none() && matches!(self.final_pass, FinalPass::NotStarted)
    }

    /// The silence that ends this utterance. Without accepted words it is the longest one: noise may hide the name at the
    /// beginning of a request.
    pub fn closing_silence(&self, config: &HearingConfig) -> Duration {
        if self.is_ending {
            return config.final_pass_silence;
        }
        match &self.final_pass {
            FinalPass::Done(words) => self.signs(&words.text, config).closing_silence(config),
            FinalPass::NotStarted | FinalPass::Running(_) | FinalPass::Uncalled | FinalPass::Failed => {
                config.endpoint
            }
        }
    }
    /// Returns `true` if a vote of the sound could still change the wait.
    pub fn can_use_vote(&self, config: &HearingConfig) -> bool {
        let is_open = match &self.final_pass {
            FinalPass::Done(words) => self.signs(&words.text, config).can_use_vote(),
            FinalPass::Running(_) => true,
            FinalPass::NotStarted | FinalPass::Uncalled | FinalPass::Failed => false,
        };
        is_open && !self.is_ending && matches!(self.vote, PauseVote::NotAsked)
    }

    /// Takes a vote, if it is the one of this pause. A late or failed vote changes nothing.
    pub fn accept_vote(&mut self, id: VoteId, finished: Option<f32>) {
        if let (Some(finished), true) = (finished, self.vote == PauseVote::Asked(id)) {
            self.vote = PauseVote::Given(finished);
        }
    }

    fn signs(&self, text: &str, config: &HearingConfig) -> PauseSigns {
        let finished = match self.vote {
            PauseVote::Given(probability) => Some(probability),
            PauseVote::NotAsked | PauseVote::Asked(_) => None,
        };
        PauseSigns::new(text, finished, config)
    }
}
