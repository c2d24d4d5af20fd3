//! The depth of the elements of a page. Parsing takes the square of it, so it is counted before.
//!
//! The tokens are those of the parser. What they do to the open elements is followed closely enough that the count is never
//! too low: an end that the parser may ignore closes nothing here.

use std::cell::{Cell, RefCell};

use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// Pages of people stay below a hundred; 200,000 took minutes.
const MAX_DEPTH: usize = 2_000;

/// Elements that have no end, or whose end another element of the same kind brings: they do not nest.
/// Source of these lists: the HTML standard, sections 13.1.2 and 13.2.4.2.
const FLAT: [&str; 27] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "p", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track",
    "wbr",
];
/// Elements behind which an end of another kind finds nothing to close.
const BLOCKS: [&str; 45] = [
    "address",
    "applet",
    "article",
    "aside",
    "blockquote",
    "button",
    "caption",
    "center",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "iframe",
    "listing",
    "main",
    "marquee",
    "menu",
    "nav",
    "noscript",
    "object",
    "ol",
    "pre",
    "search",
    "section",
    "select",
    "summary",
    "table",
    "template",
    "ul",
    "xmp",
];
/// Elements behind which not even the end of such an element finds one.
const WALLS: [&str; 6] = ["applet", "caption", "marquee", "object", "table", "template"];
/// Roots of other languages, in which an end of HTML may mean nothing.
const FOREIGN: [&str; 2] = ["svg", "math"];

/// Returns `true` if the elements of a page nest so deeply that it must not be parsed.
pub(super) fn is_too_deep(html: &str) -> bool {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(Nesting::default(), TokenizerOpts::default());
    // It stops for scripts and encodings, of which the sink asks for none.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.is_too_deep.get()
}

/// The elements that are open.
#[derive(Default)]
struct Nesting {
    open: RefCell<Vec<LocalName>>,
    is_too_deep: Cell<bool>,
}

impl Nesting {
    fn start(&self, name: LocalName) -> TokenSinkResult<()> {
        if FLAT.contains(&&*name) {
            return TokenSinkResult::Continue;
        }
        let mut open = self.open.borrow_mut();
        let is_foreign = open.iter().any(is_root);
        let next = if is_foreign { TokenSinkResult::Continue } else { content_of(&name) };
        open.push(name);
        if open.len() <= MAX_DEPTH {
            return next;
        }
        self.is_too_deep.set(true);
        // The rest does not matter any more.
        TokenSinkResult::Plaintext
    }

    fn end(&self, name: &LocalName) {
        let mut open = self.open.borrow_mut();
        let root = open.iter().rposition(is_root);
        let blocking: &[&str] = if BLOCKS.contains(&&**name) { &WALLS } else { &BLOCKS };
        for at in (0..open.len()).rev() {
            if open[at] == *name {
                if root.is_none_or(|root| at <= root) {
                    open.truncate(at);
                }
                return;
            }
            if blocking.contains(&&*open[at]) {
                return;
            }
        }
    }
}

fn is_root(name: &LocalName) -> bool {
    FOREIGN.contains(&&**name)
}

/// The way in which the tokenizer reads on in an element.
fn content_of(name: &LocalName) -> TokenSinkResult<()> {
    match &**name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "textarea" | "title" => TokenSinkResult::RawData(RawKind::Rcdata),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}

impl TokenSink for Nesting {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        match tag.kind {
            TagKind::StartTag => self.start(tag.name),
            TagKind::EndTag => {
                self.end(&tag.name);
                TokenSinkResult::Continue
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::elements("<div>")]
    #[case::ends_of_others("<div></x>")]
    #[case::ends_behind_a_block("<x><div></x></div>")]
    #[case::ends_in_an_attribute("<div title='</div>'>")]
    #[case::ends_in_a_comment("<div><!-- </div> -->")]
    #[case::ends_behind_an_empty_comment("<!--><div><!-- </div> -->")]
    #[case::ends_in_a_script("<div><script>'</div>'</script>")]
    #[case::ends_in_a_table("<div><table></div>")]
    #[case::drawing("<svg><div></svg>")]
    #[case::style_in_a_drawing("<svg><style><div></style></svg>")]
    #[case::ruby("<rt>")]
    #[case::group("<optgroup>")]
    fn page_of_nested_elements_is_too_deep(#[case] part: &str) {
        assert!(is_too_deep(&part.repeat(MAX_DEPTH * 2)));
    }

    #[rstest]
    #[case::paragraphs("<p>tea<li>two<br><img src=x>")]
    #[case::blocks("<div><p>a <b>cup</b></p><span>of</div>")]
    #[case::scripts("<script>for (i = 0; i<div.length && i<10; i++) { s += '<div>' }</script>")]
    #[case::drawings("<svg><title>x</title><g><path d='M0 0'/><circle r=1 /></g></svg>")]
    #[case::table("<table><tr><td><div>tea</div></table>")]
    #[case::frame("<noscript><iframe src=x></iframe></noscript>")]
    fn page_of_a_person_is_not(#[case] part: &str) {
        assert!(!is_too_deep(&part.repeat(MAX_DEPTH * 2)));
    }
}
