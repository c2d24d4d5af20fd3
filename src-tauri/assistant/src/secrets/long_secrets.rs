//! Secrets that are longer than an entry of a keychain may be: Windows keeps 2560 bytes, two for each letter. The tokens of a
//! sign-in are often longer, so they are kept in several entries.

use secrecy::{ExposeSecret, SecretString};
use settings::{SecretError, SecretStore};

/// The longest text of an entry, in units of UTF-16.
const MAX_UNITS: usize = 1200;
/// Begins the first of several entries; their number and a line end follow.
const SEVERAL: char = '#';

/// The secret of this name. `None` also if a part is missing: half a secret is none.
pub(crate) fn get(store: &dyn SecretStore, name: &str) -> Result<Option<SecretString>, SecretError> {
    let Some(first) = store.get(name)? else { return Ok(None) };
    let Some((count, beginning)) = of_several(first.expose_secret()) else { return Ok(Some(first)) };
    let mut text = beginning.to_owned();
    for number in 2..=count {
        match store.get(&name_of(name, number))? {
            Some(part) => text.push_str(part.expose_secret()),
            None => return Ok(None),
        }
    }
    Ok(Some(SecretString::from(text)))
}

/// Stores a secret under this name, and replaces an older one.
pub(crate) fn set(store: &dyn SecretStore, name: &str, secret: &SecretString) -> Result<(), SecretError> {
    let before = count(store, name)?;
    let parts = parts(secret.expose_secret());
    // The first one last: until then nobody looks for the others.
    for (index, part) in parts.iter().enumerate().rev() {
        store.set(&name_of(name, index + 1), part)?;
    }
    delete_parts(store, name, parts.len() + 1, before)
}

/// Deletes the secret of this name, if there is one.
pub(crate) fn delete(store: &dyn SecretStore, name: &str) -> Result<(), SecretError> {
    let count = count(store, name)?;
    store.delete(name)?;
    delete_parts(store, name, 2, count)
}

fn delete_parts(store: &dyn SecretStore, name: &str, from: usize, to: usize) -> Result<(), SecretError> {
    (from..=to).try_for_each(|number| store.delete(&name_of(name, number)))
}

/// The number of entries of a secret.
fn count(store: &dyn SecretStore, name: &str) -> Result<usize, SecretError> {
    let first = store.get(name)?;
    Ok(first.and_then(|first| of_several(first.expose_secret()).map(|(count, _)| count)).unwrap_or(1))
}

/// The number of entries and the beginning of the secret, of a text that is the first of several.
fn of_several(first: &str) -> Option<(usize, &str)> {
    let (count, beginning) = first.strip_prefix(SEVERAL)?.split_once('\n')?;
    Some((count.parse().ok()?, beginning))
}

/// The names of entries. No server has a full stop in its name, so that none is that of another secret.
fn name_of(name: &str, number: usize) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}.{number}") }
}

/// The texts of the entries.
fn parts(text: &str) -> Vec<SecretString> {
    let mut parts = vec![String::new()];
    let mut units = 0;
    for c in text.chars() {
        if units + c.len_utf16() > MAX_UNITS {
            parts.push(String::new());
            units = 0;
        }
        units += c.len_utf16();
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    if parts.len() > 1 || text.starts_with(SEVERAL) {
        parts[0] = format!("{SEVERAL}{}\n{}", parts.len(), parts[0]);
    }
    parts.into_iter().map(SecretString::from).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use testkit::InMemorySecrets;

    use super::*;

    /// The longest entry of Windows, in bytes of UTF-16.
    const WINDOWS_LIMIT: usize = 2560;

    fn stored(store: &InMemorySecrets) -> Option<String> {
        get(store, "sign_in.web").unwrap().map(|secret| secret.expose_secret().to_owned())
    }

    #[rstest]
    #[case::short("{}".to_owned())]
    #[case::as_long_as_an_entry("x".repeat(MAX_UNITS))]
    #[case::longer("0123456789".repeat(1000))]
    #[case::letters_of_two_units("a😀".repeat(2000))]
    #[case::like_a_beginning("#2\nx".to_owned())]
    #[case::nothing(String::new())]
    fn secret_of_any_length_is_read_back_in_entries_that_fit(#[case] text: String) {
        let store = InMemorySecrets::default();

        set(&store, "sign_in.web", &SecretString::from(text.clone())).unwrap();

        assert_eq!(stored(&store), Some(text.clone()));
        let sizes = parts(&text).into_iter().map(|part| part.expose_secret().encode_utf16().count() * 2);
        assert!(sizes.max().is_some_and(|bytes| bytes <= WINDOWS_LIMIT));
    }

    #[rstest]
    #[case::by_a_shorter_one(Some("short"))]
    #[case::by_nothing(None)]
    fn entries_of_a_replaced_secret_are_deleted(#[case] new: Option<&str>) {
        let store = InMemorySecrets::default();
        set(&store, "sign_in.web", &SecretString::from("x".repeat(MAX_UNITS * 3))).unwrap();

        match new {
            Some(text) => set(&store, "sign_in.web", &SecretString::from(text)).unwrap(),
            None => delete(&store, "sign_in.web").unwrap(),
        }

        assert_eq!(stored(&store).as_deref(), new);
        let others = ["sign_in.web.2", "sign_in.web.3"].map(|name| store.get(name).unwrap().is_some());
        assert_eq!(others, [false, false]);
    }

    #[test]
    fn secret_with_a_missing_entry_is_none() {
        let store = InMemorySecrets::default();
        set(&store, "sign_in.web", &SecretString::from("x".repeat(MAX_UNITS * 2))).unwrap();

        store.delete("sign_in.web.2").unwrap();

        assert_eq!(stored(&store), None);
    }
}
