/**
 * Puts text on the clipboard, also where the page may not use the clipboard directly.
 *
 * Throws a sentence for people when neither way works.
 */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (!copyThroughSelection(text)) {
      throw new Error("The clipboard could not be reached. Select the text and copy it yourself.");
    }
  }
}

function copyThroughSelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "vh";
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) {
    before.focus();
  }
  return isCopied;
}
