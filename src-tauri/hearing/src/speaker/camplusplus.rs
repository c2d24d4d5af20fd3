//! The model CAM++ of the 3D-Speaker project.

use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use vocabulary::{SAMPLE_RATE_HZ, SpeakerEmbedding};

use super::checkpoint::Checkpoint;
use super::embedder::{SpeakerEmbedder, SpeakerError};
use super::features::MelBands;
use super::network::Network;

/// The most sound that is read, in samples: the last six seconds. More takes longer and tells little more.
const MAX_SAMPLES: usize = 6 * SAMPLE_RATE_HZ as usize;

/// The fewest rows of bands. Less than half a second has no voice to know.
const MIN_ROWS: usize = 50;

/// CAM++ with the weights of its checkpoint, on one thread. The first call loads the model.
pub struct CamPlusPlus {
    model: PathBuf,
    loaded: Mutex<Option<LoadedModel>>,
}

struct LoadedModel {
    bands: MelBands,
    network: Network,
}

impl CamPlusPlus {
    /// Loads nothing yet.
    pub fn new(model: PathBuf) -> Self {
        Self { model, loaded: Mutex::new(None) }
    }

    fn load(&self) -> Result<LoadedModel, SpeakerError> {
        let network = read_network(&self.model).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => SpeakerError::ModelMissing { path: self.model.clone() },
            _ => SpeakerError::ModelUnreadable { path: self.model.clone(), source },
        })?;
        Ok(LoadedModel { bands: MelBands::new(), network })
    }
}

fn read_network(path: &Path) -> io::Result<Network> {
    Network::read(&mut Checkpoint::read(path)?)
}

impl SpeakerEmbedder for CamPlusPlus {
    fn embed(&self, samples: &[f32]) -> Result<SpeakerEmbedding, SpeakerError> {
        let mut slot = self.loaded.lock();
        let model = match &mut *slot {
            Some(model) => model,
            empty => empty.insert(self.load()?),
        };
        let samples = &samples[samples.len().saturating_sub(MAX_SAMPLES)..];
        let bands = model.bands.of(samples).filter(|bands| bands.nrows() >= MIN_ROWS);
        let numbers = bands.map(|bands| model.network.embed(&bands)).ok_or(SpeakerError::TooShort)?;
        SpeakerEmbedding::new(numbers).ok_or(SpeakerError::NoNumbers)
    }
}
