"""Events of a match as lines for a waiting assistant; events that do not concern it give none."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.text import printable

MAX_LINE = 1000


def shown(text: object) -> str:
    """Return a text from outside as one line."""
    return printable(text, MAX_LINE)


def news_of(event: Event, seat: Seat) -> str:
    """Return the line for an event; empty if it makes no difference to that seat."""
    match event:
        case ev.Started():
            return "the match begins"
        case ev.TurnBegan(turn=turn, stage=stage, to_act=to_act):
            yours = "you are to act" if seat in to_act else "you have nothing to do"
            return f"turn {turn} ({stage}) begins: {yours}"
        case ev.TurnEnded(turn=turn, actions=actions):
            return shown(f"turn {turn} is over: " + "; ".join(f"{who} {what}" for who, what in actions.items()))
        case ev.Said(seat=sender, to=to, text=text) if sender != seat:
            return shown(f"{sender} to {', '.join(to) or 'all'}: {text}")
        case ev.Fouled(seat=who, detail=detail, does=does) if who == seat:
            return shown(f"a foul of yours: {detail}; {does}")
        case ev.Removed(seat=who, reason_words=reason):
            return shown(f"{'you are' if who == seat else f'{who} is'} removed: {reason}")
        case ev.Proclaimed(text=text):
            return shown(f"the host says: {text}")
        case ev.Ended(outcome=outcome):
            places = ", then ".join(" and ".join(tied) for tied in outcome.places)
            return shown(f"the match is over ({outcome.reason}): {places or 'nobody is ranked'}")
        case _:
            return ""
