"""A small stage for ledger tests: powers talk and order, and the ledger says who kept his word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.core.events import Said, Started, TurnBegan, TurnEnded
from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.pacts import PactVerdict
from parlour.press.agreements.proposals import Proposal
from parlour.press.language import message_types as v
from parlour.press.language.reader import read
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger

_GRAVITY = ("void", "kept", "open", "broken")
SEATS = {name[:3]: Seat(name) for name in ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")}


class Story:
    """One match, told line by line; powers are named by their words (FRA)."""

    def __init__(self, position: Position | None = None) -> None:
        self.position = position or Position.start()
        self.ledger = Ledger()
        self.turn, self.now = 1, 0.0
        self.ledger.feed(Started(at=0.0, seats=tuple(SEATS.values()), position=self.position.encode()))
        self.ledger.feed(TurnBegan(at=0.0, turn=self.turn, stage=self.position.stage, to_act=self.position.to_act()))

    def say(self, sender: str, to: str, text: str) -> Proposal | None:
        """Send press; to is one or more words."""
        self.now += 1.0
        seats = tuple(SEATS[word] for word in to.split())
        return self.ledger.hear(Said(at=self.now, seat=SEATS[sender], to=seats, text=text, turn=self.turn))

    def agree(self, proposer: str, others: str, what: str) -> None:
        """Propose, and let every addressee say YES to all the others."""
        self.say(proposer, others, f"PRP ({what})")
        for other in others.split():
            rest = " ".join(word for word in (proposer, *others.split()) if word != other)
            self.say(other, rest, f"YES (PRP ({what}))")

    def play(self, orders: Mapping[str, Sequence[str]] | None = None) -> dict[tuple[int, str], str]:
        """Play a turn; who is not named does what an absent seat does. The gravest status by pact and performer."""
        found: dict[tuple[int, str], str] = {}
        for verdict in self.verdicts(orders or {}):
            key, status = (verdict.pact.number, verdict.performer), verdict.status.value
            found[key] = max(found.get(key, status), status, key=_GRAVITY.index)
        return found

    def told(self, orders: Mapping[str, Sequence[str]] | None = None) -> list[str]:
        """Play a turn; every verdict as pact, performer, part and status: `1 FRA PCE kept`."""
        return [
            f"{verdict.pact.number} {verdict.performer} {write(verdict.what)[:3]} {verdict.status}"
            for verdict in self.verdicts(orders or {})
        ]

    def verdicts(self, orders: Mapping[str, Sequence[str]], absent: Sequence[str] = ()) -> list[PactVerdict]:
        """Play a turn; the verdicts. Those who are absent did not order themselves."""
        actions = {seat: self.position.default(seat) for seat in self.position.to_act()}
        for word, given in orders.items():
            actions[SEATS[word]] = [*given]
        following, happened = self.position.apply(actions)
        ended = TurnEnded(
            at=self.now,
            turn=self.turn,
            actions={str(s): a for s, a in actions.items()},
            happened=happened,
            defaulted=tuple(SEATS[word] for word in absent),
        )
        found = self.ledger.feed(ended)
        self.position = following
        self.turn += 1
        self.ledger.feed(TurnBegan(at=self.now, turn=self.turn, stage=following.stage, to_act=following.to_act()))
        return found


def at(phase: str, units: str, centres: str = "") -> Position:
    """Return a position such as at("S1902M", "FRA=APAR;ENG=FLON", "FRA=PAR;ENG=LON")."""
    return Position.read(f"standard {phase} {units} {centres or '-'}")


def arrangement(text: str) -> v.Arrangement:
    """Return the arrangement of a text such as PCE (ENG FRA)."""
    message = read(f"PRP ({text})")
    assert isinstance(message, v.Propose)
    return message.what


def promised_order(text: str) -> v.Order:
    """Return the order in a text such as (FRA AMY PAR) HLD."""
    what = arrangement(f"XDO ({text})")
    assert isinstance(what, v.Execute)
    return what.order
