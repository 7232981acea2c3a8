"""Our own client at our own door: every callback, readiness and player types, secrets, and the seed's code."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import websockets

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.terms import Terms
from parlour.errors import StoreError
from parlour.net.client import Channel, Connection, connect, strings
from parlour.net.client.agent_loop import AgentLoop
from parlour.net.mila import faults
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.protocol_values import OMNISCIENT, Log, Message
from parlour.net.setup import MatchSetup
from parlour.press.ledger import ledger_of
from parlour.referee.conduct import HOSTED
from support.hall.people import session_of
from support.mila.at_home import at_home, sign_in, table_for_two
from support.mila.house import ADMIN, HOST, House, mila_server
from support.mila.servers import CALLBACKS
from support.waiting import inside, until

EVERY_CALLBACK = [*CALLBACKS, "power_comm_status_update"]


@inside(at_home)
async def test_each_callback_is_called_and_none_once_it_is_cleared(house: House, connection: Connection) -> None:
    master, france, england = await table_for_two(connection)
    watcher = await (await sign_in(connection, "carl")).join_game(game_id="two")
    heard: set[str] = set()
    for game in (master, france, england, watcher):
        for name in EVERY_CALLBACK:
            getattr(game, f"add_on_{name}")(lambda _, found, name=name: heard.add(name))
    await france.set_orders(orders=["A PAR - BUR"], wait=False)
    await france.send_game_message(message=france.new_power_message("ENGLAND", "hello"))
    await france.set_comm_status(comm_status=strings.READY)
    await france.vote(vote=strings.YES)
    await france.clear_orders()
    await master.process()
    await master.clear_units(power_name="TURKEY")
    await master.clear_centers(power_name="TURKEY")
    await master.set_state(state=master.state_history["S1901M"])
    await master.pause()
    admin = await connection.authenticate("admin", ADMIN)
    await admin.make_omniscient(username="carl", game_id="two")
    await until(lambda: watcher.is_omniscient_game())
    listeners = house.door.rooms["two"].listeners()
    assert [one.role for one in listeners if one.session.name == "carl"] == [OMNISCIENT]  # and hears nothing twice
    await admin.remove_omniscient(username="carl", game_id="two")
    await until(lambda: watcher.is_observer_game())
    await master.kick_powers(power_names=["ENGLAND"])
    for name in EVERY_CALLBACK:
        getattr(france, f"clear_on_{name}")()
    await master.delete()
    await until(lambda: heard == set(EVERY_CALLBACK))
    assert france.channel is None


@inside(at_home)
async def test_readiness_begins_inactive_is_told_to_all_and_is_busy_after_each_phase(
    house: House, connection: Connection
) -> None:
    master, game, england = await table_for_two(connection)
    assert {power.comm_status for power in england.powers.values()} == {strings.INACTIVE}
    told: list[object] = []
    england.add_on_power_comm_status_update(lambda _, found: told.append(found.comm_status))
    # The seed's own lines.
    await game.set_comm_status(comm_status=strings.READY)
    await until(lambda: england.powers["FRANCE"].comm_status == strings.READY)
    await game.set_comm_status(comm_status=strings.READY)
    await until(lambda: told == [strings.READY] * 2)  # whoever waits for it may have begun in between
    assert [pow.comm_status == strings.READY for pow in game.powers.values()].count(True) == 1
    await england.set_comm_status(comm_status=strings.READY, power_name="ENGLAND")
    await until(lambda: all(master.powers[name].comm_status == strings.READY for name in ("FRANCE", "ENGLAND")))
    await game.set_orders(orders=[])
    assert england.powers["FRANCE"].comm_status == strings.READY
    await master.process()
    await until(lambda: england.get_current_phase() == "F1901M")
    assert {power.comm_status for power in england.powers.values()} == {strings.BUSY}
    late = await (await sign_in(connection, "late")).join_game(game_id="two")
    assert {power.comm_status for power in late.powers.values()} == {strings.BUSY}


@inside(at_home)
async def test_player_types_are_told_and_human_is_what_is_not_said(house: House, connection: Connection) -> None:
    setup = {"n_controls": 3, "deadline": 0, "rules": ["POWER_CHOICE"]}
    master = await (await sign_in(connection, "host")).create_game(game_id="three", **setup)  # type: ignore[arg-type]
    for name, power, kind in (("a", "FRANCE", "press_bot"), ("b", "ITALY", "no_press_bot"), ("c", "TURKEY", None)):
        await (await sign_in(connection, name)).join_game(game_id="three", power_name=power, player_type=kind)
    await until(lambda: master.is_game_active)
    types = [master.powers[power].player_type for power in ("FRANCE", "ITALY", "TURKEY")]
    assert types == [strings.PRESS_BOT, strings.NO_PRESS_BOT, strings.HUMAN]


@inside(at_home)
async def test_a_client_that_says_no_player_type_is_told_nothing_that_it_does_not_know(
    house: House, connection: Connection
) -> None:
    _, france, _ = await table_for_two(connection, n_controls=2)
    async with websockets.connect(f"ws://{HOST}:{house.port}/") as socket:

        async def ask(name: str, **fields: Any) -> list[dict[str, Any]]:
            await socket.send(json.dumps({"request_id": name, "name": name, "re_sent": False, **fields}))
            frames: list[dict[str, Any]] = []
            while not frames or frames[-1].get("request_id") != name:
                frames.append(json.loads(await socket.recv()))
            return frames

        token = (await ask("sign_in", username="old", password="password"))[-1]["data"]
        await ask("join_game", token=token, game_id="two", power_name=None, registration_password=None)
        await france.set_comm_status(comm_status=strings.READY)
        await france.no_wait()
        told = {frame["name"] for frame in await ask("get_games_info", token=token, games=[])}
        assert told == {"power_wait_flag", "data_games"}
        later = await ask("join_game", token=token, game_id="two", player_type=None, re_sent=True)
        assert later[-1]["name"] == "data_game"


@inside(at_home)
async def test_press_that_is_sent_again_after_a_cut_was_sent_even_if_its_phase_is_over(
    house: House, connection: Connection
) -> None:
    master, france, england = await table_for_two(connection)
    heard: list[str] = []
    england.add_on_game_message_received(lambda _, found: heard.append(found.message.message))
    assert france.channel is not None

    async def again(text: str, phase: str) -> int:
        message = Message(sender="FRANCE", recipient="ENGLAND", phase=phase, message=text)
        fields = {"game_id": "two", "game_role": "FRANCE", "phase": phase, "message": message}
        request = rq.SendGameMessage(request_id=text, token=token, re_sent=True, **fields)  # type: ignore[arg-type]
        return await connection.send(request, rs.TimeStamped, lambda response: int(response.data))

    token = france.channel.token
    at = await france.send_game_message(message=france.new_power_message("ENGLAND", "one"))
    assert await again("one", "S1901M") == at  # in the phase that runs
    await master.process()
    assert await again("one", "S1901M") == at
    with pytest.raises(faults.GamePhaseException):
        await again("two", "S1901M")  # which was never sent
    later = await again("one", "F1901M")  # the same words in another phase are another message
    assert later > at
    await until(lambda: len(heard) == 2)
    await master.cancel()
    assert await again("one", "F1901M") == later
    assert heard == ["one", "one"]


@inside(at_home)
async def test_a_note_that_is_sent_again_after_a_cut_is_kept_once(house: House, connection: Connection) -> None:
    master, france, _ = await table_for_two(connection)
    assert france.channel is not None
    token = france.channel.token

    async def again(text: str) -> int:
        note = Log(sender="FRANCE", phase="S1901M", message=text)
        fields = {"game_id": "two", "game_role": "FRANCE", "phase": "S1901M", "log": note}
        request = rq.SendLogData(request_id=text, token=token, re_sent=True, **fields)  # type: ignore[arg-type]
        return await connection.send(request, rs.TimeStamped, lambda response: int(response.data))

    at = await france.send_log_data(log=france.new_log_data("one"))
    assert await again("one") == at
    assert await again("two") > at  # which did not arrive before the cut
    await master.process()
    assert await again("one") == at
    noted = [event.text for event in await house.hall.record("two") if isinstance(event, ev.Noted)]
    assert noted == ["one", "two"]


@inside(at_home)
async def test_press_that_is_sent_again_while_it_is_still_being_stored_is_said_once(
    house: House, other: Connection, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    await table_for_two(other)
    async with connect(HOST, house.port, pause=0.01) as connection:
        france = await (await sign_in(connection, "anna")).join_game(game_id="two", power_name="FRANCE")
        keep, held, free = house.hall.store.keep, asyncio.Event(), asyncio.Event()

        async def slow(*writes: Any) -> None:
            held.set()
            await free.wait()
            await keep(*writes)

        monkeypatch.setattr(house.hall.store, "keep", slow)
        saying = asyncio.ensure_future(france.send_game_message(message=france.new_power_message("ENGLAND", "one")))
        await held.wait()
        before = connection._socket
        assert before is not None
        before.transport.abort()
        try:
            await until(lambda: connection._socket is not before)
            for _ in range(100):  # it is back, and asks for what it missed, and again, while the disk is slow
                await asyncio.sleep(0)
        finally:
            free.set()
        await saying
        said = [event.text for event in await house.hall.record("two") if isinstance(event, ev.Said)]
        assert said == ["one"]


@inside(at_home)
async def test_a_client_tries_again_if_the_server_cannot_tell_it_at_once_what_it_has_missed(
    house: House, other: Connection, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, england = await table_for_two(other)
    async with connect(HOST, house.port, pause=0.01) as connection:
        france = await (await sign_in(connection, "anna")).join_game(game_id="two", power_name="FRANCE")
        heard: list[str] = []
        france.add_on_game_message_received(lambda _, found: heard.append(found.message.message))
        head, tries = house.door.host.heads.find, 0

        async def unreadable(match: str) -> Any:
            nonlocal tries
            tries += 1
            if tries < 3:
                raise StoreError("the disk could not be read")
            return await head(match)

        monkeypatch.setattr(house.door.host.heads, "find", unreadable)
        assert connection._socket is not None
        connection._socket.transport.abort()
        await england.send_game_message(message=england.new_power_message("FRANCE", "one"))
        await until(lambda: heard == ["one"])
        await france.set_orders(orders=["A PAR - BUR"])


@inside(at_home)
async def test_a_game_of_which_the_server_never_tells_what_was_missed_is_dropped_and_the_others_go_on(
    house: House, other: Connection, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    await table_for_two(other)
    async with connect(HOST, house.port, attempts=3, pause=0.01) as connection:
        channel = await sign_in(connection, "anna")
        france = await channel.join_game(game_id="two", power_name="FRANCE")
        third = await channel.create_game(game_id="three", power_name="FRANCE", n_controls=1, deadline=0)
        head, asked = house.door.host.heads.find, 0

        async def unreadable(match: str) -> Any:
            nonlocal asked
            if match == "two":
                asked += 1
                raise StoreError("the disk could not be read")
            return await head(match)

        monkeypatch.setattr(house.door.host.heads, "find", unreadable)
        assert connection._socket is not None
        connection._socket.transport.abort()
        await until(lambda: france.channel is None)
        await third.set_orders(orders=["A PAR - BUR"])
        assert asked == 3


async def test_a_connection_that_was_given_up_is_closed_without_a_word(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house:
        connection = await connect(HOST, house.port, attempts=2, pause=0.01)
    await connection.wait_closed()
    with pytest.raises(ConnectionError):
        await sign_in(connection, "anna")
    await connection.close()


def test_what_is_wrong_with_the_store_is_for_the_operator_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        master, france, england = await table_for_two(connection)
        heard: list[str] = []
        england.add_on_game_message_received(lambda _, found: heard.append(found.message.message))
        england.add_on_game_processed(lambda *_: heard.append("processed"))

        async def full(*_: object) -> None:
            raise StoreError("/secret/path: disk full")

        monkeypatch.setattr(house.hall.store, "keep", full)
        with pytest.raises(faults.ResponseException, match=r"^Nothing can be kept at the moment; try again\.$"):
            await france.send_game_message(message=france.new_power_message("ENGLAND", "hello"))
        monkeypatch.undo()
        # What could not be kept nobody has heard, and everybody hears all that follows.
        await france.send_game_message(message=france.new_power_message("ENGLAND", "hello again"))
        await until(lambda: heard == ["hello again"])
        await master.process()
        await until(lambda: heard == ["hello again", "processed"] and france.get_current_phase() == "F1901M")

    at_home(tmp_path, scenario)
    assert "/secret/path: disk full" in caplog.text


@inside(at_home)
async def test_notes_are_for_their_author_and_for_those_who_see_all(house: House, connection: Connection) -> None:
    _, france, england = await table_for_two(connection)
    sent = await france.send_log_data(log=france.new_log_data("I mean to stab."))
    assert france.logs[sent].message == "I mean to stab."
    again = await (await sign_in(connection, "anna")).join_game(game_id="two", power_name="FRANCE")
    assert [log.message for log in again.logs.values()] == ["I mean to stab."]
    other = await (await sign_in(connection, "bert")).join_game(game_id="two", power_name="ENGLAND")
    assert not other.logs
    omniscient = await (await connection.authenticate("admin", ADMIN)).join_game(game_id="two")
    assert [log.message for log in omniscient.logs.values()] == ["I mean to stab."]
    assert not england.logs


@inside(at_home)
async def test_phases_and_press_that_were_missed_in_a_cut_come_once_and_in_order(
    house: House, other: Connection
) -> None:
    master, _, england = await table_for_two(other)
    async with connect(HOST, house.port, pause=0.05) as connection:
        france = await (await sign_in(connection, "anna")).join_game(game_id="two", power_name="FRANCE")
        heard: list[str] = []
        france.add_on_game_message_received(lambda _, found: heard.append(found.message.message))
        france.add_on_game_processed(lambda _, found: heard.append(found.previous_phase_data.name))
        for text in ("one", "two"):
            assert connection._socket is not None
            connection._socket.transport.abort()
            await england.send_game_message(message=england.new_power_message("FRANCE", text))
            await master.process()
            await until(lambda text=text: text in heard)  # type: ignore[misc]
            await until(lambda: france.get_current_phase() == master.get_current_phase())
        await france.send_game_message(message=france.new_power_message("ENGLAND", "back"))
        assert heard == ["one", "S1901M", "two", "F1901M"]
        assert list(france.state_history) == ["S1901M", "F1901M"]
        assert france.position == england.position


async def test_a_server_that_was_down_is_found_again_with_the_old_token(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house:
        connection = await connect(HOST, house.port)
        game = await (await sign_in(connection, "anna")).create_game(game_id="g", power_name="FRANCE", n_controls=1)
        await game.set_orders(orders=["A PAR - BUR"])
        token = game.channel.token if game.channel is not None else ""
        await connection.close()
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as again:
        channel = again.channels[token] = Channel(again, token)
        game = await channel.join_game(game_id="g", power_name="FRANCE")
        assert game.get_orders("FRANCE") == ["A PAR - BUR"]


@inside(at_home)
async def test_who_plays_a_power_does_not_moderate_with_it_though_the_game_is_theirs(
    house: House, connection: Connection
) -> None:
    channel = await sign_in(connection, "owner")
    game = await channel.create_game(game_id="own", power_name="FRANCE", n_controls=1, deadline=0)
    await until(lambda: game.is_game_active)
    for asked in (
        game.process,
        game.pause,
        game.clear_units,
        game.clear_centers,
        partial(game.set_state, state=game.get_state()),
        partial(game.kick_powers, power_names=["FRANCE"]),
        game.delete,
    ):
        with pytest.raises(faults.ResponseException, match="A player may not ask for that"):
            await asked()
    assert game.powers["FRANCE"].get_controller() == "owner"


@inside(at_home)
async def test_accounts_are_deleted_and_their_powers_are_free(house: House, connection: Connection) -> None:
    master, _, _ = await table_for_two(connection)
    admin = await connection.authenticate("admin", ADMIN)
    async with connect(HOST, house.port) as other:
        again = await sign_in(other, "anna")
        await admin.delete_account(username="anna")
        await until(lambda: again.token not in other.channels)
    await until(lambda: master.powers["FRANCE"].is_dummy())
    another = await sign_in(connection, "anna")
    assert [game.controlled_powers for game in await another.list_games(game_id="two")] == [[]]


@inside(at_home)
async def test_seven_press_bots_of_ours_wait_for_one_another_negotiate_and_order(
    house: House, connection: Connection
) -> None:
    host = await sign_in(connection, "host")
    watched = await host.create_game(game_id="bots", deadline=0, rules=["POWER_CHOICE"])
    names = ("broker", "reciprocator", "peace", "stabber", "yesman", "noman", "proposer")
    async with asyncio.TaskGroup() as group:
        for power, name in zip(list(watched.powers), names, strict=True):
            channel = await sign_in(connection, power)
            game = await channel.join_game(game_id="bots", power_name=power, player_type=strings.PRESS_BOT)
            agent = make_agent("diplomacy", name, 1)
            group.create_task(AgentLoop(game, agent, diplomacy_time=0.5).run())
        await until(lambda: len(watched.state_history) >= 2)
        await watched.draw()
    talk = list(watched.message_history["S1901M"].values())
    assert any(message.message.startswith("PRP") for message in talk)
    assert any(message.message.startswith("YES") for message in talk)
    assert all(watched.order_history["S1901M"].values())
    # The ledger of the house judges them like everybody else.
    ledger = ledger_of(await house.hall.record("bots"))
    assert ledger.proposals
    assert ledger.verdicts


async def test_a_match_that_is_shown_later_has_no_observers_here(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        master = await connection.authenticate("master", "password")
        watcher = await connection.authenticate("watcher", "password")
        session = session_of(house.hall, "master")
        for delay in (0.0, 60.0):
            match = await session.open(
                MatchSetup(game="diplomacy", terms=Terms(conduct=HOSTED), match=f"late-{delay:.0f}", delay=delay)
            )
            assert (await master.join_game(game_id=match)).role == strings.OMNISCIENT_TYPE
            if delay:
                with pytest.raises(faults.GameObserverException, match="shown with a delay"):
                    await watcher.join_game(game_id=match)
            else:
                assert (await watcher.join_game(game_id=match)).role == strings.OBSERVER_TYPE


@inside(at_home)
async def test_a_token_that_counts_no_longer_plays_no_longer(house: House, connection: Connection) -> None:
    _, france, _ = await table_for_two(connection)
    await france.set_orders(orders=["A PAR H"])
    assert france.channel is not None
    await house.accounts.sign_out(await house.accounts.identify(france.channel.token))
    with pytest.raises(faults.TokenException):
        await france.set_orders(orders=["A PAR - BUR"])
    assert france.get_orders("FRANCE") == ["A PAR H"]


@inside(at_home)
async def test_a_saved_game_tells_who_won_only_if_it_was_played_to_an_end(house: House, connection: Connection) -> None:
    master, france, england = await table_for_two(connection)
    assert (await master.save())["outcome"] == []
    nothing = dict.fromkeys(master.powers)
    await france.set_orders(orders=["A PAR H"])
    assert (await france.save())["phases"][-1]["orders"] == {**nothing, "FRANCE": ["A PAR H"]}
    await france.clear_orders()
    assert (await france.save())["phases"][-1]["orders"] == nothing
    for game in (france, england):
        await game.vote(vote="yes")
    await until(lambda: master.is_game_completed)
    saved = await master.save()
    assert (saved["status"], saved["outcome"][0]) == ("completed", "S1901M")
    assert set(saved["outcome"][1:]) == set(master.powers)
    other = await (await sign_in(connection, "host")).create_game(game_id="other", deadline=0)
    await other.cancel()
    saved = await other.save()
    assert (saved["status"], saved["outcome"]) == ("canceled", [])
