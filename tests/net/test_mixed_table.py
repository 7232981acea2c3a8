"""One table for all: seats over every door in one match on a real server, with its ledger, record and saved game."""

# Why real time passes here: sockets and programs know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from parlour.agents.loading import make_player
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.games.diplomacy.formats.saved import SavedGame
from parlour.net.client import connect, strings
from parlour.net.client.agent_loop import AgentLoop
from parlour.net.client.network_game import NetworkGame
from parlour.press.ledger import ledger_of
from parlour.referee.match import replay
from parlour.referee.record import read_record
from support.mila.servers import seen_by_client, served
from support.waiting import PATIENCE

pytestmark = pytest.mark.timeout(300)
HOST = "127.0.0.1"
EXAMPLES = Path(__file__).parents[2] / "examples"
PHASES = 3
"""Movement phases that are played before all agree on a draw."""


class Person:
    """Somebody with a browser: looks and acts over HTTP, and answers no message."""

    def __init__(self, client: httpx.AsyncClient, seat: str) -> None:
        self._client, self._seat = client, seat

    async def sit(self) -> None:
        (await self._client.post("/matches/mixed/seats", json={"seat": self._seat})).raise_for_status()

    async def play(self) -> None:
        """Hold in each turn until the match is over."""
        acted = 0
        while True:
            view = (await self._client.get("/matches/mixed")).json()
            if view["status"] == "over":
                return
            if view["status"] == "running" and view["turn"] > acted:
                acted = view["turn"]
                for intent in (
                    {"intent": "act", "seat": self._seat, "action": [], "turn": acted},
                    {"intent": "set wait", "seat": self._seat, "wait": False},
                ):
                    await self._client.post("/matches/mixed/intents", json=intent)
            await asyncio.sleep(0.1)


async def signed_in_over_http(stack: contextlib.AsyncExitStack, port: int, name: str) -> httpx.AsyncClient:
    client = httpx.AsyncClient(base_url=f"http://{HOST}:{port}/api/v1", timeout=PATIENCE)
    await stack.enter_async_context(client)
    body = {"name": name, "password": "password"}
    answer = await client.post("/tokens", json=body)
    if answer.status_code != 201:
        answer = await client.post("/accounts", json=body)
    client.headers["Authorization"] = f"Bearer {answer.raise_for_status().json()['token']}"
    return client


async def diplomat(game: NetworkGame) -> list[str]:
    """Plays England by hand on our client: offers peace to Turkey and plain words to the DAIDE bot; what it heard."""
    heard: list[str] = []
    changed = asyncio.Event()
    for add in (game.add_on_game_processed, game.add_on_game_status_update):
        add(lambda *_: changed.set())
    game.add_on_game_message_received(lambda _, told: heard.append(f"{told.message.sender}: {told.message.message}"))
    await changed_until(changed, lambda: game.is_game_active)
    await game.send_game_message(message=game.new_power_message("RUSSIA", "shall we talk?"))
    await game.send_game_message(message=game.new_power_message("RUSSIA", "PRP (PCE (ENG RUS))"))
    await game.send_game_message(message=game.new_power_message("TURKEY", "PRP (PCE (ENG TUR))"))
    movements = 0
    while not over(game):
        phase = game.get_current_phase()
        movements += phase.endswith("M")
        if movements > PHASES:
            return heard
        await game.set_orders(orders=[], wait=False)
        await changed_until(changed, lambda now=phase: over(game) or game.get_current_phase() != now)
    return heard


def over(game: NetworkGame) -> bool:
    return game.is_game_done or game.is_game_completed


async def changed_until(changed: asyncio.Event, reached: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not reached():
            changed.clear()
            await changed.wait()


async def mixed(path: Path) -> tuple[list[Event], dict[str, Any], dict[str, Any], list[str]]:
    async with contextlib.AsyncExitStack() as stack:
        ports = await stack.enter_async_context(served(path))

        async def sat(name: str, power: str | None, **more: Any) -> NetworkGame:
            connection = await stack.enter_async_context(connect(HOST, ports["mila"]))
            channel = await connection.authenticate(name, "password")
            return await channel.join_game(game_id="mixed", power_name=power, **more)

        connection = await stack.enter_async_context(connect(HOST, ports["mila"]))
        master = await (await connection.authenticate("master", "password")).create_game(
            game_id="mixed", n_controls=7, deadline=0, rules=["POWER_CHOICE"]
        )
        web = await signed_in_over_http(stack, ports["http"], "master")
        (await web.put("/matches/mixed/seats/FRANCE/agent", json={"agent": "dumbbot"})).raise_for_status()
        person = Person(await signed_in_over_http(stack, ports["http"], "person"), "ITALY")
        await person.sit()
        england = await sat("by hand", "ENGLAND")
        loops = []
        program = f"{sys.executable} {EXAMPLES / 'press_program.py'}"
        for name, power, spec in (("program", "GERMANY", program), ("local", "TURKEY", "peace")):
            game = await sat(name, power, player_type=strings.PRESS_BOT)
            loops.append(AgentLoop(game, make_player("diplomacy", spec, 1), diplomacy_time=1.0))
        bot = await asyncio.create_subprocess_exec(
            sys.executable, str(EXAMPLES / "daide_holdbot.py"), HOST, str(ports["daide"]), "RUS:bot@mixed"
        )
        try:
            async with asyncio.TaskGroup() as group:
                playing = [group.create_task(loop.run()) for loop in loops]
                group.create_task(person.play())
                original = group.create_task(seen_by_client("original_client", "sits_with_others", ports["mila"]))
                heard = await diplomat(england)
                await master.draw()
                await asyncio.wait(playing)
            await bot.wait()
        finally:
            if bot.returncode is None:
                bot.kill()
                await bot.wait()
        record = path / "mixed.jsonl"
        record.write_bytes(
            (await web.get("/matches/mixed/record", params={"as": "moderator"})).raise_for_status().content
        )
        return read_record(record), await master.save(), original.result(), heard


def test_every_kind_of_player_sits_at_one_table(tmp_path: Path) -> None:
    events, saved, original, heard = asyncio.run(mixed(tmp_path))
    # All seven played, and the record stands up to an audit.
    assert replay(events).outcome is not None
    acted = {event.seat for event in events if isinstance(event, ev.Acted) and event.given}
    assert acted == {"AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"}
    assert not [event for event in events if isinstance(event, (ev.Fouled, ev.Removed))]
    # Free text crosses where it is understood, and the sender is told where it is not.
    assert "AUSTRIA: hello from the original" in heard
    notes = [text for text in heard if text.startswith("SYSTEM: ")]
    assert len(notes) == 1, heard
    assert "RUSSIA" in notes[0]
    # Structured press crosses everywhere; the ledger judges whoever agreed, over whatever wire.
    assert "TURKEY: YES ( PRP ( PCE ( ENG TUR ) ) )" in heard
    ledger = ledger_of(events)
    parties = {frozenset(pact.parties) for pact in ledger.pacts.all}
    assert {frozenset({"ENG", "TUR"}), frozenset({"GER", "TUR"})} <= parties
    assert ledger.verdicts
    # What the original client saw is what happened, and what was saved.
    game = SavedGame(saved)
    names = [phase.name for phase in game.phases[:-1]]
    assert original["history"] == names
    assert (game.status, game.outcome) == ("completed", [names[-1], *saved["outcome"][1:]])
    assert game.controllers is not None
    assert (game.controllers["AUSTRIA"], game.controllers["FRANCE"]) == ("original", "dumbbot")
    assert saved["player_types"]["GERMANY"] == strings.PRESS_BOT
