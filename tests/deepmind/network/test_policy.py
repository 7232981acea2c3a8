"""A network as a policy of the runner: what it records, what it draws, what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parlour.deepmind import Network, Policy, RandomPolicy, State, run_game
from parlour.deepmind.network.network import published_draws
from parlour.deepmind.network.stream import key_of, split
from parlour.deepmind.transformer import ObservationTransformer
from parlour.errors import ConfigError
from support.deepmind import golden as golden


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(golden.parameters().config, golden.parameters().arrays)


def test_it_plays_golden_phases_as_the_published_policy_does(network: Network) -> None:
    """At temperature 0 nothing depends on the stream; carried state, transformer and network are all in it."""
    policy = Policy(network, 0, calculate_all_policies=True)
    policy.reset()
    for phase in range(golden.PHASES):
        slots = [2, 5]
        chosen, outputs = policy.actions(slots, golden.observation(phase), golden.by_power("legal", phase))
        expected = golden.OUTPUTS["greedy_actions"][phase]
        assert np.array_equal(outputs["actions"], expected)
        assert np.abs(outputs["values"] - golden.OUTPUTS["values"][phase]).max() < 2e-5
        assert outputs["policy"].shape == (7, 17, 18584)
        for slot, own in zip(slots, chosen, strict=True):
            shrunk = [action >> 48 << 16 | action & 0xFFFF for action in own]
            assert sorted(set(shrunk)) == sorted({int(x) for x in expected[slot] if x})
    assert str(policy) == "OnPolicy(t=0)"


@pytest.mark.parametrize("legacy", [False, True])
def test_each_call_draws_from_the_next_part_of_the_stream(network: Network, legacy: bool) -> None:
    policy = Policy(network, 0.5, seed=7, legacy_stream=legacy)
    state = State()
    seen, lists = state.observation(), state.legal_actions()
    given, _ = ObservationTransformer().transform(seen, lists, temperature=0.5)
    key, _ = split(np, key_of(7), legacy=legacy)
    for _ in range(2):
        key, now = split(np, key, legacy=legacy)
        expected = network.decide(given, published_draws(now, 1, legacy=legacy)).actions(7)
        policy.reset()
        assert policy.actions(range(7), seen, lists)[0] == expected


def test_slots_that_are_not_asked_for_do_not_change_what_is_drawn(network: Network) -> None:
    state = State()
    seen, lists = state.observation(), state.legal_actions()
    whole, outputs = Policy(network, 0.8).actions(range(7), seen, lists)
    some, few = Policy(network, 0.8).actions([6, 1], seen, lists)
    assert some == [whole[6], whole[1]]
    assert few["actions"][[0, 2, 3, 4, 5]].sum() == 0
    every, more = Policy(network, 0.8, calculate_all_policies=True).actions([6, 1], seen, lists)
    assert every == some
    assert np.array_equal(more["actions"], outputs["actions"])
    nobody, nothing = Policy(network, 0.8).actions([], seen, lists)
    assert nobody == []
    assert nothing["actions"].sum() == 0


def test_a_game_of_two_policies_in_the_runner(network: Network) -> None:
    policy = Policy(network, 0.1, outputs=False)
    game = run_game(State(), [policy, RandomPolicy(1)], [0, 1, 0, 1, 0, 1, 0], max_length=25)
    assert len(game) == 25
    assert game.step_outputs[3] == {"OnPolicy(t=0.1)": {}, "RandomPolicy": {}}
    again = run_game(State(), [Policy(network, 0.1), RandomPolicy(1)], [0, 1, 0, 1, 0, 1, 0], max_length=25)
    assert all(np.array_equal(x, y) for x, y in zip(game.actions, again.actions, strict=True))
    assert set(again.step_outputs[3]["OnPolicy(t=0.1)"]) == {"values", "policy", "actions"}


def test_several_samples_of_one_phase(network: Network) -> None:
    state = State()
    seen, lists = state.observation(), state.legal_actions()
    found = Policy(network, 1.0).samples([0, 3], seen, lists, 5)
    assert [len(copy) for copy in found] == [2] * 5
    assert len({str(copy) for copy in found}) > 1
    assert all(action in lists[3] for copy in found for action in copy[1])
    with pytest.raises(ConfigError, match="count: expected 1 or more"):
        Policy(network, 1.0).samples([0], seen, lists, 0)


@pytest.mark.parametrize("wrong", [-0.1, float("nan"), float("inf"), "warm", True])
def test_a_temperature_that_is_none_is_refused(network: Network, wrong: Any) -> None:
    with pytest.raises(ConfigError, match="temperature: expected a number of at least 0"):
        Policy(network, wrong)
