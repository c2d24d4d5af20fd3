import DOMPurify from "dompurify";
import { Marked, Renderer, type Token } from "marked";

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // Output of a model is text: HTML is shown and not interpreted, and images are not loaded.
    html: ({ text }) => escapeHtml(text),
    image: ({ text, href }) => escapeHtml(text || href),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      return href.startsWith("https://") ? `<a href="${escapeHtml(href)}">${words}</a>` : words;
    },
    table(token) {
      return `<div tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
    },
    code({ text, lang }) {
      const language = lang?.match(/^[\w+#-]+/)?.[0] ?? "";
      return (
        `<figure><figcaption><span>${escapeHtml(language || "text")}</span>` +
        `<button type="button" data-copy="code">Copy</button></figcaption>` +
        `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>\n`
      );
    },
  },
});

const ALLOWED_TAGS = [
  ..."p br strong em del code pre ul ol li blockquote h3 h4 h5 h6 hr a".split(" "),
  ..."table thead tbody tr th td figure figcaption div span button".split(" "),
];
const PLAIN_ATTR = ["align", "start", "type", "tabindex", "data-copy"];

function sanitise(html: string): string {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ["href", ...PLAIN_ATTR],
    ADD_URI_SAFE_ATTR: PLAIN_ATTR,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^https:\/\//,
  });
}

/** Markdown drawn as blocks of safe HTML, in order. `settled` holds those that further text cannot change. */
export type Rendered = { source: string; settled: readonly string[]; tail: readonly string[] };

const NOTHING: Rendered = { source: "", settled: [], tail: [] };

/** All of a finished text. */
export function render(text: string): readonly string[] {
  return htmlOf(lex(normalise(text)));
}

/** A text that still grows: only what came after the settled blocks is parsed again. */
export function renderGrowing(before: Rendered | null, text: string): Rendered {
  const whole = normalise(text);
  const start = before && whole.startsWith(before.source) ? before : NOTHING;
  const tokens = lex(whole.slice(start.source.length));

  const lastBlock = tokens.findLastIndex(({ type }) => type !== "space");
  const settled = tokens.slice(0, Math.max(lastBlock, 0));
  return {
    source: start.source + settled.map(({ raw }) => raw).join(""),
    settled: [...start.settled, ...htmlOf(settled)],
    tail: htmlOf(tokens.slice(settled.length)),
  };
}

const normalise = (text: string) => text.replaceAll("\r\n", "\n");

const lex = (text: string): Token[] => marked.lexer(text);

function htmlOf(tokens: readonly Token[]): string[] {
  return tokens.map((token) => sanitise(marked.parser([token]))).filter((html) => html.trim() !== "");
}
