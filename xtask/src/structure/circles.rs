//! Files of one crate that use each other in a circle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::arrows::{Arrows, arrows};
use super::modules::Modules;

/// Files of which each one needs all the others, directly or through others.
#[derive(Debug)]
pub(super) struct Circle {
    files: Vec<PathBuf>,
    /// The uses between these files: from, to, and one of the items used.
    uses: Vec<(PathBuf, PathBuf, String)>,
}

impl Circle {
    /// The circle for a reader, with paths below `checkout`.
    pub(super) fn describe(&self, checkout: &Path) -> String {
        let short = |path: &PathBuf| below(checkout, path).display().to_string();
        let uses = self.uses.iter();
        let lines =
            uses.map(|(from, to, item)| format!("    {} uses `{item}` of {}", short(from), short(to)));
        let lines: Vec<String> = lines.collect();
        format!("{} files use each other in a circle:\n{}", self.files.len(), lines.join("\n"))
    }
}

/// All circles in the crate whose root file this is.
pub(super) fn find(root: &Path) -> anyhow::Result<Vec<Circle>> {
    let modules = Modules::read(root)?;
    let arrows = arrows(&modules);
    let circles = components(&arrows).into_iter().filter(|files| files.len() > 1);
    Ok(circles.map(|files| circle(files, &arrows)).collect())
}

fn circle(mut files: Vec<PathBuf>, arrows: &Arrows) -> Circle {
    files.sort();
    let mut uses = Vec::new();
    for from in &files {
        let targets = arrows.get(from).into_iter().flatten().filter(|(to, _)| files.contains(to));
        uses.extend(targets.map(|(to, item)| (from.clone(), to.clone(), item.clone())));
    }
    Circle { files, uses }
}

/// The strongly connected components of the graph. Tarjan's algorithm.
fn components(arrows: &Arrows) -> Vec<Vec<PathBuf>> {
    let mut search = Search { arrows, visited: BTreeMap::new(), stack: Vec::new(), components: Vec::new() };
    for file in arrows.keys() {
        if !search.visited.contains_key(file.as_path()) {
            search.visit(file);
        }
    }
    search.components
}

struct Search<'a> {
    arrows: &'a Arrows,
    /// The order in which a file was reached, and the earliest file still on the stack that it leads back to.
    visited: BTreeMap<&'a Path, (usize, usize)>,
    stack: Vec<&'a Path>,
    components: Vec<Vec<PathBuf>>,
}

impl<'a> Search<'a> {
    /// Returns the earliest file on the stack that `file` leads back to.
    fn visit(&mut self, file: &'a Path) -> usize {
        let order = self.visited.len();
        self.visited.insert(file, (order, order));
        self.stack.push(file);
        let mut earliest = order;
        for to in self.arrows.get(file).into_iter().flat_map(BTreeMap::keys) {
            match self.visited.get(to.as_path()) {
                None => earliest = earliest.min(self.visit(to)),
                Some((reached, _)) if self.stack.contains(&to.as_path()) => earliest = earliest.min(*reached),
                Some(_) => {}
            }
        }
        self.visited.insert(file, (order, earliest));
        if earliest == order {
            let begin = self.stack.iter().position(|other| *other == file).unwrap_or_default();
            let component = self.stack.drain(begin..).map(Path::to_path_buf).collect();
            self.components.push(component);
        }
        earliest
    }
}

/// The path relative to `folder`, if it is inside.
pub(super) fn below(folder: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(folder).unwrap_or(path).to_path_buf()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The circles of a crate of these files, each as its file names.
    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let circles = find(&folder.path().join("lib.rs")).unwrap();
        let names = |circle: Circle| {
            let files = circle.files.iter();
            files.map(|file| below(folder.path(), file).display().to_string()).collect()
        };
        circles.into_iter().map(names).collect()
    }

    const BOTH: [&str; 2] = ["a.rs", "b.rs"];

    #[rstest]
    #[case::one_way("use crate::b::B;", "pub struct B;", &[])]
    #[case::imports("use crate::b::B; pub struct A;", "use crate::a::A; pub struct B;", &BOTH)]
    #[case::super_paths("use super::b::B; pub struct A;", "use super::a::A; pub struct B;", &BOTH)]
    #[case::groups("use crate::{b::{self, B}}; pub struct A;", "use crate::a::A; pub struct B;", &BOTH)]
    #[case::paths_in_code(
        "pub fn a() { crate::b::b() }",
        "pub fn b() { let _: fn() = crate::a::a; }",
        &BOTH
    )]
    #[case::imported_modules("use crate::b; pub fn a() { b::b() }", "use super::a; pub fn b() { a::a() }", &BOTH)]
    #[case::types("pub struct A(crate::b::B);", "pub trait T { fn t(a: super::a::A); } pub struct B;", &BOTH)]
    #[case::inside_macros(
        "pub fn a() { println!(\"{}\", crate::b::b()) }",
        "use crate::a; pub fn b() -> u8 { vec![a::A; 1]; 1 }",
        &[]
    )]
    #[case::both_inside_macros(
        "pub struct A; pub fn a() { println!(\"{}\", crate::b::b()) }",
        "use crate::a; pub fn b() -> u8 { vec![a::A; 1]; 1 }",
        &BOTH
    )]
    #[case::reexported_by_the_root("use crate::B; pub struct A;", "use crate::A; pub struct B;", &BOTH)]
    #[case::globs("use super::*; pub struct A(B);", "use crate::*; pub struct B(A);", &BOTH)]
    #[case::unused_globs("use super::*; pub struct A;", "use crate::*; pub struct B(A);", &[])]
    #[case::methods("use crate::b::B; pub struct A; fn a() { B::new() }", "pub struct B; impl B { fn new() { super::a::A; } }", &BOTH)]
    #[case::tests(
        "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
        "use crate::a::A; pub struct B;",
        &[]
    )]
    #[case::test_functions(
        "pub struct A; #[cfg(test)] fn a() { crate::b::b() }",
        "pub fn b(_: crate::a::A) {}",
        &[]
    )]
    #[case::visibility("pub(in crate::b) struct A;", "use crate::a::A;", &[])]
    #[case::other_crates("use ::b::B; pub struct A;", "use crate::a::A; pub struct B;", &[])]
    #[case::variables("pub use crate::b::b; pub struct A; fn a(b: u8) -> u8 { b }", "use crate::a::A; pub fn b() {}", &[])]
    #[case::used_reexports("pub use crate::b::b; pub struct A; fn a() { b() }", "use crate::a::A; pub fn b() {}", &BOTH)]
    fn files_that_use_each_other_are_a_circle(#[case] a: &str, #[case] b: &str, #[case] expected: &[&str]) {
        let root = "mod a; mod b; pub use a::A; pub use b::B;";
        // The root must not fail on names that a case leaves out: they resolve to nothing.
        let circles = circles_of(&[("lib.rs", root), ("a.rs", a), ("b.rs", b)]);

        assert_eq!(circles.concat(), expected);
    }

    #[rstest]
    #[case::parent_uses_child("mod c; pub struct P(c::C);", "pub struct C;", &[])]
    #[case::child_uses_parent("mod c; pub struct P;", "use super::P; pub struct C(P);", &[])]
    #[case::both("mod c; pub struct P; fn p(_: c::C) {}", "use super::P; pub struct C(P);", &["p/c.rs", "p.rs"])]
    #[case::parent_reexports("mod c; pub use c::C; pub struct P;", "use super::P; pub struct C(P);", &[])]
    #[case::function_named_as_module("mod c; pub use c::c; pub struct P;", "use super::P; pub fn c(_: P) {}", &[])]
    #[case::inline_module("mod c; mod inner { use super::c::C; } pub struct P;", "pub struct C(super::P);", &["p/c.rs", "p.rs"])]
    #[case::macro_of_the_parent("macro_rules! m { () => {} } mod c; fn p(_: c::C) {}", "m!(); pub struct C;", &["p/c.rs", "p.rs"])]
    fn parents_and_children_are_files_as_any_other(
        #[case] parent: &str,
        #[case] child: &str,
        #[case] expected: &[&str],
    ) {
        let circles = circles_of(&[("lib.rs", "mod p;"), ("p.rs", parent), ("p/c.rs", child)]);

        assert_eq!(circles.concat(), expected);
    }

    #[test]
    fn a_longer_circle_is_reported_once_with_one_item_per_arrow() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use crate::b::{B, Other}; pub struct A;"),
            ("b.rs", "use crate::c::C; pub struct B; pub struct Other;"),
            ("c.rs", "use crate::{a::A, d::D}; pub struct C;"),
            ("d.rs", "pub struct D;"),
        ];
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }

        let circles = find(&folder.path().join("lib.rs")).unwrap();

        let texts: Vec<String> = circles.iter().map(|circle| circle.describe(folder.path())).collect();
        assert_eq!(
            texts,
            [
                "3 files use each other in a circle:\n    a.rs uses `B` of b.rs\n    b.rs uses `C` of c.rs\n    \
              c.rs uses `A` of a.rs"
            ]
        );
    }
}
