import { mount } from "svelte";
import "../shared/tokens.css";
import "../shared/base.css";
import "./reply.css";
import Conversation from "./Conversation.svelte";

mount(Conversation, { target: document.getElementById("conversation") ?? document.body });
