"""The published code as a user has it: a stand-in of the same shape gets its own classes, and plays on our state."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import parlour
from parlour.deepmind import Observation, RandomPolicy, State, run_game
from parlour.deepmind.areas import order_relevant_areas
from parlour.deepmind.published import MODULE
from parlour.errors import ConfigError

STAND_IN = """
import collections
import enum

class Season(enum.Enum):
    SPRING_MOVES = 0
    SPRING_RETREATS = 1
    AUTUMN_MOVES = 2
    AUTUMN_RETREATS = 3
    BUILDS = 4

    def is_moves(self):
        return self == Season.SPRING_MOVES or self == Season.AUTUMN_MOVES

Observation = collections.namedtuple("Observation", ["season", "board", "build_numbers", "last_actions"])
"""


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType(MODULE)
    exec(STAND_IN, module.__dict__)
    monkeypatch.setitem(sys.modules, MODULE, module)
    return module


def test_a_state_hands_out_their_classes(theirs: ModuleType) -> None:
    state = State()
    seen = state.observation()
    assert type(seen) is theirs.Observation
    assert seen.season is theirs.Season.SPRING_MOVES
    ours = State(published=False).observation()
    assert type(ours) is Observation
    assert np.array_equal(seen.board, ours.board)
    assert (seen.build_numbers, seen.last_actions) == (ours.build_numbers, ours.last_actions)


def test_copies_and_pickles_hand_out_the_same(theirs: ModuleType) -> None:
    for twin in (copy.copy(State()), copy.deepcopy(State()), pickle.loads(pickle.dumps(State()))):
        assert type(twin.observation()) is theirs.Observation
    assert type(pickle.loads(pickle.dumps(State(published=False))).observation()) is Observation


def test_our_runner_and_functions_take_their_classes(theirs: ModuleType) -> None:
    game = run_game(State(), [RandomPolicy(2)], [0] * 7, max_length=30)
    assert {type(seen.season) for seen in game.observations} == {theirs.Season}
    same = run_game(State(published=False), [RandomPolicy(2)], [0] * 7, max_length=30)
    assert all(np.array_equal(x, y) for x, y in zip(game.actions, same.actions, strict=True))
    assert order_relevant_areas(game.observations[0], 2) == order_relevant_areas(same.observations[0], 2)


def test_it_may_be_demanded() -> None:
    with pytest.raises(ConfigError, match="is not importable"):
        State(published=True)


PLAY = """
from parlour import deepmind
state = deepmind.State()
from diplomacy.environment import observation_utils as utils
while state.observation().season != utils.Season.BUILDS:
    assert isinstance(state.observation(), utils.Observation), type(state.observation())
    state.step([[] for _ in range(7)])
    if state.year > 1901:
        break
print(type(state.observation()).__module__)
"""


def test_it_is_found_where_it_is_installed_and_another_package_of_its_name_is_not_imported(tmp_path: Path) -> None:
    """Run apart, in a folder of installed packages without the one that would hide it."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for entry in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not entry.name.startswith(("diplomacy", "__editable__")) and entry.suffix != ".pth":
            (packages / entry.name).symlink_to(entry)
    places = [str(packages), str(Path(parlour.__file__).parents[1])]
    code = f"import sys; sys.path[:0] = {places!r}\n"
    alone = subprocess.run(
        [sys.executable, "-S", "-c", code + textwrap.dedent(PLAY.replace("from diplomacy", "#"))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "name 'utils' is not defined" in alone.stderr
    folder = packages / "diplomacy" / "environment"
    folder.mkdir(parents=True)
    (folder / "observation_utils.py").write_text(STAND_IN, encoding="utf-8")
    done = subprocess.run([sys.executable, "-S", "-c", code + PLAY], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == MODULE
    hidden = subprocess.run(
        [sys.executable, "-c", "from parlour import deepmind; import sys; s = deepmind.State(); "
         "print(type(s.observation()).__module__, 'diplomacy' in sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert hidden.stdout.split() == ["parlour.deepmind.observation", "False"]
