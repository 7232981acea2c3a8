"""Looks up the strings of many actions at once; texts.py makes them."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.games.diplomacy.kernel.memory import Memory, octets


class Spelling(Memory):
    """All strings that were made so far, by key: an action's index and the forms of the one or two units it names."""

    def __init__(self, units, others, make):
        Memory.__init__(self)
        self.units = octets(self.keep(np.array(units, np.uint8)))
        self.others = octets(self.keep(np.array(others, np.uint8)))
        self.texts = [None] * (16 * len(units))
        self.make = make

    def spell(self, actions, first, end, forms):
        """The strings of some of the actions; forms has one for each province, and 0 for the number after the last."""
        i: cython.Py_ssize_t
        index: cython.Py_ssize_t
        key: cython.Py_ssize_t
        found: list = []
        for i in range(first, end):
            index = actions[i] >> 48
            key = index << 4 | forms[self.units[index]] << 2 | forms[self.others[index]]
            text = self.texts[key]
            if text is None:
                text = self.texts[key] = self.make(key)
            found.append(text)
        return found

    def spell_by_province(self, actions, offsets, forms):
        """The strings of the actions for each province that has any; offsets bound them."""
        p: cython.Py_ssize_t
        found: dict = {}
        for p in range(offsets.shape[0] - 1):
            if offsets[p] < offsets[p + 1]:
                found[p] = self.spell(actions, offsets[p], offsets[p + 1], forms)
        return found
