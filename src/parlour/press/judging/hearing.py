"""The hearing of one phase: who is excused for what was not kept, and what seals say about each verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from parlour.core.events import Acted
from parlour.core.game import Violation
from parlour.press.agreements.clauses import Clause
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import Pact, PactVerdict
from parlour.press.deception.classes import Reading
from parlour.press.deception.seal_book import SealBook, SealReader
from parlour.press.judging.executed_orders import ExecutedOrders, Given
from parlour.press.judging.feasible import Feasibility
from parlour.press.judging.findings import Excuse, Finding
from parlour.press.judging.trial import Trial
from parlour.press.language import message_types as v


class OrderSource(NamedTuple):
    """Origin of the orders of a phase."""

    absent: Collection[str]
    """Powers whose orders the referee filled in."""
    doings: Mapping[str, Acted]
    """Actions of a proxy, or with parts that the referee replaced."""
    players: Mapping[str, str]
    """Names of the powers' present players."""


class PromiseHearing:
    """Judges a phase before its pacts are settled. It changes no pact."""

    def __init__(
        self, trial: Trial, pacts: PactBook, seals: SealBook, source: OrderSource, turn: int, *, thorough: bool
    ) -> None:
        self._trial, self._pacts, self._seals, self._source = trial, pacts, seals, source
        self._turn, phase = turn, trial.executed.before.phase
        self._conflicts: set[tuple[Clause, str]] = set()
        self._feasible: dict[str, Feasibility] = {}
        self._thorough = thorough or bool(seals.plans)
        """True if it is worth to look for conflicts: only classes ask for them."""
        self._reader: SealReader | None = None
        if seals.plans:
            seals.settle(trial, turn, phase)
            self._reader = SealReader(seals, trial, pacts, turn, phase)
            seals.note_attacks(trial, pacts, turn, phase)

    def excuse(self, pact: Pact, clause: Clause, power: str, finding: Finding) -> str:
        """Return why a power need not answer for a promise that was not kept; empty if it must.

        Where it must, look whether it could have kept everything: that decides the class, not the verdict.
        """
        source = self._source
        if power in source.absent:
            return Excuse.ABSENT
        doing = source.doings.get(power)
        if doing is not None and doing.by:
            return Excuse.PROXY
        if doing is not None and _is_mended(doing.violations, finding.shown_by, self._trial.executed):
            return Excuse.MENDED
        word = pact.promised.get(power)
        if word is not None and word.player != source.players.get(power, ""):
            return Excuse.STAND_IN
        known = self._feasible.get(power)
        if not self._thorough:
            return ""
        if known is None:
            trial = self._trial
            known = self._feasible[power] = Feasibility(trial.executed, self._pacts, power, trial.movement)
        if known.is_forced(clause, finding.shown_by):
            self._conflicts.add((clause, power))
        return ""

    def readings(self, verdicts: Sequence[PactVerdict]) -> dict[int, Reading]:
        """Return what seals and conflicts say about the verdicts, by the place of each; silence is left out."""
        reader = self._reader
        if not self._conflicts:
            return {} if reader is None else {place: reader.read(one) for place, one in enumerate(verdicts)}
        found: dict[int, Reading] = {}
        for place, verdict in enumerate(verdicts):
            conflict = (verdict.clause, verdict.performer) in self._conflicts
            if reader is not None:
                found[place] = reader.read(verdict, conflict=conflict)
            elif conflict:
                found[place] = Reading(conflict=True)
        return found


def _is_mended(violations: Sequence[Violation], shown: v.Order | Given | None, executed: ExecutedOrders) -> bool:
    """Return True if the referee replaced the order that shows a breach, or one that names no unit at all."""
    if not violations or not isinstance(shown, Given):
        return bool(violations)
    places = executed.before.names.place_of_tag
    for violation in violations:
        named = [places[word][:3] for word in violation.part.upper().split() if word in places]
        if not named or named[0] == shown.unit.province:
            return True
    return False
