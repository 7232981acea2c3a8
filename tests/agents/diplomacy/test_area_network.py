"""The small network: sizes, what a power sees, files, and that NumPy and JAX compute the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parlour.agents.diplomacy.area_network import (
    FORMAT,
    NOWHERE,
    WIDTH,
    SmallNetwork,
    action_areas,
    features,
    made_small,
    read_small,
    scores,
    seen,
    shapes,
    worths,
)
from parlour.deepmind import POSSIBLE_ACTIONS, State, mila_action_to_action, province_name_to_id
from parlour.deepmind.network.safetensors import write_safetensors
from parlour.deepmind.provinces import MapMDF
from parlour.deepmind.season import Season
from parlour.errors import NotationError, ParametersError
from support.deepmind import golden as golden

AREAS = province_name_to_id(MapMDF.BICOASTAL_MAP)


def test_it_is_small() -> None:
    numbers = sum(int(np.prod(shape)) for shape in shapes().values())
    assert 90_000 < numbers < 120_000
    assert 4 * numbers < 3_000_000


@pytest.mark.parametrize(
    ("name", "season", "expected"),
    [
        ("A PAR S A MAR - BUR", Season.SPRING_MOVES, (6, "PAR", "BUR", "MAR")),
        ("A PAR H", Season.SPRING_MOVES, (3, "PAR", None, None)),
        ("F NTH C A LON - HOL", Season.SPRING_MOVES, (2, "NTH", "HOL", "LON")),
        ("A PAR - BUR", Season.SPRING_MOVES, (4, "PAR", "BUR", None)),
        ("A PAR R BUR", Season.SPRING_RETREATS, (9, "PAR", "BUR", None)),
        ("F STP/SC B", Season.BUILDS, (11, "STP", None, None)),
        ("WAIVE", Season.BUILDS, (13, None, None, None)),
    ],
)
def test_the_areas_that_an_action_names(name: str, season: Season, expected: tuple[object, ...]) -> None:
    index = mila_action_to_action(name, season) >> 48
    found = [int(part[index]) for part in action_areas()]
    kind, *areas = expected
    assert found == [kind, *(NOWHERE if area is None else AREAS[str(area)] for area in areas)]


def test_a_power_sees_what_is_its_own() -> None:
    seen_by = State(published=False).observation()
    board = np.repeat(seen_by.board[None], 2, axis=0)
    builds = np.array([[0, 0, 2, 0, 0, -1, 0]] * 2)
    found = features(np, board, np.array([0, 4]), builds, np.array([2, 5]))
    assert found.shape == (2, 81, 23)
    paris, moscow = AREAS["PAR"], AREAS["MOS"]
    # Columns 12 to 16: own unit, another's unit, own dislodged one, own centre, another's centre.
    assert found[0, paris, 12:17].tolist() == [1, 0, 0, 1, 0]
    assert found[1, paris, 12:17].tolist() == [0, 1, 0, 0, 1]
    assert found[1, moscow, 12:17].tolist() == [1, 0, 0, 1, 0]
    assert found[0, paris, 17:].tolist() == pytest.approx([1, 0, 0, 0, 0, 2 / 3])
    assert found[1, paris, 17:].tolist() == pytest.approx([0, 0, 0, 0, 1, -1 / 3])


def test_values_are_shares_and_the_same_for_those_who_look_alike() -> None:
    network = SmallNetwork(made_small(1))
    given = golden.batch(forced=False)
    found = network.values(given.board, given.season, given.build_numbers)
    assert found.shape == (6, 7)
    assert np.allclose(found.sum(axis=1), 1, atol=1e-6)
    nobody = np.zeros_like(given.board[:1])
    alike = network.values(nobody, np.zeros(1, int), np.zeros((1, 7), int))
    assert np.allclose(alike, 1 / 7, atol=1e-6)


def test_an_action_is_scored_by_its_kind_and_by_all_the_areas_that_it_names() -> None:
    arrays, known = made_small(3), np.random.default_rng(0).standard_normal((2, 81, WIDTH), dtype=np.float32)
    actions = np.array([286, 2998, 3])  # a move, a support of it, and a waived build, which names no area
    found = scores(np, arrays, known, np.array([0, 1, 1]), actions)
    for at, (row, action) in enumerate(zip((0, 1, 1), actions, strict=True)):
        kind, *areas = (int(part[action]) for part in action_areas())
        hidden = arrays["kind"][kind].copy()
        for name, area in zip(("ordered", "target", "third"), areas, strict=True):
            hidden += 0 if area == NOWHERE else known[row, area] @ arrays[name]
        assert found[at] == pytest.approx(float(np.maximum(hidden, 0) @ arrays["score"][kind]), rel=1e-4, abs=1e-5)


def test_jax_computes_what_numpy_does() -> None:
    xp = pytest.importorskip("jax.numpy")
    arrays, given = made_small(3), golden.batch(forced=False)
    powers, rows = np.arange(6), np.repeat(np.arange(6), 50)
    actions = np.random.default_rng(0).integers(0, len(POSSIBLE_ACTIONS), 300)
    found = []
    for library in (np, xp):
        known = seen(library, arrays, features(library, given.board, given.season, given.build_numbers, powers))
        found.append((scores(library, arrays, known, rows, actions), worths(library, arrays, known)))
    for plain, compiled in zip(*found, strict=True):
        assert np.abs(plain - np.asarray(compiled)).max() < 1e-3 * np.abs(plain).max()


def test_files_come_back_and_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    SmallNetwork(made_small(2), 7).save(path)
    found = read_small(path)
    assert found.step == 7
    assert all(np.array_equal(found.arrays[name], array) for name, array in made_small(2).items())
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(NotationError, match=r"net\.safetensors: .*cut off"):
        read_small(path)
    with pytest.raises(NotationError, match=r"gone: cannot be read"):
        read_small(tmp_path / "gone")
    with path.open("wb") as file:
        write_safetensors(file, made_small(2), {"format": "another"})
    with pytest.raises(NotationError, match=f"holds no small network: expected {FORMAT}"):
        read_small(path)
    with path.open("wb") as file:
        write_safetensors(file, {**made_small(2), "in": np.zeros((5, 5), np.float32)}, {"format": FORMAT})
    with pytest.raises(NotationError, match=r"'in' of shape \(23, 96\), got \(5, 5\)"):
        read_small(path)


def test_arrays_of_other_kinds_are_refused() -> None:
    with pytest.raises(ParametersError, match="float32 arrays of the small network"):
        SmallNetwork({name: array.astype(np.float64) for name, array in made_small(0).items()})
    with pytest.raises(ParametersError, match=r"'worth' of shape \(96,\), got None"):
        SmallNetwork({name: array for name, array in made_small(0).items() if name != "worth"})
