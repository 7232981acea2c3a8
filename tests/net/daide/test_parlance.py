"""Programs that others wrote for DAIDE, unmodified: bots of Parang at our door, our agents at Parlance's server."""

# Why real time passes here: both sides are programs, one of them on a virtual machine that takes seconds to start.

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from parlour.agents import make_agent
from parlour.core.events import Acted, Ended, Event, Fouled, Left, Said
from parlour.net.client.daide import DaideClient, DaideReport
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.hall import Hall
from parlour.referee.match import replay
from parlour.store import open_store
from peers.parlance import command, jython
from support.processes.ports import free_port

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(jython() is None, reason="Jython is not installed: apt-get install jython"),
]
BOTS = ("DumbBot", "Project20M", "EvilBot", "PeaceBot", "PeaceBot", "BlabberBot", "BlabberBot")


def test_bots_of_parang_negotiate_and_play_a_whole_game(tmp_path: Path) -> None:
    async def scene(door: DaideDoor) -> None:
        await door.open()
        with log.open("wb") as lines:
            bots = await asyncio.create_subprocess_exec(*command("bots", door.port, *BOTS), stdout=lines, stderr=lines)
        try:
            while not (heads := (await hall.page()).heads) or heads[0].status != "over":
                assert bots.returncode is None, log.read_text(errors="replace")[-500:]
                await asyncio.sleep(0.5)
        finally:
            bots.kill()  # the virtual machine lives on when its bots have gone
            await bots.wait()
        record.extend(await hall.record(heads[0].id))

    async def whole() -> None:
        await hall.start()
        door = DaideDoor(hall, DaideOptions(level=30, mtl=120), config={"last_year": 1903})
        try:
            await scene(door)
        finally:
            await door.close()
            await hall.close()

    log = tmp_path / "bots.log"
    record: list[Event] = []
    store = open_store(str(tmp_path / "store.db"))
    hall = Hall(store)
    asyncio.run(whole())
    store.close()
    assert "Exception" not in log.read_text(errors="replace")
    assert isinstance(record[-1], Ended)
    assert record[-1].outcome.reason == "stopped after 1903, the last year"
    assert Counter(place.name for place in replay(record).places.values()) == Counter(BOTS)
    assert not [event for event in record if isinstance(event, Fouled | Left)], "nobody was late, wrong or away"
    said = [event.text for event in record if isinstance(event, Said)]
    assert any(text.startswith("PRP ( PCE") for text in said)
    assert any(text.startswith(("YES ( PRP", "REJ ( PRP", "BWX ( PRP")) for text in said)
    assert any(event.action for event in record if isinstance(event, Acted))


def test_our_agents_play_a_whole_game_at_the_server_of_parlance() -> None:
    async def played(client: DaideClient, port: int) -> DaideReport:
        report = None
        while report is None:
            try:
                report = await client.run("127.0.0.1", port)
            except* OSError:  # it does not listen yet
                await asyncio.sleep(0.5)
        return report

    async def whole() -> list[DaideReport]:
        port = free_port()
        server = await asyncio.create_subprocess_exec(*command("server", port), stdout=asyncio.subprocess.DEVNULL)
        try:
            agents = ["broker", *["dumbbot"] * 6]
            clients = [DaideClient(name, make_agent("diplomacy", name, i), talk=0.1) for i, name in enumerate(agents)]
            return await asyncio.gather(*(played(client, port) for client in clients))
        finally:
            server.kill()
            await server.wait()

    reports = asyncio.run(whole())
    assert len({report.power for report in reports}) == 7
    assert len({(report.phase, report.ending) for report in reports}) == 1
    assert reports[0].ending.startswith(("SLO", "DRW"))
