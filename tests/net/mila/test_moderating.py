"""Acts of a moderator on a game: only named players lose their powers, and announcements reach all."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.terms import Terms, Vacancy
from parlour.games.diplomacy.position import Position
from parlour.net.client import Connection, NetworkGame, strings
from parlour.net.mila import faults
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.protocol_values import GLOBAL, OBSERVER, OMNISCIENT, GameStatus, Message
from parlour.net.mila.role_state import SYSTEM
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from support.hall.people import session_of
from support.mila.at_home import at_home, sign_in, table_for_two
from support.mila.house import House
from support.mila.lobby import SEVERAL
from support.waiting import inside, until


def players(game: NetworkGame) -> dict[str, str]:
    return {name: power.get_controller() for name, power in game.powers.items() if power.is_controlled()}


@inside(at_home)
async def test_powers_are_taken_from_whom_is_named_and_from_nobody_else(house: House, connection: Connection) -> None:
    host, anna, bert = [await sign_in(connection, name) for name in ("host", "anna", "bert")]
    master = await host.create_game(game_id="g", n_controls=3, deadline=0, rules=SEVERAL)
    await anna.join_powers(game_id="g", power_names=["FRANCE", "ITALY"])
    await bert.join_powers(game_id="g", power_names=["TURKEY"])
    await until(lambda: len(players(master)) == 3)
    with pytest.raises(faults.ResponseException):
        await master.kick_powers(username="nobody")
    await master.kick_powers(username="anna", power_names=["ITALY", "TURKEY", "ATLANTIS"])
    await until(lambda: players(master) == {"FRANCE": "anna", "TURKEY": "bert"})
    await master.kick_powers(username="host")
    await master.kick_powers(username="anna")
    await until(lambda: players(master) == {"TURKEY": "bert"})
    await master.kick_powers()
    await until(lambda: players(master) == {})


@inside(at_home)
async def test_what_the_host_announces_is_a_message_of_the_system_to_all(house: House, connection: Connection) -> None:
    master, france, _ = await table_for_two(connection)
    await house.hall.submit("two", it.Announce("host", "the server stops at noon"))
    await until(lambda: bool(master.messages and france.messages))
    for game in (master, france):
        (message,) = game.messages.values()
        assert (message.sender, message.recipient, message.phase) == (SYSTEM, GLOBAL, "S1901M")
        assert message.message == "the server stops at noon"
    late = await (await sign_in(connection, "late")).join_game(game_id="two")
    assert [message.message for message in late.messages.values()] == ["the server stops at noon"]


@inside(at_home)
async def test_an_adviser_who_sees_all_writes_to_all_and_nobody_else_who_watches_does(
    house: House, connection: Connection
) -> None:
    master, france, england = await table_for_two(connection)
    advice = Message(sender=OMNISCIENT, recipient=GLOBAL, phase="S1901M", message='{"recipient": "FRANCE"}')
    house.door.fork_tokens.add(master.channel.token if master.channel is not None else "")
    await master.send_game_message(message=advice)
    await until(lambda: bool(france.messages and england.messages))
    for game in (master, france, england):
        (message,) = game.messages.values()
        assert (message.sender, message.recipient, message.message) == (OMNISCIENT, GLOBAL, advice.message)
    (said,) = [event for event in await house.hall.record("two") if isinstance(event, ev.Proclaimed)]
    assert (said.by, said.advice) == ("host", True)
    with pytest.raises(faults.ResponseException, match="Only players send messages"):
        await master.send_game_message(message=msgspec.structs.replace(advice, recipient="FRANCE"))
    watcher = await (await sign_in(connection, "late")).join_game(game_id="two")
    with pytest.raises(faults.ResponseException):
        await watcher.send_game_message(message=msgspec.structs.replace(advice, sender=OBSERVER))


@inside(at_home)
async def test_in_a_game_that_is_over_nothing_is_ordered_said_or_set(house: House, connection: Connection) -> None:
    master, france, _ = await table_for_two(connection)
    await master.cancel()
    await until(lambda: france.is_game_canceled)
    for asked in (
        partial(france.set_orders, orders=["A PAR H"]),
        france.clear_orders,
        partial(france.set_comm_status, comm_status=strings.READY),
        partial(france.vote, vote=strings.YES),
        france.wait,
        france.no_wait,
        master.process,
        partial(master.set_state, state=france.get_state()),
        partial(master.kick_powers, power_names=["FRANCE"]),
    ):
        with pytest.raises(faults.GameFinishedException):
            await asked()


@inside(at_home)
async def test_a_state_that_is_set_leaves_the_game_as_long_as_it_was(house: House, connection: Connection) -> None:
    host = await sign_in(connection, "host")
    for last_year in (1903, 0):
        match = await session_of(house.hall, "host").open(
            MatchSetup(
                game="diplomacy",
                terms=Terms(conduct=HOSTED, vacancy=Vacancy.DEFAULT),
                config={"last_year": last_year} if last_year else {},
            )
        )
        await house.hall.submit(match, it.Start("host"))
        game = await host.join_game(game_id=match)
        before = (await house.hall.wake(match)).match.position
        await game.clear_units(power_name="TURKEY")
        await game.set_state(state=game.get_state())
        after = (await house.hall.wake(match)).match.position
        assert isinstance(before, Position)
        assert isinstance(after, Position)
        assert after != before
        assert (after.last_year, after.scoring) == (before.last_year, before.scoring)


@inside(at_home)
async def test_a_status_that_is_there_already_is_set_in_silence_and_none_goes_back_to_forming(
    house: House, connection: Connection
) -> None:
    master, france, _ = await table_for_two(connection)
    before = (await house.hall.wake("two")).match.state.count
    await master.resume()
    assert (await house.hall.wake("two")).match.state.count == before
    with pytest.raises(faults.ResponseException, match="cannot return to forming"):
        await master._set_status(GameStatus.FORMING)
    await master.pause()
    await until(lambda: france.is_game_paused)
    with pytest.raises(faults.ResponseException, match="cannot return to forming"):
        await master._set_status(GameStatus.FORMING)
    for _ in range(2):
        await master.cancel()


@inside(at_home)
async def test_a_state_that_cannot_be_read_is_refused_and_one_that_can_is_taken_with_its_orders(
    house: House, connection: Connection
) -> None:
    master, france, england = await table_for_two(connection)
    state = france.get_state()
    for wrong in ({**state, "units": 5}, {**state, "name": "X1901Q"}):
        with pytest.raises(faults.ResponseException, match="The state cannot be read"):
            await master.set_state(state=wrong)
    await france.set_orders(orders=["A PAR H"])
    given = {"FRANCE": ["A PAR - BUR", "A MAR - MOS"], "ENGLAND": None, "ATLANTIS": ["A ATL H"], "ITALY": []}
    wanted: dict[str, Any] = {"state": {**state, "name": "F1902M"}, "orders": given, "results": {}, "messages": {}}
    assert master.channel is not None
    await master.channel.ask_in_game(master, rq.SetGameState, rs.Ok, lambda _: None, **wanted)
    await until(lambda: france.get_current_phase() == "F1902M")
    room = house.door.rooms["two"]
    assert (await room.sight(OMNISCIENT)).orders == {"FRANCE": ["A PAR - BUR"]}
    assert [name for name, place in room.state.places.items() if place.row.acted] == ["FRANCE"]
    assert england.get_current_phase() == "F1902M"


@inside(at_home)
async def test_what_was_ordered_stays_ordered_when_another_power_is_cleared(
    house: House, connection: Connection
) -> None:
    master, france, england = await table_for_two(connection)
    await france.set_orders(orders=["A PAR - BUR"])
    await england.set_orders(orders=["F LON - NTH"])
    await master.clear_units(power_name="ENGLAND")
    await until(lambda: not france.get_units("ENGLAND"))
    room = house.door.rooms["two"]
    assert (await room.sight(OMNISCIENT)).orders == {"FRANCE": ["A PAR - BUR"]}


@inside(at_home)
async def test_only_a_moderator_moderates_though_others_see_all_and_nobody_who_has_not_come(
    house: House, connection: Connection
) -> None:
    master, _, _ = await table_for_two(connection)
    assert master.channel is not None
    carl, dora = [await sign_in(connection, name) for name in ("carl", "dora")]
    await master.channel.make_omniscient(username="carl", game_id="two")
    seeing, watching = await carl.join_game(game_id="two"), await dora.join_game(game_id="two")
    assert (seeing.role, watching.role) == (OMNISCIENT, OBSERVER)
    for asked in (seeing.process, seeing.pause, partial(seeing.set_orders, power_name="ITALY", orders=[])):
        with pytest.raises(faults.GameMasterTokenException):
            await asked()
    with pytest.raises(faults.ResponseException, match=r"^Only players vote\.$"):
        await seeing.vote(power_name="FRANCE", vote="yes")
    assert (await seeing.save())["id"] == (await watching.save())["id"] == "two"
    with pytest.raises(faults.ResponseException, match="An observer may not ask for that"):
        await watching.process()
    stranger = await sign_in(connection, "stranger")
    for game in (seeing, watching):
        with pytest.raises(faults.GameTokenException):
            await stranger.ask_in_game(game, rq.SaveGame, rs.SavedGameGiven, lambda _: None)


@pytest.mark.parametrize("way", ["start", "process"])
@inside(at_home)
async def test_a_match_of_another_door_that_has_not_begun_is_begun_by_its_moderator(
    house: House, connection: Connection, *, way: str
) -> None:
    host = await sign_in(connection, "host")
    terms = Terms(conduct=HOSTED, vacancy=Vacancy.DEFAULT)
    match = await session_of(house.hall, "host").open(MatchSetup(game="diplomacy", terms=terms))
    game = await host.join_game(game_id=match)
    assert game.is_game_forming
    flags: list[str] = []
    game.add_on_power_wait_flag(lambda _, found: flags.append(found.power_name))
    await getattr(game, way)()
    await until(lambda: game.is_game_active)
    assert len(flags) == (0 if way == "start" else 7), "flags are told with a phase that follows another"
    await until(lambda: game.get_current_phase() == ("S1901M" if way == "start" else "F1901M"))
