import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Adds up what all windows load and fails the build when it outgrows the limit. */
export function sizeBudget({ limitKb }: { limitKb: number }): Plugin {
  return {
    name: "size-budget",
    apply: "build",
    writeBundle(_, bundle) {
      const bytes = Object.values(bundle)
        .filter((file) => /\.(js|css)$/.test(file.fileName))
        .map((file) => gzipSync(file.type === "chunk" ? file.code : file.source).length)
        .reduce((sum, size) => sum + size, 0);
      const total = `${(bytes / 1000).toFixed(1)} kB of JS and CSS gzipped, limit ${limitKb} kB`;

      if (bytes > limitKb * 1000) {
        this.error(total);
      }
      this.info(total);
    },
  };
}
