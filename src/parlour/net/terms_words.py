"""The terms of a match as sentences for people who are about to join."""

from __future__ import annotations

from collections.abc import Mapping

from parlour.core.declaration import GameDeclaration
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Plain
from parlour.core.terms import FREE_TEXT, PressMode, PressTerms, Terms
from parlour.net.setup import About

_UNITS = ((86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute"), (1.0, "second"))
_MISSED = {
    Consequence.DEFAULT: "Whoever misses a turn keeps the seat; the turn is played without new orders.",
    Consequence.VACATE: "Whoever misses a turn loses the seat, and somebody else may take it.",
    Consequence.SKIP: "A missed turn passes; too many in a row end the match for that player.",
    Consequence.REMOVE: "Whoever misses a turn is out.",
}

_DRAW = (
    "The match ends in a draw when all who are left vote for it. House agents do when all people have, "
    "but not an agent with more than half of the points."
)


def span(seconds: float) -> str:
    """Return a time in the largest unit that divides it: 1 day, 90 minutes."""
    for size, name in _UNITS:
        if seconds >= size and seconds % size == 0:
            count = int(seconds // size)
            return f"{count} {name}" if count == 1 else f"{count} {name}s"
    return f"{seconds:g} seconds"


def brief_of(terms: Terms) -> str:
    """Return terms in a few words, for a list, such as: 1 day a turn, weekends free, proposals and free text."""
    clock, press = terms.clock, terms.press
    found = [f"{span(clock.per_turn)} a turn" if clock.per_turn else "no clock"]
    if clock.rests:
        found.append("weekends free")
    found.append("no press" if press.mode is PressMode.NONE else _kinds(press))
    return ", ".join(found)


def words_of(terms: Terms, about: About) -> list[str]:
    """Return the terms that a player accepts by joining, one sentence each."""
    found = [_clock(terms), _press(terms.press)]
    if (missed := terms.conduct.rule("orders", FoulKind.LATE).does) in _MISSED and terms.clock.per_turn:
        found.append(_MISSED[missed])
    if terms.draw_votes:
        found.append(_DRAW)
    if about.stand_in:
        found.append(f"{about.stand_in} plays for whoever leaves, until they return.")
    if about.admission.anonymous:
        found.append("Nobody learns who sits where before the match is over.")
    if about.admission.by_lot:
        found.append("Seats are drawn by lot.")
    if about.admission.playing_moderator:
        found.append("Whoever moderates this match may also play in it, and may see everything.")
    if about.admission.seats_each != 1:
        found.append("One person may take several seats.")
    return found


def settings_of(declaration: GameDeclaration, config: Mapping[str, Plain]) -> str:
    """Return the options of a configuration with their labels, such as: Map: standard; Scoring: solo."""
    chosen = [f"{option.label}: {config[option.name]}" for option in declaration.options if option.name in config]
    return "; ".join(chosen)


def _clock(terms: Terms) -> str:
    clock = terms.clock
    if clock.per_turn is None:
        return "There is no clock: a turn ends when all are ready."
    rest = " Saturdays and Sundays (UTC) do not count." if clock.rests else ""
    extra = f", and {span(clock.bank)} more in the whole match" if clock.bank else ""
    return f"Each turn lasts {span(clock.per_turn)} at most{extra}; it ends earlier when all are ready.{rest}"


def _press(press: PressTerms) -> str:
    if press.mode is PressMode.NONE:
        return "Nobody talks."
    when = "at any time" if press.mode is PressMode.ANYTIME else f"for {span(press.window)} at the beginning of a turn"
    whom = "to anybody" if press.private else "to everyone only"
    return f"Players negotiate {when}, {whom}: {_kinds(press)}."


def _kinds(press: PressTerms) -> str:
    return "proposals and free text" if press.level >= FREE_TEXT else "proposals"
