import { mount } from "svelte";
import "../shared/tokens.css";
import "../shared/base.css";
import "../shared/forms.css";
import Settings from "./Settings.svelte";

mount(Settings, { target: document.getElementById("settings") ?? document.body });
