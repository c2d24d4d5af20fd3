//! Bounds that let a check end in reasonable time.
//!
//! A schema comes from a server and can be built to hang: references in a circle, or `allOf` lists that double at every
//! level. The work for one value is bounded by counting the subschemas that apply to the same value.

use std::collections::HashMap;

use serde_json::Value;

/// Most subschemas for one value, and most of them within each other.
const MAX_WIDTH: u64 = 100_000;
const MAX_DEPTH: usize = 100;

/// Most steps of one check: about half a second.
const MAX_STEPS: u64 = 5_000_000;

/// The largest number of subschemas that apply to one value; `None` if there is no end to them, or nearly so.
pub(super) fn width(schema: &Value) -> Option<u64> {
    let mut counter = Counter { root: schema, widths: HashMap::new() };
    let mut largest = 1;
    let mut unread = vec![schema];
    while let Some(value) = unread.pop() {
        largest = largest.max(counter.width(value, 0)?);
        match value {
            Value::Object(fields) => unread.extend(fields.values()),
            Value::Array(items) => unread.extend(items),
            _ => {}
        }
    }
    Some(largest)
}

/// Returns `true` if a check of these arguments ends soon.
pub(super) fn is_affordable(width: u64, arguments: &Value) -> bool {
    let (count, depth) = extent(arguments);
    // Each level can multiply the subschemas that apply to the values below.
    width
        .checked_pow(depth)
        .and_then(|steps| steps.checked_mul(count))
        .is_some_and(|steps| steps <= MAX_STEPS)
}

/// Number of values, and how deep they are nested.
fn extent(value: &Value) -> (u64, u32) {
    let children: Vec<&Value> = match value {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => return (1, 1),
    };
    let parts = children.into_iter().map(extent);
    parts.fold((1, 1), |(count, depth), (more, below)| (count.saturating_add(more), depth.max(below + 1)))
}

struct Counter<'a> {
    root: &'a Value,
    /// By address; `None` while a schema is being counted.
    widths: HashMap<*const Value, Option<u64>>,
}

impl<'a> Counter<'a> {
    fn width(&mut self, schema: &'a Value, depth: usize) -> Option<u64> {
        let Some(fields) = schema.as_object() else { return Some(1) };
        match self.widths.get(&std::ptr::from_ref(schema)) {
            Some(Some(width)) => return Some(*width),
            // A circle.
            Some(None) => return None,
            None if depth > MAX_DEPTH => return None,
            None => {}
        }
        self.widths.insert(schema, None);
        let mut width: u64 = 1;
        for (keyword, value) in fields {
            for applied in self.applied(keyword, value) {
                width = width.saturating_add(self.width(applied, depth + 1)?);
            }
        }
        self.widths.insert(schema, Some(width));
        (width <= MAX_WIDTH).then_some(width)
    }

    /// The subschemas that a keyword applies to the same value.
    fn applied(&self, keyword: &str, value: &'a Value) -> Vec<&'a Value> {
        match keyword {
            "$ref" => value.as_str().and_then(|to| referred(self.root, to)).into_iter().collect(),
            // These can lead to any schema of the document: taken for a reference to the whole.
            "$dynamicRef" | "$recursiveRef" => vec![self.root],
            "allOf" | "anyOf" | "oneOf" => value.as_array().into_iter().flatten().collect(),
            "not" | "if" | "then" | "else" => vec![value],
            "dependentSchemas" | "dependencies" => {
                value.as_object().into_iter().flat_map(|schemas| schemas.values()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The part of the document that a reference names.
pub(super) fn referred<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    root.pointer(&pointer.replace("%25", "%").replace("%7E", "~").replace("%2F", "~1"))
}
