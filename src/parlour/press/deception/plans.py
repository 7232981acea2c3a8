"""Sealed plans as the ledger reads them: orders for a phase, and a stance to each promise."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from parlour.core import events as ev
from parlour.core.game import Plain
from parlour.errors import PressError
from parlour.games.diplomacy.engine import state as s
from parlour.press.agreements.clauses import plain
from parlour.press.agreements.pacts import Pact
from parlour.press.language import message_types as v
from parlour.press.language.reader import read
from parlour.press.language.tokens import MAX_LEVEL, Lexicon
from parlour.press.press_position import PhaseBoard

MAX_STANCES = 200
"""Maximum number of stances read from one seal."""
_SEASONS = {"S": 0, "F": 2, "W": 4}


class Stance(StrEnum):
    """Stance of a seal towards a promise."""

    KEEP = "keep"
    BREAK = "break"
    UNTIL = "until"  # keep the promise before a phase, and break it from that phase on


class StanceTaken(msgspec.Struct, frozen=True):
    """A stance of a seal towards one arrangement."""

    what: v.Arrangement
    stance: Stance
    until: tuple[int, int] = (0, 0)
    """Year and season from which the promise is not to be kept."""

    def breaks(self, when: tuple[int, int]) -> bool:
        """Return True if the promise is not to be kept in a phase, given as year and season."""
        return self.stance is Stance.BREAK or (self.stance is Stance.UNTIL and when >= self.until)


class SealedPlan(msgspec.Struct, frozen=True, eq=False):
    """A seal of a power."""

    number: int
    """Number of the seal among all that the ledger has read."""
    turn: int
    power: str
    orders: tuple[str, ...] | None
    """The orders as they were written; None if the sealed action is not a list of texts."""
    stances: tuple[StanceTaken, ...]
    illegal: tuple[str, ...] = ()
    """Orders with a flaw; they are judged as the rules understand them."""
    unread: tuple[str, ...] = ()
    """Arrangements that are not in the press language, or whose stance is not keep, break, or until a phase."""
    text: str = ""

    def stance_to(self, pact: Pact, what: v.Arrangement) -> StanceTaken | None:
        """Return the stance to a clause of a pact, or to the whole pact; None if the seal has none."""
        for taken in self.stances:
            if taken.what in (what, pact.what):
                return taken
        return None


def plan_of(event: ev.Sealed, number: int, board: PhaseBoard) -> SealedPlan:
    """Return a seal as the ledger reads it on the board of its turn."""
    power = board.names.lexicon.seats.get(event.seat, str(event.seat))
    orders = orders_in(event.action)
    stances, unread = _stances(event, board.names.lexicon)
    illegal: tuple[str, ...] = ()
    if orders:
        known = board.position.understand(event.seat, orders)
        illegal = tuple(entry.text[:80] for entry in known if entry.flaw is not None)
    return SealedPlan(number, event.turn, power, orders, stances, illegal, unread, event.text)


def orders_in(action: Plain) -> tuple[str, ...] | None:
    """Return the orders of an action; None if the action is not a list of texts."""
    if not isinstance(action, (list, tuple)) or not all(isinstance(item, str) for item in action):
        return None
    return tuple(str(item) for item in action)


def moment_of(board: PhaseBoard) -> tuple[int, int]:
    """Return the year and season of a board, for comparison with stances."""
    return board.year, board.season


def _stances(event: ev.Sealed, lexicon: Lexicon) -> tuple[tuple[StanceTaken, ...], tuple[str, ...]]:
    found: list[StanceTaken] = []
    unread: list[str] = []
    for text, said in list(event.stances.items())[:MAX_STANCES]:
        what, taken = _arrangement(text, lexicon), _taken(said)
        if what is None or taken is None:
            unread.append(text[:200])
        else:
            found.append(StanceTaken(what, *taken))
    return tuple(found), tuple(unread)


def _arrangement(text: str, lexicon: Lexicon) -> v.Arrangement | None:
    for form in (f"PRP ( {text} )", text):
        try:
            message = read(form, MAX_LEVEL, lexicon)
        except PressError:
            continue
        if isinstance(message, (v.Propose, v.Insist)):
            return plain(message.what)
    return None


def _taken(said: str) -> tuple[Stance, tuple[int, int]] | None:
    words: Sequence[str] = said.strip().split()
    match [word.lower() for word in words[:1]], words[1:]:
        case ["keep"], []:
            return Stance.KEEP, (0, 0)
        case ["break"], []:
            return Stance.BREAK, (0, 0)
        case ["until"], [phase]:
            until = _moment(phase.upper())
            return None if until is None else (Stance.UNTIL, until)
    return None


def _moment(phase: str) -> tuple[int, int] | None:
    """Return the year and season of a phase, for example F1901 or F1901M; None if there is no phase of that name."""
    season, year = _SEASONS.get(phase[:1]), phase[1:5]
    if season is None or not (year.isascii() and year.isdigit() and len(year) == 4) or phase[5:] not in ("", *"MRA"):
        return None
    whole = f"{phase[:5]}{phase[5:] or 'A' * (season == 4) or 'M'}"
    names = [name.format(int(year)) for name in s.PHASES]
    return (int(year), names.index(whole)) if whole in names else None
