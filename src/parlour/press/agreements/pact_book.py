"""The pacts of a match: those in force, those that end others, and the powers that agreed to contradictions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from parlour.press.agreements.clauses import Clause, flat, plain
from parlour.press.agreements.conflicts import denies, excludes, offends, without
from parlour.press.agreements.pacts import Contradiction, Pact, PactState, PactVerdict
from parlour.press.agreements.proposals import Proposal
from parlour.press.agreements.topics import Topic, filed_under, looked_up
from parlour.press.judging.executed_orders import Given
from parlour.press.judging.findings import Finding, PromiseStatus
from parlour.press.judging.judge import PactJudge
from parlour.press.language import message_types as v
from parlour.press.orders import STAGE_OF, same
from parlour.press.press_position import PhaseBoard

Excused = Callable[[Pact, Clause, str, Finding], str]
"""A function that returns a power's excuse for a promise that was not kept; empty without an excuse."""


def _never(pact: Pact, clause: Clause, power: str, finding: Finding) -> str:
    return ""


_ACTIVE, _DONE, _BREACHED, _VOID = PactState.ACTIVE, PactState.DONE, PactState.BROKEN, PactState.VOID
_BROKEN, _OPEN = PromiseStatus.BROKEN, PromiseStatus.OPEN


_NONE: Mapping[Any, Any] = MappingProxyType({})


@dataclass(eq=False)
class PactBook:
    """All pacts of a match, and their results."""

    all: list[Pact] = field(default_factory=list)
    active: list[Pact] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    _contradicted: dict[Pact, list[Contradiction]] = field(default_factory=dict)
    """The contradictions, by their earlier pact."""
    breaches: list[PactVerdict] = field(default_factory=list)
    """Verdicts on promises broken in the last phase, except those of pacts about a single order."""
    _lifted: list[tuple[Pact, str, Finding, Clause]] = field(default_factory=list)
    """Duties lifted since the last phase; the next verdicts report them as void."""
    _orders: dict[str, list[tuple[Pact, Clause, v.Execute]]] = field(default_factory=dict)
    """The agreed orders, by the province of their unit.

    Orders of ended pacts are removed when another order for the province is agreed.
    """
    _excused: list[tuple[Pact, str]] = field(default_factory=list)
    """Excuses of the last phase: the pact that was not kept, and the excused power."""
    _told: dict[tuple[str, Clause], set[str]] = field(default_factory=dict)
    """Powers that received a renunciation, by the renouncing power and the clause."""
    _watched: dict[str, dict[str, dict[Clause, Pact]]] = field(default_factory=dict)
    """The clauses with triggers, by power and trigger. Clauses of ended pacts are removed when one is added."""
    _unwatched: dict[str, dict[Clause, Pact]] = field(default_factory=dict)
    """The clauses without triggers, by bound power. Clauses of ended pacts are removed when one is added."""
    _known: dict[tuple[frozenset[str], v.Arrangement], Pact] = field(default_factory=dict)
    """The latest pact, in force or ended, by its parties and its arrangement."""
    _files: dict[Topic, list[Pact]] = field(default_factory=dict)
    """The pacts by topic. Ended pacts are removed when a topic is looked up."""

    def agree(
        self, proposal: Proposal, turn: int, at: float, board: PhaseBoard | None = None, movement: int = 1
    ) -> Pact | None:
        """Return the pact that an agreed proposal makes.

        None if the proposal only undoes another pact, or repeats a pact that is wholly in force. `movement` is the
        number of the current movement phase, or of the last one.
        """
        parts = list(dict.fromkeys(flat(proposal.what)))  # a part that is named twice is owed once
        for part in parts:
            if isinstance(part, v.Undo):
                self._undo(part.what, proposal.parties)
        known = self._known.get((proposal.parties, proposal.what))
        if known is not None and known.state is _ACTIVE:
            if known.whole:
                known.promised.update(proposal.promised)
                self._told = {key: heard for key, heard in self._told.items() if key[1] not in known.clauses}
                return None
            self._end_in(known, known.what, PactState.REPLACED)
            self._drop_ended()
        duties = [part for part in parts if not isinstance(part, v.Undo)]
        clauses = [Clause(part, proposal.parties, movement, board) for part in duties]
        if not clauses:
            return None
        pact = Pact(len(self.all) + 1, proposal, tuple(clauses), turn, at)
        self._replace(pact, board)
        self.all.append(pact)
        self.active.append(pact)
        self._note(pact)
        return pact

    def renounce(self, power: str, what: v.Arrangement, told: frozenset[str]) -> None:
        """Release a power from an arrangement that it renounced by FCT ( NOT … ) or FCT ( NAR … ).

        The release takes effect when all other parties have received a renunciation.
        """
        for pact in self.active:
            if power in pact.parties:
                for clause in _saying(pact, what):
                    if power in clause.left:
                        continue
                    heard = self._told.setdefault((power, clause), set())
                    heard |= told
                    if clause.present - {power} <= heard:
                        self._release(pact, clause, (power,), PactState.RENOUNCED)
        self._drop_ended()

    def licence(self, given: Given, others: Iterable[str]) -> bool:
        """Return True if a pact in force names the given order, and its power and `others` are parties."""
        return given.unit.place[:3] in self._orders and self.agreed_to(given.unit, given.order, others)

    def agreed_to(self, unit: v.Unit, order: Callable[[], v.Order], others: Iterable[str]) -> bool:
        """Return True if the unit's power and `others` are parties of a pact in force about that order of the unit."""
        power = unit.power
        for pact, clause, part in self._orders.get(unit.place[:3], ()):
            if pact.state is not _ACTIVE or clause.ended or part in clause.past:
                continue
            present = clause.present
            if power in present and present.issuperset(others) and same(part.order, order()):
                return True
        return False

    def due(self, unit: v.Unit, stage: str) -> list[tuple[Clause, Pact, v.Order]]:
        """Return the orders of a stage that a unit's power owes for the unit."""
        there = self._orders.get(unit.place[:3])
        if there is None:
            return []
        power = unit.power
        return [
            (clause, pact, part.order)
            for pact, clause, part in there
            if pact.state is _ACTIVE
            and part is clause.what
            and not clause.ended
            and power in clause.owing
            and STAGE_OF[type(part.order)] == stage
        ]

    def persistent(self, power: str, trigger: str) -> Mapping[Clause, Pact]:
        """Return the clauses owed by a power that the trigger can break: an attacked power or an entered place."""
        clauses = self._watched.get(power, _NONE).get(trigger)
        return _NONE if clauses is None else _owed(power, clauses)

    def is_bound(self, power: str, triggers: Iterable[str]) -> bool:
        """Return True if the power owes a clause that one of these triggers can break."""
        watchers = self._watched.get(power, _NONE)
        for trigger in triggers:
            for clause, pact in watchers[trigger].items() if trigger in watchers else ():
                if _owes(power, pact, clause):
                    return True
        return False

    def contradicted(self, earlier: Pact) -> Collection[Contradiction]:
        """Return the contradictions of later pacts with a pact."""
        return self._contradicted.get(earlier, ())

    def liable(self, power: str, triggers: Iterable[str]) -> dict[Clause, Pact]:
        """Return the clauses owed by a power that these triggers may break."""
        watchers, found = self._watched.get(power, _NONE), dict[Clause, Pact]()
        for trigger in watchers.keys() & triggers:
            found.update(watchers[trigger])
        return _owed(power, found) if found else found

    def untriggered(self, power: str) -> Mapping[Clause, Pact]:
        """Return the clauses without triggers that a power owes, for example orders and choices."""
        return _owed(power, self._unwatched.get(power, _NONE))

    def settle(self, judge: PactJudge, turn: int, phase: str, excuse: Excused = _never) -> list[PactVerdict]:
        """Judge every pact in force by a phase, end the pacts that are over, and return a verdict for each party.

        An excused power is released from the promise that it did not keep. The verdict is void instead of broken.
        """
        verdicts = [
            PactVerdict(pact, power, turn, phase, finding, clause) for pact, power, finding, clause in self._lifted
        ]
        self._lifted.clear()
        self.breaches = []
        over: list[tuple[Pact, PactState]] = []
        closing: list[tuple[Pact, list[str], list[Clause]]] = []
        self._excused = []
        concerned, add = judge.concerned(self._watched), verdicts.append
        touched: set[Clause] = set().union(*concerned.values())
        for pact in self.active:
            clause = pact.clauses[0]
            if pact.watched and clause not in touched:
                kept = clause.kept
                for power in clause.owing:
                    add(PactVerdict(pact, power, turn, phase, kept, clause))
            elif pact.watched:
                breakers = list[str]()
                for power in clause.owing:
                    finding = judge.finding(clause, power) if clause in concerned[power] else clause.kept
                    if finding.status is _BROKEN:
                        breakers.append(power)
                        finding = self._ruled(pact, clause, power, finding, excuse)
                    add(PactVerdict(pact, power, turn, phase, finding, clause))
                    if finding.status is _BROKEN:
                        self.breaches.append(verdicts[-1])
                if breakers:
                    closing.append((pact, breakers, []))
            elif pact.single is not None:
                finding = judge.order(pact.single, clause.promised)
                if finding.status is _BROKEN:
                    finding = self._ruled(pact, clause, clause.owing[0], finding, excuse)
                add(PactVerdict(pact, clause.owing[0], turn, phase, finding, clause))
                if finding.status is not _OPEN:
                    over.append((pact, _BREACHED if finding.status is _BROKEN else _DONE))
            else:
                closing.append((pact, *self._judged(pact, judge, turn, phase, verdicts, excuse)))
        # All pacts are judged before any is closed, because a pact may license an act that another pact forbids.
        for pact, breakers, done in closing:
            _close(pact, breakers, done, turn, _BREACHED if self._breached(pact, breakers) else _VOID)
        for pact, how in over:
            pact.state, pact.ended = how, turn
        if over or closing:
            self._drop_ended()
        return verdicts

    def _ruled(self, pact: Pact, clause: Clause, power: str, finding: Finding, excuse: Excused) -> Finding:
        """Return the finding on a promise that was not kept: broken, or void if its power is excused."""
        why = excuse(pact, clause, power, finding)
        if not why:
            return finding
        self._excused.append((pact, power))
        return Finding(PromiseStatus.VOID, finding.what, finding.shown_by, why, finding.victims)

    def _breached(self, pact: Pact, breakers: Iterable[str]) -> bool:
        """Return True if a power that did not keep the pact has no excuse."""
        return not self._excused or any((pact, power) not in self._excused for power in breakers)

    def _judged(
        self, pact: Pact, judge: PactJudge, turn: int, phase: str, verdicts: list[PactVerdict], excuse: Excused
    ) -> tuple[list[str], list[Clause]]:
        """Judge a pact clause by clause; return the parties that did not keep it, and the clauses that are over."""
        breakers: list[str] = []
        done: list[Clause] = []
        for clause in pact.clauses:
            if clause.ended:
                continue
            waits, found = False, judge.findings(clause)
            clause.settled.update(judge.settled(clause))
            for power, finding in found:
                if finding.status is _BROKEN:
                    breakers.append(power)
                    finding = self._ruled(pact, clause, power, finding, excuse)
                verdicts.append(PactVerdict(pact, power, turn, phase, finding, clause))
                if finding.status is _OPEN:
                    waits = True
                elif finding.status is _BROKEN:
                    self.breaches.append(verdicts[-1])
            if not waits and (not clause.lasts or not found or clause.is_performed()):
                done.append(clause)
        return breakers, done

    def forget(self, gone: Iterable[str], turn: int, *, judged: bool = False) -> None:
        """Remove powers that are out of the game from all pacts.

        Duties of these powers, and duties to them alone, are void. If the turn is already judged, these duties get no
        verdict.
        """
        out = sorted(gone)
        for pact in self.active:
            if not pact.parties.isdisjoint(out):
                for clause in pact.clauses:
                    if not clause.ended:
                        self._release(pact, clause, [power for power in out if power in pact.parties], _VOID, turn)
        self._drop_ended()
        if judged:
            self._lifted.clear()

    def _note(self, pact: Pact) -> None:
        """Index a pact by its orders, triggers and topics."""
        self._known[pact.parties, pact.what] = pact
        for clause in pact.clauses:
            for topic in filed_under(clause.what):
                self._files.setdefault(topic, []).append(pact)
        orders = [(province, clause, part) for clause in pact.clauses for province, part in clause.orders]
        for province in {province for province, _, _ in orders}:
            known = self._orders.get(province, ())
            self._orders[province] = [entry for entry in known if entry[0].state is _ACTIVE]
        for province, clause, part in orders:
            self._orders[province].append((pact, clause, part))
        for clause in pact.clauses:
            for power, other in clause.triggers:
                watchers = self._watched.setdefault(power, {})
                watchers[other] = _active(watchers.get(other, {})) | {clause: pact}
            for power in () if clause.triggers else clause.owing:
                self._unwatched[power] = _active(self._unwatched.get(power, {})) | {clause: pact}

    def _drop_ended(self) -> None:
        self.active = [pact for pact in self.active if pact.state is _ACTIVE]

    def _undo(self, what: v.Arrangement, parties: frozenset[str]) -> None:
        for pact in self.active:
            for clause in _saying(pact, what):
                if clause.present <= parties:
                    self._lift(pact, clause, PactState.UNDONE)
        self._drop_ended()

    def _end_in(self, pact: Pact, what: v.Arrangement, how: PactState) -> None:
        """End the clauses of a pact with this arrangement, or all clauses if the whole pact has it."""
        for clause in _saying(pact, what):
            self._lift(pact, clause, how)

    def _release(
        self, pact: Pact, clause: Clause, powers: Collection[str], how: PactState, turn: int | None = None
    ) -> None:
        """Let powers leave a clause; end the clause if no party then owes another party anything."""
        freed = [power for power in clause.owing if power in powers]
        void = Finding(PromiseStatus.VOID, clause.what, why=how.value)
        self._lifted.extend((pact, power, void, clause) for power in freed)
        clause.leave(powers)
        if clause.is_idle():
            self._lift(pact, clause, how, turn)

    def _lift(self, pact: Pact, clause: Clause, how: PactState, turn: int | None = None) -> None:
        """End a clause and lift all duties under it."""
        void = Finding(PromiseStatus.VOID, clause.what, why=how.value)
        self._lifted.extend((pact, power, void, clause) for power in clause.owing)
        pact.end(clause, how, turn)

    def _replace(self, new: Pact, board: PhaseBoard | None) -> None:
        """End the earlier clauses that a new pact replaces, and record the powers that agreed to contradictions."""
        rivals = sorted(self._rivals(new), key=lambda pact: pact.number)
        for old in rivals:
            both = {
                power
                for earlier in old.clauses
                for later in new.clauses
                for power in self._weigh(old, earlier, new, later, board)
            }
            if both:
                found = [Contradiction(power, new.turn, old, new) for power in sorted(both)]
                self.contradictions += found
                self._contradicted[old] = self._contradicted.get(old, []) + found
        if any(pact.state is not _ACTIVE for pact in rivals):
            self._drop_ended()

    def _rivals(self, new: Pact) -> set[Pact]:
        """Return the pacts in force that share a topic with a new pact. No other pact can conflict with it."""
        found: set[Pact] = set()
        for topic in {topic for clause in new.clauses for topic in looked_up(clause.what)}:
            filed = self._files.get(topic)
            if filed:
                filed[:] = [pact for pact in filed if pact.state is _ACTIVE]
                found.update(filed)
        return found

    def _weigh(self, old: Pact, earlier: Clause, new: Pact, later: Clause, board: PhaseBoard | None) -> list[str]:
        """Let a later clause replace an earlier one, or return the powers bound by two contradicting clauses."""
        shared = (earlier.bound & later.bound) - earlier.left
        if earlier.ended or not (shared or denies(later.what, earlier.what)):
            return []
        apart = denies(earlier.what, later.what) or excludes(without(earlier.what, earlier.left), later.what)
        if earlier.present <= new.parties:
            if apart:
                self._lift(old, earlier, PactState.REPLACED)
            return []
        return [power for power in shared if apart or offends(earlier.what, later.what, power, board)]


def _owes(power: str, pact: Pact, clause: Clause) -> bool:
    """Return True if a clause is in force and the power owes it."""
    return pact.state is _ACTIVE and not clause.ended and power in clause.owing


def _owed(power: str, clauses: Mapping[Clause, Pact]) -> dict[Clause, Pact]:
    """Return the clauses that are in force and owed by a power."""
    return {
        clause: pact
        for clause, pact in clauses.items()
        if pact.state is _ACTIVE and not clause.ended and power in clause.owing
    }


def _active(clauses: Mapping[Clause, Pact]) -> dict[Clause, Pact]:
    """Return the clauses of pacts in force."""
    return {clause: pact for clause, pact in clauses.items() if pact.state is _ACTIVE}


def _saying(pact: Pact, what: v.Arrangement) -> list[Clause]:
    """Return a pact's clauses in force with this arrangement, or all of them if the whole pact has it."""
    whole, part = what == pact.what, plain(what)
    return [clause for clause in pact.clauses if not clause.ended and (whole or clause.what == part)]


def _close(pact: Pact, breakers: list[str], done: list[Clause], turn: int, how: PactState) -> None:
    """End performed or broken clauses.

    Powers that broke the pact leave it. The others stay bound if at least two of them still owe something.
    """
    clauses = pact.clauses
    for clause in clauses:
        if clause.settled:
            clause.past = frozenset(clause.settled)
    if breakers:
        pact.breached = pact.breached or how is _BREACHED
        if len(clauses) == 1:
            owing: Collection[str] = clauses[0].owing
        else:
            owing = {power for clause in clauses if not clause.ended for power in clause.owing}
        if len([power for power in owing if power not in breakers]) < 2:
            pact.state, pact.ended = how, turn
            return
        for clause in clauses:
            clause.leave(breakers)
            if not clause.ended and clause.is_idle():
                pact.end(clause, how, turn)
    for clause in done:
        if not clause.ended:
            pact.end(clause, _DONE, turn)
