"""The state of one role besides the public one: its orders, press and notes, phase by phase."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core.game import Outcome, Seat
from parlour.core.viewers import OMNISCIENT as SEES_ALL
from parlour.core.viewers import SPECTATOR, seated_on
from parlour.net.mila.match_status import OrderMark
from parlour.net.mila.protocol_values import OBSERVER, OMNISCIENT, Log, Message
from parlour.net.mila.role_state import Sight, viewer_of

FRANCE, ENGLAND, ITALY = Seat("FRANCE"), Seat("ENGLAND"), Seat("ITALY")
PHASE = "S1901M"


def said(seat: Seat, text: str, *to: Seat) -> ev.Said:
    return ev.Said(1.0, seat, to, text, 1)


def message(sender: str, recipient: str, text: str, at: int = 1, phase: str = PHASE) -> Message:
    return Message(sender=sender, recipient=recipient, phase=phase, message=text, time_sent=at)


def test_a_role_looks_through_its_own_eyes() -> None:
    assert (viewer_of(OMNISCIENT), viewer_of(OBSERVER), viewer_of("FRANCE")) == (SEES_ALL, SPECTATOR, seated_on(FRANCE))
    assert [Sight(role).is_player for role in (OMNISCIENT, OBSERVER, "FRANCE")] == [False, False, True]


def test_orders_are_of_this_phase() -> None:
    sight = Sight("FRANCE")
    for event in (
        ev.Acted(1.0, FRANCE, 1, ["A PAR H"]),
        ev.Acted(2.0, ENGLAND, 1, None),
        ev.Acted(3.0, ITALY, 1, ["A ROM H"]),
    ):
        sight.see(event, PHASE, 1, None)
    assert sight.orders == {"FRANCE": ["A PAR H"], "ITALY": ["A ROM H"]}
    sight.see(ev.Retracted(6.0, ITALY, 1), PHASE, 1, None)
    assert sight.orders == {"FRANCE": ["A PAR H"]}
    sight.see(ev.WaitSet(8.0, FRANCE, True), PHASE, 1, None)
    assert sight.orders, "what changes nothing of what it knows is passed over"
    sight.see(ev.Ended(9.0, Outcome({}, (), "called off")), PHASE, 1, None)
    assert sight.orders == {}


@pytest.mark.parametrize(
    ("role", "event", "recipient"),
    [
        ("FRANCE", said(ENGLAND, "hm"), "GLOBAL"),
        ("FRANCE", said(ENGLAND, "hm", ITALY, FRANCE), "FRANCE"),
        ("ENGLAND", said(ENGLAND, "hm", ITALY, FRANCE), "ITALY"),
        (OMNISCIENT, said(ENGLAND, "hm", ITALY, FRANCE), "ITALY"),
    ],
)
def test_what_was_said_to_several_comes_to_each_as_said_to_it(role: str, event: ev.Said, recipient: str) -> None:
    sight = Sight(role)
    sight.see(event, PHASE, 7, None)
    (found,) = sight.messages
    assert msgspec.structs.replace(found, recipients=msgspec.UNSET) == message("ENGLAND", recipient, "hm", 7)
    assert found.recipients == (list(event.to) or msgspec.UNSET)


def test_what_was_said_and_noted_in_a_phase_becomes_its_past() -> None:
    sight = Sight("FRANCE")
    sight.see(said(ENGLAND, "one", FRANCE), PHASE, 5, None)
    sight.see(said(FRANCE, "two", ENGLAND), PHASE, 6, None)
    sight.see(ev.Noted(1.0, FRANCE, "three", 1), PHASE, 7, None)
    note = Log(sender="FRANCE", phase=PHASE, message="three", time_sent=7)
    assert sight.logs == [note]
    assert [found.message for found in sight.heard(None, 4)] == ["one"], "one's own words are not heard"
    assert sight.heard(None, 5) == []
    sight.see(ev.TurnEnded(2.0, 1, {}, {}), PHASE, 8, OrderMark(PHASE, [], "F1901M"))
    assert (sight.messages, sight.logs) == ([], [])
    sight.see(said(ENGLAND, "four", FRANCE), "F1901M", 9, None)
    for later in ("F1901M", "S1902M"):
        said_then, noted_then = sight.past(PHASE)
        messages = msgspec.json.decode(said_then, type=list[Message])
        logs = msgspec.json.decode(noted_then, type=list[Log])
        assert [found.message for found in messages] == ["one", "two"]
        assert logs == [note]
        assert [found.message for found in sight.heard(PHASE, 0)] == ["one"]
        assert sight.sent(message("ENGLAND", "FRANCE", "one")) == 5
        assert sight.sent(message("ENGLAND", "ITALY", "one")) is None
        assert sight.noted(note) == 7
        assert sight.noted(Log(sender="FRANCE", phase=PHASE, message="else", time_sent=None)) is None
        sight.see(ev.TurnEnded(2.0, 1, {}, {}), later, 10, OrderMark(later, [], "?"))
    assert sight.past("S1902M") == (b"[]", b"[]") == sight.past("W1999A")
    sight.cut([PHASE])
    assert sight.past(PHASE) == (b"[]", b"[]")
    assert msgspec.json.decode(sight.past("F1901M")[0])[0]["message"] == "four"


def test_phases_that_were_played_elsewhere_are_remembered_in_order() -> None:
    sight = Sight("FRANCE")
    sight.remember(PHASE, [message("ENGLAND", "FRANCE", "old")], [])
    sight.remember("F1901M", [message("ENGLAND", "FRANCE", "new", 2, "F1901M")], [])
    assert [found.message for found in sight.messages] == ["new"]
    assert [found.message for found in sight.heard(PHASE, 0)] == ["old"]
    assert sight.heard(PHASE, 1) == []
