"""Cost of tournaments beside the bare matches: engines, ratings, and SQL over records.

Overhead is the processor time of driver and workers, without their start, relative to the same matches without an
engine on all processors; it is the median of some rounds. Wall time beside it is meaningful only on an idle machine.
Ray's figure is that of its driver alone, because its workers are not children of this process.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import random
import resource
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import usage
from parlour.core.terms import Terms
from parlour.games import load_contest
from parlour.referee.conduct import STRICT
from parlour.tournament.director import Director
from parlour.tournament.engines.base import Engine
from parlour.tournament.engines.local import LocalEngine
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.plan import Contender, Plan, named
from parlour.tournament.results_state import ResultsState
from parlour.tournament.schedules.blocks import Sitting
from parlour.tournament.statistics.ratings import RankedMatch, fit
from parlour.tournament.storage.query import Records

ROUNDS = 3


def plan_of(agents: list[str], side: int, blocks: int) -> Plan:
    """Return the plan of a tournament of Fish for two."""
    return Plan(
        tournament="bench",
        game="fish",
        config={"rows": side, "cols": side},
        terms=Terms(STRICT),
        format="round-robin",
        seats=2,
        contenders=tuple(Contender(name, agent) for name, agent in named(agents)),
        blocks=blocks,
        seed=1,
        score=load_contest("fish").scores[0],
        anchor=agents[-1],
        records=False,
    )


def used() -> float:
    """Return the processor time of this process and of its ended children."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def engine_of(kind: str, plan: Plan) -> Engine:
    """Return an engine on all processors of this machine."""
    places = os.cpu_count() or 1
    if kind == "ray":
        from parlour.tournament.engines.cluster import RayEngine

        return RayEngine(plan, places)
    return LocalEngine(plan, places)


def run(kind: str, plan: Plan) -> tuple[float, float]:
    """Return wall and processor time of a whole tournament in a process of its own, with the start of the workers."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as one:
        return one.submit(run_here, kind, plan).result()


def run_here(kind: str, plan: Plan) -> tuple[float, float]:
    """Return wall and processor time of a tournament in this process, in which Ray can be started only once."""
    began, before = time.perf_counter(), used()
    series, engine = ResultsState(plan), engine_of(kind, plan)
    try:
        Director(series, engine).run()
    finally:
        engine.close()
    return time.perf_counter() - began, used() - before


def overhead(kind: str, name: str, agents: list[str], side: int, blocks: int, most: str) -> None:
    """Print the overhead of an engine: the difference of a long and a short tournament, without the start."""
    long, short = plan_of(agents, side, blocks), plan_of(agents, side, 1)
    sittings = list(ResultsState(long).wanted())
    play_sitting(long, sittings[0])
    rounds = [one_round(kind, long, short, sittings[4:]) for _ in range(ROUNDS)]
    bare, extra, wall = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(
        f"{kind:6} {name:26} {len(sittings):5} matches of {bare / (len(sittings) - 4) * 1000:5.1f} ms  "
        f"CPU overhead {extra:+7.1%} ({most})  wall {wall:6.2f} s, bare on all processors "
        f"{bare / (os.cpu_count() or 1):6.2f} s"
    )


def one_round(kind: str, long: Plan, short: Plan, sittings: list[Sitting]) -> tuple[float, float, float]:
    """Return the processor time of the bare matches, the engine's relative overhead, and its wall time."""
    places = os.cpu_count() or 1
    with ProcessPoolExecutor(places, mp_context=multiprocessing.get_context("spawn")) as pool:
        # On all processors at once, as the engine plays them: two that share a core are slower than one by itself.
        bare = sum(pool.map(play_bare, [long] * places, [sittings[at::places] for at in range(places)]))
    (wall, spent), (short_wall, short_spent) = run(kind, long), run(kind, short)
    own = spent - short_spent
    return bare, own / bare - (0 if kind == "ray" else 1), wall - short_wall


def play_bare(plan: Plan, sittings: list[Sitting]) -> float:
    """Return the processor time of these matches, one after the other, without an engine."""
    play_sitting(plan, sittings[0])
    before = time.process_time()
    for sitting in sittings:
        play_sitting(plan, sitting)
    return time.process_time() - before


def ratings() -> None:
    """Print the time of a fit."""
    rng = random.Random(1)
    matches = []
    for number in range(1000):
        agents = tuple(rng.sample(range(10), 7))
        places = tuple(min(place, 4) for place in rng.sample(range(7), 7))
        matches.append(RankedMatch(agents, tuple(range(7)), places, number // 7))
    fit(matches, 10, 7)
    before = time.process_time()
    for _ in range(5):
        fit(matches, 10, 7)
    print(
        f"ratings of 1,000 seven-seat matches: {(time.process_time() - before) / 5 * 1000:.0f} ms of CPU (at most 50)"
    )


def query(count: int = 2000) -> None:
    """Print the time of SQL over many records."""
    plan = plan_of(["lookahead1", "greedy"], 5, 1)
    sitting = next(iter(ResultsState(plan).wanted()))
    import msgspec

    record = play_sitting(msgspec.structs.replace(plan, records=True), sitting).record
    text = b'{"format":"parlour record","version":1}\n' + b"\n".join(record) + b"\n"
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            (Path(folder) / f"{number}.jsonl").write_bytes(text)
        began, before = time.perf_counter(), used()
        asked = Records(folder)
        asked.run("SELECT player, avg(score) FROM seats GROUP BY player")
        asked.run("SELECT turn, count(*) FROM orders GROUP BY turn")
        asked.close()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"two queries over {count:,} records ({count * len(text) / 1e6:.0f} MB): {used() - before:.1f} s of CPU, "
            f"{time.perf_counter() - began:.1f} s (at most 3 each), {memory:.0f} MB at most (1,000)"
        )


def main() -> None:
    """Print all of it."""
    ratings()
    query()
    for kind in ["local"] + ["ray"] * (importlib.util.find_spec("ray") is not None):
        limits = ("at most 10%", "at most 5%") if kind == "local" else ("no limit", "no limit")
        overhead(kind, "lookahead1, 5 by 5", ["lookahead1", "greedy"], 5, 200, limits[0])
        overhead(kind, "strong:nodes=3000, 5 by 5", ["strong:nodes=3000", "greedy"], 5, 16, limits[1])
    wall, spent = run("local", plan_of(["lookahead1", "lookahead1"], 5, 250))
    print(f"1,000 matches of look-ahead 1 on 5 by 5: {wall:.1f} s, {spent:.1f} s of CPU (at most 10 s on 2 processors)")


if __name__ == "__main__":
    usage.parser(__doc__).parse_args()
    main()
