"""Measures how well a network predicts the orders of unseen matches, with intervals over whole matches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.deepmind.network.network import Network
from parlour.tournament.statistics.means import Estimate, mean_of
from parlour.training.phases import PlayedPhases

Rows = npt.NDArray[np.int64]
MOST_MATCHES = 200
"""Maximum number of matches to evaluate; more would hardly narrow the interval."""


class PredictionMetrics(NamedTuple):
    """Estimates whose unit is the match, since phases of one match are alike."""

    gain: Estimate
    """Nats per order by which the network is better than a uniform choice of legal orders."""
    accuracy: Estimate
    """Share of the played orders that the network finds likeliest."""

    def in_words(self) -> str:
        """Return both estimates with their intervals as text."""
        gain, accuracy = self.gain, self.accuracy
        about = "" if gain.half is None else f" ± {gain.half:.3f}"
        within = "" if accuracy.half is None else f" ± {accuracy.half:.1%}"
        matches = "1 match" if gain.blocks == 1 else f"{gain.blocks} matches"
        return (
            f"held out: {accuracy.mean:.1%}{within} of orders are its likeliest; {gain.mean:.3f}{about} nats per order "
            f"better than uniform over legal orders ({matches}, 95 %)"
        )


def prediction_metrics(network: Network, phases: PlayedPhases, held: Rows) -> PredictionMetrics:
    """Return how well a network predicts held-out phases, match by match; at least one order must be known."""
    figures = []
    for match in np.unique(phases.match[held])[:MOST_MATCHES]:
        found = _orders(network, phases, held[phases.match[held] == match])
        if len(found):
            figures.append(found.mean(axis=0))
    gain, accuracy = (mean_of(column) for column in np.array(figures).reshape(-1, 2).T)
    assert gain is not None
    assert accuracy is not None
    return PredictionMetrics(gain, accuracy)


def _orders(network: Network, phases: PlayedPhases, rows: Rows) -> npt.NDArray[np.float64]:
    """Return [orders, 2]: for each known order the gain over uniform in nats, and 1 if it is the likeliest."""
    actions = phases.shrunk(rows)
    found = network.score(phases.inputs(rows).forced(actions), values=False)
    turn = found.turn
    numbers = np.repeat(np.arange(len(turn.active)), turn.active)
    played = actions[turn.states[turn.step_rows], turn.powers[turn.step_rows], numbers]
    result = []
    for step in np.flatnonzero(played > 0).tolist():
        part = slice(turn.bounds[step], turn.bounds[step + 1])
        logits, index = found.logits[part].astype(np.float64), int(played[step]) >> 16
        place = np.flatnonzero(turn.legal[part] == index)
        if len(place):
            top = logits.max()
            likelihood = float(logits[place[0]] - top - np.log(np.exp(logits - top).sum()))
            result.append((likelihood + np.log(len(logits)), float(found.chosen[step] == index)))
    return np.array(result, np.float64).reshape(-1, 2)
