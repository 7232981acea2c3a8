"""Tasks for inspect, `parlour/diplomacy` and `parlour/fish`: a sample is a match, a seat is a model role."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from parlour.errors import MissingExtra
from parlour.harness.episode import Episode, ModelPrompt
from parlour.harness.rows import keep_record, read_rewards, setups, weighted
from parlour.harness.setup import EpisodeSetup
from parlour.harness.standing import EpisodeStanding
from parlour.tournament.statistics.quantiles import t_quantile

try:
    import anyio.to_thread
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        ModelOutput,
        get_model,
    )
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.util import span, store
except ImportError:
    raise MissingExtra("inspect", "a task for inspect") from None

VERSION = 1
STANDING = "parlour"
ENDED = "the sample ended before the match"
_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@task
def diplomacy(
    matches: int = 1,
    seed: int = 0,
    press: bool = False,
    rounds: int = 3,
    last_year: int = 1910,
    level: int = 60,
    learners: str = "all",
    opponents: str = "",
    reward: str = "score",
    legal: bool = True,
    tokens: int | None = None,
    per_seat: bool = False,
    record: str = "",
) -> Task:
    """Return a task of Diplomacy matches; the roles are the powers in lower case.

    Args:
        matches: Number of matches, one sample each.
        seed: Seed of the first match.
        press: True if powers negotiate.
        rounds: Maximum number of talks per turn.
        last_year: Matches end after this year.
        level: Highest DAIDE level of press; 8000 allows free text.
        learners: Powers that models play: all, rotate (one per match), or a power's name.
        opponents: House agent on the other seats; empty for the usual rival.
        reward: Rewards with weights, for example score=1,legality=0.1; the names are score, win, legality, kept.
        legal: True if prompts list the legal orders.
        tokens: Maximum number of tokens per seat and match.
        per_seat: True to add the reward of each seat to the metrics.
        record: Folder for records.
    """
    options: dict[str, bool | int | float | str] = {"rounds": rounds} if press else {}
    rows = setups(
        "diplomacy",
        seed=seed,
        matches=matches,
        config={"last_year": last_year},
        press=press,
        level=level,
        learners=learners,
        opponents=opponents,
        tokens=tokens,
        options=options | ({} if legal else {"legal": False}),
    )
    return _task(list(rows), reward, per_seat, record)


@task
def fish(
    matches: int = 1,
    seed: int = 0,
    players: int = 3,
    rows: int = 4,
    cols: int = 4,
    learners: str = "all",
    opponents: str = "",
    reward: str = "score",
    legal: bool = True,
    tokens: int | None = None,
    per_seat: bool = False,
    record: str = "",
) -> Task:
    """Return a task of Fish matches; the roles are the colours.

    Args:
        matches: Number of matches, one sample each.
        seed: Seed of the first match.
        players: Number of seats, two to four.
        rows: Rows of the board.
        cols: Columns of the board.
        learners: Seats that models play: all, rotate (one per match), or a colour.
        opponents: House agent on the other seats; empty for the usual rival.
        reward: Rewards with weights, for example score=1,legality=0.1; the names are score, win, legality, kept.
        legal: True if prompts list the legal moves.
        tokens: Maximum number of tokens per seat and match.
        per_seat: True to add the reward of each seat to the metrics.
        record: Folder for records.
    """
    found = setups(
        "fish",
        seed=seed,
        matches=matches,
        config={"players": players, "rows": rows, "cols": cols},
        learners=learners,
        opponents=opponents,
        tokens=tokens,
        options={} if legal else {"legal": False},
    )
    return _task(list(found), reward, per_seat, record)


def _task(rows: Sequence[EpisodeSetup], reward: str, per_seat: bool, record: str) -> Task:
    samples = [
        Sample(input=f"{setup.game}, seed {setup.seed}", id=f"{setup.game}-{setup.seed}", metadata=setup.options())
        for setup in rows
    ]
    weights = read_rewards(reward)
    return Task(dataset=samples, solver=play_match(record), scorer=match_standing(weights, per_seat), version=VERSION)


@solver
def play_match(record: str = "") -> Solver:
    """Return a solver that plays the match of a sample; each prompt goes to the model of its seat's role."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = Episode(msgspec.convert(state.metadata, EpisodeSetup))
        try:
            prompt = await anyio.to_thread.run_sync(episode.ask)
            while prompt is not None:
                output = await _generated(prompt)
                prompt = await anyio.to_thread.run_sync(_answered, episode, output)
            state.output = ModelOutput.from_content("policy", episode.standing().table())
        finally:
            # A sample limit ends the solver here, but the scorer still runs.
            if not episode.over:
                episode.finish(ENDED)
            digest, path = keep_record(episode, record)
            found = msgspec.to_builtins(episode.standing())
            store().set(STANDING, {"standing": found, "sha256": digest, "record": path})
            episode.close()
        return state

    return solve


async def _generated(prompt: ModelPrompt) -> ModelOutput:
    messages: list[ChatMessage] = [_ROLES[role](content=text) for role, text in prompt.messages]
    config = GenerateConfig(max_tokens=prompt.max_tokens, temperature=prompt.temperature)
    async with span(prompt.seat):
        return await get_model(role=prompt.seat.lower()).generate(messages, config=config)


def _answered(episode: Episode, output: ModelOutput) -> ModelPrompt | None:
    finish = "length" if output.stop_reason in ("max_tokens", "model_length") else str(output.stop_reason or "stop")
    usage = output.usage
    if usage is None:
        return episode.answer(output.completion, finish=finish)
    thought = usage.reasoning_tokens or 0
    read = usage.input_tokens + (usage.input_tokens_cache_read or 0)
    wrote = max(0, usage.output_tokens - thought)
    return episode.answer(output.completion, read, wrote, tokens_reasoning=thought, finish=finish)


@metric
def low() -> Metric:
    """Return a metric: the lower end of the 95 % interval of the mean over samples."""

    def lower(scores: list[SampleScore]) -> float:
        return _interval(scores)[0]

    return lower


@metric
def high() -> Metric:
    """Return a metric: the upper end of the 95 % interval of the mean over samples."""

    def upper(scores: list[SampleScore]) -> float:
        return _interval(scores)[1]

    return upper


def _interval(scores: list[SampleScore]) -> tuple[float, float]:
    """Return the interval of the mean by Student's t; NaN if there are fewer than two samples."""
    values = [score.score.as_float() for score in scores]
    if len(values) < 2:
        return math.nan, math.nan
    middle = sum(values) / len(values)
    spread = math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))
    half = spread * t_quantile(len(values) - 1)
    if all(0 <= value <= 1 for value in values):
        return max(0.0, middle - half), min(1.0, middle + half)
    return middle - half, middle + half


@scorer(metrics={"*": [mean(), stderr(), low(), high()]})
def match_standing(weights: dict[str, float] | None = None, per_seat: bool = False) -> Scorer:
    """Return a scorer of matches: means over the seats that models play, with all figures in the metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        kept: dict[str, Any] = store().get(STANDING)
        standing = msgspec.convert(kept["standing"], EpisodeStanding)
        models = [seat for seat, row in standing.seats.items() if row.is_model]
        rows = {seat: standing.seats[seat].row() for seat in models}
        used = weights or {"score": 1.0}
        value: dict[str, float] = {"reward": _mean([weighted(standing, seat, used) for seat in models])}
        for name in ("score", "win", "legality", "kept", "broken", "fouls", "tokens"):
            value[name] = _mean([rows[seat][name] for seat in models])
        if per_seat:
            # All seats, because every sample needs the same names.
            value |= {f"{seat}/reward": weighted(standing, seat, used) for seat in standing.seats}
        return Score(
            value=value,
            answer=standing.reason or "unfinished",
            explanation=standing.table(),
            metadata={"sha256": kept["sha256"], "record": kept["record"], "void": standing.void, "seats": rows},
        )

    return score


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
