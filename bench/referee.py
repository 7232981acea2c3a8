"""Cost of the referee and of `parlour --help`: CPU time, beside the bare loop without a referee."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import usage
from parlour.core.game import Action, Happened, Outcome, Plain, Seat, Seed, View, Violation
from parlour.core.terms import Clock, Terms
from parlour.core.viewers import Viewer
from parlour.referee.conduct import STRICT
from parlour.referee.local import play
from parlour.referee.match import Match

TURNS = 1_500
RUNS = 60
"""Number of short runs, of which the best counts: on a shared machine only some are undisturbed."""
LIMIT_TURN = 20.0
LIMIT_HELP = 0.2


@dataclass(frozen=True, slots=True)
class Idle:
    """A position in which one seat after another does nothing."""

    left: int
    seats: tuple[Seat, ...]
    stage: str = "move"

    def to_act(self) -> tuple[Seat, ...]:
        return self.seats[self.left % len(self.seats) :][:1] if self.left else ()

    def alive(self) -> tuple[Seat, ...]:
        return self.seats

    def legal(self, seat: Seat) -> Sequence[Plain]:
        return (0,)

    def sample(self, seat: Seat, rng: random.Random) -> Action:
        return 0

    def check(self, seat: Seat, action: Action) -> tuple[Violation, ...]:
        return ()

    def repair(self, seat: Seat, action: Action) -> Action | None:
        return None

    def default(self, seat: Seat) -> Action | None:
        return None

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[Idle, Happened]:
        return replace(self, left=self.left - 1), {}

    def without(self, seat: Seat) -> Idle:
        return replace(self, seats=tuple(s for s in self.seats if s != seat))

    def view(self, viewer: Viewer) -> Idle:
        return self

    def outcome(self) -> Outcome | None:
        return None if self.left else Outcome({}, (), "over")

    def drawn(self, among: Sequence[Seat]) -> Outcome:
        return Outcome({}, (), "draw")

    def encode(self) -> Plain:
        return [self.left, list(self.seats)]


class IdleGame:
    """A game in which players do nothing, in turn."""

    name = "idle"

    def seats(self, config: Mapping[str, Plain]) -> tuple[Seat, ...]:
        return (Seat("a"), Seat("b"))

    def fewest(self, config: Mapping[str, Plain]) -> int:
        return 2

    def start(self, config: Mapping[str, Plain], seats: Sequence[Seat], seed: Seed) -> Idle:
        return Idle(config["turns"], tuple(seats))

    def decode(self, value: Plain) -> Idle:
        return Idle(value[0], tuple(value[1]))


class IdlePlayer:
    """A player that does nothing."""

    def act(self, view: View) -> Action:
        return 0


def bare_loop() -> float:
    """Return the µs per turn of the same play without a referee."""
    players = {Seat("a"): IdlePlayer(), Seat("b"): IdlePlayer()}
    position = Idle(TURNS, tuple(players))
    begun = time.process_time()
    while seats := position.to_act():
        actions = {seat: players[seat].act(View(seat, position, 0)) for seat in seats}
        position, _ = position.apply(actions)
    return (time.process_time() - begun) / TURNS * 1e6


def refereed(clock: Clock) -> float:
    """Return the µs per turn of play under the referee with the local driver."""
    game = IdleGame()
    match = Match(game, {"turns": TURNS}, Terms(conduct=STRICT, clock=clock), 0)
    begun = time.process_time()
    play(match, {seat: IdlePlayer() for seat in game.seats({})})
    return (time.process_time() - begun) / TURNS * 1e6


def overhead() -> tuple[float, float]:
    """Return the µs per turn of the bare loop and of play under the referee, each at its best."""
    return min(bare_loop() for _ in range(RUNS)), min(refereed(Clock()) for _ in range(RUNS))


def help_seconds() -> float:
    """Return the CPU seconds of `parlour --help`, best of five."""
    command = [str(Path(sys.executable).with_name("parlour")), "--help"]
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    bare, untimed = overhead()
    timed = min(refereed(Clock(per_turn=60.0)) for _ in range(3))
    # On a busy machine the same work takes up to three times the CPU time: caches and cores are shared.
    print(f"{'per turn, CPU time':44} {'µs':>8}   at load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors")
    print(f"{'bare loop, no referee':44} {bare:8.2f}")
    print(f"{'referee, local players':44} {untimed:8.2f}   overhead {untimed - bare:.1f} µs (at most {LIMIT_TURN:.0f})")
    print(f"{'referee, players timed on their own threads':44} {timed:8.2f}")
    print(f"parlour --help: {help_seconds():.3f} s of CPU time (at most {LIMIT_HELP} s)")


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
