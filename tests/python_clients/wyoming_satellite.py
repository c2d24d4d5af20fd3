"""A satellite made with the official library of the Wyoming protocol. Says a recording, and prints as JSON what it was told.

wyoming_satellite.py PORT recording.wav spoken.wav
"""

import asyncio
import json
import sys
import wave

from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop, wav_to_chunks
from wyoming.event import Event
from wyoming.info import Attribution, Describe, Info, Satellite
from wyoming.ping import Ping, Pong
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.satellite import RunSatellite
from wyoming.server import AsyncEventHandler, AsyncServer
from wyoming.snd import Played
from wyoming.tts import Synthesize
from wyoming.wake import Detection

port, recording, spoken = int(sys.argv[1]), sys.argv[2], sys.argv[3]
SAMPLES = 1024
is_done = asyncio.Event()
told = {"events": [], "said": []}


class Device(AsyncEventHandler):
    async def handle_event(self, event: Event) -> bool:
        if Describe.is_type(event.type):
            about = Attribution(name="test", url="")
            satellite = Satellite(
                name="kitchen", attribution=about, installed=True, description="kitchen", version="1"
            )
            await self.write_event(Info(satellite=satellite).event())
        elif Ping.is_type(event.type):
            await self.write_event(Pong().event())
        elif RunSatellite.is_type(event.type):
            await self.write_event(RunPipeline(start_stage=PipelineStage.WAKE, end_stage=PipelineStage.TTS).event())
            self.streaming = asyncio.create_task(self.stream())
        elif not AudioChunk.is_type(event.type):
            told["events"].append(event.type)
        await self.keep(event)
        return True

    async def keep(self, event: Event) -> None:
        if Detection.is_type(event.type):
            told["name"] = Detection.from_event(event).name
        elif Transcript.is_type(event.type):
            told["heard"] = Transcript.from_event(event).text
        elif Synthesize.is_type(event.type):
            told["said"].append(Synthesize.from_event(event).text)
        elif AudioStart.is_type(event.type):
            start = AudioStart.from_event(event)
            self.file = wave.open(spoken, "wb")
            self.file.setframerate(start.rate)
            self.file.setsampwidth(start.width)
            self.file.setnchannels(start.channels)
        elif AudioChunk.is_type(event.type):
            self.file.writeframes(AudioChunk.from_event(event).audio)
        elif AudioStop.is_type(event.type):
            self.file.close()
            await self.write_event(Played().event())
            is_done.set()

    async def stream(self) -> None:
        """Speaks at the pace of a microphone, and is silent then."""
        with wave.open(recording, "rb") as file:
            form = {"rate": file.getframerate(), "width": file.getsampwidth(), "channels": file.getnchannels()}
            for chunk in wav_to_chunks(file, samples_per_chunk=SAMPLES):
                await self.write_event(chunk.event())
                await asyncio.sleep(SAMPLES / form["rate"])
        silence = bytes(SAMPLES * form["width"] * form["channels"])
        while not is_done.is_set():
            await self.write_event(AudioChunk(audio=silence, **form).event())
            await asyncio.sleep(SAMPLES / form["rate"])


async def main() -> None:
    server = AsyncServer.from_uri(f"tcp://127.0.0.1:{port}")
    serving = asyncio.create_task(server.run(Device))
    await asyncio.wait_for(is_done.wait(), 120)
    serving.cancel()
    print(json.dumps(told))


asyncio.run(main())
