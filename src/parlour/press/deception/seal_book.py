"""The seals of a match beside its promises: the plan of each power when it spoke, and when it ordered.

The order in which the ledger read things decides, never time: in virtual time all of a turn happens at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile

import msgspec

from parlour.press.agreements.clauses import Clause, flat, performers
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import PactVerdict
from parlour.press.agreements.proposals import Word
from parlour.press.deception.classes import Reading
from parlour.press.deception.plans import SealedPlan, Stance, StanceTaken, moment_of
from parlour.press.judging.findings import EXCUSES, Finding, PromiseStatus
from parlour.press.judging.trial import Trial, owed
from parlour.press.language import message_types as v
from parlour.press.orders import same


class Lie(msgspec.Struct, frozen=True):
    """A promise or a statement that the speaker's own plan contradicted when it was made."""

    power: str
    turn: int
    phase: str
    what: v.Arrangement
    to: tuple[str, ...]
    promise: bool
    """False for a statement, which binds nobody."""


class Withheld(msgspec.Struct, frozen=True):
    """An attack on a power to whom the attacker spoke in that phase, and had promised nothing."""

    power: str
    victim: str
    turn: int
    phase: str


class OrderStatement(msgspec.Struct, frozen=True):
    """A power's statement about its own orders, by FCT or THK."""

    number: int
    power: str
    what: v.Arrangement
    to: tuple[str, ...]


@dataclass(slots=True)
class Fidelity:
    """Agreement between a power's orders and its last seal."""

    same: int = 0
    units: int = 0

    @property
    def share(self) -> float | None:
        """Units whose order was the sealed one, among all; None if there was none."""
        return self.same / self.units if self.units else None


@dataclass(eq=False)
class SealBook:
    """All seals of a match, and their content about its promises."""

    plans: list[SealedPlan] = field(default_factory=list)
    lies: list[Lie] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)
    fidelity: dict[str, Fidelity] = field(default_factory=dict)
    dropped: int = 0
    """Seals that were made before a moderator set another position."""
    stanced: set[str] = field(default_factory=set)
    """Powers that ever sealed a stance."""
    acted: dict[str, int] = field(default_factory=dict)
    """Number of each power's last own action in this turn: a later seal was not made before the orders."""
    _of: dict[str, list[SealedPlan]] = field(default_factory=dict)
    _numbers: dict[str, list[int]] = field(default_factory=dict)
    _at: dict[tuple[int, str], SealedPlan | None] = field(default_factory=dict)
    _statements: list[OrderStatement] = field(default_factory=list)
    _spoken: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of powers of which the one spoke to the other in this phase."""

    def add(self, plan: SealedPlan) -> None:
        """Take a seal into account."""
        self.plans.append(plan)
        if plan.stances:
            self.stanced.add(plan.power)
        self._of.setdefault(plan.power, []).append(plan)
        self._numbers.setdefault(plan.power, []).append(plan.number)

    def drop(self, turn: int) -> None:
        """Forget the orders sealed in a turn: they were for another position. Statements stay."""
        for power, plans in self._of.items():
            kept = [plan for plan in plans if plan.turn != turn]
            self.dropped += len(plans) - len(kept)
            self._of[power], self._numbers[power] = kept, [plan.number for plan in kept]
        self._statements.clear()
        self._at.clear()

    def hear(self, number: int, sender: str, to: Iterable[str], message: v.Message | None) -> None:
        """Remember the sender and receivers of press, and statements about own orders."""
        if not self.plans:
            return
        heard = tuple(sorted(to))
        self._spoken.update((sender, other) for other in heard)
        if isinstance(message, (v.Fact, v.Think)) and isinstance(message.what, _ARRANGEMENTS):
            parts = [part for part in flat(message.what) if _own(part, sender)]
            self._statements.extend(OrderStatement(number, sender, part, heard) for part in parts)

    def last_before(self, power: str, number: int) -> SealedPlan | None:
        """Return the last seal of a power before something that the ledger has read."""
        at = bisect_left(self._numbers.get(power, ()), number)
        return self._of[power][at - 1] if at else None

    def first_after(self, power: str, number: int, turn: int) -> SealedPlan | None:
        """Return the first seal of a power after that, if it was made in that turn."""
        plans = self._of.get(power, [])
        at = bisect_left(self._numbers.get(power, ()), number)
        return plans[at] if at < len(plans) and plans[at].turn == turn else None

    def last(self, power: str) -> SealedPlan | None:
        """Return the last seal of a power before its orders of this turn."""
        acted = self.acted.get(power)
        if acted is not None:
            return self.last_before(power, acted)
        plans = self._of.get(power)
        return plans[-1] if plans else None

    def of_turn(self, turn: int) -> Iterator[SealedPlan]:
        """Return the seals of a turn, those of one power in order."""
        for plans in self._of.values():
            yield from takewhile(lambda plan: plan.turn == turn, reversed(plans))

    def at(self, word: Word, power: str) -> SealedPlan | None:
        """Return the last seal of a power before it gave its word; it never changes afterwards."""
        key = word.number, power
        if key not in self._at:
            self._at[key] = self.last_before(power, word.number)
        return self._at[key]

    def settle(self, trial: Trial, turn: int, phase: str) -> None:
        """Look at the phase before its pacts are settled: how far orders were as sealed, and which statements lied."""
        self._count_fidelity(trial, turn)
        for statement in self._statements:
            plan = self.last_before(statement.power, statement.number)
            if plan is not None and plan.turn == turn and plan.orders is not None:
                if trial.belies(statement.what, statement.power, plan.orders):
                    lie = Lie(statement.power, turn, phase, statement.what, statement.to, promise=False)
                    self.lies.append(lie)
        self._statements.clear()

    def note_attacks(self, trial: Trial, pacts: PactBook, turn: int, phase: str) -> None:
        """Note the attacks of the phase on powers to whom the attacker spoke and owed nothing."""
        for power, conduct in trial.executed.conduct.items():
            for victim in conduct.hostile if power in self._of else ():
                if (power, victim) not in self._spoken:
                    continue
                if not any(power in pact.parties and victim in pact.parties for pact in pacts.active):
                    self.withheld.append(Withheld(power, victim, turn, phase))
        self._spoken.clear()

    def _count_fidelity(self, trial: Trial, turn: int) -> None:
        executed = trial.executed
        for power in self._of:
            plan = self.last(power)
            if plan is None or plan.turn != turn or plan.orders is None or power not in executed.written:
                continue
            units = [unit for unit in executed.before.acting.values() if unit.power == power]
            if executed.stage == "adjustments" or not units:
                continue
            count = self.fidelity.setdefault(power, Fidelity())
            count.units += len(units)
            if tuple(executed.written[power]) == plan.orders:
                count.same += len(units)
                continue
            planned = trial.judge(power, plan.orders).executed
            count.same += sum(same(planned.of_unit(unit).order(), executed.of_unit(unit).order()) for unit in units)


class SealReader:
    """Reads the seals beside the promises of one phase.

    Made before the pacts are settled, while they can still be tried with other orders; read afterwards.
    """

    def __init__(self, book: SealBook, trial: Trial, pacts: PactBook, turn: int, phase: str) -> None:
        self._book, self._turn, self._phase = book, turn, phase
        self._when = moment_of(trial.executed.before)
        self._given = {power: tuple(items) for power, items in trial.executed.written.items()}
        self._tried: dict[tuple[tuple[str, ...], Clause, str], bool | None] = {}
        self._last: dict[str, SealedPlan | None] = {power: book.last(power) for power in trial.executed.conduct}
        others = {(plan.power, plan.orders) for plan in book.of_turn(turn) if plan.orders is not None}
        wavering = {power for power, orders in others if orders != self._given.get(power)} | book.stanced
        self._steady = {power for power, _ in others} - wavering
        """Powers that sealed exactly their orders, and never a stance: most of all."""
        for power, orders in sorted(others):
            if orders == self._given.get(power):
                continue
            last = self._last[power]
            ordering = last is not None and last.orders == orders
            for pact, clause in owed(pacts, power):
                # Plans of a phase are only of interest for what was promised in it, and the last one for all.
                word = pact.promised.get(power)
                if ordering or (word is not None and word.turn == turn):
                    self._tried[orders, clause, power] = trial.breaks(clause, power, orders)

    def read(self, verdict: PactVerdict, *, conflict: bool = False) -> Reading:
        """Return what the seals say about a verdict of the phase."""
        pact, power = verdict.pact, verdict.performer
        word = pact.promised.get(power)
        if power in self._steady and not conflict and self._is_honest(verdict.finding, word, power):
            return _HONEST
        last = self._last[power]
        now, keeps = None, False
        if last is not None:
            stance = last.stance_to(pact, verdict.clause.what)
            if last.turn == self._turn:
                now = self._breaks(last, stance, verdict)
                keeps = stance is not None and stance.stance is Stance.KEEP
            elif stance is not None and stance.breaks(self._when):
                now = True
        then = None if word is None else self._at_promise(word, verdict)
        return Reading(now, then, keeps, conflict)

    def _is_honest(self, finding: Finding, word: Word | None, power: str) -> bool:
        """Return True if a power that ordered what it sealed, and broke nothing, had a plan when it gave its word."""
        if word is None or finding.status is PromiseStatus.BROKEN or finding.why in EXCUSES:
            return False
        if word.turn == self._turn:
            return True  # before its promise or after it: there is a plan of this turn, and it matches the orders
        plan = self._book.at(word, power)
        return plan is not None and plan.turn == word.turn

    def _at_promise(self, word: Word, verdict: PactVerdict) -> bool | None:
        """Return the plan at the promise, as far as it concerns this phase; without one, the next plan of the turn.

        A plan of an earlier turn than the promise's is silent about it, unless it has a stance to it.
        """
        power, pact, what = verdict.performer, verdict.pact, verdict.clause.what
        plan = self._book.at(word, power)
        if plan is None or (plan.turn != word.turn and plan.stance_to(pact, what) is None):
            later = self._book.first_after(power, word.number, word.turn)
            if later is None or self._breaks(later, later.stance_to(pact, what), verdict) is not False:
                return None
            return False
        stance = plan.stance_to(pact, what)
        found = self._breaks(plan, stance, verdict)
        if word.turn == self._turn and (found or (stance is not None and stance.stance is not Stance.KEEP)):
            to = tuple(sorted(pact.parties - {power}))
            self._book.lies.append(Lie(power, self._turn, self._phase, what, to, promise=True))
        return found

    def _breaks(self, plan: SealedPlan, stance: StanceTaken | None, verdict: PactVerdict) -> bool | None:
        """Return True if a plan breaks a clause in this phase; that of an earlier turn says so by its stances only."""
        if stance is not None and stance.breaks(self._when):
            return True
        if plan.turn != self._turn:
            return False
        if plan.orders is None:
            return None if stance is None else False
        if plan.orders == self._given.get(verdict.performer):
            return verdict.status is PromiseStatus.BROKEN or verdict.why in EXCUSES
        return self._tried.get((plan.orders, verdict.clause, verdict.performer), False)


_HONEST = Reading(now=False, then=False)
_ARRANGEMENTS = (v.Execute, v.Every, v.Either, v.Not)
"""Statements about orders; others do not concern the speaker's present action."""


def _own(part: v.Arrangement, power: str) -> bool:
    return isinstance(part, _ARRANGEMENTS) and performers(part) == {power}
