"""The agents of the house that sit at one hosted match, and what drives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from parlour.core.game import Seat
from parlour.net.house import HouseAgent, make_house_agent
from parlour.referee.live import LiveDriver
from parlour.referee.match import Match
from parlour.referee.table import Table
from parlour.store import Seating

if TYPE_CHECKING:
    from parlour.net.hosted import Means


class Staff:
    """Those of the house who play at a table; most tables have none. Who sits down is told what the match remembers."""

    __slots__ = ("_driver", "_match", "_means", "_paced", "_table")

    def __init__(self, match: Match, table: Table, means: Means, *, paced: bool) -> None:
        self._match, self._table, self._means = match, table, means
        self._paced = paced
        self._driver: LiveDriver | None = None

    @property
    def thinking(self) -> bool:
        """Whether one of them thinks."""
        return self._driver is not None and self._driver.thinking > 0

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Where they sit."""
        return () if self._driver is None else tuple(self._driver.players)

    @property
    def lowers_flags(self) -> bool:
        """Whether wait flags are up at first, and theirs are not to hold anybody up."""
        return self._match.state.opened.terms.wait_flags_up and not self._paced

    def make(self, seat: Seat, spec: str) -> HouseAgent:
        """An agent of the house for a seat; ConfigError if there is none of that name."""
        opened = self._match.state.opened
        places, aside = self._means.places, self._means.aside
        return make_house_agent(opened.game, spec, opened.seed, seat, places, aside, flags_up=self.lowers_flags)

    def seat(self, seat: Seat, agent: HouseAgent) -> Callable[[], None]:
        """Put an agent on a seat before the intent by which it joins; call what is returned if that was refused."""
        driver = self._drive()
        driver.sit(seat, agent)
        if driver.forming:
            driver.tell_past(seat)
        return lambda: driver.rise(seat)

    def dismiss(self, seat: Seat) -> None:
        """Somebody else sits there now."""
        if self._driver is not None and seat in self._driver.players:
            self._driver.rise(seat)

    async def wake(self, seating: Mapping[Seat, Seating]) -> None:
        """Make the agents again that the store says sit here, and let them go on."""
        specs = {seat: sitting.agent for seat, sitting in seating.items() if sitting.agent}
        driver = self._drive()
        for seat, spec in specs.items():
            if not self._match.is_removed(seat):
                driver.place(seat, self.make(seat, spec))
        if driver.forming:
            for seat in driver.players:
                driver.tell_past(seat)
                driver.call(seat, "seated", driver.chair(seat))
                driver.catch_up(seat)
        else:
            await driver.run(driver.sit_down())

    def close(self) -> None:
        """Call none of them any more."""
        if self._driver is not None:
            self._driver.close()

    def _drive(self) -> LiveDriver:
        if self._driver is None:
            self._driver = LiveDriver(self._table, {}, self._means.spawn)
        return self._driver
