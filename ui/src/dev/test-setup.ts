import { afterEach } from "vitest";
import { cleanup } from "@testing-library/svelte";

afterEach(cleanup);

// jsdom lays nothing out and draws nothing, so these exist only by name.
class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.matchMedia ??= (media) =>
  Object.assign(new EventTarget(), { media, matches: false, onchange: null, addListener() {}, removeListener() {} });
Object.assign(globalThis, { CSS: {} });
HTMLCanvasElement.prototype.getContext = () => null;
globalThis.ResizeObserver ??= NoObserver;
Object.assign(globalThis, { IntersectionObserver: NoObserver });
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false;
  this.dispatchEvent(new Event("close"));
};
