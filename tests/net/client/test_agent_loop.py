"""Agents of ours play over the network through the seed's loop: on the original server, and where a test answers."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.game import Action, Seat, View
from parlour.core.intents import Ballot, CommStatus, PlayerType, Refusal
from parlour.core.player import LATER, ObservedEvent
from parlour.core.terms import PressMode
from parlour.errors import LocalWireError
from parlour.net.client import Connection, NetworkGame, connect, strings
from parlour.net.client.agent_loop import AgentLoop, player_type_of
from parlour.net.mila.protocol_values import SeatedAs
from support import command_line
from support.client.phase_tables import LONG, Table, at_table
from support.mila.servers import HOST, original_server
from support.waiting import PATIENCE, inside, until

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
AGENTS = ("broker", "reciprocator", "peace", "stabber", "yesman", "greedy", "proposer")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    pytest.importorskip("diplomacy")
    with original_server() as found:
        yield found


async def play(port: int, game_id: str, agents: list[Any], phases: int) -> NetworkGame:
    """Return a game of these agents, drawn by the moderator after some phases; as the moderator saw it."""
    async with asyncio.timeout(PATIENCE), connect(HOST, port) as connection:
        moderator = await connection.authenticate("moderator", "secret")
        setup = {"deadline": 0, "n_controls": len(agents), "rules": ["POWER_CHOICE"]}
        watched = await moderator.create_game(game_id=game_id, **setup)  # type: ignore[arg-type]
        async with asyncio.TaskGroup() as group:
            for power, agent in zip(POWERS, agents, strict=False):
                channel = await connection.authenticate(f"{game_id} {power}", "secret")
                game = await channel.join_game(game_id=game_id, power_name=power, player_type=strings.PRESS_BOT)
                group.create_task(AgentLoop(game, agent, diplomacy_time=PATIENCE).run())
            if len(agents) < len(POWERS):
                await until(lambda: watched.powers["AUSTRIA"].order_is_set == 2)
                await watched.process()
            await until(lambda: len(watched.state_history) >= phases)
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

    def on_seated(self, handle: Any) -> None:
        self.calls.append(f"seated {handle.seat}")

    def on_start(self, view: View) -> None:
        self.calls.append("started")

    async def act(self, view: View) -> Action:
        self.asked.append(view)
        return ["A VIE - GAL"]

    def on_event(self, observed: ObservedEvent) -> None:
        self.told_of.append(observed.event)

    def on_end(self, outcome: Any) -> None:
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
            command += ["--power", "france", "--agent", "broker", "--player-type", "press_bot", "--press-time", "0.1"]
            process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, env=os.environ)
            await until(lambda: game.powers["FRANCE"].order_is_set == 2)
            await game.process()
            await until(lambda: game.get_current_phase() == "F1901M")
            await until(lambda: game.powers["FRANCE"].order_is_set == 2)
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
        (["ws://127.0.0.1:1", "--match", "x", "--agent", "nobody"], "has no 'nobody'"),
        (["127.0.0.1:1"], "expected --game fish"),
    ],
)
def test_parlour_join_complains_in_one_line(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, errors = command_line.run(["join", *arguments], capsys)
    assert code == 2
    assert complaint in errors


class Speaker(Witness):
    """A press bot that says, votes and orders through its seat handle what the test wants."""

    player_type = PlayerType.PRESS_BOT

    def __init__(self, first: Any = LATER) -> None:
        super().__init__()
        self.first = first
        self.refusals: list[str] = []

    def on_seated(self, handle: Any) -> None:
        super().on_seated(handle)
        self.handle = handle

    async def act(self, view: View) -> Action:
        await super().act(view)
        return self.first

    def on_refused(self, refusal: Refusal) -> None:
        self.refusals.append(refusal.reason)

    def heard(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.told_of if isinstance(event, kind)]


@inside(at_table)
async def test_an_agent_talks_through_its_seat_handle_and_orders_when_it_has_said_all(
    table: Table, connection: Connection
) -> None:
    agent = Speaker()
    loop = AgentLoop(await table.seat(connection), agent, diplomacy_time=LONG, level=30)
    running = asyncio.ensure_future(loop.run())
    await table.answer(to="set_comm_status")
    (opened,) = agent.heard(ev.Opened)
    assert (opened.terms.press.mode, opened.terms.press.level) == (PressMode.WINDOW, 30)
    assert opened.terms.press.window == LONG
    assert not agent.heard(ev.PressOpened)
    await table.ready("ITALY")
    await until(lambda: agent.heard(ev.PressOpened))
    (window,) = agent.heard(ev.PressOpened)
    assert window.until - window.at == pytest.approx(LONG)
    agent.handle.say("psst", [Seat("ITALY"), Seat("TURKEY")])
    together = ["ITALY", "TURKEY"]
    sent = await table.answer("data_time_stamp", to="send_game_message", data=7, recipients=together)
    assert (sent["message"]["recipients"], sent["message"]["message"]) == (together, "psst")
    agent.handle.say("hear, hear")
    sent = await table.answer("data_time_stamp", to="send_game_message", data=9)
    assert sent["message"]["recipient"] == "GLOBAL"
    await until(lambda: len(agent.heard(ev.Said)) == 2)
    assert [event.to for event in agent.heard(ev.Said)] == [("ITALY", "TURKEY"), ()]
    agent.handle.vote(Ballot.YES)
    assert (await table.answer(to="vote"))["vote"] == "yes"
    agent.handle.say("nonsense", [Seat("ITALY")])
    await table.refuse("ResponseException", to="send_game_message")
    await until(lambda: agent.refusals == ["no"])
    agent.handle.set_wait(True)
    agent.handle.act(["A PAR - PIC"])
    first = await table.answer(to="set_orders")
    assert (first["orders"], first["wait"]) == (["A PAR - PIC"], True)
    agent.handle.act(["A PAR - BUR"])
    agent.handle.set_wait(False)
    final = await table.answer(to="set_orders")
    assert (final["orders"], final["wait"]) == (["A PAR - BUR"], True)
    assert (await table.answer(to="set_wait_flag"))["wait"] is False
    await until(lambda: not loop.game.powers["FRANCE"].wait)
    assert not agent.heard(ev.PressClosed), "Italy may yet have something to say"
    await table.notify("power_orders_flag", power_name="ITALY", order_is_set=2)
    await table.notify("power_wait_flag", power_name="ITALY", wait=False)
    await until(lambda: agent.heard(ev.PressClosed))
    # What is given for good may still be given anew, while the phase goes on.
    agent.handle.set_wait(False)
    agent.handle.act(["A PAR H"])
    assert (await table.answer(to="set_orders"))["orders"] == ["A PAR H"]
    agent.handle.set_wait(True)
    assert (await table.answer(to="set_wait_flag"))["wait"] is True
    agent.handle.set_wait(False)
    assert (await table.answer(to="set_wait_flag"))["wait"] is False
    await table.over()
    await running
    assert loop.outcome is None
    assert "ended" not in agent.calls


@pytest.mark.parametrize("others", [[], [Seat("TURKEY")]])
@inside(at_table)
async def test_an_agent_hears_what_it_said_before_the_answer_to_it_though_both_come_in_one_piece(
    table: Table, connection: Connection, *, others: list[Seat]
) -> None:
    agent = Speaker()
    running = asyncio.ensure_future(AgentLoop(await table.seat(connection), agent, diplomacy_time=LONG).run())
    await table.answer(to="set_comm_status")
    await table.ready("ITALY")
    await until(lambda: agent.heard(ev.PressOpened))
    agent.handle.say("will you?", [Seat("ITALY"), *others])
    yes = {"sender": "ITALY", "recipient": "FRANCE", "phase": "S1901M", "message": "yes", "time_sent": 8}
    await table.answer("data_time_stamp", to="send_game_message", data=7)
    await table.notify("game_message_received", message=yes)
    for other in others:  # a server that does not know press to several
        sent = await table.answer("data_time_stamp", to="send_game_message", data=9)
        assert (sent["message"]["recipient"], "recipients" in sent["message"]) == (other, False)
    await until(lambda: len(agent.heard(ev.Said)) == 2 + len(others))
    assert [(event.seat, event.text, event.to) for event in agent.heard(ev.Said)] == [
        ("FRANCE", "will you?", ("ITALY",)),
        ("ITALY", "yes", ("FRANCE",)),
        *[("FRANCE", "will you?", (other,)) for other in others],
    ]
    await table.over()
    await running


class Late(Speaker):
    """Orders when the window shuts; where there is none, at once."""

    async def act(self, view: View) -> Action:
        await Witness.act(self, view)
        (opened,) = self.heard(ev.Opened)
        return ["A PAR H"] if opened.terms.press.mode is PressMode.NONE else LATER

    def on_event(self, observed: ObservedEvent) -> None:
        super().on_event(observed)
        if isinstance(observed.event, ev.PressClosed):
            self.handle.act(["A PAR H"])


@pytest.mark.parametrize(
    ("agent", "seated_as", "rules", "talks"),
    [
        (Late, "press_bot", [], True),
        (Late, "human", [], True),
        (Witness, "press_bot", [], True),
        (Witness, "no_press_bot", [], False),
        (Late, "press_bot", ["NO_PRESS"], False),
    ],
)
@inside(at_table)
async def test_who_is_waited_for_says_that_it_is_ready_and_who_is_not_orders_at_once(
    table: Table, connection: Connection, *, agent: type[Witness], seated_as: str, rules: list[str], talks: bool
) -> None:
    game = await table.seat(connection, rules=rules)
    game.powers["FRANCE"].player_type = SeatedAs(seated_as)
    player, before = agent(), asyncio.all_tasks()
    running = asyncio.ensure_future(AgentLoop(game, player, diplomacy_time=0.0).run())
    if agent is Witness:
        assert (await table.answer(to="set_orders"))["wait"] is False
    if talks:
        await table.answer(to="set_comm_status")
        await table.ready("ITALY")
        await until(lambda: any(isinstance(event, ev.PressClosed) for event in player.told_of))
    if agent is Late:
        assert (await table.answer(to="set_orders"))["wait"] is False
    (opened,) = [event for event in player.told_of if isinstance(event, ev.Opened)]
    assert opened.terms.press.mode is (PressMode.WINDOW if talks else PressMode.NONE)
    assert any(isinstance(event, ev.PressOpened | ev.PressClosed) for event in player.told_of) is talks
    await table.over()
    await running
    assert asyncio.all_tasks() <= before, "nothing is left behind"


def test_what_an_agent_is_says_itself_and_otherwise_it_does_not_talk() -> None:
    assert (player_type_of(Speaker()), player_type_of(Witness())) == (SeatedAs.PRESS_BOT, SeatedAs.NO_PRESS_BOT)


class Thinker(Speaker):
    """Answers only when the test wants it to."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()

    async def act(self, view: View) -> Action:
        await Witness.act(self, view)
        return await asyncio.shield(self.answer)


@inside(at_table)
async def test_an_agent_that_is_ready_before_it_has_orders_talks_until_it_has_some(
    table: Table, connection: Connection
) -> None:
    agent = Thinker()
    running = asyncio.ensure_future(AgentLoop(await table.seat(connection), agent, diplomacy_time=LONG).run())
    await until(lambda: agent.asked)
    assert table.nothing_asked()
    agent.handle.set_comm_status(CommStatus.BUSY)
    agent.handle.set_comm_status(CommStatus.READY)
    for status in ("busy", "ready"):
        assert (await table.answer(to="set_comm_status"))["comm_status"] == status
    await table.ready("ITALY")
    await until(lambda: agent.heard(ev.PressOpened))
    assert table.nothing_asked()
    agent.answer.set_result(["A PAR - BUR"])
    assert (await table.answer(to="set_orders"))["orders"] == ["A PAR - BUR"]
    await table.over()
    await running


@inside(at_table)
async def test_an_agent_is_asked_no_more_about_a_phase_that_is_over_and_then_about_the_next(
    table: Table, connection: Connection
) -> None:
    agent = Thinker()
    loop = AgentLoop(await table.seat(connection), agent, diplomacy_time=LONG)
    running = asyncio.ensure_future(loop.run())
    await until(lambda: agent.asked)
    agent.handle.set_comm_status(CommStatus.READY)
    await table.answer(to="set_comm_status")
    await table.processed("S1901M", "F1901M")
    await until(lambda: len(agent.asked) == 2)
    assert [view.turn for view in agent.asked] == [1, 2]
    assert getattr(agent.asked[1].position, "phase", "") == "F1901M"
    began = [(event.turn, len(event.to_act)) for event in agent.heard(ev.TurnBegan)]
    assert began == [(1, 7), (2, 7)]
    assert [event.turn for event in agent.heard(ev.TurnEnded)] == [1]
    waiting = [str(event.seat) for event in agent.heard(ev.WaitSet) if event.wait]
    assert waiting == ["FRANCE", "ITALY"] * 2, "those who play and have their flags up"
    agent.answer.set_result(["A PAR H"])
    assert (await table.answer(to="set_orders"))["orders"] == ["A PAR H"]
    await table.answer(to="set_comm_status")
    await table.processed("F1901M", "COMPLETED")
    await running
    assert loop.outcome is not None
    assert agent.calls[-1] == "ended"


@inside(at_table)
async def test_a_refusal_that_comes_when_the_next_phase_is_played_already_ends_nothing(
    table: Table, connection: Connection
) -> None:
    agent = Speaker()
    loop = AgentLoop(await table.seat(connection), agent, diplomacy_time=LONG)
    running = asyncio.ensure_future(loop.run())
    await table.answer(to="set_comm_status")
    agent.handle.act(["A PAR H"])
    late = await table.asked.get()
    await table.processed("S1901M", "F1901M")
    await until(lambda: loop.phase == "F1901M")
    error = {"error_type": "GamePhaseException", "message": "it is F1901M now"}
    await table.say(name="error", request_id=late["request_id"], **error)
    await table.answer(to="set_comm_status")
    agent.handle.act(["A PAR - BUR"])
    assert (await table.answer(to="set_orders"))["orders"] == ["A PAR - BUR"]
    await table.over()
    await running


@inside(at_table)
async def test_who_has_nothing_to_order_is_not_asked_and_orders_nothing(table: Table, connection: Connection) -> None:
    agent = Witness()
    running = asyncio.ensure_future(AgentLoop(await table.seat(connection, phase="W1901A"), agent).run())
    given = await table.answer(to="set_orders")
    assert (given["orders"], given["wait"], agent.asked) == ([], False, [])
    await table.over()
    await running
