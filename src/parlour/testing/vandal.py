"""A vandal: tries to change everything that can be reached from an object, by the means of Python.

It follows public attributes, items, and the results of methods without parameters or with a seat. It does not follow
names with an underscore, because a program in the same process can do anything and is trusted not to.
"""

from __future__ import annotations

import enum
import inspect
import types
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

MAX_OBJECTS = 4000
_HARMLESS = (str, bytes, int, float, bool, type(None), enum.Enum, range, types.ModuleType, types.GeneratorType)


class Vandal:
    """An object that tries to change values. A value that is created for each caller may be changed without harm."""

    def __init__(self, seats: Sequence[str] = ()) -> None:
        self.seats = seats
        """The seats to pass to methods with the parameter `seat`."""
        self.changed: list[str] = []
        """Paths of the values that could be changed."""
        self._been: dict[int, object] = {}

    def attack(self, thing: Any, path: str = "it") -> None:
        """Try to change an object and everything that can be reached from it."""
        waiting = deque([(thing, path)])
        while waiting and len(self._been) < MAX_OBJECTS:
            found, where = waiting.popleft()
            if isinstance(found, (_HARMLESS, type)) or id(found) in self._been:
                continue
            self._been[id(found)] = found
            waiting += self._inside(found, where)
            self._hit(found, where)

    def _inside(self, thing: Any, path: str) -> list[tuple[Any, str]]:
        if isinstance(thing, Mapping):
            return [(value, f"{path}[{key!r}]") for key, value in [*thing.items()][:50]]
        if isinstance(thing, (list, tuple, set, frozenset)):
            return [(value, f"{path}[{at}]") for at, value in enumerate([*thing][:50])]
        if isinstance(thing, np.ndarray) or callable(thing):
            return []
        found = []
        for name in dir(thing):
            if name.startswith("_"):
                continue
            try:
                value = getattr(thing, name)
            except Exception:  # an attribute that cannot be read cannot be used to change the object either
                continue
            found.append((value, f"{path}.{name}"))
            if inspect.ismethod(value) and not inspect.iscoroutinefunction(value):
                results = [result for result in self._results(value) if type(result) is not type(thing)]
                found += [(result, f"{path}.{name}()") for result in results]
        return found

    def _results(self, method: Callable[..., Any]) -> list[Any]:
        try:
            needed = [
                parameter
                for parameter in inspect.signature(method).parameters.values()
                if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
            ]
            if not needed:
                return [method()]
            if [parameter.name for parameter in needed] == ["seat"]:
                return [method(seat) for seat in self.seats]
        except Exception:  # a method that raises returns nothing to change
            return []
        return []

    def _hit(self, thing: Any, path: str) -> None:
        for blow in self._blows(thing):
            try:
                blow()
            except (AttributeError, TypeError, ValueError, KeyError, IndexError, RuntimeError, NotImplementedError):
                continue
            self.changed.append(path)

    def _blows(self, thing: Any) -> list[Callable[[], Any]]:
        if isinstance(thing, np.ndarray):
            return [lambda: thing.fill(1)] if thing.size else []
        if isinstance(thing, Mapping):
            return [lambda: thing.update({"vandal": 1}), lambda: thing.clear()]  # type: ignore[attr-defined]
        if isinstance(thing, (list, bytearray, set)):
            return [lambda: thing.clear()]
        if isinstance(thing, (tuple, frozenset, types.MethodType)) or callable(thing):
            return []
        names = [name for name in dir(thing) if not name.startswith("__")]
        return [
            *(lambda name=name: setattr(thing, name, "vandal") for name in names),
            *(lambda name=name: delattr(thing, name) for name in names),
            lambda: setattr(thing, "vandal", 1),
        ]
