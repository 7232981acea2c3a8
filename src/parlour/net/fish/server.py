"""The tournament server: runs tournament after tournament, and resumes one that was cut short."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from parlour.core.game import Game
from parlour.errors import RemoteWireError
from parlour.net.fish.desk import Seated, SignUpDesk
from parlour.net.fish.dialect import Dialect, RemoteEntrant
from parlour.net.fish.lobby import Ticket
from parlour.net.fish.peer import Peer
from parlour.net.fish.settings import Settings
from parlour.net.fish.tables import Lodge, RemoteTables, unseen
from parlour.net.framing.listener import Listener
from parlour.store import Journal, Setting, SignUp, Store
from parlour.tournament.audience import Audience, Spectator
from parlour.tournament.course import Course
from parlour.tournament.events import Announced, Entrant, TournamentEvent
from parlour.tournament.formats import check_tables
from parlour.tournament.runner import Runner, open_journal, resume, unfinished
from parlour.tournament.values import TournamentResult

TRIED = "tried"
"""What is kept to find out whether anything can be."""

_log = logging.getLogger(__name__)


class TournamentServer:
    """Serves one game over one protocol. start, then run; end it by cancelling run."""

    def __init__(
        self,
        game: Game,
        dialect: Dialect,
        settings: Settings,
        *,
        store: Store | None = None,
        spectators: Sequence[Spectator] = (),
        news: Callable[[str], None] = lambda line: None,
    ) -> None:
        """A server that is yet to be started; news gets a line whenever somebody signs up or goes again."""
        settings.check()
        # What cannot be played or who does not exist is told now, not when players have come.
        check_tables(game, settings.config, settings.most)
        if settings.house:
            from parlour.agents import make_agent

            make_agent(game.name, settings.house_agent, 0)
        self.game = game
        self.settings = settings
        self._dialect = dialect
        self._store = store
        self._spectators, self._news = spectators, news
        self._desk = SignUpDesk(dialect, settings, news)
        self._audience = Audience([*spectators, _News(self._desk, dialect)])
        self._held = 0
        self._cut_short: tuple[Course, Journal[TournamentEvent]] | None = None
        self._listener = Listener(
            self._desk.door.accept, most=settings.connections, make_room=self._desk.door.make_room
        )
        self._listens, self._port = False, settings.port
        self.lodge: Lodge = unseen
        """Shows the tables to those who come by another door."""

    def renewed(self) -> TournamentServer:
        """The same server, for the time after this one has ended: on the same port, with nobody signed up."""
        settings = replace(self.settings, port=self._port)
        more: dict[str, Any] = {"store": self._store, "spectators": self._spectators, "news": self._news}
        server = TournamentServer(self.game, self._dialect, settings, **more)
        server._held, server.lodge = self._held, self.lodge
        return server

    @property
    def port(self) -> int:
        """Where the server listens."""
        return self._listener.port

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._listener)

    @property
    def resuming(self) -> str | None:
        """The tournament that was cut short and goes on when its players are back."""
        return None if self._cut_short is None else self._cut_short[0].announced.tournament

    async def try_store(self) -> None:
        """StoreError as long as nothing can be kept: a store on a full disk still answers who reads."""
        if self._store is not None:
            await self._store.keep(Setting(TRIED, b""))

    async def start(self) -> None:
        """Listen: from now on players can sign up, and those of a tournament that was cut short can come back."""
        if self._store is not None:
            await self._store.fetch(self._store.setting, "")  # lest the loop wait for a store that does not answer
        self._cut_short = self._recall()
        await self._listener.open(self.settings.host, self.settings.port)
        self._listens, self._port = True, self._listener.port

    async def run(self, report: Callable[[TournamentResult | None], None] = lambda result: None) -> None:
        """Hold tournaments until told to stop; report gets each result, or None if there were too few players."""
        if not self._listens:
            await self.start()
        try:
            while self._cut_short is not None:
                report(await self._resume(*self._cut_short))
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
        """Listen no more and send everyone home."""
        self._listener.close()
        self._desk.close()
        await self._listener.emptied()

    async def _hold(self, tickets: Sequence[Ticket]) -> TournamentResult:
        """One tournament from its announcement to its result."""
        self._held += 1
        announced = self._announce(tickets)
        entrants = {
            ticket.name: self._dialect.entrant(self._desk.claim(ticket), self.settings.patience) for ticket in tickets
        }
        self._desk.seated = Seated(entrants, {ticket.name: ticket.digest for ticket in tickets})
        journal: Journal[TournamentEvent] | None = None
        if self._store is not None:
            journal = open_journal(self._store, announced)
            sign_ups = (
                SignUp(announced.tournament, ticket.name, ticket.arrival, ticket.digest, ticket.age)
                for ticket in tickets
            )
            await self._store.keep(*sign_ups)
        return await self._play(Course(announced), journal)

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
            format="knock-out",  # in which nobody sits at two tables at once
            seed=secrets.randbits(63) if settings.seed is None else settings.seed + self._held - 1,
            # Players of the house are the youngest, as in the course.
            entrants=(*house, *(Entrant(ticket.name) for ticket in tickets)),
            protocol=self._dialect.name,
        )

    async def _play(self, course: Course, journal: Journal[TournamentEvent] | None) -> TournamentResult:
        """Play a tournament from wherever it stands to its end, with those who are seated."""
        assert self._desk.seated is not None
        entrants = self._desk.seated.entrants
        tables = RemoteTables(
            self.game,
            course.announced,
            self._dialect,
            entrants,
            patience=self.settings.patience,
            spectators=self._desk.spectators,
            audience=self._audience,
            store=self._store,
            lodge=self.lodge,
        )
        runner = Runner(
            course,
            entrants,
            tables.play,
            journal=journal,
            audience=self._audience,
            at_once=self.settings.at_once,
            silent_become=self._dialect.silent_become,
        )
        try:
            return await runner.run()
        finally:
            for entrant in entrants.values():
                entrant.peer.close()
            self._desk.seated = None

    def _recall(self) -> tuple[Course, Journal[TournamentEvent]] | None:
        """The oldest tournament that was cut short, its players expected back; None if there is none."""
        if self._store is None or not self.settings.resume:
            return None
        for tournament in unfinished(self._store, self.game.name):
            course, journal = resume(self._store, tournament)
            if course.announced.protocol != self._dialect.name:
                continue  # its players speak something else
            digests = {sign_up.name: sign_up.digest for sign_up in self._store.sign_ups(tournament)}
            gone = {departure.name for departure in course.departed}
            entrants = {
                name: self._dialect.entrant(Peer(name, grace=self._desk.grace), self.settings.patience)
                for name in digests
                if name not in gone
            }
            self._desk.seated = Seated(entrants, digests, returning=True, decided=course.decided is not None)
            return course, journal
        return None

    async def _resume(self, course: Course, journal: Journal[TournamentEvent]) -> TournamentResult:
        """Go on with a tournament that was cut short, with those who come back."""
        seated = self._desk.seated
        assert seated is not None
        _log.info("resuming %s: %d players may come back", course.announced.tournament, len(seated.entrants))
        await self._desk.await_return(seated)
        seated.returning = False
        async with asyncio.TaskGroup() as greetings:
            for entrant in seated.entrants.values():
                greetings.create_task(_welcome_back(entrant))
        return await self._play(course, journal)


class _News:
    """Tells remote spectators what happens in a tournament; what happens in matches they hear from the tables."""

    def __init__(self, desk: SignUpDesk, dialect: Dialect) -> None:
        self._desk = desk
        self._dialect = dialect

    def told(self, event: TournamentEvent) -> None:
        text = self._dialect.spectator_news(event)
        for spectator in tuple(self._desk.spectators) if text is not None else ():
            spectator.send(text or b"")


async def _welcome_back(entrant: RemoteEntrant) -> None:
    """Greet a player who came back; who did not, or leaves again, is gone for good."""
    try:
        if not entrant.peer.present:
            raise ConnectionResetError("did not come back")
        await entrant.welcome_back()
    except (ConnectionError, RemoteWireError, TimeoutError) as error:
        _log.info("%s: %s", entrant.peer.name, error)
        entrant.peer.close()
