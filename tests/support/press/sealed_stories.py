"""Stories with seals: powers plan, talk and order, and the ledger says what kind of breach each breach was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.core import events as ev
from parlour.core.game import Violation
from parlour.core.intents import PlayerType
from parlour.games.diplomacy.position import Position
from parlour.press.language.writer import write
from support.press.stories import SEATS, Story, arrangement

Orders = Mapping[str, Sequence[str]]


class SealedStory(Story):
    """A story in which powers may seal, be absent, be mended, be replaced and be ordered for."""

    def __init__(self, position: Position | None = None) -> None:
        super().__init__(position)
        self._absent: set[str] = set()

    def seal(self, power: str, orders: Sequence[str] | None = None, **stances: str) -> None:
        """Seal orders, completed by holds; a stance is given as keep="PCE (AUS ITA)" or until_F1901="…"."""
        said = {what: how.replace("_", " ") for how, what in stances.items()}
        action = None if orders is None else self.complete(power, orders)
        self.ledger.feed(ev.Sealed(self.now, SEATS[power], self.turn, action, said))

    def complete(self, power: str, orders: Sequence[str]) -> list[str]:
        """Return the orders with a hold for each unit that has none."""
        ordered = {text.split()[1][:3] for text in orders}
        units = self.position.units.get(SEATS[power], ())
        return [*orders, *(f"{unit} H" for unit in units if unit.split()[1][:3] not in ordered)]

    def talk(self, sender: str, to: str, text: str) -> None:
        """Send press by the feed, so that it has its place among the seals."""
        seats = tuple(SEATS[word] for word in to.split())
        self.ledger.feed(ev.Said(self.now, SEATS[sender], seats, text, self.turn))

    def pact(self, proposer: str, others: str, what: str, word: str = "PRP") -> None:
        """Propose, and let every addressee say YES to all the others."""
        self.talk(proposer, others, f"{word} ({what})")
        for other in others.split():
            rest = " ".join(each for each in (proposer, *others.split()) if each != other)
            self.talk(other, rest, f"YES ({word} ({what}))")

    def absent(self, power: str) -> None:
        """Let the referee put in the power's orders this turn."""
        self._absent.add(power)

    def mended(self, power: str, part: str) -> None:
        """Let the referee replace one order of the power this turn."""
        violation = Violation("far", part, "too far")
        self.ledger.feed(ev.Acted(self.now, SEATS[power], self.turn, [], (violation,)))

    def by_proxy(self, power: str) -> None:
        """Let somebody else order for the power this turn."""
        self.ledger.feed(ev.Acted(self.now, SEATS[power], self.turn, [], by="host"))

    def seats(self, power: str, name: str) -> None:
        """Put a player on a seat."""
        self.ledger.feed(ev.Joined(self.now, SEATS[power], name, PlayerType.PRESS_BOT))

    def classes(self, orders: Orders | None = None) -> dict[str, str]:
        """Play a turn; the class by pact, power and clause: `1 FRA DMZ`, or with a letter more for the second such."""
        first = len(self.ledger.verdicts)
        given = {power: self.complete(power, texts) for power, texts in (orders or {}).items()}
        self.verdicts(given, tuple(self._absent))
        self._absent.clear()
        found: dict[str, str] = {}
        for verdict, kind in list(self.ledger.classes())[first:]:
            key = f"{verdict.pact.number} {verdict.performer} {write(verdict.clause.what)[:3]}"
            found[key if key not in found else f"{key}+"] = str(kind)
        return found

    def lies(self) -> list[str]:
        """Return the lies so far as `FRA XDO statement`."""
        return [
            f"{lie.power} {write(lie.what)[:3]} {'promise' if lie.promise else 'statement'}"
            for lie in self.ledger.seals.lies
        ]


def statuses(story: SealedStory) -> dict[str, str]:
    """Return the last status by pact and power."""
    return {f"{v.pact.number} {v.performer}": str(v.status) for v in story.ledger.verdicts}


__all__ = ["SealedStory", "arrangement", "statuses"]
