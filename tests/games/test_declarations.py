"""Declarations of games are true: every name in them exists, and every offered option is accepted by the rules."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files

import msgspec
import pytest

from parlour.agents import agents_of, make_agent, negotiates
from parlour.core.contest import Contest
from parlour.core.declaration import GameDeclaration, declaration_of, fetch
from parlour.core.game import Plain
from parlour.core.intents import PlayerType
from parlour.errors import ConfigError
from parlour.games import declared, filled, games, load_contest, load_game
from parlour.referee.conduct import PRESETS

ALL = [declared(name) for name in games()]
each = pytest.mark.parametrize("declaration", ALL, ids=lambda declaration: declaration.name)


def paths(declaration: GameDeclaration) -> Iterator[str]:
    """All that is named as module:name."""
    for field in msgspec.structs.fields(GameDeclaration):
        value = getattr(declaration, field.name)
        if field.name in ("agents", "exports", "environments"):
            yield from value.values()
        elif isinstance(value, str) and value.startswith("parlour."):
            yield value


@each
def test_all_that_is_named_is_there(declaration: GameDeclaration) -> None:
    named = list(paths(declaration))
    assert declaration.game in named
    for path in named:
        assert fetch(path) is not None
    for starter in declaration.starters.values():
        package, _, file = starter.partition(":")
        assert "{name}" in files(package).joinpath(file).read_text(encoding="utf-8")


@each
def test_the_rules_know_their_declaration(declaration: GameDeclaration) -> None:
    game = load_game(declaration.name)
    assert declaration_of(game) is declaration
    assert game.name == declaration.name
    assert getattr(game, "press_check", "") == declaration.press_check
    contest: Contest = load_contest(declaration.name)
    assert contest.scores


@each
def test_options_are_what_the_rules_accept_and_no_more(declaration: GameDeclaration) -> None:
    game = load_game(declaration.name)

    def accepted(name: str, value: Plain) -> bool:
        try:
            game.seats({name: value})
        except ConfigError as error:
            return error.field != name
        return True

    for option in declaration.options:
        assert option.help or option.default is not None, "somebody offers it"
        if option.choices:
            assert all(accepted(option.name, choice) for choice in option.choices)
            assert not accepted(option.name, "nothing of the kind")
            assert option.default is None or option.default in option.choices
        else:
            assert accepted(option.name, option.low)
            assert option.default is None or option.low <= int(option.default) <= option.high
            assert not accepted(option.name, "nothing of the kind")


def test_bounds_that_are_written_twice_agree() -> None:
    from parlour.games.diplomacy.maps.map import SHIPPED
    from parlour.games.diplomacy.scoring import Scoring
    from parlour.games.fish.board import MAX_FISH, MAX_SIDE
    from parlour.games.fish.position import COLOURS

    fish = {option.name: option for option in declared("fish").options}
    assert (fish["rows"].high, fish["cols"].high) == (MAX_SIDE, MAX_SIDE)
    assert fish["fish"].high == MAX_FISH
    assert fish["players"].high == len(COLOURS)
    diplomacy = {option.name: option for option in declared("diplomacy").options}
    assert diplomacy["map"].choices == tuple(SHIPPED)
    assert diplomacy["scoring"].choices == tuple(Scoring)


@each
def test_matches_that_it_proposes_can_be_played(declaration: GameDeclaration) -> None:
    game = load_game(declaration.name)
    for config in (declaration.trial, filled(declaration, {})):
        assert game.start(config, game.seats(config), 0).to_act()
    assert {declaration.conduct, declaration.lenient_conduct} <= set(PRESETS)
    if declaration.showpiece is not None:
        seats = game.seats(declaration.showpiece.config)
        assert len(seats) == len(declaration.showpiece.agents)
        assert set(declaration.showpiece.agents) <= set(agents_of(declaration.name))
    if declaration.talk_trial:
        config = fetch(declaration.talk_trial)({})
        assert game.start(config, game.seats(config), 0).to_act()
        assert set(declaration.talk_trial_agents) <= set(declaration.talkers)
    if declaration.counted:
        assert len(game.seats({declaration.counted: 3})) == 3


def diplomacy_position(year: int) -> Plain:
    return load_game("diplomacy").start({"last_year": year}, load_game("diplomacy").seats({}), 0).encode()


def test_a_match_that_nobody_limits_ends_in_good_time() -> None:
    diplomacy = declared("diplomacy")
    assert filled(diplomacy, {}) == {"last_year": 1910}
    assert filled(diplomacy, {"last_year": 1903, "map": "lagoon"}) == {"last_year": 1903, "map": "lagoon"}
    assert filled(declared("fish"), {"rows": 3}) == {"rows": 3}
    late = {"position": diplomacy_position(1950)}
    assert filled(diplomacy, late) == late, "a position that is given has years of its own"


@each
def test_those_who_negotiate_are_those_who_say_so(declaration: GameDeclaration) -> None:
    agents = agents_of(declaration.name)
    assert {declaration.rival, *declaration.talkers} <= set(agents)
    assert not declaration.talking_rival or declaration.talking_rival in declaration.talkers
    for name in agents:
        if name == "deepmind":  # takes the path of a file
            continue
        talks = getattr(make_agent(declaration.name, name), "player_type", None) == PlayerType.PRESS_BOT
        known = name in declaration.talkers or name in declaration.scripted
        assert talks is known is negotiates(declaration.name, name), name


def test_reading_declarations_loads_no_rules() -> None:
    code = (
        "import sys; from parlour.games import declared, games; [declared(name) for name in games()];"
        "print([name for name in sys.modules if '.kernel.' in name or name == 'numpy'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_declaration_does_not_change() -> None:
    with pytest.raises(AttributeError):
        ALL[0].name = "other"  # type: ignore[misc]
