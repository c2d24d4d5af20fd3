import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { startScene } from "../dev/scenes";
import Overlay from "../overlay/Overlay.svelte";
import { openPage } from "./page";

const pageOf = (name: string) => new DOMParser().parseFromString(readFileSync(name, "utf8"), "text/html");

afterEach(() => document.body.replaceChildren());

// fallback.css stands alone, for the other files may be the ones that are missing. Its text is invisible for six seconds, so
// that it is not read aloud either: without a graphics card the first start takes up to three.
it.each([
  ["index.html", "conversation"],
  ["settings.html", "settings"],
])("%s says what to do until its window is drawn", (name, id) => {
  startScene("talk");
  const page = pageOf(name);
  document.body.innerHTML = page.body.innerHTML;
  expect(page.querySelector('link[href="/fallback.css"]')).not.toBeNull();
  expect(document.body.textContent).toContain("This window could not be drawn.");

  openPage(Overlay, id);
  expect([...(document.getElementById(id)?.children ?? [])].map(({ tagName }) => tagName)).toEqual(["MAIN"]);
});

it("the overlay stays empty when it cannot be drawn", () => {
  expect(pageOf("overlay.html").body.textContent?.trim()).toBe("");
});
