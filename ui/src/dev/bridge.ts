import type { EventView } from "../api/types/EventView";

export type Commands = Record<string, (args: Record<string, unknown>) => unknown>;

type Callback = (message: unknown) => void;

/** Stands in for the Rust side: answers commands and delivers events, in a plain browser and in tests. */
export class FakeBridge {
  readonly calls: { command: string; args: Record<string, unknown> }[] = [];
  readonly #callbacks = new Map<number, Callback>();
  #channel: number | null = null;
  #sent = 0;

  onSubscribed: () => void = () => {};

  constructor(readonly commands: Commands) {}

  install(): this {
    Object.assign(window, {
      __TAURI_INTERNALS__: {
        invoke: (command: string, args: Record<string, unknown>) => this.#invoke(command, args),
        transformCallback: (callback: Callback) => this.#keep(callback),
        unregisterCallback: (id: number) => this.#callbacks.delete(id),
      },
    });
    return this;
  }

  /** Delivers one batch of events to the page. */
  emit(...events: EventView[]): void {
    if (this.#channel !== null) {
      this.#callbacks.get(this.#channel)?.({ index: this.#sent, message: events });
      this.#sent += 1;
    }
  }

  async #invoke(command: string, args: Record<string, unknown> = {}): Promise<unknown> {
    this.calls.push({ command, args });
    if (command === "subscribe") {
      this.#channel = Number(String(JSON.parse(JSON.stringify(args["onEvent"]))).split(":")[1]);
      this.#sent = 0;
      setTimeout(() => this.onSubscribed(), 50);
      return null;
    }
    const answer = this.commands[command];
    if (!answer) {
      throw { code: "not_found", message: `There is no command ${command}.` };
    }
    return answer(args);
  }

  #keep(callback: Callback): number {
    const id = this.#callbacks.size + 1;
    this.#callbacks.set(id, callback);
    return id;
  }
}
