//! Parsing of a model's answers about diary, facts, topics and meals.

use llm::CancellationToken;
use memory::Meal;
use reflection::batch_passes::{self, TopicMapping};
use reflection::meals;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::script::ScriptedModel;
use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "diary.parse_summary_reply" => parse_summary,
        "diary.clean_rewrite_reply" => clean_rewrite,
        "memory_misc.apply_topic_mapping" => apply_topics,
        "graph.normalise_fact" => |input| Ok(json!(reflection::normalise_fact(&read::<Text>(input)?.text))),
        "graph.estimate_tokens" => |input| Ok(json!(estimated_tokens(&read::<Text>(input)?.text))),
        "graph.split_data_lines" => data_lines,
        "graph.node_contains_fact" => contains_fact,
        "graph.extract_facts_object" => facts_object,
        "graph.merge_node_data" => merge,
        "graph.parse_extraction" => parse_extraction,
        "graph.pick_best_child" => pick_child,
        "nutrition.strip_code_fence" => {
            |input| Ok(json!(reflection::strip_code_fence(&read::<Text>(input)?.text)))
        }
        "nutrition.summarize_meals" => summarise_meals,
        "nutrition.log_meal" => log_meal,
        _ => return None,
    })
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
struct Reply {
    llm_reply: Option<String>,
}

fn parse_summary(input: Value) -> Result<Value, String> {
    let input: Reply = read(input)?;
    let entry = input.llm_reply.as_deref().and_then(reflection::parse_summary_reply);
    Ok(entry.map_or(Value::Null, |entry| json!({ "summary": entry.summary, "topics": entry.topics })))
}

fn clean_rewrite(input: Value) -> Result<Value, String> {
    let input: Reply = read(input)?;
    Ok(json!(input.llm_reply.as_deref().map(batch_passes::clean_rewrite_reply)))
}

fn apply_topics(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        topics_str: Option<String>,
        #[serde(default)]
        mapping: Map<String, Value>,
    }
    let input: Input = read(input)?;
    let mapping = TopicMapping::from_json(&input.mapping);
    Ok(json!(batch_passes::apply_topic_mapping(&input.topics_str.unwrap_or_default(), &mapping)))
}

fn data_lines(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        data: String,
    }
    let input: Input = read(input)?;
    Ok(json!(reflection::split_data_lines(&input.data)))
}

fn contains_fact(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        data: String,
        fact: String,
    }
    let input: Input = read(input)?;
    let fact = reflection::normalise_fact(&input.fact);
    let lines = reflection::split_data_lines(&input.data);
    Ok(json!(lines.into_iter().any(|line| reflection::normalise_fact(line) == fact)))
}

/// Estimates the number of tokens: a quarter of the characters, at least one unless the text is empty.
fn estimated_tokens(text: &str) -> usize {
    match text.chars().count() {
        0 => 0,
        chars => (chars / 4).max(1),
    }
}

fn facts_object(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        response: Option<String>,
    }
    let input: Input = read(input)?;
    let object = input.response.as_deref().and_then(reflection::extract_facts_object);
    Ok(object.map_or(Value::Null, |object| json!({ "facts": object["facts"] })))
}

fn merge(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        #[serde(default)]
        existing: Vec<String>,
        #[serde(default)]
        new_facts: Vec<String>,
        llm_reply: Option<String>,
    }
    let input: Input = read(input)?;
    let answer =
        input.llm_reply.and_then(|reply| reflection::read_merge(&input.existing, &input.new_facts, &reply));
    Ok(match answer {
        Some(answer) => {
            json!({ "success": true, "incorporated_indices": answer.incorporated, "data_after": answer.lines })
        }
        None => json!({ "success": false, "incorporated_indices": [], "data_after": input.existing }),
    })
}

fn parse_extraction(input: Value) -> Result<Value, String> {
    let input: Reply = read(input)?;
    let facts = reflection::parse_extraction(&input.llm_reply.unwrap_or_default());
    Ok(facts.iter().map(|fact| json!([fact.branch, fact.fact])).collect())
}

fn pick_child(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        children: Vec<String>,
        llm_reply: Option<String>,
    }
    let input: Input = read(input)?;
    let picked = reflection::pick_best_child(input.children.len(), &input.llm_reply.unwrap_or_default());
    Ok(json!(picked.map(|index| &input.children[index])))
}

fn summarise_meals(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        meals: Vec<WireMeal>,
    }
    #[derive(Deserialize)]
    struct WireMeal {
        description: Option<String>,
        calories_kcal: Option<f64>,
        protein_g: Option<f64>,
        carbs_g: Option<f64>,
        fat_g: Option<f64>,
    }
    let input: Input = read(input)?;
    let meals: Vec<Meal> = input
        .meals
        .into_iter()
        .map(|meal| Meal {
            description: meal.description.unwrap_or_default(),
            calories_kcal: meal.calories_kcal,
            protein_g: meal.protein_g,
            carbs_g: meal.carbs_g,
            fat_g: meal.fat_g,
            ..Meal::default()
        })
        .collect();
    let summary = ::tools::meals::summarise_meals(&meals);
    let each = summary.meals.iter().map(|(description, amounts)| {
        let mut meal = json!(amounts);
        meal["description"] = json!(description);
        meal
    });
    Ok(json!({ "count": summary.meals.len(), "totals": summary.totals, "meals": each.collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
struct MealRequest {
    args: Option<Value>,
    redacted_text: Option<String>,
    #[serde(default)]
    llm_replies: Vec<Option<String>>,
    next_id: i64,
}

fn log_meal(input: Value) -> Result<Value, String> {
    let input: MealRequest = read(input)?;
    let model = ScriptedModel::new(input.llm_replies);
    let argument = input.args.as_ref().and_then(|args| args.get("meal")?.as_str());
    let user_text = input.redacted_text.unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let logged = runtime.block_on(async {
        let stop = CancellationToken::new();
        let meal = meals::read_meal(&model, ::tools::meals::meal_text(argument, &user_text)?, &stop)
            .await
            .ok()??;
        let follow_ups = meals::follow_ups(&model, &meal, &stop).await;
        Some((meal, follow_ups))
    });
    let reply = logged.as_ref().map(|(meal, follow_ups)| reply(input.next_id, meal, follow_ups));
    let inserted: Vec<Value> = logged.iter().map(|(meal, _)| inserted(meal)).collect();
    Ok(json!({
        "success": logged.is_some(),
        "llm_calls": model.calls(),
        "inserted": inserted,
        "reply": reply,
    }))
}

/// The fields that were read from the text. The caller knows the others.
fn inserted(meal: &Meal) -> Value {
    json!({
        "description": meal.description,
        "calories_kcal": meal.calories_kcal,
        "protein_g": meal.protein_g,
        "carbs_g": meal.carbs_g,
        "fat_g": meal.fat_g,
        "fiber_g": meal.fiber_g,
        "sugar_g": meal.sugar_g,
        "sodium_mg": meal.sodium_mg,
        "potassium_mg": meal.potassium_mg,
        "micros": meal.micros,
        "confidence": meal.confidence,
    })
}

fn reply(id: i64, meal: &Meal, follow_ups: &str) -> Value {
    json!({
        "id": id,
        "description": meal.description,
        "shown": ::tools::meals::round_meal(meal),
        "follow_ups": follow_ups,
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::summary(
        "diary.parse_summary_reply",
        json!({"llm_reply": "SUMMARY: Tea.\nCake.\nTOPICS: tea"}),
        json!({"summary": "Tea.\nCake.", "topics": "tea"})
    )]
    #[case::no_summary("diary.parse_summary_reply", json!({"llm_reply": null}), json!(null))]
    #[case::no_rewrite("diary.clean_rewrite_reply", json!({}), json!(null))]
    #[case::rewrite("diary.clean_rewrite_reply", json!({"llm_reply": "```\n```"}), json!(""))]
    #[case::topics(
        "memory_misc.apply_topic_mapping",
        json!({"topics_str": "teas, misc", "mapping": {"teas": ["tea", "tea"], "misc": ""}}),
        json!("tea")
    )]
    #[case::normalised("graph.normalise_fact", json!({"text": " TEA  time"}), json!("tea time"))]
    #[case::tokens("graph.estimate_tokens", json!({"text": "tea time"}), json!(2))]
    #[case::no_tokens("graph.estimate_tokens", json!({"text": ""}), json!(0))]
    #[case::few_tokens("graph.estimate_tokens", json!({"text": "tea"}), json!(1))]
    #[case::characters_not_bytes("graph.estimate_tokens", json!({"text": "чайники!"}), json!(2))]
    #[case::lines("graph.split_data_lines", json!({"data": " a\n\nb"}), json!(["a", "b"]))]
    #[case::contains("graph.node_contains_fact", json!({"data": "Tea", "fact": "tea"}), json!(true))]
    #[case::part_of_a_line("graph.node_contains_fact", json!({"data": "tea and cake", "fact": "tea"}), json!(false))]
    #[case::punctuation("graph.node_contains_fact", json!({"data": "Tea.", "fact": "tea"}), json!(false))]
    #[case::no_fact("graph.node_contains_fact", json!({"data": "Tea", "fact": " "}), json!(false))]
    #[case::facts(
        "graph.extract_facts_object",
        json!({"response": "So: {\"facts\": [1, \"a\"]}."}),
        json!({"facts": [1, "a"]})
    )]
    #[case::merged(
        "graph.merge_node_data",
        json!({"existing": ["a"], "new_facts": ["b", "c"], "llm_reply": "{\"facts\": [\"C.\", \"a\", 3]}"}),
        json!({"success": true, "incorporated_indices": [1], "data_after": ["C.", "a"]})
    )]
    #[case::not_merged(
        "graph.merge_node_data",
        json!({"existing": ["a"], "new_facts": ["b"], "llm_reply": null}),
        json!({"success": false, "incorporated_indices": [], "data_after": ["a"]})
    )]
    #[case::extraction(
        "graph.parse_extraction",
        json!({"llm_reply": "[{\"branch\": \"world\", \"fact\": \"a\"}, 3, {\"fact\": \"b\"}]"}),
        json!([["world", "a"], ["user", "b"]])
    )]
    #[case::child("graph.pick_best_child", json!({"children": ["x", "y"], "llm_reply": "2."}), json!("y"))]
    #[case::no_child("graph.pick_best_child", json!({"children": ["x"], "llm_reply": null}), json!(null))]
    #[case::fence("nutrition.strip_code_fence", json!({"text": "```json\n{}\n```"}), json!("{}"))]
    #[case::meals(
        "nutrition.summarize_meals",
        json!({"meals": [{"description": "tea", "calories_kcal": 2.5, "protein_g": null}]}),
        json!({
            "count": 1,
            "totals": {"kcal": 2, "protein_g": 0, "carbs_g": 0, "fat_g": 0},
            "meals": [{"kcal": 2, "protein_g": 0, "carbs_g": 0, "fat_g": 0, "description": "tea"}]
        })
    )]
    fn suite_answers_as_expected(#[case] name: &str, #[case] input: Value, #[case] expected: Value) {
        assert_eq!(suite(name).unwrap()(input), Ok(expected));
    }

    #[test]
    fn meal_is_inserted_and_confirmed() {
        let input = json!({
            "args": {}, "redacted_text": "I had tea", "next_id": 7,
            "llm_replies": ["NONE", "{\"description\": \"tea\", \"calories_kcal\": \"2\"}", "Milk?"],
        });

        let output = log_meal(input).unwrap();

        assert_eq!(output["llm_calls"], 3);
        assert_eq!(output["inserted"][0]["calories_kcal"], 2.0);
        assert_eq!(
            output["reply"],
            json!({"id": 7, "description": "tea", "shown": {"kcal": 2}, "follow_ups": "Milk?"})
        );
    }

    #[rstest]
    #[case::nothing_said(json!({"args": {"meal": " "}, "redacted_text": "", "next_id": 1}), 0)]
    #[case::nothing_read(json!({"args": {}, "redacted_text": "tea", "llm_replies": ["NONE"], "next_id": 1}), 2)]
    fn text_without_a_meal_inserts_nothing(#[case] input: Value, #[case] calls: usize) {
        let expected = json!({"success": false, "llm_calls": calls, "inserted": [], "reply": null});

        assert_eq!(log_meal(input), Ok(expected));
    }
}
