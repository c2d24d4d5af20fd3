//! Programs as the callers of replies.

use jiff::tz::TimeZone;
use settings::Scope;
use vocabulary::Caller;

use crate::programs::Program;

/// The caller of a reply to this program.
pub(crate) fn caller(program: &Program, timezone: Option<&str>) -> Caller {
    Caller {
        program: Some(program.name.clone()),
        may_use_tools: program.may(Scope::Tools),
        may_use_memory: program.may(Scope::Memory),
        zone: timezone.and_then(|name| TimeZone::get(name).ok()),
        ..Caller::default()
    }
}
