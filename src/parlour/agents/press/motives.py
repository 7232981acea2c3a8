"""Values of promises by rollouts: the temptation to break them, the gain of a breach, and its harm.

Values describe motive and harm. They never decide a class: a breach may cost the breaker something and still be a
lie. Shares are of squared centres and sum to 1. A difference below NOISE is returned as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from math import sqrt

import msgspec

from parlour.agents.diplomacy.bounds import Bounds, Pledge
from parlour.agents.diplomacy.search import Search, SearchOptions
from parlour.agents.diplomacy.trials import Values
from parlour.agents.press.commitments import Commitments
from parlour.agents.press.counsel import limits_of, pledge
from parlour.core import events as ev
from parlour.core.game import Action, Seat
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.pacts import PactVerdict
from parlour.press.deception.plans import orders_in
from parlour.press.judging.findings import EXCUSES, PromiseStatus
from parlour.press.ledger import Ledger

SAMPLES = 256
BUDGET = 100
"""Rollouts of each search for the alternative orders of a power."""
NOISE = 0.003
"""Smallest difference of shares that is not noise at 256 samples; with fewer samples the bound is higher."""
TEMPTING = 0.02
"""Least temptation with which a phase with a duty counts as an opportunity to break it."""
YEAR = 2
"""Movement phases in a year."""


class Worth(msgspec.Struct, frozen=True):
    """The values of one promise at one horizon, in shares of squared centres."""

    bait: float
    """Gain of the partner by its own part if the promise is kept; 0 if the partner promised nothing in return."""
    switch: float
    """Loss of the partner if it does its part and the promise is broken."""
    edge: float
    """Gain of the promiser by the partner's part if the promise is broken; 0 if the partner has no part."""
    gain: float
    """Gain of the promiser by breaking the promise."""

    @property
    def welfare(self) -> str:
        """Kind of the breach, by the gain of the promiser and the gain of both together."""
        both = self.gain - self.switch
        if self.gain > 0:
            return "win-win" if both >= 0 else "selfish"
        return "altruistic" if both > 0 else "sabotaging" if both < 0 else "neutral"


def differences(shares: Values, partner: int, promiser: int) -> tuple[float, float, float, float]:
    """Return bait, switch, edge and gain.

    Args:
        shares: Shares of all powers in four scenarios: both keep the pact; the partner orders as without the pact;
            the promiser breaks the pact; neither keeps it.
        partner: Number of the power that received the promise.
        promiser: Number of the power that made the promise.
    """
    kept, free, broken, apart = shares
    return (
        kept[partner] - free[partner],
        kept[partner] - broken[partner],
        broken[promiser] - apart[promiser],
        broken[promiser] - kept[promiser],
    )


class PromiseWorth(msgspec.Struct, frozen=True):
    """The worth of a promise of one power to another in one movement phase."""

    verdict: int
    """Index of the verdict among the ledger's verdicts."""
    power: str
    partner: str
    phase: str
    year: Worth
    """Value by the end of the year, or of the next year if this is its last movement phase."""
    next_year: Worth


class Opportunity(msgspec.Struct, frozen=True):
    """A movement phase in which a power owed something."""

    power: str
    turn: int
    phase: str
    temptation: float
    """Gain of the best orders without the promises over the best that keep them, while the others keep theirs."""
    broke: bool
    """True if the power broke a promise, and was neither excused nor forced."""

    @property
    def tempting(self) -> bool:
        """True if the temptation is large enough to count as an opportunity."""
        return self.temptation >= TEMPTING


class Motives(msgspec.Struct, frozen=True):
    """The worth of every promise of a match, and every movement phase in which a power owed something."""

    promises: tuple[PromiseWorth, ...]
    phases: tuple[Opportunity, ...]

    def opportunities(self, power: str) -> tuple[int, int]:
        """Return a power's breaches in tempting phases, and the number of those phases."""
        mine = [phase for phase in self.phases if phase.power == power and phase.tempting]
        return sum(phase.broke for phase in mine), len(mine)


def motives(events: Iterable[ev.Event], *, samples: int = SAMPLES, budget: int = BUDGET, seed: int = 0) -> Motives:
    """Return the worth of the promises of a recorded match; the same for the same seed."""
    ledger, search = Ledger(thorough=True), Search(seed, SearchOptions(budget=budget))
    promises: list[PromiseWorth] = []
    phases: list[Opportunity] = []
    for event in events:
        if not (isinstance(event, ev.TurnEnded) and ledger.position is not None and ledger.board.stage == "orders"):
            ledger.feed(event)
            continue
        weighing = _Weighing(ledger, ledger.position, event.actions, search, samples)
        weighing.prepare()
        first = len(ledger.verdicts)
        verdicts = ledger.feed(event)
        promises += weighing.promises(verdicts, first)
        readings = ledger.readings[first:]
        forced = {verdict.performer for verdict, reading in zip(verdicts, readings, strict=True) if reading.conflict}
        phases += weighing.opportunities(verdicts, forced)
    return Motives(tuple(promises), tuple(phases))


class _PartnerDuty(StrEnum):
    """The partner's own part of a pact in one phase."""

    NONE = "none"  # the partner promised nothing in return
    DONE = "done"
    NOT_DONE = "not done"  # the partner broke its word too, or was excused


def _duty_of(verdicts: Sequence[PactVerdict]) -> _PartnerDuty:
    """Return the partner's part from the verdicts on its own clauses of the pact."""
    due = [one for one in verdicts if one.status is not PromiseStatus.VOID or one.why in EXCUSES]
    if not due:
        return _PartnerDuty.NONE
    failed = any(one.status is PromiseStatus.BROKEN or one.why in EXCUSES for one in due)
    return _PartnerDuty.NOT_DONE if failed else _PartnerDuty.DONE


class _Weighing:
    """A movement phase before its pacts are settled."""

    def __init__(
        self, ledger: Ledger, position: Position, actions: dict[str, Action], search: Search, samples: int
    ) -> None:
        self._ledger, self._position, self._search, self._samples = ledger, position, search, samples
        self._board, self._turn = ledger.board, ledger.turn
        self._seats = dict(ledger.lexicon.seat_of)
        words = ledger.lexicon.seats
        self._given = {words[Seat(seat)]: list(orders_in(action) or ()) for seat, action in actions.items()}
        self._limits: dict[str, dict[int, Sequence[str]]] = {}
        self._sets: dict[tuple[str, bool, str], list[str]] = {}
        self._worths: dict[tuple[str, str, bool, _PartnerDuty], tuple[Worth, Worth]] = {}

    def prepare(self) -> None:
        """Store the obligations of each power before the phase is settled."""
        ledger, position = self._ledger, self._position
        for power in ledger.present:
            commitments = Commitments(ledger, power)
            if commitments.is_bound():
                limits = limits_of(commitments, position, self._seats[power])
                self._limits[power] = {place: list(texts) for place, texts in limits.items()}

    def _pledges(self, power: str, without: str = "") -> list[Pledge]:
        """Return the pledges of the other powers; `without` names a power whose pledge is left out."""
        return [
            Pledge(self._number(other), limits)
            for other, limits in self._limits.items()
            if limits and other not in (power, without)
        ]

    def promises(self, verdicts: Sequence[PactVerdict], first: int) -> list[PromiseWorth]:
        """Return the worth of each promise that was kept or broken."""
        found = []
        for place, verdict in enumerate(verdicts, first):
            if (
                verdict.status not in (PromiseStatus.KEPT, PromiseStatus.BROKEN)
                or verdict.performer not in self._limits
            ):
                continue
            for partner in verdict.finding.victims[:1] or sorted(verdict.clause.parties - {verdict.performer})[:1]:
                parts = [one for one in verdicts if one.pact is verdict.pact and one.performer == partner]
                year, later = self._worth(verdict, partner, _duty_of(parts))
                found.append(PromiseWorth(place, verdict.performer, partner, verdict.phase, year, later))
        return found

    def opportunities(self, verdicts: Sequence[PactVerdict], forced: set[str]) -> list[Opportunity]:
        """Return the temptation of each power that owed something and was not excused."""
        broke = {v.performer for v in verdicts if v.status is PromiseStatus.BROKEN} - forced
        excused = {v.performer for v in verdicts if v.why in EXCUSES}
        found = []
        for power in sorted(self._limits):
            if power in excused or self._position.units.get(self._seats[power], ()) == ():
                continue
            pledges, mine = self._pledges(power), self._number(power)
            scenarios = [[*pledges, self._held(power, bound)] for bound in (False, True)]
            free, within = self._search.outlook(self._position, scenarios, self._samples)[:, mine]
            temptation = self._rounded(float(free - within))
            found.append(Opportunity(power, self._turn, self._board.phase, temptation, power in broke))
        return found

    def _worth(self, verdict: PactVerdict, partner: str, part: _PartnerDuty) -> tuple[Worth, Worth]:
        power, broken = verdict.performer, verdict.status is PromiseStatus.BROKEN
        key = power, partner, broken, part
        if key not in self._worths:
            position = self._position
            # The actual orders are known; the alternative is searched for.
            kept_j = self._held(power, True) if broken else self._actual(power)
            broken_j = self._actual(power) if broken else self._held(power, False)
            kept_i = self._held(partner, True) if part is _PartnerDuty.NOT_DONE else self._actual(partner)
            # A partner that promised nothing in return has no alternative, so bait and edge are 0.
            free_i = kept_i if part is _PartnerDuty.NONE else self._held(partner, False, without=power)
            scenarios = [[kept_i, kept_j], [free_i, kept_j], [kept_i, broken_j], [free_i, broken_j]]
            # Equal scenarios are played once: often the search finds nothing better without the pact.
            different = [one for place, one in enumerate(scenarios) if one not in scenarios[:place]]
            places = [different.index(one) for one in scenarios]
            i, j = self._number(partner), self._number(power)
            worths = []
            for later in (0, YEAR):
                u = self._search.outlook(position, different, self._samples, later)[places]
                worths.append(Worth(*[self._rounded(value) for value in differences(u, i, j)]))
            self._worths[key] = worths[0], worths[1]
        return self._worths[key]

    def _held(self, power: str, bound: bool, without: str = "") -> Pledge:
        """Return a pledge to the best orders found, with or without the power's promises.

        The orders are chosen and valued on different samples. Otherwise the best of many would seem too good.

        Args:
            power: The power that orders.
            bound: True if the power keeps its promises.
            without: A power whose pledge is left out.
        """
        key = power, bound and bool(self._limits.get(power)), without if self._limits.get(without) else ""
        if key not in self._sets:
            pledges = self._pledges(power, without)
            bounds = Bounds(limits=self._limits[power], pledges=pledges) if key[1] else Bounds(pledges=pledges)
            chosen = self._search.choose(self._position, self._number(power), bounds)
            self._sets[key] = [str(self._position.order_of(action)) for action in chosen]
        return self._pledge(power, self._sets[key])

    def _actual(self, power: str) -> Pledge:
        return self._pledge(power, self._given.get(power, []))

    def _pledge(self, power: str, orders: Sequence[str]) -> Pledge:
        return pledge(self._position, self._seats[power], [text for text in orders if text in self._legal])

    @cached_property
    def _legal(self) -> set[str]:
        position = self._position
        return {
            text
            for places in position.orderable().values()
            for tag in places
            for text in position.orders_at(_id(position, tag))
        }

    def _rounded(self, difference: float) -> float:
        """Return a difference of shares, or 0 if it cannot be distinguished from noise."""
        found = round(float(difference), 4)
        return found if abs(found) >= NOISE * max(1.0, sqrt(SAMPLES / self._samples)) else 0.0

    def _number(self, power: str) -> int:
        return self._position.power_of(self._seats[power])


def _id(position: Position, tag: str) -> int:
    return next(number for number, province in enumerate(position.board.provinces) if province.tag == tag)
