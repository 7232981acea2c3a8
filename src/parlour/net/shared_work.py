"""Work that several wait for at once: nobody who goes ends it for the others, and nobody may be left when it fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from parlour.errors import ParlourError

T = TypeVar("T")

_log = logging.getLogger(__name__)


def begin_shared(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begin it; whoever waits for it does so behind a shield.

    A shield whose waiter was cancelled takes no notice of what comes after. So that the loop does not complain of an
    exception which nobody took, one that is expected is taken here, and any other is logged, waited for or not.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(_take_notice)
    return task


def _take_notice(task: asyncio.Task[T]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, ParlourError):
        _log.error("something went wrong in work that several waited for: %r", error)
