/** What can be done with a field. */
export type FieldActions = {
  /** Stores a value and returns whether it was accepted. */
  save: (path: string, value: unknown) => Promise<boolean>;
  reset: (path: string) => Promise<boolean>;
  refuse: (path: string, why: string) => void;
  previewVoice: () => void;
};
