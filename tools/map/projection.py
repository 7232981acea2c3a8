"""From the globe to paper: Lambert conformal conic, a smooth stretch, and weak lenses where provinces are small."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = Array | Sequence[tuple[float, float]]

WIDTH, HEIGHT = 1200, 1020

_MIDDLE = (17.0, 50.0)
_PARALLELS = (math.radians(40.0), math.radians(62.0))
_EARTH = 6371.0


def _cot_half(latitude: float) -> float:
    return math.tan(math.pi / 4 + latitude / 2)


_CONE = math.log(math.cos(_PARALLELS[0]) / math.cos(_PARALLELS[1])) / math.log(
    _cot_half(_PARALLELS[1]) / _cot_half(_PARALLELS[0])
)
_FACTOR = math.cos(_PARALLELS[0]) * _cot_half(_PARALLELS[0]) ** _CONE / _CONE
_RHO = _EARTH * _FACTOR / _cot_half(math.radians(_MIDDLE[1])) ** _CONE

# Knots of the stretch along each axis: kilometres from the middle, local scale.
_ACROSS = (
    (-3800, 0.44), (-2550, 0.47), (-2150, 0.88), (-1700, 1.10), (-1200, 1.32), (-800, 1.32), (-300, 1.22),
    (500, 1.20), (1000, 1.04), (1500, 0.80), (2000, 0.62), (2600, 0.52), (4400, 0.5),
)  # fmt: skip
_DOWN = (
    (-3600, 0.40), (-2200, 0.52), (-1500, 0.64), (-1000, 0.84), (-600, 1.10), (-100, 1.22), (500, 1.20),
    (1000, 1.16), (1400, 1.06), (1700, 0.82), (2000, 0.6), (3000, 0.5),
)  # fmt: skip

# Longitude, latitude, radius in kilometres, strength; injective below strength 2.
_LENSES = (
    (6.2, 51.2, 230, 0.30),  # Low Countries, Ruhr
    (10.2, 55.6, 190, 0.42),  # Denmark
    (20.8, 42.3, 330, 0.26),  # western Balkans
    (28.3, 40.6, 230, 0.24),  # the Straits
    (-3.2, 54.4, 360, 0.40),  # Britain
    (13.6, 42.2, 300, 0.32),  # central Italy
    (15.5, 48.6, 260, 0.12),  # Vienna, Bohemia
    (-5.6, 35.95, 130, 0.50),  # Gibraltar
)


def _conic(places: Places) -> Array:
    """Return kilometres from the middle; y grows southwards."""
    degrees = np.radians(np.asarray(places, float).reshape(-1, 2))
    rho = _EARTH * _FACTOR / np.tan(np.pi / 4 + degrees[:, 1] / 2) ** _CONE
    angle = _CONE * (degrees[:, 0] - math.radians(_MIDDLE[0]))
    return np.stack([rho * np.sin(angle), rho * np.cos(angle) - _RHO], 1)


def _axis(knots: Sequence[tuple[float, float]]) -> tuple[Array, Array]:
    table = np.array(knots, float)
    at = np.arange(table[0, 0], table[-1, 0] + 1, 10.0)
    scale = np.interp(at, table[:, 0], table[:, 1])
    scale = np.convolve(np.pad(scale, 15, mode="edge"), np.ones(31) / 31, "valid")
    to = np.concatenate([[0], np.cumsum((scale[1:] + scale[:-1]) / 2 * 10)])
    return at, to - np.interp(0, at, to)


_X, _Y = _axis(_ACROSS), _axis(_DOWN)


def _stretched(places: Places) -> Array:
    flat = _conic(places)
    return np.stack([np.interp(flat[:, 0], *_X), np.interp(flat[:, 1], *_Y)], 1)


_CENTRES = [(_stretched([(lon, lat)])[0], radius, strength) for lon, lat, radius, strength in _LENSES]


def _raw(places: Places) -> Array:
    flat = _stretched(places)
    out = flat.copy()
    for centre, radius, strength in _CENTRES:
        away = flat - centre
        out += away * (strength * np.exp(-(away**2).sum(1) / (2 * radius * radius)))[:, None]
    return out


# A point on each edge of the frame.
_WEST, _NORTH, _EAST, _SOUTH = (-21.5, 45.0), (20.0, 73.4), (46.6, 42.0), (17.0, 31.55)
_LEFT, _TOP = _raw([_WEST])[0, 0], _raw([_NORTH])[0, 1]
_SCALE = [WIDTH / (_raw([_EAST])[0, 0] - _LEFT), HEIGHT / (_raw([_SOUTH])[0, 1] - _TOP)]


def project(places: Places) -> Array:
    """Return the places on paper of longitudes and latitudes."""
    result: Array = (_raw(places) - [_LEFT, _TOP]) * _SCALE
    return result


def points(places: Places) -> list[tuple[float, float]]:
    """Return the places on paper of longitudes and latitudes, as pairs."""
    return [(float(x), float(y)) for x, y in project(places)]
