"""The observation transformer against golden inputs, a plain oracle and its own source uncompiled; and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from parlour.core.kernels import uncompiled
from parlour.deepmind import Observation, RandomPolicy, Season, State, mila_action_to_action
from parlour.deepmind import transformer as module
from parlour.deepmind.actions import action_breakdown, actions_for_province, find_action_with_area, shrink_actions
from parlour.deepmind.areas import area_of_unit, build_areas, order_relevant_areas, removable_areas
from parlour.deepmind.legal import legal
from parlour.deepmind.observation import observe_into
from parlour.deepmind.provinces import NUM_AREAS, area_of, province_and_area_index
from parlour.deepmind.season import season_of
from parlour.deepmind.transformer import Carried, NetworkInput, ObservationTransformer, stacked
from parlour.errors import NotationError
from support.deepmind import golden as golden

Fields = dict[str, npt.NDArray[Any]]


@pytest.mark.parametrize("forced", [False, True])
def test_golden_inputs_without_a_mismatch(forced: bool) -> None:
    kind = "forced" if forced else "unforced"
    for phase, made in enumerate(golden.transformed(forced=forced)):
        for name, found in {**made.initial_observation(), **made.step_observations()}.items():
            if name == "legal_actions_mask":
                expected = np.unpackbits(golden.TRANSFORMED["legal_actions_mask_bits"][phase], axis=-1)[..., :18584]
            else:
                split = f"{name}_{kind}" if name in ("last_action", "temperature") else name
                expected = golden.TRANSFORMED[split][phase]
            assert (found[0].dtype, found.shape[1:]) == (expected.dtype, expected.shape)
            assert np.array_equal(found[0], expected), (phase, name)
        assert np.array_equal(made.lengths[0], golden.TRANSFORMED["sequence_lengths"][phase])


class PlainOracle:
    """The transformer as its description has it: one state, whole arrays, no kernel."""

    def __init__(self) -> None:
        self.previous: npt.NDArray[Any] | None = None
        self.shown: npt.NDArray[Any] = np.zeros((81, 35))
        self.acts = np.full((81, 3), -1)
        self.was_moves = False
        self.begun = False

    def initial(self, seen: Observation) -> Fields:
        shown = self.shown.copy() if self.begun else seen.board
        if self.was_moves:
            self.acts[:] = -1
        self.acts = np.roll(self.acts, -1, axis=1)
        self.acts[:, -1] = -1
        for action in seen.last_actions:
            order, (province, flag), _, _ = action_breakdown(action)
            if order == 13:
                continue
            if order in (10, 11):
                area = area_of(province, flag + 1 if order == 11 and province >= 72 else 0)
            else:
                assert self.previous is not None
                area = area_of_unit(province, self.previous)
            assert self.acts[area, -1] == -1
            self.acts[area, -1] = action >> 48
        season = season_of(seen.season)
        self.was_moves, self.begun, self.previous = season.is_moves(), True, seen.board
        if season.is_moves():
            self.shown = seen.board
        return {"last_moves_phase_board_state": shown, "actions_since_last_moves_phase": self.acts.copy()}

    def steps(self, seen: Observation, legal_lists: list[list[int]], forced: list[list[int]]) -> Fields:
        areas = np.zeros((7, 17, 81), bool)
        masks = np.zeros((7, 17, 18584), np.uint8)
        last = np.zeros((7, 17), np.int32)
        for power in range(7):
            places = order_relevant_areas(seen, power)
            for step, place in enumerate(places):
                own = legal_lists[power]
                if place == -2:
                    due = seen.build_numbers[power] > 0
                    read = build_areas(power, seen.board) if due else removable_areas(power, seen.board)
                    areas[power, step, read] = 1
                else:
                    areas[power, step, place] = 1
                    own = actions_for_province(own, province_and_area_index(place)[0])
                masks[power, step, np.array(own) >> 48] = 1
                if step == 0:
                    last[power, step] = -1
                else:
                    before = (
                        forced[power][step - 1]
                        if place == -2
                        else find_action_with_area(forced[power], places[step - 1])
                    )
                    last[power, step] = shrink_actions(before)
        return {"areas": areas, "legal_actions_mask": masks, "last_action": last}


def random_game(seed: int, phases: int) -> list[tuple[Observation, list[list[int]], list[list[int]]]]:
    state, policy = State(), RandomPolicy(seed)
    game: list[tuple[Observation, list[list[int]], list[list[int]]]] = []
    while len(game) < phases and not state.is_terminal():
        seen, lists = state.observation(), state.legal_actions()
        chosen, _ = policy.actions(range(7), seen, lists)
        # Teacher forcing wants one action for each build, waived or not; the random policy waives none.
        game.append((seen, lists, chosen))
        state.step(chosen)
    return game


@pytest.mark.parametrize("seed", range(3))
def test_as_the_description_has_it(seed: int) -> None:
    oracle, carried = PlainOracle(), None
    seasons = set()
    for seen, lists, chosen in random_game(seed, 40):
        made, carried = ObservationTransformer().transform(seen, lists, carried=carried, forced_actions=chosen)
        expected = {**oracle.initial(seen), **oracle.steps(seen, lists, chosen)}
        found = {**made.initial_observation(), **made.step_observations()}
        for name, array in expected.items():
            assert np.array_equal(found[name][0], array), name
        seasons.add(int(seen.season))
    assert seasons >= {0, 2, 4}
    assert seasons & {1, 3}


def games(count: int, phase: int) -> list[State]:
    states = []
    for seed in range(count):
        state, policy = State(), RandomPolicy(seed)
        for _ in range(phase):
            state.step(policy.actions(range(7), state.observation(), state.legal_actions())[0])
        states.append(state)
    return states


def test_a_batch_is_its_states_one_by_one() -> None:
    carried: list[Carried] = [Carried.nothing()] * 5
    together = Carried.nothing(5)
    states, policies = [State() for _ in range(5)], [RandomPolicy(seed) for seed in range(5)]
    for _ in range(12):
        seen = [state.observation() for state in states]
        lists = [state.legal_actions() for state in states]
        triples = zip(seen, lists, carried, strict=True)
        singles = [ObservationTransformer().transform(one, own, carried=before) for one, own, before in triples]
        carried = [after for _, after in singles]
        rows = np.concatenate([state.row for state in states])
        boards, builds = np.empty((5, 81, 35), np.uint8), np.empty((5, 7), np.int32)
        seasons = np.empty(5, np.int32)
        observe_into(rows, boards, builds, seasons)
        last = np.concatenate([np.array(one.last_actions, np.int64) for one in seen])
        bounds = np.cumsum([0, *(len(one.last_actions) for one in seen)])
        found, together = ObservationTransformer().transform_batch(
            boards, seasons, builds, (last, bounds), legal(rows), together
        )
        assert_same(stacked([one for one, _ in singles]), found)
        for state, policy, one, own in zip(states, policies, seen, lists, strict=True):
            state.step(policy.actions(range(7), one, own)[0])


def assert_same(one: NetworkInput, other: NetworkInput) -> None:
    for name in NetworkInput.__dataclass_fields__:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_compiled_and_uncompiled_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = golden.transformed(forced=True)
    source = uncompiled("parlour.deepmind.kernel.unroll")
    monkeypatch.setattr(module, "_unroller", lambda topological: source.Unroller(np.arange(NUM_AREAS, dtype=np.int32)))
    for one, other in zip(compiled, golden.transformed(forced=True), strict=True):
        assert_same(one, other)


def test_only_the_slots_asked_for_have_steps() -> None:
    made = golden.transformed(forced=False, slots=range(2, 4))[0]
    assert made.lengths[0].tolist() == [0, 0, 3, 3, 0, 0, 0]
    assert (made.places[0, [0, 1, 4, 5, 6]] == -1).all()


def test_in_milas_order_if_that_is_wanted() -> None:
    seen = State().observation()
    made, _ = ObservationTransformer(topological=True).transform(seen, State().legal_actions())
    for power in range(7):
        count = int(made.lengths[0, power])
        assert made.places[0, power, :count].tolist() == order_relevant_areas(seen, power, topological=True)


def test_orders_of_legal_lists_and_padding_do_not_matter() -> None:
    state = State()
    seen, lists = state.observation(), state.legal_actions()
    usual, _ = ObservationTransformer().transform(seen, lists)
    padded = [np.concatenate([np.array(own[::-1] + own[:3], np.int64), np.zeros(9, np.int64)]) for own in lists]
    assert_same(usual, ObservationTransformer().transform(seen, padded)[0])


def test_before_a_moves_phase_was_seen_nothing_is_known_of_one() -> None:
    state = next(state for state in games(20, 4) if state.observation().season == Season.BUILDS)
    seen = state.observation()._replace(last_actions=[])
    first, carried = ObservationTransformer().transform(seen, state.legal_actions())
    assert np.array_equal(first.last_moves_board, first.board)
    state.step([[] for _ in range(7)])
    second, _ = ObservationTransformer().transform(state.observation(), state.legal_actions(), carried=carried)
    assert not second.last_moves_board.any()


def test_the_same_carried_state_may_be_used_again() -> None:
    seen, lists, _ = random_game(1, 2)[0]
    _, carried = ObservationTransformer().transform(seen, lists)
    before = carried.acts.copy()
    later, later_lists, _ = random_game(1, 2)[1]
    for _ in range(2):
        made, _ = ObservationTransformer().transform(later, later_lists, carried=carried)
        assert np.array_equal(carried.acts, before)
        assert (made.acts[0] >= 0).sum() == len(later.last_actions)


def given(**changes: Any) -> tuple[Observation, list[list[int]]]:
    state = State()
    return state.observation()._replace(**changes), state.legal_actions()


PARIS = mila_action_to_action("A PAR - BUR", 0)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"board": np.zeros((75, 35))}, r"board: expected numbers of shape \[81, 35\], got float64 \[75, 35\]"),
        ({"board": np.full((81, 35), 2)}, "board: expected only 0 and 1"),
        ({"board": np.array("x")}, "board: expected numbers"),
        ({"build_numbers": [0] * 6}, "build numbers: expected 7"),
        ({"build_numbers": [0.5] * 7}, "build numbers: expected 7 whole numbers"),
        ({"season": 9}, "season: expected 0 to 4"),
        ({"last_actions": [5]}, "last actions: 5 is no possible action"),
        ({"last_actions": ["x"]}, "last actions: expected actions"),
        ({"last_actions": [PARIS]}, "'PAR - BUR' has no unit on the board before"),
    ],
)
def test_a_wrong_observation_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(NotationError, match=why):
        ObservationTransformer().transform(*given(**changes))


def test_two_actions_of_one_unit_are_refused() -> None:
    state = State()
    _, carried = ObservationTransformer().transform(state.observation(), state.legal_actions())
    hold = mila_action_to_action("A PAR H", 0)
    seen = state.observation()._replace(last_actions=[PARIS, hold])
    with pytest.raises(NotationError, match="'PAR H' has no unit on the board before, or is the second"):
        ObservationTransformer().transform(seen, state.legal_actions(), carried=carried)


def test_a_unit_that_may_do_nothing_is_refused() -> None:
    seen, lists = given()
    lists[2] = actions_for_province(lists[2], 10)
    with pytest.raises(NotationError, match="France must act in BRE, and no legal action"):
        ObservationTransformer().transform(seen, lists)
    assert ObservationTransformer().transform(seen, lists, slots=[0, 1])[0].lengths.sum() == 6


def test_nothing_legal_in_builds_is_refused() -> None:
    seen, _ = given(season=Season.BUILDS, build_numbers=[0, 1, 0, 0, 0, 0, 0])
    with pytest.raises(NotationError, match="England must act in builds"):
        ObservationTransformer().transform(seen, [[] for _ in range(7)])
    with pytest.raises(NotationError, match="Austria has more than 17 orders"):
        ObservationTransformer().transform(seen._replace(build_numbers=[-18] + [0] * 6), [[] for _ in range(7)])


def test_two_units_in_one_province_are_refused() -> None:
    board = State().observation().board.copy()
    board[79, [1, 8]] = 1
    with pytest.raises(NotationError, match="two units of Russia in one province, at STP/SC"):
        ObservationTransformer().transform(*given(board=board))


@pytest.mark.parametrize("wrong", [-0.1, float("nan"), float("inf")])
def test_a_temperature_below_zero_is_refused(wrong: float) -> None:
    with pytest.raises(NotationError, match="temperature: expected a number of at least 0"):
        ObservationTransformer().transform(*given(), temperature=wrong)


def test_wrong_slots_and_lists_are_refused() -> None:
    seen, lists = given()
    with pytest.raises(NotationError, match="slots: expected 0 to 6, got 7"):
        ObservationTransformer().transform(seen, lists, slots=[7])
    with pytest.raises(NotationError, match="legal actions: expected 7 lists, got 6"):
        ObservationTransformer().transform(seen, lists[:6])
    with pytest.raises(NotationError, match="legal actions of Austria: 4 is no possible action"):
        ObservationTransformer().transform(seen, [[4], *lists[1:]])
    with pytest.raises(NotationError, match="forced actions: expected 7 lists"):
        ObservationTransformer().transform(seen, lists, forced_actions=[[]])


def test_builds_need_an_action_for_each_but_the_last() -> None:
    seen, _ = given(season=Season.BUILDS, build_numbers=[0, 2, 0, 0, 0, 0, 0])
    lists = [[], [0x000300000000000D], [], [], [], [], []]
    with pytest.raises(NotationError, match="expected 1 or more, got 0"):
        ObservationTransformer().transform(seen, lists, forced_actions=[[] for _ in range(7)])


def test_orders_may_be_forced_afterwards() -> None:
    given = golden.batch(forced=False)
    due = given.places != -1
    actions = np.arange(due.size, dtype=np.int32).reshape(due.shape) + 1
    last = given.forced(actions).last_action
    assert (last[..., 0][due[..., 0]] == -1).all()
    assert np.array_equal(last[..., 1:][due[..., 1:]], actions[..., :-1][due[..., 1:]])
    assert not last[~due].any()
