"""Compares models or prompts: each meets the same panel, in the same deals, on every seat.

An evaluation is one tournament per game: the models are the challengers of a gauntlet, the panel is its field.
Therefore it is paired by block, resumes after any interruption, and stops by the same sequential test.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from parlour import __version__
from parlour.agents import LLM, check_match, is_agent, make_agent
from parlour.agents.llm.prices import price_of
from parlour.agents.llm.spec import LOCAL, LlmSpec, read_spec, short_name
from parlour.agents.specs import split_spec
from parlour.core.game import Plain
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.games import declared, filled, games, load_contest
from parlour.referee.conduct import preset
from parlour.tournament.plan import Contender, Plan, seats_of
from parlour.tournament.reports.page import interval, promises
from parlour.tournament.reports.standings import Line, Standings
from parlour.tournament.statistics.comparisons import PairedDifference
from parlour.tournament.statistics.stopping import StopRule, read_rule

BOTH = "both"
MARGIN = 0.1
"""Difference of scores that the default sequential test looks for."""
MOST_MODELS = 50
MOST_PROBLEMS = 3
"""Maximum number of different reasons for void matches that are shown."""


class EvaluationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of an evaluation."""

    name: str
    models: tuple[str, ...]
    """Models as `llm:MODEL@URL?options`, or any agents as in `parlour play`."""
    panel: tuple[str, ...] = ()
    games: str = BOTH
    blocks: int = 30
    """Maximum number of blocks per game."""
    stop: str = ""
    """Rule of the sequential test, by the names of the models; with two models there is one by default."""
    usd: float | None = None
    press: bool = False
    seed: int = 0
    config: dict[str, dict[str, Plain]] = {}
    """Fields of the configuration, by game."""
    cassette: str = ""
    """Folder for one cassette per model."""
    tape: str = "both"


def plans_of(request: EvaluationRequest) -> list[Plan]:
    """Return one tournament per game; raise ConfigError if the evaluation cannot be played."""
    if not 1 <= len(request.models) <= MOST_MODELS:
        raise ConfigError(f"models: expected 1 to {MOST_MODELS}, got {len(request.models)}", field="models")
    wanted = list(games()) if request.games == BOTH else request.games.split(",")
    contenders = _contenders(request)
    unknown = set(request.config) - set(wanted)
    if unknown:
        raise ConfigError(f"set: expected {', '.join(wanted)}, got {min(unknown)!r:.40}", field="set")
    return [_plan(request, game, contenders) for game in wanted if declared(game).model]


def _plan(request: EvaluationRequest, game: str, contenders: Sequence[Contender]) -> Plan:
    declaration = declared(game)
    talks = request.press and declaration.talks
    panel = panel_of(request, game)
    names = [one.name for one in contenders]
    # Matches are short by default, because a block has many and each costs tokens.
    config = filled(declaration, {**_short(game), **request.config.get(game, {})})
    for agent in panel:
        make_agent(game, agent, request.seed)
    for agent in (*panel, *(one.agent for one in contenders)):
        check_match(game, agent, config)
    press = PressTerms(PressMode.WINDOW if talks else PressMode.NONE)
    form = "gauntlet"
    plan = Plan(
        tournament=f"{request.name}-{game}",
        game=game,
        config=config,
        terms=Terms(preset(declaration.conduct), press=press),
        format=form,
        seats=seats_of(game, config, form, None),
        contenders=(*contenders, *(Contender(f"{agent} (panel)", agent) for agent in panel)),
        blocks=request.blocks,
        seed=request.seed,
        score=load_contest(game).scores[0],
        anchor=f"{panel[-1]} (panel)",
        stop=_rule(request, names),
        challengers=len(contenders),
        version=__version__,
    )
    plan.check()
    return plan


def _short(game: str) -> dict[str, Plain]:
    declaration = declared(game)
    return {name: value for name, value in declaration.trial.items() if name != declaration.counted}


def panel_of(request: EvaluationRequest, game: str) -> list[str]:
    """Return the agents of the panel that play a game; the game's usual rival if none of them does."""
    declaration = declared(game)
    found = [agent for agent in dict.fromkeys(request.panel) if is_agent(game, agent)]
    for agent in request.panel:
        if not any(is_agent(other, agent) for other in games()):
            known = [name for other in games() for name in declared(other).agents]
            raise ConfigError(f"panel: no game has an agent {agent!r:.60}{hint(agent, known)}", field="panel")
    talks = request.press and declaration.talks
    return found or [(declaration.talking_rival if talks else "") or declaration.rival]


def _rule(request: EvaluationRequest, names: Sequence[str]) -> StopRule | None:
    if request.stop:
        return read_rule(request.stop, names)
    return StopRule(names[0], names[1], MARGIN) if len(names) == 2 else None


def _contenders(request: EvaluationRequest) -> tuple[Contender, ...]:
    found: dict[str, str] = {}
    for number, agent in enumerate(request.models, 1):
        name = short_name(agent)
        if name in found:
            name = f"{name}#{number}"
        found[name] = _taped(agent, name, request)
        _check_price(agent, request.usd)
    return tuple(Contender(name, agent) for name, agent in found.items())


def _spec(agent: str) -> LlmSpec | None:
    name, rest = split_spec(agent)
    return read_spec(rest) if name == LLM else None


def _check_price(agent: str, usd: float | None) -> None:
    """Raise ConfigError for a cap in dollars on a remote model whose price is not known."""
    spec = _spec(agent)
    if spec is None or usd is None or spec.host.partition(":")[0] in LOCAL:
        return
    if price_of(spec.model, spec.options.prices) is None:
        raise ConfigError(
            f"usd: the price of {spec.model} is not known, expected it in a file named by PARLOUR_PRICES", field="usd"
        )


def _taped(agent: str, name: str, request: EvaluationRequest) -> str:
    """Return the model with its own cassette, if the evaluation uses cassettes."""
    if not request.cassette or _spec(agent) is None:
        return agent
    safe = "".join(sign if sign.isalnum() or sign in "-._" else "-" for sign in name)
    sign = "&" if "?" in agent else "?"
    return f"{agent}{sign}cassette={request.cassette}/{safe}.jsonl&tape={request.tape}"


HEADINGS = "legal: usable answers; tokens: per decision; fouled: matches lost by a foul"
"""Explanation of the columns of a comparison."""


class GameComparison(msgspec.Struct, frozen=True):
    """The result of an evaluation in one game."""

    game: str
    panel: tuple[str, ...]
    table: Standings
    spent: float
    """Cost in US dollars."""
    capped: bool
    """True if the cap ended the evaluation."""
    problems: tuple[str, ...] = ()
    """Reasons why matches could not be played."""

    def lines(self, models: Sequence[str]) -> list[str]:
        """Return the models with their figures, and the paired differences between them, as text."""
        width = max(len("model"), *map(len, models))
        talked = any(line.press for line in self.table.lines)
        head = f"{'model':{width}}  score            legal  tokens  USD      fouled  matches"
        head += "  pacts kept" if talked else ""
        found = [f"{self.game}, against {', '.join(self.panel)}; score: {self.table.score}", head]
        found += [_line(line, width) for line in self.table.lines if line.name in models]
        for pair in self.table.differences:
            if pair.one in models and pair.other in models:
                found.append(_difference(pair))
        stopped = "; the cap ended it" if self.capped else ""
        unpriced = any(line.calls is not None and line.calls.unpriced for line in self.table.lines)
        spent = f"{self.spent:.4f} USD" + (" and calls of unknown price" if unpriced else "")
        blocks = f"{self.table.blocks} of {self.table.cap} blocks, {spent}{stopped}"
        found += [self.table.verdict] if self.table.verdict else []
        void = [f"{self.table.void} matches do not count: {why}" for why in self.problems[:MOST_PROBLEMS]]
        return [*found, *void, blocks]


def _difference(pair: PairedDifference) -> str:
    """Return a paired difference with its interval; without spread there is no interval."""
    if pair.half is None and pair.blocks > 1:
        return f"{pair.one} - {pair.other}: {pair.difference:+.3f} in every block"
    return f"{pair.one} - {pair.other}: {pair.difference:+.3f}{interval(pair.half)}, paired by block"


def _line(line: Line, width: int) -> str:
    score = "-" if line.score is None else f"{line.score.mean:.3f}{interval(line.score.half)}"
    calls = line.calls
    legal = f"{calls.usable / calls.answered:5.0%}" if calls and calls.answered else "    -"
    tokens = f"{calls.tokens / calls.decisions:6.0f}" if calls and calls.decisions else "     -"
    usd = "-" if calls is None else "unknown" if calls.unpriced else f"{calls.usd:.4f}"
    kept = f"  {promises(line)}" if line.press else ""
    return (
        f"{line.name:{width}}  {score:15}  {legal}  {tokens}  {usd:7}  {line.lost_by_foul:6d}  {line.played:7d}{kept}"
    )


class Evaluation(msgspec.Struct, frozen=True):
    """The result of an evaluation, for programs."""

    request: EvaluationRequest
    models: tuple[str, ...]
    """Names of the models in the tables, in the order of the request."""
    games: tuple[GameComparison, ...]

    def text(self) -> str:
        """Return the comparison of every game, and an explanation of the headings."""
        return "\n\n".join((*("\n".join(game.lines(self.models)) for game in self.games), HEADINGS))
