"""Observations: the published check values, the golden game, and a slow oracle over random play."""

from __future__ import annotations

import hashlib
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.kernels import uncompiled
from parlour.deepmind import (
    Observation,
    Options,
    Season,
    State,
    mila_action_to_action,
    observation,
    observe,
    observe_into,
)
from parlour.errors import ConfigError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.state import BoardUnit, StateBuilder
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position
from support.deepmind import oracle as oracle

Array = npt.NDArray[Any]
DEFAULT = Options()
START = "d4badf20840022b0b8f2074014697193405176db94dd35544b4af3b3489abae9"


def columns(board: Array, area: int) -> set[int]:
    return set(np.flatnonzero(board[area]).tolist())


def seen(fen: str, options: Options = DEFAULT) -> Observation:
    return observe(Position.read(fen), options=options)


def test_the_start_position_has_the_published_hash() -> None:
    found = State().observation()
    assert found.board.shape == (81, 35)
    assert hashlib.sha256(found.board.tobytes()).hexdigest() == START
    assert (found.season, found.build_numbers, found.last_actions) == (Season.SPRING_MOVES, [0] * 7, [])
    assert Observation._fields == ("season", "board", "build_numbers", "last_actions")


def test_rows_of_the_start_position() -> None:
    board = State().observation().board
    assert columns(board, 78) == {1, 8, 15, 23, 24, 32}
    assert columns(board, 79) == {2, 10, 15, 23, 26, 32}
    assert columns(board, 80) == {1, 8, 15, 23, 26, 32}
    assert columns(board, 12) == {0, 3, 15, 23, 24, 27}
    assert columns(board, 34) == {2, 10, 15, 23, 24}


def test_an_army_in_a_split_province_is_on_the_main_row_only() -> None:
    board = seen("standard S1902M FRA=ASPA FRA=SPA").board
    assert columns(board, 75) == {0, 5, 15, 23, 24, 29}
    assert columns(board, 76) == columns(board, 77) == {2, 10, 15, 23, 26, 29}


def test_a_dislodged_fleet_is_on_the_main_row_and_its_coast() -> None:
    board = seen("standard F1902R FRA=ASPA FRA=SPA ITA=FSPA/NC<GAS").board
    assert columns(board, 75) == {0, 5, 14, 20, 24, 29}
    assert columns(board, 76) == {2, 10, 14, 20, 26, 29}
    assert columns(board, 77) == {2, 10, 15, 23, 26, 29}


def test_a_fleet_on_a_coast_is_on_the_main_row_and_that_coast() -> None:
    board = seen("standard S1902M ITA=FSPA/SC;TUR=FBUL/EC FRA=SPA").board
    assert columns(board, 75) == {1, 7, 15, 23, 24, 29}
    assert columns(board, 76) == {2, 10, 15, 23, 26, 29}
    assert columns(board, 77) == {1, 7, 15, 23, 26, 29}
    assert columns(board, 72) == {1, 9, 15, 23, 24, 34}
    assert columns(board, 73) == {1, 9, 15, 23, 26, 34}
    assert columns(board, 74) == {2, 10, 15, 23, 26, 34}


def test_a_dislodged_army_of_a_split_province_is_on_the_main_row_only() -> None:
    board = seen("standard F1902R FRA=FSPA/SC FRA=MAR ITA=ASPA<POR").board
    assert columns(board, 75) == {1, 5, 13, 20, 24, 34}
    assert columns(board, 76) == {2, 10, 15, 23, 26, 34}
    assert columns(board, 77) == {1, 5, 15, 23, 26, 34}


def test_a_centre_taken_in_spring_changes_hands_after_autumn() -> None:
    state = State(Position.read("standard S1902M FRA=AGAS,AMAR,APAR;ITA=AROM FRA=MAR,PAR,BRE;ITA=SPA,ROM"))
    state.step([[], [], [mila_action_to_action("A GAS - SPA", 0)], [], [], [], []])
    found = state.observation()
    assert (found.season, columns(found.board, 75)) == (Season.AUTUMN_MOVES, {0, 5, 15, 23, 24, 31})
    state.step([[]] * 7)
    found = state.observation()
    assert (found.season, found.build_numbers) == (Season.BUILDS, [0, 0, 1, 0, 0, 0, 0])
    assert all(found.board[row, 29] and not found.board[row, 31] for row in (75, 76, 77))
    assert np.flatnonzero(found.board[:, 11]).tolist() == [51]


WINTER = "standard W1902A RUS=FSTP/SC,AMOS,AWAR;TUR=AANK RUS=MOS,WAR;TUR=ANK,CON,SMY"


def test_removable_fleets_are_marked_on_their_coast_alone() -> None:
    found = seen(WINTER)
    assert found.build_numbers == [0, 0, 0, 0, 0, -1, 2]
    assert np.flatnonzero(found.board[:, 12]).tolist() == [8, 13, 80]
    assert np.flatnonzero(found.board[:, 11]).tolist() == [52, 67]
    assert np.flatnonzero(seen(WINTER, Options(removable_on_main=True)).board[:, 12]).tolist() == [8, 13, 78, 80]


def test_a_free_home_with_coasts_is_marked_on_all_rows() -> None:
    fen = "standard W1902A RUS=AMOS RUS=MOS,STP"
    assert np.flatnonzero(seen(fen).board[:, 11]).tolist() == [78, 79, 80]
    assert np.flatnonzero(seen(fen, Options(buildable_on_coasts=False)).board[:, 11]).tolist() == [78]


def test_builds_are_at_most_the_free_homes() -> None:
    fen = "standard W1902A FRA=APAR,ABRE FRA=PAR,BRE,MAR,SPA,POR"
    assert seen(fen).build_numbers[2] == 1
    assert seen(fen, Options(builds_capped=False)).build_numbers[2] == 3


def test_owners_are_on_all_rows_unless_asked_otherwise() -> None:
    fen = "standard S1902M FRA=APAR FRA=SPA"
    assert np.flatnonzero(seen(fen).board[:, 29]).tolist() == [75, 76, 77]
    alone = seen(fen, Options(centre_on_coasts=False)).board
    assert np.flatnonzero(alone[:, 29]).tolist() == [75]
    assert not alone[73, 34]
    assert alone[72, 34]


def test_removals_persist_until_the_next_builds_phase() -> None:
    state = State(Position.read("standard W1902A RUS=AWAR,AMOS;TUR=AANK RUS=MOS;TUR=ANK,CON"))
    state.step([[]] * 7)
    assert state.observation().build_numbers == [0, 0, 0, 0, 0, -1, 0]
    forgetful = State(state.position, options=Options(removals_persist=False))
    assert forgetful.observation().build_numbers == [0] * 7


@pytest.mark.parametrize(("clear", "expected"), [(False, -1), (True, 0)])
def test_a_skipped_builds_phase_keeps_the_numbers_unless_asked(clear: bool, expected: int) -> None:
    options = Options(skipped_builds_clear=clear)
    state = State(Position.read("standard W1902A RUS=AMOS,AGAL;TUR=AANK RUS=MOS;TUR=ANK"), options=options)
    for _ in range(3):
        state.step([[]] * 7)
    assert state.phase == "S1904M"
    assert state.observation().build_numbers[5] == expected


def test_last_actions_are_flat_in_the_order_given() -> None:
    state = State()
    legal = state.legal_actions()
    state.step([[], [], [legal[2][5], legal[2][0]], [legal[3][0]], [], [], []])
    assert state.observation().last_actions == [legal[2][5], legal[2][0], legal[3][0]]


def test_random_play_is_observed_as_the_oracle_says() -> None:
    removals = [0] * 7
    phases = set()
    for state in oracle.random_states(seed=6, phases=700):
        position, found = state.position, state.observation()
        if position.phase == "S1901M":
            removals = [0] * 7
        if position.phase[0] == "W":
            removals = oracle.build_numbers(position, removals)
        phases.add(found.season)
        assert found.season == oracle.season(position)
        assert found.build_numbers == oracle.build_numbers(position, removals)
        assert (found.board == oracle.board(position)).all()
    assert phases == set(Season)


def set_up(rng: random.Random) -> Position:
    """Return a position as nobody would reach it: any units anywhere, any owners, in any season."""
    board, season = standard(), rng.randrange(5)
    builder = StateBuilder(board, season, 1905)
    offsets = [k.UNITS, k.DISLODGED] if season in (1, 3) else [k.UNITS]
    for offset in offsets:
        for province in rng.sample(board.provinces, rng.randrange(35)):
            fleet = province.kind == "sea" or (province.kind == "coast" and rng.random() < 0.5)
            coast = rng.randint(1, 2) if fleet and province.coasts else 0
            builder.put(BoardUnit(rng.randrange(7), fleet, province.id, coast), "", offset)
    for province in board.provinces:
        if province.centre and rng.random() < 0.8:
            builder.own(rng.randrange(7), province.id, "")
    for power in range(7):
        builder.state[k.BUILDS + power] = rng.randint(-5, 5) & 0xFF
    return Position(board, builder.done())


@given(st.randoms(use_true_random=False))
def test_any_position_is_observed_as_the_oracle_says(rng: random.Random) -> None:
    position = set_up(rng)
    found = observe(position.state)
    last = [(byte ^ 0x80) - 0x80 for byte in position.state[k.BUILDS : k.BUILDS + 7]]
    assert found.season == oracle.season(position)
    assert found.build_numbers == oracle.build_numbers(position, last)
    assert (found.board == oracle.board(position)).all()


@pytest.fixture(scope="module")
def batch() -> Array:
    return np.concatenate([state.row for state in oracle.random_states(seed=1, phases=120)])


def outputs(count: int) -> tuple[Array, Array, Array]:
    return np.full((count, 81, 35), 9, np.uint8), np.full((count, 7), 9, np.int32), np.full(count, 9, np.int32)


def test_a_batch_is_observed_as_one_by_one(batch: Array) -> None:
    boards, builds, seasons = outputs(len(batch))
    observe_into(batch, boards, builds, seasons)
    for number, row in enumerate(batch):
        alone = observe(row.tobytes())
        assert (boards[number] == alone.board).all()
        assert builds[number].tolist() == alone.build_numbers
        assert seasons[number] == alone.season


def test_threads_share_a_batch_by_slices(batch: Array) -> None:
    whole, parts = outputs(len(batch)), outputs(len(batch))
    observe_into(batch, *whole)
    with ThreadPoolExecutor(4) as pool:
        slices = [slice(start, start + 30) for start in range(0, len(batch), 30)]
        list(pool.map(lambda s: observe_into(batch[s], parts[0][s], parts[1][s], parts[2][s]), slices))
    assert all(map(np.array_equal, whole, parts))


def test_compiled_and_uncompiled_kernels_agree(batch: Array) -> None:
    source = uncompiled("parlour.deepmind.kernel.observe")
    for flags in (0, 31):
        compiled = observation._observer(flags)
        slow = source.ObservationWriter(*observation._tables(flags), flags)
        fast_out, slow_out = outputs(len(batch)), outputs(len(batch))
        compiled.observe(batch.ravel().data, *(out.ravel().data for out in fast_out))
        slow.observe(batch.ravel().data, *(out.ravel().data for out in slow_out))
        assert all(map(np.array_equal, fast_out, slow_out))


def test_states_that_cannot_be_do_no_harm() -> None:
    rows = np.random.default_rng(3).integers(0, 256, (500, 512), np.uint8)
    boards, builds, seasons = outputs(len(rows))
    rows[:250, 0] = 4
    observe_into(rows, boards, builds, seasons)
    assert boards.max() == 1


def test_a_state_of_another_size_is_refused() -> None:
    with pytest.raises(ConfigError, match="state: expected 512 bytes, got 3"):
        observe(b"abc")
    with pytest.raises(ConfigError, match="state: expected 512 bytes, got str"):
        observe("S1901M")  # type: ignore[arg-type]


def test_arrays_that_cannot_be_written_to_are_refused() -> None:
    boards, builds, seasons = outputs(2)
    boards.flags.writeable = False
    with pytest.raises(ConfigError, match="boards: expected an array to write to"):
        observe_into(np.zeros((2, 512), np.uint8), boards, builds, seasons)


@pytest.mark.parametrize("wrong", ["states", "boards", "builds", "seasons"])
def test_wrong_arrays_are_named(wrong: str) -> None:
    boards, builds, seasons = outputs(2)
    arrays: dict[str, Array] = {
        "states": np.zeros((2, 512), np.uint8),
        "boards": boards,
        "builds": builds,
        "seasons": seasons,
    }
    arrays[wrong] = arrays[wrong].astype(np.float64)
    with pytest.raises(ConfigError, match=f"{wrong}: expected"):
        observe_into(arrays["states"], arrays["boards"], arrays["builds"], arrays["seasons"])
