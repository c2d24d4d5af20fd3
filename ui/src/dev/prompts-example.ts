import type { ServerPromptView } from "../api/types/ServerPromptView";

const argument = (name: string, isRequired = false) => ({ name, description: null, isRequired });

/** What the servers of the example offer, as the Rust side lists it. */
export const prompts = (): ServerPromptView[] => [
  {
    server: "files",
    name: "summarise",
    description: "Sums up a folder: what is in it, what changed lately, and what can go.",
    arguments: [argument("folder", true), argument("language")],
  },
  { server: "files", name: "tidy", description: "Suggests an order for the files of the desktop.", arguments: [] },
  {
    server: "issues",
    name: "release_notes",
    description: "Writes the notes of a release from the issues that it closes.",
    arguments: [argument("version", true), argument("audience"), argument("length"), argument("tone")],
  },
  { server: "issues", name: "triage", description: null, arguments: [argument("label")] },
  { server: "notes", name: "ملخص", description: "يلخص ملاحظات اليوم في ثلاث جمل.", arguments: [argument("اليوم")] },
  {
    server: "strange",
    name: "a_name_that_does_not_end_because_nobody_told_its_author_that_names_are_read_by_people_too",
    description: `<img src=x onerror="alert(1)"> ${"and on it goes ".repeat(18)}`,
    arguments: [argument("<b>bold</b>", true)],
  },
  ...["agenda", "birthday", "invite", "move", "remind"].map((name) => ({
    server: "calendar",
    name,
    description: `Prepares the ${name} of a day.`,
    arguments: [argument("day", true)],
  })),
];
