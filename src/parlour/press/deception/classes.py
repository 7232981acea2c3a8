"""Classes of promises: the kind of each breach and the sincerity of each kept promise, from seals alone.

Values never decide a class. Where no seal shows the intent of a power, the class is unknown.
docs/explanation/deception.md has the table.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from parlour.press.agreements.pacts import PactVerdict
from parlour.press.judging.findings import EXCUSES, Excuse, PromiseStatus


class PromiseClass(StrEnum):
    """The class of one promise of one power in one phase."""

    HONEST = "honest"
    PREMEDITATED = "premeditated"  # the promise was a lie
    OPPORTUNISTIC = "opportunistic"  # sincere, then the plan changed
    SLIP = "mistaken: slip"  # the plan kept it, the orders did not
    MISREAD = "mistaken: misread"  # the plan broke the promise, but its stance was to keep it
    ABSENT = "forced: absent"
    MENDED = "forced: mended"
    CONFLICT = "forced: conflict"
    INSINCERE = "insincere, then kept"
    NEVER_DUE = "insincere, never due"
    UNKNOWN = "unknown"
    NONE = "none"  # open, or void without a lie


BREACHES = (
    PromiseClass.PREMEDITATED,
    PromiseClass.OPPORTUNISTIC,
    PromiseClass.SLIP,
    PromiseClass.MISREAD,
    PromiseClass.CONFLICT,
    PromiseClass.UNKNOWN,
)
"""The classes of broken promises. A kept promise without seals is also unknown."""
MISTAKES = (PromiseClass.SLIP, PromiseClass.MISREAD)


class Reading(msgspec.Struct, frozen=True, gc=False):
    """Content of a power's seals about one promise; None where they are silent."""

    now: bool | None = None
    """True if the last plan before the orders breaks the promise."""
    then: bool | None = None
    """True if the plan at the time of the promise breaks the promise."""
    keeps: bool = False
    """True if the last plan's stance is to keep the promise."""
    conflict: bool = False
    """True if the unit could not keep every promise, and the power's own pacts did not contradict one another."""


UNREAD = Reading()


def class_of(verdict: PactVerdict, reading: Reading = UNREAD) -> PromiseClass:
    """Return the class of a verdict by the seals about its promise."""
    match verdict.status:
        case PromiseStatus.BROKEN:
            return _breach(reading)
        case PromiseStatus.KEPT:
            if reading.then is None:
                return PromiseClass.UNKNOWN
            return PromiseClass.INSINCERE if reading.then else PromiseClass.HONEST
        case PromiseStatus.VOID if verdict.why in EXCUSES:
            return PromiseClass.MENDED if verdict.why == Excuse.MENDED else PromiseClass.ABSENT
        case PromiseStatus.VOID if reading.then:
            return PromiseClass.NEVER_DUE
    return PromiseClass.NONE


def _breach(reading: Reading) -> PromiseClass:
    if reading.conflict:
        return PromiseClass.CONFLICT
    if reading.now is None:
        return PromiseClass.UNKNOWN
    if not reading.now:
        return PromiseClass.SLIP
    if reading.keeps:
        return PromiseClass.MISREAD
    if reading.then is None:
        return PromiseClass.UNKNOWN
    return PromiseClass.PREMEDITATED if reading.then else PromiseClass.OPPORTUNISTIC
