"""Uses Jarvis with the official client of the OpenAI interface, and prints as JSON what came back.

openai_client.py ADDRESS KEY recording.wav spoken.wav
"""

import json
import sys

from openai import NotFoundError, OpenAI

address, key, recording, spoken = sys.argv[1:]
jarvis = OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0)

TOOLS = [{"type": "function", "function": {
    "name": "set_lamp",
    "description": "Switch the lamp of the kitchen on or off",
    "parameters": {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]},
}}]


def asks(text: str) -> list:
    return [{"role": "user", "content": text}]


def whole() -> str:
    answer = jarvis.chat.completions.create(model="jarvis", messages=asks("is ice cold?"))
    return answer.choices[0].message.content


def streamed() -> dict:
    parts = jarvis.chat.completions.create(
        model="jarvis", messages=asks("is ice cold?"), stream=True, stream_options={"include_usage": True}
    )
    words, finish, tokens = "", None, None
    for part in parts:
        tokens = part.usage.total_tokens if part.usage else tokens
        for choice in part.choices:
            words += choice.delta.content or ""
            finish = choice.finish_reason or finish
    return {"words": words, "finish": finish, "has_usage": tokens is not None}


def with_tool() -> dict:
    messages = asks("set the lamp of the kitchen on")
    asked = jarvis.chat.completions.create(model="jarvis", messages=messages, tools=TOOLS).choices[0]
    call = asked.message.tool_calls[0]
    messages += [asked.message, {"role": "tool", "tool_call_id": call.id, "content": "it is bright now"}]
    done = jarvis.chat.completions.create(model="jarvis", messages=messages, tools=TOOLS).choices[0]
    arguments = json.loads(call.function.arguments)
    return {"finish": asked.finish_reason, "arguments": arguments, "words": done.message.content}


def unknown_model() -> str:
    try:
        jarvis.chat.completions.create(model="another", messages=asks("hi"))
    except NotFoundError as refused:
        return refused.body["message"]
    return "it was answered"


with open(recording, "rb") as file:
    heard = jarvis.audio.transcriptions.create(model="whisper-1", file=file).text
with jarvis.audio.speech.with_streaming_response.create(
    model="tts-1", voice="alloy", input="Good morning.", response_format="wav"
) as speech:
    speech.stream_to_file(spoken)
print(json.dumps({
    "models": [model.id for model in jarvis.models.list()],
    "whole": whole(),
    "streamed": streamed(),
    "tool": with_tool(),
    "unknown_model": unknown_model(),
    "heard": heard,
}))
