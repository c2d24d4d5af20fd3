import type { Plugin } from "vite";

/** Lets `vite dev` run in a plain browser: the pages get a stand-in for the Rust side first. */
export function fakeBridge(): Plugin {
  return {
    name: "fake-bridge",
    apply: "serve",
    transformIndexHtml: () => [
      { tag: "script", attrs: { type: "module", src: "/src/dev/install.ts" }, injectTo: "head-prepend" },
    ],
  };
}
