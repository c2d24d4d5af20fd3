import { startScene } from "./scenes";

// Under `tauri dev` the real bridge is there already.
if (!("__TAURI_INTERNALS__" in window)) {
  startScene(new URLSearchParams(location.search).get("scene") ?? "talk");
}
