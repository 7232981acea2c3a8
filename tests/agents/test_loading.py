"""Players from what somebody typed: classes of one's own with what lies beside them, names, commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.loading import is_command, make_player
from parlour.agents.program import Program
from parlour.agents.watched import Crash, Mishap
from parlour.core.game import View
from parlour.core.player import Player
from parlour.errors import ConfigError
from parlour.games.fish import GAME

BOT = """
import beside

class Bot:
    def act(self, view):
        import later
        return [beside.NAME, later.NAME]

class Crashes:
    def act(self, view):
        return {}["nothing"]
"""


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Leave no bot's folder on the path, and none of its modules."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def view() -> View:
    seats = GAME.seats({"players": 2})
    return View(seats[0], GAME.start({"players": 2}, seats, 1), 1)


def answer_of(player: Player) -> Any:
    return player.act(view())


def bot_in(folder: Path, name: str) -> str:
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    for module in ("beside", "later"):
        (folder / f"{module}.py").write_text(f"NAME = {name!r}\n")
    return f"{folder / 'bot.py'}:Bot"


def test_a_class_may_import_what_lies_beside_it_at_once_and_later(tmp_path: Path) -> None:
    assert answer_of(make_player("fish", bot_in(tmp_path / "one", "ann"), 0)) == ["ann", "ann"]


def test_two_authors_may_call_their_files_the_same(tmp_path: Path) -> None:
    one, two = (make_player("fish", bot_in(tmp_path / name, name), 0) for name in ("ann", "bob"))
    assert answer_of(two)[0] == "bob"
    assert answer_of(one)[0] == "ann"
    assert answer_of(make_player("fish", f"{tmp_path / 'ann' / 'bot.py'}:Bot", 0))[0] == "ann"


def test_a_file_of_an_author_hides_no_library(tmp_path: Path) -> None:
    bot = bot_in(tmp_path / "one", "ann")
    (tmp_path / "one" / "colorsys.py").write_text("raise RuntimeError('hidden')\n")
    make_player("fish", bot, 0)
    import colorsys

    assert colorsys.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0.0)


def test_what_goes_wrong_in_a_class_is_noted(tmp_path: Path) -> None:
    found: list[Mishap] = []
    bot = bot_in(tmp_path / "one", "ann").replace(":Bot", ":Crashes")
    with pytest.raises(KeyError):
        make_player("fish", bot, 0, found.append).act(view())
    (crash,) = found
    assert isinstance(crash, Crash)
    assert crash.place == "bot.py:11, in act"


def test_what_an_agent_is_asked_for_by_is_no_command() -> None:
    assert is_command("fish", "python3 bot.py")
    assert is_command("fish", "./bot")
    assert not is_command("fish", "strong:budget=1/2")
    assert not is_command("fish", "some/bot.py:Bot")
    assert not is_command("fish", "greedy")


def test_a_command_is_started() -> None:
    player = make_player("fish", "/bin/cat -", 0)
    assert isinstance(player, Program)
    player.close()


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("none.py:Bot", "there is no file"),
        ("nobody", "fish has no 'nobody'"),
        ("/no/such/program", "does not start"),
        ("greedy:depth=3", "depth"),
    ],
)
def test_who_cannot_be_had_is_refused_in_one_line(wanted: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_player("fish", wanted, 0)


def test_a_class_that_is_no_player_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("class Empty:\n    pass\n")
    with pytest.raises(ConfigError, match="Empty has neither act"):
        make_player("fish", f"{tmp_path / 'empty.py'}:Empty", 0)


def test_a_mistyped_class_is_answered_by_those_that_the_file_has(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text("class Fisher:\n    pass\n\n\nclass Other:\n    pass\n")
    with pytest.raises(ConfigError, match=r"has no class 'Fishr', expected Fisher or Other; did you mean Fisher\?$"):
        make_player("fish", f"{tmp_path / 'two.py'}:Fishr", 0)
    (tmp_path / "none.py").write_text("Bot = None\n")
    with pytest.raises(ConfigError, match=r"has no class 'Missing'$"):
        make_player("fish", f"{tmp_path / 'none.py'}:Missing", 0)


CHANCE = """
import random
class Bot:
    def __init__(self, seed=0, weight=1.0, name="plain", bold=False):
        self.made = (seed, weight, name, bold)
        self.rng = random.Random(seed)
    def act(self, view):
        return self.rng.choice(list(view.position.legal(view.seat)))
class Plain:
    def __init__(self, **options):
        self.made = options
    def act(self, view):
        return None
"""


def made_of(player: Player) -> Any:
    return player.made  # type: ignore[attr-defined]


def test_a_class_gets_the_seed_and_its_options(tmp_path: Path) -> None:
    (tmp_path / "chance.py").write_text(CHANCE)
    bot = f"{tmp_path / 'chance.py'}:Bot"
    assert made_of(make_player("fish", bot, 7)) == (7, 1.0, "plain", False)
    assert made_of(make_player("fish", f"{bot}:weight=0.3,name=2,bold=yes", 8)) == (8, 0.3, "2", True)
    assert made_of(make_player("fish", f"{bot}:seed=5", 8))[0] == 5
    assert made_of(make_player("fish", f"{tmp_path / 'chance.py'}:Plain:depth=2", 8)) == {"depth": 2}
    assert not is_command("fish", f"{bot}:weight=0.3")
    first, second, other = (make_player("fish", bot, seed) for seed in (3, 3, 4))
    answers = [[answer_of(player) for _ in range(8)] for player in (first, second, other)]
    assert answers[0] == answers[1] != answers[2]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("wieght=1", "has no option 'wieght', expected weight, name, bold.*did you mean weight"),
        ("weight", "expected options such as weight=0.3,depth=2, got 'weight'"),
        ("weight=1,weight=2", "expected options such as"),
    ],
)
def test_an_option_that_a_class_does_not_have_is_refused(tmp_path: Path, options: str, complaint: str) -> None:
    (tmp_path / "chance.py").write_text(CHANCE)
    with pytest.raises(ConfigError, match=complaint):
        make_player("fish", f"{tmp_path / 'chance.py'}:Bot:{options}", 1)


def test_an_unknown_agent_is_answered_by_every_form(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"fish has no 'clever', expected .*; or path.py:Class, ./program, a command"):
        make_player("fish", "clever", 1)
