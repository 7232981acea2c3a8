"""House agents: made off the loop from the spec stored with a seat, and driven at one hosted match."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from parlour.agents import check_match
from parlour.agents.house_specs import HouseSpec
from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core import seeds
from parlour.core.game import Action, Seat, Seed, View
from parlour.core.intents import Ballot
from parlour.core.player import Player, SeatHandle
from parlour.core.table_view import MatchStatus
from parlour.errors import ConfigError, Denied
from parlour.net.permission_errors import DenialCode
from parlour.net.thought_lane import ThoughtLane
from parlour.net.thoughts import Thinker
from parlour.referee.live import LiveDriver
from parlour.referee.match import Match, Reaction
from parlour.referee.state import MatchState
from parlour.referee.table import Table
from parlour.store import Seating

if TYPE_CHECKING:
    from parlour.net.hall import Hall

MAKE_TIME = 10.0
"""Maximum seconds to make an agent."""

_log = logging.getLogger(__name__)


class HouseAgent:
    """A house agent whose calls run one after the other, off the loop unless they are coroutines."""

    def __init__(self, agent: Player, lane: ThoughtLane, *, flags_up: bool = False) -> None:
        self._agent, self._lane = agent, lane
        self._flags_up = flags_up
        """True if wait flags are up when a turn begins; agents do not lower theirs, so this class does."""
        self._handle: SeatHandle | None = None

    async def act(self, view: View) -> Action:
        """Choose an action."""
        if self._flags_up and self._handle is not None:
            self._handle.set_wait(False)  # the turn still waits for the action
        return await self._call(self._agent.act, view)

    async def on_seated(self, handle: SeatHandle) -> None:
        """Keep the seat handle, and pass it to the agent."""
        self._handle = handle
        if (seated := getattr(self._agent, "on_seated", None)) is not None:
            await self._call(seated, handle)

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the agent; a method becomes a coroutine function."""
        found = getattr(self._agent, name)
        if not callable(found):
            return found

        async def called(*arguments: Any) -> Any:
            return await self._call(found, *arguments)

        return called

    async def _call(self, method: Any, *arguments: Any) -> Any:
        waits = (
            getattr(self._agent, "slow", False) is True
        )  # an agent that waits for a remote service needs no thinking place
        return await self._lane.call(method, *arguments, waits=waits)


async def make_house_agent(
    spec: HouseSpec, seed: Seed, seat: Seat, lane: ThoughtLane, *, flags_up: bool = False
) -> HouseAgent:
    """Make the agent for a seat, off the loop; the same arguments give an agent with the same random choices.

    Raise ConfigError if it cannot be made, Denied if it takes too long.
    """
    try:
        async with asyncio.timeout(MAKE_TIME):
            agent = await lane.call(spec.make, seeds.hosted_player(seed, seat), waits=True)
    except TimeoutError:
        raise Denied(DenialCode.BUSY, f"agent: {spec.text:.60} took more than {MAKE_TIME:g} s to make") from None
    return HouseAgent(agent, lane, flags_up=flags_up)


class MatchAgents:
    """The house agents of one match; most matches have none. Each receives the match's past when it joins."""

    __slots__ = ("_driver", "_hall", "_match", "_owner", "_paced", "_table", "_unfollow")

    def __init__(self, match: Match, table: Table, hall: Hall, owner: str, *, paced: bool) -> None:
        self._match, self._table, self._hall = match, table, hall
        self._owner = owner
        """The account to which their thinking time is charged."""
        self._paced = paced
        self._driver: LiveDriver | None = None
        self._unfollow: Callable[[], None] | None = None

    @property
    def thinking(self) -> bool:
        """True while calls of agents have not returned."""
        return self._driver is not None and self._driver.thinking > 0

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats of house agents."""
        return () if self._driver is None else tuple(self._driver.players)

    @property
    def lowers_flags(self) -> bool:
        """True if wait flags are up when a turn begins, and agents are to lower theirs."""
        return self._match.state.opened.terms.wait_flags_up and not self._paced

    def read(self, spec: str) -> HouseSpec:
        """Return the parsed spec of an agent; raise ConfigError if it is not offered or cannot play this match."""
        opened = self._match.state.opened
        read = self._hall.read_spec(opened.game, spec)
        check_match(opened.game, spec, opened.config)
        return read

    async def make(self, seat: Seat, spec: str) -> tuple[HouseSpec, HouseAgent]:
        """Make a house agent for a seat; raise ConfigError if this server does not have it."""
        read, opened, hall = self.read(spec), self._match.state.opened, self._hall
        lane = ThoughtLane(Thinker(self._owner, opened.match), hall.places, hall.aside)
        agent = await make_house_agent(read, opened.seed, seat, lane, flags_up=self.lowers_flags)
        return read, agent

    def seat(self, seat: Seat, agent: HouseAgent) -> Callable[[], None]:
        """Put an agent on a seat before its Join intent; call the result if the intent is refused."""
        driver = self._drive()
        driver.sit(seat, agent)
        if driver.forming:
            driver.tell_past(seat)
        return lambda: driver.rise(seat)

    def dismiss(self, seat: Seat) -> None:
        """Release the agent of a seat that another player has taken."""
        if self._driver is not None and seat in self._driver.players:
            self._driver.rise(seat)

    async def wake(self, seating: Mapping[Seat, Seating]) -> None:
        """Make the house agents of these seats again, and resume them."""
        specs = {seat: sitting.agent for seat, sitting in seating.items() if sitting.agent}
        driver = self._drive()
        for seat, spec in specs.items():
            if self._match.is_removed(seat):
                continue
            try:
                driver.place(seat, (await self.make(seat, spec))[1])
            except ConfigError as error:  # the agent was allowed earlier, or is not available now
                _log.warning("match %s: the agent of %s leaves: %s", self._match.state.opened.match, seat, error)
                await self._table.handle(it.Leave(seat))
        if driver.forming:
            for seat in driver.players:
                driver.tell_past(seat)
                driver.call(seat, "on_seated", driver.seat_handle(seat))
                driver.catch_up(seat)
        else:
            await driver.run(driver.sit_down())

    def reacted(self, reaction: Reaction) -> None:
        """Let house agents vote for a draw after a vote, if all other players want it."""
        if self.seats and any(type(event) is ev.Voted for event in reaction.events):
            self._hall.spawn(self._agree_to_draws())

    async def _agree_to_draws(self) -> None:
        if votes := votes_to_follow(self._match.state, self.seats):
            await self._table.submit(votes)

    def close(self) -> None:
        """Stop calling all agents."""
        if self._driver is not None and self._unfollow is not None:
            self._unfollow()
            self._unfollow = None  # breaks a reference cycle
            self._driver.close()

    def _drive(self) -> LiveDriver:
        if self._driver is None:
            self._driver = LiveDriver(self._table, {}, self._hall.spawn)
            self._unfollow = self._table.follow(self)
        return self._driver


def votes_to_follow(state: MatchState, house: Collection[Seat]) -> list[it.Vote]:
    """Return the votes of house agents for a draw of all that every other player has voted for.

    An agent with more than half of the points does not vote for it.
    """
    if state.status is not MatchStatus.RUNNING or state.position is None or not state.terms.draw_votes:
        return []
    voters = state.present()
    people = [seat for seat in voters if seat not in house]
    if not people or not state.in_favour.issuperset(people):
        return []
    points = state.position.drawn(state.alive()).scores
    half = sum(points.values()) / 2
    undecided = [seat for seat in voters if seat in house and state.places[seat].ballot is not Ballot.YES]
    return [it.Vote(seat, Ballot.YES) for seat in undecided if points.get(seat, 0.0) <= half]
