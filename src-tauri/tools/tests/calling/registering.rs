//! Tools come and go.

use std::sync::Arc;

use testkit::ScriptedTool;
use tools::{RegistryError, Tool, ToolRegistry};

fn tool(name: &str) -> Arc<dyn Tool> {
    Arc::new(ScriptedTool::reading(name))
}

fn names(registry: &ToolRegistry) -> Vec<String> {
    registry.catalogue().declarations().map(|tool| tool.name.clone()).collect()
}

#[test]
fn catalogue_keeps_its_tools_while_the_registry_changes() {
    let registry = ToolRegistry::new();
    registry.add([tool("b"), tool("a")]).unwrap();
    let before = registry.catalogue();

    registry.add([tool("c")]).unwrap();
    registry.remove(&["a", "unknown"]);

    assert_eq!(names(&registry), ["b", "c"]);
    assert_eq!((before.len(), before.get("a").is_some()), (2, true));
}

#[test]
fn change_wakes_those_who_watch() {
    let registry = ToolRegistry::new();
    let mut changes = registry.watch();

    registry.add([tool("a")]).unwrap();
    assert!(changes.has_changed().unwrap());
    let version = changes.borrow_and_update().version();

    registry.remove(&["unknown"]);
    assert!(!changes.has_changed().unwrap());
    assert_eq!(registry.catalogue().version(), version);
}

#[test]
fn tools_are_replaced_in_one_change_or_not_at_all() {
    let registry = ToolRegistry::new();
    registry.add([tool("a"), tool("b"), tool("c")]).unwrap();
    let version = registry.catalogue().version();

    registry.replace(&["a", "b"], [tool("b"), tool("d")]).unwrap();
    let refused = registry.replace(&["b"], [tool("e"), tool("c")]).unwrap_err();

    assert_eq!(names(&registry), ["b", "c", "d"]);
    assert_eq!(registry.catalogue().version(), version + 1);
    assert_eq!(refused, RegistryError::NameTaken { name: "c".into() });
}

#[test]
fn second_tool_of_a_name_is_refused_with_all_that_came_with_it() {
    let registry = ToolRegistry::new();
    registry.add([tool("a")]).unwrap();

    let refused = registry.add([tool("b"), tool("a")]).unwrap_err();

    assert_eq!(refused, RegistryError::NameTaken { name: "a".into() });
    assert_eq!(names(&registry), ["a"]);
}

#[test]
fn name_that_no_model_can_call_is_refused() {
    let registry = ToolRegistry::new();

    for name in ["", "two words", "naïve", &"x".repeat(129)] {
        let refused = registry.add([tool(name)]).unwrap_err();
        assert_eq!(refused, RegistryError::InvalidName { name: name.into() });
    }
}
