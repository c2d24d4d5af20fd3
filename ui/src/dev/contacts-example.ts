import type { ContactView } from "../api/types/ContactView";

export const contacts = (): ContactView[] => [
  {
    host: "127.0.0.1:11434",
    purpose: "languageModel",
    times: 12,
    last: new Date().toISOString(),
    isProxied: false,
    isThisComputer: true,
  },
  {
    host: "huggingface.co",
    purpose: "modelDownload",
    times: 1,
    last: "2026-03-14T09:26:53Z",
    isProxied: true,
    isThisComputer: false,
  },
];
