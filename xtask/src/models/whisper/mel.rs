//! The filters that turn a spectrum into mel bands. Part of the model file, though every model has the same.
//!
//! Source: Slaney's auditory toolbox, with filters of equal area; what Whisper was trained with.

/// Samples in one window of the spectrum.
const WINDOW: usize = 400;

/// Highest frequency: half of 16 kHz.
const HIGHEST_HZ: f64 = 8000.0;

/// Frequencies in one spectrum.
pub const FREQUENCIES: usize = WINDOW / 2 + 1;

/// Below this frequency the scale is linear, above logarithmic.
const KNEE_HZ: f64 = 1000.0;

/// Hertz for each mel in the linear part.
const LINEAR_STEP_HZ: f64 = 200.0 / 3.0;

/// The weight of every frequency in every band, band after band.
pub fn filters(bands: usize) -> Vec<f32> {
    let highest_mel = to_mel(HIGHEST_HZ);
    let edges: Vec<f64> = spaced(highest_mel, bands + 2).into_iter().map(to_hz).collect();
    let frequencies = spaced(HIGHEST_HZ, FREQUENCIES);
    let weight = |band: usize, frequency: f64| {
        let (low, middle, high) = (edges[band], edges[band + 1], edges[band + 2]);
        let rising = (frequency - low) / (middle - low);
        let falling = (high - frequency) / (high - middle);
        (rising.min(falling).max(0.0) * (2.0 / (high - low))) as f32
    };
    (0..bands)
        .flat_map(|band| frequencies.iter().map(move |f| (band, *f)))
        .map(|(b, f)| weight(b, f))
        .collect()
}

/// `count` numbers from 0 to `last` with equal distances.
fn spaced(last: f64, count: usize) -> Vec<f64> {
    let step = last / (count - 1) as f64;
    let mut numbers: Vec<_> = (0..count).map(|i| i as f64 * step).collect();
    numbers[count - 1] = last;
    numbers
}

fn log_step() -> f64 {
    6.4_f64.ln() / 27.0
}

fn to_mel(hz: f64) -> f64 {
    if hz < KNEE_HZ {
        hz / LINEAR_STEP_HZ
    } else {
        KNEE_HZ / LINEAR_STEP_HZ + (hz / KNEE_HZ).ln() / log_step()
    }
}

fn to_hz(mel: f64) -> f64 {
    let knee = KNEE_HZ / LINEAR_STEP_HZ;
    if mel < knee { mel * LINEAR_STEP_HZ } else { KNEE_HZ * (log_step() * (mel - knee)).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_band_has_one_peak_and_the_same_area() {
        let filters = filters(80);
        let distance_hz = HIGHEST_HZ / (FREQUENCIES - 1) as f64;

        for (band, weights) in filters.chunks(FREQUENCIES).enumerate() {
            let area: f64 = weights.iter().map(|w| f64::from(*w) * distance_hz).sum();
            // The lowest bands are hardly wider than the distance between two frequencies.
            assert!((0.4..=1.7).contains(&area), "band {band} has the area {area}");
            let rises = weights.windows(2).skip_while(|pair| pair[1] >= pair[0]);
            assert!(rises.into_iter().all(|pair| pair[1] <= pair[0]), "band {band} has two peaks");
        }
    }

    #[test]
    fn the_scale_is_linear_below_the_knee_and_comes_back_above_it() {
        assert!((to_mel(500.0) - 7.5).abs() < 1e-9);
        assert!((to_hz(to_mel(4000.0)) - 4000.0).abs() < 1e-9);
    }
}
