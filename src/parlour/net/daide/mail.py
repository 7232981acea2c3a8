"""Press at the DAIDE door: SND and what the server answers to it, FRM, and what cannot be told to a client."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.intents import RefusalCode
from parlour.errors import PressError
from parlour.net.daide import phrases as ph
from parlour.net.daide import sayings
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.sayings import Saying, complaint, confirmed, group, rejected
from parlour.net.daide.tokens import Token, word_of
from parlour.press.reader import read as read_press
from parlour.press.tokens import HIGHER_LEVELS, LEVELS


def readable(at: Attendance, text: str) -> bool:
    """Whether that is press of the match's level, and there are tokens for all of it."""
    try:
        read_press(text, at.options.level, at.lexicon)
    except PressError:
        return False
    return at.codec.can_say(sayings.words(text))


async def send(at: Attendance, phrase: ph.Sending, tokens: Sequence[Token]) -> Saying:
    """Deliver press to all whom it names, or to nobody; what became of it."""
    if not at.playing or at.seat is None or at.power in phrase.to or not at.is_now(phrase.turn):
        return rejected(tokens)
    words = [word_of(token) for token in phrase.press]
    try:
        read_press(" ".join(words), at.options.level, at.lexicon)
    except PressError as error:
        return complaint(tokens, error, offset=phrase.start)
    if (gone := _not_there(at, phrase.to, words)) is not None:
        return gone
    to = tuple(at.lexicon.seat_of[power] for power in phrase.to)
    answer = await at.want(it.Say(at.seat, " ".join(_within_level(words, at.options.level)), to))
    if answer.refusal is None:
        return confirmed(tokens)
    if answer.refusal.code is RefusalCode.OUT_OF_GAME:  # eliminated in the very moment
        return _not_there(at, phrase.to, words) or rejected(tokens)
    return rejected(tokens)


def _not_there(at: Attendance, to: Sequence[str], words: Sequence[str]) -> Saying | None:
    """OUT for who is eliminated, as sender, receiver or somebody who is spoken of; CCD for who is in civil disorder."""
    for power in (at.power, *to, *[word for word in words if word in at.lexicon.powers]):
        if at.talk.is_out(at.lexicon.seat_of[power]):
            return ["OUT", *group(power)]
    for power in to:
        if at.lexicon.seat_of[power] in at.talk.away:
            return ["CCD", *group(power)]
    return None


def heard(at: Attendance, event: ev.Said) -> list[Saying]:
    """FRM for press of others; free text does not reach a client that could not read it."""
    if at.seat in (None, event.seat) or not readable(at, event.text):
        return []
    receivers = event.to or [other for other in at.lexicon.seats if other != event.seat]
    powers = [at.lexicon.seats[other] for other in receivers]
    return [["FRM", *group(at.lexicon.seats[event.seat]), *group(powers), *group(sayings.words(event.text))]]


def unheard(at: Attendance, text: str) -> str:
    """What whoever wrote that is told if the client gets nothing of it; empty if it does."""
    if readable(at, text):
        return ""
    reads = f"structured press up to level {at.options.level}" if at.options.level else "no press"
    return f"{at.seat} is played by a DAIDE bot, which reads {reads}: this did not reach it"


def _within_level(words: list[str], level: int) -> list[str]:
    """TRY without the words that are above the level of the table."""
    if words[:1] != ["TRY"]:
        return words
    return [word for word in words if (LEVELS.get(word) or HIGHER_LEVELS.get(word) or 0) <= level]
