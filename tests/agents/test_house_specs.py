"""Specs from the network: a closed list of agents and options, none of which names a file, a program or an address."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parlour
from parlour.agents import agents_of, make_agent, read_spec
from parlour.agents.house_specs import MAX_SPEC, house_agents, local_spec, remote_spec
from parlour.core.intents import PlayerType
from parlour.errors import ConfigError
from parlour.games import games

OFFERED = [(game, name) for game in games() for name in house_agents(game)]


@pytest.mark.parametrize(("game", "name"), OFFERED)
def test_every_agent_that_is_offered_can_be_made_and_is_what_it_says(game: str, name: str) -> None:
    spec = remote_spec(game, name)
    made = spec.make(7)
    assert spec.player_type == (getattr(made, "player_type", None) or PlayerType.NO_PRESS_BOT)


@pytest.mark.parametrize(("game", "name"), OFFERED)
def test_no_option_that_is_offered_is_a_free_text_or_a_number_without_end(game: str, name: str) -> None:
    recipe, usual = read_spec(game, name)
    for field, option in house_agents(game)[name].items():
        assert field in recipe.options.__struct_fields__, field
        assert bool(option.words) + option.switch + (option.high > option.low) == 1
        assert option.switch == (isinstance(getattr(usual, field), bool) or option.switch)
        if option.high > option.low:
            with pytest.raises(ConfigError, match=f"{field}: expected a "):
                remote_spec(game, f"{name}:{field}={option.high * 10 + 10:.0f}")
            remote_spec(game, f"{name}:{field}={option.high:.0f}")
        for word in option.words:
            remote_spec(game, f"{name}:{field}={word}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("deepmind:/dev/ptmx", "diplomacy has no 'deepmind' here, expected random, hold, "),
        ("deepmind", "diplomacy has no 'deepmind' here"),
        ("net:/etc/passwd", "net has no option '/etc/passwd' here, expected temperature"),
        ("net:path=/etc/passwd", "net has no option 'path' here, expected temperature"),
        ("net:temperature=1,path=/etc/passwd", "net has no option 'path' here"),
        ("llm:m@http://169.254.0.1/v1", "this server seats no language models"),
        ("bot.py:Bot", "diplomacy has no 'bot.py' here"),
        ("/bin/sh -c true", "diplomacy has no '/bin/sh -c true' here"),
        ("human", "diplomacy has no 'human' here"),
        ("search:seconds=86400", "search:seconds: expected a number from 0 to 2, got '86400.0'"),
        ("search:seconds=nan", "search:seconds: expected a number above 0"),
        ("search:budget=100000000", "search:budget: expected a number from 1 to 20000"),
        ("search100000000", "search:budget: expected a number from 1 to 20000"),
        ("search:budget=1,budget=2", "search was given budget twice"),
        ("broker:budget=100000", "broker:budget: expected a number from 1 to 2000"),
        ("hold:x=1", "hold has no option 'x' here, it takes none"),
        ("x" * 300, "expected at most 200 characters, got 300"),
        ("search:budget=5\n", "expected letters, digits and : = , . + - without blanks"),
        ("search:budget=\u0665", "expected letters, digits"),
        ("search:budget= 5", "expected letters, digits"),
        ("search:ascent=maybe", "search:ascent: expected on or off"),
    ],
)
def test_what_strangers_may_not_have_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as raised:
        remote_spec("diplomacy", text)
    assert str(raised.value).startswith(f"agent: {reason}")
    assert "\n" not in str(raised.value)


def test_a_file_that_exists_and_one_that_does_not_get_the_same_answer(tmp_path: Path) -> None:
    (tmp_path / ("here" * 10)).write_bytes(b"x")
    answers = set()
    for name in ("here" * 10, "gone" * 10):
        for agent in ("net", "deepmind"):
            with pytest.raises(ConfigError) as raised:
                remote_spec("diplomacy", f"{agent}:{tmp_path / name}"[:MAX_SPEC])
            answers.add(str(raised.value))
    assert len(answers) == 2, "it is named by what was typed, cut off"


@given(st.text(max_size=60), st.sampled_from(games()))
def test_a_text_from_the_network_opens_no_file_whatever_it_says(text: str, game: str) -> None:
    for spec in (text, f"net:{text}", f"deepmind:{text}", f"search:{text}", f"strong:{text}"):
        try:
            read = remote_spec(game, spec)
        except ConfigError:
            continue
        options = read_spec(game, spec)[1]
        assert not getattr(options, "path", "")
        assert read.text == spec


def test_the_operator_may_name_any_agent_and_gets_the_same(tmp_path: Path) -> None:
    for name in set(agents_of("diplomacy")) - {"deepmind"}:
        assert type(local_spec("diplomacy", name).make(1)) is type(make_agent("diplomacy", name, 1))
    spec = local_spec("diplomacy", f"deepmind:{tmp_path / 'none'}")
    with pytest.raises(ConfigError, match="cannot be read"):
        spec.make(1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_the_operator_who_names_a_pipe_is_told_so_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for agent in ("net", "deepmind"):
        with pytest.raises(ConfigError, match="not a regular file"):
            local_spec("diplomacy", f"{agent}:{pipe}").make(1)


def test_nothing_that_hears_from_the_network_can_reach_what_makes_local_agents() -> None:
    """Only these modules of net and web may name it: a tournament's house agents are a setting of the operator."""
    allowed = {"net/fish/server.py", "net/fish/tournament_matches.py"}
    forbidden = {"make_agent", "make_player", "local_spec", "read_spec", "recipe_of", "fetch_agent"}
    folder = Path(parlour.__file__).parent
    found = set()
    for path in [*(folder / "net").rglob("*.py"), *(folder / "web").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("parlour.agents"):
                names = {alias.name for alias in node.names}
                if names & forbidden or ("HouseSpec" in names and path.name != "house_agents.py"):
                    found.add(path.relative_to(folder).as_posix())
                if (node.module or "") == "parlour.agents.loading":
                    found.add(path.relative_to(folder).as_posix())
    assert found - allowed - {"net/client/agent_loop.py"} == set()
