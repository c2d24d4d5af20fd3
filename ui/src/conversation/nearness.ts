/** How far above and below the view pages are still drawn, so that fast scrolling shows no gap. */
const MARGIN = "3000px 0px";

/** Reports whether an element is in or near the visible part of its scroller, now and after each change. */
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
