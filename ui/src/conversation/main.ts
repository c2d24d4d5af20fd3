import "../shared/tokens.css";
import "../shared/base.css";
import "./reply.css";
import { openPage } from "../shared/page";
import { isMac } from "../shared/platform";
import { zoomByKeys } from "../shared/zoom";
import Conversation from "./Conversation.svelte";

openPage(Conversation, "conversation");
zoomByKeys(isMac);
