"""The door itself: every frame is reckoned up once, and it keeps nothing of games and tokens that nobody uses."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.errors import ConfigError, StoreError
from parlour.net.client import Connection, NetworkGame
from parlour.net.mila.asking import answer
from parlour.net.mila.faults import GameIdException
from parlour.net.mila.playing import MESSAGE_BYTES
from parlour.net.mila.requests import Logout
from parlour.net.mila.websocket_io import Socket
from parlour.referee import table as table_module
from support.mila.at_home import at_home, sign_in, table_for_two
from support.mila.house import House
from support.mila.wire import texts_of
from support.waiting import inside, until


def _token(game: NetworkGame) -> str:
    assert game.channel is not None
    return game.channel.token


@inside(at_home)
async def test_every_frame_is_said_to_be_answered_once_whatever_it_holds(house: House, connection: Connection) -> None:
    _, france, _ = await table_for_two(connection)
    token = _token(france)
    own = {"token": token, "game_id": "two", "game_role": "FRANCE", "phase": "S1901M"}
    asked: list[dict[str, object]] = [
        {"name": "no_request_at_all"},
        {"name": "get_available_maps", "token": token},
        {"name": "get_available_maps", "token": "of nobody"},
        {"name": "set_orders", "orders": ["A PAR H"], **own},
        {"name": "set_orders", "orders": ["A PAR H"], **own, "game_id": "none"},
    ]
    frames: list[bytes] = []
    answered = [0] * len(asked)

    def reckon(number: int) -> None:
        answered[number] += 1

    socket = Socket(lambda written, quiet: frames.extend(texts_of(written)))
    for number, request in enumerate(asked):
        frame = json.dumps({"request_id": f"r{number}", **request}).encode()
        house.door.receive(socket, frame, lambda number=number: reckon(number))  # type: ignore[misc]
    await until(lambda: all(answered))
    assert answered == [1] * len(asked)
    assert sorted(json.loads(frame)["request_id"] for frame in frames) == ["r0", "r1", "r2", "r3", "r4"]


@inside(at_home)
async def test_every_frame_is_said_to_be_answered_once_though_all_have_one_id(
    house: House, connection: Connection
) -> None:
    repeated = [False, True, True, False, True, True, False]
    answered = [0] * len(repeated)

    def reckon(number: int) -> None:
        answered[number] += 1

    socket = Socket(lambda written, quiet: None)
    for number, re_sent in enumerate(repeated):
        request = {"request_id": "r", "name": "get_daide_port", "game_id": "none", "re_sent": re_sent}
        house.door.receive(socket, json.dumps(request).encode(), lambda number=number: reckon(number))  # type: ignore[misc]
    await until(lambda: all(answered))
    assert answered == [1] * len(repeated)
    assert house.door._unanswered == {}


@inside(at_home)
async def test_a_search_for_a_repeated_message_counts_like_an_answer_of_that_size(
    house: House, connection: Connection
) -> None:
    _, france, _ = await table_for_two(connection)
    own = {"token": _token(france), "game_id": "two", "game_role": "FRANCE", "phase": "S1901M"}
    weighed: list[int] = []
    answered = 0

    def reckon() -> None:
        nonlocal answered
        answered += 1

    socket = Socket(lambda written, quiet: None, weigh=weighed.append)
    for number in range(4):
        said = {"sender": "FRANCE", "recipient": "GLOBAL", "phase": "S1901M", "message": f"{number}"}
        sent = {"request_id": f"{number}", "name": "send_game_message", "message": said, "re_sent": number > 2, **own}
        house.door.receive(socket, json.dumps(sent).encode(), reckon)
    await until(lambda: answered == 4)
    assert weighed == [3 * MESSAGE_BYTES]


@inside(at_home)
async def test_a_room_is_closed_when_the_last_has_left(house: House, connection: Connection) -> None:
    games = await table_for_two(connection)
    for game in games:
        assert list(house.door.rooms) == ["two"]
        await game.leave()
    assert house.door.rooms == {}


@inside(at_home)
async def test_a_room_is_closed_when_all_who_listen_there_were_sent_away(house: House, connection: Connection) -> None:
    await table_for_two(connection)
    house.door.leave("two", lambda listening: listening.role == "FRANCE")
    assert list(house.door.rooms) == ["two"]
    house.door.leave("two", lambda listening: True)
    assert house.door.rooms == {}


@inside(at_home)
async def test_what_a_request_leads_to_is_told_after_its_answer(house: House, connection: Connection) -> None:
    await table_for_two(connection)
    frames: list[str] = []
    socket = Socket(lambda written, quiet: frames.extend(json.loads(one).get("name") for one in texts_of(written)))
    token = (await sign_in(connection, "host")).token

    async def ask(name: str, **given: object) -> None:
        answered: list[bool] = []
        request = {"request_id": name, "name": name, "token": token, "game_id": "two", **given}
        house.door.receive(socket, json.dumps(request).encode(), lambda: answered.append(True))
        await until(lambda: answered)

    await ask("join_game")
    del frames[:]
    await ask("process_game", game_role="omniscient_type", phase="S1901M")
    await until(lambda: "game_processed" in frames)
    assert frames[0] == "ok"


@pytest.mark.parametrize(
    ("name", "password", "fault"),
    [("", "secret", "UserException"), ("ann", "", "PasswordException"), ("bert", "", "PasswordException")],
)
@inside(at_home)
async def test_nobody_signs_in_without_a_name_or_a_password(
    house: House, connection: Connection, *, name: str, password: str, fault: str
) -> None:
    frames: list[bytes] = []
    socket = Socket(lambda written, quiet: frames.extend(texts_of(written)))
    await sign_in(connection, "bert")
    request = {"request_id": "r", "name": "sign_in", "username": name, "password": password}
    house.door.receive(socket, json.dumps(request).encode(), lambda: None)
    await until(lambda: frames)
    assert json.loads(frames[0])["error_type"] == fault


@inside(at_home)
async def test_a_token_that_its_client_has_forgotten_is_told_nothing_more(house: House, connection: Connection) -> None:
    _, france, _ = await table_for_two(connection)
    stays, token = (await sign_in(connection, "carl")).token, _token(france)
    socket = house.door.socket_of(token)
    assert socket is not None
    frame = json.dumps({"request_id": "r", "name": "unknown_token", "token": token}).encode()
    answered: list[bool] = []
    house.door.receive(socket, frame, lambda: answered.append(True))
    await until(lambda: answered)
    assert house.door.socket_of(token) is None
    assert token not in {listening.token for listening in house.door.rooms["two"].listeners()}
    assert house.door.socket_of(stays) is socket


def test_orders_of_those_who_order_together_are_stored_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "LEISURE", 1e6)

    async def scenario(house: House, connection: Connection) -> None:
        _, france, _ = await table_for_two(connection)
        hosted = await house.hall.wake("two")
        hosted.table.sociable = False
        await france.set_orders(orders=["A PAR H"])  # answered at once
        hosted.table.sociable = True
        first = asyncio.ensure_future(france.set_orders(orders=["A PAR - BUR"]))
        await until(lambda: hosted.table.busy)
        assert hosted.match.state.count - len(await house.hall.record("two")) == 1
        assert not first.done()
        await house.hall.submit("two", it.Act(Seat("ENGLAND"), ["F LON H"]))
        await first

    at_home(tmp_path, scenario)


def test_who_asks_for_more_on_the_same_socket_waits_for_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "LEISURE", 1e6)

    async def scenario(house: House, connection: Connection) -> None:
        _, france, england = await table_for_two(connection)
        (await house.hall.wake("two")).table.sociable = True
        ordered = asyncio.ensure_future(france.set_orders(orders=["A PAR H"]))
        await asyncio.sleep(0)
        await england.save()
        await ordered

    at_home(tmp_path, scenario)


@inside(at_home)
async def test_who_has_not_signed_in_is_nobody_and_no_administrator(house: House, connection: Connection) -> None:
    nobody = house.door.host.session()
    assert (nobody.name, nobody.admin, bool(nobody.who)) == ("", False, False)


@inside(at_home)
async def test_a_token_that_was_heard_on_another_socket_is_told_nothing_on_the_one_before(
    house: House, connection: Connection
) -> None:
    _, _, england = await table_for_two(connection)
    token = (await sign_in(connection, "carl")).token
    heard: list[list[str]] = [[], []]
    before, after = (
        Socket(lambda written, quiet, own=own: own.extend(json.loads(one)["name"] for one in texts_of(written)))  # type: ignore[misc]
        for own in heard
    )

    async def ask(socket: Socket, name: str, **given: object) -> None:
        answered: list[bool] = []
        request = {"request_id": name, "name": name, "token": token, **given}
        house.door.receive(socket, json.dumps(request).encode(), lambda: answered.append(True))
        await until(lambda: answered)

    await ask(before, "join_game", game_id="two")
    await england.no_wait()
    await until(lambda: "power_wait_flag" in heard[0])
    await ask(after, "get_games_info", games=[])
    assert house.door.socket_of(token) is after
    assert (before.tokens, after.tokens) == (set(), {token})
    heard[0].clear()
    await england.wait()
    await england.send_game_message(message=england.new_global_message("hello"))
    await ask(after, "join_game", game_id="two")
    await england.no_wait()
    await until(lambda: "power_wait_flag" in heard[1])
    assert heard[0] == []


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (GameIdException("no such game"), "GameIdException", "no such game"),
        (ConfigError("map: there is none"), "ResponseException", "map: there is none"),
        (StoreError("/secret/path: disk full"), "ResponseException", "Nothing can be kept at the moment; try again."),
        (KeyError("secret"), "ResponseException", "The server failed; this is noted there."),
    ],
)
def test_whoever_asked_is_told_what_went_wrong_and_nothing_of_the_server(
    error: Exception, kind: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    frames: list[bytes] = []
    answer(Socket(lambda written, quiet: frames.extend(texts_of(written))), Logout(request_id="r", token="t"), error)
    (told,) = map(json.loads, frames)
    assert told == {"name": "error", "error_type": kind, "message": message, "request_id": "r"}
    assert bool(caplog.records) is isinstance(error, StoreError | KeyError)
