/** What can be done with a field. */
export type FieldActions = {
  /** Stores a value and says whether it was taken. */
  save: (path: string, value: unknown) => Promise<boolean>;
  reset: (path: string) => Promise<boolean>;
  refuse: (path: string, why: string) => void;
  previewVoice: () => void;
};
