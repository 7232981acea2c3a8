"""A property that is computed once; without a lock, which in the standard library costs more than the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class cached(Generic[T]):
    """A property that computes an immutable value on first use and stores it in the object, where Python looks first.

    Two threads may compute the same value; both are right.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        answer = instance.__dict__[self._name] = self._compute(instance)
        return answer
