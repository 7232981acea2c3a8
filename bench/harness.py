"""Speed of the core under training frameworks: time per call, memory of 400 live matches, a turn in verifiers.

A cheap script plays a table of seven models with press, so that the figures are those of the referee, the prompts and
the hop between threads, in processor time. Claims: at most 1.5 ms per call, at most 300 MB for 400 live matches, at
most 8 ms per turn of the harness for verifiers.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from frameworks.environment import python_of
from parlour.harness import Episode, EpisodeSetup
from parlour.testing import FakeEndpoint
from support.harness.episodes import by_rule, diplomacy_setup, fish_setup
from support.harness.frameworks import ran

LIVE = 400
AT_ONCE, DELAY, ROLLOUT = 64, 0.05, 20
"""Matches at once, seconds per call, and calls of each that are measured."""
CALLS = 12
"""Calls of each live match."""
FEW, MORE = 1, 3
"""Episodes of the two runs in verifiers whose difference is measured, so that its start does not count."""
PRESS = ("--env.taskset.press", "true", "--env.taskset.rounds", "2", "--env.taskset.last-year", "1902")


def per_call(setup: EpisodeSetup, matches: int) -> tuple[float, int]:
    """Return milliseconds per call of whole matches, without the script's time, and the number of calls."""
    spent, calls = 0.0, 0
    for _ in range(matches):
        with Episode(setup) as episode:
            began = time.process_time()
            prompt = episode.ask()
            spent += time.process_time() - began
            while prompt is not None:
                text = by_rule(prompt)
                began = time.process_time()
                prompt = episode.answer(text, 100, 10)
                spent += time.process_time() - began
                calls += 1
    return spent / calls * 1e3, calls


def live() -> tuple[float, float]:
    """Return megabytes of the program with all matches open, and milliseconds per call, round robin."""
    episodes = [Episode(diplomacy_setup(1902)) for _ in range(LIVE)]
    prompts = [episode.ask() for episode in episodes]
    spent = 0.0
    for _ in range(CALLS):
        for number, episode in enumerate(episodes):
            prompt = prompts[number]
            assert prompt is not None
            text = by_rule(prompt)
            began = time.process_time()
            prompts[number] = episode.answer(text, 100, 10)
            spent += time.process_time() - began
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for episode in episodes:
        episode.close()
    return megabytes, spent / (LIVE * CALLS) * 1e3


async def rollouts(setup: EpisodeSetup) -> float:
    """Return the share of the rollouts' time in which the environment computes, many matches at once."""
    scripted = 0.0

    async def one() -> float:
        nonlocal scripted
        began = time.perf_counter()
        with Episode(setup) as episode:
            prompt = await episode.ask_async()
            for _ in range(ROLLOUT):
                if prompt is None:
                    break
                at = time.thread_time()
                text = by_rule(prompt)
                scripted += time.thread_time() - at
                await asyncio.sleep(DELAY)
                prompt = await episode.answer_async(text, 100, 10)
        return time.perf_counter() - began

    before = time.process_time()
    walls = await asyncio.gather(*(one() for _ in range(AT_ONCE)))
    return (time.process_time() - before - scripted) / sum(walls)


def verifiers_run(programs: Path, fake: FakeEndpoint, game: str, episodes: int, *options: str) -> tuple[float, int]:
    """Return the processor seconds of a run in verifiers, without the endpoint's, and its turns."""
    client = ("--client.base-url", fake.url, "--client.api-key-var", "FAKE_KEY")
    command = ("vf-eval", f"parlour-{game}", "-n", str(episodes), "-m", "fake", *client, "--no-push", "--no-rich")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with TemporaryDirectory() as folder:
        ran(programs, *command, *options, "-o", "out", cwd=Path(folder))
        (traces,) = Path(folder).rglob("traces.jsonl")
        found = [json.loads(line) for line in traces.read_text(encoding="utf-8").splitlines()]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    turns = sum(len(trace["calls"]) for episode in found for trace in episode["traces"])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, turns


def verifiers_turn(programs: Path, game: str, *options: str) -> tuple[float, int]:
    """Return milliseconds of processor time per turn in verifiers, and the turns that were measured, which may be 0."""
    with FakeEndpoint() as fake:
        started, first = verifiers_run(programs, fake, game, FEW, *options)
        took, turns = verifiers_run(programs, fake, game, MORE, *options)
    return (took - started) / max(1, turns - first) * 1e3, turns - first


def main() -> None:
    """Print each figure beside its claim."""
    for setup, matches in ((diplomacy_setup(1902), 5), (fish_setup(), 20)):
        per_call(setup, 1)
        took, calls = per_call(setup, matches)
        print(f"{setup.game}: {took:.2f} ms of processor time per call over {calls} calls (claim: at most 1.5)")
    megabytes, took = live()
    print(f"{LIVE} live matches: {megabytes:.0f} MB, {took:.2f} ms of processor time per call (claim: at most 300 MB)")

    silent = EpisodeSetup.of("diplomacy", config={"last_year": 1902})
    for name, setup in (("fish", fish_setup()), ("diplomacy", silent), ("diplomacy with press", diplomacy_setup(1902))):
        share = asyncio.run(rollouts(setup))
        print(
            f"{name}: {share:.1%} of {AT_ONCE} rollouts at {DELAY * 1e3:.0f} ms per call is ours (claim: at most 1 %)"
        )

    python = python_of("verifiers")
    if python is None:
        print("verifiers is not installed, so that its turns are not measured: make harnesses")
        return
    took, turns = verifiers_turn(python.parent, "diplomacy", *PRESS)
    print(f"verifiers, in process: {took:.1f} ms of processor time per turn over {turns} turns (claim: at most 8)")
    stock = [word for seat in ("red", "white", "brown") for word in (f"--env.{seat}.harness.id", "null")]
    took, turns = verifiers_turn(python.parent, "fish", *stock)
    if turns:
        print(f"verifiers, with its own harness: {took:.0f} ms of processor time per turn over {turns} turns")
    else:
        print("verifiers, with its own harness: played no turn")


if __name__ == "__main__":
    main()
