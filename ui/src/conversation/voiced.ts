/** A stretch of text, from the first character to before the last. */
export type Stretch = { start: number; end: number };

/** The position of a sentence in a text. Spaces may differ: the text was laid out, the sentence was not. */
export function findSentence(text: string, sentence: string): Stretch | null {
  const words = sentence
    .replace(/[*_`#>]/g, "")
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) {
    return null;
  }
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const found = new RegExp(pattern, "u").exec(text);
  return found && { start: found.index, end: found.index + found[0].length };
}

const NAME = "voiced";

/** Marks a sentence in an element, where the browser can mark text without changing the page. */
export function markVoiced(element: HTMLElement, sentence: string): () => void {
  if (!("highlights" in CSS)) {
    return () => {};
  }
  const nodes = textNodesOf(element);
  const found = findSentence(nodes.map(({ data }) => data).join(""), sentence);
  if (found) {
    CSS.highlights.set(NAME, new Highlight(rangeOf(nodes, found)));
  }
  return () => CSS.highlights.delete(NAME);
}

function textNodesOf(element: HTMLElement): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) {
    if (walker.currentNode instanceof Text) nodes.push(walker.currentNode);
  }
  return nodes;
}

function rangeOf(nodes: readonly Text[], { start, end }: Stretch): Range {
  const range = new Range();
  let offset = 0;
  for (const node of nodes) {
    const after = offset + node.length;
    if (start >= offset && start < after) range.setStart(node, start - offset);
    if (end > offset && end <= after) range.setEnd(node, end - offset);
    offset = after;
  }
  return range;
}
