"""Matches for verifiers (v1): a trace per seat, a harness in this process, rewards from the record.

The two packages that its hub installs, `parlour-diplomacy` and `parlour-fish`, only name the seats.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from parlour.core.game import Plain
from parlour.errors import MissingExtra
from parlour.harness.episode import Episode, ModelPrompt
from parlour.harness.rows import keep_record, read_rewards, setups
from parlour.harness.setup import EpisodeSetup
from parlour.harness.standing import REWARDS

try:
    import httpx
    import verifiers.v1 as vf
except ImportError:
    raise MissingExtra("verifiers", "an environment for verifiers") from None

SEAT = vf.AgentConfig(runtime=vf.SubprocessConfig())
"""The default of a seat: the run's model, without a sandbox, because no code runs for a seat."""
CALL_SECONDS = 3600.0
ENDED = "the run of this seat has ended"


class DirectHarnessConfig(vf.HarnessConfig):
    """The settings of a DirectHarness, which has none of its own."""


class DirectHarness(vf.Harness[DirectHarnessConfig]):
    """A harness that sends each prompt to the endpoint from this process, without a history.

    Each prompt contains all necessary information, so it is a separate conversation. A repair quotes the first answer.
    """

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        **_: Any,
    ) -> vf.ProgramResult:
        """Ask the model once; return exit code 1 if the call fails."""
        prompt = data.prompt or []
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else [_wire(one) for one in prompt]
        try:
            answer = await _client().post(
                f"{endpoint}/chat/completions",
                json={"model": ctx.model, "messages": messages},
                headers={"authorization": f"Bearer {secret}"},
            )
        except httpx.HTTPError as error:
            return vf.ProgramResult(exit_code=1, stdout="", stderr=f"{type(error).__name__}: {error}")
        refused = answer.status_code != 200
        return vf.ProgramResult(exit_code=int(refused), stdout="", stderr=answer.text[:2000] if refused else "")

    async def resume(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        messages: vf.Messages,
        *_: Any,
        **__: Any,
    ) -> vf.ProgramResult:
        """Ask the model with these messages alone."""
        only = data.model_copy(update={"prompt": messages})
        return await self.launch(ctx, trace, runtime, endpoint, secret, mcp_urls, only)


_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()


def _client() -> httpx.AsyncClient:
    """Return the cached client of the running loop, because a new client costs as much as ten calls."""
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=256)
        _clients[loop] = httpx.AsyncClient(timeout=CALL_SECONDS, limits=limits)
    return _clients[loop]


def _wire(message: Any) -> dict[str, Any]:
    return {"role": message.role, "content": message.content}


class MatchDescription(vf.TaskData):
    """A match description: all settings that determine the match, except the answers."""

    setup: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies defaults
    rewards: dict[str, float] = {}  # noqa: RUF012 - pydantic copies defaults
    record: str = ""
    """Folder for the record; empty to write no record."""


class MatchTask(vf.Task[MatchDescription, vf.State, vf.TaskConfig]):
    """A match as a task; the environment records its rewards."""

    @property
    def key(self) -> str:
        """Name of the task that stays the same in every run."""
        return str(self.data.name)


class MatchTasksetConfig(vf.TasksetConfig):
    """The settings of a taskset, under `--env.taskset.*`."""

    seed: int = 0
    """Seed of the first match."""
    matches: int = 100
    """Number of matches."""
    learners: str = "all"
    """Seats that agents of the run play: all, rotate (one per match), or a seat's name."""
    opponents: str = ""
    """House agent on the other seats; empty for the game's usual rival."""
    reward: str = "score"
    """Rewards with weights, for example score=1,legality=0.1; the names are score, win, legality, kept."""
    tokens: int | None = None
    """Maximum number of tokens per seat and match."""
    legal: bool = True
    """True if prompts list the legal actions."""
    record: str = ""
    """Folder for records."""


class MatchRows:
    """The shared part of both games' tasksets: rows by seed."""

    GAME = ""
    config: Any

    def game_config(self) -> dict[str, Plain]:
        """Return the configuration of the game."""
        raise NotImplementedError

    def talks(self) -> dict[str, Any]:
        """Return the settings of press; empty for a game without press."""
        return {}

    def load(self) -> Iterable[MatchTask]:
        """Yield one task per match."""
        config = self.config
        talks = self.talks()
        options = {"legal": config.legal} | ({"rounds": talks.pop("rounds")} if "rounds" in talks else {})
        rewards = read_rewards(config.reward)
        for setup in setups(
            self.GAME,
            seed=config.seed,
            matches=config.matches,
            config=self.game_config(),
            learners=config.learners,
            opponents=config.opponents,
            tokens=config.tokens,
            options={name: value for name, value in options.items() if value is not True},
            **talks,
        ):
            name = f"{self.GAME}-{setup.seed}"
            data = MatchDescription(name=name, setup=setup.options(), rewards=rewards, record=config.record)
            yield MatchTask(data, config.task)


class MatchPlay:
    """The shared part of both games' environments: one match, one open conversation per seat."""

    config: Any

    async def setup(self, agents: vf.Agents) -> None:
        """Make seats with a model of their own untrainable, so that only the run's model is trained."""
        for name in type(self.config).model_fields:
            seat = getattr(self.config, name)
            if isinstance(seat, vf.AgentConfig) and seat.model is not None:
                getattr(agents, name).trainable = False

    async def run(self, task: MatchTask, agents: vf.Agents) -> None:
        """Play one match, and record the rewards and metrics of each seat."""
        episode = Episode(msgspec.convert(task.data.setup, EpisodeSetup))
        lines: dict[str, Any] = {}
        try:
            async with AsyncExitStack() as open_lines:
                for seat in map(str, episode.setup.asked()):
                    line = getattr(agents, seat.lower()).interaction(task)
                    lines[seat] = await open_lines.enter_async_context(line)
                await _converse(episode, lines)
            await asyncio.to_thread(_settle, episode, lines, task.data)
        finally:
            episode.close()


async def _converse(episode: Episode, lines: dict[str, Any]) -> None:
    """Answer every prompt through the conversation of its seat until the match is over.

    Raises:
        RuntimeError: The model of a seat failed.
    """
    ended: set[str] = set()
    prompt = await episode.ask_async()
    while prompt is not None:
        line = lines[prompt.seat]
        if prompt.seat not in ended:
            segment = await line.turn(prompt.chat())
            if not segment.terminated:
                prompt = await _answered(episode, line.trace, segment)
                continue
            ended.add(prompt.seat)
            if line.trace.errors:
                # The other seats' traces are valid, but a reward from this match would mislead their training.
                raise RuntimeError(f"the model of {prompt.seat} failed: {line.trace.errors[-1].message}")
        prompt = await episode.answer_async("", fault=ENDED)


async def _answered(episode: Episode, trace: Any, segment: Any) -> ModelPrompt | None:
    text = segment.messages[-1].content if segment.messages else segment.last_reply
    call = trace.calls[-1]
    finish, usage = call.finish_reason or "stop", call.usage
    if usage is None:
        return await episode.answer_async(text or "", finish=finish)
    thought = usage.reasoning_tokens or 0
    read = usage.prompt_tokens + (usage.cached_input_tokens or 0)
    written = max(0, usage.completion_tokens - thought)
    return await episode.answer_async(text or "", read, written, tokens_reasoning=thought, finish=finish)


def _settle(episode: Episode, lines: dict[str, Any], data: MatchDescription) -> None:
    """Record rewards and metrics on the trace of each seat."""
    digest, path = keep_record(episode, data.record)
    standing = episode.standing()
    for seat, line in lines.items():
        row = standing.seats.get(seat)
        if row is None:
            continue
        for name in REWARDS:
            line.trace.record_reward(name, standing.reward(seat, name), data.rewards.get(name, 0.0))
        for name, value in row.row().items():
            if name not in REWARDS or name == "kept":
                line.trace.record_metric(name if name != "kept" else "promises_kept", value)
        line.trace.info["parlour"] = {
            "seat": seat,
            "sha256": digest,
            "record": path,
            "finished": standing.finished,
            "void": standing.void,
            "reason": standing.reason,
        }
