"""Language models on the command line: cassettes, limits of cost, calls, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from parlour.agents import LLM
from parlour.agents.llm.answers import GOOD, ReplyClass
from parlour.cli.options.kinds import FILE, option, real, whole, with_options
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.intents import Consultation
from parlour.core.text import printable
from parlour.errors import ConfigError
from parlour.matches.spec import MatchSpec

WIDTH = 4000
"""Maximum characters of a line of a prompt or an answer."""


model_options = with_options(
    option("--cassette", "File of models' answers: known ones are replayed, new ones recorded.", FILE),
    option(
        "--cassette-mode tape",
        "Record only, replay only (no key, no network), or both.",
        ["record", "replay", "both"],
        "both",
    ),
    option("--tokens", "Maximum number of tokens per seat's model and match.", whole(0)),
    option("--usd", "Maximum cost per seat's model and match, in US dollars.", real(0)),
)


def is_model(agent: str) -> bool:
    """Return True if an agent is a language model."""
    return agent.startswith(f"{LLM}:")


def on_cassette(agent: str, cassette: Path | None, tape: str) -> str:
    """Return the agent as it is made: a model answers from the cassette, if there is one."""
    if cassette is None or not is_model(agent):
        return agent
    joint = "&" if "?" in agent else "?"
    return f"{agent}{joint}cassette={quote(str(cassette))}&tape={tape}"


def check_prices(agents: Iterable[str], usd: float | None, option: str = "usd") -> None:
    """Raise ConfigError if a limit in dollars is set and the price of a model is not known."""
    from parlour.agents.llm.prices import price_of
    from parlour.agents.llm.spec import read_spec

    for agent in dict.fromkeys(filter(is_model, agents)) if usd is not None else ():
        spec = read_spec(agent.partition(":")[2])
        if price_of(spec.model, spec.options.prices) is None:
            instead = option.replace("usd", "tokens")
            wanted = f"a price of {spec.model}: set PARLOUR_PRICES or prices=FILE of the agent, or limit --{instead}"
            raise ConfigError(f"{option}: --{option} {usd:g} needs {wanted}", field=option)


def guard_of(cassette: Path | None, tape: str) -> Callable[[], None] | None:
    """Return a guard that raises CassetteMiss once the cassette lacked an answer.

    The rest of the match would mean nothing, so the match ends.
    """
    if cassette is None or tape != "replay":
        return None
    from parlour.agents.llm.cassette import Cassette

    shared = Cassette.at(str(cassette), "replay")

    def guard() -> None:
        if shared.missed is not None:
            raise shared.missed

    return guard


def guard_of_spec(spec: MatchSpec) -> Callable[[], None] | None:
    """Return the guard of a match that is resumed: that of its players' cassette, if they only replay one."""
    from parlour.agents.llm.spec import read_spec

    for player in spec.players.values():
        if is_model(player.agent):
            options = read_spec(player.agent.partition(":")[2]).options
            if options.cassette:
                return guard_of(Path(options.cassette), options.tape)
    return None


def consulted(events: Iterable[Event]) -> Iterator[str]:
    """Yield every call of a model in a record, in lines: tokens and cost, the prompt, the answer."""
    systems: dict[str, str] = {}
    for event in events:
        if not isinstance(event, ev.Consulted):
            continue
        call = event.consultation
        yield f"turn {event.turn}, {event.seat}, {call.purpose} ({call.verdict}): {_cost(call)}"
        if call.system and call.system not in systems:
            systems[call.system] = call.system_text
            yield from _indented(f"system {call.system}", call.system_text)
        yield from _indented("asked", call.prompt)
        yield from _indented("fault" if call.fault else "answered", call.fault or call.answer)


def _cost(call: Consultation) -> str:
    tokens = f"{'about ' if call.estimated else ''}{call.tokens_in}+{call.tokens_out + call.tokens_reasoning} tokens"
    money = f"{call.usd:.4f} USD" if call.priced else "price unknown"
    return f"{printable(call.model, 60)} at {call.host or 'nowhere'}, {tokens}, {money}, {call.seconds:.1f} s"


def _indented(heading: str, text: str) -> Iterator[str]:
    yield f"  {heading}:"
    for line in text.splitlines() or [""]:
        yield f"    {printable(line, WIDTH)}".rstrip()


def summary(events: Sequence[Event]) -> list[str]:
    """Return a line for each seat that called a model.

    The line has the classes of answers, the share of usable ones, the tokens per decision, and the total cost.
    """
    calls: dict[Seat, list[Consultation]] = {}
    for event in events:
        if isinstance(event, ev.Consulted):
            calls.setdefault(event.seat, []).append(event.consultation)
    return [f"{seat}: {_summed(own)}" for seat, own in calls.items()]


def _summed(calls: Sequence[Consultation]) -> str:
    classes = Counter(call.verdict for call in calls)
    answered = len(calls) - classes[ReplyClass.TRANSPORT]
    good = sum(classes[word] for word in GOOD)
    decisions = sum(call.attempt == 1 and call.verdict != ReplyClass.TRANSPORT for call in calls) or 1
    tokens = sum(call.tokens for call in calls)
    money = f"{sum(call.usd for call in calls):.4f} USD" if all(call.priced for call in calls) else "price unknown"
    kinds = ", ".join(f"{count} {word}" for word, count in classes.most_common())
    read = f"{100 * good / answered:.0f} % usable" if answered else "none answered"
    made = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    return f"{made} ({kinds}), {read}, {tokens / decisions:.0f} tokens per decision, {tokens} in all, {money}"
