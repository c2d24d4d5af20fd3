//! The words that announce a secret.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// What kind of secret a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Password,
    /// A key or token for programs: never a common word.
    Key,
    /// Digits.
    Pin,
    /// The check number of a card, also called security code: three digits are enough.
    CardCheck,
    /// Digits, maybe with letters. "Code" has many other meanings, so this kind is read with the most care.
    Code,
}

impl Kind {
    /// What takes the place of the secret.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Kind::Password | Kind::Key => "[REDACTED]",
            Kind::Pin | Kind::CardCheck => "[REDACTED_PIN]",
            Kind::Code => "[REDACTED_OTP]",
        }
    }
}

/// A label in a text.
pub(super) struct Label {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

/// All labels that are words of their own.
pub(super) fn find(text: &str) -> impl Iterator<Item = Label> {
    LABELS.find_iter(text).filter_map(|found| {
        let kind = kind_of(found.as_str())?;
        let is_word_sign = |c: char| c.is_alphanumeric() || c == '_';
        let may_end_compound = found.as_str().to_lowercase().ends_with("wort");
        let starts = may_end_compound || !text[..found.start()].ends_with(is_word_sign);
        let ends = !text[found.end()..].starts_with(is_word_sign);
        (starts && ends).then(|| Label { range: found.range(), kind })
    })
}

fn kind_of(label: &str) -> Option<Kind> {
    KINDS.iter().find(|(_, pattern)| pattern.is_match(label)).map(|(kind, _)| *kind)
}

/// The labels of each kind. Within one pattern the longer label comes first. They have no word boundaries, which slow
/// the search down in texts that are not ASCII: [`find`] checks them.
const PATTERNS: [(Kind, &str); 5] = [
    (
        Kind::Password,
        "pass[ -]?word|passwd|pw|pass[ -]?phrase|pass[ -]?code|passwort|kennwort|mot de passe|phrase secrète|phrase de passe\
         |contrase[ñn]a|senha|palavra[ -]passe|parola d['’]ordine|parola segreta",
    ),
    (
        Kind::Key,
        "api[ _-]?key|(?:wi-?fi|network) key|api[ -]?schlüssel|(?:wlan|wifi|wi-fi|netzwerk|zugangs)[ -]?schlüssel|clé (?:d['’])?api\
         |clé (?:du )?wi-?fi|chiave api|chiave (?:del )?wi-?fi|chave (?:da |de )?api|clave|chave de acesso\
         |(?:access|secret|refresh|auth|recovery)[ _-]?(?:key|token)|token",
    ),
    (
        Kind::CardCheck,
        "cvv2?|cvc2?|security code|sicherheitscode|kartenprüfnummer|code de sécurité|código de segur(?:idad|ança)\
         |codice di sicurezza",
    ),
    (
        Kind::Pin,
        "pin(?:[ -]?(?:code|number|nummer))?|code pin|código pin|codice pin|geheimzahl|(?-i:PUK|NIP)(?:[ -]?code)?",
    ),
    (
        Kind::Code,
        "(?:bestätigungs|zugangs|verifizierungs|freischalt|aktivierungs|tür|anmelde|einmal|prüf|geheim\
         |entsperr|sms-?|tan-?)code|digicode|code|c[óo]digo|codice|(?-i:OTP|TAN)|otp",
    ),
];

static LABELS: LazyLock<Regex> = LazyLock::new(|| {
    let all: Vec<&str> = [Kind::Password, Kind::Key, Kind::CardCheck, Kind::Pin, Kind::Code]
        .into_iter()
        .filter_map(|kind| PATTERNS.iter().find(|(of, _)| *of == kind))
        .map(|(_, pattern)| *pattern)
        .collect();
    compile(&format!("(?i){}", all.join("|")))
});

static KINDS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    PATTERNS.iter().map(|(kind, pattern)| (*kind, compile(&format!("(?i)^(?:{pattern})$")))).collect()
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}
