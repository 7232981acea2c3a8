"""Records of random press with seals: powers plan, talk, order, change their minds, are late and break their word."""

from __future__ import annotations

from collections.abc import Iterator

from parlour.core import events as ev
from parlour.core.game import Seat, Violation
from support.press.oracle import SEATS
from support.press.random_press import Message, RandomPress

PHASES = ("S{}M", "F{}M", "F{}", "W{}A", "S{}R")


def sealed_press(seed: int, phases: int, proxies: float = 0.0) -> list[ev.Event]:
    """Return the record of a match of random press, orders and seals; proxies is how often others order."""
    return list(SealedPress(seed, proxies).events(phases))


class SealedPress:
    """Draws the events of a match in which powers seal at any time."""

    def __init__(self, seed: int, proxies: float) -> None:
        self.press, self.proxies = RandomPress(seed), proxies
        self.rng = self.press.rng
        self.orders: dict[Seat, list[str]] = {}
        """Return the final orders of each power."""

    def events(self, phases: int) -> Iterator[ev.Event]:
        """Yield the events of at most that many phases."""
        press, rng = self.press, self.rng
        yield ev.Started(0.0, tuple(SEATS.values()), press.position.encode())
        for press.turn in range(1, phases + 1):
            position = press.position
            if position.over:
                return
            yield ev.TurnBegan(0.0, press.turn, position.stage, position.to_act())
            self.orders = {seat: press.orders_of(seat) for seat in position.to_act()}
            yield from self._seals(0.5)
            for message in press.messages():
                yield from self._seals(0.1)
                yield _said(message, press.turn)
                if rng.random() < 0.05:
                    yield _said(self._word(message), press.turn)
            yield from self._seals(0.5)
            absent = tuple(seat for seat in self.orders if rng.random() < 0.05)
            actions = {seat: position.default(seat) if seat in absent else self.orders[seat] for seat in self.orders}
            yield from self._acts(actions, absent)
            following, happened = position.apply(actions)
            given = {str(seat): action for seat, action in actions.items()}
            yield ev.TurnEnded(0.0, press.turn, given, happened, absent)
            press.follow(following)

    def _acts(self, actions: dict[Seat, list[str]], absent: tuple[Seat, ...]) -> Iterator[ev.Event]:
        """Yield the orders as they come in: some are replaced, and some seals come too late."""
        turn, rng = self.press.turn, self.rng
        for seat, action in actions.items():
            if rng.random() < 0.1 and seat not in absent:
                yield ev.Acted(0.0, seat, turn, self.press.orders_of(seat))
                yield from self._seals(0.2)
            by = "host" if rng.random() < self.proxies else ""
            far = (
                (Violation("far", rng.choice(action), "too far"),) if action and rng.random() < 2 * self.proxies else ()
            )
            yield ev.Acted(0.0, seat, turn, action, far, given=seat not in absent, by=by)
            yield from self._seals(0.05)

    def _seals(self, chance: float) -> Iterator[ev.Sealed]:
        for seat in self.press.position.alive():
            if self.rng.random() < chance:
                yield ev.Sealed(0.0, seat, self.press.turn, self._plan(seat), self._stances())

    def _plan(self, seat: Seat) -> list[str] | None:
        """Return the orders that come, others for all units, or none."""
        chance = self.rng.random()
        if seat not in self.orders or chance < 0.1:
            return None
        if chance < 0.6:
            return list(self.orders[seat])
        return self.press.position.sample(seat, self.rng)

    def _stances(self) -> dict[str, str]:
        rng, said = self.rng, self.press.said
        if not said or rng.random() < 0.7:
            return {}
        year = rng.choice((1901, 1902, 1903))
        until = f"until {rng.choice(PHASES).format(year)}"
        return {text[5:-1]: rng.choice(("keep", "break", until)) for _, _, text in rng.sample(said, min(len(said), 3))}

    def _word(self, message: Message) -> Message:
        """Return a renunciation of what was said, or a statement about own orders."""
        sender, to, text = message
        what = text.split("(", 1)[1].removesuffix(")")
        if text.startswith(("PRP", "INS")) and not what.startswith(("NAR", "AND", "NOT")):
            return sender, to, self.rng.choice((f"FCT (NOT ({what}))", f"FCT ({what})"))
        return sender, to, "FCT (NOT (DRW))"


def _said(message: Message, turn: int) -> ev.Said:
    sender, to, text = message
    return ev.Said(0.0, SEATS[sender], tuple(SEATS[word] for word in to), text, turn)
