import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

type Package = { name: string; version: string; licence: string; text: string };

/** The package that a module belongs to, as its folder; none for our own modules. */
function folderOf(module: string): string | null {
  const found = /^(?:\0)?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replaceAll("\\", "/"));
  return found?.[1] ?? null;
}

function describe(folder: string): Package {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  return { name, version, licence: license, text: files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n") };
}

/**
 * Writes which packages the windows consist of to `.bundled-packages.json`, with their licences, for
 * `cargo xtask notices`. Only what is left after tree shaking counts.
 */
export function bundledPackages(): Plugin {
  return {
    name: "bundled-packages",
    apply: "build",
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        for (const [module, { renderedLength }] of Object.entries(file.modules)) {
          const folder = folderOf(module);
          if (folder !== null && renderedLength > 0) folders.add(folder);
        }
      }
      const packages = [...folders].map(describe).sort((one, other) => one.name.localeCompare(other.name));
      const file = fileURLToPath(new URL("../.bundled-packages.json", import.meta.url));
      writeFileSync(file, `${JSON.stringify(packages, null, 1)}\n`);
      this.info(`packages in the windows: ${packages.map(({ name, version }) => `${name} ${version}`).join(", ")}`);
    },
  };
}
