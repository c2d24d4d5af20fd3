use rstest::rstest;

use super::taken;

#[rstest]
#[case("¿Qué hora es?", "getTime")]
#[case("Jarvis, ¿puedes decirme qué hora es, por favor?", "getTime")]
#[case("¿Qué hora es en Tokio?", r#"getTime {"place":"Tokio"}"#)]
#[case("¿Qué día es hoy?", "getDate")]
#[case("¿Qué día es mañana?", r#"getDate {"date":"mañana"}"#)]
#[case("¿Cuántos días faltan para Navidad?", r#"getDate {"date":"Navidad","count_days":true}"#)]
#[case("Pon un temporizador de diez minutos", r#"setTimer {"seconds":600}"#)]
#[case("Pon un temporizador de una hora y media", r#"setTimer {"seconds":5400}"#)]
#[case("Temporizador de media hora", r#"setTimer {"seconds":1800}"#)]
#[case(
    "Pon un temporizador de té de cuatro minutos y otro para los huevos",
    r#"setTimer {"seconds":240,"label":"té"} + setTimer {"seconds":240,"label":"huevos"}"#
)]
#[case("¿Cuánto queda en el temporizador?", "listTimers")]
#[case("Cancela el temporizador de té", r#"cancelTimer {"label":"té"}"#)]
#[case("Cancela todos los temporizadores", r#"cancelTimer {"all":true}"#)]
#[case("Apaga la alarma", "stopRinging")]
#[case("cinco minutos más", r#"snooze {"minutes":5}"#)]
#[case("Despiértame mañana a las 7", r#"setAlarm {"time":"07:00","date":"mañana"}"#)]
#[case("Despiértame a las seis y media", r#"setAlarm {"time":"06:30"}"#)]
#[case("Pon una alarma para las ocho menos cuarto de la tarde", r#"setAlarm {"time":"19:45"}"#)]
#[case("Olvídalo", "stop")]
#[case("Gracias Jarvis", "stop")]
#[case("¿Cuánto es 17 por 23?", r#"calculate {"expression":"17 * 23"}"#)]
#[case("3,5 más dos", r#"calculate {"expression":"3.5 + 2"}"#)]
#[case("el quince por ciento de ochenta", r#"calculate {"expression":"15% of 80"}"#)]
#[case("¿Cuántos gramos son dos tazas?", r#"convertUnits {"amount":2,"from":"cup","to":"gram"}"#)]
#[case("Convierte 5 millas a kilómetros", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
#[case("Sube el volumen", r#"setVolume {"change":"up"}"#)]
#[case("Añade leche a la lista de la compra", r#"addTodo {"text":"leche","list":"compra"}"#)]
#[case("¿Qué hay en mi lista de la compra?", r#"listTodos {"list":"compra"}"#)]
#[case("Quita la leche de la lista de la compra", r#"finishTodo {"text":"leche","list":"compra"}"#)]
#[case(
    "Recuérdame llamar al dentista mañana a las nueve",
    r#"setReminder {"time":"09:00","date":"mañana","label":"llamar al dentista"}"#
)]
#[case("¿Qué alarmas tengo?", r#"listReminders"#)]
#[case("Cancela mi alarma", r#"cancelReminder"#)]
#[case(
    "Recuérdame cada lunes a las nueve regar las plantas",
    r#"setReminder {"time":"09:00","date":"lunes","repeats":"weekly","label":"regar las plantas"}"#
)]
#[case("¿Qué día es en seis semanas?", r#"getDate {"date":"en seis semanas"}"#)]
fn closed_request_is_taken(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(taken("es", text), expected);
}

#[rstest]
#[case("Pon un temporizador por la duración del Titanic")]
#[case("¿A qué hora es el partido?")]
#[case("¿Qué hora es en mi cabeza?")]
#[case("Pon un temporizador")]
#[case("¿Qué hora es y va a llover?")]
#[case("Despiértame antes del partido")]
#[case("¿Cuánto es 17 por")]
#[case("Ayer puse un temporizador de diez minutos")]
#[case("¿Cuántas personas son dos equipos?")]
#[case("Gracias, ¿y quién lo escribió?")]
#[case("Despiértame a las 27")]
fn anything_else_is_left_to_a_model(#[case] text: &str) {
    assert_eq!(taken("es", text), "-");
}
