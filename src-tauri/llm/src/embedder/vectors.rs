//! Normalisation of vectors.

use crate::EmbedError;

/// The vector of length 1 in the same direction.
///
/// # Errors
///
/// [`EmbedError::InvalidVector`] if the vector is empty, all zero, or contains a number that is not finite.
pub fn normalised(mut vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
    if vector.is_empty() {
        return Err(EmbedError::InvalidVector { what: "is empty" });
    }
    if vector.iter().any(|number| !number.is_finite()) {
        return Err(EmbedError::InvalidVector { what: "contains a value that is not a finite number" });
    }
    // The squares of large numbers overflow 32 bits.
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(EmbedError::InvalidVector { what: "is all zero" });
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
    fn normalised_vector_keeps_its_direction(#[case] vector: &[f32], #[case] expected: &[f32]) {
        assert_eq!(normalised(vector.to_vec()).unwrap(), expected);
    }

    #[rstest]
    #[case::nothing(&[], "is empty")]
    #[case::no_direction(&[0.0, 0.0], "is all zero")]
    #[case::not_a_number(&[1.0, f32::NAN], "contains a value that is not a finite number")]
    #[case::without_end(&[1.0, f32::INFINITY], "contains a value that is not a finite number")]
    fn vector_without_direction_is_rejected(#[case] vector: &[f32], #[case] expected: &str) {
        let refused = normalised(vector.to_vec()).unwrap_err();

        assert!(matches!(refused, EmbedError::InvalidVector { what } if what == expected), "{refused}");
    }
}
