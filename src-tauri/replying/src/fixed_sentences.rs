//! Sentences that no model words, in the languages that we have data of.

use vocabulary::Language;

/// The sentences of one language.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FixedSentences {
    /// ISO 639-1.
    code: &'static str,
    /// The user asks for what was never told.
    pub nothing_known: &'static str,
    /// Of several requests some were done.
    pub rest_undone: &'static str,
    /// A tool takes its time.
    pub one_moment: &'static str,
}

impl FixedSentences {
    /// The sentences of this language, of English where there are none.
    pub fn of(language: Option<&Language>) -> &'static Self {
        let of_language = |code: &str| ALL.iter().find(|sentences| sentences.code == code);
        language.and_then(|language| of_language(language.code())).unwrap_or(&ALL[0])
    }

    /// Whether a text says, in any language, that nothing is known.
    pub fn is_nothing_known(text: &str) -> bool {
        ALL.iter().any(|sentences| sentences.nothing_known == text)
    }

    /// The language that they are in.
    pub fn language(&self) -> Option<Language> {
        Language::new(self.code)
    }
}

/// English first: it stands in for languages that are missing.
const ALL: [FixedSentences; 15] = [
    FixedSentences {
        code: "en",
        nothing_known: "I don't know that: I find nothing about it in my memory.",
        rest_undone: "I could not do the rest.",
        one_moment: "One moment.",
    },
    FixedSentences {
        code: "de",
        nothing_known: "Das weiß ich nicht: In meiner Erinnerung finde ich nichts darüber.",
        rest_undone: "Den Rest konnte ich nicht erledigen.",
        one_moment: "Einen Moment.",
    },
    FixedSentences {
        code: "fr",
        nothing_known: "Je ne le sais pas : je ne trouve rien à ce sujet dans ma mémoire.",
        rest_undone: "Je n'ai pas pu faire le reste.",
        one_moment: "Un instant.",
    },
    FixedSentences {
        code: "es",
        nothing_known: "No lo sé: no encuentro nada sobre eso en mi memoria.",
        rest_undone: "No he podido hacer el resto.",
        one_moment: "Un momento.",
    },
    FixedSentences {
        code: "it",
        nothing_known: "Non lo so: nella mia memoria non trovo nulla in proposito.",
        rest_undone: "Non sono riuscito a fare il resto.",
        one_moment: "Un attimo.",
    },
    FixedSentences {
        code: "pt",
        nothing_known: "Não sei: não encontro nada sobre isso na minha memória.",
        rest_undone: "Não consegui fazer o resto.",
        one_moment: "Um momento.",
    },
    FixedSentences {
        code: "nl",
        nothing_known: "Dat weet ik niet: ik vind er niets over in mijn geheugen.",
        rest_undone: "De rest is niet gelukt.",
        one_moment: "Een ogenblik.",
    },
    FixedSentences {
        code: "pl",
        nothing_known: "Nie wiem: nie znajduję nic na ten temat w swojej pamięci.",
        rest_undone: "Reszty nie udało się wykonać.",
        one_moment: "Chwileczkę.",
    },
    FixedSentences {
        code: "tr",
        nothing_known: "Bilmiyorum: belleğimde bununla ilgili bir şey bulamadım.",
        rest_undone: "Gerisini yapamadım.",
        one_moment: "Bir saniye.",
    },
    FixedSentences {
        code: "ru",
        nothing_known: "Я этого не знаю: в моей памяти об этом ничего нет.",
        rest_undone: "Остальное сделать не удалось.",
        one_moment: "Минутку.",
    },
    FixedSentences {
        code: "uk",
        nothing_known: "Я цього не знаю: у моїй пам'яті про це нічого немає.",
        rest_undone: "Решту зробити не вдалося.",
        one_moment: "Хвилинку.",
    },
    FixedSentences {
        code: "ja",
        nothing_known: "わかりません。そのことは記憶にありません。",
        rest_undone: "残りはできませんでした。",
        one_moment: "少々お待ちください。",
    },
    FixedSentences {
        code: "zh",
        nothing_known: "我不知道，我的记忆里没有这方面的内容。",
        rest_undone: "其余的没能完成。",
        one_moment: "请稍等。",
    },
    FixedSentences {
        code: "ko",
        nothing_known: "모르겠습니다. 제 기억에 그에 관한 내용이 없습니다.",
        rest_undone: "나머지는 하지 못했습니다.",
        one_moment: "잠시만요.",
    },
    FixedSentences {
        code: "ar",
        nothing_known: "لا أعرف ذلك، فلا أجد شيئا عنه في ذاكرتي.",
        rest_undone: "لم أتمكن من إنجاز الباقي.",
        one_moment: "لحظة من فضلك.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_sentences() {
        for data in languages::all() {
            let sentences = FixedSentences::of(Language::new(data.code).as_ref());

            assert_eq!(sentences.code, data.code);
            for text in [sentences.nothing_known, sentences.rest_undone] {
                let detected = languages::detect(text).map(|it| it.language);
                assert!(
                    detected.is_none_or(|it| it.code() == data.code),
                    "{text} is taken for another language"
                );
            }
        }
    }

    #[test]
    fn language_without_sentences_gets_the_english_ones() {
        assert_eq!(FixedSentences::of(Language::new("fi").as_ref()).code, "en");
        assert_eq!(FixedSentences::of(None).code, "en");
    }
}
