"""The figures of a training run as a picture: one panel for each, in plain SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from parlour.core.markup import SVG, Html, tag

WIDTH, HEIGHT, MARGIN = 420, 240, 46
_COLOURS = ("#1f6fb2", "#d1495b", "#8a8a8a")
_NAMES = ("learned from", "held out", "uniform over legal actions")


def curves(notes: Sequence[Mapping[str, Any]], panels: Mapping[str, Sequence[str]]) -> str:
    """Return a picture of panels, each with up to three lines of figures over steps."""
    body = [_panel(at, title, names, notes) for at, (title, names) in enumerate(panels.items())]
    columns = min(2, len(body))
    height = HEIGHT * math.ceil(len(body) / columns)
    paper = tag("rect", width="100%", height="100%", fill="white")
    box, font = f"0 0 {WIDTH * columns} {height}", "sans-serif"
    return f"{tag('svg', paper, *body, xmlns=SVG, viewBox=box, font_family=font, font_size=11)}\n"


def _panel(at: int, title: str, names: Sequence[str], notes: Sequence[Mapping[str, Any]]) -> Html:
    lines = [[(note["step"], note[name]) for note in notes if _is_number(note.get(name))] for name in names]
    points = [point for line in lines for point in line]
    left, top = at % 2 * WIDTH, at // 2 * HEIGHT
    head = tag("text", title, x=MARGIN, y=20, font_weight="bold")
    if not points:
        return tag("g", head, transform=f"translate({left},{top})")
    steps, values = [x for x, _ in points], [y for _, y in points]
    low, high = min(0.0, *values), max(values)
    high = high if high > low else low + 1
    last = max(1, *steps)

    def place(step: float, value: float) -> tuple[float, float]:
        x = MARGIN + step / last * (WIDTH - 2 * MARGIN)
        return round(x, 1), round(HEIGHT - MARGIN - (value - low) / (high - low) * (HEIGHT - 2 * MARGIN), 1)

    parts = [head]
    for share in (0, 0.5, 1):
        value = low + share * (high - low)
        x, y = place(0, value)
        parts.append(tag("path", d=f"M{x} {y}H{WIDTH - MARGIN}", stroke="#ddd"))
        parts.append(tag("text", f"{value:.3g}", x=x - 5, y=y + 4, text_anchor="end"))
    parts.append(tag("text", f"{last:,} steps", x=WIDTH - MARGIN, y=HEIGHT - MARGIN + 16, text_anchor="end"))
    for number, line in enumerate(lines):
        if line:
            path = "L".join(f"{x} {y}" for x, y in (place(*point) for point in line))
            colour = _COLOURS[number]
            parts.append(tag("path", d=f"M{path}", fill="none", stroke=colour, stroke_width=1.5))
            parts.append(tag("text", _NAMES[number], x=MARGIN + 130 * number, y=HEIGHT - 12, fill=colour))
    return tag("g", *parts, transform=f"translate({left},{top})")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
