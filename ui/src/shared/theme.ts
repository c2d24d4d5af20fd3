import type { EventView } from "../api/types/EventView";

const PATHS = new Set(["appearance.theme", "appearance.contrast"]);

/** Stores the appearance where `theme.js` reads it before the next first paint, and applies it now. */
export function rememberAppearance(settings: readonly { path: string; value: unknown }[]): void {
  const found = settings.filter(({ path }) => PATHS.has(path));
  for (const { path, value } of found) {
    localStorage.setItem(path, String(value));
  }
  if (found.length > 0) {
    window.dispatchEvent(new Event("appearance"));
  }
}

export function rememberAppearanceIn(events: readonly EventView[]): void {
  rememberAppearance(events.filter((event) => event.type === "setting"));
}
