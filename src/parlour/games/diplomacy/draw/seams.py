"""Joins the edges of a border into lines, so that they can be dashed."""

from __future__ import annotations

from parlour.games.diplomacy.draw.svg import Point


def chains(edges: list[tuple[Point, Point]]) -> list[list[Point]]:
    """Return edges joined end to end into as few lines as possible."""
    joined: dict[Point, list[Point]] = {}
    for a, b in edges:
        joined.setdefault(a, []).append(b)
        joined.setdefault(b, []).append(a)
    left = {frozenset(edge) for edge in edges}
    lines: list[list[Point]] = []
    # Ends and crossings first, so that a line is not begun in its middle; rings have neither and come last.
    for start in sorted(joined, key=lambda point: len(joined[point]) == 2):
        # Each walk removes edges from `left`, so each test must come right before its walk.
        lines.extend(_walk(start, step, joined, left) for step in joined[start] if frozenset((start, step)) in left)
    return lines


def _walk(start: Point, step: Point, joined: dict[Point, list[Point]], left: set[frozenset[Point]]) -> list[Point]:
    line = [start, step]
    left.discard(frozenset((start, step)))
    while len(joined[line[-1]]) == 2:
        onward = [point for point in joined[line[-1]] if frozenset((line[-1], point)) in left]
        if not onward:
            break
        left.discard(frozenset((line[-1], onward[0])))
        line.append(onward[0])
    return line
