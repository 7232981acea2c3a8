"""Games for training, played by the tournament engine: in processes here, or on a Ray cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from parlour.core.events import Event
from parlour.core.terms import Terms
from parlour.deepmind.provinces import NUM_POWERS
from parlour.errors import StoreError
from parlour.games import load_contest
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.record import decode
from parlour.tournament.blocks import Seats, Sitting, derived
from parlour.tournament.engines.base import Engine
from parlour.tournament.engines.places import places_for
from parlour.tournament.plan import Contender, Plan
from parlour.tournament.playing import Delivery

EngineName = Literal["local", "ray"]
ATTEMPTS = 3
PATIENCE = 1.0
"""Seconds to wait for the engine at a time."""

Told = Callable[[int], None]
"""Takes how many matches are played."""


def agent_of(path: Path, temperature: float) -> str:
    """How a network is asked for as an agent."""
    return f"deepmind:{path.resolve()},temperature={temperature}"


def plan_of(agents: dict[str, str], last_year: int, seed: int, *, records: bool) -> Plan:
    """What matches between named agents are played on."""
    return Plan(
        tournament=f"training-{seed}",
        game="diplomacy",
        config={"last_year": last_year},
        terms=Terms(DIPLOMACY),
        format="mixed",
        seats=NUM_POWERS,
        contenders=tuple(Contender(name, agent) for name, agent in agents.items()),
        blocks=1,
        seed=seed,
        score=load_contest("diplomacy").scores[0],
        anchor=next(iter(agents)),
        records=records,
    )


def same_on_all_seats(name: str, matches: int, seed: int) -> list[Sitting]:
    """Matches of one agent with itself."""
    return [
        Sitting(number, number, 0, (name,) * NUM_POWERS, derived(seed, "match", number)) for number in range(matches)
    ]


def one_against_the_rest(plan: Plan, one: str, rest: str, blocks: int) -> list[Sitting]:
    """Blocks of seven matches in which one sits on each seat once, and the other on all others."""
    seats = Seats(load_contest(plan.game), dict(plan.config), plan.seats, plan.seed)
    found: list[Sitting] = []
    for block in range(blocks):
        found += seats.sittings(block, len(found), [seats.one_against(one, rest)])
    return found


@contextlib.contextmanager
def engine_of(plan: Plan, name: EngineName, jobs: int | None) -> Iterator[Engine]:
    """An engine for a plan, which is closed at the end."""
    places = places_for(plan, jobs)
    engine: Engine
    if name == "ray":
        from parlour.tournament.engines.cluster import RayEngine

        engine = RayEngine(plan, places, address=None)
    else:
        from parlour.tournament.engines.local import LocalEngine

        engine = LocalEngine(plan, places)
    with contextlib.closing(engine):
        yield engine


def play_all(engine: Engine, sittings: Sequence[Sitting], told: Told) -> list[Delivery]:
    """What became of all matches, in their order; StoreError if one cannot be played, whatever is tried."""
    found: dict[int, Delivery] = {}
    attempts: dict[int, int] = {}
    by_number = {sitting.number: sitting for sitting in sittings}
    waiting = list(sittings)
    under_way = 0
    while len(found) < len(sittings):
        while waiting and under_way < engine.depth:
            engine.submit([waiting.pop(0)])
            under_way += 1
        happening = engine.wait(PATIENCE)
        under_way -= happening.idle
        for delivery in happening.deliveries:
            found[delivery.played.number] = delivery
        for failure in happening.failures:
            for number in failure.numbers:
                attempts[number] = attempts.get(number, 0) + 1
                if attempts[number] >= ATTEMPTS:
                    raise StoreError(f"a match for training cannot be played: {failure.reason}")
                waiting.append(by_number[number])
        told(len(found))
    return [found[sitting.number] for sitting in sittings]


def events_of(delivery: Delivery) -> list[Event]:
    """The record of a match that was played."""
    return [decode(line, number) for number, line in enumerate(delivery.record)]


def scores_of(delivery: Delivery, player: str, system: str) -> Any:
    """The mean score of a player in a match."""
    own = [seat.scores[system] for seat in delivery.played.seats if seat.player == player]
    return sum(own) / len(own)
