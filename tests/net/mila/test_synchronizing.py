"""A client that was cut off receives all it missed, once, and learns what it lost; it is not refused."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from parlour.net.client import Connection, NetworkGame
from parlour.net.mila import synchronizing
from parlour.net.mila.notices import Notice
from parlour.net.mila.protocol_values import OBSERVER, OMNISCIENT
from parlour.net.mila.synchronizing import missed
from support.mila.at_home import at_home, table_for_two
from support.mila.house import House, mila_server
from support.mila.playing_on import play_on
from support.mila.synchronized import GAME, PHASE, Person, names, of, said
from support.waiting import inside, until


def test_who_was_kicked_meanwhile_is_told_so_and_nothing_else(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        await anna.wire.socket.close()
        await host.play("set_dummy_powers", OMNISCIENT, power_names=["FRANCE"])
        await host.play("process_game", OMNISCIENT)
        answer, told = await anna.come_back("FRANCE")
        assert (answer["name"], answer["phase"]) == ("data_game_info", "F1901M")
        assert names(told) == ["powers_controllers"]
        assert told[0]["powers"]["FRANCE"] == "dummy"
        await bert.play("send_game_message", "ENGLAND", phase="F1901M", message=said("FRANCE", "psst", "F1901M"))
        assert names(await anna.heard()) == ["powers_controllers"]

    table(scenario)


def test_who_never_played_a_power_is_refused(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        for role in ("ITALY", "ENGLAND", "ATLANTIS"):
            answer = await anna.play("synchronize", role, timestamp=0)
            assert answer["error_type"] == "ResponseException", "as there: it does not control that power"

    table(scenario)


def test_a_game_that_is_gone_is_told_to_be_deleted(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        carl = await Person(house.port, "carl").sign_in()
        await carl.ask("join_game", game_id=GAME)
        await host.play("delete_game", OMNISCIENT)
        assert (await bert.ask("join_game", game_id=GAME))["error_type"] == "GameIdException"
        for person, role in ((anna, "FRANCE"), (carl, OBSERVER)):
            answer, told = await person.come_back(role, since=7)
            assert (answer["name"], answer["phase"], answer["timestamp"]) == ("data_game_info", PHASE, 7)
            assert names(told) == ["game_deleted"]
            assert (told[0]["game_id"], told[0]["game_role"]) == (GAME, role)

    table(scenario)


def test_who_may_see_all_no_more_has_lost_the_game(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        carl = await Person(house.port, "carl").sign_in()
        grade = {"grade": "omniscient", "username": "carl", "game_id": GAME}
        await host.ask("set_grade", grade_update="promote", **grade)
        assert (await carl.ask("join_game", game_id=GAME))["data"]["role"] == OMNISCIENT
        await carl.wire.socket.close()
        await host.ask("set_grade", grade_update="demote", **grade)
        answer, told = await carl.come_back(OMNISCIENT)
        assert (answer["name"], names(told)) == ("data_game_info", ["game_deleted"])

    table(scenario)


def test_who_watches_a_game_with_a_password_need_not_say_it_again(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        carl, stranger = [await Person(house.port, name).sign_in() for name in ("carl", "stranger")]
        await carl.ask("join_game", game_id=GAME, registration_password="sesame")
        answer, told = await carl.come_back(OBSERVER)
        assert answer["name"] == "data_game_info"
        assert names(told)[0] == "game_status_update"
        answer, told = await stranger.come_back(OBSERVER)
        assert (answer["error_type"], names(told)) == ("GameTokenException", []), "it has not joined"
        await bert.play("send_game_message", "ENGLAND", message=said("GLOBAL", "hello"))
        assert len(of(await carl.heard(), "game_message_received")) == 1
        assert names(await stranger.heard()) == []

    table(scenario, registration_password="sesame")


def test_much_press_that_was_missed_is_told_in_order_though_it_is_made_off_the_loop(
    table: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        for text in "abcde":
            await bert.play("send_game_message", "ENGLAND", message=said("GLOBAL", text))
        monkeypatch.setattr(synchronizing, "MOST_AT_ONCE", 4)
        monkeypatch.setattr(synchronizing, "MOST_TOGETHER", 2)
        run, meanwhile = house.hall.pool.run, list[Callable[[], Any]]()

        async def slow(*given: Any) -> Any:
            await meanwhile.pop()()
            return await run(*given)

        monkeypatch.setattr(house.hall.pool, "run", slow)
        meanwhile.append(lambda: bert.play("send_game_message", "ENGLAND", message=said("GLOBAL", "later")))
        _, told = await anna.come_back("FRANCE")
        heard = [frame["message"]["message"] for frame in of(told, "game_message_received")]
        assert heard == [*"abcde", "later"]
        meanwhile.append(lambda: host.play("set_dummy_powers", OMNISCIENT, power_names=["FRANCE"]))
        _, told = await anna.come_back("FRANCE")
        assert not of(told, "game_message_received"), "she has lost the power meanwhile"
        assert not meanwhile, "both were made off the loop"

    table(scenario)


def test_votes_and_orders_that_were_taken_back_are_told(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        await bert.play("set_orders", "ENGLAND", orders=["F LON - ENG"])
        carl = await Person(house.port, "carl").sign_in()
        since = (await carl.ask("join_game", game_id=GAME))["data"]["timestamp_created"]
        await bert.play("clear_orders", "ENGLAND")
        await bert.play("vote", "ENGLAND", vote="yes")
        _, to_france = await anna.come_back("FRANCE", since)
        assert [frame["power_name"] for frame in of(to_france, "cleared_orders")] == ["ENGLAND"]
        assert not of(to_france, "power_orders_flag")
        (vote,) = of(to_france, "power_vote_updated")
        assert (vote["vote"], vote["count_voted"], vote["count_expected"]) == ("neutral", 1, 2)
        _, to_carl = await carl.come_back(OBSERVER, since)
        assert [frame["count_voted"] for frame in of(to_carl, "vote_count_updated")] == [1]
        _, to_host = await host.come_back(OMNISCIENT, since)
        assert [frame["vote"]["ENGLAND"] for frame in of(to_host, "vote_updated")] == ["yes"]
        await bert.play("set_orders", "ENGLAND", orders=["F LON - ENG"])
        _, to_france = await anna.come_back("FRANCE", since)
        assert [frame["power_name"] for frame in of(to_france, "power_orders_flag")] == ["ENGLAND"]
        assert not of(to_france, "cleared_orders")

    table(scenario)


def test_clients_of_the_fork_hear_of_readiness_after_a_cut_too_and_no_others(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        carl = await Person(house.port, "carl").sign_in()
        await carl.ask("join_game", game_id=GAME, power_name=None, player_type=None)
        await carl.come_back(OBSERVER)
        await anna.come_back("FRANCE")
        await bert.play("set_comm_status", "ENGLAND", comm_status="ready")
        assert of(await carl.heard(), "power_comm_status_update")[-1]["comm_status"] == "ready"
        assert not of(await anna.heard(), "power_comm_status_update")
        await anna.play("set_comm_status", "FRANCE", comm_status="ready")
        await bert.play("set_comm_status", "ENGLAND", comm_status="busy")
        (told,) = of(await anna.heard(), "power_comm_status_update")
        assert (told["power_name"], told["comm_status"]) == ("ENGLAND", "busy")

    table(scenario)


async def test_a_bot_of_the_fork_is_known_when_the_server_was_down(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house:
        anna = await Person(house.port, "anna").sign_in()
        await anna.ask("create_game", game_id=GAME, power_name="FRANCE", player_type="press_bot", deadline=0)
    async with mila_server(tmp_path) as house:
        anna.port = house.port
        _, told = await anna.come_back("FRANCE")
        assert len(of(told, "power_comm_status_update")) == 7


def held_up(house: House, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Let whatever happens at the table be stored only when the event is set."""
    go_on = asyncio.Event()
    hosted = house.hall.at_hand(GAME)
    assert hosted is not None
    keep = hosted.table._keep
    assert keep is not None

    async def kept(events: Any) -> None:
        await go_on.wait()
        await keep(events)

    monkeypatch.setattr(hosted.table, "_keep", lambda events: asyncio.ensure_future(kept(events)))
    return go_on


def test_what_is_sent_again_while_it_is_still_at_work_is_done_once(
    table: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        go_on = held_up(house, monkeypatch)
        message = said("ENGLAND", "once", sender="FRANCE")
        request = {"request_id": "m", "name": "send_game_message", "token": anna.token, "message": message}
        request |= {"game_id": GAME, "game_role": "FRANCE", "phase": PHASE}
        sent = asyncio.ensure_future(anna.wire.ask(request))
        while not house.door._unanswered:  # noqa: ASYNC110 - it arrives when it does
            await asyncio.sleep(0.001)
        sent.cancel()
        await anna.come_back("FRANCE")
        again = asyncio.ensure_future(anna.wire.ask({**request, "re_sent": True}))
        await anna.wire.socket.ping()
        go_on.set()
        answer = await again
        (heard,) = of(await bert.heard(), "game_message_received")
        assert (answer["name"], answer["data"]) == ("data_time_stamp", heard["message"]["time_sent"])
        assert not of(await anna.heard(), "game_message_received")
        assert not house.door._unanswered

    table(scenario)


def test_what_is_sent_again_while_the_match_is_read_again_after_a_failed_write_is_done_once(
    table: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The door hears of nothing until it has read the match: it could not know that this was said already."""

    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        elsewhere = await Person(house.port, anna.name).sign_in()
        await elsewhere.ask("join_game", game_id=GAME, power_name="FRANCE")  # so that what she knows stays known
        watch, go_on = house.hall.watch, asyncio.Event()

        async def slow(*given: Any, **more: Any) -> Callable[[], None]:
            await go_on.wait()
            return await watch(*given, **more)

        monkeypatch.setattr(house.hall, "watch", slow)
        house.hall._awake.give_up(await house.hall.wake(GAME))
        message = said("ENGLAND", "once", sender="FRANCE")
        request = {"request_id": "m", "name": "send_game_message", "token": anna.token, "message": message}
        request |= {"game_id": GAME, "game_role": "FRANCE", "phase": PHASE}
        sent = asyncio.ensure_future(anna.wire.ask(request))
        await (await anna.wire.socket.ping())
        sent.cancel()
        await anna.connect()
        again = asyncio.ensure_future(anna.wire.ask({**request, "re_sent": True}))
        await asyncio.wait([again], timeout=0.3)  # long enough to go wrong, if it does; how long does not matter
        go_on.set()
        assert (await again)["name"] == "data_time_stamp"
        (heard,) = of(await bert.heard(), "game_message_received")
        assert heard["message"]["message"] == "once"
        assert [type(event).__name__ for event in await house.hall.record(GAME)].count("Said") == 1

    table(scenario)


def test_what_was_asked_for_before_a_cut_does_not_take_the_token_back(
    table: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        await anna.heard()
        go_on, before = held_up(house, monkeypatch), anna.wire
        before.frames.clear()
        asked = {"token": anna.token, "game_id": GAME, "game_role": "FRANCE", "phase": PHASE}
        for number, name in enumerate(("set_orders", "synchronize", "save_game")):
            frame = {"request_id": f"{number}", "name": name, "orders": [], "timestamp": 0, **asked}
            await before.socket.send(json.dumps(frame))
        await anna.connect()
        await anna.play("synchronize", "FRANCE", timestamp=0)
        go_on.set()
        refused, saved = await before.until("1"), await before.until("2")
        assert (refused["error_type"], saved["name"]) == ("ResponseException", "data_saved_game")
        await bert.play("send_game_message", "ENGLAND", message=said("FRANCE", "psst"))
        assert len(of(await anna.heard(), "game_message_received")) == 1
        assert not [frame for frame in before.frames if "notification_id" in frame]

    table(scenario)


def told(notices: Iterable[Notice]) -> list[dict[str, Any]]:
    return [json.loads(b"{" + notice.tail) for notice in notices]


@inside(at_home)
async def test_what_was_missed_comes_in_order_and_as_it_was(house: House, connection: Connection) -> None:
    master, france, england = await table_for_two(connection)

    async def say(game: NetworkGame, recipient: str, text: str) -> None:
        await game.send_game_message(message=game.new_power_message(recipient, text))

    for text in ("one", "two"):
        await say(england, "FRANCE", text)
        await play_on(master, france, england)
    await say(england, "FRANCE", "three")
    await say(france, "ENGLAND", "mine")
    await england.set_orders(orders=["F LON - NTH"])
    room = house.door.rooms["two"]
    sight = await room.sight("FRANCE")

    def since(when: int) -> tuple[list[str], list[dict[str, Any]]]:
        notices = told(missed(room.state, sight, when))
        phases = [notice for notice in notices if notice["name"] == "game_processed"]
        heard = [
            notice["message"]["message"]
            if notice["name"] == "game_message_received"
            else notice["previous_phase_data"]["name"]
            for notice in notices
            if notice["name"] in ("game_message_received", "game_processed")
        ]
        return heard, [phase["current_phase_data"] for phase in phases]

    heard, (second, third) = since(0)
    assert heard == ["one", "S1901M", "two", "F1901M", "three"]
    assert (second["name"], second["state"]["name"]) == ("F1901M", "F1901M")
    assert (second["orders"], second["results"], second["messages"]) == ({"FRANCE": None}, {}, [])
    assert (third["name"], [message["message"] for message in third["messages"]]) == ("S1902M", ["mine"])
    assert since(room.state.chronicle.ended("S1901M"))[0] == ["two", "F1901M", "three"]
    assert since(room.state.chronicle.ended("F1901M"))[0] == ["three"]
    assert since(room.state.latest)[0] == []
    flags = [notice for notice in told(missed(room.state, sight, 0)) if "order_is_set" in notice]
    assert [(flag["power_name"], flag["order_is_set"]) for flag in flags] == [("ENGLAND", 2)]
    all_seen = await room.sight(OMNISCIENT)
    given = [notice for notice in told(missed(room.state, all_seen, 0)) if "orders" in notice]
    assert [(notice["power_name"], notice["orders"]) for notice in given] == [("ENGLAND", ["F LON - NTH"])]
    first = next(notice for notice in told(missed(room.state, all_seen, 0)) if "current_phase_data" in notice)
    assert first["current_phase_data"]["orders"] == dict.fromkeys(room.state.places)


@inside(at_home)
async def test_after_another_position_was_set_only_that_is_told(house: House, connection: Connection) -> None:
    master, france, england = await table_for_two(connection)
    await play_on(master, france, england)
    await master.set_state(state=master.state_history["S1901M"])
    await until(lambda: france.get_current_phase() == "S1901M")
    room = house.door.rooms["two"]
    sight = await room.sight("FRANCE")
    names = [notice["name"] for notice in told(missed(room.state, sight, 0))]
    assert names[:2] == ["game_phase_update", "game_status_update"]
    names = [notice["name"] for notice in told(missed(room.state, sight, room.state.replaced))]
    assert names[0] == "game_status_update"
    names = [notice["name"] for notice in told(missed(room.state, sight, room.state.latest + 3_600_000_000))]
    assert names[:2] == ["game_phase_update", "game_status_update"], "it knows what a restored copy does not"


@pytest.mark.parametrize(("power", "role"), [("FRANCE", "FRANCE"), (None, OMNISCIENT)])
async def test_a_game_that_is_asked_for_again_after_a_cut_is_opened_once(
    tmp_path: Path, power: str | None, role: str
) -> None:
    async with mila_server(tmp_path) as house:
        anna, bert = [await Person(house.port, name).sign_in() for name in ("anna", "bert")]
        wanted = {"game_id": "mine", "power_name": power, "deadline": 0}
        for _ in range(2):  # whether the first came or not
            answer = await anna.ask("create_game", re_sent=True, **wanted)
            assert (answer["name"], answer["data"]["role"]) == ("data_game", role)
        assert (await anna.ask("create_game", **wanted))["error_type"] == "GameIdException"
        assert (await bert.ask("create_game", re_sent=True, **wanted))["error_type"] == "GameIdException"
