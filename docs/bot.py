#!/usr/bin/env python3
"""A bot in some fifty lines: a recording in, Jarvis' spoken answer out. It runs one tool of its own.

JARVIS_KEY=bot:…  python3 bot.py question.wav answer.wav

Joining a voice channel, recording it and playing the answer there is the business of the bot that you make of this.
"""

import json
import os
import sys
import urllib.request
import uuid

BASE = os.environ.get("JARVIS_URL", "http://127.0.0.1:7703") + "/api/v0"
KEY = os.environ["JARVIS_KEY"]


def post(path: str, body: bytes, content_type: str = "application/json") -> bytes:
    headers = {"X-API-Key": KEY, "Content-Type": content_type}
    with urllib.request.urlopen(urllib.request.Request(BASE + path, body, headers), timeout=120) as answer:
        return answer.read()


def ask(path: str, **fields) -> dict:
    return json.loads(post(path, json.dumps(fields).encode()))


def transcribe(recording: str) -> str:
    edge = uuid.uuid4().hex
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="speech.wav"\r\n\r\n'
    with open(recording, "rb") as file:
        form = head.encode() + file.read() + f"\r\n--{edge}--\r\n".encode()
    return json.loads(post("/media/whisper/transcribe", form, f"multipart/form-data; boundary={edge}"))["text"]


def members_online(**_) -> dict:
    return {"members": ["Ada", "Grace"]}


TOOLS = {"members_online": members_online}
DECLARED = [{"type": "function", "function": {
    "name": "members_online",
    "description": "List the members of this voice channel who are online",
    "parameters": {"type": "object", "properties": {}, "required": []},
}}]


def answer(words: str) -> str:
    conversation = str(uuid.uuid4())
    ask("/conversation/start", conversation_id=conversation, client_tools=DECLARED)
    reply = ask("/voice/command", conversation_id=conversation, voice_command=words)
    while reply["stop_reason"] in ("tool_calls", "validation_required"):
        if reply["stop_reason"] == "validation_required":  # Nobody to ask here: say no.
            reply = ask("/voice/command/continue", conversation_id=conversation, validation_response="no")
            continue
        results = []
        for call in reply["tool_calls"]:
            function = call["function"]
            output = TOOLS[function["name"]](**json.loads(function["arguments"]))
            results.append({"tool_call_id": call["id"], "output": {"success": True, "context": output}})
        reply = ask("/voice/command/continue", conversation_id=conversation, tool_results=results)
    return reply["assistant_message"] or ""


if __name__ == "__main__":
    words = transcribe(sys.argv[1])
    said = answer(words)
    if said:  # Noise is not answered.
        with open(sys.argv[2], "wb") as file:
            file.write(post("/media/tts/speak", json.dumps({"text": said}).encode()))
    print(f"heard: {words}\nsaid: {said}")
