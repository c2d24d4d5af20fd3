//! The line being typed, with a history.

/// An editable line. Positions are in characters.
#[derive(Debug, Default)]
pub(super) struct LineEditor {
    text: Vec<char>,
    cursor: usize,
    history: Vec<String>,
    /// The shown entry of the history; `None` is the line itself.
    shown_entry: Option<usize>,
}

impl LineEditor {
    pub fn insert(&mut self, text: &str) {
        for c in text.chars().filter(|c| !c.is_control()) {
            self.text.insert(self.cursor, c);
            self.cursor += 1;
        }
    }

    pub fn delete_back(&mut self) {
        if self.cursor > 0 {
            self.cursor -= 1;
            self.text.remove(self.cursor);
        }
    }

    pub fn delete_forward(&mut self) {
        if self.cursor < self.text.len() {
            self.text.remove(self.cursor);
        }
    }

    pub fn delete_word_back(&mut self) {
        while self.cursor > 0 && self.text[self.cursor - 1].is_whitespace() {
            self.delete_back();
        }
        while self.cursor > 0 && !self.text[self.cursor - 1].is_whitespace() {
            self.delete_back();
        }
    }

    pub fn left(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    pub fn right(&mut self) {
        self.cursor = (self.cursor + 1).min(self.text.len());
    }

    pub fn go_to_start(&mut self) {
        self.cursor = 0;
    }

    pub fn go_to_end(&mut self) {
        self.cursor = self.text.len();
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.cursor = 0;
        self.shown_entry = None;
    }

    /// Returns the line and starts a new one; `None` when it is empty.
    pub fn take(&mut self) -> Option<String> {
        let text: String = self.text.iter().collect::<String>().trim().to_owned();
        self.clear();
        if text.is_empty() {
            return None;
        }
        if self.history.last() != Some(&text) {
            self.history.push(text.clone());
        }
        Some(text)
    }

    /// Shows the previous entry of the history.
    pub fn older(&mut self) {
        let at = self.shown_entry.unwrap_or(self.history.len());
        if let Some(older) = at.checked_sub(1) {
            self.show(older);
        }
    }

    /// Shows the next entry of the history, and an empty line after the last.
    pub fn newer(&mut self) {
        match self.shown_entry.map(|at| at + 1) {
            Some(newer) if newer < self.history.len() => self.show(newer),
            Some(_) => self.clear(),
            None => {}
        }
    }

    fn show(&mut self, at: usize) {
        self.text = self.history[at].chars().collect();
        self.cursor = self.text.len();
        self.shown_entry = Some(at);
    }

    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// The text before the cursor.
    pub fn before_cursor(&self) -> String {
        self.text[..self.cursor].iter().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_work_on_whole_characters() {
        let mut line = LineEditor::default();
        line.insert("héllo wörld");
        line.delete_word_back();
        line.go_to_start();
        line.right();
        line.delete_forward();
        line.insert("a\u{7}");

        assert_eq!((line.text().as_str(), line.before_cursor().as_str()), ("hallo ", "ha"));
    }

    #[test]
    fn earlier_lines_come_back_from_the_history() {
        let mut line = LineEditor::default();
        for text in ["first", "second", "second", "  "] {
            line.insert(text);
            line.take();
        }

        line.older();
        line.older();
        line.older();
        assert_eq!(line.text(), "first");
        line.newer();
        assert_eq!(line.text(), "second");
        line.newer();
        assert!(line.is_empty());
    }
}
