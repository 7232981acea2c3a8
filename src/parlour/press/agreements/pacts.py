"""Pacts: proposals that all parties agreed to, and a verdict for each party in each phase."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from parlour.press.agreements.clauses import Clause
from parlour.press.agreements.proposals import Proposal
from parlour.press.judging.findings import Finding, PromiseStatus
from parlour.press.language import message_types as v
from parlour.press.language.writer import write


class PactState(StrEnum):
    """State of a pact: in force, or how it ended."""

    ACTIVE = "active"
    DONE = "done"  # every duty was performed or became void
    BROKEN = "broken"
    UNDONE = "undone"  # by an agreed NAR
    REPLACED = "replaced"  # by a later agreement of the same parties
    RENOUNCED = "renounced"  # a party announced its withdrawal to all others
    VOID = "void"  # a party is out of the game, or had an excuse


class Pact:
    """An agreement with its clauses and the powers that it binds."""

    __slots__ = (
        "at",
        "breached",
        "clauses",
        "ended",
        "lasts",
        "number",
        "parties",
        "promised",
        "proposal",
        "single",
        "state",
        "turn",
        "watched",
    )

    def __init__(self, number: int, proposal: Proposal, clauses: tuple[Clause, ...], turn: int, at: float) -> None:
        self.number, self.proposal, self.clauses = number, proposal, clauses
        self.parties = proposal.parties
        """All powers that agreed."""
        self.turn, self.at = turn, at
        """Turn and time of the last YES; the pact counts from the turn of the proposal."""
        self.promised = dict(proposal.promised)
        """The message by which each party last gave its word."""
        self.state = PactState.ACTIVE
        self.ended: int | None = None
        """Turn in which the pact ended, if known."""
        self.breached = False
        """True after a breach without an excuse; the breach of a single order changes only the state."""
        self.lasts = any(clause.lasts for clause in clauses)
        """True while a persistent clause is in force."""
        self.watched = len(clauses) == 1 and bool(clauses[0].triggers)
        """True if the pact has one clause, and the triggers of that clause show when it must be judged."""
        only = clauses[0].what if len(clauses) == 1 and clauses[0].owing else None
        self.single = only if isinstance(only, v.Execute) else None
        """The order, if the pact is about a single one. One power owes it, and the pact ends when it is judged."""

    def __repr__(self) -> str:
        return f"<pact {self.number}, {self.state}: {write(self.what)}>"

    @property
    def what(self) -> v.Arrangement:
        """The agreed arrangement."""
        return self.proposal.what

    @property
    def since(self) -> int:
        """The turn from which the pact counts: the turn of the proposal (S16)."""
        return self.proposal.turn

    @property
    def whole(self) -> bool:
        """True while no clause has ended, no order of it is settled, and no party has left."""
        return not any(clause.ended or clause.settled or clause.left for clause in self.clauses)

    def end(self, clause: Clause, how: PactState, turn: int | None = None) -> None:
        """End a clause; end the pact with its last clause."""
        clause.ended = how.value
        self.lasts = any(other.lasts and not other.ended for other in self.clauses)
        if all(other.ended for other in self.clauses):
            self.ended = turn
            self.state = PactState.BROKEN if self.breached and how is PactState.DONE else how


class PactVerdict(msgspec.Struct, frozen=True, gc=False):
    """Conduct of one party towards one clause of a pact in one phase."""

    pact: Pact
    performer: str
    turn: int
    phase: str
    finding: Finding
    clause: Clause
    """The part of the pact that is judged, with all of its alternatives."""

    @property
    def status(self) -> PromiseStatus:
        """Status of the promise: kept, broken, void or open."""
        return self.finding.status

    @property
    def what(self) -> v.Arrangement:
        """The judged part of the pact."""
        return self.finding.what

    @property
    def order(self) -> v.Order | None:
        """The order that shows the status, if there is one."""
        return self.finding.order

    @property
    def why(self) -> str:
        """The reason, if one is given."""
        return self.finding.why


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two pacts of a power that cannot both hold."""

    power: str
    turn: int
    earlier: Pact
    later: Pact
