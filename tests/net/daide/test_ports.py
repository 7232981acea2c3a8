"""A port for each match: given out when somebody asks, with that match alone behind it, and kept over a restart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.core.terms import Terms, Vacancy
from parlour.errors import ConfigError, Denied
from parlour.games.diplomacy.maps.map import named
from parlour.net.daide.door import MOST, DaideDoor
from parlour.net.daide.tokens import codec
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from parlour.store import open_store
from support.daide.wire import INITIAL, DaideLine
from support.processes.ports import free_ports
from support.waiting import PATIENCE


@asynccontextmanager
async def house(path: Path, ports: range, most: int = MOST) -> AsyncIterator[tuple[DaideDoor, Hall]]:
    with open_store(str(path / "store.db")) as store:
        hall = Hall(store)
        await hall.start()
        door = DaideDoor(hall, ports=ports, most=most)
        await door.open()
        try:
            yield door, hall
        finally:
            await DaideLine.hang_up()
            await door.close()
            await hall.close()


async def opened(hall: Hall, match: str, board: str = "standard") -> None:
    terms = Terms(HOSTED, vacancy=Vacancy.DEFAULT)
    await hall.open(MatchSetup(game="diplomacy", terms=terms, match=match, config={"map": board}))


def test_a_match_has_a_port_of_its_own_with_nobody_else_behind_it(tmp_path: Path) -> None:
    ports = free_ports(2)

    async def before() -> int:
        async with house(tmp_path, ports) as (door, hall):
            await opened(hall, "one")
            await opened(hall, "isles", "lagoon")
            with pytest.raises(Denied):
                await door.port_of("nowhere")
            own, isles = await door.port_of("one"), await door.port_of("isles")
            assert {own, isles} == set(ports)
            assert await door.port_of("one") == own
            await opened(hall, "third")
            with pytest.raises(ConfigError, match="daide-ports: all of"):
                await door.port_of("third")
            line = await DaideLine.open(own)
            assert (await line.ask("NME ( 'x@third' ) ( '1' )")).startswith("REJ")
            await line.sit("AUS:bot")
            assert (await line.ask("TME")) == "REJ ( TME )"
            assert (await hall.head("one")).players == {"AUSTRIA": "AUS:bot"}
            other = await DaideLine.open(isles, greet=False)
            other.writer.write(INITIAL)
            assert await other.frame() == (1, codec(named("lagoon")).representation())
            await hall.submit("isles", it.Cancel("host"))
            assert await door.port_of("third") == isles, "who is over needs no port"
            return own

    async def after(own: int) -> None:
        async with house(tmp_path, ports):
            line = await DaideLine.open(own)
            assert (await line.ask("OBS")) == "YES ( OBS )"

    async def elsewhere() -> None:
        async with house(tmp_path, range(0)) as (door, hall):
            assert await door.port_of("one") == door.port, "without such ports there is the one for all"
            await opened(hall, "lake", "lagoon")
            with pytest.raises(ConfigError, match=r"none for the map lagoon; at [0-9]+ is standard"):
                await door.port_of("lake")

    async def whole() -> None:
        async with asyncio.timeout(PATIENCE):
            own = await before()
            await after(own)
            await elsewhere()

    asyncio.run(whole())


async def test_clients_are_counted_at_all_ports_together(tmp_path: Path) -> None:
    async with house(tmp_path, free_ports(2), most=3) as (door, hall):
        ports = [door.port]
        for match in ("one", "two"):
            await opened(hall, match)
            ports.append(await door.port_of(match))
        first = await DaideLine.open(ports[1])
        await first.sit("first")
        for port in ports * 3:
            last = await DaideLine.open(port)
            assert door.connections <= 3
        assert (await last.ask("NME ( 'last' ) ( '1' )")).startswith("YES")
        assert (await first.ask("MAP")).startswith("MAP"), "who sits stays"
        players = [await DaideLine.open(ports[2]) for _ in range(2)]
        for number, line in enumerate(players):
            await line.sit(f"more {number}")
            assert (await line.ask("MAP")).startswith("MAP")  # so that it sits by now
        late = await DaideLine.open(ports[0], greet=False)
        with pytest.raises((EOFError, ConnectionError)):  # there is nobody who could go for it
            await late.frame()
        assert door.connections == 3
