"""The ledger says of random matches what a second ledger says that was written from the reference alone."""

from __future__ import annotations

from collections import Counter

import pytest

from parlour.core.events import Said
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger
from support.press.oracle import SEATS, Oracle
from support.press.random_press import RandomPress

PHASES = 25


@pytest.mark.parametrize("seed", range(15))
def test_the_ledger_agrees_with_the_oracle(seed: int) -> None:
    Match(seed).play(PHASES)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(15, 630))
def test_the_ledger_agrees_with_the_oracle_in_many_matches(seed: int) -> None:
    Match(seed).play(2 * PHASES)


class Match:
    """A match in which powers propose, agree and order at random, before both ledgers."""

    def __init__(self, seed: int) -> None:
        self.press = RandomPress(seed)
        self.ledger, self.oracle = Ledger(), Oracle(self.press.position)
        self.ledger.begin(self.press.position)
        self.counts: Counter[str] = Counter()
        self.log: list[str] = []

    def play(self, phases: int) -> None:
        """Play so many phases and compare after each message and each phase."""
        for turn in range(1, phases + 1):
            if self.press.position.over:
                return
            self.press.turn = self.ledger.turn = turn
            for sender, to, text in self.press.messages():
                self._say(sender, to, text)
            self._settle()

    def _compare_active(self) -> None:
        assert {pact.number for pact in self.ledger.active()} == self.oracle.active(), "\n".join(self.log)

    def _say(self, sender: str, to: tuple[str, ...], text: str) -> None:
        self.log.append(f"{sender} -> {' '.join(to)}: {text}")
        seats = tuple(SEATS[word] for word in to)
        self.ledger.hear(Said(at=0.0, seat=SEATS[sender], to=seats, text=text, turn=self.ledger.turn))
        self.oracle.hear(sender, to, text)
        self._compare_active()

    def _settle(self) -> None:
        position = self.press.position
        orders = {seat: self.press.orders_of(seat) for seat in position.to_act()}
        following, _ = position.apply(orders)
        self.log.append(f"{position.fen}\n    {orders}")
        found = sorted(
            (verdict.pact.number, verdict.performer, verdict.phase, verdict.status.value, write(verdict.what))
            for verdict in self.ledger.settle(orders, following)
        )
        expected = sorted(self.oracle.settle(orders, following))
        self.counts.update(f"{line[4].split()[0]} {line[3]}" for line in expected)
        assert found == expected, "\n".join(self.log)
        self.press.follow(following)
        self._compare_active()
