"""The pulse of a server: notices for how long nobody could act, because it was down, stalled, or the machine slept.

Every so often the hall writes down that it is alive. What lies between two signs of life is downtime: after a restart
the stretch since the last one, while it runs every stretch in which the loop did not get to beat. So a killed server,
a suspended machine, a clock that was set forward and a busy loop are all the same thing, and count against nobody.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import msgspec

from parlour.errors import StoreError
from parlour.net.steady import SteadyClock
from parlour.store import Setting, Store

BEAT = 0.25
"""Seconds between two beats; being late by less counts as being in time."""
WRITTEN = 5.0
"""Seconds between two signs of life in the store."""
NOTABLE = 1.0
"""Seconds of standing still that are remembered for matches that sleep; their deadlines are far."""
MOST_DOWNTIMES = 1000
"""Downtimes that are remembered."""
ALIVE, DOWNTIMES = "alive", "downtimes"

_log = logging.getLogger(__name__)
_intervals = msgspec.json.Decoder(list[tuple[float, float]])


class Pulse:
    """Beats while the hall runs, and knows when it did not."""

    def __init__(
        self, store: Store, now: SteadyClock, stalled: Callable[[float], None], spawn: Callable[..., object]
    ) -> None:
        self._store = store
        self._now = now
        self._stalled = stalled
        """Called with the seconds for which everything stood still, at the end of them."""
        self._spawn = spawn
        self._expected = 0.0
        self._written = 0.0
        self._writing = self._failing = False
        self._downtimes: list[tuple[float, float]] = []
        self._timer: asyncio.TimerHandle | None = None
        self.overrun = 0.0
        """Seconds by which a server on this store was ahead of us, because one of the clocks was wrong."""

    async def start(self) -> float:
        """Begin to beat; the seconds for which no server was alive before."""
        alive = await self._store.fetch(self._store.setting, ALIVE)
        kept = await self._store.fetch(self._store.setting, DOWNTIMES)
        self._downtimes = _intervals.decode(kept) if kept else []
        if alive is not None:
            self._now.go_on_from(float(alive))
        now = self._now()
        down = 0.0
        if alive is not None and (down := now - float(alive)) > 0:
            self._downtimes.append((float(alive), now))
        self.overrun = max(0.0, -down)
        await self._sign(now)
        self._expected = now + BEAT
        self._timer = asyncio.get_running_loop().call_later(BEAT, self._beat)
        return max(0.0, down)

    async def stop(self) -> None:
        """Write down that we were alive until now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            await self._sign(self._now())

    def look(self) -> float:
        """Notice at once if everything has stood still; whoever judges somebody late looks first. Gives the time."""
        now = self._now()
        late = now - self._expected
        if late > BEAT and self._timer is not None:
            began = self._expected - BEAT
            self._expected = now + BEAT
            if late >= NOTABLE:
                self._downtimes.append((began, now))
                self._written = 0.0
            self._stalled(now - began)
        return now

    def between(self, since: float, until: float) -> float:
        """For how many seconds between two moments nobody could act."""
        return sum(max(0.0, min(end, until) - max(begin, since)) for begin, end in self._downtimes)

    def _beat(self) -> None:
        now = self.look()
        self._expected = now + BEAT
        self._timer = asyncio.get_running_loop().call_later(BEAT, self._beat)
        if now - self._written >= WRITTEN and not self._writing:
            self._spawn(self._write(now))

    async def _write(self, now: float) -> None:
        self._writing = True
        try:
            await self._sign(now)
            self._failing = False
        except StoreError as error:
            if not self._failing:  # said once, until it works again
                _log.warning("the hall cannot write down that it is alive: %s", error)
            self._failing = True
        finally:
            self._writing = False

    async def _sign(self, now: float) -> None:
        del self._downtimes[:-MOST_DOWNTIMES]
        self._written = now
        downtimes = msgspec.json.encode(self._downtimes)
        await self._store.keep(Setting(ALIVE, repr(now).encode()), Setting(DOWNTIMES, downtimes))
