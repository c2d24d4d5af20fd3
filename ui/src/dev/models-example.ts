import type { ModelStatus } from "../api/types/ModelStatus";
import type { ModelsView } from "../api/types/ModelsView";
import type { ModelView } from "../api/types/ModelView";

type Row = [id: string, name: string, purpose: ModelView["purpose"], summary: string, bytes: number, ramBytes: number, status: ModelStatus, isRecommended?: boolean];

const MB = 1_000_000;

const ROWS: Row[] = [
  ["qwen-1.5b", "Qwen2.5 1.5B", "language", "Good all-rounder for this computer. Uses tools.", 1100 * MB, 1000 * MB, { type: "ready" }],
  ["qwen-3b", "Qwen2.5 3B", "language", "Slower to start, better at plans and long letters.", 1900 * MB, 2100 * MB, { type: "downloading", bytes: 1180 * MB, total: 1900 * MB, bytesPerSec: 14 * MB }, true],
  ["mistral-7b", "Mistral 7B", "language", "Larger, for computers with a graphics card.", 4100 * MB, 5000 * MB, { type: "failed", what: "The download differs from the published checksum, so it will not be used.", remedy: "Download it again." }],
  ["qwen-14b", "Qwen2.5 14B", "language", "The most careful of them.", 9000 * MB, 11_000 * MB, { type: "tooLarge", why: "Needs 11 GB of memory; 9.8 GB is free now." }],
  ["whisper-base", "Whisper base", "speech", "Quick, and good with plain speech.", 82 * MB, 140 * MB, { type: "inUse" }],
  ["whisper-small", "Whisper small", "speech", "Better with names and accents.", 264 * MB, 500 * MB, { type: "paused", bytes: 118 * MB, total: 264 * MB }],
  ["silero", "Silero VAD", "voice_activity", "Tells speech from noise.", 2 * MB, 8 * MB, { type: "ready" }],
  ["emma", "Emma, British English", "voice", "The most natural of the voices.", 93 * MB, 150 * MB, { type: "absent" }, true],
  ["joe", "Joe, American English", "voice", "Starts at once, even on a small computer.", 63 * MB, 120 * MB, { type: "checking" }],
  ["onnx", "ONNX Runtime", "runtime", "Runs the models for hearing and speaking.", 18 * MB, 0, { type: "ready" }],
];

export const models = (): ModelsView => ({
  memoryTotal: 15_400 * MB,
  memoryFree: 9800 * MB,
  diskFree: 84_000 * MB,
  folder: "/home/ana/.local/share/jarvis/models",
  models: ROWS.map(([id, name, purpose, summary, bytes, ramBytes, status, isRecommended = false]) => ({
    id,
    name,
    purpose,
    summary,
    languages: purpose === "voice" ? ["English"] : [],
    licence: "Apache-2.0",
    bytes,
    ramBytes,
    isRecommended,
    status,
  })),
  providers: [
    { provider: "ollama", label: "Ollama", address: "http://127.0.0.1:11434", models: ["gemma4:e2b", "qwen3:4b"], isReady: true, isChosen: true, detail: "Found on this computer; it runs gemma4:e2b." },
    { provider: "openai", label: "A server that speaks like OpenAI", address: "http://127.0.0.1:1234", models: [], isReady: false, isChosen: false, detail: "Nothing answers there. Start LM Studio or llama.cpp, or type another address under Language model." },
    { provider: "embedded", label: "Jarvis itself", address: "", models: ["Qwen2.5 1.5B"], isReady: true, isChosen: false, detail: "Runs the models below, with nothing else installed." },
  ],
});
