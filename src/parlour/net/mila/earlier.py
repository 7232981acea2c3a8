"""The past of a game that was saved elsewhere and continues here: its phases and their press, for each role.

It is stored beside the match as it was saved. The match's own record begins where the saved game ended.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec

from parlour.core.game import Plain
from parlour.errors import NotationError
from parlour.games.diplomacy.engine.state import COMPLETED
from parlour.games.diplomacy.formats.saved import SavedGame, SavedPhase, read_saved
from parlour.net.mila import protocol_values as w
from parlour.net.mila.chronicle import PhaseParts
from parlour.net.mila.protocol_values import Log, Message

MAX_SAVED = 1 << 22
"""Maximum bytes of a saved game: two hundred phases with much press have two million."""
_encode = msgspec.json.encode
T = TypeVar("T")


class _Said(NamedTuple):
    messages: list[Message]
    logs: list[Log]


class EarlierPhases:
    """All finished phases of a saved game, and the press of the current one."""

    def __init__(self, saved: SavedGame) -> None:
        """Read the phases; raise NotationError if they differ from the package's format."""
        self.saved = saved
        if not saved.phases:
            raise NotationError("phases: expected at least the one in which the game stands")
        if saved.phases[-1].name == COMPLETED or saved.status in ("completed", "canceled"):
            raise NotationError("phases: the game is over, so it cannot be continued")
        self._said = {phase.name: _said(phase, f"phases[{at}]") for at, phase in enumerate(saved.phases)}
        if len(self._said) < len(saved.phases):
            raise NotationError("phases: one is there twice")

    @property
    def last(self) -> SavedPhase:
        """The current phase of the game."""
        return self.saved.phases[-1]

    def parts(self) -> Iterator[tuple[PhaseParts, int]]:
        """Yield each past phase as JSON, with the time of its end in microseconds."""
        for phase in self.saved.phases[:-1]:
            given = {name: own or [] for name, own in (phase.value.get("orders") or {}).items()}
            parts = PhaseParts(phase.name, _encode(phase.state), _encode(given), _encode(phase.results))
            ended = phase.state.get("timestamp")
            yield parts, ended if isinstance(ended, int) else 0

    def heard(self, role: str) -> Iterator[tuple[str, list[Message], list[Log]]]:
        """Yield the messages and notes of each phase that a role may see; the current phase is last."""
        for phase, said in self._said.items():
            messages = [message for message in said.messages if _may_read(role, message)]
            logs = [log for log in said.logs if role in (log.sender, w.OMNISCIENT)]
            yield phase, messages, logs

    def before(self, role: str) -> dict[str, Plain]:
        """Return the other fields of the saved game, to be saved again with it.

        Orders of the current phase must be given again by the new players; they are returned only to the power that
        gave them and to viewers who see all.
        """
        found = {
            key: value for key, value in self.saved.value.items() if key not in ("map", "rules", "all_rules", "phases")
        }
        given = {name: own for name, own in self.last.orders.items() if own and role in (name, w.OMNISCIENT)}
        return found | {"orders": given}


def packed(saved: bytes) -> str:
    """Return a saved game in JSON, packed for a server that continues it."""
    return base64.b64encode(zlib.compress(saved)).decode()


def unpacked(text: str) -> bytes:
    """Return the unpacked value; raise NotationError if the text is not a packed one, or is too long."""
    try:
        reader = zlib.decompressobj()
        found = reader.decompress(base64.b64decode(text, validate=True), MAX_SAVED)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise NotationError(f"saved game: expected base64 of zlib of JSON: {error}") from None
    if reader.unconsumed_tail or not reader.eof:
        raise NotationError(f"saved game: expected at most {MAX_SAVED:,} bytes, complete")
    return found


def read_earlier(text: bytes) -> EarlierPhases:
    """Return the past of a saved game."""
    return EarlierPhases(read_saved(text)[-1])


def _said(phase: SavedPhase, field: str) -> _Said:
    messages = _read(phase.messages, list[Message], f"{field}.messages")
    return _Said(messages, _read(phase.value.get("logs") or [], list[Log], f"{field}.logs"))


def _read(said: Any, form: type[T], field: str) -> T:
    """Return messages or logs in the order of their times, which are made unique; those without one come first."""
    if not isinstance(said, list) or not all(isinstance(one, dict) for one in said):
        raise NotationError(f"{field}: expected a list of objects")
    try:
        found = sorted((dict(one) for one in said), key=lambda one: one.get("time_sent") or 0)
        latest = -1  # not 0, so that a message at time 0 keeps its time
        for one in found:
            latest = one["time_sent"] = max(latest + 1, one.get("time_sent") or 0)
        return msgspec.convert(found, form)
    except (msgspec.ValidationError, TypeError) as error:
        raise NotationError(f"{field}: {error}") from None


def _may_read(role: str, message: Message) -> bool:
    if message.is_global or role == w.OMNISCIENT:
        return True
    return message.recipient == "OBSERVER" if role == w.OBSERVER else role in (message.sender, message.recipient)
