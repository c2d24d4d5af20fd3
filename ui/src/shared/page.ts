import { mount, type Component } from "svelte";
import { reportFaults } from "./faults";

/** Draws a window where its page has room for it. What the page says until then stays when that fails. */
export function openPage(window: Component, id: string): void {
  reportFaults();
  const target = document.getElementById(id) ?? document.body;
  const before = [...target.childNodes];

  mount(window, { target });
  for (const node of before) node.remove();
}
