"""The present rights of a signed-in caller. Sessions read them each time; connections are notified of changes."""

from __future__ import annotations

import math
from collections.abc import Callable

from parlour.net.accounts.principals import NOBODY, Principal


class Credential:
    """An identity, and whether it is an administrator's. It can be revoked at any time."""

    __slots__ = ("__weakref__", "_counts", "_heeding", "_is_admin", "_name", "_who", "expires")

    def __init__(self, who: Principal, name: str = "", *, is_admin: bool = False, expires: float = math.inf) -> None:
        self._who, self._name, self._is_admin = who, name, is_admin
        self.expires = expires
        """Unix time at which the credential expires."""
        self._counts = True
        self._heeding: list[Callable[[], None]] = []

    @property
    def who(self) -> Principal:
        """The identity; NOBODY once it is revoked."""
        return self._who if self._counts else NOBODY

    @property
    def name(self) -> str:
        """The name for records and pages, which gives no rights; empty once it is revoked."""
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
        """Call a function at once whenever the credential changes; call the result to stop."""
        self._heeding.append(act)
        return lambda: self._heeding.remove(act) if act in self._heeding else None

    def end(self) -> None:
        """Revoke the credential."""
        if self._counts:
            self._counts = False
            self._changed()

    def grade(self, is_admin: bool) -> None:
        """Make the holder an administrator, or no longer one."""
        if self._is_admin != is_admin:
            self._is_admin = is_admin
            self._changed()

    def _changed(self) -> None:
        for act in tuple(self._heeding):
            act()
