//! What a vector has to be before anybody may compare it.

use crate::EmbedError;

/// The vector of length 1 in the same direction.
///
/// # Errors
///
/// [`EmbedError::BadVector`] when there is no direction: it is empty, all zero, or holds what is no finite number.
pub fn normalised(mut vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
    if vector.is_empty() {
        return Err(EmbedError::BadVector { what: "is empty" });
    }
    if vector.iter().any(|number| !number.is_finite()) {
        return Err(EmbedError::BadVector { what: "holds something that is no number" });
    }
    // In 64 bits, for the squares of large numbers are too large for 32.
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(EmbedError::BadVector { what: "is all zero" });
    }
    for number in &mut vector {
        *number = (f64::from(*number) / length) as f32;
    }
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain(&[3.0, 4.0], &[0.6, 0.8])]
    #[case::as_large_as_can_be(&[f32::MAX, 0.0], &[1.0, 0.0])]
    #[case::as_small_as_can_be(&[0.0, -f32::MIN_POSITIVE], &[0.0, -1.0])]
    fn a_vector_keeps_its_direction_and_gets_length_one(#[case] vector: &[f32], #[case] expected: &[f32]) {
        assert_eq!(normalised(vector.to_vec()).unwrap(), expected);
    }

    #[rstest]
    #[case::nothing(&[], "is empty")]
    #[case::no_direction(&[0.0, 0.0], "is all zero")]
    #[case::not_a_number(&[1.0, f32::NAN], "holds something that is no number")]
    #[case::without_end(&[1.0, f32::INFINITY], "holds something that is no number")]
    fn a_vector_without_direction_is_refused(#[case] vector: &[f32], #[case] expected: &str) {
        let refused = normalised(vector.to_vec()).unwrap_err();

        assert!(matches!(refused, EmbedError::BadVector { what } if what == expected), "{refused}");
    }
}
