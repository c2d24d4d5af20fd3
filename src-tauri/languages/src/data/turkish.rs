//! Turkish.

use crate::language_data::{LanguageData, WordOrder, Writing};
use crate::word_list::{phrases, words};

pub(super) const TURKISH: LanguageData = LanguageData {
    code: "tr",
    english_name: "Turkish",
    own_name: "Türkçe",
    writing: Writing::Spaced,
    word_order: WordOrder::QuestionWordInPlace,
    function_words: words(
        "bir ve veya ya ama fakat çünkü eğer ki de da ile için gibi kadar göre sonra önce üzerine hakkında bu şu o bunu
        şunu onu bana sana ona bize size onlara ben sen biz siz onlar beni seni bizi mi mı mu mü midir değil var yok
        çok daha en her hiç bütün tüm şey olarak oldu olur olan misin mısın musun müsün miyim mıyım musunuz lütfen
        şimdi bugün yarın burada orada artık sadece hem ise",
    ),
    question_words: words("ne nerede nereye nereden kim kimin kime hangi nasıl neden niye niçin kaç kaçta zaman"),
    possessives: words("benim bizim"),
    continuation_words: words("ama bir bu çünkü eğer fakat gibi hakkında hem için ile kadar ki şu ve veya ya"),
    fillers: words("ııı ıı eee hmm hm"),
    yes: phrases(
        "evet | evet lütfen | tamam | olur | tabii | tabii ki | peki | elbette | ok | yap | yap bunu | aynen | kesinlikle",
    ),
    no: phrases("hayır | hayır teşekkürler | yok | vazgeç | iptal | iptal et | olmaz | boş ver | şimdi değil | istemiyorum"),
    stop_words: phrases(
        "dur | stop | sus | yeter | yeter artık | sessiz ol | sessizlik | kes | kes sesini | durdur | tamam yeter | bırak",
    ),
    polite_words: phrases("lütfen | teşekkürler | teşekkür ederim | sağ ol"),
    greetings: words("merhaba hey selam tamam alo hadi"),
    request_openers: phrases(
        "lütfen | yapabilir misin | söyler misin | eder misin | bana hatırlat | hatırlat | söyle | göster | ver | kur |
        aç | kapat | çal | bul | ara | ekle | yaz | oku | anlat | nedir | kaç | istiyorum | lazım",
    ),
    looking_back: phrases(
        "söylemiştim | söyledim | söylemiş miydim | demiştim | dedim | hatırlıyor musun | hatırlıyor musunuz | bahsetmiştim",
    ),
    advice: phrases(
        "yapmalıyım | etmeliyim | almalıyım | gitmeliyim | giymeliyim | gerekir mi | gerekiyor mu | yapabilirim |
        edebilirim | alabilirim | yapayım | edeyim | alayım",
    ),
    numbers: [
        "sıfır",
        "bir",
        "iki",
        "üç",
        "dört",
        "beş",
        "altı",
        "yedi",
        "sekiz",
        "dokuz",
        "on",
        "on bir",
        "on iki",
        "on üç",
        "on dört",
        "on beş",
        "on altı",
        "on yedi",
        "on sekiz",
        "on dokuz",
        "yirmi",
        "yirmi bir",
        "yirmi iki",
        "yirmi üç",
        "yirmi dört",
        "yirmi beş",
        "yirmi altı",
        "yirmi yedi",
        "yirmi sekiz",
        "yirmi dokuz",
        "otuz",
        "otuz bir",
    ],
    tens: ["kırk", "elli", "altmış", "yetmiş", "seksen", "doksan", "yüz"],
    letters: "çğıöşüâ",
    endings: words("ın inde eri ır ında sı nı rı nin lı ini esi ına ği nda ıyor iyor yorum lar ler mak mek acak ecek"),
    sentence_ends: &['.', '!', '?', '…'],
    abbreviations: words("dr. prof. doç. av. sn. vb. vs. bkz. örn. yy. cad. sok. mah. apt."),
    abbreviations_before_numbers: words("no. s. md. tel."),
    has_ordinals_with_full_stop: true,
    default_voice: Some("tr_TR-dfki-medium"),
};
