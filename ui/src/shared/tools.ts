import type { ToolOutcomeName } from "../api/types/ToolOutcomeName";

/** A tool call of a reply; `null` while it runs. */
export type ToolUse = { call: string; tool: string; outcome: ToolOutcomeName | null };

/** The name of a tool as people read it: `setTimer` is "set timer". */
export function toolName(tool: string): string {
  const words = tool.replace(/[_.-]+/g, " ").replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ");
  return words
    .toLowerCase()
    .replace(/ tool$/, "")
    .trim();
}

export function withStarted(tools: readonly ToolUse[], call: string, tool: string): ToolUse[] {
  return [...tools, { call, tool, outcome: null }];
}

export function withFinished(tools: readonly ToolUse[], call: string, outcome: ToolOutcomeName): ToolUse[] {
  return tools.map((use) => (use.call === call ? { ...use, outcome } : use));
}

const OUTCOMES = { succeeded: "done", failed: "did not work", denied: "not allowed" } as const;

export const outcomeWords = (outcome: ToolOutcomeName | null) => (outcome === null ? "running" : OUTCOMES[outcome]);

/** The line that stands for all calls once the reply is complete: each tool once. */
export function usedTools(tools: readonly ToolUse[]): string {
  return `Used: ${[...new Set(tools.map(({ tool }) => toolName(tool)))].join(", ")}`;
}
