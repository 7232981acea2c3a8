"""The ledger: follows a match event by event and reports after each phase which powers kept their word.

A ledger has only the events that it is fed. A player's ledger has the press of one seat. A ledger of the referee or of
a record has all press.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from parlour.core import events as ev
from parlour.core.game import Plain, Seat
from parlour.core.intents import Ballot
from parlour.errors import ConfigError, PressError
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.pact_book import PactBook
from parlour.press.agreements.pacts import Pact, PactVerdict
from parlour.press.agreements.proposals import Proposal, Proposals, ProposalState, Spoken
from parlour.press.deception.classes import PromiseClass, Reading, class_of
from parlour.press.deception.plans import plan_of
from parlour.press.deception.seal_book import SealBook
from parlour.press.judging.executed_orders import ExecutedOrders
from parlour.press.judging.findings import PromiseStatus
from parlour.press.judging.hearing import OrderSource, PromiseHearing
from parlour.press.judging.judge import PactJudge, is_past
from parlour.press.judging.stabs import Stabs
from parlour.press.judging.trial import Trial
from parlour.press.language import message_types as v
from parlour.press.language.prose import MARK, disagreements, formal
from parlour.press.language.reader import read
from parlour.press.language.tokens import Lexicon
from parlour.press.press_position import PhaseBoard, board_of


@dataclass(slots=True)
class LanguageUse:
    """Counts of a power's use of the language."""

    messages: int = 0
    unread: int = 0
    """Number of free texts and unreadable messages."""
    huhs: int = 0
    prose: int = 0
    """Number of messages of prose with a formal core."""


class Disagreement(msgspec.Struct, frozen=True):
    """A message whose prose disagrees with its core."""

    power: str
    turn: int
    text: str
    finding: str
    by: str = "rules"
    """The source of the finding: rules or a model."""


class Ledger:
    """Proposals, pacts and verdicts of one match of Diplomacy."""

    def __init__(self, *, thorough: bool = False) -> None:
        """Create a ledger; a thorough ledger also looks for conflicts in a match without seals."""
        self._thorough = thorough
        self.verdicts: list[PactVerdict] = []
        self.pacts = PactBook()
        self.stabs = Stabs()
        self.language_use: dict[str, LanguageUse] = {}
        self.turn = 0
        self._board: PhaseBoard | None = None
        self._proposals: Proposals | None = None
        self._votes: set[str] = set()
        self._movements = 0
        self._sitting: dict[Seat, str] = {}
        self.charged: list[Mapping[str, str]] = []
        """Names of the powers' players at the time of each verdict."""
        self.seals = SealBook()
        self.readings: list[Reading] = []
        """The content of the seals about each verdict."""
        self.disagreements: list[Disagreement] = []
        self._number = 0
        """Number of events so far."""
        self._doings: dict[str, ev.Acted] = {}
        """Last actions of this turn, by power, that a proxy gave or the referee changed."""
        self._removed: set[str] = set()

    @property
    def proposals(self) -> list[Proposal]:
        """Every proposal so far."""
        return self._proposals.all if self._proposals else []

    def open(self) -> Iterable[Proposal]:
        """Return the proposals that still wait for answers."""
        return self._proposals.open() if self._proposals else ()

    @property
    def unmatched(self) -> int:
        """Number of replies that answered no proposal."""
        return self._proposals.unmatched if self._proposals else 0

    @property
    def lexicon(self) -> Lexicon:
        """The words of the match's map."""
        return self.board.names.lexicon

    @property
    def present(self) -> frozenset[str]:
        """The powers in the match, neither removed nor eliminated."""
        seats = self._board.position.alive() if self._board is not None else ()
        return frozenset(self._word(seat) for seat in seats)

    @property
    def position(self) -> Position | None:
        """The position of the match; None before the match starts."""
        return self._board.position if self._board is not None else None

    def feed(self, event: ev.Event, after: Position | None = None) -> list[PactVerdict]:
        """Apply the next event; return the verdicts of a phase for the event that ends it.

        Pass the position after the event if it is known. Without it the ledger adjudicates the orders itself.
        """
        if not isinstance(event, ev.Said):
            self._number += 1  # messages are counted in `hear`
        match event:
            case ev.Opened(game=game) if game != "diplomacy":
                raise ConfigError(f"game: expected a match of diplomacy, got {game!r:.40}", field="game")
            case ev.Started(position=position) | ev.PositionSet(position=position):
                self.begin(after or self._without_removed(decoded(position)))
                self.seals.drop(self.turn)
            case ev.TurnBegan(turn=turn):
                self.turn = turn
                self._votes.clear()
                self._doings.clear()
                self.seals.acted.clear()
            case ev.Joined(seat=seat, name=name):
                self._sitting[seat] = name
            case ev.Said():
                self.hear(event)
            case ev.Acted(seat=seat) if self._board is not None:
                if event.given:
                    self.seals.acted[self._word(seat)] = self._number
                if event.by or event.violations:
                    self._doings[self._word(seat)] = event
                elif self._doings:
                    self._doings.pop(self._word(seat), None)
            case ev.Sealed() if self._board is not None:
                self.seals.add(plan_of(event, self._number, self._board))
            case ev.Voted(seat=seat, ballot=ballot):
                (self._votes.add if ballot is Ballot.YES else self._votes.discard)(self._word(seat))
            case ev.Removed(seat=seat) if self._board is not None:
                self._remove(seat, after)
            case ev.TurnEnded(actions=actions, defaulted=defaulted) if self._board is not None:
                given = {Seat(seat): action for seat, action in actions.items()}
                absent = [self._word(seat) for seat in defaulted]
                return self.settle(given, after or self._board.position.following(given), absent)
        return []

    def _remove(self, seat: Seat, after: Position | None) -> None:
        """Remove a power: the position continues without it, and all its duties and claims end."""
        assert self._proposals is not None
        self._removed.add(self._word(seat))
        self._votes.discard(self._word(seat))
        self.begin(after or self.board.position.without(seat))
        self._proposals.without(self._removed)
        self.pacts.forget(self._removed, self.turn)

    def _without_removed(self, position: Position) -> Position:
        """Return a position without the powers that were removed before."""
        for seat in position.alive() if self._removed else ():
            if self._word(seat) in self._removed:
                position = position.without(seat)
        return position

    def begin(self, position: Position) -> None:
        """Continue from a position; pacts stay as they are."""
        self._board = board_of(position)
        if self._proposals is None:
            self._proposals = Proposals(self._board.names.lexicon)

    def hear(self, said: ev.Said) -> Proposal | None:
        """Apply press; return the proposal that it opened, answered or closed, if any. Free text is only counted."""
        self._number += 1
        if self._proposals is None or self._board is None:
            return None
        sender = self._word(said.seat)
        language_use = self.language_use.setdefault(sender, LanguageUse())
        language_use.messages += 1
        to = frozenset({self._word(seat) for seat in said.to} or self.present) - {sender}
        try:
            message = read(formal(said.text), lexicon=self.lexicon)
        except PressError:
            language_use.unread += 1
            self.seals.hear(self._number, said.turn, sender, to, None)
            return None
        language_use.huhs += isinstance(message, v.Huh)
        if MARK in said.text:
            language_use.prose += 1
            self.disagreements += [
                Disagreement(sender, said.turn, said.text, finding)
                for finding in disagreements(said.text, message, self.lexicon)
            ]
        self.seals.hear(self._number, said.turn, sender, to, message)
        player = self._sitting.get(said.seat, "")
        return self._said(Spoken(message, sender, to, said.turn, self._board.phase, said.at, self._number, player))

    def settle(
        self, actions: Mapping[Seat, Plain], following: Position, absent: Collection[str] = ()
    ) -> list[PactVerdict]:
        """Settle a phase and return its verdicts.

        Args:
            actions: Actions of the seats in the phase.
            following: Position after the phase.
            absent: Powers whose actions the referee supplied.
        """
        before = self.board
        assert self._proposals is not None
        after = board_of(following, before)
        words = before.names.lexicon.seats
        by_power = {words[seat]: action for seat, action in actions.items()}
        executed = ExecutedOrders(before, after, by_power)
        self._movements += executed.stage == "orders"
        votes = frozenset(self._votes)
        judge = PactJudge(executed, self.pacts.licence, votes, self._movements)
        players = {word: self._sitting.get(seat, "") for seat, word in words.items()}
        source = OrderSource(absent, self._doings, players)
        trial = Trial(executed, self.pacts, votes, self._movements)
        hearing = PromiseHearing(trial, self.pacts, self.seals, source, self.turn, thorough=self._thorough)
        verdicts = self.pacts.settle(judge, self.turn, before.phase, hearing.excuse)
        self.readings += hearing.readings(verdicts)
        self.verdicts += verdicts
        self.charged += [players] * len(verdicts)
        self.stabs.watch(executed, self.pacts.breaches, self.turn)
        self._proposals.expire(lambda what: is_past(what, executed))
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
        """Return the pacts in force."""
        return list(self.pacts.active)

    def broken(self) -> Iterator[PactVerdict]:
        """Return every broken promise so far, in order."""
        return (verdict for verdict in self.verdicts if verdict.status is PromiseStatus.BROKEN)

    def classes(self) -> Iterator[tuple[PactVerdict, PromiseClass]]:
        """Yield every verdict so far with its class, which the seals decide; see classes.py."""
        for verdict, reading in zip(self.verdicts, self.readings, strict=True):
            yield verdict, class_of(verdict, reading)

    def trial(self, actions: Mapping[Seat, Plain]) -> Trial:
        """Return a trial of the present phase with these actions, without changing the ledger."""
        before, words = self.board, self.lexicon.seats
        by_power = {words[seat]: action for seat, action in actions.items()}
        executed = ExecutedOrders(before, lambda: board_of(before.position.following(actions), before), by_power)
        return Trial(executed, self.pacts, frozenset(self._votes), self._movements + (before.stage == "orders"))

    @property
    def board(self) -> PhaseBoard:
        """The present board."""
        if self._board is None:
            raise ConfigError("the ledger has no position yet: feed it the event that starts the match", field="ledger")
        return self._board

    def _word(self, seat: Seat) -> str:
        return self.lexicon.seats.get(seat, str(seat)) if self._board else str(seat)


def ledger_of(events: Iterable[ev.Event]) -> Ledger:
    """Return the ledger after all these events, for example the events of a record."""
    ledger = Ledger(thorough=True)
    for event in events:
        ledger.feed(event)
    return ledger


def decoded(value: Plain) -> Position:
    """Return the position that an event carries."""
    return Diplomacy().decode(value)
