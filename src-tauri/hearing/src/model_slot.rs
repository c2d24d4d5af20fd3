//! A model that is loaded by the first call, and again after it failed.

use parking_lot::Mutex;

use crate::speech_to_text::TranscribeError;

/// The place of a loaded model. Calls wait for each other.
pub(crate) struct ModelSlot<Model>(Mutex<Option<Model>>);

impl<Model> ModelSlot<Model> {
    /// Holds no model yet.
    pub fn empty() -> Self {
        Self(Mutex::new(None))
    }

    /// Runs `work` on the model, which `load` makes if there is none. After an error of the engine the next call loads it
    /// again: its state may be half written.
    pub fn run<Output>(
        &self,
        load: impl FnOnce() -> Result<Model, TranscribeError>,
        work: impl FnOnce(&mut Model) -> Result<Output, TranscribeError>,
    ) -> Result<Output, TranscribeError> {
        let mut slot = self.0.lock();
        let model = match &mut *slot {
            Some(model) => model,
            empty => empty.insert(load()?),
        };
        let result = work(model);
        if matches!(result, Err(TranscribeError::Engine { .. })) {
            *slot = None;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_is_loaded_once_and_again_after_an_error_of_the_engine() {
        let (slot, mut loads) = (ModelSlot::empty(), 0);
        let mut call = |outcome: Result<(), TranscribeError>| {
            let load = || {
                loads += 1;
                Ok(loads)
            };
            slot.run(load, |number| outcome.map(|()| *number))
        };

        assert_eq!(call(Ok(())).unwrap(), 1);
        assert!(call(Err(TranscribeError::Stopped)).is_err());
        assert_eq!(call(Ok(())).unwrap(), 1);
        assert!(call(Err(TranscribeError::Engine { reason: "no memory".to_owned() })).is_err());
        assert_eq!(call(Ok(())).unwrap(), 2);
    }
}
