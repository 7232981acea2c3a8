"""Places of DAIDE clients: the matches behind a port, a place in a match, and matches for clients without a seat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from parlour.core.game import Seat
from parlour.core.table_view import MatchStatus
from parlour.errors import Denied
from parlour.games.diplomacy.fog import is_foggy
from parlour.games.diplomacy.maps.map import Map, named, standard
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import Variation
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.tokens import Codec, Numbering, codec
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.sessions import Session
from parlour.net.setup import is_match_id
from parlour.press.language.tokens import Lexicon
from parlour.store import Filter, RecordKind


@dataclass(frozen=True, slots=True)
class Gate:
    """The matches behind a port: all on one map, or a single one."""

    board: Map = field(default_factory=standard)
    numbering: Numbering = Numbering.CLIENTS
    """Token numbering for clients until they use the other one."""
    match: str = ""

    @property
    def codec(self) -> Codec:
        """The codec of the map's tokens."""
        return codec(self.board, self.numbering)

    @property
    def lexicon(self) -> Lexicon:
        """The words of the language for this map."""
        return Lexicon.of(self.board)


@dataclass(frozen=True, slots=True)
class Placement:
    """A place in a match for one client."""

    match: str
    seat: Seat | None
    """The seat that was asked for; None for any, or for an observer."""
    session: Session
    options: DaideOptions
    taken: bool = False
    """True if the session holds the seat already, as after a restart of the server."""
    name: str = ""
    """Name of the former client on that seat."""


def waits_for_players(hosted: HostedMatch) -> bool:
    """Return True if new players may still join.

    The match has not begun, or its first turn waits for a quorum.
    """
    state = hosted.match.state
    wanting = state.status is MatchStatus.PAUSED and state.terms.quorum is not None and state.turn <= 1
    return state.status is MatchStatus.FORMING or wanting


def split_name(name: str) -> tuple[str, str]:
    """Return a client's name and the match id after its last @; empty without one."""
    title, at, match = name.rpartition("@")
    return (title, match.strip()) if at else (name, "")


def board_of_match(hosted: HostedMatch) -> Map:
    """Return the map of a match of Diplomacy; in fog it is a map that no gate has.

    DAIDE shows everything to everybody.
    """
    board = named(str(hosted.match.config.get("map", "standard")))
    return board.under((Variation.FOG,)) if is_foggy(hosted.match.config) else board


Attend = Callable[[Placement], Awaitable[None]]
"""Called with the place of an observer in a match."""


class Observers:
    """Finds matches for clients without a seat, and holds those that wait for the next match to start."""

    def __init__(self, hall: Hall, placed: Callable[[HostedMatch, None], Placement]) -> None:
        self._hall, self._placed = hall, placed
        self._waiting: dict[Attend, Gate] = {}
        self._hall.started.append(self._started)

    async def place(self, gate: Gate) -> Placement | None:
        """Return a place in the port's match, or in the newest listed match if it has started; else None."""
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", unfinished=True)
        for head in (await self._hall.page(wanted)).heads:
            if gate.match not in ("", head.id):
                continue  # the port does not serve this match, so it is not woken
            hosted = await self._hall.wake(head.id)
            if (found := await self._at(hosted, gate)) is not None:
                forming = hosted.match.state.status is MatchStatus.FORMING
                return None if forming and not gate.match else found
        return None

    def wait(self, gate: Gate, attend: Attend) -> Callable[[], None]:
        """Call back with a place in the next match that starts; call the result to stop waiting."""
        self._waiting[attend] = gate

        def stop() -> None:
            self._waiting.pop(attend, None)

        return stop

    async def position(self, gate: Gate, name: str) -> Position | None:
        """Return the position of the match that the port or the client's name selects, if anybody may watch it."""
        match = gate.match or split_name(name)[1]
        if not is_match_id(match):
            return None
        with suppress(Denied):  # the match does not exist, or is not public
            placement = await self._at(await self._hall.wake(match), gate, named=True)
            if placement is not None:
                found = (await placement.session.view(match)).position
                return found if isinstance(found, Position) else None
        return None

    async def _at(self, hosted: HostedMatch, gate: Gate, *, named: bool = False) -> Placement | None:
        """Return an observer's place in a match; None if it has another map or not everybody may watch it."""
        if gate.match not in ("", hosted.name) or board_of_match(hosted) != gate.board:
            return None
        if not (named or gate.match or hosted.about.listed):
            return None
        placement = self._placed(hosted, None)
        try:
            await placement.session.ask_to_watch(hosted.name)
        except Denied:
            return None
        return placement

    def _started(self, match: str) -> None:
        if self._waiting:
            self._hall.spawn(self._show(match))

    async def _show(self, match: str) -> None:
        """Show a match that has just started to all waiting observers who may watch it."""
        hosted = await self._hall.wake(match)
        if hosted.match.game.name != "diplomacy":
            return
        for attend, gate in tuple(self._waiting.items()):
            placement = await self._at(hosted, gate)
            if placement is not None and self._waiting.pop(attend, None) is not None:
                await attend(placement)
