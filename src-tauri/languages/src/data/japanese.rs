//! Japanese.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const JAPANESE: LanguageData = LanguageData {
    code: "ja",
    english_name: "Japanese",
    own_name: "日本語",
    writing: Writing::Unspaced,
    word_order: WordOrder::QuestionWordInPlace,
    function_words: words(
        "の は が を に へ と で も や から まで より ね よ か な です ます でした ました ません ない する した して
        いる ある あります います この その あの これ それ あれ ここ そこ あそこ 私 僕 俺 あなた 彼 彼女 そして
        でも また ください",
    ),
    question_words: words("何 なに なん どこ 誰 だれ いつ どれ どの どう なぜ どうして いくら いくつ 何時"),
    possessives: words("私の 僕の 俺の わたしの うちの 私たちの"),
    continuation_words: words("を に へ は が と の や そして それで だから でも しかし または もし 例えば"),
    fillers: words("えーと ええと えっと あのー えー うーん んー"),
    yes: phrases(
        "はい | うん | ええ | そうです | お願いします | お願い | いいよ | いいです | いいですよ | もちろん | オーケー |
        大丈夫 | どうぞ | やって",
    ),
    no: phrases(
        "いいえ | いや | ううん | 違います | だめ | ダメ | いりません | いらない | 結構です | やめておく | キャンセル |
        やめときます",
    ),
    stop_words: phrases(
        "止めて | やめて | ストップ | 止まって | 黙って | 静かに | 静かにして | もういい | もういいよ | うるさい",
    ),
    polite_words: phrases("お願いします | お願い | ください | ありがとう"),
    greetings: words("ねえ ねぇ ヘイ おい こんにちは やあ ハロー オーケー"),
    request_openers: phrases(
        "してください | して | 教えて | 見せて | かけて | つけて | 消して | 開いて | 探して | 追加して | 書いて | 読んで |
        リマインド | 思い出させて | お願い | とは",
    ),
    looking_back: phrases("言った | 言いました | 話した | 話しました | 伝えた | 覚えて"),
    advice: phrases("べき | いいですか | ましょうか | ばいい | たらいい | てもいい"),
    numbers: [
        "零|ゼロ", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二", "十三", "十四", "十五",
        "十六", "十七", "十八", "十九", "二十", "二十一", "二十二", "二十三", "二十四", "二十五", "二十六", "二十七",
        "二十八", "二十九", "三十", "三十一",
    ],
    tens: ["四十", "五十", "六十", "七十", "八十", "九十", "百"],
    letters: "",
    endings: words(""),
    sentence_ends: &['。', '！', '？', '!', '?', '…'],
    abbreviations: words(""),
    abbreviations_before_numbers: words(""),
    has_ordinals_with_full_stop: false,
    default_voice: None,
};
