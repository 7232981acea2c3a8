"""Holds a tournament of players who signed up, on the event loop: its start, its matches, and its result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from parlour.core.fouls import Standing
from parlour.core.game import FoulKind
from parlour.referee.callers import Crashed, awaited
from parlour.tournament.director import AsyncResultsKeeper, Director, Matches
from parlour.tournament.engines.base import Happening
from parlour.tournament.knock_out.events import Departure, TournamentResult
from parlour.tournament.results import Delivery
from parlour.tournament.schedules.blocks import Sitting


class StrangersTournament(Protocol):
    """A tournament of players who signed up: its matches, its store, and what its spectators receive."""

    @property
    def entrants(self) -> Sequence[str]:
        """Names of all who signed up, and of the house agents among them."""

    @property
    def begun(self) -> bool:
        """True if the players have received the start."""

    @property
    def matches(self) -> Matches:
        """The matches that are left to be played, and those with a result."""

    @property
    def results_store(self) -> AsyncResultsKeeper:
        """The place where results are kept before they count."""

    async def open(self) -> None:
        """Store the announcement of a new tournament, and send it to the spectators."""

    async def begin(self, silent: Sequence[Departure]) -> None:
        """Begin without the players who did not answer the start, or continue after an interruption."""

    async def play(self, sitting: Sitting) -> Delivery:
        """Play one match to its end."""

    async def decide(self) -> TournamentResult:
        """Return the result when no match is left; the players have yet to receive it."""

    async def close(self, silent: Sequence[Departure], *, become: Standing | None) -> TournamentResult:
        """Store the final result and return it.

        Args:
            silent: Players who did not confirm the result; a winner among them has not won.
            become: The standing of these players; None if they only lose.
        """


async def hold(
    tournament: StrangersTournament,
    participants: Mapping[str, object],
    *,
    at_once: int = 1000,
    silent_become: Standing | None = None,
) -> TournamentResult:
    """Play a tournament from its last state to its end, and return its result.

    A participant may have two methods, sync or async: tournament_started(), and tournament_ended(won). An error in
    them counts as no answer. Their time is not limited here.

    Args:
        tournament: The tournament, new or resumed.
        participants: The connected players, by name; others play without being called.
        at_once: Maximum number of matches played at once.
        silent_become: The standing of players who do not confirm the end; losers if None.
    """
    told_before = tournament.matches.over
    await tournament.open()
    begun = tournament.begun
    await tournament.begin([] if begun else await call_all(participants, tournament.entrants, "tournament_started"))
    engine = LoopEngine(tournament.play, at_once)
    try:
        await Director(tournament.matches, engine, results_store=tournament.results_store).run_on_loop()
    finally:
        await engine.close()
    result = await tournament.decide()
    async with asyncio.TaskGroup() as calls:
        winners = calls.create_task(call_all(participants, result.winners, "tournament_ended", True))
        losers = calls.create_task(call_all(participants, result.losers, "tournament_ended", False))
    # Before an interruption players may have confirmed the result, so after it silence does not change the result.
    silent = [] if told_before else [*winners.result(), *losers.result()]
    return await tournament.close(silent, become=silent_become)


async def call_all(
    participants: Mapping[str, object], names: Sequence[str], method: str, *arguments: Any
) -> list[Departure]:
    """Call a method of all named participants that have it, at the same time; return those who failed."""
    failed: dict[str, Departure] = {}

    async def one(name: str) -> None:
        found = getattr(participants.get(name), method, None)
        if found is None:
            return
        answer = await awaited(found, arguments)
        if isinstance(answer, Crashed):
            # The reason of a garbled answer stands alone: "is not ready" is well-formed, and "garbled" would be wrong.
            reason = answer.reason if answer.kind is FoulKind.GARBLED else f"{answer.kind.word}: {answer.reason}"
            failed[name] = Departure(name, Standing.FAILURE, reason)

    async with asyncio.TaskGroup() as calls:
        for name in names:
            calls.create_task(one(name))
    return [failed[name] for name in names if name in failed]


class LoopEngine:
    """Plays each match in a task of the event loop."""

    task_time = 0.0

    def __init__(self, play: Callable[[Sitting], Awaitable[Delivery]], places: int) -> None:
        self._play = play
        self.places = self.depth = places
        self._waiting: list[Sitting] = []
        self._playing: dict[asyncio.Future[Delivery], Sitting] = {}

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Queue these matches; each is played as soon as its players are free."""
        self._waiting += sittings
        self._begin()

    async def happened(self) -> Happening:
        """Wait until a match is over, and return its result; raise the error of a match that failed."""
        done, _ = await asyncio.wait(self._playing, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            del self._playing[task]
        self._begin()
        return Happening(tuple(task.result() for task in done), idle=len(done))

    async def close(self) -> None:
        """Stop the running matches; they continue when the tournament is resumed."""
        for task in self._playing:
            task.cancel()
        if self._playing:
            await asyncio.wait(self._playing)

    def _begin(self) -> None:
        busy = {name for sitting in self._playing.values() for name in sitting.players}
        for sitting in tuple(self._waiting):
            if busy.isdisjoint(sitting.players):
                self._waiting.remove(sitting)
                self._playing[asyncio.ensure_future(self._play(sitting))] = sitting
            busy.update(sitting.players)  # a player's matches are played in the order of the schedule
