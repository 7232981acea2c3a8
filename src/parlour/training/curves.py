"""The figures of a training run as a picture: one panel for each, in plain SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH, HEIGHT, MARGIN = 420, 240, 46
_COLOURS = ("#1f6fb2", "#d1495b", "#8a8a8a")
_NAMES = ("learned from", "held out", "uniform over legal actions")


def curves(notes: Sequence[Mapping[str, Any]], panels: Mapping[str, Sequence[str]]) -> str:
    """Return a picture of panels, each with up to three lines of figures over steps."""
    body = [_panel(at, title, names, notes) for at, (title, names) in enumerate(panels.items())]
    columns = min(2, len(body))
    height = HEIGHT * math.ceil(len(body) / columns)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * columns} {height}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
        f"{''.join(body)}</svg>\n"
    )


def _panel(at: int, title: str, names: Sequence[str], notes: Sequence[Mapping[str, Any]]) -> str:
    lines = [[(note["step"], note[name]) for note in notes if _is_number(note.get(name))] for name in names]
    points = [point for line in lines for point in line]
    left, top = at % 2 * WIDTH, at // 2 * HEIGHT
    head = f'<text x="{MARGIN}" y="20" font-weight="bold">{escape(title)}</text>'
    if not points:
        return f'<g transform="translate({left},{top})">{head}</g>'
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
        parts.append(f'<path d="M{x} {y}H{WIDTH - MARGIN}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 5}" y="{y + 4}" text-anchor="end">{value:.3g}</text>')
    parts.append(f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - MARGIN + 16}" text-anchor="end">{last:,} steps</text>')
    for number, line in enumerate(lines):
        if line:
            path = "L".join(f"{x} {y}" for x, y in (place(*point) for point in line))
            parts.append(f'<path d="M{path}" fill="none" stroke="{_COLOURS[number]}" stroke-width="1.5"/>')
            parts.append(
                f'<text x="{MARGIN + 130 * number}" y="{HEIGHT - 12}" fill="{_COLOURS[number]}">{_NAMES[number]}</text>'
            )
    return f'<g transform="translate({left},{top})">{"".join(parts)}</g>'


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
