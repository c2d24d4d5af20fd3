import { mount, type Component } from "svelte";
import { reportFaults } from "./faults";

/** Mounts a window into its page. When that fails, the text that the page shows before stays. */
export function openPage(window: Component, id: string): void {
  reportFaults();
  const target = document.getElementById(id) ?? document.body;
  const before = [...target.childNodes];

  mount(window, { target });
  for (const node of before) node.remove();
}
