"""Quality of predicted orders: the gain of uniform play and of a certain network, and intervals over matches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.network import Network
from parlour.deepmind.network.parameters import made_parameters
from parlour.tournament.statistics.means import Estimate
from parlour.training.judging import PredictionMetrics, prediction_metrics
from parlour.training.phases import PlayedPhases, joined
from parlour.training.sources import phases_of_file
from support.matches.training import write_matches

TINY = NetworkConfig(4, 4, 0, 0, 4, 0, (4,), 2, 2, 2)


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> PlayedPhases:
    folder = tmp_path_factory.mktemp("matches")
    return joined([phases_of_file(path, "centres") for path in write_matches(folder, 3, "random")])


def network(sharp: float) -> Network:
    arrays = dict(made_parameters(TINY, 2).arrays)
    arrays["decoder/projection"] = arrays["decoder/projection"] * np.float32(sharp)
    return Network(TINY, arrays)


def test_a_network_without_opinion_gains_nothing(phases: PlayedPhases) -> None:
    found = prediction_metrics(network(0), phases, np.arange(len(phases)))
    assert abs(found.gain.mean) < 1e-6
    assert found.gain.blocks == found.accuracy.blocks == 3


def test_opinions_about_random_play_lose_and_those_that_are_right_win(phases: PlayedPhases) -> None:
    wrong = prediction_metrics(network(3000), phases, np.arange(len(phases)))
    assert wrong.gain.mean < -0.05
    # The same network when its own likeliest orders were played: all are right, and each gains something.
    own = network(3000)
    rows = np.arange(len(phases))
    greedy = own.decide(phases.inputs(rows), values=False).shrunk(7 * len(rows)).reshape(-1, 7, 17)
    played = replace(phases, actions=np.where(greedy > 0, greedy >> 16, -1).astype(np.int16))
    right = prediction_metrics(own, played, rows)
    assert right.accuracy.mean == 1
    assert right.accuracy.half is None  # all were right: there is no spread
    assert right.gain.mean > 0.05
    assert right.gain.mean == pytest.approx(by_hand(own, played), abs=1e-4)


def by_hand(network: Network, phases: PlayedPhases) -> float:
    """Return the mean over matches of the mean over orders, from the policies of all 18,584 actions."""
    means = []
    for match in np.unique(phases.match):
        gains = []
        for row in np.flatnonzero(phases.match == match):
            given, actions = phases.inputs(np.array([row])), phases.shrunk(np.array([row]))
            policies = network.score(given.forced(actions)).policies(7)
            for power in range(7):
                for step in range(int(given.lengths[0, power])):
                    begin, end = given.spans[0, power, step]
                    if actions[0, power, step] > 0:
                        gains.append(np.log(policies[power, step, actions[0, power, step] >> 16] * (end - begin)))
        means.append(np.mean(gains))
    return float(np.mean(means))


def test_words_have_the_interval_if_there_is_one(phases: PlayedPhases) -> None:
    one = prediction_metrics(network(1), phases, np.flatnonzero(phases.match == 1))
    assert "±" not in one.in_words()
    assert "(1 match, 95 %)" in one.in_words()
    two = PredictionMetrics(Estimate(1.5, 0.1, 0.25, 2), Estimate(0.5, 0.1, 0.125, 2))
    assert two.in_words() == (
        "held out: 50.0% ± 12.5% of orders are its likeliest; 1.500 ± 0.250 nats per order better than uniform over "
        "legal orders (2 matches, 95 %)"
    )
