"""The hearing of one phase: excuses for promises not kept, and the content of the seals about each verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from parlour.core.events import Acted
from parlour.core.game import Violation
from parlour.press.agreements.clauses import Clause
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import Pact, PactVerdict
from parlour.press.deception.classes import UNREAD, Reading
from parlour.press.deception.seal_book import SealBook, SealReader
from parlour.press.judging.executed_orders import ExecutedOrders, Given
from parlour.press.judging.feasible import Feasibility
from parlour.press.judging.findings import Excuse, Finding
from parlour.press.judging.trial import Trial
from parlour.press.language import message_types as v


class OrderSource(NamedTuple):
    """Origin of the orders of a phase."""

    absent: Collection[str]
    """Powers whose orders the referee supplied."""
    doings: Mapping[str, Acted]
    """Actions of a proxy, or with parts that the referee replaced."""
    players: Mapping[str, str]
    """Name of each power's present player."""


class PromiseHearing:
    """Excuses and seal readings of one phase. Create it before the pacts are settled; it changes no pact."""

    def __init__(
        self, trial: Trial, pacts: PactBook, seals: SealBook, source: OrderSource, turn: int, *, thorough: bool
    ) -> None:
        self._trial, self._pacts, self._seals, self._source = trial, pacts, seals, source
        self._turn, phase = turn, trial.executed.before.phase
        self._conflicts: set[tuple[Clause, str]] = set()
        self._feasible: Feasibility | None = None
        """The search for conflicts, which only classes use; None without seals unless `thorough`."""
        if thorough or seals.plans:
            self._feasible = Feasibility(trial.executed, pacts, trial.movement)
        self._reader: SealReader | None = None
        if seals.plans:
            last = seals.last()
            seals.settle(trial, last, turn, phase)
            self._reader = SealReader(seals, trial, last, turn, phase)
            seals.note_attacks(trial, pacts, turn, phase)

    def excuse(self, pact: Pact, clause: Clause, power: str, finding: Finding) -> str:
        """Return the excuse of a power for a promise that was not kept; empty without an excuse.

        Without an excuse, record whether the breach was unavoidable. This decides the class, not the verdict.
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
        if self._feasible is not None and self._feasible.is_forced(clause, finding.shown_by):
            self._conflicts.add((clause, power))
        return ""

    def readings(self, verdicts: Sequence[PactVerdict]) -> list[Reading]:
        """Return the readings of the verdicts; without seals only a conflict is known."""
        if self._reader is not None:
            return self._reader.read(verdicts, self._conflicts)
        if not self._conflicts:
            return [UNREAD] * len(verdicts)
        conflict = Reading(conflict=True)
        return [conflict if (one.clause, one.performer) in self._conflicts else UNREAD for one in verdicts]


def _is_mended(violations: Sequence[Violation], shown: v.Order | Given | None, executed: ExecutedOrders) -> bool:
    """Return True if the referee replaced the order that shows a breach, or an order that names no place."""
    if not violations or not isinstance(shown, Given):
        return bool(violations)
    places = executed.before.names.place_of_tag
    for violation in violations:
        named = [places[word][:3] for word in violation.part.upper().split() if word in places]
        if not named or named[0] == shown.unit.province:
            return True
    return False
