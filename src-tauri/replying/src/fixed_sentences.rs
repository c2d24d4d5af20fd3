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
    /// The answer of the model was malformed.
    pub garbled: &'static str,
    /// The model gave no answer.
    pub no_answer: &'static str,
    /// What would help where the model is small.
    pub larger_model: &'static str,
    /// A call did not run.
    pub not_done: &'static str,
    /// The answer to a dismissal that was typed.
    pub dismissed: &'static str,
    /// A call lacks what the user has to say.
    pub missing: &'static str,
}

/// What is apologised for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Apology {
    /// The answer of the model was malformed.
    Garbled,
    /// The model gave no answer.
    NoAnswer,
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

    /// Which apology a text is, in any language.
    pub fn of_apology(text: &str) -> Option<Apology> {
        ALL.iter().find_map(|sentences| match text {
            _ if text.starts_with(sentences.garbled) => Some(Apology::Garbled),
            _ if text == sentences.no_answer => Some(Apology::NoAnswer),
            _ => None,
        })
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
        garbled: "I'm afraid that came out garbled. Could you ask me again, perhaps in other words?",
        no_answer: "I'm afraid I have no answer to that. Could you put it another way?",
        larger_model: "A larger language model, in the settings, would manage more.",
        not_done: "I have left that undone.",
        dismissed: "Very well.",
        missing: "Could you say that in full? I am missing how long, when, or what exactly.",
    },
    FixedSentences {
        code: "de",
        nothing_known: "Das weiß ich nicht: In meiner Erinnerung finde ich nichts darüber.",
        rest_undone: "Den Rest konnte ich nicht erledigen.",
        one_moment: "Einen Moment.",
        garbled: "Das ist mir leider missraten. Fragst du mich noch einmal, vielleicht mit anderen Worten?",
        no_answer: "Darauf habe ich leider keine Antwort. Kannst du es anders sagen?",
        larger_model: "Ein größeres Sprachmodell, in den Einstellungen, könnte mehr.",
        not_done: "Das habe ich nicht getan.",
        dismissed: "In Ordnung.",
        missing: "Sag es bitte genauer: Welche Angabe fehlt noch?",
    },
    FixedSentences {
        code: "fr",
        nothing_known: "Je ne le sais pas : je ne trouve rien à ce sujet dans ma mémoire.",
        rest_undone: "Je n'ai pas pu faire le reste.",
        one_moment: "Un instant.",
        garbled: "Désolé, ma réponse était incompréhensible. Pouvez-vous reposer la question, peut-être autrement ?",
        no_answer: "Désolé, je n'ai pas de réponse à cela. Pouvez-vous le dire autrement ?",
        larger_model: "Un modèle de langue plus grand, dans les réglages, y arriverait mieux.",
        not_done: "Je ne l'ai pas fait.",
        dismissed: "Très bien.",
        missing: "Pouvez-vous préciser ? Il me manque une indication.",
    },
    FixedSentences {
        code: "es",
        nothing_known: "No lo sé: no encuentro nada sobre eso en mi memoria.",
        rest_undone: "No he podido hacer el resto.",
        one_moment: "Un momento.",
        garbled: "Lo siento, la respuesta me ha salido mal. ¿Me lo preguntas otra vez, quizá con otras palabras?",
        no_answer: "Lo siento, no tengo respuesta para eso. ¿Puedes decirlo de otra manera?",
        larger_model: "Un modelo de lenguaje más grande, en los ajustes, podría con más.",
        not_done: "No lo he hecho.",
        dismissed: "Muy bien.",
        missing: "¿Puedes decirlo con más detalle? Me falta un dato.",
    },
    FixedSentences {
        code: "it",
        nothing_known: "Non lo so: nella mia memoria non trovo nulla in proposito.",
        rest_undone: "Non sono riuscito a fare il resto.",
        one_moment: "Un attimo.",
        garbled: "Mi dispiace, la risposta è venuta male. Puoi chiedermelo di nuovo, magari con altre parole?",
        no_answer: "Mi dispiace, non ho una risposta. Puoi dirlo in un altro modo?",
        larger_model: "Un modello linguistico più grande, nelle impostazioni, riuscirebbe meglio.",
        not_done: "Non l'ho fatto.",
        dismissed: "Va bene.",
        missing: "Puoi essere più preciso? Mi manca un dato.",
    },
    FixedSentences {
        code: "pt",
        nothing_known: "Não sei: não encontro nada sobre isso na minha memória.",
        rest_undone: "Não consegui fazer o resto.",
        one_moment: "Um momento.",
        garbled: "Desculpe, a resposta saiu mal. Pode perguntar outra vez, talvez com outras palavras?",
        no_answer: "Desculpe, não tenho resposta para isso. Pode dizer de outra maneira?",
        larger_model: "Um modelo de linguagem maior, nas definições, conseguiria mais.",
        not_done: "Não o fiz.",
        dismissed: "Muito bem.",
        missing: "Pode dizer com mais pormenor? Falta-me um dado.",
    },
    FixedSentences {
        code: "nl",
        nothing_known: "Dat weet ik niet: ik vind er niets over in mijn geheugen.",
        rest_undone: "De rest is niet gelukt.",
        one_moment: "Een ogenblik.",
        garbled: "Sorry, dat antwoord is mislukt. Wil je het nog eens vragen, misschien in andere woorden?",
        no_answer: "Sorry, daar heb ik geen antwoord op. Kun je het anders zeggen?",
        larger_model: "Een groter taalmodel, in de instellingen, zou meer kunnen.",
        not_done: "Dat heb ik niet gedaan.",
        dismissed: "Goed.",
        missing: "Kun je het preciezer zeggen? Ik mis een gegeven.",
    },
    FixedSentences {
        code: "pl",
        nothing_known: "Nie wiem: nie znajduję nic na ten temat w swojej pamięci.",
        rest_undone: "Reszty nie udało się wykonać.",
        one_moment: "Chwileczkę.",
        garbled: "Przepraszam, odpowiedź mi się nie udała. Możesz zapytać jeszcze raz, może innymi słowami?",
        no_answer: "Przepraszam, nie mam na to odpowiedzi. Możesz powiedzieć to inaczej?",
        larger_model: "Większy model językowy, w ustawieniach, poradziłby sobie lepiej.",
        not_done: "Nie zrobiłem tego.",
        dismissed: "Dobrze.",
        missing: "Możesz powiedzieć to dokładniej? Brakuje mi informacji.",
    },
    FixedSentences {
        code: "tr",
        nothing_known: "Bilmiyorum: belleğimde bununla ilgili bir şey bulamadım.",
        rest_undone: "Gerisini yapamadım.",
        one_moment: "Bir saniye.",
        garbled: "Üzgünüm, yanıtım bozuk çıktı. Belki başka sözcüklerle yeniden sorar mısın?",
        no_answer: "Üzgünüm, buna bir yanıtım yok. Başka türlü söyler misin?",
        larger_model: "Ayarlardaki daha büyük bir dil modeli daha fazlasını yapabilir.",
        not_done: "Bunu yapmadım.",
        dismissed: "Peki.",
        missing: "Daha açık söyler misin? Bir bilgi eksik.",
    },
    FixedSentences {
        code: "ru",
        nothing_known: "Я этого не знаю: в моей памяти об этом ничего нет.",
        rest_undone: "Остальное сделать не удалось.",
        one_moment: "Минутку.",
        garbled: "К сожалению, ответ вышел бессвязным. Спросите ещё раз, может быть, другими словами?",
        no_answer: "К сожалению, у меня нет ответа. Скажете это по-другому?",
        larger_model: "Языковая модель побольше, в настройках, справится лучше.",
        not_done: "Я этого не сделал.",
        dismissed: "Хорошо.",
        missing: "Скажете точнее? Мне не хватает данных.",
    },
    FixedSentences {
        code: "uk",
        nothing_known: "Я цього не знаю: у моїй пам'яті про це нічого немає.",
        rest_undone: "Решту зробити не вдалося.",
        one_moment: "Хвилинку.",
        garbled: "На жаль, відповідь вийшла незрозумілою. Запитаєте ще раз, можливо, іншими словами?",
        no_answer: "На жаль, я не маю на це відповіді. Скажете це інакше?",
        larger_model: "Більша мовна модель, у налаштуваннях, упоралася б краще.",
        not_done: "Я цього не зробив.",
        dismissed: "Добре.",
        missing: "Скажете точніше? Мені бракує даних.",
    },
    FixedSentences {
        code: "ja",
        nothing_known: "わかりません。そのことは記憶にありません。",
        rest_undone: "残りはできませんでした。",
        one_moment: "少々お待ちください。",
        garbled: "申し訳ありません、うまく答えられませんでした。別の言い方でもう一度聞いていただけますか。",
        no_answer: "申し訳ありません、お答えできません。別の言い方をしていただけますか。",
        larger_model: "設定でより大きな言語モデルを選ぶと、できることが増えます。",
        not_done: "それは実行していません。",
        dismissed: "承知しました。",
        missing: "もう少し詳しく教えていただけますか。必要な情報が足りません。",
    },
    FixedSentences {
        code: "zh",
        nothing_known: "我不知道，我的记忆里没有这方面的内容。",
        rest_undone: "其余的没能完成。",
        one_moment: "请稍等。",
        garbled: "抱歉，我的回答乱了。您能换个说法再问一次吗？",
        no_answer: "抱歉，这个我答不上来。您能换个说法吗？",
        larger_model: "在设置里选择更大的语言模型会更好。",
        not_done: "我没有这样做。",
        dismissed: "好的。",
        missing: "您能说得更具体一些吗？还缺一项信息。",
    },
    FixedSentences {
        code: "ko",
        nothing_known: "모르겠습니다. 제 기억에 그에 관한 내용이 없습니다.",
        rest_undone: "나머지는 하지 못했습니다.",
        one_moment: "잠시만요.",
        garbled: "죄송합니다. 답이 엉망이 되었습니다. 다른 말로 다시 물어봐 주시겠어요?",
        no_answer: "죄송합니다. 그것에는 답할 수 없습니다. 다르게 말씀해 주시겠어요?",
        larger_model: "설정에서 더 큰 언어 모델을 고르면 더 잘할 수 있습니다.",
        not_done: "그것은 하지 않았습니다.",
        dismissed: "알겠습니다.",
        missing: "조금 더 자세히 말씀해 주시겠어요? 필요한 정보가 빠져 있습니다.",
    },
    FixedSentences {
        code: "ar",
        nothing_known: "لا أعرف ذلك، فلا أجد شيئا عنه في ذاكرتي.",
        rest_undone: "لم أتمكن من إنجاز الباقي.",
        one_moment: "لحظة من فضلك.",
        garbled: "عذرا، خرج جوابي مشوشا. هل تسألني مرة أخرى، ربما بكلمات أخرى؟",
        no_answer: "عذرا، ليس لدي جواب عن ذلك. هل تقوله بطريقة أخرى؟",
        larger_model: "نموذج لغوي أكبر، من الإعدادات، سيفعل أكثر.",
        not_done: "لم أفعل ذلك.",
        dismissed: "حسنا.",
        missing: "هل يمكنك أن تكون أكثر تحديدا؟ تنقصني معلومة.",
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
            for text in [sentences.nothing_known, sentences.garbled, sentences.no_answer] {
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
