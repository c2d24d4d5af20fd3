//! Korean.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const KOREAN: LanguageData = LanguageData {
    code: "ko",
    english_name: "Korean",
    own_name: "한국어",
    writing: Writing::SpacedWithParticles,
    word_order: WordOrder::QuestionWordInPlace,
    function_words: words(
        "나 나는 난 내가 나를 저 저는 제가 너 너는 네가 당신 우리 우리는 그 그는 그녀 이 이것 이거 그것 그거 저것 저거
        여기 거기 저기 그리고 그런데 하지만 그래서 또 또는 및 수 것 거 좀 더 안 못 이다 있다 없다 있어 없어 있어요 없어요
        해 해줘 해요 지금 오늘 내일 너무 아주 정말",
    ),
    question_words: words("뭐 무엇 무슨 어디 언제 누구 누가 왜 어떻게 어떤 얼마 몇 어느"),
    possessives: words("내 제 나의 저의 우리 우리의"),
    continuation_words: words("그리고 그런데 하지만 그래서 왜냐하면 만약 또는 그러면 및"),
    fillers: words("음 어 으음 에 흠"),
    yes: phrases(
        "네 | 예 | 응 | 그래 | 그래요 | 좋아 | 좋아요 | 물론 | 물론이죠 | 맞아 | 맞아요 | 오케이 | 해줘 | 해 줘 | 부탁해 |
        부탁해요 | 어",
    ),
    no: phrases(
        "아니 | 아니요 | 아니오 | 아뇨 | 싫어 | 싫어요 | 됐어 | 됐어요 | 괜찮아요 | 취소 | 취소해 | 하지 마 | 하지마 | 나중에",
    ),
    stop_words: phrases(
        "그만 | 그만해 | 그만해요 | 멈춰 | 멈춰줘 | 스톱 | 정지 | 조용 | 조용히 | 조용히 해 | 조용히해 | 닥쳐 | 됐어 그만 |
        중지",
    ),
    polite_words: phrases("부탁해 | 부탁해요 | 제발 | 고마워 | 고마워요 | 감사합니다"),
    greetings: words("야 헤이 안녕 저기 저기요 여보세요 안녕하세요"),
    request_openers: phrases(
        "해줘 | 해 줘 | 알려줘 | 알려 줘 | 말해줘 | 말해 줘 | 보여줘 | 보여 줘 | 틀어줘 | 틀어 줘 | 켜줘 | 켜 줘 | 꺼줘 |
        꺼 줘 | 열어줘 | 찾아줘 | 추가해줘 | 읽어줘 | 써줘 | 설정해 | 부탁해 | 해줄래 | 할 수 있어",
    ),
    looking_back: phrases("내가 말했 | 내가 말한 | 말했지 | 말했어 | 얘기했 | 기억나 | 기억해"),
    advice: phrases("해야 | 할까 | 하면 될까 | 해도 돼 | 해도 될까 | 어떡해야"),
    numbers: [
        "영|공",
        "일|하나|한",
        "이|둘|두",
        "삼|셋|세",
        "사|넷|네",
        "오|다섯",
        "육|여섯",
        "칠|일곱",
        "팔|여덟",
        "구|아홉",
        "십|열",
        "십일|열하나|열한",
        "십이|열둘|열두",
        "십삼|열셋",
        "십사|열넷",
        "십오|열다섯",
        "십육|열여섯",
        "십칠|열일곱",
        "십팔|열여덟",
        "십구|열아홉",
        "이십|스물|스무",
        "이십일|스물하나|스물한",
        "이십이|스물둘|스물두",
        "이십삼|스물셋",
        "이십사|스물넷",
        "이십오|스물다섯",
        "이십육|스물여섯",
        "이십칠|스물일곱",
        "이십팔|스물여덟",
        "이십구|스물아홉",
        "삼십|서른",
        "삼십일|서른하나|서른한",
    ],
    tens: ["사십|마흔", "오십|쉰", "육십|예순", "칠십|일흔", "팔십|여든", "구십|아흔", "백"],
    letters: "",
    endings: words(""),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words(""),
    abbreviations_before_numbers: words(""),
    has_ordinals_with_full_stop: false,
    default_voice: None,
};
