//! Lists of values and of words, in the form of constants.

/// A list in a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct List<T: 'static>(pub &'static [T]);

impl<T: std::fmt::Debug> std::fmt::Debug for List<T> {
    /// As a constant in Rust: the build script writes tables down in this form.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "List(&{:?})", self.0)
    }
}

impl<T> std::ops::Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<T> IntoIterator for List<T> {
    type Item = &'static T;
    type IntoIter = std::slice::Iter<'static, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Words or phrases in the form of `normalised`: lower case, without punctuation around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordList {
    pub(crate) text: &'static str,
    pub(crate) separator: Separator,
}

/// The separator between the entries of a [`WordList`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// White space: single words.
    WhiteSpace,
    /// `|`: phrases of several words.
    Bar,
}
