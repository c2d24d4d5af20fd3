/** Moves the focus to the next part of the window, or to the previous one with `-1`. */
export function focusRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")];
  const current = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions.at((current + step + regions.length) % regions.length);
  firstStop(next)?.focus();
}

function firstStop(region: HTMLElement | undefined): HTMLElement | null {
  if (region?.matches('[tabindex="0"]')) return region;
  return region?.querySelector<HTMLElement>("textarea, button:not(:disabled), [tabindex='0']") ?? null;
}
