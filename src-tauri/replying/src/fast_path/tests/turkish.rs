use rstest::rstest;

use super::taken;

#[rstest]
#[case("Saat kaç?", "getTime")]
#[case("Jarvis, saat kaç söyler misin lütfen?", "getTime")]
#[case("Tokyo'da saat kaç?", r#"getTime {"place":"Tokyo"}"#)]
#[case("Bugün günlerden ne?", "getDate")]
#[case("Altı hafta sonra günlerden ne?", r#"getDate {"date":"Altı hafta sonra"}"#)]
#[case("Noele kaç gün var?", r#"getDate {"date":"Noele","count_days":true}"#)]
#[case("On dakika için zamanlayıcı kur", r#"setTimer {"seconds":600}"#)]
#[case("Bir buçuk saat için zamanlayıcı kur", r#"setTimer {"seconds":5400}"#)]
#[case("Yarım saat zamanlayıcı kur", r#"setTimer {"seconds":1800}"#)]
#[case(
    "Çay ve yumurta için dört dakika zamanlayıcı kur",
    r#"setTimer {"seconds":240,"label":"Çay"} + setTimer {"seconds":240,"label":"yumurta"}"#
)]
#[case("Zamanlayıcıda ne kadar kaldı?", "listTimers")]
#[case("Çay zamanlayıcısını iptal et", r#"cancelTimer {"label":"Çay"}"#)]
#[case("Bütün zamanlayıcıları iptal et", r#"cancelTimer {"all":true}"#)]
#[case("Alarmı kapat", "stopRinging")]
#[case("beş dakika daha", r#"snooze {"minutes":5}"#)]
#[case("Beni yarın 7'de uyandır", r#"setAlarm {"time":"07:00","date":"yarın"}"#)]
#[case("Beni altı buçukta uyandır", r#"setAlarm {"time":"06:30"}"#)]
#[case("Akşam sekizde alarm kur", r#"setAlarm {"time":"20:00"}"#)]
#[case("Boş ver", "stop")]
#[case("Teşekkürler Jarvis", "stop")]
#[case("17 çarpı 23 kaç eder?", r#"calculate {"expression":"17 * 23"}"#)]
#[case("3,5 artı iki", r#"calculate {"expression":"3.5 + 2"}"#)]
#[case("5 mil kaç kilometre", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
#[case("İki litre kaç mililitre eder?", r#"convertUnits {"amount":2,"from":"litre","to":"millilitre"}"#)]
#[case("sesi yüzde 40 yap", r#"setVolume {"percent":40}"#)]
#[case("sesi kıs", r#"setVolume {"change":"down"}"#)]
#[case("Alışveriş listeme süt ekle", r#"addTodo {"text":"süt","list":"Alışveriş"}"#)]
#[case("Alışveriş listemde ne var?", r#"listTodos {"list":"Alışveriş"}"#)]
#[case("Alışveriş listemden sütü çıkar", r#"finishTodo {"text":"sütü","list":"Alışveriş"}"#)]
#[case(
    "Yarın saat dokuzda dişçiyi aramayı hatırlat",
    r#"setReminder {"time":"09:00","date":"Yarın","label":"dişçiyi aramayı"}"#
)]
#[case("Hangi alarmlar kurulu?", r#"listReminders"#)]
#[case("Alarmımı iptal et", r#"cancelReminder"#)]
#[case("Beni hafta içi saat yedide uyandır", r#"setAlarm {"time":"07:00","repeats":"weekdays"}"#)]
#[case("On dakikalık zamanlayıcı kur", r#"setTimer {"seconds":600}"#)]
fn closed_request_is_taken(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(taken("tr", text), expected);
}

#[rstest]
#[case("Titanik uzunluğunda bir zamanlayıcı kur")]
#[case("Maç saat kaçta?")]
#[case("Kafamda saat kaç?")]
#[case("Zamanlayıcı kur")]
#[case("Saat kaç ve yağmur yağacak mı?")]
#[case("Beni maçtan önce uyandır")]
#[case("17 çarpı")]
#[case("Dün on dakika için zamanlayıcı kurdum")]
#[case("Kaç kişi iki takım eder?")]
#[case("Teşekkürler, kim yazdı?")]
#[case("Beni 27'de uyandır")]
fn anything_else_is_left_to_a_model(#[case] text: &str) {
    assert_eq!(taken("tr", text), "-");
}
