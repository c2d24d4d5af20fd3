use rstest::rstest;

use super::taken;

#[rstest]
#[case("Que horas são?", "getTime")]
#[case("Jarvis, pode me dizer que horas são, por favor?", "getTime")]
#[case("Que horas são em Tóquio?", r#"getTime {"place":"Tóquio"}"#)]
#[case("Que dia é hoje?", "getDate")]
#[case("Que dia é daqui a seis semanas?", r#"getDate {"date":"daqui a seis semanas"}"#)]
#[case("Quantos dias faltam para o Natal?", r#"getDate {"date":"Natal","count_days":true}"#)]
#[case("Põe um temporizador de dez minutos", r#"setTimer {"seconds":600}"#)]
#[case("Temporizador de uma hora e meia", r#"setTimer {"seconds":5400}"#)]
#[case("Coloca um timer de meia hora", r#"setTimer {"seconds":1800}"#)]
#[case(
    "Põe um temporizador chá de quatro minutos e outro para os ovos",
    r#"setTimer {"seconds":240,"label":"chá"} + setTimer {"seconds":240,"label":"ovos"}"#
)]
#[case("Quanto falta no temporizador?", "listTimers")]
#[case("Cancela o temporizador do chá", r#"cancelTimer {"label":"chá"}"#)]
#[case("Cancela todos os temporizadores", r#"cancelTimer {"all":true}"#)]
#[case("Desliga o alarme", "stopRinging")]
#[case("mais cinco minutos", r#"snooze {"minutes":5}"#)]
#[case("Acorda-me amanhã às 7", r#"setAlarm {"time":"07:00","date":"amanhã"}"#)]
#[case("Me acorda às seis e meia", r#"setAlarm {"time":"06:30"}"#)]
#[case("Põe um alarme para as oito da noite", r#"setAlarm {"time":"20:00"}"#)]
#[case("Esquece", "stop")]
#[case("Obrigado Jarvis", "stop")]
#[case("Quanto é 17 vezes 23?", r#"calculate {"expression":"17 * 23"}"#)]
#[case("3,5 mais dois", r#"calculate {"expression":"3.5 + 2"}"#)]
#[case("quinze por cento de oitenta", r#"calculate {"expression":"15% of 80"}"#)]
#[case("Quantos gramas são duas xícaras?", r#"convertUnits {"amount":2,"from":"cup","to":"gram"}"#)]
#[case("Converte 5 milhas em quilómetros", r#"convertUnits {"amount":5,"from":"mile","to":"kilometre"}"#)]
#[case("mais alto", r#"setVolume {"change":"up"}"#)]
#[case("Adiciona leite à lista de compras", r#"addTodo {"text":"leite","list":"compras"}"#)]
#[case("O que há na minha lista de compras?", r#"listTodos {"list":"compras"}"#)]
#[case("Tira o leite da lista de compras", r#"finishTodo {"text":"leite","list":"compras"}"#)]
#[case(
    "Lembra-me de ligar ao dentista amanhã às nove",
    r#"setReminder {"time":"09:00","date":"amanhã","label":"ligar ao dentista"}"#
)]
#[case("Quais alarmes tenho?", r#"listReminders"#)]
#[case("Cancela o meu alarme", r#"cancelReminder"#)]
#[case(
    "Lembra-me todos os dias às nove de respirar",
    r#"setReminder {"time":"09:00","repeats":"daily","label":"respirar"}"#
)]
fn closed_request_is_taken(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(taken("pt", text), expected);
}

#[rstest]
#[case("Põe um temporizador pela duração do Titanic")]
#[case("A que horas é o jogo?")]
#[case("Que horas são na minha cabeça?")]
#[case("Põe um temporizador")]
#[case("Que horas são e vai chover?")]
#[case("Acorda-me antes do jogo")]
#[case("Quanto é 17 vezes")]
#[case("Ontem pus um temporizador de dez minutos")]
#[case("Quantas pessoas são duas equipas?")]
#[case("Obrigado, e quem escreveu?")]
#[case("Acorda-me às 27")]
fn anything_else_is_left_to_a_model(#[case] text: &str) {
    assert_eq!(taken("pt", text), "-");
}
