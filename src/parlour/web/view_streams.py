"""A view stream is one view of one match for any number of pages: each event is encoded once for all of them.

Pages that come late get a snapshot: what matters of the past, the last turn drawn, older turns by name until a page
asks for them. A page that reads too slowly loses its queue and gets a snapshot instead.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from parlour.core import events as ev
from parlour.core.game import Game, Plain, Position, Seat
from parlour.core.pictures import Frame, Pictures
from parlour.core.player import ObservedEvent
from parlour.core.viewers import Viewer
from parlour.net.fair_pool import using_up
from parlour.net.permission_errors import bad_value
from parlour.web.event_stream import Teller, Telling, table_changes
from parlour.web.packets import Packet, packet

QUEUE = 256
"""Maximum number of events that wait for one page; with more, the page gets a snapshot."""

TURNS_AT_ONCE = 8
"""Maximum number of old turns per request of a page."""

DRAWN = 64
"""Number of old turns of a stream that stay drawn in memory."""


Aside: TypeAlias = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Calls a function off the loop."""


class PlayedTurn(NamedTuple):
    """Values that are needed to draw a turn later."""

    before: Position
    after: Position
    event: ev.TurnEnded


class PageQueue:
    """The queue of one page: events as packets, or a pending snapshot."""

    def __init__(self) -> None:
        self.send_now: Callable[[bytes], bool] | None = None
        """Writes a frame to the page's socket at once; returns False if it has to wait."""
        self._waiting: deque[Packet] = deque()
        self._ready = asyncio.Event()
        self._idle = False
        """True while the writer waits and no packet is left; without it no writer needs to be woken."""
        self.stale = False
        """True if packets were dropped, so that the page needs a snapshot."""
        self.expelled = False
        """True if the page may no longer see this view."""

    def put(self, message: Packet) -> None:
        """Queue a message for the page; never waits."""
        if self.stale:
            return
        if self._idle and self.send_now is not None and self.send_now(message["frame"]):
            return
        self._idle = False
        if len(self._waiting) >= QUEUE:
            self._waiting.clear()
            self.stale = True
        else:
            self._waiting.append(message)
        self._ready.set()

    def expel(self) -> None:
        """Send nothing more of this view to the page."""
        self._waiting.clear()
        self.expelled = self.stale = True
        self._ready.set()

    def freshen(self) -> None:
        """Drop the waiting messages: a snapshot that contains them is about to be sent."""
        self._waiting.clear()
        self.stale = self.expelled

    async def get(self) -> Packet | None:
        """Wait for the next message and return it; None if the page needs a snapshot instead."""
        while not self._waiting and not self.stale:
            self._ready.clear()
            self._idle = True
            await self._ready.wait()
        self._idle = False
        return None if self.stale else self._waiting.popleft()


class ViewStream:
    """One view of one match."""

    def __init__(
        self,
        game: Game,
        viewer: Viewer,
        *,
        opening: Aside = asyncio.to_thread,
        aside: Aside = asyncio.to_thread,
    ) -> None:
        """Make a stream. `opening` draws the past, in the opening page's turn; `aside` draws later events."""
        self.teller = Teller(game, viewer.seats)
        self.viewer = viewer
        self.next = 0
        """Number of the next event to send."""
        self.encoded = 0
        """Number of encoded events; each is encoded once, however many pages there are."""
        self._opening, self._aside = opening, aside
        self._lines: list[Telling] = []
        self._lasting = 0
        """Number of leading `_lines` that need not be examined again when a turn ends."""
        self._turns: dict[int, PlayedTurn] = {}
        self._drawn: OrderedDict[int, Plain] = OrderedDict()
        self._began: tuple[int, Frame] | None = None
        """The last turn that a page asked for, with its first position as drawn."""
        self._inbox: deque[ObservedEvent] = deque()
        self._news = asyncio.Event()
        self._ready = asyncio.Event()
        self._pages: set[PageQueue] = set()
        self._worker: asyncio.Task[None] | None = None
        self._past = self._heard = self._turned = 0
        self._history: list[dict[str, float]] = []

    # Input

    def take(self, told: ObservedEvent) -> None:
        """Queue an event of the view, without waiting."""
        self._inbox.append(told)
        self._heard = told.k + 1
        self._news.set()

    @property
    def heard(self) -> int:
        """Return the number of the next event. A delayed event counts once the hall has released it."""
        return self._heard

    def start(self) -> None:
        """Begin to send: all of the past has been processed."""
        self._past = len(self._inbox)
        self._worker = asyncio.get_running_loop().create_task(self._work())

    async def ready(self) -> None:
        """Wait until the past is processed."""
        worker = self._worker
        assert worker is not None
        waiting = asyncio.ensure_future(self._ready.wait())
        await asyncio.wait((waiting, worker), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if worker.done():
            worker.result()

    def close(self) -> None:
        """Send nothing more."""
        if self._worker is not None:
            self._worker.cancel()

    async def _work(self) -> None:
        past = [self._inbox.popleft() for _ in range(self._past)]
        await self._opening(using_up(self._catch_up, past))
        self._ready.set()
        while True:
            while self._inbox:
                await self._tell(self._inbox.popleft())
            self._news.clear()
            await self._news.wait()

    def _catch_up(self, past: list[ObservedEvent]) -> None:
        ends = [told for told in past if isinstance(told.event, ev.TurnEnded)]
        for told in past:
            self._add(*self._line(told, draw=told in ends[-1:]))

    async def _tell(self, told: ObservedEvent) -> None:
        if told.view.position is not self.teller.position:  # drawing a position is too slow for the loop
            line, turn = await self._aside(partial(self._line, told, draw=True))
        else:
            line, turn = self._line(told, draw=True)
        # From here on nothing else runs: a joining page finds the line in the past, or receives it, and never both.
        self._add(line, turn)
        if self._pages:
            message = packet(line)
            self.encoded += 1
            for page in self._pages:
                page.put(message)

    def _line(self, told: ObservedEvent, *, draw: bool) -> tuple[Telling, PlayedTurn | None]:
        """Return the message of an event, and the turn that it ended, if it ended one."""
        before, event = self.teller.position, told.event
        line = self.teller.tell(event, told.view, k=told.k, draw=draw)
        after = self.teller.position
        if not isinstance(event, ev.TurnEnded) or before is None or after is None:
            return line, None
        return line, PlayedTurn(before, after, event)

    def _add(self, line: Telling, turn: PlayedTurn | None) -> None:
        if isinstance(line.e, ev.TurnEnded):
            if turn is not None:
                self._turns[line.e.turn] = turn
            self._age()
            self._turned = line.k
        self._lines.append(line)
        self.next = line.k + 1

    def _age(self) -> None:
        """Drop the events that mattered only in the turn before."""
        recent = self._lines[self._lasting :]
        self._lines[self._lasting :] = [self._aged(one) for one in recent if not one.e.fleeting]
        self._lasting = len(self._lines)

    def _aged(self, line: Telling) -> Telling:
        """Return an event of an earlier turn: the turn is named but not drawn, and the table is left out."""
        event = line.e
        if not isinstance(event, ev.TurnEnded) or "frame" not in line.x or self.teller.pictures is None:
            return Telling(line.k, event, line.x) if line.t else line
        turn = self._turns[event.turn]
        kept = {name: value for name, value in line.x.items() if name not in ("frame", "turn")}
        return Telling(line.k, event, {**kept, "old": self.teller.pictures.label(turn.before, event.turn)})

    # Output

    def join(self) -> PageQueue:
        """Add a page, which receives everything from now on."""
        page = PageQueue()
        self._pages.add(page)
        return page

    def leave(self, page: PageQueue) -> None:
        """Remove a page."""
        self._pages.discard(page)

    @property
    def pages(self) -> int:
        """Return the number of pages."""
        return len(self._pages)

    def past(self) -> list[Telling]:
        """Return the snapshot for a page that joins now; tables between the old events are left out."""
        lines = self._lines.copy()
        last = lines[self._lasting] if self._lasting < len(lines) else None
        if last is not None and "turn" in last.x and self.teller.pictures is not None:
            # The turn before it is not drawn, so the position it began in has to come along.
            assert isinstance(last.e, ev.TurnEnded)
            if self._began is None or self._began[0] != last.e.turn:
                self._began = last.e.turn, self.teller.pictures.frame(self._turns[last.e.turn].before)
            lines[self._lasting] = Telling(last.k, last.e, {**last.x, "before": self._began[1]})
        return lines

    def table(self) -> dict[str, Plain]:
        """Return the whole table, for a page that joins now."""
        return {} if self.teller.view is None else table_changes(None, self.teller.view)

    def since(self, number: int) -> list[Telling] | None:
        """Return the events since that number for a page that has all before; None if too many, or no longer kept."""
        if not max(0, self._turned) <= number <= self.next or self.next - number > QUEUE:
            return None
        missed = self._lines[bisect_left(self._lines, number, key=_number) :]
        return missed if [one.k for one in missed] == list(range(number, self.next)) else None

    async def foresee(self, seat: Seat, orders: Sequence[str]) -> list[str]:
        """Return a sentence for each promise of a seat that these orders would break."""
        found: list[str] = await self._aside(partial(self.teller.foreseen, seat, orders))
        return found

    def at_turn(self, turn: int) -> tuple[Position, Mapping[str, Plain]]:
        """Return the position in which a turn began, and its orders; a running turn has none yet."""
        played = self._turns.get(turn)
        if played is not None:
            return played.before, played.event.actions
        if self.teller.position is None:
            raise bad_value("the match has not started")
        return self.teller.position, {}

    async def history(self) -> list[dict[str, float]]:
        """Return the scores of each seat after every turn: centres or fish."""
        if (pictures := self.teller.pictures) is None:
            return []
        if missing := [*self._turns.values()][len(self._history) :]:
            known = len(self._history)
            more = await self._aside(partial(_scores, pictures, missing))
            self._history[known:] = more
        return self._history

    async def turns(self, first: int, last: int) -> list[Plain]:
        """Return old turns, drawn; an empty list for a game without pictures."""
        if (pictures := self.teller.pictures) is None:
            return []
        wanted = [turn for turn in range(first, min(last, first + TURNS_AT_ONCE - 1) + 1) if turn in self._turns]
        drawn = {turn: self._drawn[turn] for turn in wanted if turn in self._drawn}
        if missing := {turn: self._turns[turn] for turn in wanted if turn not in drawn}:
            drawn |= await self._aside(partial(_drawn, pictures, missing))
            self._drawn |= {turn: drawn[turn] for turn in missing}
            while len(self._drawn) > DRAWN:
                self._drawn.popitem(last=False)
        return [drawn[turn] for turn in wanted]


def _number(line: Telling) -> int:
    return line.k


def _scores(pictures: Pictures, turns: Sequence[PlayedTurn]) -> list[dict[str, float]]:
    """Return the first score of each seat after each turn."""
    return [
        {
            seat: next(iter(own.values()), 0)
            for seat, own in pictures.frame(turn.after).scores.items()
            if isinstance(own, dict)
        }
        for turn in turns
    ]


def _drawn(pictures: Pictures, turns: Mapping[int, PlayedTurn]) -> dict[int, Plain]:
    found: dict[int, Plain] = {}
    for number, (before, after, event) in turns.items():
        turning = pictures.turning(before, after, event)
        frame = pictures.frame(after if pictures.sheet(before).after else before)
        found[number] = {"turn": number, "frame": frame, "results": turning.results, "moved": turning.moved}
    return found
