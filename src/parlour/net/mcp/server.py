"""The ten tools, offered over the Model Context Protocol. They translate, and decide nothing.

Every ParlourError becomes a ToolError, whose text reaches the model; any other error reaches it without its text.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from http import HTTPStatus
from typing import Annotated, Any, ParamSpec

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parlour import __version__
from parlour.errors import Denied, MissingExtra, ParlourError
from parlour.net.accounts.limits import RequestLimits, network_of
from parlour.net.http.bodies import read_body
from parlour.net.http.problems import Answered
from parlour.net.mcp.seat_tools import LONGEST_WAIT, NETWORK, SeatTools, ToolResult

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.server.transport_security import TransportSecuritySettings
    from pydantic import ConfigDict, Field
except ImportError:
    raise MissingExtra("mcp", "a seat for an assistant") from None

INSTRUCTIONS = """\
You can take a seat at games that are refereed here: Diplomacy and Fish. Call sit once and keep its token: every other
call carries it. Then, until the match is over: view, think, submit. wait tells what happened, and when you act."""
PATH = "/mcp"
MAX_BODY = 1 << 16
"""Maximum bytes of one call; the longest useful one contains a message."""
P = ParamSpec("P")

Token = Annotated[str, Field(description="The token that sit returned.")]
Submitted = Annotated[
    list[Any], Field(description='Orders such as ["A PAR - BUR"]; in Fish [row, column] or [from, to].')
]
Stances = Annotated[
    dict[str, str] | None,
    Field(description='By promise, such as "PCE ( AUS ITA )": keep, break, or until and a phase.'),
]


def make_server(tools: SeatTools) -> MCPServer[Any]:
    """Return an MCP server that offers these tools."""

    async def matches() -> ToolResult:
        """Return the matches that wait for players, with the seats that are free in each."""
        return await tools.matches()

    async def sit(
        game: Annotated[str, Field(description="diplomacy or fish, for a new match.")] = "",
        match: Annotated[str, Field(description="Or the name of a match that waits for players.")] = "",
        seat: Annotated[str, Field(description="The seat you want, such as FRANCE or red; empty: any.")] = "",
        opponents: Annotated[list[str] | None, Field(description="Agents of a new match, such as dumbbot.")] = None,
        open_seats: Annotated[
            int, Field(description="Seats of a new match that are left free for other assistants or people.")
        ] = 0,
        name: Annotated[str, Field(description="What the others call you.")] = "assistant",
        press: Annotated[bool, Field(description="Whether to negotiate in a new match of Diplomacy.")] = False,
        settings: Annotated[
            dict[str, int | str] | None,
            Field(description='Of a new match, such as {"last_year": 1905} or {"rows": 4}.'),
        ] = None,
        password: Annotated[str, Field(description="Of a match that wants one.")] = "",
    ) -> ToolResult:
        """Take a seat: in a new match against house agents, or in one that exists. Returns your token."""
        others, chosen = opponents or (), settings or {}
        asked = partial(tools.sit, game, match, seat, others, name, press=press, settings=chosen)
        return await asked(password=password, open_seats=open_seats)

    async def view(token: Token) -> ToolResult:
        """Return the match as you see it.

        The position, whose turn it is, proposals that wait for you, the time left.
        """
        return await tools.view(token)

    async def legal(
        token: Token,
        unit: Annotated[str, Field(description="In Diplomacy, one unit such as A PAR; empty: all.")] = "",
    ) -> ToolResult:
        """List the actions that you may submit now: whole actions in Fish, single orders in Diplomacy."""
        return await tools.legal(token, unit)

    async def say(
        token: Token,
        text: Annotated[str, Field(description="Press such as PRP ( PCE ( FRA GER ) ).")],
        to: Annotated[list[str] | None, Field(description="Seats; empty: all.")] = None,
    ) -> ToolResult:
        """Say something to other players."""
        return await tools.say(token, text, to or ())

    async def answer(
        token: Token,
        proposal: Annotated[int, Field(description="The n of a proposal in view.")],
        yes: Annotated[bool, Field(description="Whether you agree.")],
    ) -> ToolResult:
        """Answer a proposal of another player."""
        return await tools.answer(token, proposal, yes)

    async def seal(token: Token, action: Submitted, stances: Stances = None, text: str = "") -> ToolResult:
        """Write down in secret what you plan, where view says that plans are sealed; others see it later."""
        return await tools.seal(token, action, stances or {}, text)

    async def submit(token: Token, action: Submitted) -> ToolResult:
        """Play. In Diplomacy give all orders at once; until the turn is over they may be replaced."""
        return await tools.submit(token, action)

    async def explain(token: Token) -> ToolResult:
        """Give the results of the last turn, with the reason of each failed order."""
        return await tools.explain(token)

    async def wait(
        token: Token,
        since: Annotated[int, Field(description="The k of your last view or wait.")] = 0,
        seconds: Annotated[float, Field(description="At most 25.")] = LONGEST_WAIT,
    ) -> ToolResult:
        """Wait for news. Returns within 25 seconds, with or without; then call it again with the k that it gave."""
        return await tools.wait(token, since, seconds)

    offered = [_offered(tool) for tool in (matches, sit, view, legal, seal, say, answer, submit, explain, wait)]
    return MCPServer("parlour", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR", tools=offered)


def _offered(tool: Callable[..., Awaitable[ToolResult]]) -> Tool:
    """Return a tool that refuses unknown arguments, which the SDK would ignore."""
    found = Tool.from_function(_with_tool_errors(tool), structured_output=False)
    known: Any = found.fn_metadata.arg_model
    strict: Any = type(known.__name__, (known,), {"model_config": ConfigDict(extra="forbid"), "__module__": __name__})
    metadata = found.fn_metadata.model_copy(update={"arg_model": strict})
    return found.model_copy(update={"fn_metadata": metadata, "parameters": strict.model_json_schema(by_alias=True)})


def _with_tool_errors(tool: Callable[P, Awaitable[ToolResult]]) -> Callable[P, Awaitable[ToolResult]]:
    @wraps(tool)
    async def called(*arguments: P.args, **named: P.kwargs) -> ToolResult:
        try:
            return await tool(*arguments, **named)
        except ParlourError as error:
            raise ToolError(str(error)) from None

    return called


def make_app(server: MCPServer[Any], hosts: list[str], limits: RequestLimits | None = None) -> Starlette:
    """Return the server as an ASGI application: streamable HTTP without sessions, because every call has a token.

    Only requests for one of `hosts` are answered, so that pages of other sites cannot reach it.
    Requests, new matches and the bytes of house agents count against the caller's network.
    """
    security = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, stateless_http=True, json_response=True, transport_security=security
    )
    app.add_middleware(WholeCalls, limits=limits)
    return app


class WholeCalls:
    """Passes only complete calls to an application, and cancels them when the caller disconnects.

    The SDK logs a caller who disconnects during a call as a failure of its own, at length, and continues a call whose
    caller has gone. To a GET it answers with an endless empty stream.
    """

    def __init__(self, app: ASGIApp, limits: RequestLimits | None = None) -> None:
        self._app, self._limits = app, limits or RequestLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address = (scope.get("client") or ("",))[0]
        NETWORK.set(network_of(address))
        try:
            self._limits.demand(address)
            if scope["method"] != "POST":
                raise Answered(HTTPStatus.METHOD_NOT_ALLOWED, "bad value", "expected POST", {"Allow": "POST"})
            body = await read_body(Request(scope, receive), MAX_BODY)
            await _while_there(self._app, scope, body, receive, send)
        except Denied as denied:
            headers = {"Retry-After": str(math.ceil(denied.wait or 1.0))}
            await PlainTextResponse(str(denied), HTTPStatus.TOO_MANY_REQUESTS, headers)(scope, receive, send)
        except Answered as answer:
            await PlainTextResponse(str(answer), answer.status, answer.headers)(scope, receive, send)


async def _while_there(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Let the application answer, and cancel it when the caller disconnects or the server stops."""
    coming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    begun = False

    async def received() -> Message:
        return coming.pop() if coming else await receive()

    async def sent(message: Message) -> None:
        nonlocal begun
        begun = True
        await send(message)

    tasks = asyncio.ensure_future(app(scope, received, sent)), asyncio.ensure_future(receive())
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        if not begun:  # an answer that has begun cannot be replaced
            raise Answered(HTTPStatus.SERVICE_UNAVAILABLE, "closing", "the server stops") from None
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    if not tasks[0].cancelled():
        tasks[0].result()
