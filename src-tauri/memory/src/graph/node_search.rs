//! Searching nodes by words.

use rusqlite::Connection;

use crate::MemoryError;
use crate::graph::facts;
use crate::graph::nodes::{NODES, Node, read, touch};
use crate::memory::Memory;
use crate::search::words;

impl Memory {
    /// The nodes that share words with `query`, best first: 3 points per word in the name, 3 in the description, 1 in the facts.
    /// Counts a use of each node found. Fixed nodes are not searched.
    pub async fn search_nodes(
        &self,
        query: &str,
        limit: usize,
        now_micros: i64,
    ) -> Result<Vec<Node>, MemoryError> {
        let query = query.to_owned();
        self.change(move |changing| {
            let found = search(changing, &query, limit, now_micros)?;
            for node in &found {
                touch(changing, node.id, now_micros)?;
            }
            Ok(found)
        })
        .await
    }
}

fn search(
    connection: &Connection,
    query: &str,
    limit: usize,
    now_micros: i64,
) -> rusqlite::Result<Vec<Node>> {
    let keywords = words::keywords(query);
    let mut select = connection.prepare_cached(&format!("{NODES} WHERE n.id > 4"))?;
    let nodes = select.query_map([], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut found: Vec<(usize, Node)> = Vec::new();
    for node in nodes {
        let (name, description) = (words::search_form(&node.name), words::search_form(&node.description));
        let data = words::search_form(&facts::data_of(connection, node.id)?);
        let points = |keyword: &String| {
            3 * usize::from(name.contains(keyword))
                + 3 * usize::from(description.contains(keyword))
                + usize::from(data.contains(keyword))
        };
        let points: usize = keywords.iter().map(points).sum();
        if points > 0 {
            found.push((points, node));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.score(now_micros).total_cmp(&a.1.score(now_micros))));
    Ok(found.into_iter().take(limit).map(|(_, node)| node).collect())
}
