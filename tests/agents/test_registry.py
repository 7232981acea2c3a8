"""Agents by name: every one can be made and plays, what does not exist is answered with what does."""

from __future__ import annotations

import pytest

from parlour.agents import agents_of, is_agent, make_agent, options_of
from parlour.errors import ConfigError
from parlour.games import games
from parlour.games.fish import GAME
from parlour.testing import check_player


@pytest.mark.parametrize("name", [*agents_of("fish"), "lookahead1", "lookahead3", "strong1"])
def test_every_fish_agent_plays_without_a_foul(name: str) -> None:
    check_player(GAME, lambda: make_agent("fish", name, 1), {"players": 3}, matches=1)


@pytest.mark.parametrize(
    ("game", "name", "message"),
    [
        ("fish", "clever", "agent: fish has no 'clever', expected random, greedy, lookahead, strong"),
        ("fish", "", "agent: fish has no ''"),
        ("fish", "lookahead0", "agent: lookahead takes a number from 1 to 5"),
        ("fish", "lookahead99999999", "agent: lookahead takes a number from 1 to 5"),
        ("fish", "strong0", "agent: strong takes a number from 1 to 10000"),
        ("fish", "greedy2", "agent: 'greedy' takes no number"),
        ("fish", "random7", "agent: 'random' takes no number"),
        ("chess", "random", "game: 'chess' is not known, expected"),
    ],
)
def test_a_name_that_does_not_exist_is_answered_in_one_line(game: str, name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        make_agent(game, name, 0)
    assert "\n" not in str(caught.value)


def test_names_with_options_are_told_from_paths_and_commands() -> None:
    assert is_agent("fish", "strong:nodes=5000")
    assert is_agent("fish", "lookahead3")
    assert not is_agent("fish", "bot.py:Strong")
    assert not is_agent("fish", "./strong")
    assert not is_agent("chess", "strong")


def test_what_an_agent_can_be_asked_for_is_said_in_words() -> None:
    assert options_of("fish", "strong") == {
        "nodes": "a whole number from 1000 to 10000000 (positions searched a move); 20000 if not said",
        "seconds": "a number above 0 up to 3600 (time a move, instead of nodes)",
    }
    assert options_of("fish", "random") == {}


@pytest.mark.parametrize(("game", "name"), [(game, name) for game in games() for name in agents_of(game)])
def test_every_option_is_described(game: str, name: str) -> None:
    assert all("(" in said for said in options_of(game, name).values())
