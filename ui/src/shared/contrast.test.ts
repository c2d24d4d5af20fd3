import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync("src/shared/tokens.css", "utf8");

/** The colours a theme sets, by role. */
function rolesOf(selector: string): Record<string, string> {
  const start = css.indexOf(`\n${selector} {`);
  const block = css.slice(start, css.indexOf("\n}\n", start));
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map(([, role, colour]) => [role, colour]),
  );
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const light = rolesOf(":root");
const themes = {
  light,
  dark: { ...light, ...rolesOf(':root[data-theme="dark"]') },
  "more contrast, light": { ...light, ...rolesOf(':root[data-contrast="more"]') },
  "more contrast, dark": { ...light, ...rolesOf(':root[data-contrast="more"][data-theme="dark"]') },
};

const STATES = ["idle", "muted", "listening", "thinking", "speaking", "error", "attention"];
const TEXT: [string, string[]][] = [
  [
    "text",
    ["bg", "sidebar", "surface", "sunken", "selected", "hover", "speaking-soft", "error-soft", "attention-soft"],
  ],
  ["text-2", ["bg", "sidebar", "surface", "hover", "selected", "error-soft"]],
  ["text-3", ["bg", "sidebar", "surface", "sunken", "hover"]],
  ["accent-text", ["bg", "surface", "accent-soft", "selected"]],
  ["on-accent", ["accent", "accent-hover"]],
  ["on-bubble", ["bubble"]],
  ["error", ["error-soft", "surface", "control"]],
  ...STATES.map((state): [string, string[]] => [state, [`${state}-soft`]]),
];
const EDGES: [string, string[]][] = [
  ["line-control", ["bg", "sidebar", "surface", "sunken"]],
  ["accent", ["bg", "surface", "sunken"]],
  ["focus", ["bg", "sidebar", "surface", "selected"]],
];

function tooFaint(roles: Record<string, string>, pairs: [string, string[]][], least: number): string[] {
  return pairs
    .flatMap(([role, grounds]) =>
      grounds.map((ground) => ({
        pair: `${role} on ${ground}`,
        ratio: contrast(roles[role] ?? "", roles[ground] ?? ""),
      })),
    )
    .filter(({ ratio }) => !(ratio >= least))
    .map(({ pair, ratio }) => `${pair}: ${ratio.toFixed(2)}`);
}

describe.each(Object.entries(themes))("in the theme %s", (name, roles) => {
  const isMore = name.startsWith("more");

  it("text can be read", () => {
    expect(tooFaint(roles, TEXT, isMore ? 7 : 4.5)).toEqual([]);
  });

  it("edges and rings can be seen", () => {
    expect(tooFaint(roles, EDGES, isMore ? 4.5 : 3)).toEqual([]);
  });
});
