"""Secrecy as a law: in random matches, nothing that comes out of a door tells anybody what only others may know.

Whatever is secret carries a needle: a word that is nowhere else. Everybody asks every door for everything, and all that
they were ever told is searched for needles that are not theirs.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from parlour.net.accounts.accounts import Accounts
from parlour.net.accounts.limits import AccountLimits, RequestLimits
from parlour.net.accounts.passwords import Passwords
from parlour.net.hall import Hall
from parlour.net.http.app import PREFIX, Service, make_app
from parlour.net.match_roles import MatchRole
from parlour.net.settings import ServerSettings
from parlour.store import open_store
from parlour.web.site import Site
from support.hall.people import appointed, session_of
from support.hall.quick_passwords import QUICK
from support.waiting import PATIENCE

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
WATCHERS = ("owner", "seer", "stranger", "")
"""Viewers without a seat: the owner moderates, the seer is omniscient, a stranger has an account, the last one none."""
ALL = frozenset((*POWERS, *WATCHERS))
SEED = 4_611_686_018_427_001_337
TERMS = {"press": {"mode": "any time", "level": 8000, "max_per_turn": 1000}, "conduct": "diplomacy"}
AT_WILL = ServerSettings(requests_per_second=1e6, requests_at_once=1_000_000)
LOOKS = ("", "/events", "/phases", "/orders", "/record", "/saved-game", "/picture")


class Page:
    """The websocket of a page, without a network."""

    def __init__(self, app: Any, token: str, query: str = "") -> None:
        self.heard: list[str] = []
        self._coming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._coming.put_nowait({"type": "websocket.connect"})
        self._coming.put_nowait({"type": "websocket.receive", "text": "{}"})
        headers = [(b"host", b"parlour.test"), (b"origin", b"http://parlour.test")]
        headers += [(b"cookie", f"parlour={token}".encode())] if token else []
        scope = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "scheme": "ws",
            "path": "/match/m/line",
            "query_string": query.encode(),
            "headers": headers,
            "client": ("192.0.2.1", 1),
            "subprotocols": [],
        }
        self._task = asyncio.ensure_future(app(scope, self._coming.get, self._send))

    async def _send(self, message: Any) -> None:
        self.heard.append(str(message.get("text") or message.get("reason") or ""))

    def ask(self, number: int, **what: Any) -> None:
        """Ask the server something; the answer is heard."""
        self._coming.put_nowait({"type": "websocket.receive", "text": json.dumps({"id": number, **what})})

    async def close(self) -> None:
        """Leave."""
        self._coming.put_nowait({"type": "websocket.disconnect", "code": 1000})
        with suppress(TimeoutError):
            await asyncio.wait_for(self._task, PATIENCE)


class Room:
    """Everybody around one match, with what they were told and what each secret may be known to."""

    def __init__(self, client: httpx.AsyncClient, app: Any, hall: Hall, chance: random.Random) -> None:
        self.told: dict[str, list[str]] = {who: [] for who in ALL}
        self.needles: dict[str, frozenset[str]] = {}
        self.config: dict[str, Any] = {}
        self._client, self._app, self.hall, self._chance = client, app, hall, chance
        self._tokens: dict[str, str] = {"": ""}
        self.pages: list[tuple[str, Page]] = []

    async def enter(self) -> None:
        """Everybody signs up, sits down or opens a page."""
        for who in (*POWERS, *WATCHERS[:3]):
            answer = await self._send("POST", "/accounts", "", {"name": who.lower(), "password": "correct horse"})
            self._tokens[who] = answer.json()["token"]
        password = self._needle("password", set())
        body = {
            "game": "diplomacy",
            "match": "m",
            "seed": SEED,
            "password": password,
            "terms": TERMS,
            "config": self.config,
        }
        assert (await self._send("POST", "/matches", "owner", body)).status_code == 201
        self.needles[(await self.hall.head("m")).password] = frozenset()
        self.needles[str(SEED)] = frozenset({"owner"})
        await appointed(session_of(self.hall, "owner"), "m", "seer", MatchRole.OMNISCIENT)
        for power in POWERS:
            taking = {"seat": power, "password": password}
            assert (await self._send("POST", "/matches/m/seats", power, taking)).status_code == 201
        self.pages = [(who, Page(self._app, self._tokens[who])) for who in ALL]
        self.pages.append(("owner", Page(self._app, self._tokens["owner"], "as=moderator")))

    async def play(self, steps: int) -> None:
        """Do things at random, some of them secret, and look at everything between them."""
        for step in range(steps):
            await self._chance.choice([self._say, self._say, self._act, self._act, self._note, self._vote])()
            if step % 4 == 3:
                await self.look(self._chance.choice(sorted(ALL)))
            if step % 10 == 9:
                await self._intend("owner", "force turn", by="")
        self.needles[self._needle("removed", {"TURKEY", "owner", "seer"})] = frozenset({"TURKEY", "owner", "seer"})
        await self._intend("owner", "remove", by="", seat="TURKEY", reason=list(self.needles)[-1])

    async def look(self, who: str) -> None:
        """Ask every door for everything, as oneself and as others."""
        token = self._tokens[who]
        for look in LOOKS:
            for wanted in ("", "?as=moderator", "?as=omniscient", "?as=FRANCE", "?as=spectator"):
                answer = await self._send("GET", f"/matches/m{look}{wanted}", who)
                self.told[who].append(answer.text)
        self.told[who].append((await self._send("GET", "/matches", who)).text)
        self.told[who].append((await self._send("GET", "/matches/m/events?wait=0.01", who)).text)
        for path in ("/", "/match/m", "/match/m/events"):
            shown = await self._client.get(path, headers={"Cookie": f"parlour={token}"} if token else {})
            self.told[who].append(shown.text)
        for number, (own, page) in enumerate(self.pages):
            if own == who:
                for ask in ("turns", "orders", "legal", "ledger", "press"):
                    page.ask(number, ask=ask, turn=1, seat="FRANCE")

    async def leave(self) -> None:
        """All pages are closed; what they heard is remembered."""
        for who, page in self.pages:
            await page.close()
            self.told[who] += page.heard

    def check(self) -> int:
        """AssertionError names whoever knows what is not theirs; how many needles were found where they may be."""
        found = 0
        for who, texts in self.told.items():
            everything = "\n".join(texts)
            for needle, privy in self.needles.items():
                assert who in privy or needle not in everything, f"{who or 'somebody'} was told {needle}"
                found += needle in everything
        return found

    async def _say(self) -> None:
        power = self._chance.choice(POWERS)
        others = [other for other in POWERS if other != power]
        to = self._chance.sample(others, self._chance.randrange(1, 4))
        text = self._needle("said", {power, *to, "seer", "owner"})
        await self._intend(power, "say", seat=power, text=text, to=to)

    async def _note(self) -> None:
        power = self._chance.choice(POWERS)
        await self._intend(power, "note", seat=power, text=self._needle("note", {power, "seer", "owner"}))

    async def _act(self) -> None:
        """An order that cannot be: what was illegal in it is between the seat and the referee."""
        power = self._chance.choice(POWERS)
        needle = self._needle("order", {power, "seer", "owner"})
        await self._intend(power, "act", seat=power, action=[f"A {needle} - BUR"])

    async def order(self, power: str, text: str) -> None:
        """Give an order in earnest."""
        await self._intend(power, "act", seat=power, action=[text])

    async def _vote(self) -> None:
        power = self._chance.choice(POWERS)
        await self._intend(power, "vote", seat=power, ballot=self._chance.choice(["yes", "no"]))

    async def _intend(self, who: str, intent: str, **more: Any) -> None:
        answer = await self._send("POST", "/matches/m/intents", who, {"intent": intent, **more})
        self.told[who].append(answer.text)

    async def _send(self, method: str, path: str, who: str, body: Any = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._tokens[who]}"} if self._tokens.get(who) else {}
        return await self._client.request(method, PREFIX + path, json=body, headers=headers)

    def _needle(self, kind: str, privy: set[str]) -> str:
        needle = f"{kind}{self._chance.getrandbits(48):012x}"
        self.needles[needle] = frozenset(privy)
        return needle


@asynccontextmanager
async def doors(path: Path, chance: random.Random) -> AsyncIterator[Room]:
    """Yield the API and the pages of one hall, as `parlour serve` opens them."""
    with open_store(path) as store:
        hall = Hall(store)
        limits = AccountLimits(sign_ins_per_minute=1e6, registrations_per_hour=1e6)
        accounts = Accounts(store, limits=limits, passwords=Passwords(QUICK))
        await hall.start()
        site = Site(hall, accounts, limits=RequestLimits(1e6, 1e6))
        app = make_app(Service(hall, accounts, AT_WILL), site.routes())
        try:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://parlour.test") as client:
                yield Room(client, app, hall, chance)
        finally:
            site.close()
            await hall.close()
            accounts.close()


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)])
async def test_no_door_tells_anybody_what_only_others_may_know(tmp_path: Path, seed: int) -> None:
    async with doors(tmp_path / "kept.db", random.Random(seed)) as room:
        await room.enter()
        await room.play(40)
        for who in sorted(ALL):
            await room.look(who)
        if seed % 2:  # what is over is open, but not what was said in private
            await room._intend("owner", "conclude", by="")
            for needle in [needle for needle in room.needles if needle.startswith("order") or needle == str(SEED)]:
                room.needles[needle] = ALL
            for who in sorted(ALL):
                await room.look(who)
        await room.leave()
        assert room.check() > 100  # or else there would be nothing to find


HIDDEN = {"MOS": "RUSSIA", "SMY": "TURKEY", "LON": "ENGLAND", "MAR": "FRANCE", "VIE": "AUSTRIA"}
"""First units that nobody sees but their own power."""
MARCHES = {"RUSSIA": ("MOS", "UKR"), "TURKEY": ("SMY", "SYR"), "ENGLAND": ("LVP", "WAL"), "FRANCE": ("MAR", "SPA")}
"""Moves that nobody else sees."""


async def test_no_door_tells_in_fog_what_a_power_does_not_see(tmp_path: Path) -> None:
    async with doors(tmp_path / "kept.db", random.Random(4)) as room:
        room.config = {"rules": ["fog"]}
        await room.enter()
        for tag, power in HIDDEN.items():
            for kind in ("A", "F"):  # as lists have them, and as the compact text has them
                room.needles[f'"{kind} {tag}"'] = room.needles[f"{kind}{tag},"] = frozenset({power, "owner", "seer"})
        for power, (start, end) in MARCHES.items():
            for needle in (f"A {start} - {end}", f'"A {end}"', f"A{end}", f"from {start} to {end}"):
                room.needles[needle] = frozenset({power, "owner", "seer"})
            await room.order(power, f"A {start} - {end}")
        await room.play(20)
        for who in sorted(ALL):
            await room.look(who)
        await room.leave()
        assert room.check() > 35
        seen = "\n".join(room.told["seer"])
        assert all(f"A {start} - {end}" in seen and f"A{end}" in seen for start, end in MARCHES.values())
