"""Encodes what is told once for all who see the same."""

from __future__ import annotations

from collections.abc import Callable

from parlour.core.player import Told


class OncePerView:
    """Turns events into bytes for any number of watchers with the same eyes, each event once.

    All of them are given the same Told one after the other, so that remembering the last one is enough.
    """

    def __init__(self, encode: Callable[[Told], bytes]) -> None:
        self._encode = encode
        self._last: Told | None = None
        self._text = b""

    def __call__(self, told: Told) -> bytes:
        """The event as bytes."""
        if told is not self._last:
            self._text = self._encode(told)
            self._last = told
        return self._text
