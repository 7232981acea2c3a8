"""run_game: slots, forced draws, lengths, returns, and what is recorded."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
import pytest

from parlour.deepmind import FixedPlayPolicy, Observation, RandomPolicy, Season, State, run_game
from parlour.deepmind.policies import Chosen
from parlour.deepmind.runner import legal_part
from parlour.errors import ConfigError, IllegalAction
from parlour.games.diplomacy.position import Position


class Holder:
    """Gives no actions and remembers what it was asked."""

    def __init__(self, name: str = "Holder") -> None:
        self.name = name
        self.resets = 0
        self.asked: list[list[int]] = []

    def __str__(self) -> str:
        return self.name

    def reset(self) -> None:
        self.resets += 1

    def actions(
        self, slots_list: Sequence[int], observation: Observation, legal_actions: Sequence[Sequence[int]]
    ) -> Chosen:
        self.asked.append(list(slots_list))
        return [[] for _ in slots_list], {"asked": len(self.asked)}


class Stubborn(Holder):
    """Always gives the same actions."""

    def __init__(self, chosen: list[list[Any]]) -> None:
        super().__init__("Stubborn")
        self.chosen = chosen

    def actions(
        self, slots_list: Sequence[int], observation: Observation, legal_actions: Sequence[Sequence[int]]
    ) -> Chosen:
        return self.chosen, None


class Counting(np.random.Generator):
    """Counts how often it was asked."""

    def __init__(self, value: float) -> None:
        super().__init__(np.random.PCG64(0))
        self.value, self.drawn = value, 0

    def uniform(self, *args: Any, **kwargs: Any) -> Any:
        self.drawn += 1
        return self.value


def test_what_a_trajectory_records() -> None:
    state = State()
    result = run_game(state, [RandomPolicy(1)], [0] * 7, max_length=12)
    assert len(result) == 12 == len(result.legal_actions) == len(result.actions) == len(result.step_outputs)
    assert all(rows.shape == (7, 11900) and rows.dtype == np.int64 for rows in result.legal_actions)
    assert all(rows.shape == (7, 17) and rows.dtype == np.int64 for rows in result.actions)
    assert result.returns is not None
    assert result.returns.tolist() == [0.0] * 7
    again = State()
    for phase in range(12):
        legal = again.legal_actions()
        for power in range(7):
            row = result.legal_actions[phase][power]
            assert row[: len(legal[power])].tolist() == legal[power]
            assert not row[len(legal[power]) :].any()
        lists = result.action_lists(phase)
        assert all((result.actions[phase][power][len(lists[power]) :] == -1).all() for power in range(7))
        again.step(lists)
    assert again == state
    assert result.step_outputs[3] == {"RandomPolicy": {}}


def test_the_same_seed_plays_the_same_game() -> None:
    games = [run_game(State(), [RandomPolicy(seed)], [0] * 7, max_length=20) for seed in (5, 5, 6)]
    assert all(map(np.array_equal, games[0].actions, games[1].actions))
    assert not all(map(np.array_equal, games[0].actions, games[2].actions))


def test_random_play_comes_to_an_end() -> None:
    result = run_game(State(), [RandomPolicy(1)], [0] * 7, max_length=2000)
    assert result.returns is not None
    assert result.returns.sum() == 1


def test_each_policy_gets_its_slots_and_those_without_are_asked_too() -> None:
    one, two, three = Holder("one"), Holder("two"), Holder("three")
    result = run_game(State(), [one, two, three], [0, 2, 0, 2, 0, 2, 0], max_length=2)
    assert (one.asked, two.asked, three.asked) == ([[0, 2, 4, 6]] * 2, [[]] * 2, [[1, 3, 5]] * 2)
    assert one.resets == two.resets == three.resets == 1
    assert result.step_outputs[1] == {"one": {"asked": 2}, "two": {"asked": 2}, "three": {"asked": 2}}


def test_of_two_policies_with_one_name_the_later_output_is_kept() -> None:
    first, second = Holder(), Holder()
    second.asked.append([])
    result = run_game(State(), [first, second], [0] * 6 + [1], max_length=1)
    assert result.step_outputs == [{"Holder": {"asked": 2}}]


@pytest.mark.parametrize("slots", [[0] * 6, [0] * 8, [0] * 6 + [1], [0] * 6 + [-1], ["0"] * 7])
def test_wrong_slots_are_refused(slots: list[Any]) -> None:
    with pytest.raises(ValueError, match="slots_to_policies"):
        run_game(State(), [Holder()], slots)


def test_a_policy_that_gives_too_few_lists_is_refused() -> None:
    with pytest.raises(ValueError, match="Stubborn: expected 7 lists of actions, got 1"):
        run_game(State(), [Stubborn([[]])], [0] * 7)


def test_forced_draws_are_drawn_from_the_given_source_after_the_given_years() -> None:
    rng = Counting(0.4)
    result = run_game(State(), [Holder()], [0] * 7, min_years_forced_draw=2, forced_draw_probability=0.5, rng=rng)
    # Nobody moves: two phases a year, and the third spring is not recorded.
    assert len(result) == 4
    assert rng.drawn == 1
    assert result.returns is not None
    assert result.returns.dtype == np.float32
    assert result.returns.tolist() == pytest.approx([1 / 7] * 7)


def test_a_draw_may_be_paid_by_centres() -> None:
    rng = Counting(0.0)
    options: dict[str, Any] = {"min_years_forced_draw": 0, "forced_draw_probability": 1.0, "rng": rng}
    result = run_game(State(), [Holder()], [0] * 7, points_per_supply_centre=True, **options)
    assert len(result) == 0
    assert result.returns is not None
    assert result.returns.tolist() == pytest.approx([3 / 22] * 5 + [4 / 22, 3 / 22])


def test_options_may_be_given_by_place_as_published() -> None:
    result = run_game(State(), [Holder()], [0] * 7, 20, 1, 1.0, True, 2, rng=Counting(0.0))
    assert len(result) == 2
    assert result.returns is not None
    assert result.returns.tolist() == pytest.approx([3 / 22] * 5 + [4 / 22, 3 / 22])
    names = list(inspect.signature(run_game).parameters)
    assert names[:8] == [
        "state", "policies", "slots_to_policies", "max_length", "min_years_forced_draw", "forced_draw_probability",
        "points_per_supply_centre", "draw_if_slot_loses",
    ]  # fmt: skip


def test_draws_by_chance_need_a_source_of_their_own() -> None:
    with pytest.raises(ConfigError, match="rng: a forced draw by chance needs a NumPy Generator"):
        run_game(State(), [Holder()], [0] * 7, None, 0, 0.4)


def test_seasons_of_a_foreign_state_count_too() -> None:
    class Foreign(Enum):
        SPRING_MOVES = 0
        AUTUMN_MOVES = 2

    class NotFoundRoute(State):
        def observation(self) -> Observation:
            seen = super().observation()
            return seen._replace(season=Foreign(int(seen.season)))  # type: ignore[arg-type]

    assert len(run_game(NotFoundRoute(), [Holder()], [0] * 7, None, 1, 1.0, rng=Counting(0.0))) == 2


def test_a_policy_may_give_none_for_no_actions() -> None:
    chosen: list[Any] = [None, np.array([], np.int64), (), [], None, [], []]
    result = run_game(State(), [Stubborn(chosen)], [0] * 7, 2)
    assert [lists for phase in range(2) for lists in result.action_lists(phase)] == [[]] * 14


def test_no_draw_without_luck() -> None:
    rng = Counting(0.9)
    options: dict[str, Any] = {"min_years_forced_draw": 1, "forced_draw_probability": 0.5, "rng": rng}
    result = run_game(State(), [Holder()], [0] * 7, max_length=9, **options)
    assert len(result) == 9
    assert rng.drawn == 4


def test_a_draw_when_a_slot_has_lost() -> None:
    position = Position.read("standard S1902M FRA=APAR;TUR=AANK;GER=AMUN FRA=PAR,BRE;TUR=ANK")
    result = run_game(State(position), [Holder()], [0] * 7, draw_if_slot_loses=3)
    assert len(result) == 0
    assert result.returns is not None
    assert result.returns.tolist() == [0, 0, 0.5, 0, 0, 0, 0.5]
    assert len(run_game(State(position), [Holder()], [0] * 7, draw_if_slot_loses=2, max_length=3)) == 3


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"forced_draw_probability": 1.5}, "forced_draw_probability"),
        ({"forced_draw_probability": float("nan")}, "forced_draw_probability"),
        ({"draw_if_slot_loses": 7}, "draw_if_slot_loses"),
        ({"draw_if_slot_loses": "FRANCE"}, "draw_if_slot_loses"),
        ({"on_illegal": "ignore"}, "on_illegal"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError, match=f"^{field}: expected"):
        run_game(State(), [Holder()], [0] * 7, **options)


def test_an_illegal_action_is_raised_or_becomes_a_hold() -> None:
    state = State()
    good = state.legal_actions()[2][0]
    chosen: list[list[Any]] = [[], [], [good, good, 99, float("nan")], [good], [], [], []]
    with pytest.raises(IllegalAction, match="France"):
        run_game(State(), [Stubborn(chosen)], [0] * 7, max_length=1)
    result = run_game(state, [Stubborn(chosen)], [0] * 7, max_length=1, on_illegal="hold")
    assert result.action_lists(0) == [[], [], [good], [], [], [], []]
    assert state.observation().last_actions == [good]


def test_in_builds_no_more_are_kept_than_are_due() -> None:
    state = State(Position.read("standard W1902A TUR=AANK,AARM TUR=ANK,CON,SMY"))
    seen, legal = state.observation(), state.legal_actions()
    waive = legal[6][0]
    assert seen.season == Season.BUILDS
    assert legal_part([[]] * 6 + [[waive, waive, legal[6][1]]], seen, legal)[6] == [waive]


def test_fixed_play_gives_back_what_was_recorded_and_no_more() -> None:
    first = run_game(State(), [RandomPolicy(3)], [0] * 7, max_length=6)
    pairs = [(first.action_lists(phase), {"step": phase}) for phase in range(6)]
    again = run_game(State(), [FixedPlayPolicy(pairs)], [0] * 7, max_length=6)
    assert all(map(np.array_equal, first.actions, again.actions))
    assert again.step_outputs[4] == {"FixedPlayPolicy": {"step": 4}}
    with pytest.raises(ConfigError, match="only 6 phases were recorded"):
        run_game(State(), [FixedPlayPolicy(pairs)], [0] * 7, max_length=7)
