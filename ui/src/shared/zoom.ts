import * as api from "../api";

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** What a key press asks of the size of everything. Keyboards differ in whether + and - need Shift. */
export function zoomOf({ key, ctrlKey, metaKey, altKey }: KeyPress, isMac: boolean): "in" | "out" | "reset" | null {
  if (altKey || !(isMac ? metaKey : ctrlKey)) return null;
  if (key === "+" || key === "=") return "in";
  if (key === "-" || key === "_") return "out";
  return key === "0" ? "reset" : null;
}

/** Zooms this window, and every other, as the keys say. */
export function zoomByKeys(isMac: boolean): void {
  addEventListener("keydown", (press) => {
    const zoom = zoomOf(press, isMac);
    if (zoom === null) return;
    press.preventDefault();
    // It stays as it was, which its user sees.
    api.zoom(zoom).catch(() => {});
  });
}
