"""A tournament of strangers by a plan: any schedule in which no player has two seats of a match; ratings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from parlour import __version__
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Game, Seat, Seed
from parlour.errors import ConfigError
from parlour.games import load_contest
from parlour.net.fish.dialect import RemoteEntrant
from parlour.net.fish.settings import Settings
from parlour.net.fish.tournament_matches import RemoteTables
from parlour.net.threads import on_thread
from parlour.store import Filter, Finished, RecordKind, Store, read_events
from parlour.tournament.director import Director
from parlour.tournament.engines.base import Happening
from parlour.tournament.engines.playing import Delivery, MatchLog, delivery_of, match_id, spec_of
from parlour.tournament.knock_out.events import Announced, Closed, Entrant
from parlour.tournament.knock_out.runner import call_all
from parlour.tournament.knock_out.table_results import Departure, TournamentResult
from parlour.tournament.plan import Contender, Plan, seats_of
from parlour.tournament.reports.audience import Audience
from parlour.tournament.reports.sheets import as_json
from parlour.tournament.reports.standings import Standings, standings
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.blocks import Sitting
from parlour.tournament.storage.tournament_store import TournamentStore

ShowTable = Callable[[ResultsState, Standings], None]
"""Called with the results and the final table of a tournament."""


def plan_of(
    game: Game, settings: Settings, tournament: str, entrants: Sequence[Entrant], seed: Seed, protocol: str
) -> Plan:
    """Return the plan of a tournament; raise ConfigError if these players cannot play it."""
    config = dict(settings.config)
    plan = Plan(
        tournament=tournament,
        game=game.name,
        config=config,
        terms=settings.terms,
        format=settings.format,
        seats=seats_of(game.name, config, settings.format, settings.seats),
        contenders=tuple(Contender(entrant.name, entrant.agent) for entrant in entrants),
        blocks=settings.blocks or 1,
        seed=seed,
        score=load_contest(game.name).scores[0],
        anchor=entrants[-1].name,
        version=__version__,
        protocol=protocol,
    )
    plan.check()
    if settings.blocks is None:
        plan = msgspec.structs.replace(plan, blocks=plan.schedule().length or 1)
    for meeting in plan.schedule().block(0, ()):
        if any(len(set(seating)) < len(seating) for seating in meeting.seatings):
            raise ConfigError(f"format: {plan.format} seats a player twice at one table", field="format")
    return plan


class PlannedTournament:
    """Runs a planned tournament with the signed-up players, from its last stored result."""

    def __init__(
        self,
        series: ResultsState,
        results_store: TournamentStore,
        store: Store,
        tables: RemoteTables,
        entrants: Mapping[str, RemoteEntrant],
        audience: Audience,
        *,
        places: int,
        silent_become: Standing | None,
    ) -> None:
        self._series, self._results_store, self._store = series, results_store, store
        self._tables, self._entrants, self._audience = tables, entrants, audience
        self._places, self._silent_become = places, silent_become

    async def play(self, show: ShowTable, departed: Mapping[str, Departure] | None = None) -> TournamentResult:
        """Play to the end, send the result to the players, and return it.

        Args:
            departed: Players who were removed before the tournament was resumed; None if it begins.
        """
        series, plan = self._series, self._series.plan
        told_before = series.over
        self._audience.told(_announced(plan))
        departed = dict(await self._start() if departed is None else departed)
        engine = HallEngine(plan, self._tables, places=self._places)
        try:
            await Director(series, engine, results_store=self._results_store).run_on_loop()
        finally:
            await engine.close()
        departed |= {name: gone for name, gone in engine.departed.items() if name not in departed}
        table = await on_thread(standings, series)
        show(series, table)
        result = await self._tell(self._result(table, departed), departed, told_before=told_before)
        await self._store.keep(Finished(plan.tournament, as_json(table)))
        self._audience.told(Closed(time.time(), result))
        return result

    async def _start(self) -> dict[str, Departure]:
        """Send all players the start; close those who do not answer, and return them."""
        silent = await call_all(self._entrants, tuple(self._entrants), "tournament_started")
        for gone in silent:
            self._entrants[gone.name].peer.close()
        return {gone.name: gone for gone in silent}

    async def _tell(
        self, result: TournamentResult, departed: Mapping[str, Departure], *, told_before: bool
    ) -> TournamentResult:
        """Send the result; a winner who does not accept it has not won."""
        silent = await call_all(self._entrants, result.winners, "tournament_ended", True)
        silent += await call_all(self._entrants, result.losers, "tournament_ended", False)
        if told_before:  # a result that was sent before an interruption stands
            silent = []
        gone = [*departed.values()]
        if self._silent_become is not None:
            gone += [Departure(one.name, self._silent_become, one.reason) for one in silent]
        names = {one.name for one in silent}
        winners = [name for name in result.winners if name not in names]
        return TournamentResult.of(self._series.plan.names, winners, gone, result.rounds, result.reason)

    def _result(self, table: Standings, departed: Mapping[str, Departure]) -> TournamentResult:
        winners = [line.name for line in table.lines if line.place == 1]
        played = f"{table.format}, {table.matches} matches played"
        return TournamentResult.of(self._series.plan.names, winners, [*departed.values()], table.blocks, played)


def _announced(plan: Plan) -> Announced:
    """Return the beginning of a tournament, for its spectators."""
    entrants = tuple(Entrant(contender.name, contender.agent) for contender in plan.contenders)
    protocol = plan.protocol if isinstance(plan.protocol, str) else ""
    return Announced(
        time.time(), plan.tournament, plan.game, plan.config, plan.terms, plan.format, plan.seed, entrants, protocol
    )


def departed_from(store: Store, series: ResultsState) -> dict[str, Departure]:
    """Return the players who were removed from a match so far, each with the first reason."""
    plan, found = series.plan, dict[str, Departure]()
    lost = {match_id(plan, played.number) for played in series.played() if any(seat.lost_by for seat in played.seats)}
    for head in store.heads(Filter(kind=RecordKind.MATCH, parent=plan.tournament)):
        if head.id in lost or head.result is None:
            _add_removed(found, read_events(store, head.id), {Seat(seat): name for seat, name in head.players.items()})
    return found


def _add_removed(departed: dict[str, Departure], events: Iterable[Event], names: Mapping[Seat, str]) -> None:
    for event in events:
        if type(event) is ev.Removed:
            gone = Departure(names[event.seat], event.standing or Standing.FAILURE, event.reason_words)
            departed.setdefault(gone.name, gone)


class HallEngine:
    """Plays the matches of a plan in the hall. No player plays two of them at once."""

    task_time = 0.0

    def __init__(self, plan: Plan, tables: RemoteTables, *, places: int) -> None:
        self.places = self.depth = places
        self.departed: dict[str, Departure] = {}
        """Players who were removed from a match, each with the first reason."""
        self._plan, self._tables = plan, tables
        self._waiting: list[Sitting] = []
        self._playing: dict[asyncio.Task[Delivery], Sitting] = {}

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Queue these matches; each is played as soon as its players are free."""
        self._waiting += sittings
        self._begin()

    async def happened(self) -> Happening:
        """Wait until a match is over, and return its result; raise the error of a match that failed."""
        done, _ = await asyncio.wait(self._playing, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            del self._playing[task]
        self._begin()
        return Happening(tuple(task.result() for task in done), idle=len(done))

    async def close(self) -> None:
        """Stop the running matches; they continue when the tournament is resumed."""
        for task in self._playing:
            task.cancel()
        if self._playing:
            await asyncio.wait(self._playing)

    def _begin(self) -> None:
        busy = {name for sitting in self._playing.values() for name in sitting.players}
        for sitting in tuple(self._waiting):
            if busy.isdisjoint(sitting.players):
                self._waiting.remove(sitting)
                self._playing[asyncio.ensure_future(self._play(sitting))] = sitting
            busy.update(sitting.players)  # a player's matches are played in the order of the schedule

    async def _play(self, sitting: Sitting) -> Delivery:
        began, spec = time.perf_counter(), spec_of(self._plan, sitting)
        names = spec.names
        seeds = {player.shown: player.seed for player in spec.players.values()}
        played = await self._tables.play(spec.match, spec.open(), names, seeds)
        _add_removed(self.departed, played.events, names)
        thoughts = _thoughts(names, played.events)
        return delivery_of(self._plan, sitting, played.match, played.events, MatchLog(names), thoughts, began=began)


def _thoughts(seats: Iterable[Seat], events: Iterable[Event]) -> dict[Seat, tuple[float, int]]:
    """Return for each seat the seconds from the beginning of its turns to its actions, and their number."""
    found, since = dict.fromkeys(seats, (0.0, 0)), 0.0
    for event in events:
        if type(event) is ev.TurnBegan:
            since = event.at
        elif type(event) is ev.Acted:
            seconds, decisions = found[event.seat]
            found[event.seat] = seconds + event.at - since, decisions + 1
    return found
