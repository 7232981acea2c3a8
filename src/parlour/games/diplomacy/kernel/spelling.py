"""Looks up the strings of many actions at once; texts.py makes them."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.games.diplomacy.kernel.bits import octets
    from parlour.games.diplomacy.kernel.memory import Memory


class Spelling(Memory):
    """All strings made so far, by key: an action's index and the forms of the one or two units that it names."""

    def __init__(self, units, others, make) -> None:
        Memory.__init__(self)
        self.units = octets(self.keep(np.array(units, np.uint8)))
        self.others = octets(self.keep(np.array(others, np.uint8)))
        self.texts: list = [None] * (16 * len(units))
        self.make: object = make

    def spell(
        self,
        actions: cython.const[cython.longlong][::1],
        first: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        forms: cython.const[cython.uchar][::1],
    ) -> list:
        """Return the strings of some actions; forms has one for each province, and 0 for the number after the last."""
        return spelled(self, actions, first, end, forms)

    def spell_by_province(
        self,
        actions: cython.const[cython.longlong][::1],
        offsets: cython.const[cython.longlong][::1],
        forms: cython.const[cython.uchar][::1],
    ) -> dict:
        """Return the strings of the actions for each province that has any; offsets bound them."""
        p: cython.Py_ssize_t
        found: dict = {}
        for p in range(offsets.shape[0] - 1):
            if offsets[p] < offsets[p + 1]:
                found[p] = spelled(self, actions, offsets[p], offsets[p + 1], forms)
        return found


@cython.cfunc
def spelled(
    spelling: Spelling,
    actions: cython.const[cython.longlong][::1],
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    forms: cython.const[cython.uchar][::1],
) -> list:
    """Return the strings of the actions from first to end."""
    i: cython.Py_ssize_t
    index: cython.Py_ssize_t
    key: cython.Py_ssize_t
    found: list = []
    for i in range(first, end):
        index = actions[i] >> 48
        key = index << 4 | forms[spelling.units[index]] << 2 | forms[spelling.others[index]]
        text = spelling.texts[key]
        if text is None:
            text = spelling.texts[key] = spelling.make(key)
        found.append(text)
    return found
