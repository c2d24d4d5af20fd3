import "../shared/tokens.css";
import "../shared/base.css";
import "./reply.css";
import { openPage } from "../shared/page";
import Conversation from "./Conversation.svelte";

openPage(Conversation, "conversation");
