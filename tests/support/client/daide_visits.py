"""A DAIDE server that greets a client as often as it comes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from parlour.agents import make_agent
from parlour.core.player import Player
from parlour.net.client.daide import DaideClient, DaideReport
from parlour.net.daide.tokens import written
from parlour.net.framing.frames import FrameReader
from support.daide.wire import CODEC, frame, tokens
from support.waiting import PATIENCE

NOW = "NOW ( SPR 1901 ) ( ENG FLT LON ) ( FRA AMY PAR )"

HELLO = ("HLO ( ENG ) ( 1234 ) ( ( LVL 0 ) )", "SCO ( ENG LON ) ( FRA PAR )", NOW)


def visits(
    *scripts: Sequence[str], returns: float = 20.0, agent: Player | None = None, talk: float = 2.0
) -> tuple[DaideReport, list[list[str]]]:
    """Return the end of a client that a server disconnects after each script, and its messages in each visit.

    A line that begins with > is one that the client has to say before the server goes on; after "bye" it is the
    client that has to hang up.
    """
    heard: list[list[str]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said: list[str] = []
        heard.append(said)
        if len(heard) > len(scripts):  # nobody was to come back
            writer.transport.abort()
            return
        frames, waiting = FrameReader(), deque[str]()
        writer.write(frame(1))
        for line in scripts[len(heard) - 1]:
            if line == "bye":
                found = [body for body in frames.feed(await reader.read()) if body[0] == 2]
                said.extend(written(CODEC.decode(body[4:])) for body in found)
            elif not line.startswith(">"):
                writer.write(frame(2, CODEC.encode(tokens(line))))
            else:
                while True:
                    while not waiting:
                        if not (chunk := await reader.read(1 << 14)):
                            writer.transport.abort()
                            return
                        found = [body for body in frames.feed(chunk) if body[0] == 2]
                        waiting.extend(written(CODEC.decode(body[4:])) for body in found)
                    said.append(waiting.popleft())
                    if said[-1].startswith(line[1:]):
                        break
        writer.transport.abort()

    async def whole() -> DaideReport:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, asyncio.timeout(PATIENCE):
            player = agent or make_agent("diplomacy", "hold", 1)
            client = DaideClient("a", player, returns=returns, talk=talk)
            return await client.run(*server.sockets[0].getsockname())

    return asyncio.run(whole()), heard
