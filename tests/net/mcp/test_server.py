"""Seats over the Model Context Protocol, with the SDK's own client: whole matches in memory, on stdio and over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import parlour
from parlour.net.accounts.limits import RequestLimits
from parlour.net.accounts.names import is_name
from parlour.net.hall import Hall
from parlour.net.mcp import seat_tools as tools_module
from parlour.net.mcp.seat_tools import LONGEST_WAIT, SeatTools, _holder
from parlour.net.mcp.server import make_server
from parlour.net.setup import HallLimits
from parlour.store import open_store
from support.hall.people import session_of
from support.waiting import PATIENCE, inside

FREE = {"matches", "sit"}
"""The tools that need no token."""
TOOLS = FREE | {"view", "legal", "seal", "say", "answer", "submit", "explain", "wait"}


class Assistant:
    """A model's host: calls tools, and returns their texts."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.token = ""

    async def __call__(self, tool: str, **arguments: Any) -> Any:
        result = await self.raw(tool, **arguments)
        assert not result.is_error, result.content
        return json.loads(result.content[0].text)

    async def raw(self, tool: str, **arguments: Any) -> Any:
        if tool not in FREE:
            arguments.setdefault("token", self.token)
        return await self._client.call_tool(tool, arguments)

    async def fails(self, tool: str, **arguments: Any) -> str:
        result = await self.raw(tool, **arguments)
        assert result.is_error
        text: str = result.content[0].text
        return text

    async def sit(self, **arguments: Any) -> Any:
        taken = await self("sit", **arguments)
        self.token = taken["token"]
        return taken

    async def play(self) -> Any:
        """Play to the end: the first legal action, or in Diplomacy the first order of each unit."""
        k = 0
        while True:
            news = await self("wait", since=k, seconds=5)
            k = news["k"]
            if news["over"]:
                return await self("view")
            if news["your_turn"]:
                legal = (await self("legal"))["legal"]
                action = legal[0] if legal and not isinstance(legal[0], str) else _one_each(legal)
                await self("submit", action=action)


def _one_each(orders: list[str]) -> list[str]:
    found: dict[str, str] = {}
    for order in orders:
        found.setdefault(" ".join(order.split()[:2]), order)
    return [order for order in found.values() if not order.endswith(" B") and order != "WAIVE"]


@contextlib.asynccontextmanager
async def in_memory(tmp_path: Path) -> AsyncIterator[tuple[Client, SeatTools]]:
    with open_store(str(tmp_path / "mcp.db")) as store:
        hall = Hall(store)
        await hall.start()
        tools = SeatTools(hall)
        try:
            async with Client(make_server(tools)) as client:
                yield client, tools
        finally:
            await hall.close()


def run(tmp_path: Path, story: Callable[[Assistant], Awaitable[None]]) -> None:
    async def told() -> None:
        async with in_memory(tmp_path) as (client, _):
            await story(Assistant(client))

    asyncio.run(told())


async def test_the_server_says_which_it_is_and_its_tools_what_they_are_for(tmp_path: Path) -> None:
    async with in_memory(tmp_path) as (client, _):
        itself = client.server_info
        assert itself is not None
        assert (itself.name, itself.version) == ("parlour", parlour.__version__)
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        assert all(tool.description for tool in tools)
        assert all(tool.output_schema is None for tool in tools), "what they answer is for a reader"
        assert all("token" in tool.input_schema["required"] for tool in tools if tool.name not in FREE)


@inside(run)
async def test_a_whole_match_of_fish_in_memory(me: Assistant) -> None:
    taken = await me.sit(game="fish", seat="red", opponents=["greedy"], settings={"rows": 3, "cols": 4})
    assert taken["seat"] == "red"
    refused = await me.fails("submit", action=[9, 9])
    assert refused.endswith("not submitted: That spot is not on the board. legal lists what may be")
    end = await me.play()
    assert end["outcome"]["reason"] == "nobody can move"
    assert "over" in await me.fails("submit", action=[0, 0])


@inside(run)
async def test_a_whole_match_of_diplomacy_in_memory_with_press(me: Assistant) -> None:
    await me.sit(
        game="diplomacy", seat="france", opponents=["peace"], press=True, settings={"last_year": 1901}, name="Mind"
    )
    view = await me("view")
    assert view["players"]["FRANCE"] == "Mind"
    assert "Spring 1901" in view["position"]
    while len(proposals := (await me("view")).get("proposals", ())) < 2:
        await me("wait", since=(await me("view"))["k"], seconds=1)
    said = await me("answer", proposal=proposals[0]["n"], yes=True)
    assert said["said"].startswith("YES ( PRP (")
    # Which others still wait is for their players to say, who may be quicker.
    assert "proposal: " in await me.fails("answer", proposal=9999, yes=True)
    assert (await me("say", text="PRP ( DRW )", to=["GER", "GERMANY"]))["to"] == ["GERMANY"]
    assert "no turn has ended" in await me.fails("explain")
    end = await me.play()
    assert end["outcome"]["reason"] == "stopped after 1901, the last year"
    explained = await me("explain")
    assert explained["actions"]


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("submit", {"action": ["A PAR - LON"]}, "A PAR - LON|LON"),
        ("submit", {"action": ["A PAR - BURR"]}, "did you mean BUR"),
        ("submit", {"action": [1]}, "expected a list of orders"),
        ("legal", {"unit": "A LON"}, "expected A MAR, A PAR, F BRE"),
        ("say", {"text": "hello", "to": ["ATLANTIS"]}, "expected AUSTRIA, ENGLAND"),
        ("say", {"text": "hello"}, "played without press"),
        ("answer", {"proposal": 1, "yes": True}, "none waits for your answer"),
        ("explain", {}, "no turn has ended yet"),
    ],
)
@inside(run)
async def test_an_error_says_what_would_be_right(me: Assistant, *, tool: str, arguments: Any, sentence: str) -> None:
    await me.sit(game="diplomacy", seat="FRANCE", opponents=["hold"])
    assert re.search(sentence, await me.fails(tool, **arguments))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "chess"}, "expected diplomacy or fish"),
        ({"game": "fish", "seat": "FRANCE"}, "expected one of red, white"),
        ({"game": "fish", "opponents": ["clever"]}, "fish has no 'clever'"),
        ({"game": "fish", "press": True}, "nobody can negotiate in Fish"),
        ({"game": "fish", "opponents": ["llm:m@http://169.254.0.1/v1"]}, "seats no language models"),
        ({"game": "fish", "settings": {"rows": 99}}, "rows"),
        ({"match": "none"}, "there is no match 'none'"),
        ({"match": "none", "game": "fish"}, "give only match"),
    ],
)
@inside(run)
async def test_who_cannot_sit_down_is_told_why(me: Assistant, *, arguments: Any, sentence: str) -> None:
    assert sentence in await me.fails("sit", **arguments)


async def test_a_foreign_token_sees_nothing(tmp_path: Path) -> None:
    """Two assistants at one table: each has its own secrets, and a token of nobody has none."""
    async with in_memory(tmp_path) as (client, _):
        mine, theirs = Assistant(client), Assistant(client)
        await mine.sit(game="diplomacy", seat="FRANCE", opponents=["hold"])
        await theirs.sit(game="diplomacy", seat="GERMANY", opponents=["hold"])
        for tool in TOOLS - FREE:
            needed: dict[str, dict[str, Any]] = {
                "say": {"text": "x"},
                "answer": {"proposal": 1, "yes": True},
                "submit": {"action": []},
                "seal": {"action": []},
            }
            arguments = needed.get(tool, {})
            crossed = f"{theirs.token.partition('.')[0]}.{mine.token.rpartition('.')[2]}"
            for token in ("", "x", mine.token[:-1], mine.token + "x", mine.token.swapcase(), crossed):
                said = await mine.fails(tool, **arguments, token=token)
                assert "token has no seat here: call sit" in said
                assert "FRANCE" not in said
        assert (await theirs("view"))["you"] == "GERMANY"
        assert (await mine("view"))["you"] == "FRANCE"


def test_a_token_holds_after_a_restart_and_is_nowhere_in_the_store(tmp_path: Path) -> None:
    tokens = []

    async def told() -> None:
        async with in_memory(tmp_path) as (client, _):
            me = Assistant(client)
            await me.sit(game="fish", seat="white", opponents=["greedy"], settings={"rows": 3, "cols": 4})
            tokens.append(me.token)
        async with in_memory(tmp_path) as (client, _):
            again = Assistant(client)
            again.token = me.token
            assert (await again("view"))["you"] == "white"
            end = await again.play()
            assert end["outcome"]["reason"] == "nobody can move"

    asyncio.run(told())
    secret = tokens[0].rpartition(".")[2]
    assert not [path for path in tmp_path.iterdir() if secret.encode() in path.read_bytes()]
    assert not is_name(_holder(secret).who.key), "nobody can register the name under which the seat is held"


async def test_what_one_seat_submits_the_other_does_not_see(tmp_path: Path) -> None:
    async with in_memory(tmp_path) as (client, tools):
        first, second = Assistant(client), Assistant(client)
        match = await open_for_two(tools)
        await first.sit(match=match, seat="FRANCE")
        assert "nobody sits on GERMANY" in await first.fails("legal")
        await second.sit(match=match, seat="GERMANY")
        assert "taken" in await Assistant(client).fails("sit", match=match, seat="FRANCE")
        await first("submit", action=["A PAR - PIC", "A MAR - SPA", "F BRE - MAO"])
        view = await second("view")
        assert "PIC" not in json.dumps(view)
        assert (await first("view"))["submitted"] == ["A PAR - PIC", "A MAR - SPA", "F BRE - MAO"]
        news = await second("wait", since=0, seconds=0)
        assert "PIC" not in json.dumps(news)
        await second("submit", action=[])
        ended = await second("wait", since=news["k"], seconds=5)
        assert "A PAR - PIC" in json.dumps(ended)


async def open_for_two(tools: SeatTools, per_turn: float | None = None) -> str:
    from parlour.core.game import Seat
    from parlour.core.terms import Clock, Terms
    from parlour.net.setup import MatchSetup
    from parlour.referee.conduct import preset

    powers = ("AUSTRIA", "ENGLAND", "ITALY", "RUSSIA", "TURKEY")
    agents = {Seat(power): "hold" for power in powers}
    terms = Terms(preset("hosted"), Clock(per_turn=per_turn))
    setup = MatchSetup(game="diplomacy", terms=terms, agents=agents, config={"last_year": 1901})
    return await session_of(tools._hall, "host").open(setup)


async def test_a_view_says_how_much_time_is_left_where_time_is_limited(tmp_path: Path) -> None:
    async with in_memory(tmp_path) as (client, tools):
        for per_turn in (None, 600.0):
            first, second = Assistant(client), Assistant(client)
            match = await open_for_two(tools, per_turn)
            await first.sit(match=match, seat="FRANCE")
            await second.sit(match=match, seat="GERMANY")
            left = (await first("view")).get("seconds_left")
            assert left == per_turn or (per_turn and per_turn - 60 < left < per_turn)
            assert left is None or left == round(left, 1)


@inside(run)
async def test_of_very_many_legal_actions_some_are_listed_and_the_others_counted(
    me: Assistant, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    await me.sit(game="diplomacy", seat="FRANCE", opponents=["hold"])
    everything = await me("legal")
    assert "why" not in everything
    count = len(everything["legal"])
    monkeypatch.setattr(tools_module, "MAX_LISTED", count)
    assert await me("legal") == everything
    monkeypatch.setattr(tools_module, "MAX_LISTED", count - 7)
    fewer = await me("legal")
    assert fewer == {"legal": everything["legal"][:-7], "why": "7 more are not shown: name a unit"}


async def test_seats_that_are_left_open_are_listed_and_taken_by_other_assistants(tmp_path: Path) -> None:
    async with in_memory(tmp_path) as (client, _):
        first, second = Assistant(client), Assistant(client)
        assert (await first("matches"))["matches"] == []
        taken = await first.sit(game="diplomacy", seat="FRANCE", open_seats=2, opponents=["hold"])
        (waiting,) = (await second("matches"))["matches"]
        assert (waiting["match"], waiting["free"]) == (taken["match"], ["RUSSIA", "TURKEY"])
        assert "has not started" in await first.fails("legal")
        assert (await second.sit(match=waiting["match"], seat="TURKEY"))["seat"] == "TURKEY"
        await Assistant(client).sit(match=waiting["match"])
        assert (await second("matches"))["matches"] == []
        assert (await first("view"))["status"] == "running"
        assert "expected 0 to 6" in await first.fails("sit", game="diplomacy", open_seats=7)


@pytest.mark.parametrize(("tool", "argument"), [("sit", "opponentz"), ("view", "seat"), ("matches", "token")])
@inside(run)
async def test_an_argument_that_a_tool_does_not_have_is_refused_by_its_name(
    assistant: Assistant, *, tool: str, argument: str
) -> None:
    await assistant.sit(game="fish")
    told = await assistant.fails(tool, **{argument: "hold"})
    assert argument in told
    assert "not permitted" in told


@inside(run)
async def test_who_names_no_seat_gets_the_first(me: Assistant) -> None:
    assert (await me.sit(game="diplomacy", opponents=["hold"]))["seat"] == "AUSTRIA"


def test_waiting_ends_by_itself(tmp_path: Path) -> None:
    async def story(me: Assistant) -> None:
        await me.sit(game="diplomacy", seat="FRANCE", opponents=["hold"])
        first = await me("wait")
        assert any("you are to act" in line for line in first["news"])
        quiet = await me("wait", since=first["k"], seconds=0.05)
        assert quiet == {"news": [], "k": quiet["k"], "your_turn": True, "over": False}
        assert quiet["k"] >= first["k"]

    run(tmp_path, story)
    assert LONGEST_WAIT <= 25


async def test_a_whole_match_on_stdio(tmp_path: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "parlour", "mcp"], cwd=str(tmp_path))
    async with Client(server) as client:
        for game, seat, settings in (
            ("fish", "red", {"rows": 3, "cols": 4}),
            ("diplomacy", "FRANCE", {"last_year": 1901}),
        ):
            me = Assistant(client)
            await me.sit(game=game, seat=seat, settings=settings)
            assert (await me.play())["status"] == "over"


def test_a_whole_match_over_http(tmp_path: Path) -> None:
    words = [sys.executable, "-u", "-m", "parlour", "mcp", "--http", "0", "--store", str(tmp_path / "kept.db")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = re.findall(r"http://\S+/mcp", process.stdout.readline())[0]
            asyncio.run(_over_http(address))
        finally:
            process.terminate()
            process.wait(PATIENCE)


async def _over_http(address: str) -> None:
    for game, seat, settings in (("fish", "red", {"rows": 3, "cols": 4}), ("diplomacy", "ITALY", {"last_year": 1901})):
        async with Client(address) as client:
            me = Assistant(client)
            await me.sit(game=game, seat=seat, settings=settings)
        async with Client(address) as client:  # the token is all that a call needs, whichever connection it comes by
            again = Assistant(client)
            again.token = me.token
            assert (await again.play())["status"] == "over"


async def test_a_name_that_was_not_allowed_is_not_answered(tmp_path: Path) -> None:
    import httpx2
    from starlette.applications import Starlette

    from parlour.net.mcp.server import make_app

    async with in_memory(tmp_path) as (_, tools):
        app: Starlette = make_app(make_server(tools), ["good.example"])
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://evil.example") as page:
                body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                headers = {"accept": "application/json, text/event-stream"}
                assert (await page.post("/mcp", json=body, headers=headers)).status_code == 421


async def test_a_call_over_http_stands_by_itself_and_is_answered_in_one_piece(tmp_path: Path) -> None:
    """So that whoever calls again after a restart of the server is answered as before."""
    import httpx2

    from parlour.net.mcp.server import make_app

    async with in_memory(tmp_path) as (_, tools):
        app = make_app(make_server(tools), ["good.example"])
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://good.example") as caller:
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                headers = {"accept": "application/json, text/event-stream"}
                answer = await caller.post("/mcp", json=body, headers=headers)
                assert answer.status_code == 200
                assert {tool["name"] for tool in answer.json()["result"]["tools"]} == TOOLS


async def test_one_network_opens_so_many_matches_over_http_and_asks_so_often(tmp_path: Path) -> None:
    """Each call to sit makes a new holder, so that limits on accounts alone would hold nobody back."""
    import httpx2

    from parlour.net.mcp.server import make_app

    with open_store(str(tmp_path / "mcp.db")) as store:
        hall = Hall(store, limits=HallLimits(matches_of_one=2))
        await hall.start()
        limits = RequestLimits(1.0, 5, clock=lambda: 0.0)
        app = make_app(make_server(SeatTools(hall)), ["good.example"], limits)
        arguments = {"game": "fish", "opponents": ["greedy"]}
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "sit", "arguments": arguments},
        }
        headers = {"accept": "application/json, text/event-stream"}
        seen: dict[str, list[str]] = {}
        async with app.router.lifespan_context(app):
            for address, times in (("192.0.2.1", 6), ("192.0.2.2", 2)):
                transport = httpx2.ASGITransport(app=app, client=(address, 1))
                async with httpx2.AsyncClient(transport=transport, base_url="http://good.example") as caller:
                    answers = [await caller.post("/mcp", json=body, headers=headers) for _ in range(times)]
                seen[address] = [
                    "too often" if one.status_code == 429 else "refused" if "too many" in one.text else "opened"
                    for one in answers
                ]
        await hall.close()
    assert seen["192.0.2.1"] == ["opened", "opened", "refused", "refused", "refused", "too often"]
    assert seen["192.0.2.2"] == ["opened", "opened"]
