"""Connections to a server that does as the test says: answers, cuts, what is asked again, and what makes no sense."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from websockets.asyncio.server import serve

from parlour.errors import ConfigError, LocalWireError, RemoteWireError
from parlour.net.client import Connection, NetworkGame, connect
from parlour.net.mila import faults
from parlour.net.mila.protocol_values import GameStatus
from support.client.scripted_server import HOST, ScriptedServer, joined, play, signed_in
from support.waiting import PATIENCE, inside, until


async def summarised(script: ScriptedServer, phase: str) -> dict[str, Any]:
    """Answer a synchronisation."""
    where = {"game_id": "g", "phase": phase, "timestamp": 1, "timestamp_created": 1}
    return await script.answer("data_game_info", to="synchronize", **where)


@inside(play)
async def test_an_answer_is_for_who_asked_and_a_refusal_is_raised_there(
    script: ScriptedServer, connection: Connection
) -> None:
    ports = [
        asyncio.ensure_future(connection.get_daide_port("a")),
        asyncio.ensure_future(connection.get_daide_port("b")),
    ]
    first, second = await script.asked.get(), await script.asked.get()
    assert first["request_id"] != second["request_id"]
    await script.say(name="data_port", request_id="somebody else's", data=1)
    await script.say(name="data_port", request_id=second["request_id"], data=2)
    await script.say(name="data_port", request_id=second["request_id"], data=3)
    await script.say(
        name="error", request_id=first["request_id"], error_type="diplomacy.utils.exceptions.GameIdException",
        message="no such game",
    )  # fmt: skip
    assert await ports[1] == 2
    with pytest.raises(faults.ResponseException, match="no such game"):
        await ports[0]


@inside(play)
async def test_an_answer_of_another_kind_or_none_at_all_is_an_error_of_the_server(
    script: ScriptedServer, connection: Connection
) -> None:
    for name, more, said in (
        ("data_token", {"data": "t"}, "expected PortGiven for GetDaidePort, got TokenGiven"),
        ("data_port", {"data": "none"}, "unreadable response"),
    ):
        asking = asyncio.ensure_future(connection.get_daide_port("a"))
        await script.answer(name, to="get_daide_port", **more)
        with pytest.raises(RemoteWireError, match=said):
            await asking


@inside(play)
async def test_what_makes_no_sense_is_passed_over(script: ScriptedServer, connection: Connection) -> None:
    unknown = '{"notification_id": "n", "name": "unheard of", "token": "t"}'
    for frame in ("no JSON", "[]", "{}", unknown, b'{"name": "\xff"}', '{"x": ' + "[" * 10_000):
        await script.sockets[-1].send(frame)
    asking = asyncio.ensure_future(connection.get_daide_port("a"))
    await script.answer("data_port", to="get_daide_port", data=7)
    assert await asking == 7


@pytest.mark.parametrize("wrong", [b'"\xff"', b"[" * 5000 + b"]" * 5000], ids=["no UTF-8", "too deep"])
@inside(play)
async def test_what_cannot_be_read_ends_nothing(
    script: ScriptedServer, connection: Connection, *, wrong: bytes
) -> None:
    asking = asyncio.ensure_future(connection.get_daide_port("a"))
    request = await script.asked.get()
    own = json.dumps(request["request_id"]).encode()
    for head in (b'"request_id": "another"', b'"notification_id": "n"', b'"request_id": ' + own):
        await script.sockets[-1].send(b"{" + head + b', "name": ' + wrong + b', "data": ' + wrong + b"}")
    if wrong.startswith(b"["):
        await script.say(name="data_port", request_id=request["request_id"], data=7)
        assert await asking == 7, "what is too deep has no id that could be read"
    else:
        with pytest.raises(RemoteWireError, match="unreadable response"):
            await asking
    again = asyncio.ensure_future(connection.get_daide_port("b"))
    await script.answer("data_port", to="get_daide_port", data=8)
    assert await again == 8


@inside(play)
async def test_frames_of_bytes_are_read_as_those_of_text(script: ScriptedServer, connection: Connection) -> None:
    asking = asyncio.ensure_future(connection.get_daide_port("a"))
    request = await script.asked.get()
    answer = {"name": "data_port", "request_id": request["request_id"], "data": 7}
    await script.sockets[-1].send(json.dumps(answer).encode())
    assert await asking == 7


@inside(play)
async def test_a_token_that_nobody_has_is_disowned_once(script: ScriptedServer, connection: Connection) -> None:
    for token in ("x", "x", "y"):
        await script.notify("game_status_update", token, status="paused")
    asking = asyncio.ensure_future(connection.get_daide_port("a"))
    asked = [await script.asked.get() for _ in range(3)]
    told = [request["token"] for request in asked if request["name"] == "unknown_token"]
    assert told == ["x", "y"]
    asking.cancel()


@inside(play)
async def test_a_game_hears_what_is_for_it_and_awaits_those_who_want_to_know(
    script: ScriptedServer, connection: Connection
) -> None:
    game = await joined(script, connection, await signed_in(script, connection))
    heard: list[GameStatus] = []

    async def listener(_: NetworkGame, found: Any) -> None:
        await asyncio.sleep(0)
        heard.append(found.status)
        raise ValueError("no matter")

    game.add_on_game_status_update(listener)
    about = {"notification_id": "n", "token": "t", "game_id": "g", "game_role": "ITALY"}
    await script.say(name="game_status_update", **about, status="completed")
    await script.notify("game_status_update", status="paused")
    await script.notify("game_status_update", status="active")
    await until(lambda: len(heard) == 2)
    assert heard == [GameStatus.PAUSED, GameStatus.ACTIVE]


def test_who_still_listens_when_a_connection_is_closed_is_stopped() -> None:
    stopped = []

    async def scene(script: ScriptedServer, connection: Connection) -> None:
        game = await joined(script, connection, await signed_in(script, connection))

        async def listener(_: NetworkGame, found: Any) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                stopped.append(found)
                raise

        game.add_on_game_status_update(listener)
        await script.notify("game_status_update", status="paused")
        await until(lambda: game.is_game_paused)

    play(scene)
    assert len(stopped) == 1


@inside(play)
async def test_an_account_that_is_gone_closes_its_channel(script: ScriptedServer, connection: Connection) -> None:
    channel = await signed_in(script, connection)
    game = await joined(script, connection, channel)
    await script.say(name="account_deleted", notification_id="n", token="t")
    await until(lambda: not connection.channels)
    assert game.channel is None


@inside(play)
async def test_after_a_cut_games_are_synchronised_and_then_all_is_asked_again(
    script: ScriptedServer, connection: Connection
) -> None:
    game = await joined(script, connection, await signed_in(script, connection))
    port, orders = (
        asyncio.ensure_future(connection.get_daide_port("a")),
        asyncio.ensure_future(game.set_orders(orders=[])),
    )
    unanswered = {(await script.asked.get())["request_id"] for _ in range(2)}
    script.cut()
    request = await summarised(script, "S1901M")
    assert (request["game_id"], request["game_role"], request["phase"]) == ("g", "FRANCE", "S1901M")
    again = [await script.asked.get() for _ in range(2)]
    assert {request["request_id"] for request in again} == unanswered
    assert all(request["re_sent"] for request in again)
    for request in again:
        name = "data_port" if request["name"] == "get_daide_port" else "ok"
        await script.say(name=name, request_id=request["request_id"], data=7)
    assert await port == 7
    await orders


@inside(play)
async def test_what_was_about_a_phase_that_is_over_is_not_asked_again(
    script: ScriptedServer, connection: Connection
) -> None:
    game = await joined(script, connection, await signed_in(script, connection))
    orders = asyncio.ensure_future(game.set_orders(orders=[]))
    await script.asked.get()
    script.cut()
    await summarised(script, "F1901M")
    with pytest.raises(faults.GamePhaseException, match="cut off in phase S1901M; it is F1901M now"):
        await orders
    assert script.asked.empty()


@inside(play)
async def test_a_game_that_cannot_be_synchronised_is_dropped_and_the_rest_goes_on(
    script: ScriptedServer, connection: Connection
) -> None:
    game = await joined(script, connection, await signed_in(script, connection))
    script.cut()
    await script.answer("error", to="synchronize", error_type="x", message="gone")
    asking = asyncio.ensure_future(connection.get_daide_port("a"))
    await script.answer("data_port", to="get_daide_port", data=7)
    assert await asking == 7
    assert game.channel is None


@inside(play)
async def test_news_that_cannot_be_taken_in_ends_nothing(script: ScriptedServer, connection: Connection) -> None:
    game = await joined(script, connection, await signed_in(script, connection))
    asking = asyncio.ensure_future(game.no_wait())
    request = await script.asked.get()
    await script.notify("vote_updated", vote={"ATLANTIS": "yes"})
    await script.notify("cleared_units", power_name="ATLANTIS")
    await script.notify("powers_controllers", powers={"ATLANTIS": "x"}, timestamps={}, player_types={})
    await script.notify("game_status_update", status="paused")
    await script.say(name="ok", request_id=request["request_id"])
    await asking
    assert game.is_game_paused


@inside(play)
async def test_an_answer_that_cannot_be_taken_in_is_for_who_asked(
    script: ScriptedServer, connection: Connection
) -> None:
    game = await joined(script, connection, await signed_in(script, connection))
    asking = asyncio.ensure_future(game.wait(power_name="ATLANTIS"))
    await script.answer(to="set_wait_flag")
    with pytest.raises(KeyError):
        await asking
    asking = asyncio.ensure_future(game.no_wait())
    await script.answer(to="set_wait_flag")
    await asking
    assert game.powers["FRANCE"].wait is False


@inside(play)
async def test_who_has_given_up_before_a_cut_is_not_asked_for_again(
    script: ScriptedServer, connection: Connection
) -> None:
    """In the very moment of the synchronisation, in which its request is still known."""
    game = await joined(script, connection, await signed_in(script, connection))
    waiting = asyncio.ensure_future(game.no_wait())
    await script.asked.get()
    waiting.cancel()
    (pending,) = connection._pending.values()
    pending.answer.cancel()
    connection._phases = {("g", "FRANCE"): "F1901M"}
    await connection._resume()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    asking = asyncio.ensure_future(game.set_orders(orders=[]))
    await script.answer(to="set_orders")
    await asking


@inside(play)
async def test_without_games_there_is_nothing_to_synchronise(script: ScriptedServer, connection: Connection) -> None:
    port = asyncio.ensure_future(connection.get_daide_port("a"))
    await script.asked.get()
    script.cut()
    await script.answer("data_port", to="get_daide_port", data=7)
    assert await port == 7


def test_whoever_waits_when_a_connection_is_closed_or_given_up_learns_of_it(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        script = ScriptedServer()
        async with asyncio.timeout(PATIENCE), serve(script.serve, HOST, 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            closed, lost = [await connect(HOST, port, attempts=1) for _ in range(2)]
            waiting = [asyncio.ensure_future(one.get_daide_port("a")) for one in (closed, lost)]
            for _ in waiting:
                await script.asked.get()
            await closed.close()
            server.close(close_connections=True)
            await lost.wait_closed()
            for connection, asking in zip((closed, lost), waiting, strict=True):
                with pytest.raises(ConnectionError, match="is closed"):
                    await asking
                with pytest.raises(ConnectionError, match="is closed"):
                    await connection.get_daide_port("a")
                assert connection.closed
            with pytest.raises(ConnectionError, match="cannot connect to ws://"):
                await connect(HOST, port, attempts=2, pause=0.0)

    asyncio.run(run())
    (noted,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "is given up: cannot connect to ws://" in noted


@pytest.mark.parametrize("frame", [b'{"request_id": "\xff"}', b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"])
def test_a_frame_that_cannot_be_read_is_noted_and_passed_over(frame: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async def scene(script: ScriptedServer, connection: Connection) -> None:
        asking = asyncio.ensure_future(connection.get_daide_port("a"))
        request = await script.asked.get()
        await script.sockets[-1].send(frame)
        await script.say(name="data_port", request_id=request["request_id"], data=16713)
        assert await asking == 16713

    play(scene)
    (noted,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert noted.startswith("unreadable frame from ws://")


@inside(play, timeout=0.05)
async def test_nobody_waits_longer_for_an_answer_than_it_is_said(
    script: ScriptedServer, connection: Connection
) -> None:
    with pytest.raises(TimeoutError):
        await connection.get_daide_port("a")
    assert not connection._pending


async def test_an_address_that_is_none_is_said_to_be_none() -> None:
    with pytest.raises(ConfigError, match=r"^server: ") as raised:
        await Connection("http://nowhere").open()
    assert raised.value.field == "server"
    assert connect("::1", 5)._connection.url == "ws://[::1]:5/"
    assert connect("host", 5, use_ssl=True)._connection.url == "wss://host:5/"


@inside(play)
async def test_who_was_kicked_has_the_game_no_more(script: ScriptedServer, connection: Connection) -> None:
    game = await joined(script, connection, await signed_in(script, connection))
    there: list[bool] = []
    game.add_on_powers_controllers(lambda found, _: there.append(found.channel is not None))
    for controller in ("anna", "dummy"):
        powers, times = {"FRANCE": controller, "ITALY": "bert"}, {"FRANCE": 5, "ITALY": 6}
        await script.notify("powers_controllers", powers=powers, timestamps=times, player_types={})
    await until(lambda: len(there) == 2)
    assert there == [True, False]
    with pytest.raises(LocalWireError, match="was left, or is gone"):
        await game.wait()


@pytest.mark.parametrize("attempts", [1, 3, 7])
async def test_a_server_is_tried_as_often_as_was_said_ever_more_rarely_and_then_given_up(
    attempts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def asleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("parlour.net.client.connection.asyncio.sleep", asleep)
    with pytest.raises(ConnectionError, match=r"cannot connect to ws://127\.0\.0\.1:1/: Connection refused$"):
        await connect(HOST, 1, attempts=attempts, pause=7.0)
    assert pauses == [0.25, 0.5, 1.0, 2.0, 4.0, 7.0][: attempts - 1]


@inside(play)
async def test_a_connection_is_closed_at_the_end_of_its_block_and_asks_for_nothing_more(
    script: ScriptedServer, connection: Connection
) -> None:
    assert not connection.closed
    async with connection:
        pass
    assert connection.closed
    with pytest.raises(ConnectionError, match="is closed"):
        await connection.get_daide_port("a")
    await connection.wait_closed()


def test_a_line_that_is_cut_while_it_asks_for_a_sign_of_life_writes_no_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As the websocket library logs it; what else it has to say is heard."""

    async def scene(script: ScriptedServer, connection: Connection) -> None:
        assert connection._socket is not None
        connection._socket.logger.error("keepalive ping failed", exc_info=True)
        connection._socket.logger.error("unexpected internal error")

    play(scene)
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == ["unexpected internal error"]
