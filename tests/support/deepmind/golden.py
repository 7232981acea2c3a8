"""The golden numbers of the published network in a small configuration: six phases, its inputs and its outputs.

Rows of the two tables of all actions that none of these phases uses are zero, since nothing here depends on them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from parlour.deepmind import Observation, Season
from parlour.deepmind.network.parameters import Parameters, from_published
from parlour.deepmind.transformer import NetworkInput, ObservationTransformer, stacked
from support import TESTS

FOLDER = TESTS / "deepmind"
INPUTS, TRANSFORMED, OUTPUTS = (np.load(FOLDER / f"golden_{name}.npz") for name in ("inputs", "transformed", "outputs"))
PHASES = 6
SEASONS = tuple(Season)


def listed(name: str, number: int) -> list[int]:
    """Return one of the ragged lists."""
    bounds = INPUTS[f"{name}_off"]
    found: list[int] = INPUTS[name][bounds[number] : bounds[number + 1]].tolist()
    return found


def by_power(name: str, phase: int) -> list[list[int]]:
    """Return the seven lists of a phase."""
    return [listed(name, 7 * phase + power) for power in range(7)]


def observation(phase: int) -> Observation:
    """Return the observations."""
    builds = INPUTS["build_numbers"][phase].tolist()
    return Observation(SEASONS[INPUTS["season"][phase]], INPUTS["board"][phase], builds, listed("last_actions", phase))


def transformed(*, forced: bool, slots: range = range(7)) -> list[NetworkInput]:
    """Return the inputs of the six phases, as the golden ones were made: forced at temperature 1, otherwise at 0."""
    made, carried = [], None
    for phase in range(PHASES):
        given, carried = ObservationTransformer().transform(
            observation(phase),
            by_power("legal", phase),
            slots,
            carried,
            temperature=1.0 if forced else 0.0,
            forced_actions=by_power("forced", phase) if forced else None,
        )
        made.append(given)
    return made


@cache
def batch(*, forced: bool) -> NetworkInput:
    """Return all six phases as one batch."""
    return stacked(transformed(forced=forced))


def triple() -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]], int]:
    """Return the parameters as published: by module and name."""
    parts: dict[str, dict[str, dict[str, Any]]] = {"P": {}, "S": {}}
    with np.load(FOLDER / "golden_params.npz") as file:
        for key in file.files:
            if key != "step":
                part, module, name = key.split("|")
                parts[part].setdefault(module, {})[name] = file[key]
        return parts["P"], parts["S"], int(file["step"])


@cache
def parameters() -> Parameters:
    """Return the parameters."""
    return from_published(triple())
