"""Agents of the house on seats of hosted matches: made from what the store says, thinking off the loop, few at once."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from parlour.agents import make_agent
from parlour.core.game import Action, Seat, Seed, View
from parlour.core.intents import PlayerType
from parlour.core.player import Chair, Player
from parlour.tournament.threads import on_thread

Aside: TypeAlias = Callable[..., Awaitable[Any]]
"""Calls a function that may take its time, with its arguments, where nobody has to wait for it."""


class HouseAgent:
    """A player of the house: whatever the driver calls happens off the loop, one call after the other."""

    def __init__(
        self, agent: Player, places: asyncio.Semaphore, aside: Aside = on_thread, *, flags_up: bool = False
    ) -> None:
        self._agent = agent
        self._flags_up = flags_up
        """Whether the match raises the wait flags of all when a turn begins, of which agents know nothing."""
        self._chair: Chair | None = None
        self._aside = aside
        self._places = places
        """Shared by all of the house, so that few think at the same time."""
        self._turn = asyncio.Lock()

    async def act(self, view: View) -> Action:
        """Choose an action."""
        if self._flags_up and self._chair is not None:
            self._chair.set_wait(False)  # the turn waits for the action all the same
        return await self._call(self._agent.act, view)

    async def seated(self, chair: Chair) -> None:
        """Take the chair."""
        self._chair = chair
        if (seated := getattr(self._agent, "seated", None)) is not None:
            await self._call(seated, chair)

    def __getattr__(self, name: str) -> Any:
        """Whatever else the agent has; a method becomes one that is awaited."""
        found = getattr(self._agent, name)
        if not callable(found):
            return found

        async def called(*arguments: Any) -> Any:
            return await self._call(found, *arguments)

        return called

    async def _call(self, method: Any, *arguments: Any) -> Any:
        async with self._turn:
            if inspect.iscoroutinefunction(method):  # it waits for something else than us
                return await method(*arguments)
            async with self._places:
                return await self._aside(method, *arguments)


def make_house_agent(
    game: str,
    spec: str,
    seed: Seed,
    seat: Seat,
    places: asyncio.Semaphore,
    aside: Aside = on_thread,
    *,
    flags_up: bool = False,
) -> HouseAgent:
    """The agent for a seat; made again from the same it has the same chance. ConfigError if there is no such agent."""
    digest = hashlib.blake2b(f"{seed}/{seat}".encode(), digest_size=7).digest()
    return HouseAgent(make_agent(game, spec, int.from_bytes(digest, "big")), places, aside, flags_up=flags_up)


def type_of(agent: Player) -> PlayerType:
    """What an agent says it is."""
    said = getattr(agent, "player_type", None)
    return PlayerType.NO_PRESS_BOT if said is None else PlayerType(said)
