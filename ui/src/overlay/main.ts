import { mount } from "svelte";
import "../shared/tokens.css";
import "../shared/base.css";
import "./overlay.css";
import Overlay from "./Overlay.svelte";

mount(Overlay, { target: document.getElementById("overlay") ?? document.body });
