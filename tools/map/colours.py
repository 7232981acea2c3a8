"""Prints the distances between the colours of each theme, for normal and for colour-blind eyes.

    python tools/map/colours.py

CIEDE2000 distances; colour blindness simulated after Machado, Oliveira and Fernandes (2009) at full severity. It also
prints the contrast ratio between each power's units and its own land.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from parlour.games.diplomacy.draw.theme import THEMES, Theme

Array = NDArray[np.float64]

EYES = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = np.array([0.95047, 1, 1.08883])


def linear(colour: str) -> Array:
    """Return the linear light of #rrggbb."""
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def seen(colour: str, eyes: str) -> Array:
    """Return a colour as these eyes see it, in CIELAB."""
    xyz = _XYZ @ np.clip(EYES[eyes] @ linear(colour), 0, 1) / _WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: Array, other: Array) -> float:
    """Return the CIEDE2000 distance of two colours."""
    chroma = (np.hypot(*one[1:]) + np.hypot(*other[1:])) / 2
    stretch = 1 + 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25**7)))
    a, b = np.array([one[1], other[1]]) * stretch, np.array([one[2], other[2]])
    c, hue = np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360
    turn = (hue[1] - hue[0] + 180) % 360 - 180 if c.all() else 0.0
    light, mean, mid = (one[0] + other[0]) / 2, c.mean(), hue.sum() / 2
    if abs(hue[0] - hue[1]) > 180:
        mid += 180
    t = 1 - 0.17 * _cos(mid - 30) + 0.24 * _cos(2 * mid) + 0.32 * _cos(3 * mid + 6) - 0.2 * _cos(4 * mid - 63)
    d_light = (other[0] - one[0]) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    d_chroma = (c[1] - c[0]) / (1 + 0.045 * mean)
    d_hue = 2 * np.sqrt(c[0] * c[1]) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * mean * t)
    twist = -2 * np.sqrt(mean**7 / (mean**7 + 25**7)) * np.sin(np.radians(60 * np.exp(-(((mid - 275) / 25) ** 2))))
    return float(np.sqrt(d_light**2 + d_chroma**2 + d_hue**2 + twist * d_chroma * d_hue))


def contrast(one: str, other: str) -> float:
    """Return WCAG's contrast ratio of two colours."""
    dark, bright = sorted(float(_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def report(theme: Theme) -> None:
    """Print the five nearest pairs of units and of grounds for each kind of eyes."""
    units = {power: paint.unit for power, paint in theme.powers.items()}
    grounds = {power: paint.land for power, paint in theme.powers.items()}
    grounds |= {"neutral": theme.neutral, "land": theme.land, "sea": theme.sea}
    for what, colours in (("units", units), ("grounds", grounds)):
        for eyes in EYES:
            pairs = sorted(
                (distance(seen(colours[a], eyes), seen(colours[b], eyes)), a, b) for a, b in combinations(colours, 2)
            )
            print(f"{theme.name} {what} {eyes}:", ", ".join(f"{a}/{b} {d:.1f}" for d, a, b in pairs[:5]))
    print(f"{theme.name} contrast:", ", ".join(f"{p} {contrast(v.unit, v.land):.2f}" for p, v in theme.powers.items()))


def _cos(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))


if __name__ == "__main__":
    for each in THEMES.values():
        report(each)
