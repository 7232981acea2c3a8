"""Pacts: proposals that everybody agreed to. Which are in force, which end others, and who agreed to both sides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from parlour.press import values as v
from parlour.press.board import Board
from parlour.press.deeds import aim, attacked
from parlour.press.duties import Clause, Finding, Judge, Status, combined, flat, lasts, performers
from parlour.press.orders import STAGE_OF, performer, same
from parlour.press.proposals import Proposal


class PactState(StrEnum):
    """Whether a pact is in force, or how it ended."""

    ACTIVE = "active"
    DONE = "done"  # all was performed, or became void
    BROKEN = "broken"
    UNDONE = "undone"  # by an agreed NAR
    REPLACED = "replaced"  # by a later agreement of the same parties
    RENOUNCED = "renounced"  # by a party that said so
    VOID = "void"  # a party is out of the game


@dataclass(slots=True, eq=False)
class Pact:
    """An agreement, its clauses, and whom it binds."""

    number: int
    proposal: Proposal
    clauses: tuple[Clause, ...]
    turn: int
    """The turn in which the last party agreed; it counts from the turn of the proposal."""
    at: float
    state: PactState = PactState.ACTIVE
    ended: int | None = None
    """The turn of its end."""

    @property
    def what(self) -> v.Arrangement:
        """What was agreed."""
        return self.proposal.what

    @property
    def parties(self) -> frozenset[str]:
        """All who agreed."""
        return self.proposal.parties

    @property
    def bound(self) -> frozenset[str]:
        """Those who owe something; a pact about others binds nobody."""
        return frozenset().union(*(clause.bound for clause in self.clauses))

    @property
    def since(self) -> int:
        """The turn from which it counts: that of the proposal (S16)."""
        return self.proposal.turn


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one party stood to one pact in one phase."""

    pact: Pact
    performer: str
    turn: int
    phase: str
    status: Status
    what: v.Arrangement
    """The part of the pact that decided."""
    order: v.Order | None = None
    """The order that shows it."""
    why: str = ""
    victim: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A power agreed to two things that cannot both hold."""

    power: str
    turn: int
    earlier: Pact
    later: Pact


@dataclass(eq=False)
class Pacts:
    """All pacts of a match."""

    all: list[Pact] = field(default_factory=list)
    active: list[Pact] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    _lifted: list[tuple[Pact, Clause]] = field(default_factory=list)
    """Clauses ended since the last phase; they are void in its verdicts."""

    def agree(self, proposal: Proposal, turn: int, at: float, board: Board | None) -> Pact | None:
        """The pact that an agreed proposal makes; None if it only undoes another, or repeats one in force."""
        if any(pact.what == proposal.what and pact.parties == proposal.parties for pact in self.active):
            return None
        clauses = []
        for part in flat(proposal.what):
            if isinstance(part, v.Undo):
                self._end(part.what, proposal.parties, "undone")
            else:
                clauses.append(Clause(part, performers(part, proposal.parties) & proposal.parties))
        if not clauses:
            return None
        pact = Pact(len(self.all) + 1, proposal, tuple(clauses), turn, at)
        self._replace(pact, board)
        self.all.append(pact)
        self.active.append(pact)
        return pact

    def renounce(self, power: str, what: v.Arrangement) -> None:
        """End what the power takes back by FCT ( NOT … ) or FCT ( NAR … )."""
        for pact in self.active:
            if power in pact.parties:
                self._end_in(pact, what, "renounced")

    def licence(self, order: v.Order, power: str, others: Iterable[str]) -> bool:
        """Whether a pact in force says that the power gives the order, and all others are parties to it."""
        needed = {power, *others}
        return any(
            needed <= pact.parties and isinstance(clause.what, v.Execute) and same(clause.what.order, order)
            for pact in self.active
            for clause in pact.clauses
            if not clause.ended
        )

    def settle(self, judge: Judge, turn: int, phase: str, movement: bool) -> list[Verdict]:
        """Judge every pact in force by a phase, end those that are over, and say how each party stood."""
        verdicts = [
            Verdict(pact, power, turn, phase, Status.VOID, clause.what, why=clause.ended)
            for pact, clause in self._lifted
            for power in sorted(clause.bound - clause.left)
        ]
        self._lifted.clear()
        # All are judged before any ends, as one may license what another forbids.
        findings = [(pact, _findings(pact, judge)) for pact in self.active]
        for pact, found in findings:
            verdicts.extend(
                Verdict(pact, power, turn, phase, f.status, f.what, f.order, f.why, f.victim)
                for power, f in found.items()
            )
            _close(pact, found, turn, movement)
        self._drop_ended()
        return verdicts

    def forget(self, gone: Iterable[str], turn: int) -> None:
        """Take powers that are out of the game out of all pacts."""
        for power in gone:
            for pact in self.active:
                if power in pact.parties:
                    _leave(pact, power, PactState.VOID, turn)
        self._drop_ended()

    def _drop_ended(self) -> None:
        self.active = [pact for pact in self.active if pact.state is PactState.ACTIVE]

    def _end(self, what: v.Arrangement, parties: frozenset[str], how: str) -> None:
        for pact in self.active:
            if pact.parties <= parties:
                self._end_in(pact, what, how)
        self._drop_ended()

    def _end_in(self, pact: Pact, what: v.Arrangement, how: str) -> None:
        """End the clauses of a pact that say this, or all of them if the whole pact does."""
        for clause in pact.clauses:
            if not clause.ended and what in (pact.what, clause.what):
                self._lift(pact, clause, how)

    def _lift(self, pact: Pact, clause: Clause, how: str) -> None:
        clause.ended = how
        self._lifted.append((pact, clause))
        if all(other.ended for other in pact.clauses):
            pact.state = PactState(how)

    def _replace(self, new: Pact, board: Board | None) -> None:
        """Let a later agreement win over an earlier one of the same parties; note who is on both sides of others."""
        for old in self.active:
            for earlier in old.clauses:
                for later in new.clauses:
                    self._weigh(old, earlier, new, later, board)
        self._drop_ended()

    def _weigh(self, old: Pact, earlier: Clause, new: Pact, later: Clause, board: Board | None) -> None:
        shared = earlier.bound & later.bound
        if earlier.ended or not (shared or _denies(later.what, earlier.what)):
            return
        if old.parties <= new.parties:
            if _excludes(earlier.what, later.what):
                self._lift(old, earlier, "replaced")
            return
        for power in sorted(shared):
            if _excludes(earlier.what, later.what) or _offends(earlier.what, later.what, power, board):
                self.contradictions.append(Contradiction(power, new.turn, old, new))


def _findings(pact: Pact, judge: Judge) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    for power in sorted(pact.bound):
        parts = [
            finding
            for clause in pact.clauses
            if not clause.ended and power in clause.bound and power not in clause.left
            if (finding := judge.finding(clause, power)) is not None
        ]
        whole = combined(parts)
        if whole is not None:
            found[power] = whole
    return found


def _close(pact: Pact, found: dict[str, Finding], turn: int, movement: bool) -> None:
    """End a pact that is performed or broken; who breaks a pact of several leaves it, and the rest stay bound."""
    if movement:
        for clause in pact.clauses:
            clause.moved = True
    for power, finding in found.items():
        if finding.status is Status.BROKEN:
            _leave(pact, power, PactState.BROKEN, turn)
    if pact.state is not PactState.ACTIVE:
        return
    lasting = any(lasts(clause.what) for clause in pact.clauses if not clause.ended)
    if not found or (not lasting and all(finding.status is not Status.OPEN for finding in found.values())):
        pact.state, pact.ended = PactState.DONE, turn


def _leave(pact: Pact, power: str, how: PactState, turn: int) -> None:
    for clause in pact.clauses:
        clause.left.add(power)
    gone = pact.clauses[0].left
    if len(pact.bound - gone) < 2:
        pact.state, pact.ended = how, turn


def _denies(one: v.Arrangement, other: v.Arrangement) -> bool:
    """Whether one is the negation of the other."""
    return one == v.Not(other) or other == v.Not(one)


def _excludes(earlier: v.Arrangement, later: v.Arrangement) -> bool:
    """Whether two arrangements cannot both hold, whatever the board."""
    match earlier, later:
        case v.Execute(one), v.Execute(other):
            return _same_slot(one, other) and not same(one, other)
        case ((v.Peace() | v.Alliance()), v.Alliance()):
            return _hostile_alliance(later, earlier)
        case v.Alliance(), v.Peace():
            return _hostile_alliance(earlier, later)
    return _denies(earlier, later)


def _hostile_alliance(alliance: v.Alliance, peace: v.Peace | v.Alliance) -> bool:
    """Whether somebody is at peace with an enemy of its alliance."""
    allies = set(alliance.powers) & set(peace.powers)
    enemies = set(alliance.enemies) & set(peace.powers) - set(alliance.powers)
    return bool(allies and enemies)


def _same_slot(one: v.Order, other: v.Order) -> bool:
    """Whether both are orders for the same unit in the same phase."""
    if isinstance(one, v.Waive) or isinstance(other, v.Waive) or STAGE_OF[type(one)] != STAGE_OF[type(other)]:
        return False
    return one.unit.province == other.unit.province and one.unit.power == other.unit.power


def _offends(one: v.Arrangement, other: v.Arrangement, power: str, board: Board | None) -> bool:
    """Whether an order of the power under one arrangement breaks what it agreed to under the other."""
    if isinstance(other, v.Execute):
        one, other = other, one
    if not isinstance(one, v.Execute) or performer(one.order) != power:
        return False
    match other:
        case v.Peace(powers) | v.Alliance(powers) if board is not None:
            return not attacked(one.order, board).isdisjoint(powers)
        case v.Demilitarized(_, places):
            to = aim(one.order)
            return bool(to) and (to in places or to[:3] in places)
    return False
