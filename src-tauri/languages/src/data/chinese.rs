//! Chinese, in simplified and traditional characters.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const CHINESE: LanguageData = LanguageData {
    code: "zh",
    english_name: "Chinese",
    own_name: "中文",
    writing: Writing::Unspaced,
    word_order: WordOrder::QuestionWordInPlace,
    function_words: words(
        "的 了 是 在 什 么 麼 里 裡 也 何 誰 谁 我 你 他 她 它 们 們 这 這 那 吗 嗎 呢 吧 啊 不 没 沒 有 和 跟 与 與 都 就 还 還 很 把 被 给 給 从
        從 到 对 對 让 讓 要 会 會 能 可以 个 個 请 請 因为 因為 所以 但是 如果 一下 现在 現在",
    ),
    question_words: words(
        "什么 什麼 哪 哪里 哪裡 哪儿 谁 誰 几 幾 何时 何時 何 多少 怎么 怎麼 为什么 為什麼 多久 几点 幾點",
    ),
    possessives: words("我的 我们的 我們的 咱们的"),
    continuation_words: words("和 跟 因为 因為 所以 但是 可是 如果 还有 還有 或者 然后 然後 而且 以及 的话 比如"),
    fillers: words("嗯 呃 额 唔 呃呃"),
    yes: phrases(
        "是 | 是的 | 好 | 好的 | 好啊 | 可以 | 行 | 对 | 對 | 对的 | 当然 | 當然 | 没问题 | 沒問題 | 要 | 嗯 | 去吧 | 请吧",
    ),
    no: phrases(
        "不 | 不是 | 不要 | 不用 | 不用了 | 不行 | 算了 | 取消 | 没有 | 沒有 | 不了 | 不需要 | 别 | 別 | 不用谢谢",
    ),
    stop_words: phrases(
        "停 | 停下 | 停止 | 停一下 | 别说了 | 別說了 | 不要说了 | 不要說了 | 安静 | 安靜 | 闭嘴 | 閉嘴 | 够了 | 夠了 |
        打住 | 住口",
    ),
    polite_words: phrases("请 | 請 | 谢谢 | 謝謝 | 麻烦"),
    greetings: words("嘿 嗨 喂 你好 哈喽 哎 您好"),
    request_openers: phrases(
        "请 | 請 | 帮我 | 幫我 | 你能 | 能不能 | 可以帮我 | 提醒我 | 告诉我 | 告訴我 | 给我 | 給我 | 打开 | 打開 | 关掉 |
        關掉 | 关闭 | 播放 | 设置 | 設置 | 设一个 | 查一下 | 找 | 搜索 | 添加 | 写 | 寫 | 念 | 我想 | 我要",
    ),
    looking_back: phrases("我说过 | 我說過 | 我告诉过 | 我告诉你 | 我告訴過 | 我提到 | 记得 | 記得"),
    advice: phrases("应该 | 應該 | 可以 | 能不能 | 该不该 | 要不要"),
    numbers: [
        "零|〇", "一", "二|两|兩", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二", "十三", "十四", "十五",
        "十六", "十七", "十八", "十九", "二十", "二十一", "二十二", "二十三", "二十四", "二十五", "二十六", "二十七",
        "二十八", "二十九", "三十", "三十一",
    ],
    tens: ["四十", "五十", "六十", "七十", "八十", "九十", "一百"],
    letters: "",
    endings: words(""),
    sentence_ends: &['。', '！', '？', '!', '?', '…'],
    abbreviations: words(""),
    abbreviations_before_numbers: words(""),
    has_ordinals_with_full_stop: false,
    default_voice: Some("zh_CN-huayan-medium"),
};
