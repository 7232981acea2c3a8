"""Agents of ours play over the network through the seed's loop, here on the original server without comm_status."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from mila_servers import HOST, original_server, until
from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.game import Action, View
from parlour.errors import LocalWireError
from parlour.net.client import NetworkGame, connect, strings
from parlour.net.client.agent_loop import AgentLoop

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
AGENTS = ("broker", "reciprocator", "peace", "stabber", "yesman", "greedy", "proposer")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    pytest.importorskip("diplomacy")
    with original_server() as found:
        yield found


async def play(port: int, game_id: str, agents: list[Any], phases: int) -> NetworkGame:
    """A game of these agents, drawn by the moderator after some phases; as the moderator saw it."""
    async with asyncio.timeout(50), connect(HOST, port) as connection:
        moderator = await connection.authenticate("moderator", "secret")
        setup = {"deadline": 0, "n_controls": len(agents), "rules": ["POWER_CHOICE"]}
        watched = await moderator.create_game(game_id=game_id, **setup)  # type: ignore[arg-type]
        async with asyncio.TaskGroup() as group:
            for power, agent in zip(POWERS, agents, strict=False):
                channel = await connection.authenticate(f"{game_id} {power}", "secret")
                game = await channel.join_game(game_id=game_id, power_name=power, player_type=strings.PRESS_BOT)
                group.create_task(AgentLoop(game, agent, diplomacy_time=0.5).run())
            if len(agents) < len(POWERS):
                await until(lambda: watched.powers["AUSTRIA"].order_is_set == 2, 20)
                await watched.process()
            await until(lambda: len(watched.state_history) >= phases, 40)
            await watched.draw()
        return watched


def test_seven_agents_negotiate_and_order(port: int) -> None:
    agents = [make_agent("diplomacy", name, 1) for name in AGENTS]
    game = asyncio.run(play(port, "seven", agents, 2))
    talk = list(game.message_history["S1901M"].values())
    assert {message.sender for message in talk} >= {"AUSTRIA", "ENGLAND", "GERMANY"}
    assert any(message.message.startswith("YES") for message in talk)
    assert all(len(orders) >= 3 for orders in game.order_history["S1901M"].values())


class Witness:
    """Holds, and remembers what it was told and asked."""

    def __init__(self) -> None:
        self.told_of: list[ev.Event] = []
        self.asked: list[View] = []
        self.calls: list[str] = []

    def seated(self, chair: Any) -> None:
        self.calls.append(f"seated {chair.seat}")

    def started(self, view: View) -> None:
        self.calls.append("started")

    async def act(self, view: View) -> Action:
        self.asked.append(view)
        return ["A VIE - GAL"]

    def told(self, event: ev.Event) -> None:
        self.told_of.append(event)

    def ended(self, outcome: Any) -> None:
        self.calls.append("ended")


def test_an_agent_is_told_what_a_referee_would_tell(port: int) -> None:
    witness = Witness()
    asyncio.run(play(port, "witness", [witness], 1))
    assert witness.calls == ["seated AUSTRIA", "started", "ended"]
    kinds = [type(event) for event in witness.told_of if not isinstance(event, ev.WaitSet)]
    assert kinds[:5] == [ev.Opened, ev.Joined, ev.Started, ev.TurnBegan, ev.TurnEnded]
    ended = next(event for event in witness.told_of if isinstance(event, ev.TurnEnded))
    assert ended.actions["AUSTRIA"] == ["A VIE - GAL"]
    assert [view.position.stage for view in witness.asked[:2]] == ["orders", "orders"]


def test_the_failure_of_an_agent_ends_its_loop_with_a_sentence(port: int) -> None:
    class Faulty:
        def act(self, view: View) -> Action:
            raise ZeroDivisionError("by zero")

    with pytest.RaisesGroup(pytest.RaisesGroup(LocalWireError)):
        asyncio.run(play(port, "faulty", [Faulty()], 1))


def test_parlour_join_plays_a_seat_to_the_end(port: int) -> None:
    async def scenario() -> tuple[int, bytes]:
        async with connect(HOST, port) as connection:
            channel = await connection.authenticate("host", "secret")
            game = await channel.create_game(game_id="shell", deadline=0, n_controls=1, rules=["POWER_CHOICE"])
            command = [sys.executable, "-m", "parlour", "join", f"ws://{HOST}:{port}", "--match", "shell", "--json"]
            command += ["--power", "france", "--agent", "broker", "--player-type", "press_bot", "--talk", "0.1"]
            process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, env=os.environ)
            await until(lambda: game.powers["FRANCE"].order_is_set == 2, 30)
            await game.process()
            await until(lambda: game.get_current_phase() == "F1901M")
            await until(lambda: game.powers["FRANCE"].order_is_set == 2, 30)
            await game.draw()
            out, _ = await process.communicate()
            assert process.returncode is not None
            return process.returncode, out

    code, out = asyncio.run(scenario())
    assert code == 0
    report = json.loads(out)
    assert (report["match"], report["power"], report["phase"]) == ("shell", "FRANCE", "F1901M")
    assert report["result"] == "drew"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["ws://127.0.0.1:1"], "expected --match ID"),
        (["http://127.0.0.1:1", "--match", "x"], "expected ws://HOST:PORT"),
        (["ws://127.0.0.1:1", "--match", "x", "--tries", "1"], "cannot connect to ws://127.0.0.1:1/"),
        (["ws://127.0.0.1:1", "--match", "x", "--agent", "nobody"], "has no 'nobody'"),
        (["127.0.0.1:1"], "expected --game fish"),
    ],
)
def test_parlour_join_complains_in_one_line(arguments: list[str], complaint: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "parlour", "join", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
