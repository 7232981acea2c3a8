"""Places of DAIDE clients: the matches behind a port, and a place at a match."""

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
    """The matches behind a port: all on a board, or a single one."""

    board: Map = field(default_factory=standard)
    numbering: Numbering = Numbering.CLIENTS
    """Numbering for clients until they show that they use the other one."""
    match: str = ""

    @property
    def codec(self) -> Codec:
        """The words of the board."""
        return codec(self.board, self.numbering)

    @property
    def lexicon(self) -> Lexicon:
        """Return the board's words of the language."""
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
    """True if the seat is this session's already, as after a restart of the server."""
    name: str = ""
    """Name of the former client on that seat."""


def waits_for_players(hosted: HostedMatch) -> bool:
    """Return True if new players may still sit down.

    It has not begun, or stands still in its first turn for want of them.
    """
    state = hosted.match.state
    wanting = state.status is MatchStatus.PAUSED and state.terms.quorum is not None and state.turn <= 1
    return state.status is MatchStatus.FORMING or wanting


def split_name(name: str) -> tuple[str, str]:
    """Return a client's name, and the match after the last @, if it names one."""
    title, at, match = name.rpartition("@")
    return (title, match.strip()) if at else (name, "")


def board_of_match(hosted: HostedMatch) -> Map:
    """Return the board that a match of Diplomacy is played on; in fog it is one that no gate has.

    DAIDE tells all to all.
    """
    board = named(str(hosted.match.config.get("map", "standard")))
    return board.under((Variation.FOG,)) if is_foggy(hosted.match.config) else board
