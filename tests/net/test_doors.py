"""The HTTP door: bounded in connections, silence and heads; websockets count too; it closes in time."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import websockets
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from parlour.errors import ConfigError
from parlour.net import doors
from parlour.net.doors import HttpDoor, ServerDoor, closed_together, tls_context
from parlour.net.framing.http import MOST_AHEAD, bounded_http
from parlour.net.framing.limiter import ConnectionLimiter
from support.waiting import PATIENCE, inside, run_simulated, until

HOST = "127.0.0.1"


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"hello {len(await request.body())}")


async def echo(line: WebSocket) -> None:
    await line.accept()
    async for text in line.iter_text():
        await line.send_text(text)


APP = Starlette(routes=[Route("/", hello, methods=["GET", "POST"]), WebSocketRoute("/echo", echo)])


def serve(
    scenario: Callable[[HttpDoor], Awaitable[Any]],
    limiter: ConnectionLimiter | None = None,
    app: Starlette = APP,
    *,
    times: Mapping[str, float] = MappingProxyType({}),
    **more: Any,
) -> Any:
    async def run() -> Any:
        door = HttpDoor(app, host=HOST, port=0, **more)
        if limiter is not None:
            door.limiter = limiter
            door._config.http = bounded_http(limiter, **times)
        await door.open()
        serving = asyncio.ensure_future(door.run())
        try:
            return await scenario(door)
        finally:
            await closed_together([door], 3.0)
            await serving

    return asyncio.run(run())


def port_of(door: ServerDoor) -> int:
    return int(door.address.rpartition(":")[2])


def call(door: ServerDoor) -> socket.socket:
    caller = socket.create_connection((HOST, port_of(door)))
    caller.setblocking(False)
    return caller


async def ask(door: HttpDoor, text: bytes = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n") -> bytes:
    reader, writer = await asyncio.open_connection(HOST, port_of(door))
    writer.write(text)
    try:
        return await asyncio.wait_for(reader.read(), PATIENCE)
    except ConnectionError:
        return b""
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@inside(serve)
async def test_pages_websockets_and_bodies_are_served(door: HttpDoor) -> None:
    assert (await ask(door)).endswith(b"hello 0")
    long = b"POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 200000\r\n\r\n" + b"x" * 200_000
    assert (await ask(door, long)).endswith(b"hello 200000")
    async with websockets.connect(f"ws://{HOST}:{port_of(door)}/echo") as line:
        await line.send("there")
        assert await line.recv() == "there"
        assert len(door.limiter) == 1
    await until(lambda: not len(door.limiter))


def test_answers_say_nothing_of_what_serves_and_messages_are_not_compressed(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(door: HttpDoor) -> None:
        head = (await ask(door)).partition(b"\r\n\r\n")[0].lower()
        assert b"\r\ndate:" in head
        assert b"server:" not in head
        assert b"uvicorn" not in head
        async with websockets.connect(f"ws://{HOST}:{port_of(door)}/echo", compression="deflate") as line:
            assert line.response is not None
            assert "sec-websocket-extensions" not in line.response.headers

    with caplog.at_level("INFO"):
        serve(scenario)
    assert "GET /" not in caplog.text, "what is asked for is logged by the application alone"


def test_who_speaks_for_others_is_believed_only_if_it_is_trusted() -> None:
    async def whose(request: Request) -> PlainTextResponse:
        assert request.client is not None
        return PlainTextResponse(f"from {request.client.host}")

    async def asked(door: HttpDoor) -> bytes:
        text = b"GET /whose HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.7\r\nconnection: close\r\n\r\n"
        return (await ask(door, text)).rpartition(b"from ")[2]

    app = Starlette(routes=[Route("/whose", whose)])
    assert serve(asked, app=app) == b"127.0.0.1"
    assert serve(asked, app=app, trusted_proxies=("192.0.2.1",)) == b"127.0.0.1"
    assert serve(asked, app=app, trusted_proxies=(HOST,)) == b"192.0.2.7"


@inside(serve, trusted_proxies=(HOST,), connections_of_one=2)
async def test_behind_a_proxy_each_client_has_only_so_much_at_once_and_the_proxy_any_number(door: HttpDoor) -> None:
    async with contextlib.AsyncExitStack() as open_lines:

        async def line(client: str) -> Any:
            headers = {"x-forwarded-for": client}
            address = f"ws://{HOST}:{port_of(door)}/echo"
            return await open_lines.enter_async_context(websockets.connect(address, additional_headers=headers))

        for client in ("192.0.2.1", "192.0.2.2", "192.0.2.3"):
            for _ in range(2):
                await line(client)
        with pytest.raises(websockets.InvalidStatus, match="403"):
            await line("192.0.2.1")
        text = b"GET / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.1\r\nconnection: close\r\n\r\n"
        assert (await ask(door, text)).startswith(b"HTTP/1.1 503")
        assert (await ask(door, text.replace(b"2.1", b"2.9"))).startswith(b"HTTP/1.1 200")


def test_the_address_is_as_a_browser_wants_it() -> None:
    assert HttpDoor(APP, host="::1", port=0).address == "http://[::1]:0"
    assert HttpDoor(APP, host="here.example", port=0, scheme="ws").address == "ws://here.example:0"


def test_who_opened_a_door_is_told_that_it_is_shut_even_if_it_was_never_open() -> None:
    shut: list[str] = []

    async def scenario(door: HttpDoor) -> None:
        assert not shut
        await door.close()
        assert shut == ["shut"]

    serve(scenario, closed=lambda: shut.append("shut"))
    asyncio.run(HttpDoor(APP, host=HOST, port=0, closed=lambda: shut.append("never open")).close())
    assert shut[-1] == "never open"


@inside(serve, ConnectionLimiter(most=1000, most_of_one=1000, most_silent=8), times={"head_time": 0.5})
async def test_the_silent_and_the_slow_are_shown_out_and_others_get_in_meanwhile(door: HttpDoor) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - of ourselves
    callers = [call(door) for _ in range(60)]
    slow = call(door)
    slow.send(b"GET / HTTP/1.1\r\nx")
    await until(lambda: door.limiter.silent == 8)
    assert (await ask(door)).endswith(b"hello 0")
    await until(lambda: not door.limiter.silent)  # their time is up
    await until(lambda: not len(door.limiter))
    for caller in (*callers, slow):
        caller.close()
    await until(lambda: len(os.listdir("/proc/self/fd")) == before)  # noqa: PTH208


def test_a_body_that_does_not_end_is_waited_for_so_long_and_not_when_the_server_stops() -> None:
    """Real time: what is bounded is how long a connection may take."""
    begun = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nx"

    async def slow(door: HttpDoor) -> None:
        assert await ask(door, begun) == b""
        async with websockets.connect(f"ws://{HOST}:{port_of(door)}/echo") as line:
            await asyncio.sleep(0.5)
            await line.send("still there")
            assert await line.recv() == "still there"

    async def stopped(door: HttpDoor) -> float:
        caller = call(door)
        caller.send(begun)
        await until(lambda: len(door.limiter) == 1 and not door.limiter.silent)
        before = asyncio.get_running_loop().time()
        await door.close()
        caller.close()
        return asyncio.get_running_loop().time() - before

    serve(slow, ConnectionLimiter(most=10, most_of_one=10), times={"body_time": 0.25})
    assert serve(stopped, stop_time=60.0) < 30.0


def test_nobody_has_more_than_its_share_of_connections() -> None:
    async def scenario(door: HttpDoor) -> None:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(3):
                await stack.enter_async_context(websockets.connect(f"ws://{HOST}:{port_of(door)}/echo"))
            assert await ask(door) == b""
        await until(lambda: not len(door.limiter))
        assert (await ask(door)).endswith(b"hello 0")

    serve(scenario, connections_of_one=3)
    serve(scenario, connections=3)


@inside(serve)
async def test_an_endless_head_is_refused_before_it_fills_the_memory(door: HttpDoor) -> None:
    endless = b"GET / HTTP/1.1\r\n" + b"".join(b"x%d: %s\r\n" % (n, b"y" * 1000) for n in range(500))
    answer = await ask(door, endless)
    assert answer == b"" or b"400" in answer.splitlines()[0]
    assert (await ask(door)).endswith(b"hello 0")


@inside(serve)
async def test_requests_ahead_of_their_answers_are_bounded(door: HttpDoor) -> None:
    """A kilobyte of small requests takes a hundred of memory; a few may come together, as old programs do."""
    one = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    few = await ask(door, one * MOST_AHEAD + last)
    assert few.count(b"HTTP/1.1 200") == MOST_AHEAD + 1
    many = await ask(door, one * 5000)
    assert many.count(b"HTTP/1.1 200") <= 2
    assert (await ask(door)).endswith(b"hello 0")


@inside(serve, max_message=1000)
async def test_a_message_beyond_its_bound_closes_the_websocket(door: HttpDoor) -> None:
    async with websockets.connect(f"ws://{HOST}:{port_of(door)}/echo") as line:
        await line.send("x" * 2000)
        with pytest.raises(websockets.ConnectionClosed):
            await line.recv()
        assert (line.close_code, line.close_reason) == (1009, "the message is too large: at most 1,000 bytes")


@pytest.mark.parametrize("unread", [0, 50_000_000], ids=["nothing to read", "what nobody reads"])
def test_a_websocket_whose_client_vanished_is_noticed_though_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, unread: int
) -> None:
    monkeypatch.setattr(doors, "PING", 0.05)
    left = asyncio.Event()

    async def watched(line: WebSocket) -> None:
        await line.accept()
        with contextlib.suppress(WebSocketDisconnect):
            if unread:
                await line.send_bytes(bytes(unread))
            await line.receive_text()
        left.set()

    async def scenario(door: HttpDoor) -> None:
        reader, writer = await asyncio.open_connection(HOST, port_of(door), limit=4096)
        writer.write(b"GET /watched HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n")
        writer.write(b"sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 101")
        async with asyncio.timeout(PATIENCE):
            await left.wait()
        await until(lambda: door.connections == 0)
        writer.close()

    serve(scenario, app=Starlette(routes=[WebSocketRoute("/watched", watched)]))


@inside(serve, stop_time=1.0)
async def test_it_closes_in_time_whoever_is_still_connected(door: HttpDoor) -> None:
    idle = call(door)
    async with websockets.connect(f"ws://{HOST}:{port_of(door)}/echo") as line:
        await asyncio.wait_for(door.close(), PATIENCE)
        with pytest.raises(websockets.ConnectionClosed):
            await line.recv()
    idle.close()


def test_a_port_in_use_and_a_certificate_that_does_not_fit_get_one_line(
    tmp_path: Path, certificate: tuple[str, str]
) -> None:
    (tmp_path / "other").mkdir()
    _, other_key = self_signed(tmp_path / "other")

    async def taken(door: HttpDoor) -> None:
        other = HttpDoor(APP, host=HOST, port=port_of(door))
        with pytest.raises(ConfigError, match=rf"port: cannot listen on {HOST}:\d+: Address already in use$"):
            await other.open()

    serve(taken)
    wrong = tmp_path / "no.pem"
    wrong.write_text("no certificate")
    for path, key, reason in (
        (str(tmp_path / "none.pem"), str(wrong), "No such file or directory"),
        (str(wrong), str(wrong), "expected a certificate and its key in PEM, without a passphrase"),
        (certificate[0], other_key, "the key is not that of the certificate"),
    ):
        with pytest.raises(ConfigError) as raised:
            tls_context(path, key)
        assert str(raised.value) == f"tls-certificate: {path} with {key}: {reason}"
    assert tls_context("", "") is None


def test_with_a_certificate_it_speaks_tls(certificate: tuple[str, str]) -> None:
    async def scenario(door: HttpDoor) -> None:
        assert door.address.startswith("https://")
        trusting = ssl.create_default_context(cafile=certificate[0])
        trusting.check_hostname = False
        reader, writer = await asyncio.open_connection(HOST, port_of(door), ssl=trusting)
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert (await reader.read()).endswith(b"hello 0")
        writer.close()

    serve(scenario, tls=tls_context(*certificate))


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    return self_signed(tmp_path)


def self_signed(folder: Path) -> tuple[str, str]:
    """Return a certificate that signs itself, and its key."""
    paths = str(folder / "cert.pem"), str(folder / "key.pem")
    how = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    command = ["openssl", *how.split(), "-out", paths[0], "-keyout", paths[1]]
    made = subprocess.run(command, capture_output=True, check=False)
    if made.returncode:
        pytest.skip("openssl, which makes the certificate, is not here")
    return paths


def test_all_doors_are_closed_at_the_same_time_and_none_is_waited_for_too_long() -> None:
    ended: list[str] = []

    class Slow:
        def __init__(self, seconds: float) -> None:
            self._seconds = seconds

        async def close(self) -> None:
            try:
                await asyncio.sleep(self._seconds)
                ended.append(f"closed after {self._seconds:.0f}")
            except asyncio.CancelledError:
                ended.append("given up")
                raise

    async def scenario() -> float:
        loop = asyncio.get_running_loop()
        doors: Any = [Slow(2.0), Slow(3.0), Slow(3600.0)]
        await closed_together([], 5.0)
        await closed_together(doors, 5.0)
        await asyncio.sleep(0)
        return loop.time()

    assert run_simulated(scenario) == pytest.approx(5.0)
    assert ended == ["closed after 2", "closed after 3", "given up"]
