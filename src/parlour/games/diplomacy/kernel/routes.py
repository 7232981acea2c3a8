"""Finds the seas on convoy routes: for every pair of seas, the union of all simple paths between them.

Enumerating paths would be exponential. A sea lies on a simple path from s to e exactly if it is in one of the
biconnected blocks along the way from s to e, so one depth-first search per s is enough.
"""

import cython
import numpy as np

if not cython.compiled:
    from parlour.core.kernel.words import lowest
    from parlour.games.diplomacy.kernel.bits import ints, words
    from parlour.games.diplomacy.kernel.memory import Memory


class Routes(Memory):
    """Computes routes on one sea graph; holds the unions for the last set of seas."""

    def __init__(self, neighbours: list[int]) -> None:
        Memory.__init__(self)
        n = len(neighbours)
        self.count: cython.int = n
        self.neighbours = words(self.keep(np.array(neighbours or [0], dtype=np.uint64)))
        self.unions = words(self.room(max(1, n * n), np.uint64))
        self.blocks = words(self.room(n + 1, np.uint64))
        self.todo = words(self.room(n + 1, np.uint64))
        self.tops = ints(self.room(n + 1, np.int32))
        self.number = ints(self.room(n + 1, np.int32))
        self.low = ints(self.room(n + 1, np.int32))
        self.path = ints(self.room(n + 1, np.int32))
        self.open = ints(self.room(n + 1, np.int32))

    def between(self, present: int) -> list[list[int]]:
        """Return for seas s and e the set of seas on simple paths between them through present seas; 0 if there is
        none.
        """
        for i in range(self.count * self.count):
            self.unions[i] = 0
        self.fill(present)
        return [[self.unions[s * self.count + e] for e in range(self.count)] for s in range(self.count)]

    def spread(self, start: cython.ulonglong, within: cython.ulonglong) -> cython.ulonglong:
        """Return all seas of `within` that are connected to those of `start`."""
        found: cython.ulonglong = start & within
        fresh: cython.ulonglong = found
        sea: cython.int
        while fresh:
            sea = lowest(fresh)
            fresh &= fresh - 1
            fresh |= self.neighbours[sea] & within & ~found
            found |= fresh
        return found

    def fill(self, present: cython.ulonglong) -> cython.void:
        """Set the unions of all pairs of connected present seas; those of other pairs stay unchanged."""
        one: cython.ulonglong = 1
        rest: cython.ulonglong = present
        sea: cython.int
        while rest:
            sea = lowest(rest)
            rest &= rest - 1
            if self.neighbours[sea] & present:
                self.fill_from(sea, present)
            else:
                self.unions[sea * self.count + sea] = one << sea

    def fill_from(self, root: cython.int, present: cython.ulonglong) -> cython.void:
        """Search depth-first from the root: record each block with its top, then join blocks from the root outwards."""
        one: cython.ulonglong = 1
        seen: cython.ulonglong = one << root
        block: cython.ulonglong
        here: cython.int
        other: cython.int
        depth: cython.int = 0
        opened: cython.int = 0
        counter: cython.int = 0
        found: cython.int = 0
        self.path[0] = root
        self.number[root] = self.low[root] = 0
        self.todo[root] = self.neighbours[root] & present
        while True:
            here = self.path[depth]
            if self.todo[here]:
                other = lowest(self.todo[here])
                self.todo[here] &= self.todo[here] - 1
                if (seen >> other) & 1:
                    if self.number[other] < self.low[here]:
                        self.low[here] = self.number[other]
                    continue
                seen |= one << other
                counter += 1
                self.number[other] = self.low[other] = counter
                self.todo[other] = self.neighbours[other] & present & ~(one << here)
                self.open[opened] = other
                opened += 1
                depth += 1
                self.path[depth] = other
                continue
            if depth == 0:
                break
            depth -= 1
            other = here
            here = self.path[depth]
            if self.low[other] < self.low[here]:
                self.low[here] = self.low[other]
            if self.low[other] >= self.number[here]:
                block = one << here
                while not (block >> other) & 1:
                    opened -= 1
                    block |= one << self.open[opened]
                self.blocks[found] = block
                self.tops[found] = here
                found += 1
        self.join(root, found)

    def join(self, root: cython.int, found: cython.int) -> cython.void:
        """Join the blocks. They were found from the leaves inwards, so in reverse each block's top already has its
        union.
        """
        one: cython.ulonglong = 1
        base: cython.int = root * self.count
        union: cython.ulonglong
        rest: cython.ulonglong
        self.unions[base + root] = one << root
        while found:
            found -= 1
            union = self.blocks[found] | self.unions[base + self.tops[found]]
            rest = self.blocks[found] & ~(one << self.tops[found])
            while rest:
                self.unions[base + lowest(rest)] = union
                rest &= rest - 1
