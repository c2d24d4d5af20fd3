/** Arrow keys move between messages, Enter moves into one. Returns whether the key was handled. */
export function stepBetweenMessages(
  thread: HTMLElement,
  { key, target, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent,
): boolean {
  if (!(target instanceof HTMLElement) || ctrlKey || metaKey || altKey || shiftKey) return false;
  const messages = [...thread.querySelectorAll<HTMLElement>("[data-message]")];
  const current = messages.indexOf(target);
  if (target !== thread && current === -1) return false;

  if (key === "ArrowUp") return focus(messages[current === -1 ? messages.length - 1 : Math.max(current - 1, 0)]);
  if (key === "ArrowDown") return current !== -1 && focus(messages[current + 1] ?? thread);
  if (key === "Enter") return focus(messages[current]?.querySelector<HTMLElement>("button, a, [tabindex='0']"));
  return false;
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element !== null && element !== undefined;
}
