//! Frequent words of languages without data that resemble one with data. A text of theirs is in no known language.

/// Hungarian, Romanian, Czech, Slovak, Catalan, Indonesian, Swedish, Danish and Norwegian, Finnish, Bulgarian.
pub(super) const OTHER_LANGUAGES: [&str; 10] = [
    "a az és nem van egy hogy is de meg már ez én vagyok nekem szeretem lakom mi hol mikor milyen kérlek",
    "și nu este sunt un o de la cu în pe mi am ce să că pentru mă e din eu are a mea meu nici unde când cum te rog",
    "a je se na v že to jsem mám ne s do já i z o si pro ale můj moje co kde kdy jak prosím jaké",
    "a je sa na v že to som mám nie s do ja i z o si pre ale môj moja čo kde kedy ako prosím aké",
    "el la els les i és un una de del que amb no en em per a meva meu visc tinc soc l d on quan com quina si us plau",
    "dan yang di saya tidak ini itu dengan untuk ke dari ada adalah akan apa di mana kapan berapa tolong",
    "och att det är en ett jag du vi han hon inte på för med till av som har den vad var när hur vem min mitt kan snälla",
    "og at det er en et jeg du vi han hun ikke på for med til av som har den hva hvad hvor når hvordan hvem min mitt kan",
    "ja on ei se että en hän minä sinä mikä missä milloin miten kuka minun mitä voi kiitos ole",
    "и е на да не се в за с от по аз ти той тя ние вие това какво къде кога кой как моля съм си са като ще",
];
