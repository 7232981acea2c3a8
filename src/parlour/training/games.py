"""Games for training, played by the tournament engine: in processes here, or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from parlour.core import seeds
from parlour.core.events import Event
from parlour.core.terms import Terms
from parlour.deepmind.provinces import NUM_POWERS
from parlour.errors import StoreError
from parlour.games import load_contest
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.record import decode
from parlour.tournament.director import Director
from parlour.tournament.engines.base import Engine
from parlour.tournament.plan import Contender, Plan
from parlour.tournament.results import Delivery, MatchPlayed, Remark
from parlour.tournament.schedules.blocks import Seats, Sitting

CountReport = Callable[[int], None]
"""Called with the number of matches played so far."""


def agent_of(path: Path, temperature: float) -> str:
    """Return the agent specification of a network."""
    return f"deepmind:{path.resolve()},temperature={temperature}"


def plan_of(agents: dict[str, str], last_year: int, seed: int, *, records: bool) -> Plan:
    """Return the plan of matches between named agents."""
    return Plan(
        tournament=f"training-{seed}",
        game="diplomacy",
        config={"last_year": last_year},
        terms=Terms(DIPLOMACY),
        format="population",
        seats=NUM_POWERS,
        contenders=tuple(Contender(name, agent) for name, agent in agents.items()),
        blocks=1,
        seed=seed,
        score=load_contest("diplomacy").scores[0],
        anchor=next(iter(agents)),
        records=records,
    )


def same_on_all_seats(name: str, matches: int, seed: int) -> list[Sitting]:
    """Return matches of one agent with itself."""
    return [
        Sitting(number, number, 0, (name,) * NUM_POWERS, seeds.training_match(seed, number))
        for number in range(matches)
    ]


def one_against_the_rest(plan: Plan, one: str, rest: str, blocks: int) -> list[Sitting]:
    """Return blocks of seven matches in which one sits on each seat once, and the other on all others."""
    seats = Seats(load_contest(plan.game), dict(plan.config), plan.seats, plan.seed)
    found: list[Sitting] = []
    for block in range(blocks):
        found += seats.sittings(block, len(found), [seats.one_against(one, rest)])
    return found


def play_all(engine: Engine, sittings: Sequence[Sitting], report: CountReport) -> list[Delivery]:
    """Play all matches and return their results, in their order.

    Raise StoreError if a match fails in all attempts.
    """
    matches = _TrainingMatches(sittings, report)
    Director(matches, engine, results_store=matches, onlookers=[matches]).run()
    return [matches.deliveries[sitting.number] for sitting in sittings]


class _TrainingMatches:
    """A fixed list of matches, whose results are kept in memory."""

    def __init__(self, sittings: Sequence[Sitting], report: CountReport) -> None:
        self._sittings = {sitting.number: sitting for sitting in sittings}
        self._report = report
        self.deliveries: dict[int, Delivery] = {}

    @property
    def over(self) -> bool:
        return self.finished == len(self._sittings)

    @property
    def finished(self) -> int:
        return len(self.deliveries)

    def wanted(self) -> Iterator[Sitting]:
        return (sitting for number, sitting in self._sittings.items() if number not in self.deliveries)

    def left(self) -> int:
        return len(self._sittings) - self.finished

    def has(self, number: int) -> bool:
        return number in self.deliveries

    def keep(self, deliveries: Sequence[Delivery], series: object) -> None:
        for delivery in deliveries:
            if delivery.played.void:
                raise StoreError(f"a match for training cannot be played: {delivery.played.void}")
            self.deliveries[delivery.played.number] = delivery

    def add(self, played: MatchPlayed) -> None:
        """Count a match that was kept."""

    def changed(self, series: object) -> None:
        self._report(self.finished)

    def remarked(self, remarks: Sequence[Remark]) -> None:
        """Drop the remarks: training has no log of them."""


def events_of(delivery: Delivery) -> list[Event]:
    """Return the record of a match that was played."""
    return [decode(line, number) for number, line in enumerate(delivery.record)]


def scores_of(delivery: Delivery, player: str, system: str) -> Any:
    """Return the mean score of a player in a match."""
    own = [seat.scores[system] for seat in delivery.played.seats if seat.player == player]
    return sum(own) / len(own)
