/** Puts text on the clipboard, also where the page may not use the clipboard directly. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyThroughSelection(text);
  }
}

function copyThroughSelection(text: string): void {
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "vh";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) {
    before.focus();
  }
}
