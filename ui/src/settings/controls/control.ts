import type { DevicesView } from "../../api/types/DevicesView";
import type { FieldView } from "../../api/types/FieldView";

/** The properties of every control. */
export type ControlProps = {
  field: FieldView;
  /** For `id`, `aria-labelledby` and `aria-describedby`. */
  ids: { control: string; label: string; help: string };
  /** Stores a value and returns whether it was accepted. */
  save: (value: unknown) => Promise<boolean>;
  /** Says why a value cannot even be stored. */
  refuse: (why: string) => void;
};

/** What controls of devices need in addition. */
export type DeviceProps = ControlProps & { devices: DevicesView | null; dbfs: number; previewVoice: () => void };
