//! Days as they are typed on the command line.

use assistant::{DayBound, DayRange};

/// A range of days.
#[derive(clap::Args, Default)]
pub(crate) struct Days {
    /// The first day: YYYY-MM-DD, `today` or `yesterday`.
    #[arg(long, value_name = "DAY", value_parser = day)]
    from: Option<DayBound>,
    /// The last day.
    #[arg(long, value_name = "DAY", value_parser = day)]
    to: Option<DayBound>,
}

impl Days {
    pub(crate) fn range(&self) -> DayRange {
        DayRange { from: self.from, to: self.to }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }
}

fn day(text: &str) -> Result<DayBound, String> {
    match text.trim().to_lowercase().as_str() {
        "today" => Ok(DayBound::DaysAgo(0)),
        "yesterday" => Ok(DayBound::DaysAgo(1)),
        day => day.parse().map(DayBound::On).map_err(|_| {
            format!("{text:?} is not a day: write one as 2025-11-22, or `today` or `yesterday`")
        }),
    }
}
