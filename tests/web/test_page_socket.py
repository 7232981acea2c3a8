"""The line of a page: what it is told when its person may see less than before, and when it makes no sense."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed, ConnectionClosedError, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from parlour.core import intents as it
from parlour.core.game import Position, Seat
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.core.viewers import OMNISCIENT, Viewer
from parlour.net.fair_pool import Requester
from parlour.net.framing.connection import LineRate
from parlour.net.match_roles import MatchRole
from parlour.net.sessions import Session
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.web import page_socket, views
from parlour.web.packets import Packet, unpacked
from parlour.web.page_socket import LARGEST, TOO_LARGE, PageSocket
from parlour.web.view_streams import ViewStream
from support.hall.people import appointed, session_of, submitted
from support.waiting import PATIENCE
from support.web.server import WebServer

FRANCE, ITALY, TURKEY = Seat("FRANCE"), Seat("ITALY"), Seat("TURKEY")
SECRET, PASSWORD = "between us", "a good password"
TERMS = Terms(
    DIPLOMACY, press=PressTerms(PressMode.ANYTIME), vacancy=Vacancy.AWAITED, seats_to_start=2, wait_flags_up=True
)


class Page:
    """A page as its socket has it: all that it was told, as text."""

    def __init__(self, line: ClientConnection) -> None:
        self.line, self.told = line, list[str]()
        line.send("{}")

    def hear(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next message of that kind; what comes before it is kept, too."""
        while True:
            message = self.line.recv(timeout=PATIENCE)
            self.told.append(gzip.decompress(message).decode() if isinstance(message, bytes) else message)
            found: dict[str, Any] = json.loads(self.told[-1])
            if wanted(found):
                return found

    def role(self) -> str:
        """As whom the next snapshot is told."""
        return str(self.hear(lambda one: "head" in one)["head"]["role"])

    def ask(self, **message: Any) -> dict[str, Any]:
        """Return the next answer."""
        self.line.send(json.dumps({"id": 7, **message}))
        return self.hear(lambda one: 7 in (one.get("ok"), one.get("refused")))


def opened(server: WebServer, **more: Any) -> str:
    setup = MatchSetup(game="diplomacy", terms=TERMS, agents={ITALY: "hold", TURKEY: "hold"}, paced=True, **more)
    return server.run(session_of(server.hall, "owner").open(setup))


def looking(server: WebServer, match: str, token: str = "", query: str = "") -> ClientConnection:
    headers = {"Cookie": f"parlour={token}"} if token else {}
    address = f"ws://127.0.0.1:{server.port}/match/{match}/line{query}"
    return connect(address, additional_headers=headers, origin=None, max_size=None)


def whispered(server: WebServer, match: str, account: str, seat: Seat) -> None:
    """Somebody says something in secret, and then everybody hears of something."""
    session = session_of(server.hall, account)
    assert server.run(submitted(session, match, it.Say(seat, SECRET, (ITALY,)))).refusal is None
    assert server.run(submitted(session, match, it.Act(seat, []))).refusal is None


def acted(seat: Seat) -> Callable[[dict[str, Any]], bool]:
    return lambda one: one.get("e", {}).get("event") == "acted" and one["e"]["seat"] == seat


@pytest.mark.parametrize("query", ["", "?as=omniscient"])
def test_a_page_that_watches_an_exhibition_is_a_spectators_as_soon_as_somebody_sits_down(
    server: WebServer, query: str
) -> None:
    match = opened(server, unveiled=True)
    with looking(server, match, query=query) as line, looking(server, match, query=query) as late:
        page = Page(line)
        assert page.role() == "omniscient"
        server.run(session_of(server.hall, "ann").join(match, FRANCE))
        whispered(server, match, "ann", FRANCE)
        assert page.role() == "spectator"
        answer = page.ask(ask="turns", **{"from": 0, "to": 3})
        assert "ok" in answer
        # Whoever had asked to see all before, and says hello only now, is no better off.
        other = Page(late)
        assert other.role() == "spectator"
        whispered(server, match, "ann", FRANCE)
        for one in (page, other):
            one.hear(acted(FRANCE))
            assert SECRET not in "".join(one.told)
            assert one.ask(ask="alive")["ok"] == 7
            assert one.ask(ask="nothing")["k"] > answer["k"] > 0, "it is numbered as a spectator's view"


def test_a_page_for_which_somebody_sits_down_while_its_stand_is_made(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, stand = opened(server, unveiled=True), server.site.views.stand

    async def slow(match: str, viewer: Viewer, asker: Requester) -> ViewStream:
        found = await stand(match, viewer, asker)
        if viewer == OMNISCIENT:
            await session_of(server.hall, "ann").join(match, FRANCE)
        return found

    monkeypatch.setattr(server.site.views, "stand", slow)
    with looking(server, match) as line:
        assert Page(line).role() == "spectator"


def test_an_omniscient_of_the_match_goes_on_seeing_all(server: WebServer) -> None:
    match, token = opened(server, unveiled=True), server.sign_in("trusted")
    server.run(appointed(session_of(server.hall, "owner"), match, "trusted", MatchRole.OMNISCIENT))
    with looking(server, match, token) as line:
        page = Page(line)
        assert page.role() == "omniscient"
        server.run(session_of(server.hall, "ann").join(match, FRANCE))
        whispered(server, match, "ann", FRANCE)
        page.hear(lambda one: SECRET in json.dumps(one))
        server.run(appointed(session_of(server.hall, "owner"), match, "trusted", None))
        assert page.role() == "spectator"


def test_who_has_lost_the_seat_sees_what_a_spectator_sees(server: WebServer) -> None:
    match, token = opened(server), server.sign_in("ann")
    server.run(session_of(server.hall, "ann").join(match, FRANCE))
    with looking(server, match, token) as line:
        page = Page(line)
        assert page.role() == "FRANCE"
        server.run(submitted(session_of(server.hall, "owner"), match, it.Leave(FRANCE)))
        assert page.role() == "spectator"
        server.run(session_of(server.hall, "bob").join(match, FRANCE))
        whispered(server, match, "bob", FRANCE)
        page.hear(acted(FRANCE))
        assert SECRET not in "".join(page.told)
        assert "refused" in page.ask(intent="act", seat="FRANCE", action=[], turn=1)


def test_who_loses_the_seat_during_a_question_gets_a_spectators_answer(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, token = opened(server), server.sign_in("ann")
    server.run(session_of(server.hall, "ann").join(match, FRANCE))

    async def asked(session: Session, match: str, stand: ViewStream, *_: object) -> dict[str, Any]:
        if stand.viewer.seats:
            await submitted(session_of(server.hall, "owner"), match, it.Leave(FRANCE))
        return {"turns": [str(stand.viewer)]}

    monkeypatch.setattr(server.site.views, "asked", asked)
    with looking(server, match, token) as line:
        page = Page(line)
        assert page.role() == "FRANCE"
        assert page.ask(ask="turns")["turns"] == ["spectator"]


def test_a_page_whose_person_sat_down_asks_for_another_head_on_the_same_line(server: WebServer) -> None:
    match, token = opened(server), server.sign_in("ann")
    with looking(server, match, token, "?as=spectator") as watching, looking(server, match, token) as line:
        page, other = Page(line), Page(watching)
        assert page.role() == other.role() == "spectator"
        server.run(session_of(server.hall, "ann").join(match, FRANCE))
        for one, role in ((page, "FRANCE"), (other, "spectator")):
            assert one.ask(ask="anew")["ok"] == 7
            assert one.role() == role
            assert one.ask(ask="alive")["ok"] == 7


def test_who_loses_the_seat_while_a_snapshot_is_made_does_not_get_it(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, token, made = opened(server), server.sign_in("ann"), page_socket.snapshot
    server.run(session_of(server.hall, "ann").join(match, FRANCE))

    def slow(head: dict[str, Any], *given: Any) -> Packet:
        if head["role"] == "FRANCE":
            server.run(submitted(session_of(server.hall, "owner"), match, it.Leave(FRANCE)))
        return made(head, *given)

    monkeypatch.setattr(page_socket, "snapshot", slow)
    with looking(server, match, token) as line:
        assert Page(line).role() == "spectator"


def test_a_page_that_may_not_watch_any_more_is_shut(server: WebServer) -> None:
    match, token = opened(server, admission=Admission(watched=False)), server.sign_in("eve")
    server.run(session_of(server.hall, "eve").join(match, FRANCE))
    with looking(server, match, token) as line:
        page = Page(line)
        assert page.role() == "FRANCE"
        server.run(submitted(session_of(server.hall, "owner"), match, it.Leave(FRANCE)))
        with pytest.raises(Exception, match="4403"):
            page.role()


DEEP = '{"id": 7, "x": ' + "[" * 20_000 + "]" * 20_000 + "}"


@pytest.mark.parametrize("hello", ["gibberish", "[]", b"\xff", DEEP])
def test_a_page_that_does_not_say_hello_is_told_what_was_expected(server: WebServer, hello: str | bytes) -> None:
    with looking(server, opened(server)) as line:
        line.send(hello)
        with pytest.raises(ConnectionClosedError, match=r"4400.*since"):
            line.recv(timeout=PATIENCE)


@pytest.mark.parametrize("message", ["gibberish", "{}", b'{"id": 7, "ask": "alive", "x": "\xff"}', DEEP])
def test_what_is_no_question_closes_the_line_with_a_reason(server: WebServer, message: str | bytes) -> None:
    with looking(server, opened(server)) as line:
        page = Page(line)
        page.role()
        line.send(message)
        with pytest.raises(ConnectionClosedError, match=r"4400.*an id"):
            page.hear(lambda one: False)


def test_an_intent_that_cannot_be_read_is_refused_and_the_line_goes_on(server: WebServer) -> None:
    with looking(server, opened(server)) as line:
        page = Page(line)
        for broken in (
            b'{"id": 7, "intent": "act", "seat": "FRANCE", "action": "\xff"}',
            b'{"id": 7, "intent": "jump"}',
        ):
            line.send(broken)
            answer = page.hear(lambda one: one.get("refused") == 7)
            assert answer["code"] == "bad value"
            assert answer["reason"]
        assert page.ask(ask="alive")["ok"] == 7


def test_a_message_that_is_too_large_ends_a_line_with_a_reason(server: WebServer) -> None:
    with looking(server, opened(server)) as line:
        page = Page(line)
        assert page.ask(ask="x" * (LARGEST - 40))["code"] == "bad value"
        line.send(json.dumps({"id": 7, "ask": "x" * LARGEST}))
        with pytest.raises(ConnectionClosed) as closed:
            list(line)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == TOO_LARGE
        assert closed.value.rcvd.reason == "the message is too large: at most 65,536 bytes"


def test_a_page_that_says_what_it_knows_of_another_view_gets_a_snapshot_of_its_own(server: WebServer) -> None:
    match = opened(server, unveiled=True)
    with looking(server, match) as late, looking(server, match) as line:
        assert Page(line).role() == "omniscient"
        server.run(session_of(server.hall, "ann").join(match, FRANCE))
        late.send(json.dumps({"since": 1}))
        first = late.recv(timeout=PATIENCE)
        told = json.loads(gzip.decompress(first) if isinstance(first, bytes) else first)
        assert told["head"]["role"] == "spectator"


def test_a_page_that_knows_more_than_has_happened_begins_anew(server: WebServer) -> None:
    match = opened(server)
    with looking(server, match) as line:
        line.send(json.dumps({"since": 1_000_000}))  # as after a backup of the store was restored
        first = line.recv(timeout=PATIENCE)
        told = json.loads(gzip.decompress(first) if isinstance(first, bytes) else first)
        assert told["head"]["role"] == "spectator"
        assert told["next"] < 10


def test_an_answer_has_no_number_of_a_view_that_the_page_is_about_to_leave(server: WebServer) -> None:
    match = opened(server)

    class Socket:
        """Asks once, and leaves."""

        query_params: ClassVar[dict[str, str]] = {}

        def __init__(self) -> None:
            self.scope, self.coming, self.told = dict[str, Any](), ['{"id": 7, "ask": "alive"}'], list[Any]()

        async def receive(self) -> dict[str, Any]:
            if not self.coming:
                return {"type": "websocket.disconnect"}
            return {"type": "websocket.receive", "text": self.coming.pop()}

        async def send(self, message: Any) -> None:
            self.told.append(unpacked(message))

    async def answered(*, expelled: bool) -> Any:
        socket: Any = Socket()
        line = PageSocket(socket, server.site.views, session_of(server.hall, "owner"), match)
        await line._find_place()
        if expelled:
            line._here.page.expel()
        with pytest.raises(WebSocketDisconnect):
            await line._listen()
        line._give_up_place()
        return socket.told[0]["k"]

    assert server.run(answered(expelled=False)) > 0
    assert server.run(answered(expelled=True)) == 0


def test_another_sites_page_gets_no_line_though_it_has_a_cookie(server: WebServer) -> None:
    match, cookie = opened(server), f"parlour={server.sign_in('vera')}"
    address = f"ws://127.0.0.1:{server.port}/match/{match}/line"
    for foreign in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        headers = {"Cookie": cookie, **foreign}
        with pytest.raises(InvalidStatus, match="403"), connect(address, additional_headers=headers, origin=None):
            pass
    own = {"Cookie": cookie, "Origin": server.url}
    with connect(address, additional_headers=own, max_size=None) as line:
        assert Page(line).role() == "spectator"


def test_a_page_that_has_left_before_it_is_told_why_it_may_not_look_is_no_failure(server: WebServer) -> None:
    class Gone:
        """A socket that takes nothing any more."""

        query_params: ClassVar[dict[str, str]] = {}

        async def accept(self) -> None:
            pass

        async def close(self, code: int, reason: str) -> None:
            raise RuntimeError("Unexpected ASGI message 'websocket.close'")

    socket: Any = Gone()
    server.run(PageSocket(socket, server.site.views, Session(server.hall), "none").run())


class Asking:
    """A socket that asks for the possible orders some times, and leaves."""

    query_params: ClassVar[dict[str, str]] = {}

    def __init__(self, times: int) -> None:
        self.scope: dict[str, Any] = {}
        self.coming = times
        self.told: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        if not self.coming:
            return {"type": "websocket.disconnect"}
        self.coming -= 1
        return {"type": "websocket.receive", "text": '{"id": 7, "ask": "orders"}'}

    async def send(self, message: Any) -> None:
        self.told.append(unpacked(message))


def listened(server: WebServer, match: str, times: int, rate: LineRate) -> tuple[list[Any], list[str]]:
    """Return what a page was told that asks without waiting, and what else ran between two of its lines."""
    socket: Any = Asking(times)
    line = PageSocket(socket, server.site.views, session_of(server.hall, "owner"), match, rate=rate)
    others: list[str] = []

    async def other() -> None:
        while True:
            others.append("turn")
            await asyncio.sleep(0)

    async def listen() -> None:
        await line._find_place()
        beside = asyncio.ensure_future(other())
        with pytest.raises(WebSocketDisconnect):
            await line._listen()
        beside.cancel()
        line._give_up_place()

    server.run(listen())
    return socket.told, others


def test_possible_orders_are_computed_once_for_all_who_ask(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    match = opened(server)
    server.run(session_of(server.hall, "ann").join(match, FRANCE))
    server.run(session_of(server.hall, "bob").join(match, ITALY))
    computed: list[int] = []
    listed = views._listed

    def counted(position: Position) -> bytes:
        computed.append(threading.get_ident())
        return listed(position)

    monkeypatch.setattr(views, "_listed", counted)
    told, others = listened(server, match, 20, LineRate())
    assert [one["ok"] for one in told] == [7] * 20
    assert told[0]["orders"]["FRANCE"]
    assert len(computed) == 1
    assert computed[0] != server.run(identify())
    assert len(others) >= 20  # everybody else had a turn between two lines


async def identify() -> int:
    return threading.get_ident()


def test_the_answers_to_a_page_count_by_their_size(server: WebServer) -> None:
    sizes: list[int] = []

    class Counting(LineRate):
        def sent(self, size: int) -> None:
            sizes.append(size)

    told, _ = listened(server, opened(server), 3, Counting())
    assert len(sizes) == len(told) == 3
    assert min(sizes) > 10


def test_a_page_that_asks_too_fast_is_answered_later(server: WebServer) -> None:
    match, now = opened(server), iter(range(1000))
    # A clock that goes on by a second whenever it is looked at: each line beyond the first three waits for none.
    rate = LineRate(1000.0, 3.0, clock=lambda: float(next(now)))
    told, _ = listened(server, match, 10, rate)
    assert len(told) == 10
    assert next(now) > 2  # it was looked at, because there were more lines than may come at once


@pytest.mark.parametrize("way", ["sign out", "lock", "password"])
def test_a_page_whose_token_ends_is_a_strangers_from_then_on(server: WebServer, way: str) -> None:
    name = f"ann who {way}s"
    match, token = opened(server), server.sign_in(name)
    server.run(session_of(server.hall, name).join(match, FRANCE))
    with looking(server, match, token) as line:
        page = Page(line)
        assert page.role() == "FRANCE"
        if way == "sign out":
            server.request("POST", "/signout", form={}, token=token, origin=server.url)
        elif way == "lock":
            server.run(_lock(server, name))
        else:
            server.run(_other_password(server, name))
        assert page.role() == "spectator"
        whispered(server, match, name, FRANCE)
        page.hear(acted(FRANCE))
        assert SECRET not in "".join(page.told)
        refused = page.ask(intent="act", seat="FRANCE", action=[], turn=1)
        assert (refused["refused"], refused["code"]) == (7, "bad token")


async def _lock(server: WebServer, name: str) -> None:
    await server.accounts.ensure_admin("the administrator")
    admin = await server.accounts.identify(await server.accounts.sign_in("admin", "the administrator"))
    await server.accounts.lock(admin, name)


async def _other_password(server: WebServer, name: str) -> None:
    identity = await server.accounts.identify(await server.accounts.sign_in(name, PASSWORD))
    await server.accounts.change_password(identity, PASSWORD, "another password")
