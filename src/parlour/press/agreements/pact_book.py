"""The pacts of a match: which are in force, which end others, and who agreed to both sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from parlour.press.agreements.clauses import Clause, flat, plain
from parlour.press.agreements.conflicts import denies, excludes, offends, without
from parlour.press.agreements.pacts import Contradiction, Pact, PactState, PactVerdict
from parlour.press.agreements.proposals import Proposal
from parlour.press.agreements.topics import Topic, filed_under, looked_up
from parlour.press.judging.executed_orders import Given
from parlour.press.judging.findings import Finding, PromiseStatus
from parlour.press.judging.judge import PactJudge
from parlour.press.language import message_types as v
from parlour.press.orders import same
from parlour.press.press_position import PhaseBoard

Excused = Callable[[Pact, Clause, str, Finding], str]
"""The reason why a power need not answer for what it did not keep; empty if it must."""


def _never(pact: Pact, clause: Clause, power: str, finding: Finding) -> str:
    return ""


_ACTIVE, _DONE, _BREACHED, _VOID = PactState.ACTIVE, PactState.DONE, PactState.BROKEN, PactState.VOID
_BROKEN, _OPEN = PromiseStatus.BROKEN, PromiseStatus.OPEN


@dataclass(eq=False)
class PactBook:
    """All pacts of a match, and their results."""

    all: list[Pact] = field(default_factory=list)
    active: list[Pact] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    breaches: list[PactVerdict] = field(default_factory=list)
    """Promises that were broken in the last phase, without single orders."""
    _lifted: list[tuple[Pact, str, Finding, Clause]] = field(default_factory=list)
    """Duties lifted since the last phase; they are void in the verdicts of this one."""
    _orders: dict[str, list[tuple[Pact, Clause, v.Execute]]] = field(default_factory=dict)
    """The agreed orders, by the province of their unit; ended ones are taken out when another is agreed on there."""
    _excused: list[tuple[Pact, str]] = field(default_factory=list)
    """The powers that were excused in the last phase, with the pacts that they did not keep."""
    _told: dict[tuple[str, Clause], set[str]] = field(default_factory=dict)
    """Powers that received a power's renunciation of a part of a pact."""
    _watched: dict[str, dict[str, set[Pact]]] = field(default_factory=dict)
    """The pacts of one persistent clause, by the triggers that concern them; ended ones are taken out likewise."""
    _known: dict[tuple[frozenset[str], v.Arrangement], Pact] = field(default_factory=dict)
    """The last pact of the same parties about the same, ended or not."""
    _files: dict[Topic, list[Pact]] = field(default_factory=dict)
    """The pacts by their topics; ended ones are taken out when somebody looks there."""

    def agree(
        self, proposal: Proposal, turn: int, at: float, board: PhaseBoard | None = None, movement: int = 1
    ) -> Pact | None:
        """The pact that an agreed proposal makes; None if it only undoes another, or repeats one wholly in force.

        Movement is the number of the movement phase in which, or after which, it is made.
        """
        parts = list(dict.fromkeys(flat(proposal.what)))  # what is said twice is owed once
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
        """Release a power from what it renounces by FCT ( NOT … ) or FCT ( NAR … ), once all other parties know."""
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
        """Return True if a pact in force says that the order is given, and its power and `others` are parties."""
        agreed = self._orders.get(given.unit.place[:3]) if self._orders else None
        if not agreed:
            return False
        power = given.unit.power
        for pact, clause, part in agreed:
            if pact.state is not _ACTIVE or clause.ended or part in clause.past:
                continue
            present = clause.present
            if power in present and present.issuperset(others) and same(part.order, given.order()):
                return True
        return False

    def settle(self, judge: PactJudge, turn: int, phase: str, excuse: Excused = _never) -> list[PactVerdict]:
        """Judge every pact in force by a phase, end those that are over, and say how each party stood.

        A power that is excused is released from what it did not keep, as if it had broken it, but has not.
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
        touched: set[Pact] = set().union(*concerned.values())
        for pact in self.active:
            if pact.watched and pact not in touched:
                clause = pact.clauses[0]
                kept = clause.kept
                for power in clause.owing:
                    add(PactVerdict(pact, power, turn, phase, kept, clause))
            elif pact.watched:
                clause, breakers = pact.clauses[0], list[str]()
                for power in clause.owing:
                    finding = judge.finding(clause, power) if pact in concerned[power] else clause.kept
                    if finding.status is _BROKEN:
                        breakers.append(power)
                        finding = self._ruled(pact, clause, power, finding, excuse)
                    add(PactVerdict(pact, power, turn, phase, finding, clause))
                    if finding.status is _BROKEN:
                        self.breaches.append(verdicts[-1])
                if breakers:
                    closing.append((pact, breakers, []))
            elif pact.single is not None:
                clause = pact.clauses[0]
                finding = judge.order(pact.single, clause.promised)
                if finding.status is _BROKEN:
                    finding = self._ruled(pact, clause, clause.owing[0], finding, excuse)
                add(PactVerdict(pact, clause.owing[0], turn, phase, finding, clause))
                if finding.status is not _OPEN:
                    over.append((pact, _BREACHED if finding.status is _BROKEN else _DONE))
            else:
                closing.append((pact, *self._judged(pact, judge, turn, phase, verdicts, excuse)))
        # All are judged before any is closed, as one may license what another forbids.
        for pact, breakers, done in closing:
            _close(pact, breakers, done, turn, _BREACHED if self._breached(pact, breakers) else _VOID)
        for pact, how in over:
            pact.state, pact.ended = how, turn
        if over or closing:
            self._drop_ended()
        return verdicts

    def _ruled(self, pact: Pact, clause: Clause, power: str, finding: Finding, excuse: Excused) -> Finding:
        """Return the finding of a promise that was not kept: broken, or void if its power is excused."""
        why = excuse(pact, clause, power, finding)
        if not why:
            return finding
        self._excused.append((pact, power))
        return Finding(PromiseStatus.VOID, finding.what, finding.shown_by, why, finding.victims)

    def _breached(self, pact: Pact, breakers: Iterable[str]) -> bool:
        """Return True if any of those who did not keep a pact has no excuse."""
        return not self._excused or any((pact, power) not in self._excused for power in breakers)

    def _judged(
        self, pact: Pact, judge: PactJudge, turn: int, phase: str, verdicts: list[PactVerdict], excuse: Excused
    ) -> tuple[list[str], list[Clause]]:
        """Judge a pact clause by clause: the parties that did not keep it, and the clauses that are over."""
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
        """Take powers that are out of the game out of all pacts; their debts, and debts to them alone, are void.

        If the turn is already judged, no verdict is given on them.
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
        """Let the pact be found by the orders, triggers and topics that concern it."""
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
        if pact.watched:
            for power, other in pact.clauses[0].triggers:
                watchers = self._watched.setdefault(power, {})
                watchers[other] = {each for each in watchers.get(other, ()) if each.state is _ACTIVE} | {pact}

    def _drop_ended(self) -> None:
        self.active = [pact for pact in self.active if pact.state is _ACTIVE]

    def _undo(self, what: v.Arrangement, parties: frozenset[str]) -> None:
        for pact in self.active:
            for clause in _saying(pact, what):
                if clause.present <= parties:
                    self._lift(pact, clause, PactState.UNDONE)
        self._drop_ended()

    def _end_in(self, pact: Pact, what: v.Arrangement, how: PactState) -> None:
        """End the clauses of a pact with this content, or all of them if it is the whole pact."""
        for clause in _saying(pact, what):
            self._lift(pact, clause, how)

    def _release(
        self, pact: Pact, clause: Clause, powers: Collection[str], how: PactState, turn: int | None = None
    ) -> None:
        """Let powers leave a clause; the others stay bound to one another, if there are any."""
        freed = [power for power in clause.owing if power in powers]
        void = Finding(PromiseStatus.VOID, clause.what, why=how.value)
        self._lifted.extend((pact, power, void, clause) for power in freed)
        clause.leave(powers)
        if clause.is_idle():
            self._lift(pact, clause, how, turn)

    def _lift(self, pact: Pact, clause: Clause, how: PactState, turn: int | None = None) -> None:
        """End a clause, and lift all duties under it."""
        void = Finding(PromiseStatus.VOID, clause.what, why=how.value)
        self._lifted.extend((pact, power, void, clause) for power in clause.owing)
        pact.end(clause, how, turn)

    def _replace(self, new: Pact, board: PhaseBoard | None) -> None:
        """Let a later agreement replace an earlier one of the same parties; otherwise note who agreed to both."""
        rivals = sorted(self._rivals(new), key=lambda pact: pact.number)
        for old in rivals:
            both = {
                power
                for earlier in old.clauses
                for later in new.clauses
                for power in self._weigh(old, earlier, new, later, board)
            }
            self.contradictions.extend(Contradiction(power, new.turn, old, new) for power in sorted(both))
        if any(pact.state is not _ACTIVE for pact in rivals):
            self._drop_ended()

    def _rivals(self, new: Pact) -> set[Pact]:
        """Return the pacts in force that share a topic with a new one: no other can clash with it."""
        found: set[Pact] = set()
        for topic in {topic for clause in new.clauses for topic in looked_up(clause.what)}:
            filed = self._files.get(topic)
            if filed:
                filed[:] = [pact for pact in filed if pact.state is _ACTIVE]
                found.update(filed)
        return found

    def _weigh(self, old: Pact, earlier: Clause, new: Pact, later: Clause, board: PhaseBoard | None) -> list[str]:
        """Let a later clause replace an earlier one, or return the powers that are bound by both contradicting ones."""
        shared = (earlier.bound & later.bound) - earlier.left
        if earlier.ended or not (shared or denies(later.what, earlier.what)):
            return []
        apart = denies(earlier.what, later.what) or excludes(without(earlier.what, earlier.left), later.what)
        if earlier.present <= new.parties:
            if apart:
                self._lift(old, earlier, PactState.REPLACED)
            return []
        return [power for power in shared if apart or offends(earlier.what, later.what, power, board)]


def _saying(pact: Pact, what: v.Arrangement) -> list[Clause]:
    """Return the clauses in force of a pact that say this, or all of them if the whole pact does."""
    whole, part = what == pact.what, plain(what)
    return [clause for clause in pact.clauses if not clause.ended and (whole or clause.what == part)]


def _close(pact: Pact, breakers: list[str], done: list[Clause], turn: int, how: PactState) -> None:
    """End performed or broken clauses; a power that breaks a pact of several leaves it, the rest stay bound."""
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
