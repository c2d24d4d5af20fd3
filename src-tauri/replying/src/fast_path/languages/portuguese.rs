//! Portuguese.

use super::table::{ClockMeaning, Meaning, Table};

pub(super) const PORTUGUESE: Table = Table {
    code: "pt",
    openers: "você pode|podes|pode|poderia|podias|diga-me|diz-me|me diga|me diz|sabe|sabes|quero saber|quero|preciso de|gostaria de saber",
    ignored: "agora|neste momento|rápido|me dizer|dizer-me",
    dismissals: "esquece|esqueça|deixa|deixa pra lá|deixa para lá|não importa|é tudo|nada|obrigado|obrigada|muito obrigado|não obrigado|para|cala-te|cale-se|silêncio|chega",
    unnamed: "algo|alguma coisa|isso|isto",
    decimal_sign: ',',
    point: "vírgula|ponto",
    one: "um|uma",
    and: "e",
    durations: &[
        ("meia hora", 1800),
        ("um quarto de hora|quarto de hora", 900),
        ("três quartos de hora", 2700),
        ("meio minuto", 30),
    ],
    and_a_half: "",
    unit_and_a_half: "e meia|e meio",
    halves: &[],
    morning: "da manhã|de manhã|da madrugada",
    evening: "da tarde|da noite|à tarde|à noite|de tarde|de noite",
    clock: &[
        ("{h} horas|hora|h? e meia", ClockMeaning::Offset(30)),
        ("{h} e um? quarto", ClockMeaning::Offset(15)),
        ("{h} menos um? quarto", ClockMeaning::Offset(-15)),
        ("{m} minutos? para as|a {h}", ClockMeaning::To),
        ("{h} horas|hora|h? e {m}", ClockMeaning::Past),
        ("{h} horas|hora|h {m}", ClockMeaning::Past),
        ("{h} horas|hora|h|em_ponto?", ClockMeaning::Offset(0)),
        ("meio-dia|meio dia", ClockMeaning::Fixed(720)),
        ("meia-noite|meia noite", ClockMeaning::Fixed(0)),
    ],
    operators: &[
        ("mais|+", "+"),
        ("menos|-|−", "-"),
        ("vezes|multiplicado por|x|×|*|·", "*"),
        ("dividido por|a dividir por|÷|/", "/"),
        ("elevado a|^", "^"),
        ("módulo", "mod"),
    ],
    prefixes: &[
        ("a raiz quadrada de|raiz quadrada de|a raiz de|raiz de|√", "sqrt"),
        ("a raiz cúbica de|raiz cúbica de", "cbrt"),
    ],
    postfixes: &[("ao quadrado|²", "^ 2"), ("ao cubo|³", "^ 3")],
    repeating: "cada|todos|todas|sempre|diariamente",
    repetitions: &[
        ("todos os dias|cada dia|diariamente|todas as manhãs", "daily"),
        ("nos dias úteis|durante a semana|de segunda a sexta", "weekdays"),
    ],
    every: "cada|toda|todo|todas as|todos os",
    list_words: "",
    requests: &[
        (
            Meaning::Time,
            &[
                "que horas são",
                "que hora é",
                "as horas",
                "a hora",
                "que horas são em|no|na {place}",
                "a hora em|no|na {place}",
            ],
        ),
        (
            Meaning::Date,
            &[
                "que dia é hoje?",
                "que dia da semana é hoje?",
                "a quantos estamos hoje?",
                "qual é? a data de? hoje?",
                "que data é hoje?",
                "que dia é|será|cai|foi {date}",
                "que dia da semana é|será|cai|foi {date}",
                "quando é {date}",
            ],
        ),
        (
            Meaning::DaysUntil,
            &[
                "quantos dias faltam|falta|são para|até|até_ao o? {date}",
                "quanto falta|tempo_falta para|até|até_ao o? {date}",
            ],
        ),
        (
            Meaning::Timer,
            &[
                "põe|coloca|coloque|inicia|inicie|define|defina|cria|crie|programa um|o? temporizador|timer de|para|por? {duration}",
                "um? temporizador|timer de|para? {duration}",
                "põe|coloca|coloque|inicia|inicie|define|defina|cria|crie|programa um temporizador|timer {label} de|para {duration}",
                "um? temporizador|timer {label} de|para {duration}",
                "põe|coloca|coloque|inicia|inicie|define|defina|cria|crie|programa um temporizador|timer para o|a|os|as? {label} de {duration}",
                "põe|coloca|coloque|inicia|inicie|define|defina|cria|crie|programa um temporizador|timer de {duration} para o|a|os|as? {label}",
                "põe|coloca|coloque|inicia|inicie|define|defina|cria|crie|programa um temporizador|timer de {duration} chamado {label}",
                "põe|coloca|coloque|inicia|inicie|define|defina|cria|crie|programa um temporizador|timer {label} de|para {duration} e outro para o|a|os|as? {label}",
                "põe|coloca|coloque|inicia|inicie|define|defina|cria|crie|programa um temporizador|timer de {duration} e outro de {duration}",
            ],
        ),
        (
            Meaning::ListTimers,
            &[
                "que|quais temporizadores|timers há|tenho|estão_ativos",
                "mostra|mostre|lista os meus? temporizadores|timers",
                "quanto tempo? falta no|para_o temporizador|timer",
                "quanto tempo? falta no|para_o temporizador|timer {label}",
            ],
        ),
        (
            Meaning::CancelTimer,
            &[
                "cancela|cancele|para|pare|apaga|apague o meu? temporizador|timer",
                "cancela|cancele|para|pare|apaga|apague o temporizador|timer do|da|de? {label}",
            ],
        ),
        (
            Meaning::CancelAllTimers,
            &["cancela|cancele|para|pare|apaga|apague todos os temporizadores|timers"],
        ),
        (Meaning::StopRinging, &["para|pare|desliga|desligue o alarme|despertador"]),
        (
            Meaning::Snooze,
            &["soneca", "adia|adie o? alarme?", "mais {duration}", "acorda-me de novo em {duration}"],
        ),
        (
            Meaning::Alarm,
            &[
                "acorda-me|me_acorda|me_acorde|acorde-me às|à|ao|a {clock}",
                "acorda-me|me_acorda|me_acorde|acorde-me {date} às|à|ao|a {clock}",
                "acorda-me|me_acorda|me_acorde|acorde-me às|à|ao|a {clock} de? {date}",
                "põe|coloca|coloque|define|defina|programa um|o alarme|despertador para|às as? {clock}",
                "põe|coloca|coloque|define|defina|programa um|o alarme|despertador para? {date} às|à|ao {clock}",
            ],
        ),
        (
            Meaning::ListReminders,
            &[
                "que|quais alarmes|lembretes tenho|há|eu_tenho",
                "mostra|mostre|lista|liste os? meus alarmes|lembretes",
            ],
        ),
        (Meaning::CancelReminder, &["cancela|cancele|apaga|apague|remove|remova o meu? alarme|lembrete"]),
        (
            Meaning::AddTodo,
            &[
                "adiciona|adicione|põe|coloca|coloque|acrescenta|acrescente o|a|os|as|um|uma? {text} à|a|na|em minha|nossa? lista",
                "adiciona|adicione|põe|coloca|coloque|acrescenta|acrescente o|a|os|as|um|uma? {text} à|a|na|em minha|nossa? lista de|das|do|da {label}",
            ],
        ),
        (
            Meaning::ListTodos,
            &[
                "o? que há|tem|está na minha|nossa? lista",
                "o? que há|tem|está na minha|nossa? lista de|das|do|da {label}",
            ],
        ),
        (
            Meaning::FinishTodo,
            &[
                "tira|tire|remove|remova|risca|risque|apaga|apague o|a|os|as? {text} da minha|nossa? lista",
                "tira|tire|remove|remova|risca|risque|apaga|apague o|a|os|as? {text} da minha|nossa? lista de|das|do|da {label}",
            ],
        ),
        (
            Meaning::Remind,
            &[
                "lembra-me|lembre-me|me_lembra|me_lembre {date} às|à|ao {clock} de|para {text}",
                "lembra-me|lembre-me|me_lembra|me_lembre às|à|ao {clock} de|para {text}",
                "lembra-me|lembre-me|me_lembra|me_lembre de|para {text} {date} às|à|ao {clock}",
                "lembra-me|lembre-me|me_lembra|me_lembre de|para {text} às|à|ao {clock}",
                "lembra-me|lembre-me|me_lembra|me_lembre em|daqui_a {duration} de|para {text}",
                "lembra-me|lembre-me|me_lembra|me_lembre de|para {text} em|daqui_a {duration}",
            ],
        ),
        (
            Meaning::Volume,
            &[
                "põe|coloca|coloque|define|defina|aumenta|baixa o? volume para|em|a {n} por_cento|%?",
                "volume em|a? {n} por_cento|%?",
            ],
        ),
        (Meaning::Louder, &["mais alto", "fala|fale mais alto", "aumenta|aumente|sobe o volume"]),
        (Meaning::Quieter, &["mais baixo", "fala|fale mais baixo", "baixa|baixe|abaixa|diminui o volume"]),
        (Meaning::Mute, &["desliga|desligue|silencia a tua|sua? voz", "mudo"]),
        (Meaning::Unmute, &["liga|ligue|ativa a tua|sua? voz"]),
        (Meaning::PercentOf, &["{n} por_cento|% de {n}", "quanto é|são {n} por_cento|% de {n}"]),
        (
            Meaning::Calculate,
            &[
                "{maths}",
                "{maths} =",
                "quanto é|são|dá|faz {maths}",
                "qual é {maths}",
                "calcula|calcule {maths}",
            ],
        ),
        (
            Meaning::Convert,
            &[
                "{n} {unit} em {unit}",
                "converte|converta {n} {unit} em|para {unit}",
                "quanto é|são {n} {unit} em {unit}",
            ],
        ),
        (Meaning::ConvertTo, &["quantos|quantas {unit} são|há_em|tem|têm|é {n} {unit}"]),
    ],
};
