"""Every exception Parlour raises on purpose, as one tree.

ParlourError
├── NotationError        text we could not read                       (.text .at .expected)
│   └── ParametersError  a network's parameters that do not fit it    (.mismatches)
├── RuleError            well-formed, but not allowed now             (.why)
│   ├── IllegalAction    an action the position does not admit        (.seat .part)
│   └── NotYourTurn      the seat is not to act
├── ConfigError          a game, its terms or a command was set up with a value it cannot have (.field)
│   └── PortTaken        a port that is in use or not permitted
├── MapError             a map file that contradicts itself           (.path .line)
├── PressError           not in the agreed language or level          (.index .kind .expected)
├── Denied               a server refuses a request                   (.code .wait; net/permission_errors.py)
├── WireError
│   ├── LocalWireError   we broke the protocol
│   ├── RemoteWireError  the other side broke it
│   ├── Unreachable      nobody answers where a server was expected
│   └── ResponseException and its kinds: errors of the protocol of the `diplomacy` package (net/mila/faults.py)
├── RecordError          a stored match does not replay               (.number)
├── StoreError           a store cannot be written or read
│   ├── ConflictError    a write contradicts stored data
│   ├── StoreInUse       another program has claimed the store
│   └── CassetteMiss     a cassette has no answer to a model call
├── ThinkingStopped      an agent was stopped: nobody waits for its result (core/thinking.py)
└── MissingExtra         names the extra to install

Fouls are not exceptions: a player that is late, crashes or cheats yields a Fouled event in the record.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


class ParlourError(Exception):
    """Base of all errors that Parlour raises on purpose; the text is one line that a user can act on."""


class NotationError(ParlourError, ValueError):
    """Text that could not be read: the text, the place of the error, and what was expected."""

    def __init__(self, message: str, *, text: str = "", at: int = 0, expected: str = "") -> None:
        super().__init__(message)
        self.text, self.at, self.expected = text, at, expected


class ParametersError(NotationError):
    """Parameters that do not fit a network, with the list of all mismatches."""

    def __init__(self, message: str, mismatches: Sequence[str] = ()) -> None:
        shown = "; ".join(mismatches[:5]) + (f"; and {len(mismatches) - 5} more" if len(mismatches) > 5 else "")
        super().__init__(f"{message}: {shown}" if mismatches else message)
        self.mismatches = tuple(mismatches)


class RuleError(ParlourError):
    """An error in well-formed input that is not allowed now."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class IllegalAction(RuleError, ValueError):
    """An action that the position does not admit; the position is unchanged."""

    def __init__(self, why: str, *, seat: str = "", part: str = "") -> None:
        super().__init__(why)
        self.seat, self.part = seat, part


class NotYourTurn(RuleError):
    """The seat is not to act now."""


class ConfigError(ParlourError, ValueError):
    """A game, its terms or a command was set up with a value that it cannot have."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class PortTaken(ConfigError):
    """A port on which another program listens, or which the system does not let us open."""


class MapError(ParlourError, ValueError):
    """A map file that contradicts itself, with the place; line 0 means the whole file."""

    def __init__(self, reason: str, *, path: str, line: int) -> None:
        super().__init__(f"{path}:{line}: {reason}" if line else f"{path}: {reason}")
        self.reason, self.path, self.line = reason, path, line


class PressError(ParlourError, ValueError):
    """Press outside the agreed language or level: the index of the offending token, and what was expected there."""

    def __init__(self, message: str, *, index: int, kind: str = "HUH", expected: str = "") -> None:
        super().__init__(message)
        self.index, self.kind, self.expected = index, kind, expected


class Denied(ParlourError):
    """A server refuses a request, in the same words at every door.

    If waiting helps, wait is the number of seconds. If one value is at fault, field names it.
    """

    def __init__(self, code: str, reason: str, *, wait: float = 0.0, field: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason, self.wait, self.field = code, reason, wait, field


class WireError(ParlourError):
    """A protocol on the wire was broken."""


class LocalWireError(WireError):
    """Our side broke the protocol."""


class RemoteWireError(WireError):
    """The other side broke the protocol."""


class Unreachable(WireError):
    """No server answers at the address."""


class RecordError(ParlourError, ValueError):
    """A stored match does not replay; number is the event that fails."""

    def __init__(self, message: str, *, number: int | None = None) -> None:
        super().__init__(message if number is None else f"event {number}: {message}")
        self.number = number


class StoreError(ParlourError):
    """A store that cannot be written or read: a full disk, a file of another version."""


class ConflictError(StoreError):
    """A write contradicts stored data: a key that exists, a record that is finished or unknown."""


class StoreInUse(StoreError):
    """Another program has claimed the store."""


class CassetteMiss(StoreError):
    """A cassette does not have the answer to a question; the text says how the nearest one differs."""


class ThinkingStopped(ParlourError):
    """An agent was stopped while it computed, because nobody waits for its result."""


class MissingExtra(ParlourError, ImportError):
    """An optional library is not installed."""

    def __init__(self, extra: str, wanted_for: str) -> None:
        pip = f"{sys.executable or 'python3'} -m pip"  # of this Python: others cannot see its libraries
        super().__init__(f"{wanted_for} needs an optional part: in the project's folder, {pip} install -e '.[{extra}]'")
        self.extra = extra
