"""Findings of a phase about a promise: kept, broken, void or open, and the order that shows it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import reduce

import msgspec

from parlour.press.judging.executed_orders import Given
from parlour.press.language import message_types as v


class PromiseStatus(StrEnum):
    """Status of a promise after a phase."""

    KEPT = "kept"
    BROKEN = "broken"
    VOID = "void"  # the promise could not be performed, or was lifted
    OPEN = "open"  # the promise is not due yet


class Excuse(StrEnum):
    """Reasons that excuse a player for a promise that was not kept."""

    ABSENT = "absent"  # the referee used the default of an absent power
    MENDED = "mended"  # the referee replaced an order that was not allowed
    STAND_IN = "stand-in"  # another player has taken the seat since
    PROXY = "proxy"  # another person ordered for the power


EXCUSES = frozenset(Excuse)


class Finding(msgspec.Struct, frozen=True, gc=False):
    """The status of a promise in a phase."""

    status: PromiseStatus
    what: v.Arrangement
    shown_by: v.Order | Given | None = None
    why: str = ""
    victims: tuple[str, ...] = ()
    """Powers whose peace was broken."""

    @property
    def order(self) -> v.Order | None:
        """The order that shows the status, if there is one."""
        shown = self.shown_by
        return shown.order() if isinstance(shown, Given) else shown


def graver(one: Finding, other: Finding) -> Finding:
    """Return the graver finding: broken before open, open before kept, kept before void."""
    return other if _WEIGHT[other.status] > _WEIGHT[one.status] else one


def combined(findings: Iterable[Finding]) -> Finding | None:
    """Return the gravest finding; None without findings."""
    return reduce(graver, findings) if (findings := list(findings)) else None


_WEIGHT = {PromiseStatus.VOID: 0, PromiseStatus.KEPT: 1, PromiseStatus.OPEN: 2, PromiseStatus.BROKEN: 3}
