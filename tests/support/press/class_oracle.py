"""A second implementation of the classes, from their definitions alone: it reads a record's events and nothing else.

It shares with the product the language and the rules. Who kept and broke what the second ledger says. Whether a plan
would have broken a clause it finds by asking that ledger about the same phase with the plan in place of the orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.errors import PressError
from parlour.games.diplomacy.game import Diplomacy
from parlour.press.language import message_types as v
from parlour.press.language.reader import read
from support.press.oracle import SEATS, WORDS, Line, Oracle

Key = tuple[int, str, str, int]
"""A pact's number, the performer, the clause as text, and the turn."""


def classes_by_replay(events: Sequence[Event]) -> dict[Key, str]:
    """Return the class of every verdict of a record without stand-ins, proxies and mended orders."""
    return _Oracle(list(events)).classes()


class _Oracle:
    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.ends = {event.turn: at for at, event in enumerate(events) if isinstance(event, ev.TurnEnded)}
        self.phases: dict[int, str] = {}
        self.before: dict[int, Oracle] = {}
        """The second ledger before each turn was judged."""
        self.verdicts: dict[Key, str] = {}
        self.broken_if: dict[tuple[int, str, tuple[str, ...]], set[tuple[int, str]]] = {}
        self.ledger = self._ledger()

    def _ledger(self) -> Oracle:
        start = next(event for event in self.events if isinstance(event, ev.Started))
        ledger, turn = Oracle(Diplomacy().decode(start.position)), 0
        for at, event in enumerate(self.events):
            match event:
                case ev.TurnBegan():
                    turn = event.turn
                case ev.Said() if _read(event.text) is not None:
                    ledger.hear(WORDS[event.seat], [WORDS[seat] for seat in event.to], event.text, at)
                case ev.TurnEnded():
                    self.before[turn], self.phases[turn] = deepcopy(ledger), ledger.position.phase
                    absent = [WORDS[seat] for seat in event.defaulted]
                    for number, power, _, status, what in _settled(ledger, event.actions, absent):
                        self.verdicts[number, power, what, turn] = status
        return ledger

    def classes(self) -> dict[Key, str]:
        return {key: self._class(key, status) for key, status in self.verdicts.items()}

    def _class(self, key: Key, status: str) -> str:
        pact, power, _, turn = key
        if status == "absent":
            return "forced: absent"
        promised = self.before[turn].pacts[pact - 1].words[power]
        then = self._plan_then(key, promised)
        if status in ("open", "void"):
            return "insincere, never due" if status == "void" and then else "none"
        if status == "kept":
            return "unknown" if then is None else "insincere, then kept" if then else "honest"
        acted = max(
            (
                at
                for at, e in enumerate(self.events)
                if isinstance(e, ev.Acted) and e.turn == turn and self._is(e, power)
            ),
            default=self.ends[turn],
        )
        last = self._last_seal(power, acted)
        if last is None:
            return "unknown"
        sealed = self._seal(last)
        stance = self._stance(sealed, key)
        says = self._says_break(stance, turn)
        now = True if says else self._breaks(last, key) if sealed.turn == turn else None
        if now is None:
            return "unknown"
        if not now:
            return "mistaken: slip"
        if stance == "keep" and sealed.turn == turn:
            return "mistaken: misread"
        return "unknown" if then is None else "premeditated" if then else "opportunistic"

    # Who planned what, and when

    def _plan_then(self, key: Key, promised: int) -> bool | None:
        _, power, _, turn = key
        said = self.events[promised]
        assert isinstance(said, ev.Said)
        before = self._last_seal(power, promised)
        if before is not None and (self._stance(self._seal(before), key) or self._has_plan(before, said.turn)):
            sealed = self._seal(before)
            if self._says_break(self._stance(sealed, key), turn):
                return True
            return self._breaks(before, key) if sealed.turn == turn else False
        for at in range(promised, self.ends.get(said.turn, len(self.events))):
            event = self.events[at]
            if isinstance(event, ev.Sealed) and self._is(event, power):
                if self._says_break(self._stance(event, key), turn):
                    return None
                if event.turn != turn:
                    return False
                return None if self._breaks(at, key) is not False else False
        return None

    def _has_plan(self, at: int, turn: int) -> bool:
        """Return True if a seal says which orders its power plans for a turn."""
        sealed = self._seal(at)
        return sealed.turn == turn and isinstance(sealed.action, (list, tuple))

    def _last_seal(self, power: str, before: int) -> int | None:
        for at in range(before - 1, -1, -1):
            event = self.events[at]
            if isinstance(event, ev.Sealed) and self._is(event, power):
                return at
        return None

    def _seal(self, at: int) -> ev.Sealed:
        event = self.events[at]
        assert isinstance(event, ev.Sealed)
        return event

    def _stance(self, sealed: ev.Sealed, key: Key) -> str:
        meant = {self.ledger.pacts[key[0] - 1].what, _arrangement(key[2])}
        for text, said in sealed.stances.items():
            if _arrangement(text) in meant:
                return said
        return ""

    def _says_break(self, stance: str, turn: int) -> bool:
        if stance == "break":
            return True
        if not stance.startswith("until "):
            return False
        return _moment(self._phase(turn)) >= _moment(stance.split()[1])

    def _phase(self, turn: int) -> str:
        return self.phases[turn]

    # What would have been

    def _breaks(self, at: int, key: Key) -> bool | None:
        """Return True if the plan sealed there, in place of the orders, would have broken the clause."""
        pact, power, clause, turn = key
        orders = self._seal(at).action
        if not isinstance(orders, (list, tuple)):
            return False if self._stance(self._seal(at), key) else None
        plan = (turn, power, tuple(orders))
        if plan not in self.broken_if:
            ended = self.events[self.ends[turn]]
            assert isinstance(ended, ev.TurnEnded)
            actions = {**ended.actions, str(SEATS[power]): list(orders)}
            lines = _settled(deepcopy(self.before[turn]), actions, ())
            self.broken_if[plan] = {
                (number, what)
                for number, performer, _, status, what in lines
                if (performer, status) == (power, "broken")
            }
        return (pact, clause) in self.broken_if[plan]

    def _is(self, event: ev.Said | ev.Sealed | ev.Acted, power: str) -> bool:
        return WORDS[event.seat] == power


def _moment(phase: str) -> tuple[str, int, int]:
    """Return the year, season and stage of a phase, of which the stage may be left out."""
    return phase[1:5], "SFW".index(phase[0]), "MRA".index(phase[5:] or ("A" if phase[0] == "W" else "M"))


def _settled(ledger: Oracle, actions: Mapping[str, Any], absent: Sequence[str]) -> list[Line]:
    """Return the verdicts of a phase, by the rules' own adjudication of these orders."""
    orders = {Seat(seat): [str(order) for order in action] for seat, action in actions.items()}
    following, _ = ledger.position.apply(orders)
    return ledger.settle(orders, following, absent)


def _read(text: str) -> v.Message | None:
    try:
        return read(text)
    except PressError:
        return None


def _arrangement(text: str) -> v.Arrangement | None:
    message = _read(f"PRP ( {text} )")
    return message.what if isinstance(message, v.Propose) else None
