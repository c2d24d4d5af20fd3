#!/usr/bin/env python3
"""Tries the way of a tool from end to end: registers tools as a voice node does, asks, runs the calls, and tells what came.

JARVIS_KEY=node:…  python3 try_tools.py [registration | calling] [QUESTION]

Without a word both parts are tried. The exit code is 0 if all went well.
"""

import json
import os
import sys
import urllib.error
import urllib.request
import uuid

BASE = os.environ.get("JARVIS_URL", "http://127.0.0.1:7703") + "/api/v0"
KEY = os.environ["JARVIS_KEY"]
MAX_ROUNDS = 10


def temperature(city: str, **_) -> dict:
    return {"city": city, "celsius": 19}


TOOLS = {"get_temperature": temperature}
DECLARED = [{"type": "function", "function": {
    "name": "get_temperature",
    "description": "Get the temperature of a city right now, from the station of this example",
    "parameters": {"type": "object", "required": ["city"], "properties": {
        "city": {"type": "string", "description": "Name of the city"},
    }},
}}]


def post(path: str, **fields) -> tuple[int, dict]:
    request = urllib.request.Request(
        BASE + path, json.dumps(fields).encode(), {"X-API-Key": KEY, "Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read() or b"{}")


def run(call: dict) -> dict:
    function = call["function"]
    try:
        context = TOOLS[function["name"]](**json.loads(function["arguments"]))
        output = {"success": True, "context": context, "error": None}
    except (KeyError, TypeError, ValueError) as error:
        output = {"success": False, "context": None, "error": repr(error)}
    print(f"  {function['name']} {function['arguments']} -> {output}")
    return {"tool_call_id": call["id"], "output": output}


def registration() -> bool:
    conversation = str(uuid.uuid4())
    good = post("/conversation/start", conversation_id=conversation, client_tools=DECLARED)
    bad = post("/conversation/start", conversation_id=conversation, client_tools=[{"type": "function"}])
    print(f"registration: {good[0]} {good[1].get('status')}; without a name: {bad[0]} {bad[1].get('details')}")
    return good == (200, {"status": "success", "conversation_id": conversation}) and bad[0] == 400


def calling(question: str) -> bool:
    conversation = str(uuid.uuid4())
    post("/conversation/start", conversation_id=conversation, client_tools=DECLARED)
    print(f"calling: {question}")
    status, reply = post("/voice/command", conversation_id=conversation, voice_command=question)
    called = []
    for _ in range(MAX_ROUNDS):
        if status != 200 or reply["stop_reason"] not in ("tool_calls", "validation_required"):
            break
        if reply["stop_reason"] == "validation_required":
            asked = reply["validation_request"]
            print(f"  asks: {asked['question']} {asked['options'] or ''}")
            answer = input("  > ") if sys.stdin.isatty() else "no"
            status, reply = post(
                "/voice/command/continue", conversation_id=conversation, validation_response=answer
            )
            continue
        called += [call["function"]["name"] for call in reply["tool_calls"]]
        results = [run(call) for call in reply["tool_calls"]]
        status, reply = post("/voice/command/continue", conversation_id=conversation, tool_results=results)
    print(f"  {status} {reply.get('stop_reason')}: {reply.get('assistant_message') or reply.get('detail')}")
    post("/conversation/end", conversation_id=conversation)
    return status == 200 and reply["stop_reason"] == "complete" and called == ["get_temperature"]


if __name__ == "__main__":
    part = sys.argv[1] if len(sys.argv) > 1 else "both"
    question = sys.argv[2] if len(sys.argv) > 2 else "What is the temperature in Leeds, by the station?"
    results = []
    if part in ("registration", "both"):
        results.append(registration())
    if part in ("calling", "both"):
        results.append(calling(question))
    passed = bool(results) and all(results)
    print("all went well" if passed else "something went wrong")
    sys.exit(not passed)
