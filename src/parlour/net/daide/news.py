"""What a DAIDE client hears of what happens at its match, besides the turns themselves."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.games.diplomacy.position import Position
from parlour.net.daide import mail, queries, sayings
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.sayings import Saying, group
from parlour.net.daide.tokens import letters


def told(at: Attendance, event: ev.Event, begun: bool) -> list[Saying]:
    """The messages about an event; whether the match had begun before it."""
    position = at.position
    match event:
        case ev.Said():
            return mail.heard(at, event)
        case ev.Started() if position is not None:
            # Who is told where units stand takes it that all have come.
            return [] if at.talk.waits_at_first else greeting(at, position)
        case ev.PositionSet() if position is not None:
            return [sayings.supply(position), sayings.now(position)]
        case ev.Left() if begun:
            return [["CCD", *group(at.lexicon.seats[event.seat])]]
        case ev.Joined() if begun and event.seat != at.seat:
            return [["NOT", *group("CCD", group(at.lexicon.seats[event.seat]))]]
        case ev.Proclaimed():
            return [_announcement(event)]
        case ev.Ended() if position is not None and event.outcome.places:
            versions = at.reception.versions(at.match)
            return [*at.talk.ending(event, at.lexicon, versions, at.options.pda), ["OFF"]]
        case ev.Ended():
            return [["OFF"]]
    return []


def greeting(at: Attendance, position: Position) -> list[Saying]:
    """What a match begins with."""
    return [queries.hello(at), sayings.supply(position), sayings.now(position)]


def _announcement(event: ev.Proclaimed) -> Saying:
    """ADM, of a client under the name that it gave, of anybody else as whom the record knows."""
    power, colon, name = event.by.partition(":")
    by = name if colon and len(power) == 3 and power.isupper() else event.by
    return ["ADM", *group(letters(by)), *group(letters(event.text))]
