import type { ConversationView } from "../api/types/ConversationView";
import type { MessageView } from "../api/types/MessageView";
import type { TraceView } from "../api/types/TraceView";

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const TALK: Omit<MessageView, "id">[] = [
  { role: "user", text: "Why does the boiler tick at night?", at: ago(1700), origin: "typed" },
  {
    role: "assistant",
    text: "Metal pipes shrink as they cool, and slip in their brackets as they do. A drop of oil on the brackets helps.",
    at: ago(1700),
    origin: null,
  },
  {
    role: "user",
    text: "Will it stay dry in Whitby on Saturday? I was thinking of taking the dog along the cliff path, Jarvis.",
    at: ago(20),
    origin: "voice",
  },
  {
    role: "assistant",
    text: "Dry until about **three**, then showers from the west. It will be 11 °C at noon, though the wind on the cliffs makes it feel nearer 7.\n\nIf you leave Sandsend by ten, you should both be home before the rain.",
    at: ago(20),
    origin: null,
  },
  { role: "user", text: "Give me a packing list and a script that reminds me of it.", at: ago(5), origin: "typed" },
  {
    role: "assistant",
    at: ago(5),
    origin: null,
    text: [
      "Three things matter on that path:",
      "1. **Shoes** that hold on wet clay\n2. A *towel* for the dog\n   - an old one\n3. `2 l` of water",
      "| Place | Arrive | Wind |\n|---|---|---|\n| Sandsend | 10:00 | 20 km/h |\n| Whitby | 12:30 | 35 km/h |",
      '```python\nimport sched, time\n\nreminder = sched.scheduler(time.time, time.sleep)\nreminder.enter(3600, 1, print, argument=("Pack a towel, and a second towel in case the first towel is wet",))\nreminder.run()\n```',
      "> The tide is out until one.\n\nMore on the [tide tables](https://www.tidetimes.org.uk).",
    ].join("\n\n"),
  },
];

export const talk: ConversationView = {
  name: "Jarvis",
  state: "idle",
  isReady: true,
  isMuted: false,
  canListen: true,
  talkKey: "Ctrl+Shift+Space",
  troubles: [],
  messages: TALK.map((message, index) => ({ ...message, id: 10_000 + index })),
  hasEarlier: true,
  question: null,
  rings: [],
};

/** How every reply of the example was made. */
export const trace: TraceView = {
  language: "en",
  profile: null,
  isByRules: false,
  memories: 1,
  recallMs: 4,
  plan: [],
  models: [
    { role: "router", model: "Qwen2.5 0.5B", isEmbedded: true, tookMs: 180, promptTokens: 310, completionTokens: 6 },
    { role: "answer", model: "Qwen2.5 1.5B", isEmbedded: true, tookMs: 1100, promptTokens: 812, completionTokens: 58 },
  ],
  tools: [
    { tool: "getWeather", outcome: "succeeded", tookMs: 420 },
    { tool: "addToDo", outcome: "denied", tookMs: 2 },
  ],
  tookMs: 1720,
  delivery: { isShown: true, isSpoken: false, attachments: 0, missing: ["voice"] },
};

/** A page of older messages, the newest of them just before `before`. */
export function olderMessages(before: number): { messages: MessageView[]; hasEarlier: boolean } {
  const first = Math.max(before - 100, 1);
  const messages = Array.from({ length: before - first }, (_, index): MessageView => {
    const id = first + index;
    const at = ago(1700 + (10_000 - id) * 30);
    return id % 2 === 0
      ? { id, role: "user", text: `Question ${id}: how long is a piece of string?`, at, origin: "typed" }
      : {
          id,
          role: "assistant",
          text: `Answer ${id}. **Twice** as long as from the middle to the end.\n\n- one\n- two\n\n${"It depends on the string. ".repeat(id % 9)}`,
          at,
          origin: null,
        };
  });
  return { messages, hasEarlier: first > 1 };
}
