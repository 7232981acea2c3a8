"""An HTTP connection without a network, for the fuzzer: heads, bodies and websockets, byte by byte if need be."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

CUT = b"|"
"""In an input, where one piece ends and the next begins, later."""
MOST = 20
"""Pieces of an input."""


class _End(asyncio.Transport):
    """The other end of a connection."""

    def __init__(self) -> None:
        super().__init__()
        self.protocol: Any = None
        self.ended = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": ("192.0.2.1", 1234), "sockname": ("127.0.0.1", 80)}.get(name, default)

    def get_protocol(self) -> Any:
        return self.protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def is_closing(self) -> bool:
        return self.ended

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def close(self) -> None:
        if not self.ended:
            self.ended = True
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)

    abort = close


class _Noting(logging.Handler):
    """A failure that a server logs is an error of the test."""

    def __init__(self, failed: list[object]) -> None:
        super().__init__(logging.ERROR)
        self._failed = failed

    def emit(self, record: logging.LogRecord) -> None:
        self._failed.append(record)


def heads() -> Callable[[bytes], None]:
    """Feed a connection at an HTTP door; nothing may be raised, and nothing may stay behind."""
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocket

    from parlour.net.doors import HttpDoor
    from parlour.net.framing.limiter import ConnectionLimiter

    async def count(request: Request) -> PlainTextResponse:
        with contextlib.suppress(ClientDisconnect):
            return PlainTextResponse(str(len(await request.body())))
        return PlainTextResponse("cut off", 400)

    async def meet(line: WebSocket) -> None:
        await asyncio.sleep(0)
        await line.accept()
        while (await line.receive())["type"] != "websocket.disconnect":
            pass

    routes = [WebSocketRoute("/line", meet), Route("/{path:path}", count, methods=["GET", "POST"])]

    async def talk(raw: bytes) -> None:
        failed.clear()
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failed.append(context))
        door = HttpDoor(Starlette(routes=routes), host="nowhere", port=1, max_message=1 << 12)
        config: Any = door._config
        limiter = config.http.limiter = ConnectionLimiter(most=10, most_of_one=10)
        config.load()
        end = _End()
        end.protocol = config.http_protocol_class(config=config, server_state=door._server.server_state, app_state={})
        end.protocol.connection_made(end)
        for piece in raw.split(CUT)[:MOST]:
            if piece and not end.ended:
                end.protocol.data_received(piece)
            await asyncio.sleep(0)
        for _ in range(5):
            await asyncio.sleep(0)
        end.close()
        for _ in range(5):
            await asyncio.sleep(0)
        assert not failed, failed
        assert (len(limiter), limiter.silent) == (0, 0)

    failed: list[object] = []
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(_Noting(failed))
    logger.setLevel(logging.ERROR)
    asyncio.run(talk(b""))
    return lambda raw: asyncio.run(talk(raw))
