import "../shared/tokens.css";
import "../shared/base.css";
import "../shared/forms.css";
import { openPage } from "../shared/page";
import Settings from "./Settings.svelte";

openPage(Settings, "settings");
