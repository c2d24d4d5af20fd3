const BLANK = /\s/;
const QUOTES = ["'", '"'];

/**
 * The pieces of a command line, or `null` if a quote is not closed. Blanks separate, quotes hold together, and `\` before a
 * quote or a blank makes it a plain letter; elsewhere it is one itself, as in the paths of Windows. Nothing else has a
 * meaning: no shell reads the line.
 */
export function splitCommand(line: string): string[] | null {
  const pieces: string[] = [];
  let piece: string | null = null;
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const letter = line.charAt(at);
    const next = line.charAt(at + 1);
    const isEscape =
      letter === "\\" && (quote === "" ? QUOTES.includes(next) || BLANK.test(next) : quote === '"' && next === quote);
    if (isEscape) {
      piece = (piece ?? "") + next;
      at += 1;
    } else if (letter === quote) {
      quote = "";
    } else if (quote === "" && QUOTES.includes(letter)) {
      quote = letter;
      piece ??= "";
    } else if (quote === "" && BLANK.test(letter)) {
      if (piece !== null) pieces.push(piece);
      piece = null;
    } else {
      piece = (piece ?? "") + letter;
    }
  }
  if (piece !== null) pieces.push(piece);
  return quote === "" ? pieces : null;
}

/** The pieces as one line, with quotes around those that need them. */
export const joinCommand = (pieces: readonly string[]): string => pieces.map(quoted).join(" ");

function quoted(piece: string): string {
  if (piece !== "" && !/[\s'"]/.test(piece)) return piece;
  return piece.includes("'") ? `"${piece.replaceAll('"', '\\"')}"` : `'${piece}'`;
}
