//! Numbers, durations and times of day.

use languages::ClockMeaning;

use super::lexicon::{ClockItem, ClockPattern, RequestLanguage, Words};
use super::tokens::{Token, tokens};

const MINUTES_OF_DAY: u32 = 24 * 60;

/// The number at the beginning of the tokens, in digits with a full stop before decimals.
pub(super) fn number_at(tokens: &[Token], language: &RequestLanguage) -> Option<(usize, String)> {
    let first = tokens.first()?;
    if first.text.starts_with(|c: char| c.is_ascii_digit()) {
        return Some((1, in_digits(&first.text, language.table.decimal_sign)?));
    }
    let (whole, used) = whole_number_at(tokens, language)?;
    let Some(point) = language.point.end_in(&tokens[used..]) else { return Some((used, whole.to_string())) };
    let mut at = used + point;
    let mut decimals = String::new();
    while let Some((digit @ 0..10, more)) = tokens.get(at..).and_then(|rest| whole_number_at(rest, language))
    {
        decimals.push_str(&digit.to_string());
        at += more;
    }
    Some(if decimals.is_empty() { (used, whole.to_string()) } else { (at, format!("{whole}.{decimals}")) })
}

/// A whole number in words.
fn whole_number_at(tokens: &[Token], language: &RequestLanguage) -> Option<(u32, usize)> {
    let words: Vec<&str> = tokens.iter().take(12).map(|token| token.text.as_str()).collect();
    language.numbers.leading(&words)
}

/// `1,000.5` in the notation of a language; `None` for a time such as 6:30.
fn in_digits(text: &str, decimal_sign: char) -> Option<String> {
    if text.contains(':') {
        return None;
    }
    let group_sign = if decimal_sign == '.' { ',' } else { '.' };
    let (whole, decimals) = text.split_once(decimal_sign).unwrap_or((text, ""));
    if decimals.contains(['.', ',']) {
        return None;
    }
    let mut groups = whole.split(group_sign);
    let first = groups.next()?.to_owned();
    let mut digits = first;
    let mut groups = groups.peekable();
    // "3.5" in a language with a decimal comma still means three and a half.
    if let Some(only) = groups.peek()
        && only.len() != 3
        && decimals.is_empty()
    {
        let fraction = (*only).to_owned();
        groups.next();
        return groups.next().is_none().then(|| format!("{digits}.{fraction}"));
    }
    for group in groups {
        (group.len() == 3).then(|| digits.push_str(group))?;
    }
    Some(if decimals.is_empty() { digits } else { format!("{digits}.{decimals}") })
}

/// The durations at the beginning of the tokens, in seconds, longest first, with the number of tokens.
pub(super) fn durations_at(tokens: &[Token], language: &RequestLanguage) -> Vec<(usize, u32)> {
    let Some((at, seconds, smallest)) = parts_at(tokens, language) else { return Vec::new() };
    // "an hour twenty": the number behind the last unit counts the next smaller one.
    let and = language.and.end_in(&tokens[at..]).unwrap_or_default();
    // In "a ten-minute timer" the article may stand behind: Turkish "on dakikalık bir zamanlayıcı".
    let is_article = language.one.end_in(&tokens[at + and..]).is_some();
    let next = number_at(&tokens[at + and..], language).filter(|_| !is_article).and_then(|(used, number)| {
        let number = number.parse::<u32>().ok().filter(|number| smallest > 1 && (1..60).contains(number))?;
        let is_of_unit = language.unit_at(&tokens[at + and + used..]).is_some();
        (!is_of_unit).then_some((at + and + used, seconds.checked_add(number * smallest / 60)?))
    });
    next.into_iter().chain([(at, seconds)]).collect()
}

/// Numbers with units: tokens, seconds, and the seconds of the smallest unit.
fn parts_at(tokens: &[Token], language: &RequestLanguage) -> Option<(usize, u32, u32)> {
    let (mut at, mut seconds, mut smallest) = part_at(tokens, language)?;
    while smallest > 1 {
        let skipped = language.and.end_in(&tokens[at..]).unwrap_or_default();
        match part_at(&tokens[at + skipped..], language) {
            // "an hour and twenty minutes": each part is smaller than the one before.
            Some((used, more, unit)) if unit < smallest => {
                (at, seconds, smallest) = (at + skipped + used, seconds.checked_add(more)?, unit);
            }
            _ => break,
        }
    }
    Some((at, seconds, smallest))
}

/// A number and a unit of time: tokens, seconds, and the seconds of the unit.
fn part_at(tokens: &[Token], language: &RequestLanguage) -> Option<(usize, u32, u32)> {
    if let Some((used, seconds)) =
        language.durations.iter().filter_map(|(words, seconds)| Some((words.end_in(tokens)?, *seconds))).max()
    {
        return Some((used, seconds, 1));
    }
    let (mut at, mut tenths) = tenths_at(tokens, language)?;
    if let Some(more) = language.and_a_half.end_in(&tokens[at..]) {
        (at, tenths) = (at + more, tenths + 5);
    }
    let (used, unit) = language.unit_at(&tokens[at..])?;
    at += used;
    let seconds_of_unit = match unit {
        "second" => 1,
        "minute" => 60,
        "hour" => 3600,
        _ => return None,
    };
    if seconds_of_unit > 1
        && let Some(more) = language.unit_and_a_half.end_in(&tokens[at..])
    {
        (at, tenths) = (at + more, tenths + 5);
    }
    let seconds = u64::from(tenths) * seconds_of_unit / 10;
    Some((at, u32::try_from(seconds).ok()?, u32::try_from(seconds_of_unit).ok()?))
}

/// A number in tenths; an article counts as one.
fn tenths_at(tokens: &[Token], language: &RequestLanguage) -> Option<(usize, u32)> {
    let halves = language.halves.iter().filter_map(|(words, tenths)| Some((words.end_in(tokens)?, *tenths)));
    if let Some(found) = halves.max() {
        return Some(found);
    }
    if let Some((used, number)) = number_at(tokens, language) {
        let tenths = number.parse::<f64>().ok()? * 10.0;
        // Larger ones are no duration for a timer.
        return (tenths.fract() == 0.0 && tenths < 1e8).then_some((used, tenths as u32));
    }
    language.one.end_in(tokens).map(|used| (used, 10))
}

/// A time of day as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpokenClock {
    /// Since midnight.
    pub minutes: u32,
    /// `true` if it was said to be of the morning or the evening, or is of one of them: noon.
    pub names_half: bool,
}

impl SpokenClock {
    /// The time on a day whose words may name a part of it: "tomorrow evening" makes 7:00 19:00.
    pub(super) fn on_day(self, day: &str, language: &RequestLanguage) -> Option<Self> {
        let words = tokens(day);
        let half = half_of_day(&words, language);
        let minutes = in_half(self.minutes, half)?;
        Some(Self { minutes, names_half: self.names_half || half.is_some() })
    }
}

/// The times of day at the beginning of the tokens, longest first, with the number of tokens.
pub(super) fn clocks_at(tokens: &[Token], language: &RequestLanguage) -> Vec<(usize, SpokenClock)> {
    let mut found = Vec::new();
    let before = part_of_day_at(tokens, language);
    for (skipped, part) in std::iter::once((0, None)).chain((before.0 > 0).then_some(before)) {
        let rest = &tokens[skipped..];
        for (used, SpokenClock { minutes, names_half }) in spoken_clocks(rest, language) {
            let (more, half) = part_of_day_at(&rest[used..], language);
            let clock = |half: Option<Half>| {
                let names_half = names_half || half.is_some();
                in_half(minutes, half).map(|minutes| SpokenClock { minutes, names_half })
            };
            found.extend(clock(part).map(|clock| (skipped + used, clock)));
            if more > 0 {
                found.extend(clock(half).map(|clock| (skipped + used + more, clock)));
            }
        }
    }
    found.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Morning,
    Evening,
    /// From the evening to the morning.
    Night,
}

/// The half of the day that the words of a day name, also as the end of one: "morgenavond".
pub(super) fn half_of_day(words: &[Token], language: &RequestLanguage) -> Option<Half> {
    (0..words.len()).find_map(|at| {
        let ends_in = |half: &Words| half.has_ending_of(&words[at].text);
        part_of_day_at(&words[at..], language)
            .1
            .or_else(|| ends_in(&language.evening).then_some(Half::Evening))
            .or_else(|| ends_in(&language.morning).then_some(Half::Morning))
    })
}

fn part_of_day_at(tokens: &[Token], language: &RequestLanguage) -> (usize, Option<Half>) {
    let part = |words: &Words, half| words.end_in(tokens).map(|used| (used, Some(half)));
    part(&language.night, Half::Night)
        .or_else(|| part(&language.morning, Half::Morning))
        .or_else(|| part(&language.evening, Half::Evening))
        .unwrap_or_default()
}

/// The end of the night. Source: "at five in the morning" and "at five at night" are the same hour, "at six at night" is not.
pub(super) const END_OF_NIGHT: u32 = 6 * 60;

/// The time in its half of the day; `None` for 15:00 in the morning.
fn in_half(minutes: u32, half: Option<Half>) -> Option<u32> {
    match half {
        Some(Half::Night) => match minutes {
            ..END_OF_NIGHT | 1080.. => Some(minutes),
            END_OF_NIGHT..720 => Some(minutes + 720),
            720..780 => Some(minutes - 720),
            780..1080 => None,
        },
        Some(Half::Evening) if minutes < 720 => Some(minutes + 720),
        Some(Half::Morning) if minutes >= 780 => None,
        // 12 am
        Some(Half::Morning) if minutes >= 720 => Some(minutes - 720),
        _ => Some(minutes),
    }
}

fn spoken_clocks(tokens: &[Token], language: &RequestLanguage) -> Vec<(usize, SpokenClock)> {
    let mut found = Vec::new();
    if let Some(minutes) = tokens.first().and_then(|token| digital(&token.text)) {
        let used = 1 + language.clock_sign.end_in(&tokens[1..]).unwrap_or_default();
        found.push((used, SpokenClock { minutes, names_half: false }));
    }
    for (pattern, meaning) in &language.clock {
        if let Some((used, hour, minute)) = clock_match(pattern, tokens, language) {
            let base = i64::from(hour.unwrap_or_default()) * 60;
            let minute = i64::from(minute.unwrap_or_default());
            let total = match meaning {
                ClockMeaning::Offset(offset) => base + minute + i64::from(*offset),
                ClockMeaning::Past => base + minute,
                ClockMeaning::To => base - minute,
                ClockMeaning::Fixed(fixed) => i64::from(*fixed),
            };
            let minutes = total.rem_euclid(i64::from(MINUTES_OF_DAY));
            let minutes = u32::try_from(minutes).expect("a remainder is below the divisor");
            let names_half = *meaning == ClockMeaning::Fixed(0) || *meaning == ClockMeaning::Fixed(720);
            found.push((used, SpokenClock { minutes, names_half }));
        }
    }
    found
}

/// `6:30`, `18.30`
fn digital(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once([':', '.'])?;
    let (hour, minutes): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (minute.len() == 2 && hour < 24 && minutes < 60).then_some(hour * 60 + minutes)
}

/// The match at the beginning of the tokens: tokens, hour, minute.
fn clock_match(
    pattern: &ClockPattern,
    tokens: &[Token],
    language: &RequestLanguage,
) -> Option<(usize, Option<u32>, Option<u32>)> {
    let (mut at, mut hour, mut minute) = (0, None, None);
    let number = |at: usize, below: u32| {
        let (used, number) = number_at(tokens.get(at..)?, language)?;
        Some((used, number.parse().ok().filter(|number| *number < below)?))
    };
    for item in &pattern.0 {
        match item {
            ClockItem::Hour => {
                let (used, value) = number(at, 24)?;
                (at, hour) = (at + used, Some(value));
            }
            ClockItem::Minute => {
                let (used, value) = number(at, 60)?;
                (at, minute) = (at + used, Some(value));
            }
            ClockItem::HourAndMinute => {
                let minutes = digital(&tokens.get(at)?.text)?;
                (at, hour, minute) = (at + 1, Some(minutes / 60), Some(minutes % 60));
            }
            ClockItem::Words { words, is_optional } => match words.end_in(&tokens[at..]) {
                Some(used) => at += used,
                None if *is_optional => {}
                None => return None,
            },
        }
    }
    Some((at, hour, minute))
}
