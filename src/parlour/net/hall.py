"""The hall: where all matches of a server stand. It opens, finds, wakes them and puts them to sleep.

A match that nobody uses has no task and no memory: it lies in the store until an intent, a viewer or its deadline wakes
it. The hall knows no protocol and nobody's rights; doors come to it through sessions.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.intents import Intent
from parlour.core.player import Told
from parlour.core.viewers import Viewer
from parlour.errors import ConfigError, ConflictError, StoreError
from parlour.games import load_game
from parlour.net.deadlines import Deadlines
from parlour.net.denials import bad_value, closing, match_exists, too_many, unknown_match
from parlour.net.hosted import HostedMatch, Sitter
from parlour.net.house import type_of
from parlour.net.setup import About, HallLimits, MatchSetup
from parlour.net.views import MatchView, view_of
from parlour.referee.gallery import Watcher
from parlour.referee.match import Match
from parlour.referee.past import Past
from parlour.referee.table import Answer
from parlour.store import Filter, Page, Permission, RecordHead, RecordKind, Seating, Store, read_events

MOST_DUES = 10_000
"""Deadlines of sleeping matches that are in memory; those after them are read when these have passed."""

_log = logging.getLogger(__name__)
_EVERYTHING = Filter(kind=RecordKind.MATCH)
_STANDARD = HallLimits()


class Hall:
    """All matches of a server, on one store and one event loop. start it before use, and close it."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time, limits: HallLimits = _STANDARD) -> None:
        self.store = store
        self.limits = limits
        self._clock = clock
        self._awake: dict[str, HostedMatch] = {}
        self._waking: dict[str, asyncio.Task[HostedMatch]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._deadlines = Deadlines(clock, self._due)
        self._places = asyncio.Semaphore(limits.thinking)
        self._closing = False

    async def start(self) -> None:
        """Learn from the store what is due, and begin to watch the time."""
        for due, match in await self.store.fetch(self.store.dues, MOST_DUES):
            self._deadlines.set(match, due)
        self._deadlines.start()

    async def close(self) -> None:
        """Take nothing more in, and wait until all that happened is stored."""
        self._closing = True
        self._deadlines.stop()
        for hosted in tuple(self._awake.values()):
            await hosted.table.settled()
            hosted.close()
        self._awake.clear()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def now(self) -> float:
        """The time by which deadlines are kept, in Unix seconds."""
        return self._clock()

    # Opening and finding

    async def open(self, setup: MatchSetup, *, owner: str = "") -> str:
        """Open a new match; its name. Denied if that cannot be."""
        self._refuse_if_closing()
        setup.check()
        unfinished = Filter(kind=RecordKind.MATCH, unfinished=True)
        if await self.store.fetch(self.store.count, unfinished) >= self.limits.matches:
            raise too_many("matches", self.limits.matches)
        name = setup.match or self._new_name(setup.game)
        try:
            game = load_game(setup.game)
            seed = secrets.randbits(63) if setup.seed is None else setup.seed
            match = Match(game, setup.config, setup.terms, seed, name)
        except ConfigError as error:
            raise bad_value(str(error)) from None
        about = msgspec.json.encode(About(setup.delay, setup.listed, setup.extras))
        now = self._clock()
        head = RecordHead(
            name,
            RecordKind.MATCH,
            game.name,
            opened=now,
            owner=owner,
            title=setup.title,
            password=setup.password,
            about=about,
            updated=now,
        )
        hosted = self._host(head, match, 0, {}, {})
        try:
            await hosted.table.open()
        except ConflictError:
            raise match_exists(name) from None
        self._keep_awake(hosted)
        for seat, spec in setup.agents.items():
            answer = await self.seat_agent(name, seat, spec)
            if answer.refusal is not None:
                raise bad_value(f"agents: {seat}: {answer.refusal.reason}")
        return name

    async def head(self, match: str) -> RecordHead:
        """The head of a match; Denied if there is none."""
        if (hosted := self._awake.get(match)) is not None:
            return hosted.head
        head = await self.store.fetch(self.store.head, match)
        if head is None or head.kind is not RecordKind.MATCH:
            raise unknown_match(match)
        return head

    async def page(
        self,
        wanted: Filter = _EVERYTHING,
        *,
        limit: int = 100,
        after: int | None = None,
        newest_first: bool = True,
    ) -> Page:
        """Heads of matches, without reading a record."""
        wanted = msgspec.structs.replace(wanted, kind=RecordKind.MATCH)
        return await self.store.fetch(self.store.page, wanted, limit=limit, after=after, newest_first=newest_first)

    # Intents

    async def handle(self, match: str, intent: Intent) -> Answer:
        """Hand in an intent; answered when what followed is durable and told, or with the refusal of that very intent.

        Denied if there is no such match; StoreError if nothing can be kept now.
        """
        hosted = await self.wake(match)
        return await self._handle(hosted, intent)

    async def join(self, match: str, intent: it.Join | it.Substitute, account: str = "") -> Answer:
        """The same for somebody who sits down: whose seat it is is stored together with what follows."""
        hosted = await self.wake(match)
        answer = await self._handle(hosted, intent, Sitter(intent.name, account))
        if answer.refusal is None and intent.seat is not None:
            hosted.dismiss_agent(intent.seat)
        return answer

    async def seat_agent(self, match: str, seat: Seat, spec: str) -> Answer:
        """Let an agent of the house take a vacant seat; Denied if there is no such agent."""
        hosted = await self.wake(match)
        try:
            agent = hosted.make_agent(seat, spec)
            undo = hosted.seat_agent(seat, agent)
        except ConfigError as error:
            raise bad_value(str(error)) from None
        join = it.Join(spec, seat, type_of(agent))
        answer = await self._handle(hosted, join, Sitter(spec, agent=spec))
        if answer.refusal is not None:
            undo()
        return answer

    async def permit(self, hosted: HostedMatch, permission: Permission) -> None:
        """Appoint an account to something in a match, or to nothing any more."""
        await self.store.keep(permission)
        hosted.roles[permission.account] = permission.role

    # Looking

    async def watch(self, match: str, viewer: Viewer, watcher: Watcher, since: int | None = None) -> Callable[[], None]:
        """Tell the watcher what the viewer may see: from number since of its view on (None: only what is to come).

        Nothing is left out and nothing told twice. Call what is returned to end it.
        """
        hosted = await self.wake(match)
        if hosted.watchers >= self.limits.watchers:
            raise too_many("watchers of this match", self.limits.watchers)
        table, waiting = hosted.table, list[Told]()
        tell: Watcher = waiting.append
        first = table.seen(viewer)
        unwatch = table.watch(viewer, lambda told: tell(told))
        hosted.watchers += 1

        def end() -> None:
            nonlocal unwatch
            unwatch()
            unwatch = _nothing
            hosted.watchers -= 1
            hosted.used = asyncio.get_running_loop().time()

        try:
            if since is not None and since < first:
                for told in (await self.past(match)).told(viewer, since):
                    if told.k < first:
                        watcher(told)
            for told in waiting:
                watcher(told)
        except BaseException:
            end()
            raise
        tell = watcher
        return end

    async def view(self, match: str, viewer: Viewer) -> MatchView:
        """The match as it stands, as the viewer may see it."""
        hosted = await self.wake(match)
        await hosted.table.settled()  # what is not durable has not happened
        return view_of(hosted.head, hosted.match, viewer, hosted.table.seen(viewer), self._clock())

    async def past(self, match: str) -> Past:
        """All that has happened; what of it is shown to whom is the caller's to ask."""
        head = await self.head(match)
        events = await self.store.fetch(read_events, self.store, match)
        return Past(load_game(head.game), events)

    async def record(self, match: str) -> list[Event]:
        """The record as it is stored."""
        await self.head(match)
        return await self.store.fetch(read_events, self.store, match)

    # Waking and sleeping

    async def wake(self, match: str) -> HostedMatch:
        """The match, in memory; Denied if there is none."""
        self._refuse_if_closing()
        hosted = self._awake.get(match)
        if hosted is None:
            waking = self._waking.get(match)
            if waking is None:
                waking = self._waking[match] = asyncio.ensure_future(self._wake(match))
                waking.add_done_callback(lambda _: self._waking.pop(match, None))
            hosted = await asyncio.shield(waking)
        hosted.used = asyncio.get_running_loop().time()
        return hosted

    def sleep(self, match: str) -> bool:
        """Put a match to sleep, unless somebody uses it; whether it sleeps now."""
        hosted = self._awake.get(match)
        if hosted is None:
            return True
        if hosted.watchers or hosted.busy:
            return False
        hosted.close()
        del self._awake[match]
        return True

    @property
    def awake(self) -> int:
        """How many matches are in memory."""
        return len(self._awake)

    async def _wake(self, match: str) -> HostedMatch:
        head = await self.store.fetch(self.store.head, match)
        if head is None or head.kind is not RecordKind.MATCH:
            raise unknown_match(match)
        events, seating, roles = await self.store.fetch(self._read, match)
        hosted = self._host(head, Match.resume(events), len(events), seating, roles)
        self._keep_awake(hosted)
        await hosted.wake_agents()
        return hosted

    def _read(self, match: str) -> tuple[list[Event], dict[Seat, Seating], dict[str, str]]:
        """What the store knows of a match; called in a thread of the store's."""
        return (
            read_events(self.store, match),
            {Seat(sitting.seat): sitting for sitting in self.store.seating(match)},
            {permission.account: permission.role for permission in self.store.permissions(match)},
        )

    def _host(
        self, head: RecordHead, match: Match, length: int, seating: dict[Seat, Seating], roles: dict[str, str]
    ) -> HostedMatch:
        return HostedMatch(
            self.store, head, match, length, seating, roles, now=self._clock, spawn=self._spawn, places=self._places
        )

    def _keep_awake(self, hosted: HostedMatch) -> None:
        self._awake[hosted.head.id] = hosted
        hosted.table.follow(_Follower(self, hosted))
        self._deadlines.set(hosted.head.id, hosted.match.due())

    async def _handle(self, hosted: HostedMatch, intent: Intent, sitter: Sitter | None = None) -> Answer:
        try:
            return await hosted.handle(intent, sitter)
        except StoreError:
            self._give_up(hosted)
            raise

    def _give_up(self, hosted: HostedMatch) -> None:
        """What could not be stored has not happened: the match is read again when somebody wants it."""
        hosted.close()
        if self._awake.get(hosted.head.id) is hosted:
            del self._awake[hosted.head.id]

    # Time

    def _due(self, match: str) -> None:
        self._spawn(self._tick(match))

    async def _tick(self, match: str) -> None:
        hosted = await self.wake(match)
        try:
            await hosted.table.tick()
        except StoreError as error:
            _log.warning("match %s: %s", match, error)
            self._give_up(hosted)

    def rest(self, hosted: HostedMatch) -> None:
        """Something happened in a match: look when the next thing is due."""
        self._deadlines.set(hosted.head.id, hosted.match.due())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("something went wrong in the hall: %r", error)

    def _refuse_if_closing(self) -> None:
        if self._closing:
            raise closing()

    def _new_name(self, game: str) -> str:
        return f"{game}-{time.strftime('%Y%m%d', time.gmtime(self._clock()))}-{secrets.token_hex(4)}"


class _Follower:
    """Lets the hall know that something happened in a match."""

    def __init__(self, hall: Hall, hosted: HostedMatch) -> None:
        self._hall = hall
        self._hosted = hosted

    def reacted(self, reaction: Any) -> None:
        self._hall.rest(self._hosted)


def _nothing() -> None:
    pass
