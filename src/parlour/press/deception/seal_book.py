"""The seals of a match beside its promises: the plan of each power when it spoke, and when it ordered.

The order in which the ledger read messages and seals decides, never time: in virtual time a turn takes no time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from parlour.press.agreements.clauses import Clause, flat, performers
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import PactVerdict
from parlour.press.agreements.proposals import Word
from parlour.press.deception.classes import Reading
from parlour.press.deception.plans import SealedPlan, Stance, StanceTaken, moment_of
from parlour.press.judging.findings import EXCUSES, PromiseStatus
from parlour.press.judging.trial import Trial
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
    """True for a promise; False for a statement, which binds no power."""


class Withheld(msgspec.Struct, frozen=True):
    """An attack on a power to which the attacker spoke in that phase, without a pact in force between them."""

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
        """Share of units whose order was the sealed one; None without units."""
        return self.same / self.units if self.units else None


@dataclass(eq=False)
class SealBook:
    """All seals of a match, and their content about its promises."""

    plans: list[SealedPlan] = field(default_factory=list)
    lies: list[Lie] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)
    fidelity: dict[str, Fidelity] = field(default_factory=dict)
    dropped: int = 0
    """Number of seals dropped because a moderator set another position."""
    irregular: set[str] = field(default_factory=set)
    """Powers that sealed a stance or no readable orders, lost a seal, or spoke in a turn without sealing a plan."""
    acted: dict[str, int] = field(default_factory=dict)
    """Number of each power's last own action in this turn; a seal with a higher number came after the orders."""
    _of: dict[str, list[SealedPlan]] = field(default_factory=dict)
    _numbers: dict[str, list[int]] = field(default_factory=dict)
    _statements: list[OrderStatement] = field(default_factory=list)
    _spoken: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a speaker and a receiver of press in this phase."""
    _speakers: set[tuple[int, str]] = field(default_factory=set)
    """Pairs of a turn and a power that spoke in it, since the last phase with seals."""

    def add(self, plan: SealedPlan) -> None:
        """Add a seal to the book."""
        self.plans.append(plan)
        if plan.stances or plan.orders is None:
            self.irregular.add(plan.power)
        self._of.setdefault(plan.power, []).append(plan)
        self._numbers.setdefault(plan.power, []).append(plan.number)

    def drop(self, turn: int) -> None:
        """Drop the seals and statements of a turn whose position a moderator replaced; `plans` keeps the seals."""
        for power, plans in self._of.items():
            kept = [plan for plan in plans if plan.turn != turn]
            if len(kept) < len(plans):
                self.dropped += len(plans) - len(kept)
                self.irregular.add(power)
            self._of[power], self._numbers[power] = kept, [plan.number for plan in kept]
        self._statements.clear()

    def hear(self, number: int, turn: int, sender: str, to: Iterable[str], message: v.Message | None) -> None:
        """Store the sender and receivers of press, and the sender's statements about its own orders."""
        self._speakers.add((turn, sender))
        if not self.plans:
            return
        heard = tuple(sorted(to))
        self._spoken.update((sender, other) for other in heard)
        if isinstance(message, (v.Fact, v.Think)) and isinstance(message.what, _ARRANGEMENTS):
            parts = [part for part in flat(message.what) if _own(part, sender)]
            self._statements.extend(OrderStatement(number, sender, part, heard) for part in parts)

    def around(self, power: str, number: int) -> tuple[SealedPlan | None, SealedPlan | None]:
        """Return the last seal of a power before the event with this number, and the first seal after it."""
        plans = self._of.get(power)
        if not plans:
            return None, None
        at = bisect_left(self._numbers[power], number)
        return plans[at - 1] if at else None, plans[at] if at < len(plans) else None

    def last(self) -> dict[str, SealedPlan]:
        """Return the last seal of each power before its orders of this turn."""
        found: dict[str, SealedPlan] = {}
        for power, plans in self._of.items():
            acted = self.acted.get(power)
            plan = plans[-1] if plans else None
            if plan is not None and acted is not None and plan.number > acted:
                plan, _ = self.around(power, acted)
            if plan is not None:
                found[power] = plan
        return found

    def of_turn(self, turn: int) -> Iterator[SealedPlan]:
        """Yield the seals of a turn, for each power the latest first."""
        for plans in self._of.values():
            for plan in reversed(plans):
                if plan.turn != turn:
                    break
                yield plan

    def settle(self, trial: Trial, last: Mapping[str, SealedPlan], turn: int, phase: str) -> None:
        """Count the orders given as sealed, and record lies, before the pacts of the phase are settled.

        `last` are the last seals before the orders of the phase.
        """
        self._count_fidelity(trial, last, turn)
        for spoken, power in self._speakers:
            plans = self._of.get(power)
            if not plans or spoken != turn or plans[-1].turn != turn:
                self.irregular.add(power)
        self._speakers.clear()
        for statement in self._statements:
            plan, _ = self.around(statement.power, statement.number)
            if plan is not None and plan.turn == turn and plan.orders is not None:
                if trial.belies(statement.what, statement.power, plan.orders):
                    lie = Lie(statement.power, turn, phase, statement.what, statement.to, promise=False)
                    self.lies.append(lie)
        self._statements.clear()

    def note_attacks(self, trial: Trial, pacts: PactBook, turn: int, phase: str) -> None:
        """Record the attacks of the phase on powers to which the attacker spoke, without a pact between them."""
        if not self._spoken:
            return
        parties = {pact.parties for pact in pacts.active}
        for power, conduct in trial.executed.conduct.items():
            for victim in conduct.hostile if power in self._of else ():
                if (power, victim) in self._spoken and not any(power in each and victim in each for each in parties):
                    self.withheld.append(Withheld(power, victim, turn, phase))
        self._spoken.clear()

    def _count_fidelity(self, trial: Trial, last: Mapping[str, SealedPlan], turn: int) -> None:
        executed = trial.executed
        if executed.stage == "adjustments":
            return
        places = executed.before.asked_places
        for power, plan in last.items():
            if plan.turn != turn or plan.orders is None or power not in executed.written:
                continue
            number = len(places.get(power, ()))
            if not number:
                continue
            count = self.fidelity.get(power)
            if count is None:
                count = self.fidelity[power] = Fidelity()
            count.units += number
            if trial.given(power) == plan.orders:
                count.same += number
                continue
            planned = trial.judge(power, plan.orders).executed
            units = [unit for unit in executed.before.acting.values() if unit.power == power]
            count.same += sum(same(planned.of_unit(unit).order(), executed.of_unit(unit).order()) for unit in units)


Promise = tuple[Clause, str]
"""A clause and a power that owes it."""


class SealReader:
    """A reader of the seals about the promises of one phase.

    Create a reader before the pacts are settled, while other orders can still be tried. Call `read` afterwards.
    """

    def __init__(self, book: SealBook, trial: Trial, last: Mapping[str, SealedPlan], turn: int, phase: str) -> None:
        self._book, self._last, self._turn, self._phase = book, last, turn, phase
        self._when = moment_of(trial.executed.before)
        self._tried: dict[tuple[str, tuple[str, ...]], dict[Clause, bool | None]] = {}
        """For each plan that differs from the orders, the clauses that it breaks (True) or does not decide (None)."""
        regular = {power for power, plan in last.items() if plan.turn == turn} - book.irregular
        self._irregular = trial.executed.conduct.keys() - regular
        """The powers whose seals must be read about every promise. Any other power has sealed orders in this turn."""
        for plan in book.of_turn(turn):
            power, orders = plan.power, plan.orders
            if orders is None or orders == trial.given(power) or (power, orders) in self._tried:
                continue
            self._tried[power, orders] = trial.doubtful(power, orders)

    def read(self, verdicts: Sequence[PactVerdict], conflicts: Collection[Promise]) -> list[Reading]:
        """Return the content of the seals about each verdict of the phase.

        `conflicts` are the promises that could not all be kept.
        """
        found = [_HONEST] * len(verdicts)
        irregular, doubtful = self._irregular, set[Clause]().union(*self._tried.values())
        places = [
            place
            for place, verdict in enumerate(verdicts)
            if verdict.finding.status is not _KEPT or verdict.clause in doubtful or verdict.performer in irregular
        ]
        for place in places:
            found[place] = self._read(verdicts[place], conflicts)
        return found

    def _read(self, verdict: PactVerdict, conflicts: Collection[Promise]) -> Reading:
        pact, power = verdict.pact, verdict.performer
        word, last = pact.promised.get(power), self._last.get(power)
        now, keeps = None, False
        if last is not None:
            stance = last.stance_to(pact, verdict.clause.what) if last.stances else None
            if last.turn == self._turn:
                now = self._breaks(last, stance, verdict)
                keeps = stance is not None and stance.stance is Stance.KEEP
            elif stance is not None and stance.breaks(self._when):
                now = True
        then = None if word is None else self._at_promise(word, verdict)
        return Reading(now, then, keeps, bool(conflicts) and (verdict.clause, power) in conflicts)

    def _at_promise(self, word: Word, verdict: PactVerdict) -> bool | None:
        """Return True if the plan at the time of the promise breaks the clause in this phase; record a new lie.

        A plan without orders, or from an earlier turn than the promise, is silent unless it has a stance. After a
        silent plan, the next plan of the turn can only show that the clause was to be kept. Otherwise return None.
        """
        power, pact, what = verdict.performer, verdict.pact, verdict.clause.what
        plan, later = self._book.around(power, word.number)
        stance = plan.stance_to(pact, what) if plan is not None and plan.stances else None
        if plan is None or (stance is None and (plan.orders is None or plan.turn != word.turn)):
            if later is None or later.turn != word.turn:
                return None
            return None if self._breaks(later, later.stance_to(pact, what), verdict) is not False else False
        found = self._breaks(plan, stance, verdict)
        if word.turn == self._turn and (found or (stance is not None and stance.stance is not Stance.KEEP)):
            to = tuple(sorted(pact.parties - {power}))
            self._book.lies.append(Lie(power, self._turn, self._phase, what, to, promise=True))
        return found

    def _breaks(self, plan: SealedPlan, stance: StanceTaken | None, verdict: PactVerdict) -> bool | None:
        """Return True if a plan breaks a clause in this phase; None if the plan has neither orders nor a stance.

        A plan of an earlier turn breaks a clause only by its stance.
        """
        if stance is not None and stance.breaks(self._when):
            return True
        if plan.turn != self._turn:
            return False
        if plan.orders is None:
            return None if stance is None else False
        tried = self._tried.get((verdict.performer, plan.orders))
        if tried is None:  # the plan is the orders that the power gave
            finding = verdict.finding
            return finding.status is PromiseStatus.BROKEN or finding.why in EXCUSES
        return tried.get(verdict.clause, False)


_HONEST = Reading(now=False, then=False)
_KEPT = PromiseStatus.KEPT
_ARRANGEMENTS = (v.Execute, v.Every, v.Either, v.Not)
"""Kinds of statements about orders. Other statements do not concern the speaker's present orders."""


def _own(part: v.Arrangement, power: str) -> bool:
    return isinstance(part, _ARRANGEMENTS) and performers(part) == {power}
