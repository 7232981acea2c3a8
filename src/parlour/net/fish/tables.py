"""Plays the matches of a tournament with connected players and players of the house at the same tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from parlour.core.game import Action, Game, Seat, View
from parlour.core.player import Observer, Player
from parlour.net.fish.dialect import Dialect, Patience, RemoteEntrant
from parlour.net.framing.connection import Wire
from parlour.referee.live import LiveTable
from parlour.referee.table import Table
from parlour.store import Store
from parlour.tournament.audience import Audience
from parlour.tournament.course import Fixture
from parlour.tournament.events import Announced
from parlour.tournament.tables import MatchFile, Relay, player_seed
from parlour.tournament.threads import on_thread
from parlour.tournament.values import TableResult

Lodge: TypeAlias = Callable[[str, Table], Callable[[], None]]
"""Shows a table to whoever may watch, under the name of its match; what it gives is called when that is over."""


def unseen(match: str, table: Table) -> Callable[[], None]:
    """Show it to nobody: there is no other door."""
    return lambda: None


class HousePlayer:
    """A player of the house at a live table: thinks on a thread, so that nobody else waits."""

    def __init__(self, agent: Player) -> None:
        self._agent = agent

    async def act(self, view: View) -> Action:
        """Choose an action."""
        return await on_thread(self._agent.act, view)


class RemoteTables:
    """Plays matches with remote entrants; those who are not remote are agents by the announcement."""

    def __init__(
        self,
        game: Game,
        announced: Announced,
        dialect: Dialect,
        entrants: Mapping[str, RemoteEntrant],
        *,
        patience: Patience,
        spectators: Iterable[Wire],
        audience: Audience,
        store: Store | None,
        lodge: Lodge,
    ) -> None:
        self._game = game
        self._announced = announced
        self._dialect = dialect
        self._entrants = entrants
        self._agents = {entrant.name: entrant.agent for entrant in announced.entrants if entrant.agent}
        self._patience = patience
        self._spectators = spectators
        self._audience = audience
        self._store = store
        self._lodge = lodge

    async def play(self, fixture: Fixture) -> TableResult:
        """Play one match to its end; one that was interrupted goes on."""
        file = MatchFile(self._game, self._announced, fixture, self._store)
        if not file.match.over:
            await self._play(file)
        return await file.finish()

    async def _play(self, file: MatchFile) -> None:
        match, names = file.match, file.seats
        here = [seat for seat in names if not match.is_removed(seat)]
        peers = {seat: self._entrants[names[seat]].peer for seat in here if names[seat] in self._entrants}
        table = self._dialect.table(file.fixture.match, match, names, peers, self._patience, self._spectators)
        players: dict[Seat, Player] = {
            seat: table.player(seat) if seat in peers else self._house_player(file.fixture, names[seat])
            for seat in here
        }
        if match.record:
            table.go_on()
        observers: list[Observer] = []
        if self._audience.of_matches:
            observers.append(Relay(lambda event: self._audience.told_of_match(file.fixture.match, event)))
        live = LiveTable(match, players, names=names, keep=file.keep, observers=observers)
        live.table.follow(table)
        left = self._lodge(file.fixture.match, live.table)
        try:
            await live.play()
        finally:
            left()

    def _house_player(self, fixture: Fixture, name: str) -> Player:
        from parlour.agents import make_agent  # few tournaments need it

        return HousePlayer(make_agent(self._game.name, self._agents[name], player_seed(fixture, name)))
