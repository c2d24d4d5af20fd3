//! Names of files that are safe on every system.

/// The name of a file that has none.
const ANY_NAME: &str = "file";

/// The longest name, in characters. Source: docs/behaviour/routing.md#attachments.
const MAX_CHARS: usize = 120;

/// The longest ending that a shortened name keeps, in characters, without its full stop.
const MAX_ENDING_CHARS: usize = 16;

/// Names of devices on Windows, with any ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Names of devices on Windows that a digit follows.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// The name without any folder, and without what a system would read as something else than a part of a name. Never empty.
pub fn safe_file_name(name: &str) -> String {
    let base = name.split(['/', '\\']).map(clean).rfind(|part| !part.is_empty());
    let name = base.unwrap_or_else(|| ANY_NAME.to_owned());
    shortened(&if is_device(&name) { format!("_{name}") } else { name })
}

/// The part of a path without signs that change how it is shown or read. The names of folders come out empty.
fn clean(part: &str) -> String {
    let shown = part.chars().filter(|c| !is_hidden(*c));
    let plain: String = shown.map(|c| if "<>:\"|?*".contains(c) { '_' } else { c }).collect();
    // Windows drops blanks and full stops at the end.
    plain.trim().trim_end_matches(|c: char| c == '.' || c.is_whitespace()).to_owned()
}

/// Control characters, and those that reverse or hide text: `invoice\u{202E}fdp.exe` is shown as `invoiceexe.pdf`.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// The name within its limit, with its ending.
fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_CHARS {
        return name.to_owned();
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let ending = ending.filter(|ending| ending.chars().count() <= MAX_ENDING_CHARS);
    match ending {
        Some(ending) => {
            let kept = MAX_CHARS - ending.chars().count() - 1;
            format!("{}.{ending}", name.chars().take(kept).collect::<String>().trim_end())
        }
        None => name.chars().take(MAX_CHARS).collect::<String>().trim_end_matches(['.', ' ']).to_owned(),
    }
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_numbered = || {
        NUMBERED_DEVICES.iter().any(|device| {
            let digit = stem.strip_prefix(device).and_then(|rest| rest.parse::<char>().ok());
            digit.is_some_and(|digit| matches!(digit, '0'..='9' | '¹' | '²' | '³'))
        })
    };
    DEVICES.contains(&stem.as_str()) || is_numbered()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("report.pdf", "report.pdf")]
    #[case::folders("../../etc/passwd", "passwd")]
    #[case::folders_of_windows(r"C:\Users\me\report.pdf", "report.pdf")]
    #[case::folder("reports/", "reports")]
    #[case::only_folders("../..", "file")]
    #[case::nothing("  ", "file")]
    #[case::control_characters("re\u{0}po\nrt.pdf", "report.pdf")]
    #[case::reversed_text("invoice\u{202E}fdp.exe", "invoicefdp.exe")]
    #[case::stream_of_a_file("notes.txt:hidden", "notes.txt_hidden")]
    #[case::device("CON", "_CON")]
    #[case::device_with_ending("nul.txt", "_nul.txt")]
    #[case::numbered_device("com1.log", "_com1.log")]
    #[case::word_like_a_device("console.log", "console.log")]
    #[case::full_stops_at_the_end("report...", "report")]
    #[case::hidden_file(".profile", ".profile")]
    #[case::other_script("Bericht über Kaffee ☕.pdf", "Bericht über Kaffee ☕.pdf")]
    fn name_is_safe_on_every_system(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(safe_file_name(name), expected);
    }

    #[test]
    fn long_name_keeps_its_ending() {
        let name = safe_file_name(&format!("{}.pdf", "ü".repeat(300)));

        assert_eq!(name, format!("{}.pdf", "ü".repeat(116)));
    }

    proptest! {
        #[test]
        fn every_name_is_one_part_of_a_path_and_stays_the_same(name in any::<String>()) {
            let safe = safe_file_name(&name);

            prop_assert!(!safe.is_empty() && safe != "." && safe != "..");
            prop_assert!(!safe.contains(['/', '\\', '\0', ':']));
            prop_assert!(safe.chars().count() <= MAX_CHARS);
        }
    }
}
