/** Pages so far above and below the view are still drawn, so that no gap is seen however fast one scrolls. */
const MARGIN = "3000px 0px";

/** Tells whether an element is in or near the view of what it scrolls in, now and whenever that changes. */
export function watchNear(element: HTMLElement, tell: (isNear: boolean) => void): () => void {
  const watcher = new IntersectionObserver((entries) => tell(entries.at(-1)?.isIntersecting ?? true), {
    root: element.closest("[role='log']"),
    rootMargin: MARGIN,
  });
  watcher.observe(element);
  return () => watcher.disconnect();
}

/** The focus and a selection would be lost with the text they are in. */
export function isHeld(element: HTMLElement): boolean {
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
  return isSelected || element.contains(document.activeElement);
}
