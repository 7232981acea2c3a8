"""Slows down senders of wrong passwords, but does not lock an account, so that nobody can keep its owner out."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

from parlour.net.accounts.limits import Buckets
from parlour.net.permission_errors import too_often

NAMES = 10
"""Number of accounts whose passwords one address may guess at full speed."""
LONGEST_HOLD = 15.0
"""Maximum seconds that a sign-in waits before it is checked; less than a request may take."""
HELD_OF_PAIR, HELD_OF_NETWORK = 32, 128
"""Maximum number of waiting sign-ins: of one address for one account, and of one address. More are refused."""
_MINUTE = 60.0


class Guesses:
    """Counts of wrong passwords by address and account, and by address."""

    def __init__(
        self,
        per_minute: float,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._of_pair = Buckets(per_minute / _MINUTE, per_minute)
        self._of_network = Buckets(NAMES * per_minute / _MINUTE, NAMES * per_minute)
        self._held: Counter[str] = Counter()

    async def hold(self, network: str, name: str) -> None:
        """Wait as long as earlier wrong passwords require; raise Denied if too many sign-ins of one sender wait."""
        now, pair = self._clock(), _pair(network, name)
        wait = max(self._of_pair.wait(pair, now), self._of_network.wait(network, now))
        if not wait:
            return
        if self._held[pair] >= HELD_OF_PAIR or self._held[network] >= HELD_OF_NETWORK:
            raise too_often("sign-ins", min(wait, LONGEST_HOLD))
        self._held.update((pair, network))
        try:
            await self._sleep(min(wait, LONGEST_HOLD))
        finally:
            self._held.subtract((pair, network))
            self._held += Counter()  # drops zero counts

    def wrong(self, network: str, name: str) -> None:
        """Count a wrong password."""
        now = self._clock()
        self._of_pair.owe(_pair(network, name), now)
        self._of_network.owe(network, now)


def _pair(network: str, name: str) -> str:
    return f"{network} {name}"
