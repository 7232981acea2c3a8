"""Shows DAIDE clients to their matches: by name, by passcode, or to the gallery; knows who is connected where."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Plain, Seat
from parlour.errors import Denied
from parlour.games.diplomacy.map import Map, named, standard
from parlour.net.accounts.limits import Buckets, network_of
from parlour.net.daide.options import DaideOptions, options_of
from parlour.net.daide.tokens import MOST, Codec, Numbering, codec
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup, is_match_id
from parlour.press.tokens import Lexicon
from parlour.referee.state import MatchStatus
from parlour.store import Filter, RecordHead, RecordKind, Seating, Setting

SECRET = "daide secret"
GUESSES, GUESSES_A_SECOND = 30.0, 0.1
"""Wrong passcodes of one address, at once and after that: there are only 8,191, and connections cost nothing."""
ACCOUNT = "daide "
"""How the accounts of clients begin: they are nobody's, and known by their passcodes alone."""

_log = logging.getLogger(__name__)


class Occupant(Protocol):
    """Whoever is connected on a seat."""

    def displaced(self) -> None:
        """Somebody with the passcode sits there now."""
        ...


@dataclass(frozen=True, slots=True)
class Gate:
    """What stands behind a port: all matches on a board, or a single one."""

    board: Map = field(default_factory=standard)
    numbering: Numbering = Numbering.CLIENTS
    """In which clients are spoken to until it shows that they speak the other one."""
    match: str = ""

    @property
    def codec(self) -> Codec:
        """The words of the board."""
        return codec(self.board, self.numbering)

    @property
    def lexicon(self) -> Lexicon:
        """What the board brings into the language."""
        return Lexicon.of(self.board)


@dataclass(frozen=True, slots=True)
class Placement:
    """A place at a match that was found for somebody."""

    match: str
    seat: Seat | None
    """The one that was asked for, or (None) any."""
    session: Session
    options: DaideOptions
    taken: bool = False
    """Whether the seat is this session's already, as after a restart of the server."""
    name: str = ""
    """Of whoever sat there before."""


def waits_for_players(hosted: HostedMatch) -> bool:
    """Whether new players may still sit down: it has not begun, or stands still in its first turn for want of them."""
    state = hosted.match.state
    wanting = state.status is MatchStatus.PAUSED and state.terms.quorum is not None and state.turn <= 1
    return state.status is MatchStatus.FORMING or wanting


class Reception:
    """One for all ports of a server."""

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
        self._config = config or {}
        """How matches are set up that are opened for clients."""
        self._opens = opens
        """Whether clients may open matches."""
        self._secret = b""
        self._guesses = Buckets(GUESSES_A_SECOND, GUESSES)
        self._seating = asyncio.Lock()
        self._sitting: dict[tuple[str, Seat], Occupant] = {}
        """Who is connected, by match and seat."""
        self._awaited: dict[tuple[str, Seat], str] = {}
        """Who was cut off from a match that had begun, by match and seat: they may come back."""
        self._versions: dict[str, dict[Seat, str]] = {}
        """What the clients of each match said of their versions."""

    async def open(self) -> None:
        """Learn the secret of the store, so that clients can come back after a restart with their passcodes."""
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
        """What the client called itself that sat there before the agent that plays for it."""
        joined = [event for event in await self.hall.record(match) if isinstance(event, ev.Joined)]
        *_, client, _ = [event.name for event in joined if event.seat == seat]
        return client

    async def _sittings(self, *status: str) -> list[tuple[str, Seating]]:
        """The seats of clients in all matches of such a status, with the match; agents may play there for them."""
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
        """The time by which deadlines are kept."""
        return self.hall.now()

    def passcode(self, match: str, seat: Seat) -> int:
        """What one must know to take that seat again: the same after every restart, and nobody else's to guess."""
        digest = hmac.digest(self._secret, f"{match}\n{seat}".encode(), hashlib.sha256)
        return int.from_bytes(digest[:4], "big") % MOST + 1

    # Places

    async def place(self, name: str, gate: Gate) -> Placement | None:
        """A seat for somebody of that name: at the match after @, of the power before a colon, where it says so."""
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
            hosted = await self._named(wanted, gate) if wanted else await self._waiting(gate)
        if hosted is None or (seat is not None and seat in hosted.head.players):
            return None
        return self._placed(hosted, seat, secrets.token_hex(8))

    async def _is_awaited(self, seat: Seat, title: str) -> bool:
        """Whether somebody of that name was cut off from that power, in a match that still runs.

        Bots of the C++ framework that come back say their name with the power first, and IAM when that is rejected.
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
        """The place of that power at the match for which the passcode is right; a name may have said which.

        There are few passcodes, so that one may be right at several: then it is good at the one from which somebody was
        cut off, and if that does not tell, at none, since nobody may see another's secrets. From an address that has
        guessed too often none is right for a while.
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
                if match in ("", head.id) and self.passcode(head.id, seat) == passcode:
                    hosted = await self.hall.wake(head.id)
                    found += [hosted] if board_of_match(hosted) == gate.board else []
            if page.more is None:
                break
            after = page.more
        if len(found) > 1:
            found = [hosted for hosted in found if (hosted.name, seat) in self._awaited]
        return self._placed(found[0], seat, "") if len(found) == 1 else None

    async def gallery(self, gate: Gate) -> Placement | None:
        """The newest match that waits or runs; if there is none, a new one, for observers may be here first."""
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", unfinished=True)
        for head in (await self.hall.page(wanted)).heads:
            if gate.match in ("", head.id):
                hosted = await self.hall.wake(head.id)
                if board_of_match(hosted) == gate.board:
                    return self._placed(hosted, None, "")
        if gate.match:
            return None
        async with self._seating:
            opened = await self._waiting(gate)
        return None if opened is None else self._placed(opened, None, "")

    def _placed(self, hosted: HostedMatch, seat: Seat | None, token: str) -> Placement:
        """A place at a match, for whoever has the seat already, or for an account of its own."""
        options = options_of(hosted.match.terms, hosted.about.extras.get("daide"))
        sitting = hosted.seating.get(seat) if seat is not None else None
        if seat is not None and sitting is not None and _is_for_client(sitting):
            taken = not sitting.agent  # else who comes back gets the seat from the agent, under its own name
            name = sitting.player if taken else self._awaited.get((hosted.name, seat), "")
            return Placement(hosted.name, seat, Session(self.hall, sitting.account), options, taken, name)
        place = hosted.match.state.places.get(seat) if seat is not None else None
        name, account = "" if place is None else place.name or "", f"{ACCOUNT}{hosted.name} {seat or ''}{token}"
        return Placement(hosted.name, seat, Session(self.hall, account), options, name=name)

    async def _named(self, match: str, gate: Gate) -> HostedMatch | None:
        if not is_match_id(match):
            return None
        try:
            head = await self.hall.head(match)
        except Denied:
            return await self._opened(match, gate) if self._opens else None
        return await self._suitable(head, gate)

    async def _waiting(self, gate: Gate) -> HostedMatch | None:
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", status=("forming",))
        page = await self.hall.page(wanted, newest_first=False)
        for head in page.heads:
            if not head.password and len(head.players) < len(gate.lexicon.seats):
                if (hosted := await self._suitable(head, gate)) is not None:
                    return hosted
        return await self._opened("", gate) if self._opens else None

    async def _suitable(self, head: RecordHead, gate: Gate) -> HostedMatch | None:
        if head.game != "diplomacy" or head.status not in ("forming", "paused"):
            return None
        hosted = await self.hall.wake(head.id)
        return hosted if board_of_match(hosted) == gate.board and waits_for_players(hosted) else None

    async def _opened(self, match: str, gate: Gate) -> HostedMatch | None:
        config: dict[str, Plain] = dict(self._config)
        if gate.board != standard():
            config["map"] = gate.board.name
        extras: dict[str, Plain] = {"daide": self.options.extras()}
        setup = MatchSetup(game="diplomacy", terms=self.options.terms(), config=config, match=match, extras=extras)
        try:
            return await self.hall.wake(await self.hall.open(setup))
        except Denied as denied:
            _log.info("no match is opened for a DAIDE client: %s", denied)
            return None

    # Who is here

    def seated(self, match: str, seat: Seat, occupant: Occupant, version: str, unheard: Callable[[str], str]) -> None:
        """Somebody sits there now, and may not hear everything; whoever was connected there before is not any more."""
        self.hall.unheard[match, seat] = unheard
        self._awaited.pop((match, seat), None)
        before = self._sitting.get((match, seat))
        self._sitting[match, seat] = occupant
        if version:
            self._versions.setdefault(match, {})[seat] = version
        if before is not None and before is not occupant:
            before.displaced()

    def unseated(self, match: str, seat: Seat, occupant: Occupant, *, over: bool, awaited: str = "") -> None:
        """Somebody is connected there no longer, and may come back under that name."""
        if self._sitting.get((match, seat)) is occupant:
            del self._sitting[match, seat]
            self.hall.unheard.pop((match, seat), None)
            if awaited and not over:
                self._awaited[match, seat] = awaited
        if over:
            self._versions.pop(match, None)

    def _given_up(self, match: str) -> None:
        """A match could not be stored: its clients are cut off, and learn how it stands when they come back."""
        for (other, _), occupant in tuple(self._sitting.items()):
            if other == match:
                occupant.displaced()

    def versions(self, match: str) -> dict[Seat, str]:
        """What the clients of a match said of their versions since this server has been running."""
        return self._versions.get(match, {})

    async def announce(self, match: str, by: str, text: str) -> bool:
        """Tell everybody at a match something that is no press; whether that was done."""
        return (await self.hall.handle(match, it.Proclaim(by, text))).refusal is None

    async def roll_call(self) -> None:
        """Who was here before the server stopped and has not come back has left."""
        for match, sitting in await self._sittings("forming", "running", "paused"):
            seat = Seat(sitting.seat)
            if not sitting.agent and (match, seat) not in self._sitting:
                with suppress(Denied):  # the seat was given to somebody else meanwhile
                    await Session(self.hall, sitting.account).handle(match, it.Leave(seat))


def _is_for_client(sitting: Seating) -> bool:
    """Whether a client sits there, or an agent of the house for one that left."""
    return sitting.account.startswith(ACCOUNT)


def split_name(name: str) -> tuple[str, str]:
    """What a client calls itself, and the match after the last @, if it names one."""
    title, at, match = name.rpartition("@")
    return (title, match.strip()) if at else (name, "")


def board_of_match(hosted: HostedMatch) -> Map:
    """The board that a match of Diplomacy is played on."""
    return named(str(hosted.match.config.get("map", "standard")))
