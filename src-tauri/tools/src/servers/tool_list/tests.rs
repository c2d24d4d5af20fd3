use parking_lot::Mutex;
use rstest::rstest;
use serde_json::json;

use super::*;
use crate::config::ToolsConfig;

#[derive(Default)]
struct Pins(Mutex<BTreeMap<String, Pin>>);

impl PinStore for Pins {
    fn pinned(&self, tool: &str) -> Option<Pin> {
        self.0.lock().get(tool).cloned()
    }

    fn pin(&self, tools: Vec<(String, Pin)>) {
        self.0.lock().extend(tools);
    }
}

struct NothingStored;

#[async_trait::async_trait]
impl crate::PermissionStore for NothingStored {
    async fn allow_always(&self, _: &Declaration) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

/// A server that lists its tools, and a user.
struct Fixture {
    list: ToolList,
    registry: ToolRegistry,
    permissions: Permissions,
    pins: Pins,
    requests: mpsc::Sender<ServerRequest>,
}

impl Fixture {
    fn new() -> Self {
        let config = ToolsConfig::from(&settings::Settings::default());
        Self {
            list: ToolList::default(),
            registry: ToolRegistry::new(),
            permissions: Permissions::new(config, Arc::new(NothingStored)),
            pins: Pins::default(),
            requests: mpsc::channel(1).0,
        }
    }

    fn lists(&mut self, listing: Listing) {
        let Self { list, registry, permissions, pins, requests } = self;
        let to_pin = list.enter(listing, Surroundings { registry, permissions, pins, requests });
        self.pins.pin(to_pin);
    }

    /// The user agrees to the description of this tool as it is now.
    fn agrees(&mut self, tool: &str) {
        self.permissions.agree(&self.permissions.new_description(tool).unwrap());
        let Self { list, registry, permissions, pins, requests } = self;
        let to_pin = list.enter_again(Surroundings { registry, permissions, pins, requests });
        self.pins.pin(to_pin);
    }

    /// Names and descriptions in the registry.
    fn tools(&self) -> Vec<(String, String)> {
        let catalogue = self.registry.catalogue();
        let tools: Vec<_> =
            catalogue.declarations().map(|tool| (tool.name.clone(), tool.description.clone())).collect();
        assert_eq!(self.list.names(), tools.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
        tools
    }
}

/// Tools with these names and descriptions.
fn described(tools: &[(&str, &str)]) -> Listing {
    let tools = tools.iter().map(|(name, description)| {
        let tool = json!({ "name": name, "description": description, "inputSchema": { "type": "object" } });
        serde_json::from_value(tool).unwrap()
    });
    Listing {
        server: "files".to_owned(),
        generation: 0,
        tools: tools.collect(),
        has_resources: false,
        has_prompts: false,
    }
}

/// Tools with these names, numbered in their descriptions.
fn listing(names: &[&str], has_resources: bool) -> Listing {
    let numbered: Vec<String> = (0..names.len()).map(|n| format!("tool {n}")).collect();
    let tools: Vec<(&str, &str)> = names.iter().copied().zip(numbered.iter().map(String::as_str)).collect();
    Listing { has_resources, ..described(&tools) }
}

fn entered(listings: impl IntoIterator<Item = Listing>) -> Vec<(String, String)> {
    let mut fixture = Fixture::new();
    listings.into_iter().for_each(|listing| fixture.lists(listing));
    fixture.tools()
}

fn pair(name: &str, description: &str) -> (String, String) {
    (name.to_owned(), description.to_owned())
}

#[test]
fn of_tools_with_one_name_the_first_exact_one_is_kept() {
    let tools = entered([listing(&["read", "read", "a b", "a_b", "", "日本"], false)]);

    assert_eq!(tools, [pair("files__a_b", "tool 3"), pair("files__read", "tool 0")]);
}

#[test]
fn second_tool_of_a_name_changes_no_description() {
    let mut fixture = Fixture::new();

    fixture.lists(described(&[("read", "Reads."), ("read", "Writes.")]));
    fixture.lists(described(&[("read", "Reads."), ("read", "Deletes.")]));

    assert_eq!((fixture.tools(), &fixture.list.changed), (vec![pair("files__read", "Reads.")], &Vec::new()));
}

#[test]
fn later_list_takes_the_place_of_the_one_before() {
    let tools =
        entered([described(&[("read", "Reads."), ("write", "Writes.")]), described(&[("write", "Writes.")])]);

    assert_eq!(tools, [pair("files__write", "Writes.")]);
}

#[test]
fn same_list_changes_nothing_in_the_registry() {
    let mut fixture = Fixture::new();

    fixture.lists(listing(&["read"], true));
    let version = fixture.registry.catalogue().version();
    fixture.lists(listing(&["read"], true));

    assert_eq!(fixture.list.names(), ["files__read", "files__readServerResource"]);
    assert_eq!(fixture.registry.catalogue().version(), version);
}

#[test]
fn changed_list_is_one_change_of_the_registry() {
    let mut fixture = Fixture::new();

    fixture.lists(listing(&["read"], false));
    let version = fixture.registry.catalogue().version();
    fixture.lists(listing(&["read", "write"], false));

    assert_eq!(fixture.registry.catalogue().version(), version + 1);
}

#[test]
fn tool_of_the_server_goes_before_ours_of_the_same_name() {
    let tools = entered([listing(&["readServerResource"], true)]);

    assert_eq!(tools, [pair("files__readServerResource", "tool 0")]);
}

/// A list of the server with this description, or the consent of the user.
enum Step {
    Described(&'static str),
    Agreed,
}

use Step::{Agreed, Described as Says};

#[rstest]
#[case::first_contact(&[Says("A")], "A", false)]
#[case::same_words(&[Says("A"), Says("A")], "A", false)]
#[case::other_words(&[Says("A"), Says("B")], "A", true)]
#[case::other_words_twice(&[Says("A"), Says("B"), Says("C")], "A", true)]
#[case::words_before_again(&[Says("A"), Says("B"), Says("A")], "A", false)]
#[case::agreed(&[Says("A"), Says("B"), Agreed], "B", false)]
#[case::listed_after_consent(&[Says("A"), Says("B"), Agreed, Says("B")], "B", false)]
#[case::changed_after_consent(&[Says("A"), Says("B"), Agreed, Says("C")], "B", true)]
#[case::first_words_after_consent(&[Says("A"), Says("B"), Agreed, Says("A")], "B", true)]
#[case::agreed_twice(&[Says("A"), Says("B"), Agreed, Says("A"), Agreed], "A", false)]
fn new_words_wait_for_consent(#[case] steps: &[Step], #[case] told: &str, #[case] is_changed: bool) {
    let mut fixture = Fixture::new();

    for step in steps {
        match step {
            Says(description) => fixture.lists(described(&[("read", description)])),
            Agreed => fixture.agrees("files__read"),
        }
    }

    assert_eq!(fixture.tools(), [pair("files__read", told)]);
    assert_eq!(fixture.permissions.is_suspended("files__read"), is_changed);
    assert_eq!(fixture.list.changed, if is_changed { vec!["files__read".to_owned()] } else { Vec::new() });
}

#[test]
fn tool_that_is_new_beside_a_changed_one_is_told_as_it_is() {
    let mut fixture = Fixture::new();
    fixture.lists(described(&[("read", "Reads.")]));

    fixture.lists(described(&[("read", "Reads more."), ("write", "Writes.")]));

    assert_eq!(fixture.tools(), [pair("files__read", "Reads."), pair("files__write", "Writes.")]);
}

#[test]
fn consent_to_one_description_is_none_to_the_next() {
    let mut fixture = Fixture::new();
    fixture.lists(described(&[("read", "A")]));
    fixture.lists(described(&[("read", "B")]));
    let asked_about = fixture.permissions.new_description("files__read").unwrap();

    fixture.lists(described(&[("read", "C")]));
    fixture.permissions.agree(&asked_about);
    fixture.lists(described(&[("read", "C")]));

    assert_eq!(fixture.tools(), [pair("files__read", "A")]);
    assert!(fixture.permissions.is_suspended("files__read"));
}
