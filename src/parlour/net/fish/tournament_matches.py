"""Plays the matches of a tournament in the hall, with connected players and house agents."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

import msgspec

from parlour.core import seeds
from parlour.core.events import Event
from parlour.core.game import Game, Seat
from parlour.core.player import Player
from parlour.core.viewers import SPECTATOR
from parlour.net.fish.dialect import Dialect, Patience, RemoteEntrant, RemoteMatch
from parlour.net.framing.connection import Wire
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.house_agents import HouseAgent
from parlour.net.thought_lane import ThoughtLane
from parlour.net.thoughts import Thinker
from parlour.referee.live import LiveTable
from parlour.referee.match import Match, Reaction
from parlour.store import Finished, Progress, RecordHead, RecordKind
from parlour.tournament.knock_out.events import Announced, TableResult, result_of
from parlour.tournament.reports.audience import Audience
from parlour.tournament.schedules.blocks import Sitting

STRANGER = " (fish)"
"""Follows the name of a player that could be taken for an account, a house agent or the server."""


class PlayedMatch:
    """A match and all its stored events."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.events: list[Event] = list(match.record)

    def reacted(self, reaction: Reaction) -> None:
        """Add the stored events."""
        self.events += reaction.events


class RemoteTables:
    """Plays matches with remote entrants and with house agents, which play under names of the tournament."""

    def __init__(
        self,
        game: Game,
        tournament: str,
        agents: Mapping[str, str],
        dialect: Dialect,
        entrants: Mapping[str, RemoteEntrant],
        hall: Hall,
        *,
        patience: Patience,
        spectators: Iterable[Wire],
        audience: Audience,
        again: bool,
    ) -> None:
        self._game = game
        self._tournament = tournament
        self._agents = agents
        """The house agents, by the names under which they play."""
        self._dialect = dialect
        self._entrants = entrants
        self._hall = hall
        self._patience = patience
        self._spectators = spectators
        self._audience = audience
        self._again = again
        """True if the tournament was resumed, so some of its matches may have begun."""

    async def play(self, name: str, match: Match, names: Mapping[Seat, str], seeds: Mapping[str, int]) -> PlayedMatch:
        """Play the match of that name to its end, or continue it; `seeds` are those of house agents, by name."""
        now, shown = time.time(), {seat: await self._shown(player) for seat, player in names.items()}
        head = RecordHead(name, RecordKind.MATCH, self._game.name, self._tournament, now)
        players = {str(seat): player for seat, player in shown.items()}
        head = msgspec.structs.replace(head, status="running", players=players, updated=now)
        hosted = await self._hall.attend(match, head, again=self._again)
        try:
            played = PlayedMatch(hosted.match)
            hosted.table.follow(played)
            if not hosted.match.over:
                await self._play(hosted, names, shown, seeds)
            elif hosted.head.result is None:  # earlier versions could leave an ended match without a result
                await self._finish(hosted)
            return played
        finally:
            self._hall.leave(hosted)

    async def _finish(self, hosted: HostedMatch) -> None:
        ended = Progress(hosted.name, "over", hosted.match.turn, updated=time.time())
        await self._hall.store.keep(ended, Finished(hosted.name, msgspec.json.encode(hosted.match.outcome)))

    async def _shown(self, name: str) -> str:
        """Return the name under which a player appears here; the protocol itself keeps to the player's own."""
        readable = name not in self._entrants or await self._hall.names.may_show(name, by="")
        return name if readable else f"{name}{STRANGER}"

    async def _play(
        self, hosted: HostedMatch, names: Mapping[Seat, str], shown: Mapping[Seat, str], seeds: Mapping[str, int]
    ) -> None:
        match = hosted.match
        here = [seat for seat in names if not match.is_removed(seat)]
        peers = {seat: self._entrants[names[seat]].peer for seat in here if names[seat] in self._entrants}
        table = self._dialect.table(RemoteMatch(hosted.name, match, names, peers, self._patience, self._spectators))
        players: dict[Seat, Player] = {
            seat: table.player(seat) if seat in peers else self._house_player(hosted.name, names[seat], seeds)
            for seat in here
        }
        if match.record:
            table.go_on()
        assert hosted.clock is not None
        if self._audience.of_matches:
            hosted.table.watch(SPECTATOR, lambda told: self._audience.told_of_match(hosted.name, told.event))
        hosted.table.follow(table)
        live = LiveTable(hosted.table, hosted.clock, players, names=shown)
        hosted.abandoned = live.failed
        await live.play()

    def _house_player(self, match: str, name: str, seeds: Mapping[str, int]) -> Player:
        from parlour.agents.house_specs import local_spec  # slow to import, and few tournaments need it

        spec = local_spec(self._game.name, self._agents[name])  # only the operator's settings name it
        lane = ThoughtLane(Thinker("", match), self._hall.places)
        return HouseAgent(spec.make(seeds[name]), lane)


class KnockOutTables:
    """Plays the matches of a knock-out, with the configuration and terms of its announcement."""

    def __init__(self, announced: Announced, game: Game, tables: RemoteTables) -> None:
        self._announced, self._game, self._tables = announced, game, tables

    async def play(self, sitting: Sitting, name: str) -> TableResult:
        """Play one match, stored under this name, and return its result."""
        announced = self._announced
        match = Match(self._game, announced.config, announced.terms, sitting.seed, name)
        names = dict(zip(self._game.seats(announced.config), sitting.players, strict=False))
        own = {player: seeds.hosted_player(sitting.seed, player) for player in sitting.players}
        return result_of((await self._tables.play(name, match, names, own)).events, names)
