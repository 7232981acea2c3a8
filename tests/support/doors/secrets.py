"""Everybody at every door of one server, with marked secrets: what each was sent must hold none that is not theirs.

Matches have two players who say, note, order and ask models things, each with a mark of its own, and vote. One match is
shown to spectators much later, one to those who say its password, and one is not listed. Others are called what a
player, a seat, an agent or the server is called. Rights are given, taken, locked and revoked in between, from a seed,
and seats change hands: what was said to one player is not for the next.
All that anybody was sent is kept as it came, exports too, and so are logs and numbers; only then is it looked at.
"""

# Why real time passes here: what a server sends comes when the system has brought it.

from __future__ import annotations

import asyncio
import contextlib
import gzip
import inspect
import itertools
import json
import logging
import random
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import websockets
from starlette.routing import Route, WebSocketRoute

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Ballot, Consultation
from parlour.core.terms import PressMode, PressTerms, SealMode, SealTerms, Terms, Vacancy
from parlour.errors import Denied, ParlourError
from parlour.net.accounts.accounts import Accounts
from parlour.net.accounts.limits import AccountLimits, RequestLimits
from parlour.net.accounts.passwords import Passwords
from parlour.net.accounts.principals import of_account
from parlour.net.daide.door import DaideDoor
from parlour.net.doors import HttpDoor
from parlour.net.hall import Hall
from parlour.net.http.app import OPERATIONS, PREFIX, Service, make_app
from parlour.net.match_roles import MatchRole
from parlour.net.mcp.seat_tools import SeatTools
from parlour.net.mila.door import MilaDoor
from parlour.net.mila.hall_host import HallHost
from parlour.net.mila.server_door import mila_route
from parlour.net.settings import ServerSettings
from parlour.net.setup import Admission, MatchSetup
from parlour.net.stand_ins import Sitter
from parlour.referee.conduct import HOSTED
from parlour.store import Account, SQLiteStore
from parlour.web.site import Site
from parlour.web.views import Views
from support.cost.requests import parts, variants
from support.daide.wire import DaideLine
from support.hall.people import session_of
from support.hall.quick_passwords import QUICK
from support.waiting import PATIENCE

HOST, ROOT, PASSWORD = "127.0.0.1", "the administrator", "correct horse"
AT_WILL = AccountLimits(sign_ins_per_minute=1e6, registrations_per_hour=1e6)
FRANCE, ITALY, TURKEY = Seat("FRANCE"), Seat("ITALY"), Seat("TURKEY")
PLAYERS = {"ann": FRANCE, "bea": ITALY}
PLAYER_OF = {seat: name for name, seat in PLAYERS.items()}
SHOWN = {"ann": "eve", "bea": "server"}
"""The names that the players show: of another account, and of the server."""
PEOPLE = ("ann", "bea", "eve", "server", "dumbbot", "FRANCE", "daide m ITALY", "seer")
"""Accounts: players, and those who are called what somebody else is called."""
TAKERS = tuple(name for name in PEOPLE if not name.startswith("daide "))
"""Those who may sit down: not under a name that earlier versions gave to DAIDE clients."""
MAIN, LATE, SHUT, MASKED = "m", "late", "shut", "masked"
"""Matches that are listed: for all to watch, shown later, with a password for watchers, without names of players."""
SESAME = "the password of the match that is shut"
CAST = frozenset({Ballot.YES.value, Ballot.NO.value})
ROLES = ("FRANCE", "ITALY", "observer_type", "omniscient_type")
PAGES = ("/?show=open", "/?show=over&text=MARK", "/account", "/waiting", "/sandbox", "/player/ann", "/player/bea")
"""Pages about several matches, or about none."""
EXPORTS = ("record", "text", "saved-game", "picture/1", "picture/2")
"""Downloads of a match from its page."""
LINES = {"/match/{match}/line", "/tournament/{tournament}/line", "/"}
"""Where the server has websockets; each is asked below."""
ASKED = tuple(re.findall(r'case "([\w ]+)":', inspect.getsource(Views.asked)))
"""Questions of pages on their lines."""
SIGN_OUTS = {("DELETE", f"{PREFIX}/tokens/mine"), ("POST", "/signout")}
LAST = 1000
"""The number of the last question."""
CHANGING = ("join", "seat agent", "replace by agent", "stand in", "seek replacement", "agree")
"""Those of them that change something."""
QUESTION = {"from": 0, "to": 8, "turn": 1, "seat": "FRANCE", "text": "A PAR H", "action": ["A PAR H"]}
FILLED = {"seat": "NOWHERE", "account": "ann", "game": "diplomacy", "turn": "1", "player": "ann"}
"""A stranger's values for the parts of an address; all others are x."""
TERMS = Terms(
    HOSTED,
    press=PressTerms(PressMode.ANYTIME, level=8000),
    vacancy=Vacancy.AWAITED,
    seats_to_start=2,
    wait_flags_up=True,
    seals=SealTerms(SealMode.INVITED),
)


class Person:
    """An account at every door, and all that it was sent."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.token = ""
        self.told: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.mila: Any = None
        self.line: Any = None
        """The line of a page of the first match."""

    def hear(self, where: str, message: str | bytes) -> None:
        """Keep what came."""
        if isinstance(message, bytes):
            message = (gzip.decompress(message) if message[:2] == b"\x1f\x8b" else message).decode("utf-8", "replace")
        self.told.append(f"{where}: {message}")


class SecretsWorld:
    """One seed of it."""

    def __init__(self, seed: int, path: Path) -> None:
        self.chance = random.Random(seed)
        self.choice_of_pages = random.Random(-seed)
        """Separate, so that a new page does not change what happens in the life of a seed."""
        self.path = path
        self.people = {name: Person(name) for name in PEOPLE}
        self.nobody, self.stranger = Person(""), Person("stranger")
        self.allowed: dict[str, set[str]] = {}
        """By mark, the accounts that might have seen it at some time since it was there."""
        self.about: dict[str, tuple[str, tuple[str, ...], bool]] = {}
        """By mark, the match, the players whose secret it is, and True if those may know it who may watch."""
        self.holders = {seat: name for name, seat in PLAYERS.items()}
        """Return the players of the first match."""
        self.admitted: set[str] = set()
        """Those who have said the password of the match that is shut."""
        self.role: dict[str, MatchRole | None] = {}
        self.locked: set[str] = set()
        self.log = logging.Handler()
        self.logged: list[str] = []
        self.log.emit = lambda record: self.logged.append(record.getMessage())  # type: ignore[method-assign]
        self._numbers = itertools.count()
        self._sockets: list[Any] = []

    # Living

    async def live(self, steps: int) -> list[str]:
        """Let so many things happen; what somebody was sent that was not theirs, as a line each."""
        logging.getLogger().addHandler(self.log)
        try:
            async with self._serving():
                try:
                    await self._begin()
                    for _ in range(steps):
                        await self._step()
                    await self._look_everywhere()
                    await self._quiet()
                finally:
                    await self._go_home()
        finally:
            logging.getLogger().removeHandler(self.log)
        return self._leaks()

    async def _go_home(self) -> None:
        """Everybody hangs up, so that the server need not wait for them."""
        tasks = [task for person in self.people.values() for task in person.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for socket in self._sockets:
            await socket.close()
        (await self.owner.submit(MAIN, it.Announce("", "the end")))[0]  # ends the requests that wait for news

    @contextlib.asynccontextmanager
    async def _serving(self) -> AsyncIterator[None]:
        with SQLiteStore(self.path / "world.db") as store:
            self.hall = hall = Hall(store)
            self.accounts = accounts = Accounts(store, limits=AT_WILL, passwords=Passwords(QUICK))
            await hall.start()
            limits = RequestLimits(1e6, 1_000_000)
            site = Site(hall, accounts, limits=limits)
            service = Service(hall, accounts, ServerSettings(), limits=limits)
            mila = mila_route(MilaDoor(HallHost(hall, accounts)))
            self.app = make_app(service, [mila, *site.routes()])
            entrance = HttpDoor(self.app, host=HOST, port=0, stop_time=1.0)
            await entrance.open()
            serving = asyncio.ensure_future(entrance.run())
            self.daide = [DaideDoor(hall, match=match, opens=False) for match in (MAIN, LATE, SHUT, "")]
            for door in self.daide:
                await door.open()
            self.tools = SeatTools(hall)
            self.port = int(entrance.address.rpartition(":")[2])
            try:
                async with httpx.AsyncClient(base_url=f"http://{HOST}:{self.port}", timeout=PATIENCE) as self.http:
                    yield
            finally:
                await DaideLine.hang_up()
                for door in self.daide:
                    await door.close()
                await entrance.close()
                await serving
                site.close()
                await hall.close()
                accounts.close()

    async def _begin(self) -> None:
        await self.accounts.ensure_admin(ROOT)
        self.admin = await self.accounts.identify(await self.accounts.sign_in("admin", ROOT))
        digest = await self.accounts.passwords.digest(PASSWORD)
        await self.hall.store.keep(
            *(Account(name, digest) for name in ("owner", "stranger", *PEOPLE))
        )  # names of earlier days
        self.owner = session_of(self.hall, "owner")
        await self._open(MAIN, self._mark((), "password"), agents={TURKEY: "hold"})
        await self._open(LATE, self._mark((), "password"), delay=86_400.0)
        await self._open(SHUT, SESAME, admission=Admission(guarded=True))
        for name, seat in PLAYERS.items():
            for match in (MAIN, LATE, SHUT):
                sitter = Sitter(SHOWN[name], of_account(name))
                (answer,) = await self.hall.submit(match, it.Join(SHOWN[name], seat), sitter=sitter)
                assert answer.refusal is None, answer.refusal
        hidden = self._mark((ITALY,), "hidden", "")
        await self._open(hidden, "", listed=False, title=f"The title of {hidden}")
        bea = Sitter(SHOWN["bea"], of_account("bea"))
        await self.hall.submit(hidden, it.Join(SHOWN["bea"], ITALY), sitter=bea)
        masked = self._mark((), "mask")
        await self.hall.store.keep(Account(masked, digest))
        await self._open(MASKED, "", admission=Admission(anonymous=True), agents={ITALY: "hold"})
        assert (await session_of(self.hall, masked).join(MASKED, FRANCE)).refusal is None
        for name in PEOPLE:
            await self._sign_in(name)

    async def _open(self, match: str, password: str, **more: Any) -> None:
        setup = MatchSetup(game="diplomacy", terms=TERMS, match=match, config={"rules": ["unchecked"]}, **more)
        await self.owner.open(setup, password=password)

    # What happens

    async def _step(self) -> None:
        happen = (
            self._play,
            self._play,
            self._play_elsewhere,
            self._say_password,
            self._appoint,
            self._lock,
            self._revoke,
            self._hand_over,
            self._sign_in_again,
            self._look,
        )
        happens = self.chance.choice(happen)
        await happens()
        if happens in (self._appoint, self._lock, self._revoke):  # whoever lost sight is there when something happens
            await self._play()

    async def _hand_over(self) -> None:
        """A player leaves a seat, and another takes it, or the same again, who then looks at all there is to see."""
        seat, name = self.chance.choice(list(self.holders.items()))
        left = (await session_of(self.hall, name).submit(MAIN, it.Leave(seat)))[0]
        assert left.refusal is None, left.refusal
        taker = self.chance.choice([name, *(other for other in TAKERS if other not in self.holders.values())])
        shown = SHOWN.get(taker, taker)
        (answer,) = await self.hall.submit(MAIN, it.Join(shown, seat), sitter=Sitter(shown, of_account(taker)))
        assert answer.refusal is None, answer.refusal
        self.holders[seat], self.role[taker] = taker, None  # whoever sits down no longer sees all
        await self._ask_all(self.people[taker], seat)

    async def _play(self) -> None:
        seat, name = self.chance.choice(list(self.holders.items()))
        other = ITALY if seat == FRANCE else FRANCE
        session, kind = session_of(self.hall, name), self.chance.choice(["say", "note", "order", "ask", "vote"])
        intent: it.Intent
        match kind:
            case "say":
                intent = it.Say(seat, self._mark((seat, other), kind), (other,))
            case "note":
                plan, stance, text = (self._mark((seat,), part) for part in ("plan", "stance", "text"))
                seal = it.Seal(seat, [f"A PAR - {plan}"], {stance: "break"}, {str(other): [plan]}, text)
                await session.submit(MAIN, seal)
                intent = it.Note(seat, self._mark((seat,), kind))
            case "order":
                unit = "A PAR" if seat == FRANCE else "A VEN"
                intent = it.Act(seat, [f"{unit} - {self._mark((seat,), kind)}"])
            case "vote":
                self._vote_mark(seat)
                intent = it.Vote(seat, self.chance.choice([Ballot.YES, Ballot.NO]))
            case _:
                prompt, answered = self._mark((seat,), "prompt"), self._mark((seat,), "answer")
                intent = it.RecordModelCall(seat, Consultation("talk", "model", prompt, answered))
        await session.submit(MAIN, intent)

    async def _play_elsewhere(self) -> None:
        """Say something to all, where not all may hear it yet."""
        name, seat = self.chance.choice(list(PLAYERS.items()))
        match = self.chance.choice([LATE, SHUT])
        answer = (
            await session_of(self.hall, name).submit(match, it.Say(seat, self._mark((FRANCE, ITALY), "all", match)))
        )[0]
        assert answer.refusal is None, answer.refusal

    async def _say_password(self) -> None:
        """Somebody says the password of the match that is shut, or a wrong one."""
        person, right = self.people[self.chance.choice(PEOPLE)], self.chance.random() < 0.3
        if right:
            self.admitted.add(person.name)
            self._allow()
        said = {**_bearer(person.token), "Match-Password": SESAME if right else "guess"}
        person.hear("password", (await self.http.get(f"/api/v1/matches/{SHUT}/events", headers=said)).content)

    async def _appoint(self) -> None:
        name = self.chance.choice([name for name in ("seer", "eve", "FRANCE") if name not in self.holders.values()])
        role = None if self.role.get(name) else self.chance.choice([MatchRole.OMNISCIENT, MatchRole.MODERATOR])
        try:
            await self.owner.appoint("m", name, role)
        except Denied:  # those who have played in the match may not look on
            return
        self.role[name] = role
        self._allow()
        if role is not None:
            await self._ask_mila(self.people[name], "omniscient_type")  # whoever may see all does so at once
        with contextlib.suppress(websockets.ConnectionClosed):
            await (await self.people[name].mila.ping())

    async def _lock(self) -> None:
        name = self.chance.choice(PEOPLE)
        locked = name not in self.locked
        await self.accounts.lock(self.admin, name, locked)
        (self.locked.add if locked else self.locked.discard)(name)
        self._allow()

    async def _revoke(self) -> None:
        await self.accounts.revoke(self.people[self.chance.choice(PEOPLE)].token)

    async def _sign_in_again(self) -> None:
        name = self.chance.choice(PEOPLE)
        if name not in self.locked:
            await self._sign_in(name)

    # Who looks where

    async def _sign_in(self, name: str) -> None:
        person = self.people[name]
        person.token = await self.accounts.sign_in(name, PASSWORD)
        person.mila = await websockets.connect(f"ws://{HOST}:{self.port}", max_size=None)
        cookie = {"Cookie": f"parlour={person.token}"}
        for match in (MAIN, self.chance.choice([LATE, SHUT])):
            address = f"ws://{HOST}:{self.port}/match/{match}/line"
            line = await websockets.connect(address, additional_headers=cookie, max_size=None)
            self._sockets.append(line)
            person.line = line if match == MAIN else person.line
            person.tasks.append(asyncio.ensure_future(self._listen(person, "line", line)))
            with contextlib.suppress(websockets.ConnectionClosed):
                await line.send("{}")
        self._sockets.append(person.mila)
        person.tasks += [
            asyncio.ensure_future(self._listen(person, "mila", person.mila)),
            asyncio.ensure_future(self._wait_for_news(person, person.token)),
        ]
        await self._ask_mila(person)

    async def _listen(self, person: Person, where: str, socket: Any) -> None:
        with contextlib.suppress(websockets.ConnectionClosed):
            async for message in socket:
                person.hear(where, message)

    async def _wait_for_news(self, person: Person, token: str) -> None:
        since = 0
        while True:
            answer = await self.http.get(
                "/api/v1/matches/m/events", params={"since": since, "wait": 20}, headers=_bearer(token)
            )
            person.hear("waiting", answer.content)
            if answer.status_code != 200 or not answer.json()["events"]:
                return
            since = answer.json()["next"]

    async def _look(self) -> None:
        await self._ask_all(self.people[self.chance.choice(PEOPLE)])

    async def _look_everywhere(self) -> None:
        for person in (*self.people.values(), self.nobody):
            await self._ask_all(person)
        await self._try_everything()
        await asyncio.gather(*map(self._observe, self.daide))

    async def _ask_all(self, person: Person, seat: str = "") -> None:
        paths = [
            "/api/v1/matches",
            "/api/v1/matches?account=ann",
            "/metrics",
            "/match/m",
            "/match/m/events?since=0",
            "/",
            "/api/v1/matches?owner=owner&unfinished=true&limit=2",
            f"/match/{LATE}/events",
            f"/match/{SHUT}",
            f"/match/{SHUT}/events",
            f"/api/v1/matches/{MAIN}/picture",
            *(f"/api/v1/matches/{match}/events?as=," for match in (MAIN, LATE, SHUT)),  # as one who has no seat
        ]
        wanted = (
            [f"?as={seat}"]
            if seat
            else ["", "?as=FRANCE", "?as=ITALY", "?as=omniscient", "?as=moderator", "?as=spectator"]
        )
        for part in ("", "/events", "/record", "/phases", "/saved-game", "/orders"):
            paths += [f"/api/v1/matches/{match}{part}{self.chance.choice(wanted)}" for match in (MAIN, LATE, SHUT)]
        paths += self.choice_of_pages.sample(PAGES, 3)
        for match in (MAIN, LATE, SHUT, MASKED):
            paths.append(f"/match/{match}/export/{self.choice_of_pages.choice(EXPORTS)}")
        paths.append(f"{self.choice_of_pages.choice(['/api/v1/matches', '/match'])}/{MASKED}/events")
        cookie = {"Cookie": f"parlour={person.token}"} if person.token else {}
        for path in paths:
            answer = await self.http.get(path, headers={**_bearer(person.token), **cookie})
            person.hear(path, answer.content)
        for token in (person.token, f"m.{person.token}", "m.x"):
            try:
                person.hear("assistant", str(await self.tools.view(token)))
            except Denied as denied:
                person.hear("assistant", str(denied))
        if person.line is not None:
            with contextlib.suppress(websockets.ConnectionClosed):
                for number, ask in enumerate(ask for ask in ASKED if ask not in CHANGING):
                    await person.line.send(json.dumps({"id": number, "ask": ask, **QUESTION}))
        if person.mila is not None:
            await self._ask_mila(person, seat)

    async def _ask_mila(self, person: Person, role: str = "") -> None:
        match = MAIN if role else self.chance.choice([MAIN, MAIN, LATE, SHUT])
        game = {"token": person.token, "re_sent": False, "game_id": match}
        role = role or self.chance.choice(ROLES)
        played = {**game, "game_role": role, "phase": "S1901M"}
        power = role if role in PLAYERS.values() else None
        for request in (
            {**game, "name": "join_game", "power_name": power, "registration_password": "guess"},
            {**played, "name": "synchronize", "timestamp": 0},
            {**played, "name": "save_game"},
            {**played, "name": "get_phase_history"},
            {"token": person.token, "re_sent": False, "name": "list_games", "include_protected": True},
            {**played, "name": "clear_orders", "power_name": None} if power is None else {**game, "name": "list_games"},
        ):
            with contextlib.suppress(websockets.ConnectionClosed):
                await person.mila.send(json.dumps({"request_id": str(next(self._numbers)), **request}))

    async def _observe(self, door: DaideDoor) -> None:
        """A DAIDE client that looks on, and guesses."""
        line = await DaideLine.open(door.port)
        for said in (
            "OBS",
            "YES ( MAP ( 'standard' ) )",
            "HLO",
            "ORD",
            "MIS",
            "IAM ( FRA ) ( 17 )",
            "HST ( SPR 1901 )",
        ):
            line.say(said)
        with contextlib.suppress(TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(0.3):
                while True:
                    self.nobody.hear("daide", await line.hear())

    async def _quiet(self) -> None:
        """Wait until all that was under way has come: each mila line answers one more request."""
        for person in self.people.values():
            with contextlib.suppress(websockets.ConnectionClosed):
                await (await person.mila.ping())
        await asyncio.sleep(0.2)

    # A stranger

    async def _try_everything(self) -> None:
        """An account that may see nothing, and nobody, send a request of each kind that the server takes."""
        lines = {route.path for route in self.app.routes if isinstance(route, WebSocketRoute)}
        assert lines == LINES, "somebody must ask there"
        token = await self.accounts.sign_in(self.stranger.name, PASSWORD)
        for person, given in ((self.stranger, token), (self.nobody, "")):
            who = {**_bearer(given), "Cookie": f"parlour={given}"} if given else {}
            for route in (one for one in self.app.routes if isinstance(one, Route)):
                for method in sorted((route.methods or set()) - {"HEAD"}):
                    if given and (method, route.path) in SIGN_OUTS:
                        continue  # the others are to be asked as the stranger
                    path = _filled(route, self.choice_of_pages.choice((MAIN, LATE, SHUT, MASKED)))
                    for body in _bodies(method, route):
                        answer = await self.http.request(method, path, headers=who, **body)
                        person.hear(f"{method} {path}", str(answer.headers).encode() + answer.content)
            for match in (MAIN, LATE, SHUT, MASKED):
                await self._ask_line(person, match, who, ASKED)
                await self._call_tools(person, f"{match}.{given}")

    async def _ask_line(self, person: Person, match: str, who: dict[str, str], asked: tuple[str, ...]) -> None:
        """Ask all that a page can ask; seats and agents are named that there are not."""
        address = f"ws://{HOST}:{self.port}/match/{match}/line"
        with contextlib.suppress(websockets.ConnectionClosed):
            async with websockets.connect(address, additional_headers=who, max_size=None) as line:
                await line.send("{}")
                for number, ask in enumerate(asked):
                    seat = "NOWHERE" if ask in CHANGING else "FRANCE"
                    await line.send(json.dumps({"id": number, "ask": ask, **QUESTION, "seat": seat}))
                await line.send(json.dumps({"id": LAST, "ask": "alive"}))
                while f'"ok":{LAST}' not in person.told[-1]:
                    person.hear("line", await line.recv())

    async def _call_tools(self, person: Person, token: str) -> None:
        match = token.partition(".")[0]
        for name, tool in inspect.getmembers(self.tools, inspect.iscoroutinefunction):
            if not name.startswith("_"):
                wanted = inspect.signature(tool).parameters
                given = {"token": token, "match": match, "seat": "NOWHERE", "text": "x", "proposal": 1, "yes": True}
                given |= {"action": ["A PAR H"], "stances": {}, "seconds": 0.0}
                try:
                    answer = await tool(**{part: given[part] for part in wanted if part in given})
                except ParlourError as error:
                    answer = error
                person.hear(f"tool {name}", str(answer))

    # Marks

    def _mark(self, seats: tuple[Seat, ...], kind: str, match: str = MAIN) -> str:
        mark = f"MARK{kind}{next(self._numbers):05}"
        names = tuple(self.holders[seat] if match == MAIN else PLAYER_OF[seat] for seat in seats)
        self.about[mark], self.allowed[mark] = (match, names, kind == "all"), set()
        self._allow()
        return mark

    def _vote_mark(self, seat: Seat) -> None:
        """That a seat votes is a secret without a text: what was sent is searched for it by its form; see votes_in."""
        self.about[vote_of(seat)] = MAIN, (self.holders[seat],), False
        self.allowed.setdefault(vote_of(seat), set())
        self._allow()

    def _allow(self) -> None:
        for mark, (match, names, watched) in self.about.items():
            self.allowed[mark] |= {name for name in PEOPLE if names and self._may_know(name, match, names, watched)}

    def _may_know(self, name: str, match: str, names: tuple[str, ...], watched: bool) -> bool:
        appointed = match == MAIN and self.role.get(name) is not None
        let_in = match == SHUT and watched and name in self.admitted
        return name not in self.locked and (appointed or let_in or name in names)

    def _leaks(self) -> list[str]:
        found: list[str] = []
        tokens = {person.token: person.name for person in self.people.values()}
        for person in (*self.people.values(), self.stranger, self.nobody):
            for told in person.told:
                found += [
                    f"{person.name or 'nobody'} was sent {vote} at {told[:60]}"
                    for vote in votes_in(told)
                    if person.name not in self.allowed.get(vote, ())
                ]
                found += [
                    f"{person.name or 'nobody'} was sent {mark} at {told[:60]}"
                    for mark, seen_by in self.allowed.items()
                    if person.name not in seen_by and mark in told
                ]
                found += [
                    f"{person.name or 'nobody'} was sent the token of {name} at {told[:60]}"
                    for token, name in tokens.items()
                    if name != person.name and token in told
                ]
        secrets = (*self.allowed, *tokens, PASSWORD, ROOT, SESAME)
        return found + [f"logged: {line[:100]}" for line in self.logged if any(mark in line for mark in secrets)]


def vote_of(seat: str) -> str:
    """Return what stands for the vote of a seat among the marks."""
    return f"the vote of {seat}"


def votes_in(told: str) -> set[str]:
    """Return the marks of all votes that some JSON tells of, whichever door it came from."""
    if '"vote"' not in told and '"ballot"' not in told:
        return set()
    found: set[str] = set()
    for line in told.partition(": ")[2].splitlines():
        with contextlib.suppress(ValueError):
            _find_votes(json.loads(line), "", found)
    return found


def _find_votes(value: Any, seat: str, found: set[str]) -> None:
    """Add the votes in a value that is about that seat, if it is known about which."""
    if isinstance(value, list):
        for each in value:
            _find_votes(each, seat, found)
    if not isinstance(value, dict):
        return
    seat = next((value[key] for key in ("seat", "game_role") if value.get(key) in PLAYERS.values()), seat)
    for key, each in value.items():
        if key in ("vote", "ballot") and isinstance(each, dict):
            found |= {vote_of(name) for name, cast in each.items() if cast in CAST}
        elif key in ("vote", "ballot") and seat and each in CAST:
            found.add(vote_of(seat))
        else:
            _find_votes(each, key if key in PLAYERS.values() else seat, found)


def _filled(route: Route, match: str) -> str:
    """Return the address of a route, with a match."""
    filled = {**FILLED, "match": match}
    return re.sub(r"\{(\w+)(:\w+)?\}", lambda found: filled.get(found[1], "x"), route.path)


def _bodies(method: str, route: Route) -> list[dict[str, Any]]:
    """Return what can be sent there: values of the operation's forms, or the fields of a page's form."""
    if method in ("GET", "DELETE"):
        return [{}]
    for operation in OPERATIONS:
        if (operation.method, PREFIX + operation.path) == (method, route.path):
            info = msgspec.inspect.type_info(operation.body)
            if isinstance(info, msgspec.inspect.UnionType):
                return [{"json": body(1)} for _, part, body in variants(operation.body) if part == "as it is"]
            return [{"json": next(parts(operation.body))[1](1) if isinstance(info, msgspec.inspect.StructType) else {}}]
    return [{"data": {"name": "x", "password": "guess", "seat": "NOWHERE", "game": "none"}}]


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def leaks(seed: int, path: Path, steps: int) -> list[str]:
    """Return the secrets that reached another recipient, in a world of that seed."""
    return asyncio.run(SecretsWorld(seed, path).live(steps))
