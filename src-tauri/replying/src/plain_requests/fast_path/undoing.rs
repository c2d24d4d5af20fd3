//! "Undo that" in the languages without a table of requests: whole requests, word for word.

use languages::{LanguageData, Writing, folded};

use super::tokens::{Token, tokens};

/// Returns `true` if the tokens ask to undo the newest change in one of these languages.
pub(super) fn asks_to_undo(tokens: &[Token]) -> bool {
    let mut languages = languages::all().iter().filter(|data| !data.undo_requests.is_empty());
    languages.any(|data| is_undo_request(tokens, data))
}

fn is_undo_request(tokens: &[Token], data: &LanguageData) -> bool {
    let text = joined(tokens, data);
    let request = without_polite_words(&text, data);
    data.undo_requests.iter().any(|phrase| written(phrase, data) == request)
}

/// The words with one space between them, or without spaces if the language has none, or sets them as one likes.
fn joined(tokens: &[Token], data: &LanguageData) -> String {
    let gap = if data.writing == Writing::Spaced { " " } else { "" };
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(gap)
}

/// A phrase of the language in the form of a request.
fn written(phrase: &str, data: &LanguageData) -> String {
    joined(&tokens(&folded(phrase)), data)
}

/// Without "hey" and "please" at the beginning, and without "please" and "thanks" at the end.
fn without_polite_words<'a>(text: &'a str, data: &LanguageData) -> &'a str {
    let is_apart =
        |rest: &&str| data.writing != Writing::Spaced || rest.trim().len() < rest.len() || rest.is_empty();
    let (greetings, polite) = (data.greetings, data.polite_words);
    let mut text = text;
    loop {
        let mut beginnings = greetings.iter().chain(polite.iter()).chain(data.fillers.iter());
        let after = beginnings.find_map(|word| text.strip_prefix(&*written(word, data)).filter(is_apart));
        let before =
            || polite.iter().find_map(|word| text.strip_suffix(&*written(word, data)).filter(is_apart));
        match after.or_else(before) {
            Some(rest) => text = rest.trim(),
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::arabic(&["تراجع", "تراجع عن ذلك من فضلك", "ألغِ آخر تغيير", "أعد كل شيء كما كان"])]
    #[case::japanese(&["元に戻して", "それを元に戻してください。", "さっきのを取り消して", "ねえ、最後の変更を取り消して、お願いします"])]
    #[case::korean(&["되돌려줘", "방금 한 거 취소해 줘", "마지막 변경을 되돌려 주세요", "실행 취소"])]
    #[case::polish(&["Cofnij to", "Cofnij ostatnią zmianę, proszę", "cofnij to, co zrobiłeś"])]
    #[case::russian(&["Отмени последнее действие", "Верни всё как было", "пожалуйста, отмени это", "Откати изменения"])]
    #[case::ukrainian(&["Скасуй це", "Скасуй останню зміну, будь ласка", "поверни все як було"])]
    #[case::chinese(&["撤销", "请撤销刚才的操作", "把它改回来。", "撤銷上一步"])]
    fn whole_request_is_an_undo(#[case] requests: &[&str]) {
        let left: Vec<_> = requests.iter().filter(|text| !asks_to_undo(&tokens(text))).collect();

        assert!(left.is_empty(), "{left:?}");
    }

    #[rstest]
    #[case::arabic(&["تراجع السعر اليوم", "كيف أتراجع عن طلبي", "من فضلك"])]
    #[case::japanese(&["お金を元に戻して", "予約を取り消してはいけない", "ください"])]
    #[case::korean(&["돈을 되돌려 줘", "예약 취소해 줘"])]
    #[case::polish(&["cofnij samochód", "jak cofnąć ostatnią zmianę w Wordzie"])]
    #[case::russian(&["верни деньги", "как отменить последнее действие в ворде", "отмени это свидание"])]
    #[case::ukrainian(&["поверни гроші", "як скасувати останню дію у Word"])]
    #[case::chinese(&["撤销合同", "怎么撤销刚才的操作", "请"])]
    fn sentence_about_something_else_is_no_undo(#[case] sentences: &[&str]) {
        let taken: Vec<_> = sentences.iter().filter(|text| asks_to_undo(&tokens(text))).collect();

        assert!(taken.is_empty(), "{taken:?}");
    }
}
