import "../shared/tokens.css";
import "../shared/base.css";
import "../shared/forms.css";
import { openPage } from "../shared/page";
import { isMac } from "../shared/platform";
import { zoomByKeys } from "../shared/zoom";
import Settings from "./Settings.svelte";

openPage(Settings, "settings");
zoomByKeys(isMac);
