"""A tournament of strangers by a plan: any schedule in which nobody sits twice at a table, ratings with intervals."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from parlour import __version__
from parlour.core.fouls import Standing
from parlour.core.game import Game, Seed
from parlour.errors import ConfigError
from parlour.games import load_contest
from parlour.net.fish.dialect import RemoteEntrant
from parlour.net.fish.hall_engine import HallEngine
from parlour.net.fish.settings import Settings
from parlour.net.fish.tables import RemoteTables
from parlour.net.threads import on_thread
from parlour.store import Finished, Store
from parlour.tournament.director import Director
from parlour.tournament.knock_out.events import Announced, Closed, Entrant
from parlour.tournament.knock_out.runner import call_all
from parlour.tournament.knock_out.values import Departure, TournamentResult
from parlour.tournament.plan import Contender, Plan, seats_of
from parlour.tournament.reports.audience import Audience
from parlour.tournament.reports.sheets import as_json
from parlour.tournament.reports.standings import Standings, standings
from parlour.tournament.results_state import Series
from parlour.tournament.storage.tournament_store import Docket

ShowTable = Callable[[Series, Standings], None]
"""Takes the final table of a tournament."""


def plan_of(
    game: Game, settings: Settings, tournament: str, entrants: Sequence[Entrant], seed: Seed, protocol: str
) -> Plan:
    """Return the plan of a tournament; ConfigError if these players cannot play it."""
    config = dict(settings.config)
    plan = Plan(
        tournament=tournament,
        game=game.name,
        config=config,
        terms=settings.terms,
        format=settings.format,
        seats=seats_of(game.name, config, settings.format, settings.seats),
        contenders=tuple(Contender(entrant.name, entrant.agent) for entrant in entrants),
        blocks=settings.blocks,
        seed=seed,
        score=load_contest(game.name).scores[0],
        anchor=entrants[-1].name,
        version=__version__,
        protocol=protocol,
    )
    plan.check()
    for meeting in plan.schedule().block(0, ()):
        if any(len(set(seating)) < len(seating) for seating in meeting.seatings):
            raise ConfigError(f"format: {plan.format} seats a player twice at one table", field="format")
    return plan


class PlannedTournament:
    """One tournament with those who are seated, from wherever it stands."""

    def __init__(
        self,
        series: Series,
        docket: Docket,
        store: Store,
        tables: RemoteTables,
        entrants: Mapping[str, RemoteEntrant],
        audience: Audience,
        *,
        places: int,
        silent_become: Standing | None,
    ) -> None:
        self._series, self._docket, self._store = series, docket, store
        self._tables, self._entrants, self._audience = tables, entrants, audience
        self._places, self._silent_become = places, silent_become

    async def play(self, show: ShowTable, *, again: bool) -> TournamentResult:
        """Play to the end, tell the players, and return who won; again: it was resumed."""
        series, plan = self._series, self._series.plan
        told_before = series.over
        self._audience.told(_announced(plan))
        departed = {} if again else await self._start()
        engine = HallEngine(plan, self._tables, places=self._places)
        try:
            await Director(series, engine, docket=self._docket).run_on_loop()
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
        """Tell all players that it begins; those who do not answer lose all matches."""
        silent = await call_all(self._entrants, tuple(self._entrants), "tournament_started")
        for gone in silent:
            self._entrants[gone.name].peer.close()
        return {gone.name: gone for gone in silent}

    async def _tell(
        self, result: TournamentResult, departed: Mapping[str, Departure], *, told_before: bool
    ) -> TournamentResult:
        """Tell the result; a winner who does not take it has not won."""
        silent = await call_all(self._entrants, result.winners, "tournament_ended", True)
        silent += await call_all(self._entrants, result.losers, "tournament_ended", False)
        if told_before:  # what was told before an interruption stands
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
