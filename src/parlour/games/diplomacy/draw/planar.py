"""Embeds a graph in the plane: its faces, and the edges left out because they would cross others.

The graph is made connected and then biconnected by fillers, vertices that stand for nothing. Every face is then a
simple cycle. The method is that of Demoucron, Malgrange and Pertuiset: path after path is drawn into a
face that has both its ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[int, int]
Graph = list[set[int]]


_MOST_TRIES = 250
"""Maximum number of tries to add edges. Edges left after that stay out, so that no graph takes long."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Faces of a drawing without crossings, each a cycle of vertices, all with the same orientation."""

    count: int
    """Number of vertices: those of the graph first, then fillers."""
    faces: list[list[int]]
    removed: list[Edge]
    """Edges of the graph that are not in the drawing."""


class _Stuck(Exception):
    """Raised if a part of the graph fits into no face."""


def embedded(count: int, edges: list[Edge]) -> Embedding:
    """Return an embedding of a graph; edges that do not fit beside earlier ones are left out."""
    kept: list[Edge] = []
    removed: list[Edge] = []
    chunks, tries = [edges], 0
    while chunks:
        chunk, tries = chunks.pop(), tries + 1
        if tries > _MOST_TRIES:
            removed += chunk
        elif _drawable(count, kept + chunk):
            kept += chunk
        elif len(chunk) == 1:
            removed += chunk
        else:
            half = len(chunk) // 2
            chunks += [chunk[half:], chunk[:half]]
    graph = _biconnected(count, kept)
    return Embedding(len(graph), _faces(graph), removed)


def _drawable(count: int, edges: list[Edge]) -> bool:
    if len(edges) > max(1, 3 * count - 6):  # by Euler, no drawing without crossings has more edges
        return False
    try:
        _faces(_biconnected(count, edges))
    except _Stuck:
        return False
    return True


def _biconnected(count: int, edges: list[Edge]) -> Graph:
    graph: Graph = [set() for _ in range(count)]
    for a, b in edges:
        graph[a].add(b)
        graph[b].add(a)
    if count == 2 and edges:
        _join(graph, 0, 1)  # a graph with a single edge has no inner face
    parts = _parts(graph)
    for one, other in pairwise(parts):
        _join(graph, max(one, key=lambda v: len(graph[v])), max(other, key=lambda v: len(graph[v])))
    for vertex, _ in enumerate(graph):  # includes the fillers that are added in the loop
        while len(blocks := _parts(graph, vertex)) > 1:
            first, second = (min(block & graph[vertex]) for block in blocks[:2])
            _join(graph, first, second)
    return graph


def _join(graph: Graph, a: int, b: int) -> None:
    """Join two vertices by a filler."""
    graph.append({a, b})
    graph[a].add(len(graph) - 1)
    graph[b].add(len(graph) - 1)


def _parts(graph: Graph, without: int = -1) -> list[set[int]]:
    """Return the connected parts, without one vertex."""
    left, found = set(range(len(graph))) - {without}, []
    while left:
        part, fresh = set[int](), [min(left)]
        while fresh:
            here = fresh.pop()
            if here in left:
                left.discard(here)
                part.add(here)
                fresh.extend(graph[here] & left)
        found.append(part)
    return found


def _cycle(graph: Graph) -> list[int]:
    """Return a cycle: the first vertex, and a way from one of its neighbours to another."""
    start = 0
    first = min(graph[start])
    before = {first: first}
    queue = [first]
    for here in queue:
        for there in sorted(graph[here] - {start}):
            if there not in before:
                before[there] = here
                queue.append(there)
                if there in graph[start]:
                    path = [there]
                    while path[-1] != first:
                        path.append(before[path[-1]])
                    return [start, *reversed(path)]
    raise AssertionError("a biconnected graph of three or more vertices has a cycle")


def _faces(graph: Graph) -> list[list[int]]:
    cycle = _cycle(graph)
    faces = [cycle, cycle[::-1]]
    drawn = {frozenset(pair) for pair in zip(cycle, [*cycle[1:], cycle[0]], strict=True)}
    inside = set(cycle)
    total = sum(map(len, graph)) // 2
    while len(drawn) < total:
        path, face = _next_path(graph, faces, drawn, inside)
        i, j = face.index(path[0]), face.index(path[-1])
        faces.remove(face)
        between = path[1:-1]
        forth = face[i : j + 1] if i < j else face[i:] + face[: j + 1]
        back = face[j : i + 1] if j < i else face[j:] + face[: i + 1]
        faces += [forth + between[::-1], back + between]
        inside.update(path)
        drawn.update(frozenset(pair) for pair in pairwise(path))
    return faces


def _next_path(
    graph: Graph, faces: list[list[int]], drawn: set[frozenset[int]], inside: set[int]
) -> tuple[list[int], list[int]]:
    """Return the path to draw next and its face; a path that fits only one face goes first."""
    members = [set(face) for face in faces]
    best: tuple[int, list[int], int] | None = None
    for ends, part in _fragments(graph, drawn, inside):
        fitting = [number for number, face in enumerate(members) if ends <= face]
        if not fitting:
            raise _Stuck
        if best is None or len(fitting) < best[0]:
            best = (len(fitting), _path(graph, ends, part), fitting[0])
            if len(fitting) == 1:
                break
    assert best is not None
    return best[1], faces[best[2]]


def _fragments(graph: Graph, drawn: set[frozenset[int]], inside: set[int]) -> Iterator[tuple[set[int], set[int]]]:
    """Yield each piece that is not drawn yet: the drawn vertices it is attached to, and its own vertices."""
    for a in sorted(inside):
        for b in sorted(graph[a] & inside):
            if a < b and frozenset((a, b)) not in drawn:
                yield {a, b}, set()
    left = set(range(len(graph))) - inside
    while left:
        part, fresh = set[int](), [min(left)]
        while fresh:
            here = fresh.pop()
            if here in left:
                left.discard(here)
                part.add(here)
                fresh.extend(graph[here] & left)
        yield {end for vertex in part for end in graph[vertex] & inside}, part


def _path(graph: Graph, ends: set[int], part: set[int]) -> list[int]:
    """Return a way between two of the ends through a part."""
    if not part:
        return sorted(ends)
    start = min(ends)
    before = dict.fromkeys(sorted(graph[start] & part), start)
    queue = list(before)
    for here in queue:
        for there in sorted(graph[here]):
            if there in ends and there != start:
                path = [there, here]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if there in part and there not in before:
                before[there] = here
                queue.append(there)
    raise AssertionError("a part of a biconnected graph is fixed at two vertices")
