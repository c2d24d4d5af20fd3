mod variations;

use rstest::rstest;

use super::*;

#[rstest]
#[case::before("Jarvis, who are you?", "who are you?")]
#[case::in_lower_case("jarvis who are you", "who are you")]
#[case::behind("How are you, Jarvis?", "How are you")]
#[case::alone("Jarvis!", "")]
#[case::name_of_a_dog("My dog is called Jarvis.", "My dog is called Jarvis.")]
#[case::inside("Is Jarvis your name?", "Is Jarvis your name?")]
#[case::longer_word("Jarvison is my name", "Jarvison is my name")]
#[case::other_letters("Düsseldorf", "Düsseldorf")]
fn name_of_the_assistant_is_left_out(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(without_name(text, "Jarvis"), expected);
}

const TODAY: Date = Date::constant(2025, 9, 15);

fn read(code: &str, text: &str) -> RequestKind {
    request_kind(text, languages::of_code(code).unwrap(), TODAY)
}

fn name(name: &str) -> RequestKind {
    RequestKind::Introduces(Introduction::OwnName, name.to_owned())
}

fn place(name: &str) -> RequestKind {
    RequestKind::Introduces(Introduction::OwnPlace, name.to_owned())
}

#[rstest]
#[case::weather("en", "What's the weather in Leeds tomorrow?", LiveTopic::Weather)]
#[case::topic_alone("en", "weather in Leeds", LiveTopic::Weather)]
#[case::topic_and_day("en", "Weather tomorrow.", LiveTopic::Weather)]
#[case::one_word("en", "News.", LiveTopic::News)]
#[case::news_of_a_war("en", "Any news about the war in Ukraine?", LiveTopic::News)]
#[case::german_news_of_a_war("de", "Was gibt es Neues vom Krieg in der Ukraine?", LiveTopic::News)]
#[case::price_near_here("en", "Petrol prices near me", LiveTopic::Prices)]
#[case::rain("en", "will it rain tonight", LiveTopic::Weather)]
#[case::news("en", "what's in the news today?", LiveTopic::News)]
#[case::price("en", "How much does a litre of milk cost?", LiveTopic::Prices)]
#[case::score("en", "Who won the match last night?", LiveTopic::Scores)]
#[case::traffic("en", "how is the traffic on the M62", LiveTopic::Traffic)]
#[case::hours("en", "when does the library open?", LiveTopic::OpeningHours)]
#[case::future("en", "Who won the World Cup in 2042?", LiveTopic::Outcomes)]
#[case::german_weather("de", "Wie wird das Wetter morgen?", LiveTopic::Weather)]
#[case::german_price("de", "Was kostet ein Liter Milch?", LiveTopic::Prices)]
#[case::german_hours("de", "Wann öffnet die Bücherei?", LiveTopic::OpeningHours)]
#[case::german_future("de", "Wer wird 2042 Weltmeister?", LiveTopic::Outcomes)]
#[case::spanish_weather("es", "¿Qué tiempo hace en Leeds?", LiveTopic::Weather)]
#[case::spanish_price("es", "¿Cuánto cuesta el pan?", LiveTopic::Prices)]
#[case::french_weather("fr", "Quel temps fera-t-il demain ?", LiveTopic::Weather)]
#[case::french_price("fr", "Combien coûte un litre de lait ?", LiveTopic::Prices)]
#[case::italian_weather("it", "Che tempo fa a Leeds?", LiveTopic::Weather)]
#[case::italian_score("it", "Chi ha vinto la partita ieri?", LiveTopic::Scores)]
#[case::dutch_weather("nl", "Wat voor weer wordt het morgen? Hoe is het weer?", LiveTopic::Weather)]
#[case::dutch_hours("nl", "Wanneer is de bibliotheek open?", LiveTopic::OpeningHours)]
#[case::portuguese_weather("pt", "Como está o tempo em Leeds?", LiveTopic::Weather)]
#[case::portuguese_news("pt", "Quais são as notícias de hoje?", LiveTopic::News)]
#[case::swedish_weather("sv", "Hur blir vädret imorgon?", LiveTopic::Weather)]
#[case::swedish_price("sv", "Vad kostar en liter mjölk?", LiveTopic::Prices)]
#[case::turkish_weather("tr", "Yarın hava nasıl olacak?", LiveTopic::Weather)]
#[case::turkish_price("tr", "Bir litre süt ne kadar?", LiveTopic::Prices)]
#[case::prices_of_a_place("en", "What are petrol prices in Leeds?", LiveTopic::Prices)]
#[case::german_prices_of_a_place("de", "Wie sind die Benzinpreise in Leeds?", LiveTopic::Prices)]
#[case::german_prices_that_are("de", "Was sind die Benzinpreise in Leeds?", LiveTopic::Prices)]
#[case::french_prices_of_a_place("fr", "Quels sont les prix de l'essence à Leeds ?", LiveTopic::Prices)]
#[case::french_prices_in_short("fr", "C'est quoi les prix de l'essence à Leeds ?", LiveTopic::Prices)]
#[case::spanish_prices_of_a_place(
    "es",
    "¿Cuáles son los precios de la gasolina en Leeds?",
    LiveTopic::Prices
)]
#[case::italian_prices_of_a_place("it", "Quali sono i prezzi della benzina a Leeds?", LiveTopic::Prices)]
#[case::dutch_prices_of_a_place("nl", "Wat zijn de benzineprijzen in Leeds?", LiveTopic::Prices)]
#[case::portuguese_prices_of_a_place("pt", "Quais são os preços da gasolina em Leeds?", LiveTopic::Prices)]
#[case::swedish_prices_of_a_place("sv", "Vad är bensinpriserna i Leeds?", LiveTopic::Prices)]
#[case::turkish_prices_of_a_place("tr", "Leeds'te benzin fiyatları nedir?", LiveTopic::Prices)]
fn question_for_something_live_is_recognised(
    #[case] code: &str,
    #[case] text: &str,
    #[case] expected: LiveTopic,
) {
    assert_eq!(read(code, text), RequestKind::Live(expected));
}

#[rstest]
#[case::mail("en", "Send an email to Anna", WorldAction::Mail)]
#[case::polite("en", "could you send a mail to my boss please", WorldAction::Mail)]
#[case::message("en", "text my sister that I am late", WorldAction::Messages)]
#[case::call("en", "Call mum", WorldAction::PhoneCalls)]
#[case::lights("en", "turn off the lights in the kitchen", WorldAction::Devices)]
#[case::music("en", "play some jazz", WorldAction::Music)]
#[case::purchase("en", "buy me a new lamp", WorldAction::Purchases)]
#[case::booking("en", "book a table for two", WorldAction::Bookings)]
#[case::german_mail("de", "Schick bitte eine Mail an Anna", WorldAction::Mail)]
#[case::german_call("de", "Ruf meine Mutter an", WorldAction::PhoneCalls)]
#[case::german_lights("de", "Mach das Licht im Flur aus", WorldAction::Devices)]
#[case::spanish_mail("es", "Envía un correo a Ana", WorldAction::Mail)]
#[case::spanish_lights("es", "Apaga la luz de la cocina", WorldAction::Devices)]
#[case::french_call("fr", "Appelle ma mère", WorldAction::PhoneCalls)]
#[case::french_music("fr", "Mets de la musique", WorldAction::Music)]
#[case::italian_call("it", "Chiama la nonna", WorldAction::PhoneCalls)]
#[case::italian_booking("it", "Prenota un tavolo per due", WorldAction::Bookings)]
#[case::dutch_lights("nl", "Doe het licht uit", WorldAction::Devices)]
#[case::dutch_mail("nl", "Stuur een mail naar Anna", WorldAction::Mail)]
#[case::portuguese_call("pt", "Liga para a minha mãe", WorldAction::PhoneCalls)]
#[case::portuguese_lights("pt", "Apague a luz da sala", WorldAction::Devices)]
#[case::swedish_lights("sv", "Släck lampan i köket", WorldAction::Devices)]
#[case::swedish_booking("sv", "Boka ett bord för två", WorldAction::Bookings)]
#[case::turkish_lights("tr", "Mutfaktaki ışığı kapat", WorldAction::Devices)]
#[case::turkish_mail("tr", "Anna'ya e-posta gönder", WorldAction::Mail)]
fn action_in_the_world_is_recognised(#[case] code: &str, #[case] text: &str, #[case] expected: WorldAction) {
    assert_eq!(read(code, text), RequestKind::Action(expected));
}

#[rstest]
#[case::name("en", "My name is Ada.", name("Ada"))]
#[case::two_words("en", "my name is Ada Lovelace", name("Ada Lovelace"))]
#[case::hyphen("en", "Please call me Anne-Marie.", name("Anne-Marie"))]
#[case::place("en", "I live in York.", place("York"))]
#[case::german("de", "Ich heiße Ada.", name("Ada"))]
#[case::german_call_me("de", "Nenn mich bitte Max", name("Max"))]
#[case::german_place("de", "Ich wohne in Bad Homburg.", place("Bad Homburg"))]
#[case::spanish("es", "Me llamo José.", name("José"))]
#[case::french("fr", "Je m'appelle Zoé.", name("Zoé"))]
#[case::french_place("fr", "J'habite à Lyon.", place("Lyon"))]
#[case::italian("it", "Mi chiamo Ada.", name("Ada"))]
#[case::italian_place("it", "Abito a Torino.", place("Torino"))]
#[case::dutch("nl", "Ik heet Ada.", name("Ada"))]
#[case::dutch_place("nl", "Ik woon in Utrecht.", place("Utrecht"))]
#[case::portuguese("pt", "Meu nome é Ada.", name("Ada"))]
#[case::portuguese_place("pt", "Moro em Lisboa.", place("Lisboa"))]
#[case::swedish("sv", "Jag heter Ada.", name("Ada"))]
#[case::swedish_place("sv", "Jag bor i Malmö.", place("Malmö"))]
#[case::turkish("tr", "Benim adım Ada.", name("Ada"))]
#[case::turkish_place("tr", "İzmir'de yaşıyorum.", place("İzmir"))]
#[case::turkish_place_with_a_pronoun("tr", "Ben Ankara'da oturuyorum", place("Ankara"))]
#[case::greeting("en", "Hi, I'm Priya.", name("Priya"))]
#[case::greeting_by_name("en", "Hi Jarvis, I'm Priya", name("Priya"))]
#[case::long_greeting("en", "Good morning, I am Tom!", name("Tom"))]
#[case::french_greeting("fr", "Bonjour, je suis Zoé.", name("Zoé"))]
#[case::spanish_greeting("es", "Hola Jarvis, soy José", name("José"))]
#[case::italian_greeting("it", "Ciao, sono Ada", name("Ada"))]
#[case::portuguese_greeting("pt", "Olá, sou a Ana", name("Ana"))]
#[case::swedish_greeting("sv", "Hej Jarvis, jag är Ada", name("Ada"))]
#[case::question("en", "what's my name?", RequestKind::AsksFor(Introduction::OwnName))]
#[case::where_from("en", "Where do I live?", RequestKind::AsksFor(Introduction::OwnPlace))]
fn introduction_is_recognised(#[case] code: &str, #[case] text: &str, #[case] expected: RequestKind) {
    assert_eq!(read(code, text), expected);
}

#[rstest]
#[case::parts_of_a_price("en", "What are petrol prices made of?")]
#[case::kind_of_price("en", "What are spot prices?")]
#[case::reason_of_prices("en", "Why are petrol prices in Leeds so high?")]
#[case::statement_about_prices("en", "Petrol prices in Leeds are far too high for me.")]
#[case::german_parts_of_a_price("de", "Woraus bestehen Benzinpreise?")]
#[case::german_statement_about_prices("de", "Die Benzinpreise in Leeds sind wieder gestiegen.")]
#[case::dutch_kind_of_price("nl", "Wat zijn huurprijzen?")]
#[case::turkish_reason_of_prices("tr", "Benzin fiyatları neden artar?")]
#[case::statement_about_weather("en", "The weather is lovely today.")]
#[case::grammar("en", "Is weather a noun?")]
#[case::mechanism("en", "How does a weather forecast work?")]
#[case::history("en", "Who won the World Cup in 1998?")]
#[case::old_price("en", "What was the price of gold in 1980?")]
#[case::traffic_light("en", "What colour is a traffic light?")]
#[case::call_it("en", "call it tea")]
#[case::call_later("en", "call me later")]
#[case::nickname("en", "people call me lazy")]
#[case::late("en", "Hi, I'm late")]
#[case::tired("en", "I'm tired")]
#[case::without_greeting("en", "I'm Batman")]
#[case::nationality("en", "Hi, I'm German")]
#[case::capitals("en", "HI I'M LATE")]
#[case::two_words("en", "Hello, I'm Looking Forward")]
#[case::asked("en", "Hi, I'm Tom?")]
#[case::german_profession("de", "Hallo, ich bin Lehrer")]
#[case::german_state("de", "Hallo, ich bin müde")]
#[case::french_state("fr", "Bonjour, je suis fatigué")]
#[case::turkish_state("tr", "Merhaba, ben geldim")]
#[case::service("en", "I moved to Spotify")]
#[case::flat("en", "I live in a small flat")]
#[case::game("en", "play a game with me")]
#[case::knowledge("en", "what is the capital of France?")]
#[case::good_news("en", "That sounds like good news. Is there a catch?")]
#[case::note("en", "I want to write something down for today")]
#[case::turkish_timer("tr", "Zamanlayıcıda ne kadar kaldı?")]
#[case::reminder("en", "remind me to check the weather at noon")]
#[case::looking_back("en", "what did I say about the weather?")]
#[case::french_reminder("fr", "Rappelle-moi de regarder la météo")]
#[case::german_mechanism("de", "Warum regnet es in England so oft?")]
#[case::german_alarm("de", "Mach den Wecker aus")]
#[case::german_later("de", "Ich wohne in einer kleinen Wohnung")]
#[case::french_alarm("fr", "Mets une alarme à sept heures")]
#[case::french_duration("fr", "Combien de temps dure un match ?")]
#[case::spanish_alarm("es", "Pon una alarma a las siete")]
#[case::spanish_duration("es", "¿Cuánto tiempo dura un partido?")]
#[case::italian_alarm("it", "Metti una sveglia alle sette")]
#[case::dutch_alarm("nl", "Zet de wekker om zeven uur")]
#[case::portuguese_alarm("pt", "Coloque um alarme para as sete")]
#[case::swedish_alarm("sv", "Ställ väckarklockan på sju")]
#[case::turkish_alarm("tr", "Saat yediye alarm kur")]
#[case::turkish_search("tr", "İnternette kedi ara")]
fn near_miss_stays_open(#[case] code: &str, #[case] text: &str) {
    assert_eq!(read(code, text), RequestKind::Open);
}

#[rstest]
#[case::poem("en", "write a poem about the weather")]
#[case::translation("en", "translate: I have sent the letter")]
fn request_for_a_text_is_recognised(#[case] code: &str, #[case] text: &str) {
    assert_eq!(read(code, text), RequestKind::Text);
}

#[rstest]
#[case::wh_question("en", "when is my flight", true)]
#[case::question_mark("en", "Is my flight booked?", true)]
#[case::polite_order("en", "Can you book a flight?", false)]
#[case::order("en", "set a timer for five minutes", false)]
#[case::german("de", "Wann geht mein Flug?", true)]
#[case::german_order("de", "Kannst du bitte den Flug buchen?", false)]
fn order_is_told_from_a_question_for_facts(#[case] code: &str, #[case] text: &str, #[case] expected: bool) {
    assert_eq!(asks_for_facts(text, languages::of_code(code).unwrap()), expected);
}

#[rstest]
#[case::dutch_statement("nl", "Ik heb vandaag veel gelopen.", false)]
#[case::dutch_wish("nl", "Ik wil een appel.", true)]
#[case::german_statement("de", "Ich habe heute viel gearbeitet.", false)]
#[case::swedish_statement("sv", "Jag har sprungit idag.", false)]
#[case::english_statement("en", "I have walked a lot today.", false)]
fn statement_about_oneself_is_no_request(#[case] code: &str, #[case] text: &str, #[case] expected: bool) {
    let data = languages::of_code(code).unwrap();

    assert_eq!(is_question(text, &folded_words(text), data), expected);
}
