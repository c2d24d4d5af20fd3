import type { DevicesView } from "../../api/types/DevicesView";
import type { FieldView } from "../../api/types/FieldView";

/** What every control is given. */
export type ControlProps = {
  field: FieldView;
  /** For `id`, `aria-labelledby` and `aria-describedby`. */
  ids: { control: string; label: string; help: string };
  /** Stores a value and says whether it was taken. */
  save: (value: unknown) => Promise<boolean>;
  /** Says why a value cannot even be stored. */
  refuse: (why: string) => void;
};

/** What the controls of devices need besides. */
export type DeviceProps = ControlProps & { devices: DevicesView | null; dbfs: number; previewVoice: () => void };
