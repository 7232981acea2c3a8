"""The ledger: follows a match event by event and says after each phase who kept his word.

It sees what it is told: a player's own ledger knows the press of its seat, a referee's or a record's all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from parlour.core import events as ev
from parlour.core.game import Plain, Seat
from parlour.core.intents import Ballot
from parlour.errors import ConfigError, PressError
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.board import PhaseBoard, board_of
from parlour.press.deeds import Deeds
from parlour.press.findings import PromiseStatus
from parlour.press.judge import PactJudge, is_past
from parlour.press.pact_book import PactBook
from parlour.press.pacts import Pact, PactVerdict
from parlour.press.proposals import Proposal, Proposals, ProposalState, Spoken
from parlour.press.reader import read
from parlour.press.stabs import Stabs
from parlour.press.tokens import Lexicon


@dataclass(slots=True)
class Hygiene:
    """How a power uses the language."""

    messages: int = 0
    unread: int = 0
    """Free text and what could not be read."""
    huhs: int = 0


class Ledger:
    """Proposals, pacts and verdicts of one match of Diplomacy."""

    def __init__(self) -> None:
        self.verdicts: list[PactVerdict] = []
        self.pacts = PactBook()
        self.stabs = Stabs()
        self.hygiene: dict[str, Hygiene] = {}
        self.turn = 0
        self._board: PhaseBoard | None = None
        self._proposals: Proposals | None = None
        self._votes: set[str] = set()
        self._movements = 0
        self._sitting: dict[Seat, str] = {}
        self.charged: list[str] = []
        """Who sat there when each of the verdicts was given: a stand-in keeps or breaks what another agreed to."""
        self._removed: set[str] = set()

    @property
    def proposals(self) -> list[Proposal]:
        """Every proposal so far."""
        return self._proposals.all if self._proposals else []

    def open(self) -> Iterable[Proposal]:
        """The proposals that wait for answers."""
        return self._proposals.open() if self._proposals else ()

    @property
    def unmatched(self) -> int:
        """Replies that answered nothing open."""
        return self._proposals.unmatched if self._proposals else 0

    @property
    def lexicon(self) -> Lexicon:
        """The words of the map that is played on."""
        return self.board.names.lexicon

    @property
    def present(self) -> frozenset[str]:
        """The powers that are in the match: neither removed nor eliminated."""
        seats = self._board.position.alive() if self._board is not None else ()
        return frozenset(self._word(seat) for seat in seats)

    @property
    def position(self) -> Position | None:
        """Where the match stands; None before it starts."""
        return self._board.position if self._board is not None else None

    def feed(self, event: ev.Event, after: Position | None = None) -> list[PactVerdict]:
        """Take the next event into account; the verdicts of a phase come with the event that ends it.

        Give the position after it if it is known: then nothing is adjudicated here.
        """
        match event:
            case ev.Opened(game=game) if game != "diplomacy":
                raise ConfigError(f"game: expected a match of diplomacy, got {game!r:.40}", field="game")
            case ev.Started(position=position) | ev.PositionSet(position=position):
                self.begin(after or self._without_removed(decoded(position)))
            case ev.TurnBegan(turn=turn):
                self.turn = turn
                self._votes.clear()
            case ev.Joined(seat=seat, name=name):
                self._sitting[seat] = name
            case ev.Said():
                self.hear(event)
            case ev.Voted(seat=seat, ballot=ballot):
                (self._votes.add if ballot is Ballot.YES else self._votes.discard)(self._word(seat))
            case ev.Removed(seat=seat) if self._board is not None:
                self._remove(seat, after)
            case ev.TurnEnded(actions=actions) if self._board is not None:
                given = {Seat(seat): action for seat, action in actions.items()}
                return self.settle(given, after or self._board.position.following(given))
        return []

    def _remove(self, seat: Seat, after: Position | None) -> None:
        """A power is out: the board may move on without it, and nobody owes it anything, nor it to anybody."""
        assert self._proposals is not None
        self._removed.add(self._word(seat))
        self._votes.discard(self._word(seat))
        self.begin(after or self.board.position.without(seat))
        self._proposals.without(self._removed)
        self.pacts.forget(self._removed, self.turn)

    def _without_removed(self, position: Position) -> Position:
        """A position that was set, with the powers in civil disorder that were removed before."""
        for seat in position.alive() if self._removed else ():
            if self._word(seat) in self._removed:
                position = position.without(seat)
        return position

    def begin(self, position: Position) -> None:
        """Go on from a position; pacts stay as they are."""
        self._board = board_of(position)
        if self._proposals is None:
            self._proposals = Proposals(self._board.names.lexicon)

    def hear(self, said: ev.Said) -> Proposal | None:
        """Take press into account; the proposal it opened or answered, if any. Free text only counts."""
        if self._proposals is None or self._board is None:
            return None
        sender = self._word(said.seat)
        hygiene = self.hygiene.setdefault(sender, Hygiene())
        hygiene.messages += 1
        try:
            message = read(said.text, lexicon=self.lexicon)
        except PressError:
            hygiene.unread += 1
            return None
        hygiene.huhs += isinstance(message, v.Huh)
        to = {self._word(seat) for seat in said.to} or self.present
        spoken = Spoken(message, sender, frozenset(to) - {sender}, said.turn, self._board.phase, said.at)
        return self._said(spoken)

    def settle(self, actions: Mapping[Seat, Plain], following: Position) -> list[PactVerdict]:
        """The verdicts of the phase in which the seats did this and which led to that position."""
        before = self.board
        assert self._proposals is not None
        after = board_of(following, before)
        words = before.names.lexicon.seats
        by_power = {words[seat]: action for seat, action in actions.items()}
        deeds = Deeds(before, after, by_power)
        self._movements += deeds.stage == "orders"
        judge = PactJudge(deeds, self.pacts.licence, frozenset(self._votes), self._movements)
        verdicts = self.pacts.settle(judge, self.turn, before.phase)
        self.verdicts.extend(verdicts)
        if verdicts:
            seats = self.lexicon.seat_of
            self.charged += [self._sitting.get(seats[verdict.performer], "") for verdict in verdicts]
        self.stabs.watch(deeds, self.pacts.breaches, self.turn)
        self._proposals.expire(lambda what: is_past(what, deeds))
        gone = (before.alive - after.alive) | self._removed
        if gone:
            self._proposals.without(gone)
            self.pacts.forget(gone, self.turn, judged=True)
        self._board = after
        return verdicts

    def _said(self, spoken: Spoken) -> Proposal | None:
        assert self._proposals is not None
        match spoken.message:
            case v.Fact(v.Not(what)) | v.Fact(v.Undo(what)):
                self.pacts.renounce(spoken.sender, what, spoken.to)
                return None
        proposal = self._proposals.say(spoken)
        if proposal is not None and proposal.state is ProposalState.AGREED:
            movement = self._movements + (self.board.stage == "orders")
            self.pacts.agree(proposal, spoken.turn, spoken.at, self._board, movement)
        return proposal

    def active(self) -> list[Pact]:
        """The pacts in force."""
        return list(self.pacts.active)

    def broken(self) -> Iterator[PactVerdict]:
        """Every broken promise so far, in order."""
        return (verdict for verdict in self.verdicts if verdict.status is PromiseStatus.BROKEN)

    @property
    def board(self) -> PhaseBoard:
        """The board as it stands."""
        if self._board is None:
            raise ConfigError("the ledger has no position yet: feed it the event that starts the match", field="ledger")
        return self._board

    def _word(self, seat: Seat) -> str:
        return self.lexicon.seats.get(seat, str(seat)) if self._board else str(seat)


def ledger_of(events: Iterable[ev.Event]) -> Ledger:
    """The ledger after all these events, such as a record's."""
    ledger = Ledger()
    for event in events:
        ledger.feed(event)
    return ledger


def decoded(value: Plain) -> Position:
    """The position that an event carries."""
    return Diplomacy().decode(value)
