"""Pacts: proposals that everybody agreed to, and how each party stood to them in each phase."""

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
    DONE = "done"  # all was performed, or became void
    BROKEN = "broken"
    UNDONE = "undone"  # by an agreed NAR
    REPLACED = "replaced"  # by a later agreement of the same parties
    RENOUNCED = "renounced"  # by a party that announced it
    VOID = "void"  # a party is out of the game


class Pact:
    """An agreement, its clauses, and whom it binds."""

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
        """All who agreed."""
        self.turn, self.at = turn, at
        """Turn and time of the last agreement; the pact counts from the turn of the proposal."""
        self.promised = dict(proposal.promised)
        """The speaker of each party, and the number of the message by which it last gave its word."""
        self.state = PactState.ACTIVE
        self.ended: int | None = None
        """The turn of its end."""
        self.breached = False
        """True if somebody broke a part of it."""
        self.lasts = any(clause.lasts for clause in clauses)
        """True if something persistent in it is in force."""
        self.watched = len(clauses) == 1 and bool(clauses[0].triggers)
        """True if its triggers show when it has to be looked at."""
        only = clauses[0].what if len(clauses) == 1 and clauses[0].owing else None
        self.single = only if isinstance(only, v.Execute) else None
        """The one order that it is about, if it is: only one power owes it, and it ends when that is judged."""

    def __repr__(self) -> str:
        return f"<pact {self.number}, {self.state}: {write(self.what)}>"

    @property
    def what(self) -> v.Arrangement:
        """Return the agreed arrangement."""
        return self.proposal.what

    @property
    def since(self) -> int:
        """The turn from which it counts: that of the proposal (S16)."""
        return self.proposal.turn

    @property
    def whole(self) -> bool:
        """True if all of it is still to be done, by all who agreed."""
        return not any(clause.ended or clause.settled or clause.left for clause in self.clauses)

    def end(self, clause: Clause, how: PactState, turn: int | None = None) -> None:
        """End one of its clauses, and with the last one the pact itself."""
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
        """Kept, broken, void or open."""
        return self.finding.status

    @property
    def what(self) -> v.Arrangement:
        """The part of the pact that it is about."""
        return self.finding.what

    @property
    def order(self) -> v.Order | None:
        """The order that shows it."""
        return self.finding.order

    @property
    def why(self) -> str:
        """Return the reason, where one is given."""
        return self.finding.why


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A power agreed to two things that cannot both hold."""

    power: str
    turn: int
    earlier: Pact
    later: Pact
