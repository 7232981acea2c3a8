"""Places of DAIDE clients: the matches behind a port, and a place in a match."""

from __future__ import annotations

from dataclasses import dataclass, field

from parlour.core.game import Seat
from parlour.core.table_view import MatchStatus
from parlour.games.diplomacy.fog import is_foggy
from parlour.games.diplomacy.maps.map import Map, named, standard
from parlour.games.diplomacy.variations import Variation
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.tokens import Codec, Numbering, codec
from parlour.net.hosted import HostedMatch
from parlour.net.sessions import Session
from parlour.press.language.tokens import Lexicon


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
