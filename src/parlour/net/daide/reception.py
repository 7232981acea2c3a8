"""Finds the matches of DAIDE clients, by name or by passcode, and tracks connected clients."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Plain, Seat
from parlour.errors import Denied
from parlour.games.diplomacy.maps.map import standard
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.limits import Buckets, network_of
from parlour.net.accounts.principals import Principal, holder_of, of_daide_client
from parlour.net.daide.free_orders import FreeOrders
from parlour.net.daide.options import DaideOptions, options_of
from parlour.net.daide.places import Gate, Observers, Placement, board_of_match, split_name, waits_for_players
from parlour.net.daide.tokens import MOST
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup, about_of, is_match_id
from parlour.net.tenures import MOST as MOST_HOLDERS
from parlour.store import Filter, RecordHead, RecordKind, Seating, Setting

if TYPE_CHECKING:
    from parlour.net.daide.guest import DaideGuest

SECRET = "daide secret"
GUESSES, GUESSES_A_SECOND = 30.0, 0.1
"""Wrong passcodes of one address, at once and per second: there are only 8,191, and connections cost nothing."""

_log = logging.getLogger(__name__)


class Reception:
    """The reception for all ports of a server."""

    def __init__(
        self,
        hall: Hall,
        options: DaideOptions | None = None,
        *,
        config: dict[str, Plain] | None = None,
        opens: bool = True,
    ) -> None:
        self.hall = hall
        self.options = options or DaideOptions()
        self.options.check()
        hall.given_up.append(self._given_up)
        self.free_orders = FreeOrders()
        self.observers = Observers(hall, self.placed)
        self._config = config or {}
        """Configuration of matches that are opened for clients."""
        self._opens = opens
        """True if clients may open matches."""
        self._secret = b""
        self._guesses = Buckets(GUESSES_A_SECOND, GUESSES)
        self._seating = asyncio.Lock()
        self._sitting: dict[tuple[str, Seat], DaideGuest] = {}
        """Connected clients by match and seat."""
        self._latest: dict[Gate, str] = {}
        """By gate, the match that was opened last for clients that name none."""
        self._awaited: dict[tuple[str, Seat], str] = {}
        """Names of clients cut off from a running match, by match and seat: they may return."""
        self._versions: dict[str, dict[Seat, str]] = {}
        """Versions that the clients of each match gave."""

    async def open(self) -> None:
        """Read from the store the secret, so that passcodes stay valid, and the clients that may return."""
        store = self.hall.store
        found = await store.fetch(store.setting, SECRET)
        if found is None:
            found = secrets.token_bytes(32)
            await store.keep(Setting(SECRET, found))
        self._secret = found
        for match, sitting in await self._sittings("running", "paused"):
            seat = Seat(sitting.seat)
            self._awaited[match, seat] = await self._stood_in_for(match, seat) if sitting.agent else sitting.player

    async def _stood_in_for(self, match: str, seat: Seat) -> str:
        """Return the name of the client for which a stand-in plays."""
        joined = [event for event in await self.hall.record(match) if isinstance(event, ev.Joined)]
        *_, client, _ = [event.name for event in joined if event.seat == seat]
        return client

    async def _sittings(self, *status: str) -> list[tuple[str, Seating]]:
        """Return the seats of clients in all matches with one of these statuses, with the match.

        A stand-in may play for a client.
        """
        found, after = list[tuple[str, Seating]](), None
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", status=status)
        while True:
            page = await self.hall.page(wanted, after=after)
            for head in page.heads:
                seating = await self.hall.store.fetch(self.hall.store.seating, head.id)
                found += [(head.id, sitting) for sitting in seating if _is_for_client(sitting)]
            if page.more is None:
                return found
            after = page.more

    def now(self) -> float:
        """Return the hall's time."""
        return self.hall.now()

    def passcode(self, match: str, seat: Seat) -> int:
        """Return the passcode of the last client on a seat; that of an earlier client is not valid.

        It follows from the store's secret, so it stays the same after a restart.
        """
        hosted = self.hall.found_awake(match)
        earlier = 0 if hosted is None else len(hosted.tenures.clients(seat, hosted.seating.get(seat))) - 1
        return self._code(match, seat, max(0, earlier))

    def _code(self, match: str, seat: Seat, earlier: int) -> int:
        """Return the passcode of a client, given the number of earlier clients on the seat."""
        text = f"{match}\n{seat}\n{earlier}" if earlier else f"{match}\n{seat}"
        return int.from_bytes(hmac.digest(self._secret, text.encode(), hashlib.sha256)[:4], "big") % MOST + 1

    def _may_be(self, match: str, seat: Seat, passcode: int) -> bool:
        """Return True if a passcode may be right for a seat, as far as that is known while the match sleeps."""
        codes = (self._code(match, seat, earlier) for earlier in range(1, MOST_HOLDERS))
        return self.passcode(match, seat) == passcode or passcode in codes

    # Places

    async def place(self, name: str, gate: Gate, address: str = "") -> Placement | None:
        """Return a place for a client with that name and address; None if there is none.

        The name may contain the power before a colon, and the match after an @.
        """
        title, wanted = split_name(name)
        prefix, colon, _ = title.partition(":")
        seat = gate.lexicon.seat_of.get(prefix.upper()) if colon else None
        if colon and len(prefix) == 3 and seat is None:
            return None
        if seat is not None and not wanted and await self._is_awaited(seat, title):
            return None
        wanted = wanted or gate.match
        if gate.match not in ("", wanted):
            return None
        async with self._seating:
            hosted = await (self._named(wanted, gate, address) if wanted else self._waiting(gate, address))
        if hosted is None or (seat is not None and seat in hosted.head.players):
            return None
        return self.placed(hosted, seat, secrets.token_hex(8))

    async def _is_awaited(self, seat: Seat, title: str) -> bool:
        """Return True if a client of that name was disconnected from that power, in a match that still runs.

        Returning bots of the C++ framework first send their name with the power, and IAM when that is rejected.
        """
        bare = title.rpartition(":")[2]
        for (match, power), name in tuple(self._awaited.items()):
            if power == seat and split_name(name)[0].rpartition(":")[2] == bare:
                if (await self.hall.head(match)).status in ("running", "paused"):
                    return True
                del self._awaited[match, power]
        return False

    async def place_again(
        self, power: str, passcode: int, gate: Gate, name: str = "", address: str = ""
    ) -> Placement | None:
        """Return the place of that power in the match whose passcode is right; the name may select the match.

        There are few passcodes, so one may fit several matches. Then it is valid in the match from which a client
        was disconnected. If there are several of those it is valid in none, because nobody may see another's secrets.
        An address with too many wrong passcodes is refused for a while.
        """
        guesser = network_of(address)
        if self._guesses.is_empty(guesser, self.now()):
            return None
        found = await self._with_passcode(power, passcode, gate, name)
        if found is None:
            self._guesses.take(guesser, self.now())
        return found

    async def _with_passcode(self, power: str, passcode: int, gate: Gate, name: str) -> Placement | None:
        seat = gate.lexicon.seat_of[power]
        match = gate.match or split_name(name)[1]
        found: list[HostedMatch] = []
        after = None
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", status=("running", "paused"))
        while True:
            page = await self.hall.page(wanted, after=after)
            for head in page.heads:
                if match in ("", head.id) and self._may_be(head.id, seat, passcode):
                    hosted = await self.hall.wake(head.id)
                    right = self.passcode(head.id, seat) == passcode and board_of_match(hosted) == gate.board
                    found += [hosted] if right else []
            if page.more is None:
                break
            after = page.more
        if len(found) > 1:
            found = [hosted for hosted in found if (hosted.name, seat) in self._awaited]
        return self.placed(found[0], seat) if len(found) == 1 else None

    def placed(self, hosted: HostedMatch, seat: Seat | None, token: str = "") -> Placement:
        """Return a place in a match, for the client that holds the seat or held it last, else for a new principal."""
        options = options_of(hosted.match.terms, hosted.about.extras.get("daide"))
        sitting = hosted.seating.get(seat) if seat is not None else None
        if seat is not None and sitting is not None and _is_for_client(sitting):
            taken = not sitting.agent  # a returning client gets the seat from the stand-in, under its own name
            name = sitting.player if taken else self._awaited.get((hosted.name, seat), "")
            return Placement(hosted.name, seat, self._session(holder_of(sitting)), options, taken, name)
        place = hosted.match.state.places.get(seat) if seat is not None else None
        name = "" if place is None else place.name or ""
        clients = [] if seat is None or token else hosted.tenures.clients(seat, sitting)
        who = clients[-1] if clients else of_daide_client(hosted.name, seat or "", token or secrets.token_hex(8))
        return Placement(hosted.name, seat, self._session(who), options, name=name)

    def _session(self, who: Principal) -> Session:
        """Return the session of a client, which has no account and is identified by its passcode alone."""
        return Session(self.hall, Credential(who, "daide"))

    async def _named(self, match: str, gate: Gate, address: str) -> HostedMatch | None:
        if not is_match_id(match):
            return None
        try:
            head = await self.hall.head(match)
        except Denied:
            return await self._opened(match, gate, address) if self._opens else None
        return await self._suitable(head, gate)

    async def _waiting(self, gate: Gate, address: str) -> HostedMatch | None:
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", status=("forming",))
        page = await self.hall.page(wanted, newest_first=False)
        for head in page.heads:
            if about_of(head).listed and not head.password and len(head.players) < len(gate.lexicon.seats):
                if (hosted := await self._suitable(head, gate)) is not None:
                    return hosted
        # Among many matches of others, the last one that was opened here is not on the first page.
        if (latest := self._latest.get(gate)) is not None:
            with suppress(Denied):
                if (hosted := await self._suitable(await self.hall.head(latest), gate)) is not None:
                    return hosted
        opened = await self._opened("", gate, address) if self._opens else None
        if opened is not None:
            self._latest[gate] = opened.name
        return opened

    async def _suitable(self, head: RecordHead, gate: Gate) -> HostedMatch | None:
        if head.game != "diplomacy" or head.status not in ("forming", "paused"):
            return None
        hosted = await self.hall.wake(head.id)
        return hosted if board_of_match(hosted) == gate.board and waits_for_players(hosted) else None

    async def _opened(self, match: str, gate: Gate, address: str) -> HostedMatch | None:
        config: dict[str, Plain] = dict(self._config)
        if gate.board != standard():
            config["map"] = gate.board.name
        extras: dict[str, Plain] = {"daide": self.options.extras()}
        setup = MatchSetup(game="diplomacy", terms=self.options.terms(), config=config, match=match, extras=extras)
        try:
            self.hall.quotas.demand_opening(network_of(address))
            return await self.hall.wake(await self.hall.open(setup))
        except Denied as denied:
            _log.info("no match is opened for a DAIDE client: %s", denied)
            return None

    # Connected clients

    def occupant(self, match: str, seat: Seat) -> DaideGuest | None:
        """Return the connected client of a seat; None if there is none."""
        return self._sitting.get((match, seat))

    def seated(self, match: str, seat: Seat, occupant: DaideGuest, version: str, unheard: Callable[[str], str]) -> None:
        """Note a client on a seat, with the function that checks press for it; close a former connection."""
        self.hall.unheard[match, seat] = unheard
        self._awaited.pop((match, seat), None)
        before = self._sitting.get((match, seat))
        self._sitting[match, seat] = occupant
        if version:
            self._versions.setdefault(match, {})[seat] = version
        if before is not None and before is not occupant:
            before.displaced()

    def unseated(self, match: str, seat: Seat, occupant: DaideGuest, *, over: bool, awaited: str = "") -> None:
        """Note that a client has gone; it may return under the name `awaited`."""
        if self._sitting.get((match, seat)) is occupant:
            del self._sitting[match, seat]
            self.hall.unheard.pop((match, seat), None)
            if awaited and not over:
                self._awaited[match, seat] = awaited
        if over:
            self._versions.pop(match, None)
            self.free_orders.forget(match)

    def _given_up(self, match: str) -> None:
        """Disconnect the clients of a match that could not be stored; they learn its state when they return."""
        for (other, seat), occupant in tuple(self._sitting.items()):
            if other == match:
                del self._sitting[match, seat]
                occupant.displaced()

    def versions(self, match: str) -> dict[Seat, str]:
        """Return the versions that the clients of a match gave since the server started."""
        return self._versions.get(match, {})

    async def roll_call(self) -> None:
        """Leave the seats of clients that have not returned since a restart."""
        for match, sitting in await self._sittings("forming", "running", "paused"):
            seat = Seat(sitting.seat)
            if not sitting.agent and (match, seat) not in self._sitting:
                with suppress(Denied):  # the seat has another player meanwhile
                    await self._session(holder_of(sitting)).submit(match, it.Leave(seat))


def _is_for_client(sitting: Seating) -> bool:
    """Return True if a client holds the seat, also while a stand-in plays."""
    return holder_of(sitting).is_daide
