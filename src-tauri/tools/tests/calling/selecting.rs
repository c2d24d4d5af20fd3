//! The index follows the registry, and the search tool uses it.

use std::sync::Arc;

use llm::{CancellationToken, EmbedRole, Embedder};
use serde_json::json;
use settings::SelectionStrategy;
use testkit::{BagOfWords, ScriptedApproval, ScriptedTool};
use tools::selection::{Confidence, ToolIndex};
use tools::{CallStatus, Taint, Tool, ToolSearch, Transition};

use crate::support::{Setup, call, config, context, setup};

fn catalogue() -> Setup {
    let tool = |name: &str, description: &str| Arc::new(ScriptedTool::reading(name).described(description));
    let tools = [
        tool("getWeather", "Tells the weather and the forecast of a place."),
        tool("mail__send_message", "Sends a message by mail."),
        tool("mail__search_messages", "Searches messages in the mailbox."),
        tool("music__play_song", "Plays a song or an album."),
        tool("lights__set_brightness", "Dims the lamps of a room."),
        tool("maps__get_route", "Finds a route between two places."),
        tool("stop", "Ends the conversation."),
    ];
    setup(&tools.each_ref())
}

async fn vector(embedder: &dyn Embedder, query: &str) -> Vec<f32> {
    let texts = [query.to_owned()];
    embedder.embed(&texts, EmbedRole::Query, CancellationToken::new()).await.unwrap().remove(0)
}

#[tokio::test]
async fn words_and_meaning_find_the_tool_together() {
    let Setup { registry, permissions, .. } = catalogue();
    let embedder = BagOfWords::with_synonyms([("darker", "dims"), ("lounge", "room"), ("lights", "lamps")]);
    let index = ToolIndex::new(registry, permissions);
    index.embed_new(&embedder, &CancellationToken::new()).await.unwrap();

    let query = "make the lounge darker";
    let vector = vector(&embedder, query).await;
    let selection = index.select(SelectionStrategy::Hybrid, query, Some(&vector));

    assert_eq!(selection.names[0], "lights__set_brightness");
    assert_eq!(selection.names.last().unwrap(), "stop");
}

#[test]
fn without_vectors_words_decide_and_the_selection_is_not_sure() {
    let Setup { registry, permissions, .. } = catalogue();
    let index = ToolIndex::new(registry, permissions);

    let selection = index.select(SelectionStrategy::Hybrid, "what is the weather forecast", None);

    assert_eq!(selection.names, ["getWeather", "stop"]);
    assert_eq!(selection.confidence, Confidence::Low);
}

#[test]
fn small_talk_selects_stop_alone() {
    let Setup { registry, permissions, .. } = catalogue();
    let index = ToolIndex::new(registry, permissions);

    assert_eq!(index.select(SelectionStrategy::Hybrid, "good evening", None).names, ["stop"]);
}

#[test]
fn all_and_keyword_select_without_vectors() {
    let Setup { registry, permissions, .. } = catalogue();
    let index = ToolIndex::new(registry, permissions);

    let all = index.select(SelectionStrategy::All, "", None).names;
    assert_eq!((all.len(), &*all[6]), (7, "stop"));
    let keyword = index.select(SelectionStrategy::Keyword, "play a song", None).names;
    assert_eq!(keyword, ["music__play_song", "stop"]);
    assert_eq!(index.select(SelectionStrategy::Llm, "play a song", None).names, keyword);
    assert_eq!(index.select(SelectionStrategy::Embedding, "play a song", None).names.len(), 7);
}

#[test]
fn denied_tools_are_never_selected() {
    let Setup { registry, permissions, .. } = catalogue();
    permissions.update(config(|settings| settings.tools.denied = vec!["getWeather".into()]));
    let index = ToolIndex::new(registry, permissions);

    for strategy in [
        SelectionStrategy::Hybrid,
        SelectionStrategy::Llm,
        SelectionStrategy::Keyword,
        SelectionStrategy::Embedding,
        SelectionStrategy::All,
    ] {
        let names = index.select(strategy, "weather forecast", None).names;
        assert!(!names.contains(&"getWeather".to_owned()), "{strategy:?}: {names:?}");
    }
}

#[tokio::test]
async fn only_new_tools_are_embedded() {
    let Setup { registry, permissions, .. } = catalogue();
    let embedder = BagOfWords::new();
    let index = ToolIndex::new(registry.clone(), permissions);
    let stop = CancellationToken::new();
    index.embed_new(&embedder, &stop).await.unwrap();

    let new = ScriptedTool::reading("feedTheCat").described("Opens the feeder.");
    registry.add([Arc::new(new) as Arc<dyn Tool>]).unwrap();
    registry.remove(&["getWeather"]);
    index.embed_new(&embedder, &stop).await.unwrap();

    let asked = embedder.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].1.contains(&"what is the weather".to_owned()), "{:?}", asked[0].1);
    assert_eq!(asked[1].1, ["feed the cat: Opens the feeder.", "Opens the feeder."]);
    assert_eq!(index.select(SelectionStrategy::Hybrid, "feed the cat", None).names[0], "feedTheCat");
}

#[tokio::test]
async fn index_follows_the_registry_until_it_is_stopped() {
    let Setup { registry, permissions, .. } = catalogue();
    let embedder = BagOfWords::new();
    let index = ToolIndex::new(registry.clone(), permissions);
    let stop = CancellationToken::new();

    let work = async {
        while embedder.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        registry.add([Arc::new(ScriptedTool::reading("late")) as Arc<dyn Tool>]).unwrap();
        while embedder.asked().len() < 2 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    };
    tokio::join!(index.follow(&embedder, stop.clone()), work);

    assert_eq!(embedder.asked()[1].1, ["late: Does what late does.", "Does what late does."]);
}

#[tokio::test]
async fn search_tool_offers_what_it_finds() {
    let setup = catalogue();
    let index = Arc::new(ToolIndex::new(setup.registry.clone(), setup.permissions.clone()));
    let search = ToolSearch::new(&index, Some(Arc::new(BagOfWords::new())));
    setup.registry.add([Arc::new(search) as Arc<dyn Tool>]).unwrap();
    index.embed_new(&BagOfWords::new(), &CancellationToken::new()).await.unwrap();
    let mut user = ScriptedApproval::default();

    let find = call("toolSearchTool", json!({"query": "find a route"}));
    let outcome = setup.runner.run(&find, Taint::Clean, &context(), &mut user).await;

    assert_eq!(outcome.status, CallStatus::Done);
    let text = outcome.result.text.unwrap().0;
    assert!(text.starts_with("maps__get_route: Finds a route between two places."), "{text}");
    let Some(Transition::OfferTools(names)) = outcome.result.transition else {
        panic!("no tools are offered")
    };
    assert_eq!(names[0], "maps__get_route");
    assert!(!names.iter().any(|name| name == "stop" || name == "toolSearchTool"));
}

#[tokio::test]
async fn search_without_a_match_says_so() {
    let setup = catalogue();
    let index = Arc::new(ToolIndex::new(setup.registry.clone(), setup.permissions.clone()));
    setup.registry.add([Arc::new(ToolSearch::new(&index, None)) as Arc<dyn Tool>]).unwrap();
    let mut user = ScriptedApproval::default();

    let find = call("toolSearchTool", json!({"query": "xylophone"}));
    let outcome = setup.runner.run(&find, Taint::Clean, &context(), &mut user).await;

    assert_eq!(outcome.result.transition, None);
    assert!(outcome.result.text.unwrap().starts_with("No tool can do that."));
}
