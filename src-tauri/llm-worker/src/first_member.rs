//! The certainty of a model about the first member of an object that its format enforces. If the format is a choice
//! between objects, the first member names the choice.

/// The log-probability of the first member of an object, while the object is written.
#[derive(Debug, Default)]
pub(crate) struct FirstMember {
    sum: f32,
    is_in_string: bool,
    is_escaped: bool,
    is_over: bool,
}

impl FirstMember {
    /// Adds a token: its text, and the logarithm of its probability among the tokens that the format allowed.
    pub fn push(&mut self, text: &str, log_probability: f32) {
        if self.is_over {
            return;
        }
        self.sum += log_probability;
        self.is_over = text.chars().any(|char| self.ends_with(char));
    }

    /// The logarithm of the probability of the whole member; `None` as long as it is not complete.
    pub fn log_probability(&self) -> Option<f32> {
        self.is_over.then_some(self.sum)
    }

    /// Returns `true` if the member is over with this character: a comma or a closing brace outside a text.
    fn ends_with(&mut self, char: char) -> bool {
        if std::mem::take(&mut self.is_escaped) {
            return false;
        }
        match char {
            '\\' if self.is_in_string => self.is_escaped = true,
            '"' => self.is_in_string = !self.is_in_string,
            ',' | '}' => return !self.is_in_string,
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_the_first_member_count() {
        let mut member = FirstMember::default();
        for (text, log_probability) in [
            ("{\"", 0.0),
            ("tool", 0.0),
            ("\": \"a,", -0.5),
            ("b\\\"", -0.25),
            ("\", \"", -0.25),
            ("x", -9.0),
        ] {
            member.push(text, log_probability);
        }

        assert_eq!(member.log_probability(), Some(-1.0));
    }

    #[test]
    fn member_that_was_cut_off_has_no_probability() {
        let mut member = FirstMember::default();
        member.push("{\"tool\": \"se", -0.1);

        assert_eq!(member.log_probability(), None);
    }
}
