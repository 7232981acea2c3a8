"""Plays one match of a tournament to its end: a pure function of the plan and the sitting, on any machine."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from parlour.agents.aside import prints_aside
from parlour.agents.llm.answers import GOOD, ReplyClass
from parlour.agents.watched import Crash, Mishap
from parlour.core import events as ev
from parlour.core import seeds
from parlour.core.contest import Points
from parlour.core.events import Event
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Outcome, Seat, View
from parlour.core.player import Player
from parlour.core.text import printable
from parlour.games import load_contest, load_game
from parlour.matches.playing import play_match
from parlour.matches.spec import MatchSpec, PlayerSpec
from parlour.referee.match import Match
from parlour.referee.record import encode
from parlour.tournament.plan import Plan
from parlour.tournament.results import MAX_REASON, Calls, Cost, Delivery, Kept, MatchPlayed, Remark, SeatResult, void
from parlour.tournament.schedules.blocks import Sitting, config_of

MAX_NOTES = 200
"""Maximum notes of one match: fouls, mishaps and printed lines of bots."""


def spec_of(plan: Plan, sitting: Sitting) -> MatchSpec:
    """Return the specification of a match.

    Seeds depend on the seat and not on the name, so that compared agents meet opponents with the same random numbers.
    """
    config = config_of(load_contest(plan.game), plan.config, sitting)
    seats = load_game(plan.game).seats(config)
    players = {
        seat: PlayerSpec(plan.agents[name], seeds.seat_in_block(sitting.seed, number), name, plan.limits)
        for number, (seat, name) in enumerate(zip(seats, sitting.players, strict=True))
    }
    terms = plan.terms
    if sitting.usd is not None:
        bank = sitting.usd if terms.clock.usd is None else min(sitting.usd, terms.clock.usd)
        terms = msgspec.structs.replace(terms, clock=msgspec.structs.replace(terms.clock, usd=bank))
    return MatchSpec(plan.game, terms, players, config, sitting.seed, match_id(plan, sitting.number))


def match_id(plan: Plan, number: int) -> str:
    """Return the id under which a match is stored."""
    return f"{plan.tournament}.{number}"


def play_sitting(plan: Plan, sitting: Sitting) -> Delivery:
    """Play a match, and return its result, its record if kept, and remarks on its players."""
    began = time.perf_counter()
    spec = spec_of(plan, sitting)
    log = MatchLog(spec.names)
    with prints_aside(log.printed):
        timed = {seat: _Timed(player) for seat, player in spec.make_players(log.noting).items()}
        players: dict[Seat, Player] = dict(timed)
        match, _ = play_match(spec, players)
    record = tuple(encode(event) for event in match.record) if plan.records else ()
    thoughts = {seat: (each.seconds, each.decisions) for seat, each in timed.items()}
    return delivery_of(plan, sitting, match, match.record, log, thoughts, record=record, began=began)


def delivery_of(
    plan: Plan,
    sitting: Sitting,
    match: Match,
    events: Sequence[Event],
    log: MatchLog,
    thoughts: Mapping[Seat, tuple[float, int]],
    *,
    record: tuple[bytes, ...] = (),
    began: float,
) -> Delivery:
    """Return the delivery of a finished match, wherever it was played.

    Args:
        events: Its whole record.
        thoughts: For each seat the seconds it thought, and the number of its decisions.
        record: The record as it is to be stored; empty if it is stored already, or not to be.
    """
    names, outcome = log.names, match.outcome
    assert outcome is not None
    log.take(events)
    seats = match.game.seats(match.config)
    if not any(isinstance(event, ev.Started) for event in events):
        outcome = _unplayed(seats, log.lost, outcome)
    remarks = tuple(Remark(one.player, f"match {sitting.number}, {one.text}") for one in log.remarks[:MAX_NOTES])
    calls = calls_of(events)
    spent = Cost(sum(each.usd for each in calls.values()), sum(each.tokens for each in calls.values()))
    cost = spent if calls else msgspec.UNSET
    if reason := unreachable(events):
        return Delivery(void(sitting, reason, cost), record, remarks)
    position = match.game.start(match.config, seats, sitting.seed) if match.turn == 0 else match.position
    points = load_contest(plan.game).points(position, outcome, tuple(log.lost))
    played = MatchPlayed(
        number=sitting.number,
        block=sitting.block,
        table=sitting.table,
        seed=sitting.seed,
        seats=_seat_results(names, outcome, points, log, thoughts, kept_of(events) if plan.talks else {}, calls),
        reason=printable(outcome.reason, MAX_REASON),
        turns=match.turn,
        seconds=tuple(round(seconds, 6) for seconds, _ in thoughts.values()),
        took=time.perf_counter() - began,
        cost=cost,
    )
    return Delivery(played, record, remarks)


class MatchLog:
    """The fouls, mishaps and printed lines of the players of a match."""

    def __init__(self, names: Mapping[Seat, str]) -> None:
        self.names = names
        self.remarks: list[Remark] = []
        self.lost: dict[Seat, str] = {}
        self.fouls: dict[Seat, int] = {}
        self._crashes: dict[Seat | None, set[Crash]] = {}
        """The different crashes of a seat; each is one remark."""

    def take(self, record: Sequence[Event]) -> None:
        """Read the fouls of a record; crashes of a seat are one remark, without their consequences."""
        crashed = {seat for seat in self._crashes if seat is not None}
        removed: set[Seat] = set()
        for event in record:
            match event:
                case ev.Fouled():
                    self.fouls[event.seat] = self.fouls.get(event.seat, 0) + 1
                    if event.kind is not FoulKind.CRASHED or event.seat not in crashed:
                        self._remark(
                            event.seat, f"{event.kind.word} in turn {event.turn}: {event.detail}; {event.does}"
                        )
                    if event.kind is FoulKind.CRASHED:
                        crashed.add(event.seat)
                    if event.does is Consequence.REMOVE:
                        removed.add(event.seat)
                case ev.Removed():
                    self.lost[event.seat] = printable(event.reason_words, MAX_REASON)
                    if event.seat not in removed:
                        self._remark(event.seat, f"removed: {event.reason_words}")
                case _:
                    pass

    def noting(self, name: str) -> Callable[[Mishap], None]:
        """Return a function that notes a player's mishaps; a repeated crash is noted once."""

        def note(mishap: Mishap) -> None:
            if isinstance(mishap, Crash):
                known = self._crashes.setdefault(mishap.seat, set())
                if mishap in known:
                    return
                known.add(mishap)
            self.remarks.append(Remark(name, f"{mishap.seat or 'before it sat down'}: {mishap}"))

        return note

    def printed(self, speaker: str, line: str) -> None:
        """Add a remark with a line that a bot printed."""
        seat = Seat(speaker.rpartition(" as ")[2])
        self.remarks.append(Remark(self.names.get(seat, speaker), f"{seat} prints: {printable(line, MAX_REASON)}"))

    def _remark(self, seat: Seat, text: str) -> None:
        self.remarks.append(Remark(self.names[seat], printable(f"{seat}: {text}", MAX_REASON)))


class _Timed:
    """A player, with its thinking time and the number of its decisions."""

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
    log: MatchLog,
    thoughts: Mapping[Seat, tuple[float, int]],
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
            decisions=thoughts[seat][1],
            press=kept.get(seat),
            calls=calls.get(seat),
        )
        for seat, name in names.items()
    )


def _unplayed(seats: Sequence[Seat], lost: Mapping[Seat, str], outcome: Outcome) -> Outcome:
    """Return the outcome if fouls before the start left too few players: those who are left have won."""
    left = tuple(str(seat) for seat in seats if seat not in lost)
    return Outcome({str(seat): float(seat in left) for seat in seats}, (left,) if left else (), outcome.reason)


def kept_of(record: Sequence[Event]) -> dict[Seat, Kept]:
    """Return for each seat the promises it kept and broke, in a match with press."""
    from parlour.press.ledger import ledger_of
    from parlour.press.reports.metrics import measure

    ledger = ledger_of(record)
    found: dict[Seat, Kept] = {}
    for player in measure(ledger).players:
        promises, word = player.promises, player.word
        found[Seat(ledger.lexicon.seat_of[player.power])] = Kept(
            promises.kept, promises.broken, promises.void, player.stabs, player.messages, word.pacts, word.kept
        )
    return found


def calls_of(record: Sequence[Event]) -> dict[Seat, Calls]:
    """Return the calls of each seat that asked a language model."""
    found: dict[Seat, list[ev.Consulted]] = {}
    for event in record:
        if isinstance(event, ev.Consulted):
            found.setdefault(event.seat, []).append(event)
    return {seat: _counted(events) for seat, events in found.items()}


def _counted(events: Sequence[ev.Consulted]) -> Calls:
    calls = [event.consultation for event in events]
    answers = [call for call in calls if call.verdict != ReplyClass.TRANSPORT]
    return Calls(
        answered=len(answers),
        usable=sum(call.verdict in GOOD for call in answers),
        decisions=sum(call.attempt == 1 for call in answers),
        tokens=sum(call.tokens for call in calls),
        usd=sum(call.usd for call in calls),
        unpriced=sum(not call.priced for call in calls),
    )


def unreachable(record: Sequence[Event]) -> str:
    """Return the reason if a model could not be reached, so that the match does not count; otherwise an empty text."""
    last: dict[tuple[Seat, int, str], ev.Consulted] = {}
    for event in record:
        if isinstance(event, ev.Consulted):
            last[event.seat, event.turn, event.consultation.purpose] = event
    for event in last.values():
        if event.consultation.verdict == ReplyClass.TRANSPORT:
            return f"the model of {event.seat} could not be reached in turn {event.turn}: {event.consultation.fault}"
    return ""
