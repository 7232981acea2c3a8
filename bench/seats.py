"""Cost of seats: CPU time of a consultation and of an MCP call beyond the SDK's own, and imports without use.

    python bench/seats.py

A model that answers at once, from a script, plays seven seats with press: the rest of the time is Parlour's own work
(prompt, reader, referee, record). An MCP call is compared with a tool of the same SDK that does nothing.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import usage

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from parlour.agents.llm.diplomacy_player import DiplomacyModelPlayer
from parlour.agents.llm.fish_player import FishModelPlayer
from parlour.agents.llm.spec import read_spec
from parlour.core import events as ev
from parlour.referee.match import Match
from support.llm.matches import TALK, diplomacy_match, fish_match
from support.llm.models import Model, plain_angler, plain_player

SPEC = read_spec("m@localhost:1/v1?rounds=2")
CALLS = 300
LIMIT = 5.0
"""Maximum milliseconds of CPU time of a consultation, and of a call."""


class Timed(Model):
    """A model that counts the time of its own script, which is not Parlour's."""

    took = 0.0

    def ask(self, question, seconds=None):  # type: ignore[no-untyped-def]
        began = time.process_time()
        try:
            return super().ask(question, seconds)
        finally:
            Timed.took += time.process_time() - began


def consultations(name: str, play) -> None:  # type: ignore[no-untyped-def]
    """Print the CPU milliseconds per consultation, with all of the match."""
    Timed.took = 0.0
    began = time.process_time()
    match: Match = play()
    spent = time.process_time() - began - Timed.took
    count = sum(isinstance(event, ev.Consulted) for event in match.record)
    each = 1000 * spent / count
    print(f"{name:34} {each:6.2f} ms a consultation ({count} of them; limit {LIMIT}): {_verdict(each)}")


def _verdict(value: float) -> str:
    return "holds" if value <= LIMIT else "FAILS"


async def mcp_calls() -> None:
    """Print the CPU milliseconds of the tools view, legal and wait beyond those of a tool that does nothing."""
    from mcp import Client
    from mcp.server import MCPServer

    from parlour.net.hall import Hall
    from parlour.net.mcp.seat_tools import SeatTools
    from parlour.net.mcp.server import make_server
    from parlour.store import open_store

    empty = MCPServer("empty", log_level="ERROR")

    @empty.tool(structured_output=False)
    async def nothing(token: str) -> dict[str, str]:
        """Nothing."""
        return {"token": token}

    with tempfile.TemporaryDirectory() as folder, open_store(str(Path(folder) / "bench.db")) as store:
        hall = Hall(store)
        await hall.start()
        desk = SeatTools(hall)
        seat = await desk.sit("diplomacy", seat="FRANCE", opponents=["hold"])
        async with Client(empty) as bare, Client(make_server(desk)) as ours:
            base = await _each(bare, "nothing", {"token": "x"})
            print(f"{'SDK alone':34} {base:6.2f} ms per call")
            for tool in ("view", "legal", "wait"):
                extra = {"since": 0, "seconds": 0} if tool == "wait" else {}
                each = await _each(ours, tool, {"token": seat["token"], **extra}) - base
                print(f"{f'MCP {tool}':34} {each:6.2f} ms beyond it (limit {LIMIT}): {_verdict(each)}")
        await hall.close()


async def _each(client, tool: str, arguments: dict[str, object]) -> float:  # type: ignore[no-untyped-def]
    await client.call_tool(tool, arguments)
    began = time.process_time()
    for _ in range(CALLS):
        await client.call_tool(tool, arguments)
    return 1000 * (time.process_time() - began) / CALLS


def imports() -> None:
    """Print the optional libraries that are imported without use; there should be none."""
    code = (
        "import sys, parlour, parlour.cli.play, parlour.agents.loading, parlour.net.hall\n"
        "from parlour.agents import make_agent\nmake_agent('fish', 'greedy')\n"
        "print([name for name in ('httpx2', 'mcp', 'prompt_toolkit') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{'imported without use':34} {found}: {'holds' if found == '[]' else 'FAILS'}")


def main() -> None:
    """Print all."""
    diplomat = lambda number: DiplomacyModelPlayer(SPEC, number, Timed(plain_player))  # noqa: E731
    diplomacy_match(diplomat, press=TALK)  # makes the tables of the map, which are made once
    consultations("Diplomacy, 7 seats, press, 2 years", lambda: diplomacy_match(diplomat, press=TALK, last_year=1902))
    consultations(
        "Fish, 2 seats", lambda: fish_match(lambda number: FishModelPlayer(SPEC, number, Timed(plain_angler)))
    )
    asyncio.run(mcp_calls())
    imports()


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
