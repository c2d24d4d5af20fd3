//! The decision whose voice it was.

use std::time::Duration;

use vocabulary::{EnrolledVoice, SpeakerEmbedding, VoiceMatch};

/// Speech that is shorter is not judged. Source: "Whose voice" in tests/listening/README.md.
pub const MIN_SPEECH: Duration = Duration::from_secs(1);

/// A voice that is at least this similar to an enrolled one is taken for it. Source: "Whose voice" in
/// tests/listening/README.md, chosen on one half of the voices.
const MIN_SIMILARITY: f32 = 0.4;

/// Tells if a voice is one of the enrolled ones. `speech` is how much of it was heard.
pub fn match_voice(voice: &SpeakerEmbedding, enrolled: &[EnrolledVoice], speech: Duration) -> VoiceMatch {
    if enrolled.is_empty() {
        return VoiceMatch::NotJudged;
    }
    if speech < MIN_SPEECH {
        return VoiceMatch::TooShort;
    }
    let is_similar = |known: &EnrolledVoice| known.embedding.similarity(voice) >= MIN_SIMILARITY;
    if enrolled.iter().any(is_similar) { VoiceMatch::Enrolled } else { VoiceMatch::Unknown }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn voice(degrees: f32) -> SpeakerEmbedding {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        SpeakerEmbedding::new(vec![cosine, sine]).unwrap()
    }

    #[rstest]
    #[case::the_same_voice(&[0.0], 10.0, 2000, VoiceMatch::Enrolled)]
    #[case::one_of_two(&[0.0, 90.0], 100.0, 2000, VoiceMatch::Enrolled)]
    #[case::between_two(&[0.0, 170.0], 85.0, 2000, VoiceMatch::Unknown)]
    #[case::a_stranger(&[0.0], 90.0, 2000, VoiceMatch::Unknown)]
    #[case::a_stranger_in_one_word(&[0.0], 90.0, 500, VoiceMatch::TooShort)]
    #[case::nobody_enrolled(&[], 90.0, 2000, VoiceMatch::NotJudged)]
    fn voice_is_known_by_its_similarity_to_an_enrolled_one(
        #[case] enrolled_degrees: &[f32],
        #[case] heard_degrees: f32,
        #[case] speech_ms: u64,
        #[case] expected: VoiceMatch,
    ) {
        let enrolled: Vec<EnrolledVoice> = enrolled_degrees
            .iter()
            .map(|degrees| EnrolledVoice { name: "Anna".into(), embedding: voice(*degrees) })
            .collect();

        let matched = match_voice(&voice(heard_degrees), &enrolled, Duration::from_millis(speech_ms));

        assert_eq!(matched, expected);
    }
}
