"""The flat graph on which values spread: a node is a place of an army or of a fleet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from parlour.games.diplomacy.engine.lookup_tables import Tables, tables_of
from parlour.games.diplomacy.maps.map import Map


@cache
def nodes_of(board: Map, *, every_shore: bool = False) -> Tables:
    """Return the nodes of a map and their neighbours.

    Of a neighbouring province with two shores only the better shore counts: the province is listed as a group of nodes,
    and the value of a group is that of its best member. With `every_shore` each shore counts, and each node is replaced
    among its own neighbours by the group of all nodes of its province.
    """
    tables = tables_of(board)
    first, to, coast = (tables[name].tolist() for name in ("move_first", "move_to", "move_coast"))
    provinces = len(board.provinces)
    sites = [site for site in range(len(first) - 1) if first[site] < first[site + 1]]
    node_of = [-1] * (len(first) - 1)
    for node, site in enumerate(sites):
        node_of[site] = node
    move_node = []
    for site in range(len(first) - 1):
        for move in range(first[site], first[site + 1]):
            area = board.provinces[to[move]].area + coast[move]
            move_node.append(node_of[to[move] if site < provinces else provinces + area])
    province_of = [site if site < provinces else board.areas[site - provinces].province for site in sites]
    groups: dict[tuple[int, ...], int] = {}

    def best_of(members: Sequence[int]) -> int:
        if len(members) == 1:
            return members[0]
        return groups.setdefault(tuple(members), len(sites) + len(groups))

    near_first, near = [0], []
    for node, site in enumerate(sites):
        moves = range(first[site], first[site + 1])
        own = [n for n, p in enumerate(province_of) if p == province_of[node]] if every_shore else [node]
        near.append(best_of(own))
        for province in dict.fromkeys(to[move] for move in moves):
            there = [move_node[move] for move in moves if to[move] == province]
            near += there if every_shore else [best_of(there)]
        near_first.append(len(near))
    bounds = np.cumsum([0, *map(len, groups)])
    return {
        "node_of": np.array(node_of, np.int32),
        "province_of": np.array(province_of, np.int32),
        "move_node": np.array(move_node, np.int32),
        "near_first": np.array(near_first, np.int32),
        "near": np.array(near, np.int32),
        "group_first": bounds.astype(np.int32),
        "group": np.array([node for members in groups for node in members] or [0], np.int32),
    }
