"""The base of all negotiating players: the seed's protocol, a ledger of its own, and orders that keep its word.

In each movement phase the player answers at once with provisional orders, raises its wait flag and says that it is
ready. When the press window opens (or at once, where press is allowed at any time) it makes its proposals, and it
answers what it is asked. When nothing it waits for is open any more, or the window shuts, it gives its final orders and
lowers the flag. Retreats and adjustments have no talk.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from parlour.agents.diplomacy.bounds import Bounds, Pledge
from parlour.agents.press.counsel import BUDGET, Counsel, due_of, limits_of, pledge, pledges_of
from parlour.agents.press.honour import Honour
from parlour.core import events as ev
from parlour.core.game import Action, Seat, View
from parlour.core.intents import CommStatus, PlayerType
from parlour.core.player import Chair
from parlour.core.terms import PressMode, PressTerms
from parlour.errors import PressError
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.checks import examine
from parlour.press.findings import PromiseStatus
from parlour.press.ledger import Ledger
from parlour.press.pacts import PactVerdict
from parlour.press.proposals import Proposal, ProposalState
from parlour.press.reader import complaint, read
from parlour.press.tokens import LEVELS, Lexicon, cut
from parlour.press.writer import write

DISLIKE = 0.5
"""How much of its own share a power gives up for that of one who is disliked twice as much as usual."""
MAY_WAIT = (ev.TurnEnded, ev.TurnBegan, ev.Acted, ev.WaitSet, ev.CommStatusSet, ev.Joined)
"""Events after the end of a turn for which the ledger need not be up to date."""

Basis = tuple[Position, tuple[int, ...]]
"""A position, and the pacts that were in force when something was thought about it."""
Offer = tuple[Sequence[str], v.Arrangement]
"""What to propose, and to whom, by the powers' words (FRA, not FRANCE)."""
Offers = Iterable[Offer]


class PressAgent:
    """Negotiates by the protocol and keeps its pacts; a subclass says what to propose and what to accept."""

    player_type = PlayerType.PRESS_BOT
    words: tuple[str, ...] = ("PRP", "YES", "REJ", "PCE", "ALY", "VSS", "DMZ", "XDO", "AND", "ORR", "NOT", "NAR")
    """What it says it understands, when it does not."""
    honest = True
    """Whether it offers and accepts only what it could keep."""

    def __init__(self, seed: int = 0, budget: int = BUDGET) -> None:
        self.rng = random.Random(seed)
        self.counsel = Counsel(self.rng.getrandbits(63), budget)
        self._ledger = Ledger()
        self._unread: list[ev.Event] = []
        """The end of a turn and what came after it, which the ledger takes in when somebody looks."""
        self.faithless: set[str] = set()
        """Those who broke a promise to it."""
        self.mode, self.level = PressMode.NONE, 0
        self.chair: Chair | None = None
        self._offered: list[v.Arrangement] = []
        self._bots: set[Seat] = set()
        self._held: set[Seat] = set()
        """Those who held up this turn, and so may talk on after they have acted."""
        self._acted: set[Seat] = set()
        """Those who acted without that: nobody waits for their talk."""
        self._most = PressTerms().max_per_turn
        """Messages that the table takes from one seat in one turn."""
        self._open = False
        """Whether the press window is open."""
        self._quiet: set[Seat] = set()
        """Those who held up this turn and do so no more."""
        self._later: Iterator[Offer] | None = None
        """What it has to propose besides, one after the other, once those before it have spoken."""
        self._waiting = False
        self._unheard = 0
        """Own messages that the table has not confirmed yet."""
        self._planned: tuple[Basis, list[str]] | None = None
        self._held_to: tuple[Basis, list[Pledge]] | None = None
        self._basis: tuple[int, ...] | None = None
        """The pacts by which the orders of this turn were chosen."""

    # What a subclass decides

    def offers(self, position: Position) -> Offers:
        """What to propose this turn: pairs of the powers to ask and the arrangement, without a PRP around it."""
        return ()

    def later_offers(self, position: Position) -> Offers:
        """What to propose when those whom it lets speak first are done: each when the one before is settled."""
        return ()

    def lets_speak(self) -> Iterable[str]:
        """Those who are to propose before it; nobody waits for who does not hold up the turn."""
        return ()

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Whether to agree to a proposal."""
        return False

    def dislikes(self) -> Mapping[Seat, float]:
        """How much it minds what others have: 1 as everybody does, above 1 more, below 1 less."""
        return {}

    def trusts(self, power: str) -> float:
        """The chance that a power keeps its word."""
        return 0.0 if power in self.faithless else 1.0

    def renounces(self, position: Position) -> Iterable[str]:
        """The friends with whom to end peace this turn; they are told before anybody's orders are final."""
        return ()

    def learns(self, verdicts: Sequence[PactVerdict]) -> None:
        """Take note of who kept his word in the turn that ended."""

    def orders(self, position: Position) -> list[str]:
        """What is ordered in the end."""
        return self.plan(position)

    def plan(self, position: Position) -> list[str]:
        """The best orders that search finds among those that keep every pact; the same while the pacts are."""
        basis = position, self._pacts()
        if self._planned is None or self._planned[0] != basis:
            self._planned = basis, self.counsel.orders(position, self.seat, self.bounds(position))
        return list(self._planned[1])

    def expected(self, position: Position) -> list[Pledge]:
        """That all keep to their pacts as far as they are trusted, and it to its plan."""
        return [*self.pledges(position), pledge(position, self.seat, self.plan(position))]

    def bounds(self, position: Position) -> Bounds:
        """What its word leaves it, what it expects of the others, and what it thinks of them."""
        honour = self.honour
        return Bounds(
            limits=limits_of(honour, position, self.seat),
            due=due_of(honour, position),
            waives="WAIVE" in honour.due(),
            pledges=self.pledges(position),
            regard={position.power_of(seat): DISLIKE * (1.0 - dislike) for seat, dislike in self.dislikes().items()},
        )

    def pledges(self, position: Position) -> Sequence[Pledge]:
        """What the others are held to by its pacts with them, as far as it trusts them."""
        basis = position, self._pacts()
        if position.stage != "orders":
            return ()
        if self._held_to is None or self._held_to[0] != basis:
            trust = {power: self.trusts(power) for power in self.others()}
            self._held_to = basis, pledges_of(self.ledger, position, trust)
        return self._held_to[1]

    # What the driver calls

    def seated(self, chair: Chair) -> None:
        """Take the chair."""
        self.chair = chair

    def act(self, view: View) -> Action:
        """Give orders; in a movement phase with a press window provisional ones, until the talk is over."""
        assert isinstance(view.position, Position), "this player knows only Diplomacy"
        self._catch_up(view.position)
        if self.ledger.position != view.position:
            self.ledger.begin(view.position)
        self._waiting, self._unheard, self._offered, self._later = False, 0, [], None
        self._basis = self._pacts()
        if view.position.stage == "orders" and self.mode is not PressMode.NONE:
            self._talk()
        return self.orders(view.position)

    def refused(self, reason: object) -> None:
        """A message was not taken: nobody will answer it."""
        self._unheard = max(0, self._unheard - 1)
        self._finish_if_settled()

    def resumed(self, events: Sequence[ev.Event]) -> None:
        """Learn what was promised before it sat down.

        If the seat has given orders this turn, nobody asks again: it goes on from where the one before it left off.
        """
        if self.ledger.position is not None:
            return
        acted = ready = shut = False
        for event in events:
            self._follow(event)
            mine = getattr(event, "seat", None) == self.seat
            match event:
                case ev.TurnBegan():
                    acted = ready = shut = self._waiting = False
                case ev.PressClosed():
                    shut = True
                case ev.Acted() if mine:
                    acted = True
                case ev.WaitSet(wait=wait) if mine:
                    self._waiting = wait
                case ev.CommStatusSet(status=status) if mine:
                    ready = status is CommStatus.READY
                case ev.Joined() if mine:
                    ready = False
        position: Position | None = self.ledger.position
        if acted and position is not None and position.stage == "orders" and self.mode is not PressMode.NONE:
            self._basis = ()
            if shut:
                self._finish()
            else:
                self._talk(ready)

    def told(self, event: ev.Event) -> None:
        """Follow the match, and talk when it is time to."""
        self._follow(event)
        match event:
            case ev.PressOpened():
                self._propose()
                self._finish_if_settled()
            case ev.PressClosed():
                self._finish()
            case ev.Said() if self.chair is not None:
                self._hear(event)
                self._finish_if_settled()
            case ev.Acted(seat=seat) if self._open and seat in self._acted:
                self._finish_if_settled()
            case ev.WaitSet(wait=False) if self._open and self._later is not None:
                self._finish_if_settled()

    @property
    def ledger(self) -> Ledger:
        """What was promised, and who kept his word, as far as its seat may know."""
        self._catch_up()
        return self._ledger

    def _catch_up(self, after: Position | None = None) -> None:
        """Let the ledger take in what it has not; who knows the position after it saves the adjudication."""
        unread, self._unread = self._unread, []
        last = max((number for number, event in enumerate(unread) if isinstance(event, ev.TurnEnded)), default=None)
        for number, event in enumerate(unread):
            verdicts = self._ledger.feed(event, after if number == last else None)
            if isinstance(event, ev.TurnEnded):
                for verdict in verdicts:
                    if verdict.status is PromiseStatus.BROKEN and self.me in verdict.pact.parties - {verdict.performer}:
                        self.faithless.add(verdict.performer)
                self.learns(verdicts)

    def _follow(self, event: ev.Event) -> None:
        self.counsel.told(event)
        if isinstance(event, ev.TurnEnded) or (self._unread and isinstance(event, MAY_WAIT)):
            self._unread.append(event)
        else:
            self.ledger.feed(event)
        match event:
            case ev.Opened(terms=terms):
                self.mode, self.level, self._most = terms.press.mode, terms.press.level, terms.press.max_per_turn
            case ev.Joined(seat=seat, player_type=PlayerType.PRESS_BOT):
                self._bots.add(seat)
            case ev.PressOpened():
                self._open = True
            case ev.TurnBegan():
                self._open, self._held, self._acted, self._quiet = False, set(), set(), set()
            case ev.PressClosed():
                self._open = False
            case ev.WaitSet(seat=seat, wait=True):
                self._held.add(seat)
                self._quiet.discard(seat)
            case ev.WaitSet(seat=seat):
                self._quiet.add(seat)
            case ev.Acted(seat=seat) if seat not in self._held:
                self._acted.add(seat)

    # The table, in the words of press

    @property
    def seat(self) -> Seat:
        """Where it sits."""
        assert self.chair is not None
        return self.chair.seat

    @property
    def lexicon(self) -> Lexicon:
        """The words of the map."""
        return self.ledger.lexicon

    @property
    def me(self) -> str:
        """Its own word: FRA."""
        return self.lexicon.seats[self.seat]

    def others(self) -> list[str]:
        """The other powers that are in the game, in the map's order."""
        present = self.ledger.present
        return [power for power in self.lexicon.powers if power in present and power != self.me]

    @property
    def honour(self) -> Honour:
        """What its word obliges it to."""
        return Honour(self.ledger, self.me)

    def friends(self) -> set[str]:
        """Those with whom it has agreed to keep peace."""
        return self.honour.friends()

    def fits(self, what: v.Arrangement) -> bool:
        """Whether it could keep an arrangement besides all it agreed to, offered or accepted."""
        waiting = [
            proposal.what
            for proposal in self.ledger.open()
            if proposal.proposer == self.me or self.me in proposal.replies
        ]
        proposals = (proposal for proposal in self.ledger.proposals if proposal.turn == self.ledger.turn)
        refused = {proposal.what for proposal in proposals if proposal.state is ProposalState.REJECTED}
        return self.honour.fits(what, [*(each for each in self._offered if each not in refused), *waiting])

    def suitors(self) -> set[str]:
        """Its friends, and those who would be if all that it offered or accepted this turn came about."""
        found = self.friends()
        for what in self._offered:
            if isinstance(what, (v.Peace, v.Alliance)) and self.me in what.powers:
                found.update(what.powers)
        return found - {self.me}

    # Talking

    def say(self, message: v.Message, to: Iterable[str]) -> None:
        """Send a message to powers."""
        assert self.chair is not None
        self._unheard += 1
        self.chair.say(write(message), [self.lexicon.seat_of[power] for power in to])

    def _talk(self, ready: bool = False) -> None:
        """Begin, or go on with, the talk of a movement phase."""
        self._wait()
        if self.chair is not None and not ready:
            self.chair.set_comm_status(CommStatus.READY)
        if self.mode is PressMode.ANYTIME or self._open:
            for proposal in list(self.ledger.proposals):
                if self.me in proposal.addressees - proposal.replies.keys() and proposal.state is ProposalState.OPEN:
                    self._answer(proposal.offer, proposal.proposer)  # who sat here before did not
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
        """Propose what is new and could be kept, of so many offers; whether there were any."""
        active = {(pact.what, pact.parties) for pact in self.ledger.pacts.active}
        any_made = False
        for to, what in islice(offers, most):
            any_made = True
            if (fault := self._fault_of(to, what)) is not None:
                if isinstance(offers, Generator):
                    offers.throw(fault)  # so that the author sees the line that offered it
                raise fault
            if (what, frozenset((*to, self.me))) in active or level_of(what) > self.level:
                continue
            if to and (not self.honest or self.fits(what)):
                self._offered.append(what)
                self.say(v.Propose(what), to)
        return any_made

    def renounce(self, power: str) -> None:
        """Say to all whom it concerns that it is released from its peace with a power."""
        for pact in self.ledger.active():
            for clause in pact.clauses:
                if isinstance(clause.what, (v.Peace, v.Alliance)) and {self.me, power} <= clause.present:
                    self.say(v.Fact(v.Not(clause.what)), sorted(clause.present - {self.me}))

    def _fault_of(self, to: Sequence[str], what: v.Arrangement) -> Exception | None:
        """What is wrong with an offer that cannot even be written down, in words for the author of a subclass."""
        words = self.lexicon.seat_of
        for power in to:
            if power not in words:
                expected = f"a list of words such as {self.me} (of {', '.join(words)})"
                return ValueError(f"offers: {power!r:.40} is no power's word; expected as addressees {expected}")
        try:
            write(what)
        except (AttributeError, KeyError, TypeError) as error:
            return TypeError(f"offers: {what!r:.120} is no arrangement of parlour.press.values ({error})")
        return None

    def _hear(self, said: ev.Said) -> None:
        if said.seat == self.seat:
            self._unheard = max(0, self._unheard - 1)
            return
        try:
            message = read(said.text, self.level, self.lexicon)
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
            self._offered.append(offer.what)
            self._wait()
        self.say(reply, sorted(proposal.parties - {self.me}))

    def puzzled(self, said: ev.Said, error: PressError) -> None:
        """Answer what looks like press but cannot be read; free text gets no answer."""
        first = next(iter(cut(said.text[:8])), "")
        if first in LEVELS and first not in ("HUH", "TRY"):
            self._unheard += 2
            self.complain(said, error)

    def complain(self, said: ev.Said, error: PressError) -> None:
        """Say where a message stops to make sense, and which words it could have used."""
        assert self.chair is not None
        self.chair.say(complaint(said.text, error), [said.seat])
        self.chair.say(write(v.Try(self.words)), [said.seat])

    def _wait(self) -> None:
        """Hold the turn up until the orders follow from what is agreed."""
        if not self._waiting and self.chair is not None:
            self._waiting = True
            self.chair.set_wait(True)

    def _finish_if_settled(self) -> None:
        """Give final orders once no proposal that it made or agreed to waits for the answer of another bot."""
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
        """Whether it has more to propose, and others are to speak first.

        Only a window ends by itself: where there is none, nobody waits, and who is not the first proposes no more.
        """
        if self._later is None or not any(self._is_talking(self.lexicon.seat_of[power]) for power in self.lets_speak()):
            return False
        if not self._open:
            self._later = None
        return self._open

    def _is_talking(self, seat: Seat) -> bool:
        """Whether a bot holds up the turn, so that it may yet propose something."""
        return seat in self._bots & self._held - self._quiet

    def _is_pending(self, proposal: Proposal) -> bool:
        if proposal.state is not ProposalState.OPEN:
            return False
        if proposal.proposer != self.me and self.me not in proposal.replies:
            return False
        missing = proposal.addressees - proposal.replies.keys()
        return all(self.lexicon.seat_of[power] in self._bots - self._acted for power in missing)

    def _pacts(self) -> tuple[int, ...]:
        return tuple(pact.number for pact in self.ledger.pacts.active)

    def _finish(self) -> None:
        position = self.ledger.position
        if self.chair is None or position is None or position.stage != "orders" or self._basis is None:
            return
        if self._pacts() != self._basis:
            self._basis = self._pacts()
            self.chair.act(self.orders(position))
        if self._waiting:
            self._waiting = False
            self.chair.set_wait(False)


def level_of(what: v.Arrangement) -> int:
    """The press level that an arrangement needs, as far as these players speak."""
    return max((LEVELS.get(word, 0) for word in write(what).split()), default=0)
