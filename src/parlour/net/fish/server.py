"""The tournament server: holds one tournament after another, and resumes an interrupted one."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from parlour.core import seeds
from parlour.core.game import Game
from parlour.errors import RemoteWireError
from parlour.net.fish.dialect import Dialect, RemoteEntrant
from parlour.net.fish.lobby import Ticket
from parlour.net.fish.peer import Peer
from parlour.net.fish.settings import KNOCK_OUT, Settings
from parlour.net.fish.sign_up import Seated, SignUpDesk
from parlour.net.fish.tournament_matches import KnockOutTables, RemoteTables
from parlour.net.framing.listener import Listener
from parlour.net.hall import Hall
from parlour.store import Journal, RecordHead, Setting, SignUp, Store
from parlour.store.forgetful import ForgetfulStore
from parlour.tournament.knock_out.events import Announced, Departure, Entrant, TournamentEvent, TournamentResult
from parlour.tournament.knock_out.live_state import LiveState, check_tables
from parlour.tournament.knock_out.tournament import (
    KnockOutTournament,
    is_announced,
    open_journal,
    resume,
    unfinished_heads,
)
from parlour.tournament.reports.audience import Audience, Spectator
from parlour.tournament.strangers import StrangersTournament, hold

if TYPE_CHECKING:
    from parlour.net.fish.planned import ShowTable
    from parlour.tournament.results_state import ResultsState
    from parlour.tournament.storage.tournament_store import TournamentStore

TRIED = "tried"
"""Key of a test write, which shows that the store works."""

_log = logging.getLogger(__name__)


class CutShort(NamedTuple):
    """An unfinished tournament of an earlier server."""

    name: str
    tournament: StrangersTournament
    """The tournament, from its last state on."""


class TournamentServer:
    """Serves one game over one protocol. Call start, then run; cancel run to stop it."""

    def __init__(
        self,
        game: Game,
        dialect: Dialect,
        settings: Settings,
        *,
        hall: Hall | None = None,
        store: Store | None = None,
        spectators: Sequence[Spectator] = (),
        news: Callable[[str], None] = lambda line: None,
        show: ShowTable = lambda series, table: None,
    ) -> None:
        """Make a server; `news` receives a line per sign-up and departure, `show` the table of planned tournaments.

        Its matches are in `hall`; without one, in a new hall on `store`; without either, in memory.
        """
        settings.check()
        # Invalid settings and unknown agents fail here, not after players have signed up.
        check_tables(game, settings.config, settings.most)
        if settings.format != KNOCK_OUT:
            from parlour.net.fish.planned import plan_of  # slow to import

            few = [Entrant(f"player{number}") for number in range(settings.fewest)]
            plan_of(game, settings, "trial", few, 0, dialect.name)
        if settings.house:
            from parlour.agents.house_specs import local_spec

            local_spec(game.name, settings.house_agent).make(0)
        self.game = game
        self.settings = settings
        self._dialect = dialect
        self._own_hall = hall is None
        self._hall = hall or Hall(store or ForgetfulStore())
        self._store = self._hall.store
        self._spectators, self._news = spectators, news
        self._desk = SignUpDesk(dialect, settings, news)
        self._audience = Audience([*spectators, _News(self._desk, dialect)])
        self._show = show
        self._held = 0
        self._cut_short: CutShort | None = None
        self._listener = Listener(self._desk.door.accept, self._desk.door.limiter)
        self._listens, self._port = False, settings.port

    def renewed(self) -> TournamentServer:
        """Return a new server with the same settings and port, for when this one has ended."""
        settings = replace(self.settings, port=self._port)
        more: dict[str, Any] = {"spectators": self._spectators, "news": self._news, "show": self._show}
        more |= {"store": self._store} if self._own_hall else {"hall": self._hall}
        server = TournamentServer(self.game, self._dialect, settings, **more)
        server._held = self._held
        return server

    @property
    def port(self) -> int:
        """The port on which the server listens."""
        return self._listener.port

    @property
    def connections(self) -> int:
        """Number of connections."""
        return len(self._listener)

    @property
    def resuming(self) -> str | None:
        """The interrupted tournament that continues when its players have returned; None if there is none."""
        return None if self._cut_short is None else self._cut_short.name

    async def try_store(self) -> None:
        """Raise StoreError while nothing can be stored: a store on a full disk can still be read."""
        await self._store.keep(Setting(TRIED, b""))

    async def start(self) -> None:
        """Listen: players can sign up, and those of an interrupted tournament can return."""
        if self._own_hall:
            await self._hall.start()
        else:
            await self._store.fetch(self._store.setting, "")  # fails off the loop if the store does not answer
        self._cut_short = self._recall()
        await self._listener.open(self.settings.host, self.settings.port)
        self._listens, self._port = True, self._listener.port

    async def run(self, report: Callable[[TournamentResult | None], None] = lambda result: None) -> None:
        """Hold tournaments until cancelled; `report` receives each result, or None if there were too few players."""
        if not self._listens:
            await self.start()
        try:
            while self._cut_short is not None:
                report(await self._resume(self._cut_short))
                if self.settings.once:
                    return
                self._cut_short = self._recall()
            while True:
                tickets = await self._desk.gather()
                report(await self._hold(tickets) if tickets is not None else None)
                if self.settings.once:
                    return
        finally:
            await self.close()

    async def close(self) -> None:
        """Stop listening and close all connections."""
        self._listener.close()
        self._desk.close()
        await self._listener.emptied()
        if self._own_hall:
            await self._hall.close()

    async def _hold(self, tickets: Sequence[Ticket]) -> TournamentResult:
        """Hold one tournament, from its announcement to its result."""
        self._held += 1
        announced = self._announce(tickets)
        entrants = {
            ticket.name: self._dialect.entrant(self._desk.claim(ticket), self.settings.patience) for ticket in tickets
        }
        self._desk.seated = Seated(entrants, {ticket.name: ticket.digest for ticket in tickets})
        sign_ups = [
            SignUp(announced.tournament, ticket.name, ticket.arrival, ticket.digest, ticket.age) for ticket in tickets
        ]
        if announced.format == KNOCK_OUT:
            await self._store.keep(*sign_ups)
            return await self._play(self._knock_out(LiveState(announced), open_journal(self._store, announced)))
        return await self._play(await self._begin_planned(announced, sign_ups))

    async def _begin_planned(self, announced: Announced, sign_ups: Sequence[SignUp]) -> StrangersTournament:
        """Store the plan of a new tournament, with its sign-ups, and return the tournament."""
        from parlour.net.fish.planned import plan_of
        from parlour.tournament.results_state import ResultsState
        from parlour.tournament.storage.tournament_store import TournamentStore

        name, entrants = announced.tournament, announced.entrants
        plan = plan_of(self.game, self.settings, name, entrants, announced.seed, self._dialect.name)
        results_store = TournamentStore(self._store, plan)
        await self._store.keep(*results_store.opening(), *sign_ups)
        return self._planned(ResultsState(plan), results_store)

    def _planned(
        self, series: ResultsState, results_store: TournamentStore, departed: Mapping[str, Departure] | None = None
    ) -> StrangersTournament:
        """Return a tournament by a plan for the seated players; if it is resumed, without the departed ones."""
        from parlour.net.fish.planned import PlannedTournament

        assert self._desk.seated is not None
        entrants, name = self._desk.seated.entrants, series.plan.tournament
        tables = self._tables(name, series.plan.agents, again=departed is not None)
        return PlannedTournament(
            series, results_store, self._store, tables, entrants, self._audience, self._show, departed
        )

    def _knock_out(
        self, state: LiveState, journal: Journal[TournamentEvent], *, again: bool = False
    ) -> StrangersTournament:
        """Return a knock-out for the seated players; `again` if it is resumed."""
        announced = state.announced
        agents = {entrant.name: entrant.agent for entrant in announced.entrants}
        tables = KnockOutTables(announced, self.game, self._tables(announced.tournament, agents, again=again))
        return KnockOutTournament(state, tables.play, journal=journal, audience=self._audience)

    async def _play(self, tournament: StrangersTournament) -> TournamentResult:
        """Play a tournament from its last state to its end, with the seated players."""
        assert self._desk.seated is not None
        entrants = self._desk.seated.entrants
        become = self._dialect.silent_become
        try:
            return await hold(tournament, entrants, at_once=self.settings.at_once, silent_become=become)
        finally:
            for entrant in entrants.values():
                entrant.peer.close()
            self._desk.seated = None

    def _announce(self, tickets: Sequence[Ticket]) -> Announced:
        settings = self.settings
        missing = max(0, settings.fewest - len(tickets))
        taken = {ticket.name for ticket in tickets}
        free = (name for number in range(1, 10_000) if (name := f"house{number}") not in taken)
        house = [Entrant(next(free), settings.house_agent) for _ in range(missing)]
        return Announced(
            at=time.time(),
            tournament=f"{self.game.name}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}",
            game=self.game.name,
            config=settings.config,
            terms=settings.terms,
            format=settings.format,
            seed=secrets.randbits(63) if settings.seed is None else seeds.match_in_row(settings.seed, self._held - 1),
            # House agents are the youngest, as in the tournaments of the CS4500 course.
            entrants=(*house, *(Entrant(ticket.name) for ticket in tickets)),
            protocol=self._dialect.name,
        )

    def _tables(self, tournament: str, agents: Mapping[str, str], *, again: bool) -> RemoteTables:
        """Return the tables of a tournament with the seated players."""
        assert self._desk.seated is not None
        return RemoteTables(
            self.game,
            tournament,
            agents,
            self._dialect,
            self._desk.seated.entrants,
            self._hall,
            patience=self.settings.patience,
            spectators=self._desk.spectators,
            audience=self._audience,
            again=again,
        )

    def _recall(self) -> CutShort | None:
        """Return the oldest interrupted tournament, and reserve its players' seats; None if there is none."""
        if not self.settings.resume:
            return None
        for head in unfinished_heads(self._store, self.game.name):
            if (found := self._cut_short_of(head)) is not None:
                return found
        return None

    def _cut_short_of(self, head: RecordHead) -> CutShort | None:
        """Return an interrupted tournament; None if its players are agents, or use another protocol."""
        if is_announced(head):
            state, journal = resume(self._store, head.id)
            if state.announced.protocol != self._dialect.name:
                return None
            gone = {departure.name for departure in state.departed}
            self._expect_back(head.id, gone, decided=state.decided is not None)
            return CutShort(head.id, self._knock_out(state, journal, again=True))
        from parlour.net.fish.planned import departed_from
        from parlour.tournament.storage.tournament_store import is_between_agents, read

        if is_between_agents(head):
            return None
        series, results_store = read(self._store, head.id)
        if series.plan.protocol != self._dialect.name:
            return None
        departed = departed_from(self._store, series)
        seated = self._expect_back(head.id, (), decided=series.over)
        for name in departed.keys() & seated.entrants:  # departed players lose their matches
            seated.entrants[name].peer.close()
        return CutShort(head.id, self._planned(series, results_store, departed))

    def _expect_back(self, tournament: str, gone: Container[str], *, decided: bool) -> Seated:
        """Reserve the seats of all who signed up for a tournament and have not left it."""
        digests = {sign_up.name: sign_up.digest for sign_up in self._store.sign_ups(tournament)}
        entrants = {
            name: self._dialect.entrant(Peer(name, grace=self._desk.grace), self.settings.patience)
            for name in digests
            if name not in gone
        }
        self._desk.seated = seated = Seated(entrants, digests, returning=True, decided=decided)
        return seated

    async def _resume(self, cut_short: CutShort) -> TournamentResult:
        """Continue an interrupted tournament with the players who return."""
        seated = self._desk.seated
        assert seated is not None
        _log.info("resuming %s: %d players may come back", cut_short.name, len(seated.entrants))
        await self._desk.await_return(seated)
        seated.returning = False
        async with asyncio.TaskGroup() as greetings:
            for entrant in seated.entrants.values():
                greetings.create_task(_welcome_back(entrant))
        return await self._play(cut_short.tournament)


class _News:
    """Sends remote spectators the events of a tournament; events of matches come from the tables."""

    def __init__(self, desk: SignUpDesk, dialect: Dialect) -> None:
        self._desk = desk
        self._dialect = dialect

    def told(self, event: TournamentEvent) -> None:
        text = self._dialect.spectator_news(event)
        for spectator in tuple(self._desk.spectators) if text is not None else ():
            spectator.send(text or b"")


async def _welcome_back(entrant: RemoteEntrant) -> None:
    """Greet a returned player; a player who did not return, or leaves again, is out."""
    try:
        if not entrant.peer.present:
            raise ConnectionResetError("did not come back")
        await entrant.welcome_back()
    except (ConnectionError, RemoteWireError, TimeoutError) as error:
        _log.info("%s: %s", entrant.peer.name, error)
        entrant.peer.close()
