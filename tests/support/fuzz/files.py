"""Files and command-line arguments of people, for the fuzzer, where more is done with them than reading."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from parlour.errors import ParlourError

Target = Callable[[bytes], None]


def quietly(read: Callable[[bytes], object]) -> Target:
    """Return a reader that may raise what is meant to be raised."""

    def target(raw: bytes) -> None:
        with contextlib.suppress(ParlourError):
            read(raw)

    return target


def text_of(raw: bytes) -> str:
    """Return the input as text."""
    return raw.decode("utf-8", "replace")


def scratch(name: str) -> Path:
    """Where to put an input that is read from a file."""
    return Path(tempfile.mkdtemp(prefix="parlour-fuzz-")) / name


def copies() -> Target:
    """Copies of stores: what is in them is then read as servers and verbs read it, plans and results included."""
    from parlour.store import RecordKind, open_store, read_events
    from parlour.store.copies import restore
    from parlour.tournament.knock_out.tournament import resume
    from parlour.tournament.storage import tournament_store as results_store
    from parlour.web.standings import course_content, series_content

    path = scratch("store.db")

    def look(raw: bytes) -> None:
        for left in path.parent.iterdir():
            left.unlink()
        with open_store(str(path)) as store:
            restore(store, raw.splitlines())
            for head in list(store.heads()):
                over = head.result is not None
                with contextlib.suppress(ParlourError):
                    if head.kind is RecordKind.MATCH:
                        read_events(store, head.id)
                    elif results_store.is_between_agents(head):
                        series_content(results_store.read(store, head.id)[0], over=over)
                    else:
                        course_content(resume(store, head.id)[0], over=over)

    return quietly(look)


def harnesses() -> Target:
    """Feed the harnesses of Fish and the verbs that take positions: the name of one in the first line."""
    from parlour.cli import fish
    from parlour.cli.options.bounded_json import read_value
    from parlour.games.diplomacy.formats.exchange import EXCHANGE as DIPLOMACY
    from parlour.games.fish.exchange import EXCHANGE as FISH

    def command(name: str) -> Callable[..., object]:
        reply = fish.command.commands[name].callback
        assert reply is not None
        assert reply.__closure__ is not None
        found: Callable[..., object] = next(
            cell.cell_contents for cell in reply.__closure__ if callable(cell.cell_contents)
        )
        return found

    replies: dict[str, Callable[..., object]] = {
        **{name: command(name) for name in ("xboard", "xstate", "xtree", "xstrategy", "xref")},
        "adjudicate": DIPLOMACY.adjudicate,
        "orders": DIPLOMACY.orders,
        "draw": lambda value: DIPLOMACY.draw(value, theme="light", width=None),
        "fish": FISH.adjudicate,
        "fish orders": FISH.orders,
        "draw fish": lambda value: FISH.draw(value, theme="light", width=None),
    }

    def look(raw: bytes) -> None:
        name, _, said = raw.partition(b"\n")
        if (reply := replies.get(text_of(name))) is not None:
            reply(read_value(said))

    return quietly(look)


def specs() -> Target:
    """Agents with their options, models with their addresses, and options of doors, as people write them."""
    from parlour.agents import is_agent, negotiates
    from parlour.agents.llm.spec import read_spec
    from parlour.agents.specs import split_spec
    from parlour.games import declared, games
    from parlour.net.daide.options import read_options
    from parlour.tournament.schedules.formats import against
    from parlour.tournament.statistics.stopping import read_rule

    def look(raw: bytes) -> None:
        text = text_of(raw)
        split_spec(text)
        for game in games():
            is_agent(game, text)
            negotiates(game, text)
            declared(game)
        readers: tuple[Callable[[str], object], ...] = (
            read_spec,
            against,
            lambda text: read_options(10, 0, text.split()),
            lambda text: read_rule(text, ("search", "dumbbot")),
        )
        for read in readers:
            with contextlib.suppress(ParlourError):
                read(text)

    return quietly(look)


def prices() -> Target:
    """Tables of what models cost."""
    from parlour.agents.llm.prices import read_prices

    path = scratch("prices.toml")

    def look(raw: bytes) -> None:
        path.write_bytes(raw)
        read_prices(path)

    return quietly(look)


def geometries() -> Target:
    """Pictures of maps."""
    from parlour.games.diplomacy.draw.geometry import read_geometry

    return quietly(lambda raw: read_geometry(raw, "fuzzed.json"))


def trajectories() -> Target:
    """Published trajectories, which are replayed."""
    from parlour.deepmind.actions import MAX_LEGAL_ACTIONS
    from parlour.deepmind.compare import compare_trajectory
    from parlour.deepmind.container import loads
    from parlour.deepmind.state import State
    from parlour.deepmind.trajectory import padded

    # Too long for an input, so that those of the first phase are taken.
    legal = [padded(State().legal_actions(), MAX_LEGAL_ACTIONS, 0, "legal actions")]

    def look(raw: bytes) -> None:
        parts = loads(raw)
        if isinstance(parts, dict):
            given = parts.get("legal_actions", legal)
            compare_trajectory(
                parts.get("observations"), given, parts.get("actions_outputs"), parts.get("step_outputs")
            )

    return quietly(look)


def earlier() -> Target:
    """Saved games that go on at a server, with what was said in them."""
    from parlour.net.mila.earlier import packed, read_earlier, unpacked

    def look(raw: bytes) -> None:
        with contextlib.suppress(ParlourError):
            unpacked(text_of(raw))
        past = read_earlier(unpacked(packed(raw)))
        list(past.parts())
        for role in ("FRANCE", "observer_type", "omniscient_type"):
            list(past.heard(role))
            past.before(role)

    return quietly(look)
