"""The beginning and the end of a display: what it draws in place begins and stops with it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, Self


class Screen:
    """A display as a context manager."""

    live: AbstractContextManager[Any] = nullcontext()
    """The table that is drawn in place, for displays that have one."""

    def __enter__(self) -> Self:
        self.live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.live.__exit__(kind, error, at)
