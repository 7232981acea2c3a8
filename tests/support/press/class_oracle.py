"""A second implementation of the classes, from their definitions alone: it reads a record's events and nothing else.

It shares with the product the language, the rules and the ledger's verdicts of what was done. Whether a plan would
have broken a clause it finds by playing the match again with the plan in place of the orders, in a ledger of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.errors import PressError
from parlour.press.language import message_types as v
from parlour.press.language.reader import read
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger, ledger_of

Key = tuple[int, str, str, int]
"""A pact's number, the performer, the clause as text, and the turn."""
_PHASES = "SMRFWA"


def classes_by_replay(events: Sequence[Event]) -> dict[Key, str]:
    """Return the class of every verdict of a record without stand-ins, proxies and mended orders."""
    return _Oracle(list(events)).classes()


class _Oracle:
    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.ledger = ledger_of(events)
        self.words = self.ledger.lexicon.seats
        self.ends = {event.turn: at for at, event in enumerate(events) if isinstance(event, ev.TurnEnded)}
        self.begins = {event.turn: at for at, event in enumerate(events) if isinstance(event, ev.TurnBegan)}
        self.broken_if: dict[tuple[int, str, tuple[str, ...]], set[tuple[int, str]]] = {}

    def classes(self) -> dict[Key, str]:
        found: dict[Key, str] = {}
        for verdict in self.ledger.verdicts:
            key = (verdict.pact.number, verdict.performer, write(verdict.clause.what), verdict.turn)
            found[key] = self._class(key, str(verdict.status), verdict.why)
        return found

    def _class(self, key: Key, status: str, why: str) -> str:
        pact, power, _, turn = key
        if status == "void" and why == "absent":
            return "forced: absent"
        promised = self._promise(pact, power)
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
        if sealed.turn != turn:
            now = True if self._says_break(stance, turn) else None
        else:
            now = self._breaks(last, key)
        if now is None:
            return "unknown"
        if not now:
            return "mistaken: slip"
        if stance == "keep" and sealed.turn == turn:
            return "mistaken: misread"
        return "unknown" if then is None else "premeditated" if then else "opportunistic"

    # Who planned what, and when

    def _promise(self, pact: int, power: str) -> int:
        """Return the place of the newest message by which a power gave its word to what was agreed."""
        agreed = self.ledger.pacts.all[pact - 1]
        newest = -1
        for at, event in enumerate(self.events):
            if not isinstance(event, ev.Said) or not self._is(event, power):
                continue
            message = _read(event.text)
            offer = message.what if isinstance(message, v.Accept) else message
            if (
                isinstance(offer, (v.Propose, v.Insist))
                and offer.what == agreed.what
                and self._closed(at, agreed.parties)
            ):
                if at < self._end_of(pact):
                    newest = at
        return newest

    def _end_of(self, pact: int) -> int:
        """Return the place up to which messages are about a pact: another of the same words may follow it."""
        found = self.ledger.pacts.all[pact - 1]
        later = [
            p for p in self.ledger.pacts.all if p.number > pact and (p.what, p.parties) == (found.what, found.parties)
        ]
        return self.begins[later[0].proposal.turn] if later else len(self.events)

    def _closed(self, at: int, parties: frozenset[str]) -> bool:
        """Return True if what was said there was said among just these parties."""
        said = self.events[at]
        assert isinstance(said, ev.Said)
        return {self.words[seat] for seat in (said.seat, *said.to)} == set(parties)

    def _plan_then(self, key: Key, promised: int) -> bool | None:
        _, power, _, turn = key
        said = self.events[promised]
        assert isinstance(said, ev.Said)
        before = self._last_seal(power, promised)
        if before is not None and (self._seal(before).turn == said.turn or self._stance(self._seal(before), key)):
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
        whole = self.ledger.pacts.all[key[0] - 1].what
        for text, said in sealed.stances.items():
            what = _read(f"PRP ( {text} )")
            if isinstance(what, v.Propose) and (write(what.what) == key[2] or what.what == whole):
                return said
        return ""

    def _says_break(self, stance: str, turn: int) -> bool:
        if stance == "break":
            return True
        if not stance.startswith("until "):
            return False
        named, now = stance.split()[1], self._phase(turn)
        return (now[1:5], _PHASES.index(now[0])) >= (named[1:5], _PHASES.index(named[0]))

    def _phase(self, turn: int) -> str:
        return next(verdict.phase for verdict in self.ledger.verdicts if verdict.turn == turn)

    # What would have been

    def _breaks(self, at: int, key: Key) -> bool | None:
        """Return True if the plan sealed there, in place of the orders, would have broken the clause."""
        pact, power, clause, turn = key
        orders = self._seal(at).action
        if not isinstance(orders, (list, tuple)):
            return None
        plan = (turn, power, tuple(orders))
        if plan not in self.broken_if:
            ledger = Ledger()
            for event in self.events[: self.ends[turn]]:
                if not isinstance(event, ev.Sealed):
                    ledger.feed(event)
            ended = self.events[self.ends[turn]]
            assert isinstance(ended, ev.TurnEnded)
            seat = next(seat for seat, word in self.words.items() if word == power)
            actions = {**ended.actions, str(seat): list(orders)}
            verdicts = ledger.feed(replace(ended, actions=actions, defaulted=()))
            self.broken_if[plan] = {
                (found.pact.number, write(found.clause.what))
                for found in verdicts
                if found.performer == power and str(found.status) == "broken"
            }
        return (pact, clause) in self.broken_if[plan]

    def _is(self, event: ev.Said | ev.Sealed | ev.Acted, power: str) -> bool:
        return self.words[Seat(event.seat)] == power


def _read(text: str) -> v.Message | None:
    try:
        return read(text)
    except PressError:
        return None
