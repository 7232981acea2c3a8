"""Proposals as a state machine: open until every addressee said YES, an addressee refused, or time passed.

    open ──every addressee YES──► agreed          open ──REJ, BWX or HUH of one──► rejected
    open ──CCL by the proposer──► cancelled       open ──its turn is over──► expired

Replies are matched by meaning, not by text: lists in another order are the same proposal. A repeat of a proposal that
is no longer open is a new one. An answer after another power's refusal is recorded and changes nothing. A YES to
a proposal that was never made is only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from parlour.errors import PressError
from parlour.press.language import message_types as v
from parlour.press.language.reader import Reader
from parlour.press.language.tokens import MAX_LEVEL, Lexicon


class ProposalState(StrEnum):
    """State of a proposal."""

    OPEN = "open"
    AGREED = "agreed"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Reply(StrEnum):
    """Answer of an addressee to a proposal."""

    YES = "YES"
    REJ = "REJ"
    BWX = "BWX"
    HUH = "HUH"


Offer: TypeAlias = v.Propose | v.Insist
"""The messages that bind when all addressees agree."""


class Word(NamedTuple):
    """The message by which a power gave its word."""

    number: int
    """Number of the message among all that the ledger has read; the lower number came first."""
    turn: int
    player: str
    """Name of the player in the seat at that time."""


@dataclass(slots=True, eq=False)
class Proposal:
    """An offer and its result."""

    number: int
    offer: Offer
    proposer: str
    addressees: frozenset[str]
    turn: int
    phase: str
    at: float
    state: ProposalState = ProposalState.OPEN
    replies: dict[str, tuple[Reply, float]] = field(default_factory=dict)
    """The last answer of each addressee, and its time."""
    promised: dict[str, Word] = field(default_factory=dict)
    """The messages by which the proposer and the addressees who said YES gave their word."""

    @property
    def what(self) -> v.Arrangement:
        """The proposed arrangement."""
        return self.offer.what

    @property
    def parties(self) -> frozenset[str]:
        """The proposer and all addressees."""
        return self.addressees | {self.proposer}


@dataclass(frozen=True, slots=True)
class Spoken:
    """A structured message with its sender, receivers and time."""

    message: v.Message
    sender: str
    to: frozenset[str]
    turn: int
    phase: str
    at: float
    number: int = 0
    player: str = ""

    @property
    def word(self) -> Word:
        """The message as the word that a power gives."""
        return Word(self.number, self.turn, self.player)


class Proposals:
    """All proposals of a match; `say` returns the proposal that a message changed."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._open: dict[Offer, list[Proposal]] = {}
        self._refused: dict[Offer, list[Proposal]] = {}
        """Proposals that an addressee refused before all addressees had answered."""
        self.all: list[Proposal] = []
        self.unmatched = 0
        """Number of replies to proposals that were never made or are over."""

    def open(self) -> Iterable[Proposal]:
        """Return the proposals that still wait for answers."""
        return (proposal for group in self._open.values() for proposal in group)

    def say(self, spoken: Spoken) -> Proposal | None:
        """Apply a message; return the proposal that it opened, closed or answered, if any."""
        match spoken.message:
            case v.Propose() | v.Insist():
                return self._propose(spoken.message, spoken)
            case v.Accept(what):
                return self._answer(what, Reply.YES, spoken)
            case v.Reject(what):
                return self._answer(what, Reply.REJ, spoken)
            case v.NoBusiness(what):
                return self._answer(what, Reply.BWX, spoken)
            case v.Huh(tokens):
                return self._answer(self._quoted(tokens), Reply.HUH, spoken)
            case v.Withdraw(v.Accept(what)):
                return self._take_back(what, spoken)
            case v.Withdraw(what):
                return self._cancel(what, spoken)
        return None

    def expire(self, is_past: Callable[[v.Arrangement], bool]) -> list[Proposal]:
        """Close the open proposals whose time has passed."""
        past = [proposal for proposal in self.open() if is_past(proposal.what)]
        for proposal in past:
            self._close(proposal, ProposalState.EXPIRED)
        return past

    def without(self, gone: Collection[str]) -> None:
        """Close the open proposals with a party that is out of the game."""
        for proposal in [p for p in self.open() if not p.parties.isdisjoint(gone)]:
            self._close(proposal, ProposalState.EXPIRED)

    def _propose(self, offer: Offer, spoken: Spoken) -> Proposal | None:
        addressees = spoken.to - {spoken.sender}
        if not addressees:
            return None
        for proposal in self._open.get(offer, ()):
            if proposal.proposer == spoken.sender and proposal.addressees == addressees:
                return None
        number = len(self.all) + 1
        proposal = Proposal(number, offer, spoken.sender, addressees, spoken.turn, spoken.phase, spoken.at)
        proposal.promised[spoken.sender] = spoken.word
        self.all.append(proposal)
        self._open.setdefault(offer, []).append(proposal)
        return proposal

    def _answer(self, what: v.Press | None, answer: Reply, spoken: Spoken) -> Proposal | None:
        proposal = self._find(what, spoken) or self._find_refused(what, spoken)
        if proposal is None:
            self.unmatched += 1
            return None
        proposal.replies[spoken.sender] = (answer, spoken.at)
        if proposal.state is not ProposalState.OPEN:
            return proposal
        if answer is Reply.YES:
            proposal.promised[spoken.sender] = spoken.word
            if proposal.replies.keys() == proposal.addressees:
                self._close(proposal, ProposalState.AGREED)
            return proposal
        self._close(proposal, ProposalState.REJECTED)
        if proposal.replies.keys() != proposal.addressees:
            self._refused.setdefault(proposal.offer, []).append(proposal)
        return proposal

    def _take_back(self, what: v.Press, spoken: Spoken) -> Proposal | None:
        """Take back a YES (CCL) while the proposal is open."""
        proposal = self._find(what, spoken, answered=True)
        if proposal is not None:
            proposal.replies.pop(spoken.sender, None)
            proposal.promised.pop(spoken.sender, None)
        return proposal

    def _cancel(self, what: v.Press | v.Accept, spoken: Spoken) -> Proposal | None:
        if not isinstance(what, (v.Propose, v.Insist)):
            return None
        for proposal in self._open.get(what, ()):
            if proposal.proposer == spoken.sender and proposal.addressees == spoken.to - {spoken.sender}:
                self._close(proposal, ProposalState.CANCELLED)
                return proposal
        return None

    def _find(self, what: v.Press | None, spoken: Spoken, *, answered: bool = False) -> Proposal | None:
        """Return the open proposal that the speaker received and whose proposer receives the reply.

        The same offer may be open between several groups. `answered` prefers the proposals that the speaker has, or
        has not, answered. Then the group of the reply is preferred, then the latest proposal.
        """
        if not isinstance(what, (v.Propose, v.Insist)):
            return None
        mine = [p for p in self._open.get(what, ()) if spoken.sender in p.addressees and p.proposer in spoken.to]
        circle = spoken.to | {spoken.sender}
        return max(
            mine,
            key=lambda p: ((spoken.sender in p.replies) is answered, p.parties == circle, p.number),
            default=None,
        )

    def _find_refused(self, what: v.Press | None, spoken: Spoken) -> Proposal | None:
        """Return the proposal that another addressee refused before the speaker answered."""
        if not isinstance(what, (v.Propose, v.Insist)):
            return None
        for proposal in reversed(self._refused.get(what, ())):
            if spoken.sender in proposal.addressees - proposal.replies.keys() and proposal.proposer in spoken.to:
                return proposal
        return None

    def _quoted(self, tokens: tuple[str, ...]) -> v.Press | None:
        """Return the proposal that a HUH quotes; None if it quotes anything else."""
        reader = Reader([token for token in tokens if token != "ERR"], MAX_LEVEL, self._lexicon)
        try:
            message = reader.message()
            reader.end()
        except PressError:
            return None
        return message if isinstance(message, (v.Propose, v.Insist)) else None

    def _close(self, proposal: Proposal, state: ProposalState) -> None:
        proposal.state = state
        group = self._open[proposal.offer]
        group.remove(proposal)
        if not group:
            del self._open[proposal.offer]
