//! The utterance that the user is speaking, and how much silence ends it.

use std::time::Duration;

use vocabulary::{Language, UtteranceId};

use crate::config::HearingConfig;
use crate::decoder::RunningPass;
use crate::endpoint::{Completeness, completeness};
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
            FinalPass::Done(words) => match completeness(&words.text) {
                Completeness::Complete => config.early_endpoint,
                Completeness::Unsure => (config.early_endpoint + config.endpoint) / 2,
                Completeness::Unfinished => config.endpoint,
            },
            FinalPass::NotStarted | FinalPass::Running(_) | FinalPass::Uncalled | FinalPass::Failed => {
                config.endpoint
            }
        }
    }
}
