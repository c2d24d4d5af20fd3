"""Uses the speech of Jarvis with the official client of the Wyoming protocol, and prints as JSON what came back.

wyoming_client.py PORT recording.wav spoken.wav with_the_name.wav
"""

import asyncio
import json
import sys
import wave

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop, wav_to_chunks
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize, SynthesizeVoice
from wyoming.wake import Detect, Detection, NotDetected

port, recording, spoken, with_the_name = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]


async def next_event(client):
    event = await asyncio.wait_for(client.read_event(), 120)
    assert event is not None, "the connection was closed"
    assert event.type != "error", event.data
    return event


async def described(client) -> dict:
    await client.write_event(Describe().event())
    info = Info.from_event(await next_event(client))
    voices = [voice for program in info.tts for voice in program.voices]
    models = [model for program in info.asr for model in program.models]
    names = [model for program in info.wake for model in program.models]
    return {
        "names": [name.name for name in names],
        "voices": [voice.name for voice in voices],
        "hears_english": any("en" in model.languages for model in models),
    }


async def send_sound(client, path: str) -> None:
    with wave.open(path, "rb") as file:
        form = {"rate": file.getframerate(), "width": file.getsampwidth(), "channels": file.getnchannels()}
        await client.write_event(AudioStart(**form).event())
        for chunk in wav_to_chunks(file, samples_per_chunk=1024):
            await client.write_event(chunk.event())
    await client.write_event(AudioStop().event())


async def heard(client, path: str) -> str:
    await client.write_event(Transcribe(language="en").event())
    await send_sound(client, path)
    return Transcript.from_event(await next_event(client)).text


async def name_in(client, path: str) -> str | None:
    await client.write_event(Detect(names=["jarvis"]).event())
    await send_sound(client, path)
    event = await next_event(client)
    if NotDetected.is_type(event.type):
        return None
    return Detection.from_event(event).name


async def speaks(client, text: str) -> int:
    await client.write_event(Synthesize(text=text).event())
    start = AudioStart.from_event(await next_event(client))
    chunks = 0
    with wave.open(spoken, "wb") as file:
        file.setframerate(start.rate)
        file.setsampwidth(start.width)
        file.setnchannels(start.channels)
        while True:
            event = await next_event(client)
            if AudioStop.is_type(event.type):
                return chunks
            file.writeframes(AudioChunk.from_event(event).audio)
            chunks += 1


async def unknown_voice(client) -> str:
    await client.write_event(Synthesize(text="Hello.", voice=SynthesizeVoice(name="nobody")).event())
    event = await asyncio.wait_for(client.read_event(), 120)
    return Error.from_event(event).code


async def main() -> None:
    async with AsyncTcpClient("127.0.0.1", port) as client:
        await client.write_event(Ping(text="here").event())
        told = {"pong": Pong.from_event(await next_event(client)).text, "described": await described(client)}
        told["heard"] = await heard(client, recording)
        told["chunks"] = await speaks(client, "The museum opens on Monday morning. Bring a warm coat.")
        told["unknown_voice"] = await unknown_voice(client)
        told["names"] = [await name_in(client, recording), await name_in(client, with_the_name)]
        told["heard_again"] = await heard(client, spoken)
        print(json.dumps(told))


asyncio.run(main())
