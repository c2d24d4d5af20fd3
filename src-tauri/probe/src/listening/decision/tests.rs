use rstest::rstest;

use super::*;

const REPLY: &str = "It will rain in Leeds this afternoon, so take an umbrella with you.";

/// The input of an utterance of one second, while nothing goes on. `changes` are merged into it.
fn input(text: &str, changes: Value) -> Value {
    let mut input = json!({
        "text": text,
        "utterance": {"start": -1.0, "end": 0.0, "energy": 0.02},
        "state": {"mode": "wake_word", "pending_query": null, "speech": null,
            "hot_window": {"active": false, "activation_pending": false, "span_start": null, "span_end": null}},
        "judge": null,
        "config": {"wake_word": "jarvis", "wake_aliases": ["jervis"], "wake_fuzzy_ratio": 0.78,
            "echo_tolerance": 0.3, "echo_energy_threshold": 2.0, "tts_rate": 200, "hot_window_seconds": 3.0}
    });
    merge(&mut input, changes);
    input
}

fn merge(into: &mut Value, changes: Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (key, value) in changes {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, changes) => *into = changes,
    }
}

/// The state in the hot window after [`REPLY`], two seconds after it ended.
fn hot() -> Value {
    json!({"state": {"mode": "hot_window",
        "hot_window": {"active": true, "span_start": -2.0},
        "speech": {"text": REPLY, "playing": false, "started": -7.2, "finished": -2.0, "exact_duration": 5.2,
            "energy_baseline": 0.0045}}})
}

/// The state while [`REPLY`] sounds, three seconds after its start.
fn speaking() -> Value {
    json!({"state": {"speech": {"text": REPLY, "playing": true, "started": -3.0, "finished": null,
        "exact_duration": 5.2, "energy_baseline": 0.0045}}})
}

fn collecting() -> Value {
    json!({"state": {"mode": "collecting", "pending_query": "book a table"}})
}

fn idle() -> Value {
    json!({})
}

fn with(mut state: Value, directed: bool, query: &str, confidence: &str, reasoning: &str) -> Value {
    state["judge"] = json!({"verdict": {"directed": directed, "query": query, "stop": false,
        "confidence": confidence, "reasoning": reasoning}});
    state
}

fn without_verdict(mut state: Value) -> Value {
    state["judge"] = json!({"verdict": null});
    state
}

fn late(mut state: Value, start: f64) -> Value {
    state["state"]["mode"] = json!("wake_word");
    state["state"]["hot_window"] = json!({"active": false, "span_start": -9.0, "span_end": -6.0});
    state["state"]["speech"]["finished"] = json!(-9.0);
    state["utterance"] = json!({"start": start, "end": start + 1.0});
    state
}

/// Outcome, query, mode given to the judge, tune.
type Expected = (&'static str, Option<&'static str>, Option<bool>, bool);

const ECHO: Expected = ("ignore", None, None, false);

#[rstest]
#[case::silence("  ", without_verdict(hot()), ECHO)]
#[case::ambient_speech("pass me the salt", without_verdict(idle()), ("ignore", None, None, false))]
#[case::wake_word_without_a_judge("jarvis what time is it", idle(), ("accept", Some("what time is it"), None, true))]
#[case::wake_word_without_a_verdict("jarvis what time is it", without_verdict(idle()),
    ("accept", Some("what time is it"), Some(false), true))]
#[case::judge_writes_the_query("jarvis what about it", with(idle(), true, "what about the rain", "low", ""),
    ("accept", Some("what about the rain"), Some(false), true))]
#[case::judge_has_no_query("jarvis surprise me", with(idle(), true, "", "high", ""),
    ("accept", Some("jarvis surprise me"), Some(false), true))]
#[case::unsure_judge_has_no_query("jarvis surprise me", with(idle(), true, "", "medium", ""),
    ("accept", Some("surprise me"), Some(false), true))]
#[case::talk_about_the_name("i told jarvis yesterday", with(idle(), false, "", "high", ""), ("ignore", None, Some(false), true))]
#[case::unsure_refusal("i told jarvis yesterday", with(idle(), false, "", "low", ""),
    ("accept", Some("i told yesterday"), Some(false), true))]
#[case::echo_suspected_after_the_wake_word("jarvis go on", with(idle(), false, "", "high", "an Echo"),
    ("accept", Some("go on"), Some(false), true))]
#[case::follow_up("and in york", with(hot(), true, "will it rain in york", "high", ""),
    ("accept", Some("will it rain in york"), Some(true), true))]
#[case::follow_up_without_a_verdict("and in york", without_verdict(hot()), ("accept", Some("and in york"), Some(true), true))]
#[case::follow_up_while_the_judge_is_off("and in york", hot(), ("ignore", None, None, true))]
#[case::refused_follow_up("and in york", with(hot(), false, "", "high", "other people"),
    ("accept", Some("and in york"), Some(true), true))]
#[case::follow_up_that_the_judge_takes_for_echo("and in york", with(hot(), false, "", "high", "echo of the reply"),
    ("accept", Some("and in york"), Some(true), true))]
#[case::unsure_refusal_of_a_follow_up("and in york", with(hot(), false, "", "medium", ""), ("ignore", None, Some(true), true))]
#[case::pure_echo_in_the_hot_window("so take an umbrella with you", with(hot(), true, "x", "high", ""), ECHO)]
#[case::echo_and_the_user("this afternoon so take an umbrella with you what about york", without_verdict(hot()),
    ("accept", Some("what about york"), Some(true), true))]
#[case::part_of_a_spoken_word("noon", without_verdict(hot()), ("accept", Some("noon"), Some(true), true))]
#[case::late_follow_up_that_the_judge_takes_for_echo("jarvis go on please",
    with(late(hot(), -4.0), false, "", "high", "echo"), ("accept", Some("jarvis go on please"), Some(false), true))]
#[case::too_late_for_a_follow_up("jarvis go on please",
    with(late(hot(), -3.9), false, "", "high", "echo"), ("accept", Some("go on please"), Some(false), true))]
#[case::stop_over_our_voice("stop", without_verdict(speaking()), ("interrupt", None, None, false))]
#[case::stop_behind_our_own_words("will rain in leeds this afternoon stop", speaking(), ("interrupt", None, None, false))]
#[case::our_words("leeds this afternoon so take", without_verdict(speaking()), ECHO)]
#[case::short_words_over_our_voice("what about york", without_verdict(speaking()), ("ignore", None, None, false))]
#[case::other_people("can you pass the salt", without_verdict(speaking()), ("ignore", None, Some(false), false))]
#[case::name_over_our_voice("jarvis what about the north", without_verdict(speaking()),
    ("accept", Some("what about the north"), Some(false), false))]
#[case::judge_without_the_name("tell me about the north", with(speaking(), true, "tell me about the north", "high", ""),
    ("ignore", None, Some(false), false))]
#[case::more_of_the_query("and on sunday", without_verdict(collecting()),
    ("append", Some("book a table and on sunday"), None, false))]
#[case::name_while_collecting("jarvis forget that", collecting(), ("accept", Some("forget that"), None, true))]
fn utterance_is_decided_as_the_reference_does(
    #[case] text: &str,
    #[case] changes: Value,
    #[case] (outcome, query, in_hot_window, tune): Expected,
) {
    let expected = json!({"outcome": outcome, "query": query, "judge_called": in_hot_window.is_some(),
        "judge_in_hot_window": in_hot_window, "tune_started": tune});

    assert_eq!(decide(input(text, changes)), Ok(expected));
}

#[test]
fn stop_of_the_judge_ends_our_speech_only_while_we_speak() {
    let verdict =
        json!({"judge": {"verdict": {"directed": true, "query": "", "stop": true, "confidence": "high"}}});
    let mut over_our_voice = speaking();
    merge(&mut over_our_voice, verdict.clone());
    let mut afterwards = hot();
    merge(&mut afterwards, verdict);

    let outcome = |changes| decide(input("please could you end it", changes)).unwrap()["outcome"].clone();

    assert_eq!(outcome(over_our_voice), "interrupt");
    assert_eq!(outcome(afterwards), "accept");
}
