"""The heartbeat of a server: measures the time in which nobody could act (downtime, stalls, a suspended machine).

The hall stores a heartbeat at regular intervals. A gap between two heartbeats is downtime: after a restart the time
since the last one; while it runs, the time in which the loop was blocked, or in which the store failed. So a killed
server, a suspended machine, a clock that was set forward, a busy loop and a full disk are treated alike, and deadlines
move by that time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import msgspec

from parlour.errors import StoreError
from parlour.net.monotonic_clock import MonotonicClock
from parlour.store import Setting, Store

BEAT = 0.25
"""Seconds between two beats; a smaller lateness is ignored."""
WRITTEN = 5.0
"""Seconds between two heartbeats in the store."""
TRIED = 1.0
"""Seconds between two attempts to write a heartbeat while the store fails."""
NOTABLE = 1.0
"""Minimum seconds of a stall that is recorded for sleeping matches; their deadlines are far."""
MOST_DOWNTIMES = 1000
"""Maximum number of recorded downtimes."""
ALIVE, DOWNTIMES = "alive", "downtimes"

_log = logging.getLogger(__name__)
_intervals = msgspec.json.Decoder(list[tuple[float, float]])


class Heartbeat:
    """Beats while the hall runs, and measures the gaps."""

    def __init__(
        self, store: Store, now: MonotonicClock, stalled: Callable[[float], None], spawn: Callable[..., object]
    ) -> None:
        self._store = store
        self._now = now
        self._stalled = stalled
        """Called with the seconds of a stall at its end."""
        self._spawn = spawn
        self._expected = 0.0
        self._written = 0.0
        self._writing = False
        self._kept_until: float | None = None
        """Time since which the store has failed; None while it works."""
        self._downtimes: list[tuple[float, float]] = []
        self._timer: asyncio.TimerHandle | None = None
        self.overrun = 0.0
        """Seconds by which the last heartbeat in the store was ahead of the clock: one of the clocks was wrong."""
        self.trouble = ""
        """The reason why the store fails, such as a full disk; empty while it works."""

    async def start(self) -> float:
        """Begin to beat; return the seconds for which no server was alive before."""
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
        """Stop beating, and store that the server was alive until now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            await self._sign(self._now())

    def look(self, now: float | None = None) -> float:
        """Detect a stall at once, before a deadline takes effect; return the time, which is read if it is not given."""
        if now is None:
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
        """Return the seconds of downtime between two moments."""
        lost = 0.0
        ongoing = [] if self._kept_until is None else [(self._kept_until, until)]
        for begin, end in sorted(self._downtimes + ongoing):  # they may overlap: a loop stalls while the disk is full
            if min(end, until) > (begin := max(begin, since)):
                since = min(end, until)
                lost += since - begin
        return lost

    def failed(self, error: StoreError, since: float) -> None:
        """Note a failed write that began at that time."""
        if self._kept_until is None:
            self._kept_until = since
            _log.warning("the store fails, and all deadlines wait: %s", error)
        self.trouble = str(error)

    def ongoing(self) -> float:
        """Return the seconds for which the store has failed; 0 while it works."""
        return 0.0 if self._kept_until is None else self._now() - self._kept_until

    def kept(self) -> None:
        """Note a successful write; if the store had failed, that time counts as a stall."""
        if self._kept_until is None:
            return
        since, self._kept_until, self.trouble = self._kept_until, None, ""
        now = self._now()
        _log.warning("the store works again, after %.1f seconds", now - since)
        if now - since >= NOTABLE:
            self._downtimes.append((since, now))
            self._written = 0.0
        self._stalled(now - since)

    def _beat(self) -> None:
        now = self.look()
        self._expected = now + BEAT
        self._timer = asyncio.get_running_loop().call_later(BEAT, self._beat)
        if now - self._written >= (TRIED if self.trouble else WRITTEN) and not self._writing:
            self._spawn(self._write(now))

    async def _write(self, now: float) -> None:
        self._writing = True
        try:
            await self._sign(now)
        except StoreError as error:
            self.failed(error, now)
        else:
            self.kept()
        finally:
            self._writing = False

    async def _sign(self, now: float) -> None:
        del self._downtimes[:-MOST_DOWNTIMES]
        self._written = now
        # The failure that this write ends is stored with it, in case the server dies before _sign is called again.
        ended = [] if self._kept_until is None else [(self._kept_until, now)]
        downtimes = msgspec.json.encode(self._downtimes + ended)
        await self._store.keep(Setting(ALIVE, repr(now).encode()), Setting(DOWNTIMES, downtimes))
