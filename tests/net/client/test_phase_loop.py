"""The loop of a press bot at a server that does as the test says: when it talks, orders, waits and stops."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from parlour.net.client import Connection, Message, NetworkGame, phase_loop
from parlour.net.client.phase_loop import PhaseLoop
from support.client.phase_tables import LONG, Table, at_table
from support.waiting import inside, until


class Diplomat(PhaseLoop):
    """Notes when it is called for what."""

    def __init__(self, game: NetworkGame, diplomacy_time: float = LONG) -> None:
        super().__init__(game, diplomacy_time=diplomacy_time)
        self.did: list[str] = []

    async def assess(self) -> None:
        self.did.append("assess")

    async def negotiate(self) -> None:
        self.did.append("negotiate")

    async def hear(self, message: Message) -> None:
        self.did.append(message.message)

    async def choose_orders(self) -> Sequence[str]:
        self.did.append("choose")
        return ["A PAR - BUR"]


@inside(at_table)
async def test_a_bot_gets_ready_waits_for_the_others_talks_orders_and_goes_on(
    table: Table, connection: Connection
) -> None:
    bot = Diplomat(await table.seat(connection), diplomacy_time=0.0)
    running = asyncio.ensure_future(bot.run())
    ready = await table.answer(to="set_comm_status")
    assert (ready["comm_status"], ready["phase"], bot.phase) == ("ready", "S1901M", "S1901M")
    await table.ready("AUSTRIA")
    await until(lambda: bot.game.powers["AUSTRIA"].comm_status == "ready")
    assert bot.did == ["assess"], "Italy is not ready"
    await table.ready("ITALY")
    orders = await table.answer(to="set_orders")
    assert (orders["orders"], orders["wait"]) == (["A PAR - BUR"], False)
    assert bot.did == ["assess", "negotiate", "choose"]
    await table.ready("ITALY", "busy")
    assert table.nothing_asked()
    await table.processed("S1901M", "F1901R")
    assert (await table.answer(to="set_orders"))["phase"] == "F1901R"
    assert bot.did == ["assess", "negotiate", "choose", "choose"], "of retreats nobody talks"
    await table.over()
    await running


@pytest.mark.parametrize(
    "more", [{"player_type": "human"}, {"controller": {"1": "dummy"}}, {"units": [], "centers": []}]
)
@inside(at_table)
async def test_only_press_bots_that_somebody_plays_and_that_are_in_the_game_are_waited_for(
    table: Table, connection: Connection, *, more: dict[str, Any]
) -> None:
    game = await table.seat(connection)
    italy = game.powers["ITALY"]
    for name, value in more.items():
        setattr(italy, name, {1: "dummy"} if name == "controller" else value)
    bot = Diplomat(game, diplomacy_time=0.0)
    running = asyncio.ensure_future(bot.run())
    await table.answer(to="set_comm_status")
    await table.answer(to="set_orders")
    await table.over()
    await running


@inside(at_table)
async def test_a_bot_talks_until_its_time_is_up_or_it_has_said_all_and_hears_meanwhile(
    table: Table, connection: Connection
) -> None:
    bot = Diplomat(await table.seat(connection))
    running = asyncio.ensure_future(bot.run())
    await table.answer(to="set_comm_status")
    await table.ready("ITALY")
    for text in ("one", "two"):
        said = {"sender": "ITALY", "recipient": "FRANCE", "phase": "S1901M", "message": text}
        await table.notify("game_message_received", message={**said, "time_sent": len(text) + ord(text[0])})
    await until(lambda: bot.did == ["assess", "negotiate", "one", "two"])
    assert table.nothing_asked()
    bot.finish_talking()
    await table.answer(to="set_orders")
    await table.over()
    await running


@pytest.mark.parametrize("when", ["waiting", "talking"])
@inside(at_table)
async def test_in_a_phase_that_is_over_before_it_comes_to_it_a_bot_does_nothing_more(
    table: Table, connection: Connection, *, when: str
) -> None:
    bot = Diplomat(await table.seat(connection))
    running = asyncio.ensure_future(bot.run())
    await table.answer(to="set_comm_status")
    if when == "talking":
        await table.ready("ITALY")
        await until(lambda: "negotiate" in bot.did)
    before = list(bot.did)
    await table.processed("S1901M", "F1901M")
    assert (await table.answer(to="set_comm_status"))["phase"] == "F1901M"
    assert bot.did == [*before, "assess"]
    await table.over()
    await running


@pytest.mark.parametrize("end", ["canceled", "completed", "deleted", "kicked", "COMPLETED"])
@inside(at_table)
async def test_a_bot_stops_when_there_is_nothing_left_to_play(
    table: Table, connection: Connection, *, end: str
) -> None:
    bot = Diplomat(await table.seat(connection))
    running = asyncio.ensure_future(bot.run())
    await table.answer(to="set_comm_status")
    if end == "deleted":
        await table.notify("game_deleted")
    elif end == "kicked":
        await table.notify("powers_controllers", powers={"FRANCE": None}, timestamps={"FRANCE": 2})
    elif end == "COMPLETED":
        await table.processed("S1901M", end)
    else:
        await table.notify("game_status_update", status=end)
    await running
    assert bot.did == ["assess"]


@inside(at_table)
async def test_a_bot_waits_until_the_game_goes_on_and_plays_nothing_in_one_that_is_over(
    table: Table, connection: Connection
) -> None:
    bot = Diplomat(await table.seat(connection, phase="W1901A", status="paused"))
    running = asyncio.ensure_future(bot.run())
    await table.ready("ITALY")
    await until(lambda: bot.game.powers["ITALY"].comm_status == "ready")
    assert (bot.did, bot.phase) == ([], "")
    await table.notify("game_status_update", status="active")
    await table.answer(to="set_orders")
    await table.over()
    await running
    await Diplomat(bot.game).run()
    assert table.nothing_asked()


@inside(at_table)
async def test_a_bot_that_waits_for_a_game_which_is_then_called_off_plays_nothing(
    table: Table, connection: Connection
) -> None:
    bot = Diplomat(await table.seat(connection, status="forming"))
    running = asyncio.ensure_future(bot.run())
    await table.over()
    await running
    assert (bot.did, table.nothing_asked()) == ([], True)


@inside(at_table)
async def test_at_a_server_that_knows_no_readiness_a_bot_talks_when_the_others_need_not_be_waited_for(
    table: Table, connection: Connection
) -> None:
    game = await table.seat(connection)
    game.powers["ITALY"].player_type = game.powers["TURKEY"].player_type
    game.powers["FRANCE"].player_type = game.powers["TURKEY"].player_type
    bot = Diplomat(game, diplomacy_time=0.0)
    running = asyncio.ensure_future(bot.run())
    await table.refuse("RequestException", to="set_comm_status")
    await table.answer(to="set_orders")
    assert bot.did == ["assess", "negotiate", "choose"]
    await table.over()
    await running


@inside(at_table)
async def test_a_refusal_that_comes_of_the_end_of_a_phase_may_come_before_the_news_of_it(
    table: Table, connection: Connection
) -> None:
    bot = Diplomat(await table.seat(connection))
    running = asyncio.ensure_future(bot.run())
    await table.refuse("GamePhaseException", to="set_comm_status")
    await table.processed("S1901M", "W1901A")
    await table.refuse("GamePhaseException", to="set_orders")
    await table.processed("W1901A", "S1902M")
    await table.answer(to="set_comm_status")
    assert bot.did == ["assess", "choose", "assess"]
    await table.over()
    await running


@pytest.mark.parametrize(("error", "grace"), [("GamePhaseException", 0.0), ("RequestException", LONG)])
def test_any_other_refusal_ends_the_loop(error: str, grace: float, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(table: Table, connection: Connection) -> None:
        bot = Diplomat(await table.seat(connection, phase="W1901A"))
        running = asyncio.ensure_future(bot.run())
        await table.refuse(error, to="set_orders")
        with pytest.RaisesGroup(pytest.RaisesExc(Exception, check=lambda raised: type(raised).__name__ == error)):
            await running

    monkeypatch.setattr(phase_loop, "GRACE", grace)
    at_table(scene)


@inside(at_table)
async def test_the_loop_ends_with_its_connection(table: Table, connection: Connection) -> None:
    bot = Diplomat(await table.seat(connection))
    running = asyncio.ensure_future(bot.run())
    await table.answer(to="set_comm_status")
    await connection.close()
    with pytest.RaisesGroup(pytest.RaisesExc(ConnectionError, match="is closed")):
        await running


@inside(at_table)
async def test_what_a_bot_must_fill_in_is_what_it_orders(table: Table, connection: Connection) -> None:
    bare = PhaseLoop(await table.seat(connection), diplomacy_time=0.0)
    assert await bare.until(lambda: False, 0.0) is False
    assert await bare.until(lambda: True) is True
    running = asyncio.ensure_future(bare.run())
    await table.answer(to="set_comm_status")
    await table.ready("ITALY")
    with pytest.RaisesGroup(NotImplementedError):
        await running
