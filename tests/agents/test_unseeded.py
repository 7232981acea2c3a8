"""Draws that no seed sets are found in an author's file without running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.agents.unseeded import unseeded_draw


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("import random\nrandom.choice([1])", "random.choice() in line 2"),
        ("import random as chance\nchance.seed(1)", "chance.seed() in line 2"),
        ("from random import shuffle as mix\nmix([1])", "mix() in line 2"),
        ("import numpy as np\nnp.random.rand(3)", "np.random.rand() in line 2"),
        ("from numpy import random\nrandom.rand(3)", "random.rand() in line 2"),
        ("import random\nrng = random.Random(1)\nrng.choice([1])", ""),
        ("import numpy as np\nrng = np.random.default_rng(1)\nrng.integers(3)", ""),
        ("from random import Random\nRandom(1).choice([1])", ""),
        ("random = 3\nprint(random)", ""),
        ("def broken(", ""),
        ("import random\nclass Bot: ...\nclass Other:\n    n = random.random()", ""),
        ("import random\nclass Bot(Base): ...\nclass Base:\n    n = random.random()", "random.random() in line 4"),
    ],
)
def test_a_draw_that_no_seed_sets_is_found(tmp_path: Path, lines: str, found: str) -> None:
    file = tmp_path / "bot.py"
    file.write_text(lines)
    assert unseeded_draw(f"{file}:Bot") == found


def test_agents_by_name_and_files_that_are_not_there_have_none(tmp_path: Path) -> None:
    assert unseeded_draw("greedy") == unseeded_draw(f"{tmp_path}/bot.py:Bot") == ""
