import * as api from "../api";

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** The zoom step of a key press. On some keyboards + and - need Shift. */
export function zoomOf({ key, ctrlKey, metaKey, altKey }: KeyPress, isMac: boolean): "in" | "out" | "reset" | null {
  if (altKey || !(isMac ? metaKey : ctrlKey)) return null;
  if (key === "+" || key === "=") return "in";
  if (key === "-" || key === "_") return "out";
  return key === "0" ? "reset" : null;
}

/** Zooms all windows on key presses. */
export function zoomByKeys(isMac: boolean): void {
  addEventListener("keydown", (press) => {
    const zoom = zoomOf(press, isMac);
    if (zoom === null) return;
    press.preventDefault();
    // The zoom stays as it was, which the user sees.
    api.zoom(zoom).catch(() => {});
  });
}
