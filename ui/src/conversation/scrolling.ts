/** A message, and how far below the top edge of the scroller it stands. */
export type Anchor = { element: Element; top: number };

const NEAR_END_PX = 40;

/**
 * Whether the view follows the end after a scroll. Scrolling up by one pixel stops it, or a slow hand would
 * be pulled back by every new word. Scrolling down to near the end starts it again.
 */
export function isPinnedAfter(wasPinned: boolean, movedPx: number, leftPx: number): boolean {
  if (leftPx < 2) return true;
  if (movedPx < 0) return false;
  return wasPinned || leftPx < NEAR_END_PX;
}

/** The first message in view. */
export function anchorIn(scroller: HTMLElement): Anchor | null {
  const edge = scroller.getBoundingClientRect().top;
  const page = firstBelow([...scroller.querySelectorAll("[data-page]")], edge);
  const element = page && firstBelow([...page.querySelectorAll("[data-message]")], edge);
  return element ? { element, top: element.getBoundingClientRect().top - edge } : null;
}

/** Scrolls so that the anchor keeps its position, whatever was added or laid out above it. */
export function keepAnchor(scroller: HTMLElement, { element, top }: Anchor): void {
  if (element.isConnected) {
    scroller.scrollTop += element.getBoundingClientRect().top - scroller.getBoundingClientRect().top - top;
  }
}

/** Elements come in order from top to bottom, so the first one that ends below the edge is found by halving. */
function firstBelow(elements: readonly Element[], edge: number): Element | null {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const isBelow = (elements[middle]?.getBoundingClientRect().bottom ?? 0) > edge;
    if (isBelow) high = middle;
    else low = middle + 1;
  }
  return elements[low] ?? null;
}
