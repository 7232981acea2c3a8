"""The private state of one role in a match: the orders and the press that it may see."""

from __future__ import annotations

import zlib

import msgspec

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.viewers import OMNISCIENT as SEES_ALL
from parlour.core.viewers import SPECTATOR, Viewer, seated_on
from parlour.net.mila import protocol_values as w
from parlour.net.mila.match_status import OrderMark
from parlour.net.mila.protocol_values import GLOBAL, Log, Message
from parlour.press.language.prose import parted

SYSTEM = "SYSTEM"
"""The sender of a host's announcements."""

_NOTHING = (b"[]", b"[]")
_encode = msgspec.json.encode
_read_messages = msgspec.json.Decoder(list[Message]).decode
_read_logs = msgspec.json.Decoder(list[Log]).decode


def viewer_of(role: str) -> Viewer:
    """Return the viewer of a role."""
    if role == w.OMNISCIENT:
        return SEES_ALL
    return SPECTATOR if role == w.OBSERVER else seated_on(Seat(role))


class Sight:
    """The private state of one match for one role, updated by the events that its viewer may see."""

    def __init__(self, role: str, viewer: Viewer | None = None) -> None:
        self.role, self.viewer = role, viewer or viewer_of(role)
        self.is_player = role not in w.SPECIAL_ROLES
        """True for the role of a power."""
        self.role_before = role if not self.is_player or Seat(role) in self.viewer.at(0.0).seats else w.OBSERVER
        """The role whose view of the saved past it gets: OBSERVER if another player held the seat at the start."""
        self.orders: dict[str, list[str]] = {}
        """The orders of this phase that the role may see."""
        self.messages: list[Message] = []
        self.logs: list[Log] = []
        self._past: dict[str, bytes] = {}
        """Messages and notes of past phases as compressed JSON lines; only phases that have any."""
        self._running = ""
        """The current phase while the saved past is read."""
        self._last = ("", _NOTHING)
        """The name of the last past phase, with its messages and notes as JSON."""

    @property
    def weight(self) -> int:
        """About the number of messages and notes, of which each past one is stored in some 30 bytes."""
        return len(self.messages) + len(self.logs) + sum(map(len, self._past.values())) // 30

    def copied(self) -> Sight:
        """Return a copy that does not change with further events."""
        copy = Sight(self.role, self.viewer)
        copy.orders, copy.messages, copy.logs = self.orders.copy(), self.messages.copy(), self.logs.copy()
        copy._past, copy._last = self._past.copy(), self._last
        return copy

    def see(self, event: Event, phase: str, at: int, mark: OrderMark | None) -> None:
        """Process an event of that phase and time; `mark` if another phase began with it."""
        self.take(event, phase, at)
        if mark is not None:
            self.cut(mark.cut)
            if mark.closed:
                self.close_phase(mark.closed)

    def take(self, event: Event, phase: str, at: int) -> None:
        """Apply the changes of an event to the role's state."""
        match event:
            case ev.Acted(seat=seat, action=action):
                if action is not None:
                    self.orders[seat] = action
            case ev.TurnBegan() | ev.TurnEnded() | ev.PositionSet() | ev.Ended():
                self.orders = {}
            case ev.Retracted(seat=seat):
                self.orders.pop(seat, None)
            case ev.Said():
                self.messages += messages_of(event, self.role, phase, at)
            case ev.Proclaimed(text=text, advice=advice):
                sender, kind = w.OMNISCIENT if advice else SYSTEM, advice if isinstance(advice, str) else msgspec.UNSET
                self.messages.append(Message(sender, GLOBAL, phase, text, time_sent=at, type=kind))
            case ev.Noted(seat=seat, text=text):
                self.logs.append(Log(sender=seat, phase=phase, message=text, time_sent=at))

    def remember(self, phase: str, messages: list[Message], logs: list[Log]) -> None:
        """Add messages and notes of a phase of the saved past."""
        if self._running:
            self.close_phase(self._running)
        self._running, self.messages, self.logs = phase, messages, logs

    def close_phase(self, phase: str) -> None:
        """Move the messages and notes of a phase that is over into the past."""
        found = _NOTHING
        if self.messages or self.logs:
            found = _encode(self.messages), _encode(self.logs)
            self._past[phase] = zlib.compress(b"\n".join(found), 1)
            self.messages, self.logs = [], []
        self._last = phase, found

    def past(self, phase: str) -> tuple[bytes, bytes]:
        """Return the messages and notes of a past phase as JSON."""
        if phase == self._last[0]:
            return self._last[1]
        if phase not in self._past:
            return _NOTHING
        said, kept = zlib.decompress(self._past[phase]).split(b"\n")
        return said, kept

    def cut(self, phases: list[str]) -> None:
        """Delete the messages and notes of phases that are played again."""
        for phase in phases:
            self._past.pop(phase, None)
            self._last = ("", _NOTHING)

    def sent(self, message: Message) -> int | None:
        """Return the time at which an equal message was sent in its phase or in the current one; None if it was not."""
        words = (message.sender, message.recipient, message.message, message.recipients)
        for known in reversed([*_read_messages(self.past(message.phase)[0]), *self.messages]):
            if (known.sender, known.recipient, known.message, known.recipients) == words:
                return known.time_sent
        return None

    def noted(self, log: Log) -> int | None:
        """Return the time at which an equal note was made in its phase or in the current one; None if it was not."""
        for known in reversed([*_read_logs(self.past(log.phase)[1]), *self.logs]):
            if known.message == log.message:
                return known.time_sent
        return None

    def heard(self, phase: str | None, since: int) -> list[Message]:
        """Return the messages of others after a time in a past phase, or (None) in this one."""
        said = self.messages if phase is None else _read_messages(self.past(phase)[0])
        return [message for message in said if (message.time_sent or 0) > since and message.sender != self.role]


def messages_of(said: ev.Said, role: str, phase: str, at: int) -> list[Message]:
    """Return press as the role receives it: each recipient of a message to several powers gets it as its own.

    Parlour's own client finds all recipients in a separate field.

    Prose with a formal core becomes two messages, except for its sender; one if both parts are equal. They have the
    whole text in `whole`. Clients identify messages by their times, so the core has the next microsecond.
    """
    if not said.to:
        recipient = GLOBAL
    else:
        recipient = role if role in said.to else said.to[0]
    prose, core = parted(said.text)
    apart = bool(prose and core) and role != said.seat
    texts = dict.fromkeys((prose, core)) if apart else (said.text,)
    whole = said.text if apart else msgspec.UNSET
    together: list[str] | msgspec.UnsetType = [*said.to] if len(said.to) > 1 else msgspec.UNSET
    return [
        Message(said.seat, recipient, phase, text, time_sent=at + number, recipients=together, whole=whole)
        for number, text in enumerate(texts)
    ]
