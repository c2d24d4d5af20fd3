import { describe, expect, it } from "vitest";
import { zoomOf } from "./zoom";

const press = (key: string, held: Partial<KeyboardEvent> = { ctrlKey: true }) =>
  zoomOf({ key, ctrlKey: false, metaKey: false, altKey: false, ...held }, false);

describe("the size of everything", () => {
  it("follows Ctrl with plus, minus and nought", () => {
    expect([press("+"), press("="), press("-"), press("0")]).toEqual(["in", "in", "out", "reset"]);
  });

  it("is left alone by other keys", () => {
    expect([press("+", {}), press("1"), press("-", { ctrlKey: true, altKey: true })]).toEqual([null, null, null]);
    expect(zoomOf({ key: "-", ctrlKey: true, metaKey: false, altKey: false }, true)).toBe(null);
    expect(zoomOf({ key: "-", ctrlKey: false, metaKey: true, altKey: false }, true)).toBe("out");
  });
});
