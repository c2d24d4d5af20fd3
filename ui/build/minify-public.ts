import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minifySync, type Plugin } from "vite";

/** Takes the comments and the spaces from a script of the public folder, which the build copies as it is. */
export function minifyPublic(script: string): Plugin {
  return {
    name: "minify-public",
    apply: "build",
    writeBundle({ dir = "" }) {
      const file = join(dir, script);
      const { code, errors } = minifySync(script, readFileSync(file, "utf8"), { module: false });
      if (errors.length > 0) this.error(`${script}: ${errors[0]?.message}`);
      writeFileSync(file, code);
    },
  };
}
