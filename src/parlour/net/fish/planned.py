"""A tournament of strangers by a plan: any schedule in which no player has two seats of a match; ratings."""

from __future__ import annotations

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
from parlour.net.fish.tournament_matches import STRANGER, RemoteTables
from parlour.net.threads import on_thread
from parlour.store import Filter, Finished, RecordKind, Store, read_events
from parlour.tournament.engines.playing import MatchLog, delivery_of, match_id, spec_of
from parlour.tournament.knock_out.events import Announced, Closed, Departure, Entrant, TournamentResult
from parlour.tournament.plan import Contender, Plan, seats_of
from parlour.tournament.reports.audience import Audience
from parlour.tournament.reports.sheets import as_json
from parlour.tournament.reports.standings import Standings, standings
from parlour.tournament.results import Delivery
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
    """A tournament by a plan: a StrangersTournament whose matches are a series with its own store."""

    def __init__(
        self,
        series: ResultsState,
        results_store: TournamentStore,
        store: Store,
        tables: RemoteTables,
        entrants: Mapping[str, RemoteEntrant],
        audience: Audience,
        show: ShowTable,
        departed: Mapping[str, Departure] | None = None,
    ) -> None:
        """Take up a tournament with the signed-up players, from its last stored result.

        Args:
            departed: Players who were removed before the tournament was resumed; None if it begins.
        """
        self.matches, self.results_store = series, results_store
        self._store, self._tables, self._entrants = store, tables, entrants
        self._audience, self._show = audience, show
        self._departed = dict(departed or {})
        """Players who were removed from a match or did not answer the start, each with the first reason."""
        self.begun = departed is not None
        self.entrants = series.plan.names
        self._table: Standings | None = None

    async def open(self) -> None:
        """Send the announcement to the spectators; the plan is in the store since the players were gathered."""
        self._audience.told(_announced(self.matches.plan))

    async def begin(self, silent: Sequence[Departure]) -> None:
        """Close the players who did not answer the start; they stay in the schedule, and lose their matches."""
        for gone in silent:
            self._entrants[gone.name].peer.close()
            self._departed[gone.name] = gone

    async def play(self, sitting: Sitting) -> Delivery:
        plan = self.matches.plan
        began, spec = time.perf_counter(), spec_of(plan, sitting)
        names = spec.names
        seeds = {player.shown: player.seed for player in spec.players.values()}
        played = await self._tables.play(spec.match, spec.open(), names, seeds)
        _add_removed(self._departed, played.events, names)
        thoughts = _thoughts(names, played.events)
        return delivery_of(plan, sitting, played.match, played.events, MatchLog(names), thoughts, began=began)

    async def decide(self) -> TournamentResult:
        """Show the final table, and return its result, which the players have yet to receive."""
        self._table = table = await on_thread(standings, self.matches)
        self._show(self.matches, table)
        winners = [line.name for line in table.lines if line.place == 1]
        return self._result(winners, self._departed.values(), table)

    async def close(self, silent: Sequence[Departure], *, become: Standing | None) -> TournamentResult:
        """Store the final result and return it; a winner who did not confirm it has not won."""
        table, names = self._table, {one.name for one in silent}
        assert table is not None
        winners = [line.name for line in table.lines if line.place == 1 and line.name not in names]
        gone = () if become is None else (Departure(one.name, become, one.reason) for one in silent)
        result = self._result(winners, (*self._departed.values(), *gone), table)
        await self._store.keep(Finished(self.matches.plan.tournament, as_json(table)))
        self._audience.told(Closed(time.time(), result))
        return result

    def _result(self, winners: Sequence[str], departed: Iterable[Departure], table: Standings) -> TournamentResult:
        played = f"{table.format}, {table.matches} matches played"
        return TournamentResult.of(self.entrants, winners, [*departed], table.blocks, played)


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
            players = {Seat(seat): _entrant_of(name, plan) for seat, name in head.players.items()}
            _add_removed(found, read_events(store, head.id), players)
    return found


def _entrant_of(shown: str, plan: Plan) -> str:
    return shown if shown in plan.names else shown.removesuffix(STRANGER)


def _add_removed(departed: dict[str, Departure], events: Iterable[Event], names: Mapping[Seat, str]) -> None:
    for event in events:
        if type(event) is ev.Removed:
            gone = Departure(names[event.seat], event.standing or Standing.FAILURE, event.reason_words)
            departed.setdefault(gone.name, gone)


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
