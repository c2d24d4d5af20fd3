import { describe, expect, it } from "vitest";
import { render, renderGrowing, type Rendered } from "./markdown";

const html = (text: string) => render(text).join("");

function elementOf(text: string): HTMLElement {
  const element = document.createElement("div");
  element.innerHTML = html(text);
  return element;
}

describe("Markdown", () => {
  it.each([
    ["**bold** and *slanted*", "<p><strong>bold</strong> and <em>slanted</em></p>"],
    ["# Title", "<h3>Title</h3>"],
    ["###### Small", "<h6>Small</h6>"],
    ["- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
    ["- [x] done", "<ul>\n<li>☑ done</li>\n</ul>"],
    ["[site](https://example.org)", '<p><a href="https://example.org">site</a></p>'],
    ["a < b & c", "<p>a &lt; b &amp; c</p>"],
    ["first\nsecond", "<p>first<br>second</p>"],
  ])("draws %j", (text, expected) => {
    expect(html(text).trim()).toBe(expected);
  });

  it("draws code with its language and a copy button", () => {
    const element = elementOf("```rust\nlet x = 1 < 2;\n```");

    expect(element.querySelector("figcaption span")?.textContent).toBe("rust");
    expect(element.querySelector("button[data-copy][type=button]")).not.toBeNull();
    expect(element.querySelector("pre[tabindex]")).not.toBeNull();
    expect(element.querySelector("pre code")?.textContent).toBe("let x = 1 < 2;");
  });
});

describe("hostile Markdown", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "text <b onclick=alert(1)>bold</b>",
    "<iframe src=https://example.org></iframe>",
    "<style>body{display:none}</style>",
    "<a href='https://example.org' style='position:fixed;inset:0'>x</a>",
    "![tracker](https://example.org/pixel.gif)",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](data:text/html,<script>alert(1)</script>)",
    "[click](vbscript:alert(1))",
    "[local](file:///etc/passwd)",
    "[plain](http://example.org)",
    '[quote](https://example.org/"onmouseover=alert(1))',
    '<https://example.org/"><script>alert(1)</script>>',
    '```"><script>alert(1)</script>\ncode\n```',
    "`<img src=x onerror=alert(1)>`",
    "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
    "<svg><g/onload=alert(2)//<p>",
    '<math><mi//xlink:href="data:x,<script>alert(4)</script>">',
    "<button data-copy>press</button>",
    "<form action=https://example.org><input></form>",
    "<!-- --><script>alert(1)</script>",
    "[x]: javascript:alert(1)\n\n[x]",
    "# <img src=x onerror=alert(1)>",
  ])("does nothing: %j", (text) => {
    const element = elementOf(text);

    const forbidden =
      "script, img, iframe, style, svg, math, form, input, object, embed, link, meta, base, video, audio";
    expect(element.querySelector(forbidden)).toBeNull();
    for (const found of element.querySelectorAll("*")) {
      const names = found.getAttributeNames();
      expect(names.filter((name) => name.startsWith("on") || name === "style" || name === "src")).toEqual([]);
      if (found.hasAttribute("href")) expect(found.getAttribute("href")).toMatch(/^https:\/\//);
    }
    expect([...element.querySelectorAll("button")].every((button) => button.closest("figure"))).toBe(true);
  });

  it("is shown as the text it is", () => {
    expect(elementOf("<b>bold</b>").textContent?.trim()).toBe("<b>bold</b>");
  });
});

describe("growing Markdown", () => {
  const TEXT = [
    "# Walk\n\nThree **things**:\n\n1. shoes\n2. towel\n   - old\n\nThen code:\n\n```sh\nls -l\n\necho done\n```\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n> said\nso\n\nTitle\n===\n\n- x\n\n- y\n\nEnd & <tag> [l](https://e.org).",
  ].join("");

  it("comes to the same as the finished text, however it is cut", () => {
    for (const size of [1, 3, 7, 40]) {
      let grown: Rendered | null = null;
      for (let end = size; end < TEXT.length + size; end += size) {
        grown = renderGrowing(grown, TEXT.slice(0, end));
      }
      expect([...(grown?.settled ?? []), ...(grown?.tail ?? [])]).toEqual(render(TEXT));
    }
  });

  it("parses only the last block again", () => {
    const first = renderGrowing(null, "One.\n\nTwo.\n\nThr");
    const second = renderGrowing(first, "One.\n\nTwo.\n\nThree.");

    expect(first.settled).toHaveLength(2);
    expect(second.settled.slice(0, 2)).toEqual(first.settled);
    expect(second.source).toBe(first.source);
  });

  it("begins anew when the text is another one", () => {
    const first = renderGrowing(null, "One.\n\nTwo.");

    expect(renderGrowing(first, "Other.").settled).toEqual([]);
  });
});
