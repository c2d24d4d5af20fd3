import { svelte } from "@sveltejs/vite-plugin-svelte";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { bundledPackages } from "./build/bundled-packages.ts";
import { fakeBridge } from "./build/fake-bridge.ts";
import { minifyPublic } from "./build/minify-public.ts";
import { sizeBudget } from "./build/size-budget.ts";

const page = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), fakeBridge(), bundledPackages(), minifyPublic("theme.js"), sizeBudget({ limitKb: 150 })],
  // Tauri looks for the development server at a fixed port.
  server: { port: 5173, strictPort: true },
  clearScreen: false,
  // Tests mount components, so they need Svelte's browser build.
  ...(mode === "test" ? { resolve: { conditions: ["browser"] } } : {}),
  build: {
    outDir: "dist",
    target: "safari16.4",
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: [page("index.html"), page("settings.html"), page("overlay.html")],
      // The windows share one file: several small ones compress worse.
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } },
    },
  },
  test: { environment: "jsdom", include: ["src/**/*.test.ts"], setupFiles: ["src/dev/test-setup.ts"] },
}));
