"""Holds an account's present rights. Sessions ask it each time; connections are notified of changes."""

from __future__ import annotations

import math
from collections.abc import Callable

from parlour.net.accounts.principals import NOBODY, Principal


class Credential:
    """An identity for as long as it counts, and whether it is an administrator's. It can be taken away at any time."""

    __slots__ = ("__weakref__", "_counts", "_heeding", "_is_admin", "_name", "_who", "expires")

    def __init__(self, who: Principal, name: str = "", *, is_admin: bool = False, expires: float = math.inf) -> None:
        self._who, self._name, self._is_admin = who, name, is_admin
        self.expires = expires
        """Unix time at which it expires; checked at each use."""
        self._counts = True
        self._heeding: list[Callable[[], None]] = []

    @property
    def who(self) -> Principal:
        """The identity; nobody's once it counts no longer."""
        return self._who if self._counts else NOBODY

    @property
    def name(self) -> str:
        """The name by which records and pages show it; it decides nothing. Empty once it counts no longer."""
        return self._name if self._counts else ""

    @property
    def is_admin(self) -> bool:
        """True for an administrator."""
        return self._is_admin and self._counts

    @property
    def counts(self) -> bool:
        """True until the token behind it is revoked, or its account is locked."""
        return self._counts

    def heed(self, act: Callable[[], None]) -> Callable[[], None]:
        """Call a function at once whenever this changes; call the returned function to end that."""
        self._heeding.append(act)
        return lambda: self._heeding.remove(act) if act in self._heeding else None

    def end(self) -> None:
        """Count no longer."""
        if self._counts:
            self._counts = False
            self._changed()

    def grade(self, is_admin: bool) -> None:
        """Be an administrator from now on, or no longer."""
        if self._is_admin != is_admin:
            self._is_admin = is_admin
            self._changed()

    def _changed(self) -> None:
        for act in tuple(self._heeding):
            act()
