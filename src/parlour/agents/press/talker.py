"""The talk of a negotiating player: its proposals and answers, their order, and the end of the talk."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice

from parlour.agents.press.witness import Witness
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import CommStatus
from parlour.core.terms import PressMode
from parlour.errors import PressError
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.proposals import Proposal, ProposalState
from parlour.press.language import message_types as v
from parlour.press.language.checks import examine
from parlour.press.language.prose import formal
from parlour.press.language.reader import complaint, read
from parlour.press.language.tokens import LEVELS, Lexicon, cut
from parlour.press.language.writer import write

Offer = tuple[Sequence[str], v.Arrangement]
"""The press words of the powers to ask (FRA, not FRANCE), and the arrangement to propose."""
Offers = Iterable[Offer]


class Talker(Witness):
    """A player that negotiates by the protocol; a subclass chooses its proposals, answers and final orders."""

    words: tuple[str, ...] = ("PRP", "YES", "REJ", "PCE", "ALY", "VSS", "DMZ", "XDO", "AND", "ORR", "NOT", "NAR")
    """Words that the player lists as understood in its answer to a message that it does not understand."""
    honest = True
    """True if the player offers and accepts only arrangements that it could keep."""

    def __init__(self) -> None:
        super().__init__()
        self._offered: list[v.Arrangement] = []
        self._later: Iterator[Offer] | None = None
        """Further proposals, made one after another once the powers that propose first have finished."""
        self._waiting = False
        self._unheard = 0
        """Number of own messages that the table has not confirmed yet."""

    # For subclasses

    def offers(self, position: Position) -> Offers:
        """Return the proposals of this turn as pairs of the powers to ask and the arrangement, without PRP."""
        return ()

    def later_offers(self, position: Position) -> Offers:
        """Return the proposals to make after other powers have proposed; each waits until the one before is settled."""
        return ()

    def lets_speak(self) -> Iterable[str]:
        """Return the powers that propose before this player. Only those that hold up the turn are waited for."""
        return ()

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True to agree to a proposal."""
        return False

    def renounces(self, position: Position) -> Iterable[str]:
        """Return the friends with which to end peace in this turn; they are informed before any orders are final."""
        return ()

    def _before_word(self, what: v.Arrangement) -> None:
        """Prepare to offer or accept an arrangement."""

    def _finish(self) -> None:
        """Give the final orders, because the talk of the turn is over for this player."""
        raise NotImplementedError

    # Promises that it can keep

    def fits(self, what: v.Arrangement) -> bool:
        """Return True if the player could keep an arrangement with all that it agreed to, offered or accepted."""
        waiting = [
            proposal.what
            for proposal in self.ledger.open()
            if proposal.proposer == self.me or self.me in proposal.replies
        ]
        proposals = (proposal for proposal in self.ledger.proposals if proposal.turn == self.ledger.turn)
        refused = {proposal.what for proposal in proposals if proposal.state is ProposalState.REJECTED}
        return self.commitments.fits(what, [*(each for each in self._offered if each not in refused), *waiting])

    def suitors(self) -> set[str]:
        """Return the friends, and the powers that would be friends if all offers of this turn were agreed."""
        found = self.friends()
        for what in self._offered:
            if isinstance(what, (v.Peace, v.Alliance)) and self.me in what.powers:
                found.update(what.powers)
        return found - {self.me}

    # Talking

    def say(self, message: v.Message, to: Iterable[str]) -> None:
        """Send a message to powers."""
        assert self.handle is not None
        self._unheard += 1
        self.handle.say(write(message), [self.lexicon.seat_of[power] for power in to])

    def _talk(self, ready: bool = False) -> None:
        """Begin or continue the talk of a movement phase."""
        self._wait()
        if self.handle is not None and not ready:
            self.handle.set_comm_status(CommStatus.READY)
        if self.mode is PressMode.ANYTIME or self._open:
            for proposal in list(self.ledger.proposals):
                if self.me in proposal.addressees - proposal.replies.keys() and proposal.state is ProposalState.OPEN:
                    self._answer(proposal.offer, proposal.proposer)  # left unanswered by the former player of this seat
            self._propose()
            self._finish_if_settled()

    def _propose(self) -> None:
        position = self.ledger.position
        if position is None:
            return
        for power in self.renounces(position):
            self.renounce(power)
        self._offer(self.offers(position), self._most)
        self._later = iter(self.later_offers(position))

    def _offer(self, offers: Offers, most: int) -> bool:
        """Propose the next `most` offers that are new and can be kept; return True if there was any offer."""
        active = {(pact.what, pact.parties) for pact in self.ledger.pacts.active}
        any_made = False
        for to, what in islice(offers, most):
            any_made = True
            if (fault := _fault_of(to, what, self.lexicon)) is not None:
                if isinstance(offers, Generator):
                    offers.throw(fault)  # the traceback then shows the line that made the offer
                raise fault
            if (what, frozenset((*to, self.me))) in active or level_of(what) > self.level:
                continue
            if to and (not self.honest or self.fits(what)):
                self._before_word(what)
                self._offered.append(what)
                self.say(v.Propose(what), to)
        return any_made

    def renounce(self, power: str) -> None:
        """Announce to all parties that the player leaves its peace with a power."""
        for pact in self.ledger.active():
            for clause in pact.clauses:
                if isinstance(clause.what, (v.Peace, v.Alliance)) and {self.me, power} <= clause.present:
                    self.say(v.Fact(v.Not(clause.what)), sorted(clause.present - {self.me}))

    def _hear(self, said: ev.Said) -> None:
        if said.seat == self.seat:
            self._unheard = max(0, self._unheard - 1)
            return
        try:
            message = read(formal(said.text), self.level, self.lexicon)
        except PressError as error:
            self.puzzled(said, error)
            return
        if isinstance(message, (v.Propose, v.Insist)):
            self._answer(message, self.lexicon.seats[said.seat])

    def _answer(self, offer: v.Propose | v.Insist, sender: str) -> None:
        position = self.ledger.position
        for proposal in reversed(self.ledger.proposals):
            if proposal.offer == offer and proposal.proposer == sender and proposal.state is ProposalState.OPEN:
                break
        else:
            return
        assert position is not None
        refused = examine(offer, out=set(self.lexicon.powers) - self.ledger.board.alive, board=position.board).refused
        fits = not self.honest or self.fits(offer.what)
        agreed = refused is None and fits and self.accepts(proposal, position)
        reply = v.Accept(offer) if agreed else v.Reject(offer)
        if agreed:
            self._before_word(offer.what)
            self._offered.append(offer.what)
            self._wait()
        self.say(reply, sorted(proposal.parties - {self.me}))

    def puzzled(self, said: ev.Said, error: PressError) -> None:
        """Answer a message that looks like press but cannot be read; free text gets no answer."""
        first = next(iter(cut(said.text[:8])), "")
        if first in LEVELS and first not in ("HUH", "TRY"):
            self._unheard += 2
            self.complain(said, error)

    def complain(self, said: ev.Said, error: PressError) -> None:
        """Send HUH with the first wrong token of a message, and TRY with the understood words."""
        assert self.handle is not None
        self.handle.say(complaint(said.text, error), [said.seat])
        self.handle.say(write(v.Try(self.words)), [said.seat])

    def _wait(self) -> None:
        """Hold up the turn until the final orders are given."""
        if not self._waiting and self.handle is not None:
            self._waiting = True
            self.handle.set_wait(True)

    def _finish_if_settled(self) -> None:
        """Give final orders when no proposal that the player made or answered waits for another bot."""
        while self._is_settled() and not self._waits_for_others():
            if self._later is None:
                self._finish()
                return
            if not self._offer(self._later, 1):
                self._later = None

    def _is_settled(self) -> bool:
        if self._unheard:
            return False
        for proposal in reversed(self.ledger.proposals):  # the latest come last
            if proposal.turn != self.ledger.turn:
                break
            if self._is_pending(proposal):
                return False
        return True

    def _waits_for_others(self) -> bool:
        """Return True if the player has more proposals, and other powers are to propose first.

        Without a press window the player does not wait. Then only the first power makes further proposals.
        """
        if self._later is None or not any(self._is_talking(self.lexicon.seat_of[power]) for power in self.lets_speak()):
            return False
        if not self._open:
            self._later = None
        return self._open

    def _is_talking(self, seat: Seat) -> bool:
        """Return True if a bot still holds up the turn, and may still make proposals."""
        return seat in self._bots & self._held - self._quiet

    def _is_pending(self, proposal: Proposal) -> bool:
        if proposal.state is not ProposalState.OPEN:
            return False
        if proposal.proposer != self.me and self.me not in proposal.replies:
            return False
        missing = proposal.addressees - proposal.replies.keys()
        return all(self.lexicon.seat_of[power] in self._bots - self._acted for power in missing)


def _fault_of(to: Sequence[str], what: v.Arrangement, lexicon: Lexicon) -> Exception | None:
    """Return the error of an offer that cannot be written as press, for authors of subclasses; None if it can."""
    words = lexicon.seat_of
    for power in to:
        if power not in words:
            expected = f"a list of words such as {next(iter(words))} (of {', '.join(words)})"
            return ValueError(f"offers: {power!r:.40} is no power's word; expected as addressees {expected}")
    try:
        write(what)
    except (AttributeError, KeyError, TypeError) as error:
        return TypeError(f"offers: {what!r:.120} is no arrangement of parlour.press.language.message_types ({error})")
    return None


def level_of(what: v.Arrangement) -> int:
    """Return the highest press level among the words of an arrangement."""
    return max((LEVELS.get(word, 0) for word in write(what).split()), default=0)
