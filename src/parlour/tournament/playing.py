"""Plays one match of a tournament to its end: a pure function of the plan and the sitting, wherever it runs."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from parlour.agents.aside import prints_aside
from parlour.agents.loading import make_player
from parlour.agents.watched import Mishap
from parlour.core import events as ev
from parlour.core.contest import Points
from parlour.core.events import Event
from parlour.core.game import Outcome, Seat, View
from parlour.core.player import Player
from parlour.core.text import printable
from parlour.games import load_contest, load_game
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.record import encode
from parlour.tournament.blocks import Sitting, config_of, derived
from parlour.tournament.model_calls import calls_of, unreachable
from parlour.tournament.plan import Plan
from parlour.tournament.results import MAX_REASON, Calls, Kept, MatchPlayed, SeatResult

MAX_NOTES = 200
"""Of one match: fouls, mishaps and what bots print."""


class Remark(msgspec.Struct, frozen=True):
    """A line for the log of a player."""

    player: str
    text: str
    """Which match, which seat, what."""


class Delivery(msgspec.Struct, frozen=True):
    """What comes back of a match: its result, its record if that is kept, and remarks for its players' logs."""

    played: MatchPlayed
    record: tuple[bytes, ...] = ()
    remarks: tuple[Remark, ...] = ()


def match_of(plan: Plan, sitting: Sitting) -> Match:
    """The match, yet to be played."""
    config = config_of(load_contest(plan.game), plan.config, sitting)
    return Match(load_game(plan.game), config, plan.terms, sitting.seed, match_id(plan, sitting.number))


def match_id(plan: Plan, number: int) -> str:
    """Under which a match is kept."""
    return f"{plan.tournament}.{number}"


def play_sitting(plan: Plan, sitting: Sitting) -> Delivery:
    """Play a match; whatever its players do is in its result."""
    began = time.perf_counter()
    match = match_of(plan, sitting)
    seats = match.game.seats(match.config)
    names = dict(zip(seats, sitting.players, strict=True))
    log = _Log(names)
    timed: dict[Seat, _Timed] = {}
    with prints_aside(log.printed):
        for number, (seat, name) in enumerate(names.items()):
            # By seat and not by name, so that everyone who is compared meets others with the same chance.
            seed = derived(sitting.seed, "seat", number)
            timed[seat] = _Timed(make_player(plan.game, plan.agents[name], seed, log.noting(name), limits=plan.limits))
        players: dict[Seat, Player] = dict(timed)
        outcome = play(match, players, names=names)
    log.take(match.record)
    if not any(isinstance(event, ev.Started) for event in match.record):
        outcome = _unplayed(seats, log.lost, outcome)
    record = tuple(encode(event) for event in match.record) if plan.records else ()
    remarks = tuple(Remark(one.player, f"match {sitting.number}, {one.text}") for one in log.remarks[:MAX_NOTES])
    if reason := unreachable(match.record):
        return Delivery(void(sitting, reason), record, remarks)
    position = match.game.start(match.config, seats, sitting.seed) if match.turn == 0 else match.position
    points = load_contest(plan.game).points(position, outcome, tuple(log.lost))
    played = MatchPlayed(
        number=sitting.number,
        block=sitting.block,
        table=sitting.table,
        seed=sitting.seed,
        seats=_seat_results(names, outcome, points, log, timed, _kept(plan, match.record), calls_of(match.record)),
        reason=printable(outcome.reason, MAX_REASON),
        turns=match.turn,
        seconds=tuple(round(each.seconds, 6) for each in timed.values()),
        took=time.perf_counter() - began,
    )
    return Delivery(played, record, remarks)


def void(sitting: Sitting, reason: str) -> MatchPlayed:
    """The result of a match that could not be played."""
    return MatchPlayed(
        number=sitting.number,
        block=sitting.block,
        table=sitting.table,
        seed=sitting.seed,
        void=printable(reason, MAX_REASON) or "unknown",
    )


class _Log:
    """What is worth telling of the players of a match."""

    def __init__(self, names: Mapping[Seat, str]) -> None:
        self._names = names
        self.remarks: list[Remark] = []
        self.lost: dict[Seat, str] = {}
        self.fouls: dict[Seat, int] = {}

    def take(self, record: Sequence[Event]) -> None:
        """Read the fouls out of a record."""
        for event in record:
            match event:
                case ev.Fouled():
                    self.fouls[event.seat] = self.fouls.get(event.seat, 0) + 1
                    self._remark(event.seat, f"{event.kind} in turn {event.turn}: {event.detail}; {event.does}")
                case ev.Removed():
                    self.lost[event.seat] = printable(event.reason, MAX_REASON)
                    self._remark(event.seat, f"removed: {event.reason}")
                case _:
                    pass

    def noting(self, name: str) -> Callable[[Mishap], None]:
        """Takes note of the mishaps of a player."""
        return lambda mishap: self.remarks.append(Remark(name, f"{mishap.seat or 'before it sat down'}: {mishap}"))

    def printed(self, speaker: str, line: str) -> None:
        """A bot printed something."""
        seat = Seat(speaker.rpartition(" as ")[2])
        self.remarks.append(Remark(self._names.get(seat, speaker), f"{seat} prints: {printable(line, MAX_REASON)}"))

    def _remark(self, seat: Seat, text: str) -> None:
        self.remarks.append(Remark(self._names[seat], printable(f"{seat}: {text}", MAX_REASON)))


class _Timed:
    """A player, and how long it thought how often."""

    act: Callable[[View], Any]

    def __init__(self, player: Player) -> None:
        self._player = player
        self.seconds, self.decisions = 0.0, 0
        self.act = self._later if inspect.iscoroutinefunction(getattr(player, "act", None)) else self._now

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)

    def _now(self, view: View) -> Any:
        began = time.perf_counter()
        try:
            return self._player.act(view)
        finally:
            self._add(began)

    async def _later(self, view: View) -> Any:
        began = time.perf_counter()
        try:
            return await self._player.act(view)
        finally:
            self._add(began)

    def _add(self, began: float) -> None:
        self.seconds += time.perf_counter() - began
        self.decisions += 1


def _seat_results(
    names: Mapping[Seat, str],
    outcome: Outcome,
    points: Points,
    log: _Log,
    timed: Mapping[Seat, _Timed],
    kept: Mapping[Seat, Kept],
    calls: Mapping[Seat, Calls],
) -> tuple[SeatResult, ...]:
    places = {Seat(seat): place for place, tied in enumerate(outcome.places) for seat in tied}
    last = len(outcome.places)
    return tuple(
        SeatResult(
            player=name,
            place=last if seat in log.lost else places.get(seat, last),
            scores={score: float(gained.get(seat, 0.0)) for score, gained in points.items()},
            lost_by=log.lost.get(seat, ""),
            fouls=log.fouls.get(seat, 0),
            decisions=timed[seat].decisions,
            press=kept.get(seat),
            calls=calls.get(seat),
        )
        for seat, name in names.items()
    )


def _unplayed(seats: Sequence[Seat], lost: Mapping[Seat, str], outcome: Outcome) -> Outcome:
    """If fouls before the start left too few for a match, whoever is left has won it."""
    left = tuple(str(seat) for seat in seats if seat not in lost)
    return Outcome({str(seat): float(seat in left) for seat in seats}, (left,) if left else (), outcome.reason)


def _kept(plan: Plan, record: Sequence[Event]) -> dict[Seat, Kept]:
    """What became of promises, in a match with press."""
    if not plan.talks:
        return {}
    from parlour.press.ledger import ledger_of
    from parlour.press.metrics import measure

    ledger = ledger_of(record)
    found: dict[Seat, Kept] = {}
    for player in measure(ledger).players:
        promises, word = player.promises, player.word
        found[Seat(ledger.lexicon.seat_of[player.power])] = Kept(
            promises.kept, promises.broken, promises.void, player.stabs, player.messages, word.pacts, word.kept
        )
    return found
