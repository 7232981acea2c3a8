"""DumbBot's values a second time, in plain dicts from its description, to check the kernel's."""

from __future__ import annotations

from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.position import Position

Node = tuple[str, int]
"""An army or a fleet, and its area."""
SPRING = (100, 1000, 30, 10, 6, 5, 4, 3, 2, 1)
FALL = (1000, 100, 30, 10, 6, 5, 4, 3, 2, 1)


def ends_of(board: Map, node: Node) -> tuple[int, ...]:
    return board.army[node[1]] if node[0] == "A" else board.fleet[node[1]]


def nodes_in(board: Map) -> list[Node]:
    return [node for kind in "AF" for area in board.areas if ends_of(board, node := (kind, area.id))]


def units_of(position: Position) -> list[tuple[int, Node]]:
    found = []
    for province in position.board.provinces:
        byte = position.state[k.UNITS + province.id]
        if byte:
            node = ("F" if byte & k.FLEET else "A", province.area + (byte >> k.COAST_SHIFT & 3))
            found.append(((byte & k.POWER_MASK) - 1, node))
    return found


def values(position: Position, power: int) -> dict[Node, int]:
    """Return the value of each node to a power in a phase of movement, retreats or builds."""
    board, state = position.board, position.state
    place = {area.id: area.province for area in board.areas}
    owners = {p.id: state[k.OWNERS + p.id] - 1 for p in board.provinces if p.centre}
    counts = {owner: list(owners.values()).count(owner) for owner in range(-1, len(board.powers))}
    size = {owner: n * n + 4 * n + 16 for owner, n in counts.items()}
    units = units_of(position)
    season = state[k.SEASON]
    fall = season in (k.SeasonCode.AUTUMN_MOVES, k.SeasonCode.AUTUMN_RETREATS)
    attack, defence = (600, 400) if fall else (700, 300)
    weights = SPRING if season in (k.SeasonCode.SPRING_MOVES, k.SeasonCode.SPRING_RETREATS) else FALL

    def threat(province: int) -> int:
        comers = [w for w, node in units if w != power and province in {place[e] for e in ends_of(board, node)}]
        return max((size[w] for w in comers), default=0)

    def lure(province: int) -> int:
        if province not in owners:
            return 0
        return threat(province) * defence if owners[province] == power else size[owners[province]] * attack

    nodes = nodes_in(board)
    steps = [{node: lure(place[node[1]]) for node in nodes}]
    for _ in range(9):
        before, after = steps[-1], {}
        for node in nodes:
            near: dict[int, int] = {}
            for end in ends_of(board, node):
                near[place[end]] = max(near.get(place[end], 0), before[node[0], end])
            after[node] = (before[node] + sum(near.values())) // 5
        steps.append(after)
    total = {node: sum(w * step[node] for w, step in zip(weights, steps, strict=True)) for node in nodes}
    for node in nodes:
        here = place[node[1]]
        if season == k.SeasonCode.BUILDS:
            total[node] += 1000 * threat(here) if owners.get(here) == power else 0
            continue
        counted = dict.fromkeys(range(len(board.powers)), 0)
        for w, other in units:
            counted[w] += (place[other[1]] == here) + [place[e] for e in ends_of(board, other)].count(here)
        total[node] += 1000 * counted.pop(power) - 1000 * max(counted.values())
    return total
