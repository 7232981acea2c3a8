"""Press for pages: each message in English, proposals and pacts as they change, and broken promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Plain, Position, Seat
from parlour.core.pictures import Bond, Pictures
from parlour.errors import PressError
from parlour.games.diplomacy.position import Position as DiplomacyPosition
from parlour.press.agreements.pacts import Pact, PactState, PactVerdict
from parlour.press.agreements.promised import Promised
from parlour.press.agreements.proposals import Proposal, ProposalState
from parlour.press.deception.class_counts import class_counts
from parlour.press.deception.classes import PromiseClass, class_of
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language import message_types as v
from parlour.press.language.english import gloss, phrase
from parlour.press.language.prose import formal, parted
from parlour.press.language.reader import read
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger
from parlour.press.orders import performer, to_text
from parlour.press.press_position import PhaseBoard
from parlour.press.reports.verdict_text import sentence, warning


class Offered(msgspec.Struct, frozen=True, omit_defaults=True):
    """A proposal and its result."""

    number: int
    proposer: str
    to: tuple[str, ...]
    text: str
    """The whole message, as a reply quotes it."""
    english: str
    state: str
    turn: int
    replies: dict[str, str] = {}


class Agreed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pact: its visible part on the map, and its end."""

    number: int
    proposal: int
    parties: tuple[str, ...]
    english: str
    text: str
    state: str
    since: int
    ended: int | None = None
    layers: dict[str, Plain] = {}
    places: tuple[str, ...] = ()
    orders: tuple[tuple[str, str], ...] = ()
    """The orders of each seat in the turn of the pact."""


class Judged(msgspec.Struct, frozen=True, omit_defaults=True):
    """A seat's verdict on a pact in a turn."""

    pact: int
    seat: str
    status: str
    sentence: str
    layers: dict[str, Plain] = {}
    kind: str = ""
    """The class of the verdict by the sealed plans, if this view may see them; otherwise empty."""


class Honesty(msgspec.Struct, frozen=True, omit_defaults=True):
    """The classes of a seat's promises, as far as this view knows its sealed plans."""

    seat: str
    classes: dict[str, int]
    lies: int = 0
    false: int = 0
    as_sealed: float | None = None
    """Share of units whose orders equal those in the latest sealed plan."""
    reliable: bool = False


T = TypeVar("T", Offered, Agreed)
N = TypeVar("N", Proposal, Pact)


class Negotiations:
    """Follows the press that one view may see."""

    def __init__(self, pictures: Pictures) -> None:
        self.ledger = Ledger()
        self._pictures = pictures
        self._offers: dict[int, Offered] = {}
        self._pacts: dict[int, Agreed] = {}

    def hear(self, event: Event, before: Position | None, after: Position | None) -> dict[str, Plain]:
        """Return the changes of press that an event brings, given the positions before and after it."""
        if isinstance(event, ev.Said):
            return {"said": self._said(event), **self._heard(event)}
        verdicts = self.ledger.feed(event, after if isinstance(after, DiplomacyPosition) else None)
        match event:
            case ev.TurnEnded() if before is not None:
                return {**self._changes(), "judged": [*self._judged(verdicts, before)] or None}
            case ev.Removed() | ev.PositionSet():
                return self._changes()
            case ev.Ended():
                return {"honesty": [*self._honesty()] or None}
        return {}

    def _heard(self, said: ev.Said) -> dict[str, Plain]:
        proposal = self.ledger.hear(said) or self._repeated(said)
        found = self._changes()
        return found if proposal is None else {**found, "about": proposal.number}

    def _repeated(self, said: ev.Said) -> Proposal | None:
        """Return the open proposal that a message repeats."""
        if self.ledger.position is None:
            return None
        try:
            message = read(formal(said.text), lexicon=self.ledger.lexicon)
        except PressError:
            return None
        sender = self.ledger.lexicon.seats.get(said.seat)
        same = (one for one in self.ledger.open() if one.offer == message and one.proposer == sender)
        return next(same, None)

    def _said(self, said: ev.Said) -> Plain:
        """Return a message in English and in tokens, and the prose around its core; None for free text."""
        if self.ledger.position is None:
            return None
        lexicon = self.ledger.lexicon
        prose, core = parted(said.text)
        try:
            message = read(core or prose, lexicon=lexicon)
        except PressError:
            return None
        words = lexicon.seats
        to = [words.get(seat, str(seat)) for seat in said.to]
        english = gloss(message, words.get(said.seat, str(said.seat)), to, lexicon)
        found: dict[str, Plain] = {"english": english, "tokens": write(message), "kind": type(message).__name__.lower()}
        return {**found, "prose": prose} if core and prose else found

    def _changes(self) -> dict[str, Plain]:
        """Return the proposals and pacts that are new or have changed."""
        if self.ledger.position is None:
            return {}
        offers = self._news(self._offers, self.ledger.proposals, self._offered, ProposalState.OPEN)
        pacts = self._news(self._pacts, self.ledger.pacts.all, self._agreed, PactState.ACTIVE)
        return {"offers": offers or None, "pacts": pacts or None}

    def _news(
        self, told: dict[int, T], all_: Sequence[N], write_down: Callable[[N], T], unsettled: ProposalState | PactState
    ) -> list[T]:
        """Return the numbered items that are new, and those that have changed since they were last sent."""
        found = []
        watched: list[int] = [number for number, state in told.items() if state.state == unsettled.value]
        for number in (*watched, *range(len(told) + 1, len(all_) + 1)):
            state = write_down(all_[number - 1])
            if told.get(number) != state:
                told[number] = state
                found.append(state)
        return found

    def _offered(self, proposal: Proposal) -> Offered:
        seat = self.ledger.lexicon.seat_of
        return Offered(
            number=proposal.number,
            proposer=seat[proposal.proposer],
            to=tuple(sorted(seat[power] for power in proposal.addressees)),
            text=write(proposal.offer),
            english=phrase(proposal.what, self.ledger.lexicon),
            state=proposal.state.value,
            turn=proposal.turn,
            replies={seat[power]: answer.value for power, (answer, _) in sorted(proposal.replies.items())},
        )

    def _agreed(self, pact: Pact) -> Agreed:
        known = self._pacts.get(pact.number)
        layers, places, orders = (known.layers, known.places, known.orders) if known else self._drawn(pact)
        seat = self.ledger.lexicon.seat_of
        return Agreed(
            number=pact.number,
            proposal=pact.proposal.number,
            parties=tuple(sorted(seat[power] for power in pact.parties)),
            english=phrase(pact.what, self.ledger.lexicon),
            text=write(pact.what),
            state=pact.state.value,
            since=pact.since,
            ended=pact.ended,
            layers=layers,
            places=places,
            orders=orders,
        )

    def _drawn(self, pact: Pact) -> tuple[dict[str, Plain], tuple[str, ...], tuple[tuple[str, str], ...]]:
        board = self.ledger.board
        bonds = list(_bonds(pact.what, board))
        places = dict.fromkeys(place for bond in bonds for place in bond.places)
        return dict(self._pictures.bonds(board.position, bonds)), tuple(places), tuple(_owed(pact.what, board))

    def foreseen(self, seat: Seat, orders: Sequence[str]) -> list[str]:
        """Return a warning for each promise of a seat that these orders would break, whatever others do."""
        ledger = self.ledger
        if ledger.position is None or seat not in ledger.position.to_act():
            return []
        power, phase = ledger.lexicon.seats[seat], ledger.board.phase
        given: dict[Seat, Plain] = {one: [] for one in ledger.position.to_act()} | {seat: list(orders)}
        return [
            warning(PactVerdict(pact, power, ledger.turn, phase, finding, clause), ledger.lexicon)
            for pact, clause, finding in ledger.trial(given).findings(power, orders)
            if finding.status is PromiseStatus.BROKEN
        ]

    def _judged(self, verdicts: Iterable[PactVerdict], before: Position) -> Iterator[Judged]:
        """Return the verdicts to show: broken and insincere ones, and promised orders that were given or impossible."""
        lexicon, verdicts = self.ledger.lexicon, list(verdicts)
        first = len(self.ledger.verdicts) - len(verdicts)
        for place, verdict in enumerate(verdicts, first):
            kind = class_of(verdict, self.ledger.readings[place]) if self.ledger.seals.plans else ""
            broken = verdict.status is PromiseStatus.BROKEN
            if (
                broken
                or verdict.status is PromiseStatus.VOID
                or kind == PromiseClass.INSINCERE
                or (verdict.status is PromiseStatus.KEPT and verdict.order is not None)
            ):
                seat = lexicon.seat_of[verdict.performer]
                layers: dict[str, Plain] = {}
                if broken:
                    order = verdict.order
                    text = "" if order is None else f"{'A'} {_province(order, self.ledger.board)} H"
                    layers = dict(self._pictures.breach(before, seat, text))
                shown = "" if kind in (PromiseClass.NONE, PromiseClass.UNKNOWN) else str(kind)
                yield Judged(verdict.pact.number, seat, verdict.status.value, sentence(verdict, lexicon), layers, shown)

    def _honesty(self) -> Iterator[Honesty]:
        """Yield the classes of every seat whose sealed plans this view has seen."""
        if self.ledger.position is None or not self.ledger.seals.plans:
            return
        for power, count in class_counts(self.ledger).items():
            if count.seals:
                kinds = {kind: number for kind, number in count.classes.items() if kind != PromiseClass.NONE}
                yield Honesty(
                    self.ledger.lexicon.seat_of[power],
                    kinds,
                    count.lies,
                    count.false_statements,
                    count.fidelity,
                    count.reliable,
                )


def _bonds(what: v.Arrangement, board: PhaseBoard) -> Iterator[Bond]:
    """Return the parts of an arrangement that can be drawn."""
    seat, tags = board.names.lexicon.seat_of, board.names.tag_of_place
    match what:
        case v.Peace(powers) | v.Alliance(powers, _):
            yield Bond("peace", tuple(seat[power] for power in powers if power in seat))
        case v.Demilitarized(powers, places):
            provinces = dict.fromkeys(tags[place[:3]] for place in places if place[:3] in tags)
            yield Bond("zone", tuple(seat[power] for power in powers if power in seat), tuple(provinces))
        case v.Execute(order) if Promised.on(board, order).text:
            text = to_text(order, board)
            yield Bond("order", (seat[performer(order)],), (_province(order, board),), text)
        case v.Every(parts) | v.Either(parts) | v.Choice(parts=parts):
            for part in parts:
                yield from _bonds(part, board)


def _owed(what: v.Arrangement, board: PhaseBoard) -> Iterator[tuple[str, str]]:
    """Return the orders that an arrangement demands, each with its seat. Alternatives demand none."""
    match what:
        case v.Execute(order) if Promised.on(board, order).text:
            yield board.names.lexicon.seat_of[performer(order)], to_text(order, board)
        case v.Every(parts):
            for part in parts:
                yield from _owed(part, board)


def _province(order: v.Order, board: PhaseBoard) -> str:
    """Return the province of an order's unit, in the spelling of orders."""
    return "" if isinstance(order, v.Waive) else board.names.tag_of_place[order.unit.place[:3]]
