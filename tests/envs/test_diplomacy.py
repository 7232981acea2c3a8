"""Diplomacy in PettingZoo's own tests, and that its masks, forms and endings are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test  # type: ignore[import-untyped]

from parlour.deepmind import POSSIBLE_ACTIONS, State, mila_action_to_action
from parlour.envs import DiplomacyAEC, DiplomacyParallel
from parlour.envs.map_state import LearnerState
from parlour.errors import ConfigError, IllegalAction
from parlour.games.diplomacy.position import Position

# A dictionary with a mask is PettingZoo's own convention for legal actions, though its tests warn about it.
DICTIONARIES = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action space for each agent probably should be",
    "ignore:Action mask is not a NumPy array",
)
pytestmark = [pytest.mark.filterwarnings(ignored) for ignored in DICTIONARIES]
FRANCE, GERMANY = "france_2", "germany_3"


def choice(text: str, season: int = 0) -> int:
    return (mila_action_to_action(text, season) >> 48) + 1


def joint(*texts: str, season: int = 0) -> Any:
    chosen = np.zeros(17, np.int64)
    chosen[: len(texts)] = [choice(text, season) if text else 0 for text in texts]
    return chosen


@pytest.mark.parametrize("form", ["unit", "joint"])
@pytest.mark.parametrize("limits", [{}, {"last_year": 1902}, {"max_phases": 4}], ids=str)
def test_parallel_api(form: Any, limits: Any) -> None:
    env = DiplomacyParallel(form, **limits)
    parallel_api_test(env, num_cycles=200 if limits else 60)  # PettingZoo's own assertions
    assert env.game.phase != "S1901M", "something was played"
    if not limits:
        assert env.agents, "it would go on"


@pytest.mark.parametrize("form", ["unit", "joint"])
def test_parallel_seed(form: Any) -> None:
    made: list[DiplomacyParallel] = []

    def make() -> DiplomacyParallel:
        made.append(DiplomacyParallel(form))
        return made[-1]

    parallel_seed_test(make, num_cycles=5)  # PettingZoo's own assertions
    assert len({env.game.phase for env in made}) == 1
    assert len(made) == 2


@pytest.mark.parametrize("limits", [{}, {"last_year": 1902}, {"max_phases": 3}], ids=str)
def test_aec_api(limits: Any) -> None:
    env = DiplomacyAEC(**limits)
    api_test(env, num_cycles=100 if limits else 40)  # PettingZoo's own assertions
    assert set(env.rewards) == set(env.terminations) == set(env.agents)


def test_aec_seed() -> None:
    made: list[DiplomacyAEC] = []

    def make() -> DiplomacyAEC:
        made.append(DiplomacyAEC())
        return made[-1]

    seed_test(make, num_cycles=20)  # PettingZoo's own assertions
    assert len({env.game.phase for env in made}) == 1
    assert len(made) == 2


def test_masked_play_is_always_legal_and_reaches_an_end() -> None:
    env = DiplomacyParallel(on_illegal="raise", last_year=1907)
    seen, _ = env.reset(seed=1)
    for agent in env.agents:
        env.action_space(agent).seed(5)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    twin: LearnerState = State(Position.start(last_year=1907))
    while env.agents:
        actions = {agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents}
        for agent in env.agents:
            assert env.observation_space(agent).contains(seen[agent])
        seen, rewards, ended, _, infos = env.step(actions)
        assert all(told["illegal"] == 0 for told in infos.values())
        for agent, reward in rewards.items():
            paid[agent] += reward
        if env.game.phase != twin.phase:
            twin = env.game.copy()
    assert all(ended.values())
    assert sum(paid.values()) == pytest.approx(1)


def test_a_phase_takes_as_many_steps_as_the_largest_power_has_units() -> None:
    env = DiplomacyParallel()
    seen, infos = env.reset()
    assert infos[FRANCE] == {"phase": "S1901M", "illegal": 0}
    assert [int(seen[agent]["area"]) for agent in (FRANCE, "russia_5")] == [11, 9]
    for step in range(4):
        assert env.game.phase == "S1901M"
        can_pass = [bool(seen[agent]["action_mask"][0]) for agent in env.agents]
        assert can_pass == ([False] * 7 if step < 3 else [True] * 5 + [False, True])
        chosen = {agent: int(np.flatnonzero(seen[agent]["action_mask"])[0]) for agent in env.agents}
        seen, *_ = env.step(chosen)
    assert env.game.phase == "F1901M"


def test_masks_are_the_legal_actions_of_the_unit() -> None:
    env = DiplomacyParallel()
    seen, _ = env.reset()
    legal = State().legal_actions()[2]
    paris = [action for action in legal if action >> 9 & 127 == 10]
    assert POSSIBLE_ACTIONS[np.flatnonzero(seen[FRANCE]["action_mask"]) - 1].tolist() == paris


def test_joint_actions_play_a_phase_at_once() -> None:
    env = DiplomacyParallel("joint", on_illegal="raise")
    seen, _ = env.reset()
    assert len(seen[FRANCE]["action_mask"]) == 17
    holds = {agent: np.array([np.flatnonzero(mask)[0] for mask in seen[agent]["action_mask"]]) for agent in env.agents}
    holds[FRANCE] = joint("A PAR - BUR", "F BRE - MAO", "A MAR - SPA")
    env.step(holds)
    assert env.game.position.units["FRANCE"] == ["A BUR", "F MAO", "A SPA"]


def test_illegal_choices_hold_and_are_counted() -> None:
    env = DiplomacyParallel("joint")
    env.reset()
    actions: dict[str, Any] = {agent: np.zeros(17, np.int64) for agent in env.agents}
    actions[FRANCE] = joint("A MUN H", "F BRE - MAO", "A MAR - SPA")
    actions[GERMANY] = "nonsense"
    _, _, _, _, infos = env.step(actions)
    assert env.game.position.units["FRANCE"] == ["F MAO", "A PAR", "A SPA"]
    assert infos[FRANCE]["illegal"] == 1
    assert infos[GERMANY]["illegal"] == 3
    assert infos["italy_4"]["illegal"] == 3


@pytest.mark.parametrize(
    ("wrong", "words"), [(choice("A MUN H"), "MUN H"), (0, "0"), (99999, "99999"), (None, "None"), (1.5, "1.5")]
)
def test_illegal_choices_raise_if_asked_and_change_nothing(wrong: Any, words: str) -> None:
    env = DiplomacyParallel(on_illegal="raise")
    seen, _ = env.reset()
    chosen: dict[str, Any] = {agent: int(np.flatnonzero(seen[agent]["action_mask"])[0]) for agent in env.agents}
    with pytest.raises(IllegalAction, match=f"France: {words} may not be chosen now") as caught:
        env.step({**chosen, FRANCE: wrong})
    assert (caught.value.seat, caught.value.part) == ("FRANCE", words)
    # Austria's choice of that step was not kept either.
    assert env._look("austria_0")["area"] == seen["austria_0"]["area"]
    env.step(chosen)


def test_who_has_nothing_to_order_chooses_nothing_else() -> None:
    for on_illegal in ("hold", "raise"):
        env = DiplomacyParallel(position=Position.read(WINTER), on_illegal=on_illegal)
        env.reset()
        env.step({FRANCE: choice("A GAS D", 4), "turkey_6": choice("F CON B", 4)})
        more = {FRANCE: choice("A PAR D", 4), "turkey_6": choice("WAIVE", 4)}
        if on_illegal == "raise":
            with pytest.raises(IllegalAction, match="may not be chosen now"):
                env.step(more)
        else:
            assert env.step(more)[4][FRANCE]["illegal"] == 1


@pytest.mark.parametrize("phases", [1, 2])
def test_a_game_is_cut_off_after_so_many_phases(phases: int) -> None:
    env = DiplomacyParallel("joint", max_phases=phases)
    env.reset()
    for number in range(1, phases + 1):
        assert env.agents
        *_, terminations, truncations, _ = env.step({})
        assert not any(terminations.values())
        assert all(truncations.values()) == any(truncations.values()) == (number == phases)
    assert env.agents == []


WINTER = "standard W1902A TUR=AANK;FRA=APAR,AGAS TUR=ANK,CON,SMY;FRA=PAR"


def test_in_builds_what_is_taken_is_masked() -> None:
    env = DiplomacyParallel(position=Position.read(WINTER), on_illegal="raise")
    seen, _ = env.reset()
    assert env.agents == [FRANCE, "turkey_6"]
    assert seen["turkey_6"]["area"] == 0
    assert seen["turkey_6"]["build_numbers"].tolist() == [0, 0, -1, 0, 0, 0, 2]
    seen, *_ = env.step({FRANCE: choice("A GAS D", 4), "turkey_6": choice("F CON B", 4)})
    left = {int(action) for action in POSSIBLE_ACTIONS[np.flatnonzero(seen["turkey_6"]["action_mask"]) - 1]}
    assert left == {mila_action_to_action(text, 4) for text in ("WAIVE", "A SMY B", "F SMY B")}
    env.step({FRANCE: 0, "turkey_6": choice("WAIVE", 4)})
    assert env.game.position.units["TURKEY"] == ["A ANK", "F CON"]


def test_an_eliminated_power_is_terminated_and_the_game_goes_on() -> None:
    position = Position.read("standard F1902M TUR=AANK;FRA=APAR;GER=ABUR,AGAS TUR=ANK,CON;FRA=PAR;GER=MUN,KIE")
    env = DiplomacyParallel("joint", position=position)
    env.reset()
    actions = {
        GERMANY: joint("A BUR - PAR", "A GAS S A BUR - PAR"),
        FRANCE: joint("A PAR H"),
        "turkey_6": joint("A ANK H"),
    }
    env.step(actions)
    assert env.game.phase == "F1902R"
    disband = np.zeros(17, np.int64)
    disband[0] = choice("A PAR D", 1)
    _, rewards, ended, cut, _ = env.step({FRANCE: disband})
    assert ended == {FRANCE: True, GERMANY: False, "turkey_6": False}
    assert not any(cut.values())
    assert rewards == dict.fromkeys(ended, 0.0)
    assert env.agents == [GERMANY, "turkey_6"]


def test_the_order_of_turns_one_by_one() -> None:
    env = DiplomacyAEC()
    env.reset()
    order = []
    for agent in env.agent_iter(22):
        order.append(agent)
        seen = env.observe(agent)
        assert env.game.phase == "S1901M"
        env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    assert order == [agent for agent in env.possible_agents for _ in range(4 if agent == "russia_5" else 3)]
    assert env.game.phase == "F1901M"


def test_who_is_not_to_act_may_only_pass() -> None:
    env = DiplomacyAEC()
    env.reset()
    assert np.flatnonzero(env.observe(FRANCE)["action_mask"]).tolist() == [0]


def test_renderings() -> None:
    text, svg = DiplomacyParallel(render_mode="ansi"), DiplomacyAEC(render_mode="svg")
    text.reset()
    svg.reset()
    assert "PAR" in str(text.render())
    assert str(svg.render()).startswith("<svg")
    assert DiplomacyParallel().render() is None


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "4"])
def test_a_limit_of_phases_is_a_number(wrong: Any) -> None:
    with pytest.raises(ConfigError, match=r"^max_phases: expected 1 or more"):
        DiplomacyParallel(max_phases=wrong)


def test_a_foreign_position_is_refused() -> None:
    wrong: Any = "S1901M"
    with pytest.raises(ConfigError, match="position: expected a Position, got str"):
        DiplomacyParallel(position=wrong)


def test_a_joint_choice_of_wrong_shape_is_refused_even_with_nothing_to_order() -> None:
    env = DiplomacyParallel("joint", on_illegal="raise", position=Position.read(f"{WINTER};ITA=ROM"))
    env.reset()
    turkey, france = joint("A CON B", "A SMY B", season=4), joint("A GAS D", season=4)
    with pytest.raises(IllegalAction, match="Italy: None may not be chosen now"):
        env.step({"turkey_6": turkey, FRANCE: france, "italy_4": np.zeros(3, np.int64)})
    assert env.game.phase == "W1902A"


@pytest.mark.parametrize("setting", ["form", "on_illegal", "render_mode"])
def test_wrong_settings_are_named(setting: str) -> None:
    wrong: dict[str, Any] = {setting: "other"}
    with pytest.raises(ConfigError, match=f"^{setting}: expected"):
        DiplomacyParallel(**wrong)


def test_pettingzoo_accepts_every_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import render_test

    render_test(DiplomacyAEC, custom_tests={"svg": lambda drawn: str(drawn).startswith("<svg") or "<svg" in str(drawn)})
    human, text = DiplomacyAEC(render_mode="human"), DiplomacyAEC(render_mode="ansi")
    for env in (human, text):
        env.reset(seed=1)
    capsys.readouterr()
    assert human.render() is None
    assert capsys.readouterr().out == f"{text.render()}\n"
