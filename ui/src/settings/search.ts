import type { FieldView } from "../api/types/FieldView";

/** A piece of text, and whether it was searched for. */
export type Piece = { text: string; isFound: boolean };

/** Accents and case do not count. Only changes that keep the length are made, so that positions stay valid. */
function fold(text: string): string {
  return [...text]
    .map((letter) => {
      const plain = letter.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
      return plain.length === letter.length ? plain : letter;
    })
    .join("");
}

export function termsOf(query: string): string[] {
  return fold(query)
    .split(/\s+/)
    .filter((term) => term !== "");
}

/** The fields that hold every term, in their order. */
export function searchFields(fields: readonly FieldView[], query: string): FieldView[] {
  const terms = termsOf(query);
  return fields.filter((field) => {
    const choices = field.kind.type === "choice" ? field.kind.choices.flatMap(({ id, label }) => [id, label]) : [];
    const text = fold([field.label, field.help, field.path, field.sectionLabel, ...choices].join("\n"));
    return terms.every((term) => text.includes(term));
  });
}

/** Cuts a text at the terms, so that they can be marked. */
export function piecesOf(text: string, terms: readonly string[]): Piece[] {
  if (terms.length === 0) {
    return [{ text, isFound: false }];
  }
  const folded = fold(text);
  const isFound = new Array<boolean>(text.length).fill(false);
  for (const term of terms) {
    for (let at = folded.indexOf(term); at !== -1; at = folded.indexOf(term, at + 1)) {
      isFound.fill(true, at, at + term.length);
    }
  }

  const pieces: Piece[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const last = pieces.at(-1);
    if (last && last.isFound === isFound[index]) last.text += text[index];
    else pieces.push({ text: text[index] ?? "", isFound: isFound[index] ?? false });
  }
  return pieces;
}
