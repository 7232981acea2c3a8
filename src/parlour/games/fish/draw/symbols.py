"""Symbols that are defined once and used many times: an ice floe, a fish, a penguin."""

from __future__ import annotations

from parlour.core.marks import Mark, group, mark

SIDE = 34.0
"""Side of a hexagon."""
RISE = SIDE * 3**0.5 / 2
"""Half the height of a hexagon."""
THICK = 7.0
"""Height of a floe's visible side."""

_BODY = "M0-23C10-23 14.5-14 16-1C17.5 14 11 21 0 21C-11 21-17.5 14-16-1C-14.5-14-10-23 0-23z"
_WINGS = "M-14.6-5C-20 0-22.5 8-20.5 14C-16.5 12-14 6-13.6 1zM14.6-5C20 0 22.5 8 20.5 14C16.5 12 14 6 13.6 1z"
_BELLY = (
    "M0-10C3-14.5 10.5-14 11-7C11.6 0 11.6 8 9 13C6.5 17.5 3.5 19 0 19"
    "C-3.5 19-6.5 17.5-9 13C-11.6 8-11.6 0-11-7C-10.5-14-3-14.5 0-10z"
)
_FISH = "M-8 0C-4.6-5 3.4-5.4 7.4 0C3.4 5.4-4.6 5-8 0zM-6.6 0-11.4-4.2V4.2z"


def hexagon(grown: float = 0.0) -> str:
    """Return the path data of a hexagon round the origin, larger by `grown`."""
    side, half, rise = (f"{SIDE + grown:.1f}", f"{(SIDE + grown) / 2:.1f}", f"{RISE + grown * 3**0.5 / 2:.1f}")
    return f"M-{side} 0L-{half} -{rise}H{half}L{side} 0L{half} {rise}H-{half}z"


def definitions() -> tuple[Mark, ...]:
    """Return the symbols, for a <defs>; a penguin takes its colour from its <use>."""
    side = (
        f"M{-SIDE + 1.5:.1f} 0L{-SIDE / 2 + 0.8:.1f} {RISE - 1.4:.1f}H{SIDE / 2 - 0.8:.1f}L{SIDE - 1.5:.1f} 0"
        f"v{THICK:g}L{SIDE / 2 - 0.8:.1f} {RISE - 1.4 + THICK:.1f}H{-SIDE / 2 + 0.8:.1f}L{-SIDE + 1.5:.1f} {THICK:g}z"
    )
    floe = group(
        mark("path", d=side, fill="$ice-side"),
        mark("path", d=hexagon(-1.6), fill="$ice", stroke="$ice-line", stroke_width=1.2, stroke_linejoin="round"),
        mark("path", d=hexagon(-7), fill="$ice-glow", stroke="none"),
        id="floe",
    )
    fish = group(
        mark("path", d=_FISH, fill="$fish", stroke="$fish-line", stroke_width=1, stroke_linejoin="round"),
        mark("circle", cx=3.6, cy=-1, r=1.1, fill="$fish-eye"),
        id="fish",
    )
    return floe, fish, _penguin()


def _penguin() -> Mark:
    ink: dict[str, str | float] = {"stroke": "$outline", "stroke_width": 1.6, "stroke_linejoin": "round"}
    beak: dict[str, str | float] = {"fill": "$beak", "stroke": "$beak-line", "stroke_width": 1}
    return group(
        mark("ellipse", cx=0, cy=21.5, rx=15, ry=4, fill="$outline", opacity=0.18),
        *(mark("ellipse", cx=x, cy=20.6, rx=5, ry=2.6, **beak) for x in (-6, 6)),
        mark("path", d=_WINGS, **ink),
        mark("path", d=_BODY, **ink),
        mark("path", d=_BELLY, fill="$belly"),
        *(mark("circle", cx=x, cy=-8.5, r=2.1, fill="$eye") for x in (-4.6, 4.6)),
        *(mark("circle", cx=x, cy=-9.2, r=0.7, fill="$belly") for x in (-4, 5.2)),
        mark("path", d="M-3.6-5.4H3.6L0-.6z", stroke_linejoin="round", **beak),
        id="penguin",
    )
