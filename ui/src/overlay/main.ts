import "../shared/tokens.css";
import "../shared/base.css";
import "./overlay.css";
import { openPage } from "../shared/page";
import Overlay from "./Overlay.svelte";

openPage(Overlay, "overlay");
