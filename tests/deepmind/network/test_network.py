"""The network on NumPy against golden numbers: representation, values, forced and greedy orders; samples and copies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from parlour.deepmind import POSSIBLE_ACTIONS, RandomPolicy, State
from parlour.deepmind.network.arrays import NumpyArrays
from parlour.deepmind.network.compiled import CompiledLayers
from parlour.deepmind.network.layers import Layers
from parlour.deepmind.network.network import Decisions, Network, NoiseKeys, copies_of, listed_actions, published_draws
from parlour.deepmind.network.plan import Ints
from parlour.deepmind.network.stream import key_of
from parlour.deepmind.transformer import NetworkInput, ObservationTransformer
from support.deepmind import golden as golden

TOLERANCE = 2e-5
WAIVE = 0x000300000000000D


@pytest.fixture(scope="module", params=["kernel", "plain"])
def network(request: pytest.FixtureRequest) -> Network:
    parameters = golden.parameters()
    made = Network(parameters.config, parameters.arrays)
    if request.param == "plain":
        made._layers = Layers(NumpyArrays(), parameters.arrays)
    else:
        assert isinstance(made._layers, CompiledLayers)
    return made


def steps_of(found: Decisions) -> dict[tuple[int, int, int], int]:
    """Return the number of each step by state, power and step of its power."""
    numbers = np.repeat(np.arange(len(found.turn.active)), found.turn.active)
    rows = found.turn.step_rows
    keys = zip(found.turn.states[rows].tolist(), found.turn.powers[rows].tolist(), numbers.tolist(), strict=True)
    return {key: at for at, key in enumerate(keys)}


def assert_golden(found: Decisions, kind: str) -> None:
    """Logits and policies of every step are the golden ones, and what is ruled out is."""
    steps, policies = steps_of(found), found.policies(42)
    bounds = golden.OUTPUTS["slot_off"]
    assert len(steps) == len(golden.OUTPUTS["slot"])
    for number, (phase, power, step) in enumerate(golden.OUTPUTS["slot"].tolist()):
        at = steps[phase, power, step]
        part = slice(bounds[number], bounds[number + 1])
        own = slice(found.turn.bounds[at], found.turn.bounds[at + 1])
        indices = golden.OUTPUTS["action_index"][part]
        assert np.array_equal(found.turn.legal[own], indices)
        expected, logits = golden.OUTPUTS[f"{kind}_logits"][part], found.logits[own]
        out = expected == np.finfo(np.float32).min
        assert np.array_equal(logits == np.finfo(np.float32).min, out)
        assert np.abs(logits - expected)[~out].max() < TOLERANCE
        policy = policies[7 * phase + power, step]
        assert np.abs(policy[indices] - golden.OUTPUTS[f"{kind}_policy"][part]).max() < TOLERANCE
        assert abs(policy.sum() - 1) < TOLERANCE


def test_representation_and_values(network: Network) -> None:
    given = golden.batch(forced=False)
    found = network.representation(given)
    assert found.shape == (6, 7, 81, 64)
    assert np.abs(found[0] - golden.OUTPUTS["area_representation_t0"]).max() < TOLERANCE
    assert np.abs(found.mean(axis=(1, 2)) - golden.OUTPUTS["area_representation_mean"]).max() < TOLERANCE
    assert np.abs(network.values(given) - golden.OUTPUTS["values"]).max() < TOLERANCE


def test_greedy_orders(network: Network) -> None:
    found = network.decide(golden.batch(forced=False))
    assert found.value_logits is not None
    assert np.abs(found.value_logits - golden.OUTPUTS["value_logits"]).max() < TOLERANCE
    assert np.array_equal(found.shrunk(42).reshape(6, 7, 17), golden.OUTPUTS["greedy_actions"])
    assert_golden(found, "greedy")


def test_forced_orders_all_at_once_and_one_after_another(network: Network) -> None:
    given = golden.batch(forced=True)
    found = network.score(given)
    assert_golden(found, "tf")
    assert_golden(network.decide(given), "tf")
    for number, (phase, power, step) in enumerate(golden.OUTPUTS["slot"].tolist()):
        at = steps_of(found)[phase, power, step]
        own = slice(found.turn.bounds[at], found.turn.bounds[at + 1])
        raised = np.exp(found.logits[own] - found.logits[own].max())
        chosen = found.turn.legal[own] == golden.OUTPUTS["tf_chosen"][number] >> 48
        likelihood = np.log(raised[chosen] / raised.sum())
        assert np.abs(likelihood - golden.OUTPUTS["tf_chosen_logprob"][number]).max() < TOLERANCE


def test_a_state_alone_gives_what_it_gives_in_a_batch(network: Network) -> None:
    for phase, alone in enumerate(golden.transformed(forced=False)):
        found = network.decide(alone)
        assert np.array_equal(found.shrunk(7), golden.OUTPUTS["greedy_actions"][phase])
        assert found.value_logits is not None
        assert np.abs(found.value_logits - golden.OUTPUTS["value_logits"][phase]).max() < TOLERANCE


def test_without_values_only_some_rows_are_worked_on(network: Network) -> None:
    given = golden.batch(forced=False)
    rows = np.array([5, 0, 0], np.int32), np.array([1, 6, 6], np.int32)
    found = network.decide(given, rows=rows, values=False)
    assert found.value_logits is None
    expected = golden.OUTPUTS["greedy_actions"]
    assert np.array_equal(found.shrunk(3), np.stack([expected[5, 1], expected[0, 6], expected[0, 6]]))


def test_a_batch_of_nothing_to_do(network: Network) -> None:
    given = golden.transformed(forced=False, slots=range(0))[0]
    found = network.decide(given)
    assert found.actions(7) == [[]] * 7
    assert found.value_logits is not None
    assert network.score(given).logits.shape == (0,)


def midgame(seed: int, temperature: float) -> NetworkInput:
    """Return a position some years into a random game."""
    state, policy, carried = State(), RandomPolicy(seed), None
    for _ in range(14):
        seen, lists = state.observation(), state.legal_actions()
        given, carried = ObservationTransformer().transform(seen, lists, carried=carried, temperature=temperature)
        state.step(policy.actions(range(7), seen, lists)[0])
    return given


def dense_sample(network: Network, given: NetworkInput, seed: int, copies: int, *, partitionable: bool) -> Ints:
    """Samples as the published code draws them, with JAX's own arrays of noise for all actions."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_threefry_partitionable", partitionable)
    try:
        key = jax.random.PRNGKey(seed)
        count = len(given) * copies * 7
        shrunk = np.zeros((count, 17), np.int32)
        states, powers = copies_of([copies] * len(given))
        for step in range(17):
            key, sub = jax.random.split(key)
            noise = np.asarray(jax.random.gumbel(sub, (count, 18584), np.float32))
            for row in range(count):
                state, power = int(states[row]), int(powers[row])
                if step >= given.lengths[state, power]:
                    continue
                last = np.full((len(given), 7, 17), -1, np.int32)
                last[state, power, 1:] = shrunk[row, :-1]
                rows = states[row : row + 1], powers[row : row + 1]
                found = network.decide(replace(given, last_action=last), rows=rows, values=False)
                at = steps_of(found)[state, power, step]
                own = slice(found.turn.bounds[at], found.turn.bounds[at + 1])
                scores = found.logits[own] / given.temperature[state] + noise[row, found.turn.legal[own]]
                best = found.turn.legal[own][scores.argmax()]
                shrunk[row, step] = best << 16 | int(POSSIBLE_ACTIONS[best]) & 0xFFFF
        return shrunk
    finally:
        jax.config.update("jax_threefry_partitionable", True)


@pytest.mark.parametrize("legacy", [False, True])
def test_samples_are_those_of_the_published_stream(legacy: bool) -> None:
    parameters = golden.parameters()
    network = Network(parameters.config, parameters.arrays)
    given = midgame(3, 0.7)
    expected = dense_sample(network, given, 11, 2, partitionable=not legacy)
    states, powers = copies_of([2])
    draws = published_draws(key_of(11), 2, legacy=legacy)
    found = network.decide(given, draws, (states, powers)).shrunk(14)
    assert np.array_equal(found, expected)
    assert len({tuple(row) for row in found.reshape(2, -1).tolist()}) == 2


def test_temperature_zero_is_greedy_whatever_is_drawn(network: Network) -> None:
    found = network.decide(golden.batch(forced=False), published_draws(key_of(5), 6))
    assert np.array_equal(found.shrunk(42).reshape(6, 7, 17), golden.OUTPUTS["greedy_actions"])


def frequencies(given: NetworkInput, network: Network, samples: int) -> npt.NDArray[np.float64]:
    states, powers = np.zeros(samples, np.int32), np.full(samples, 2, np.int32)
    places = np.arange(samples, dtype=np.uint32)
    draws = NoiseKeys(np.repeat(key_of(1), samples, axis=1), places, np.full(samples, samples, np.uint32))
    found = network.decide(given, draws, (states, powers), values=False)
    counts = np.bincount(found.chosen[:samples], minlength=18584)
    return counts / samples


def test_samples_have_the_probabilities_of_the_policy_at_their_temperature() -> None:
    parameters = golden.parameters()
    network = Network(parameters.config, parameters.arrays)
    given = golden.transformed(forced=False)[0]
    policy = network.decide(given).policies(7)[2, 0]
    for temperature in (1.0, 0.5):
        found = frequencies(replace(given, temperature=np.array([temperature], np.float32)), network, 2000)
        expected = policy ** (1 / temperature)
        expected = expected / expected.sum()
        assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / 2000)


def test_of_waived_builds_one_is_given_at_the_end() -> None:
    waive, build = 3 << 16 | 13, 276 << 16 | 0x940A
    assert listed_actions(np.array([waive, build, waive, 0], np.int32)) == [0x011400000000940A, WAIVE]
    assert listed_actions(np.zeros(17, np.int32)) == []


def test_more_steps_than_places_give_no_second_order_of_one() -> None:
    """Uncapped build numbers ask for more than is legal; what is left over is no order at all."""
    made = golden.transformed(forced=False)
    given = next(part for part in made if part.season[0] == 4)
    power = int(np.flatnonzero(given.lengths[0])[0])
    legal = given.indices[slice(*given.spans[0, power, 0])]
    lengths, places, spans = given.lengths.copy(), given.places.copy(), given.spans.copy()
    lengths[0, power], places[0, power], spans[0, power] = 17, -2, spans[0, power, 0]
    parameters = golden.parameters()
    network = Network(parameters.config, parameters.arrays)
    crowded = replace(given, lengths=lengths, places=places, spans=spans, last_action=np.zeros_like(places))
    chosen = network.decide(crowded).actions(7)[power]
    provinces = [action >> 9 & 127 for action in chosen if action != WAIVE]
    assert len(set(provinces)) == len(provinces)
    assert {action >> 48 for action in chosen} <= set(legal.tolist())
