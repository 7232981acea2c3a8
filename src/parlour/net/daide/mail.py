"""Press at the DAIDE door: SND and its answers, FRM, and texts that a client cannot receive."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import RefusalCode
from parlour.errors import PressError
from parlour.net.daide import client_messages as cm
from parlour.net.daide import server_messages as sm
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.server_messages import ServerMessage, complaint, confirmed, group, rejected
from parlour.net.daide.tokens import Codec, Token, word_of
from parlour.press.language.prose import formal, parted
from parlour.press.language.reader import read as read_press
from parlour.press.language.tokens import HIGHER_LEVELS, LEVELS, Lexicon


def readable(at: Attendance, text: str) -> bool:
    """Return True if a text is press of the match's level, and all of it has tokens."""
    return _readable(at.codec, at.lexicon, at.options.level, text)


def _readable(codec: Codec, lexicon: Lexicon, level: int, text: str) -> bool:
    try:
        read_press(text, level, lexicon)
    except PressError:
        return False
    return codec.can_say(sm.words(text))


async def send(at: Attendance, message: cm.Sending, tokens: Sequence[Token]) -> ServerMessage:
    """Deliver press to all its addressees, or to none; return the answer."""
    if at.options.level == 0:
        return ["HUH", *group("ERR", tokens)]  # this match has no press
    if not at.playing or at.seat is None or at.power in message.to or not at.is_now(message.turn):
        return rejected(tokens)
    if at.talk.is_out(at.seat):
        return rejected(tokens)
    words = [word_of(token) for token in message.press]
    try:
        read_press(" ".join(words), at.options.level, at.lexicon)
    except PressError as error:
        return complaint(tokens, error, offset=message.start)
    if (gone := _not_there(at, message.to, words)) is not None:
        return gone
    to = tuple(at.lexicon.seat_of[power] for power in message.to)
    said = it.Say(at.seat, " ".join(_within_level(words, at.options.level)), to)
    (answer,) = await at.session.submit(at.match, said)
    if answer.refusal is None:
        return confirmed(tokens)
    if answer.refusal.code is RefusalCode.OUT_OF_GAME:  # eliminated in the meantime
        return _not_there(at, message.to, words) or rejected(tokens)
    return rejected(tokens)


def _not_there(at: Attendance, to: Sequence[str], words: Sequence[str]) -> ServerMessage | None:
    """Return OUT for an eliminated receiver or mentioned power, CCD for a receiver in civil disorder; else None."""
    for power in (*to, *[word for word in words if word in at.lexicon.powers]):
        if at.talk.is_out(at.lexicon.seat_of[power]):
            return ["OUT", *group(power)]
    for power in to:
        if at.talk.is_away(at.lexicon.seat_of[power]):
            return ["CCD", *group(power)]
    return None


def heard(at: Attendance, event: ev.Said) -> list[ServerMessage]:
    """Return FRM for press of others; a client receives no text that it could not read.

    Prose with a formal core becomes two messages: the core, and the prose if the client can read it.
    """
    if at.seat in (None, event.seat):
        return []
    prose, core = parted(event.text)
    texts = [text for text in (core, prose) if text] if core else [event.text]
    told = [_told(at.codec, at.lexicon, at.options.level, event.seat, event.to, text) for text in texts]
    return [list(one) for one in told if one is not None]  # frames are cached for tuples, not for lists


@lru_cache(maxsize=64)
def _told(
    codec: Codec, lexicon: Lexicon, level: int, sender: Seat, to: tuple[Seat, ...], text: str
) -> ServerMessage | None:
    """Return FRM, cached for all receivers; None if the text is not press of the level."""
    if not _readable(codec, lexicon, level, text):
        return None
    powers = [lexicon.seats[other] for other in to or [other for other in lexicon.seats if other != sender]]
    return ("FRM", *group(lexicon.seats[sender]), *group(powers), *group(sm.words(text)))


def unheard(at: Attendance, text: str) -> str:
    """Return the note for the writer of a text that the client does not receive; empty if it does."""
    if readable(at, formal(text)):
        return ""
    reads = f"structured press up to level {at.options.level}" if at.options.level else "no press"
    return f"{at.seat} is played by a DAIDE bot, which reads {reads}: this did not reach it"


def _within_level(words: list[str], level: int) -> list[str]:
    """Return TRY without the words above the level of the table."""
    if words[:1] != ["TRY"]:
        return words
    return [word for word in words if (LEVELS.get(word) or HIGHER_LEVELS.get(word) or 0) <= level]
