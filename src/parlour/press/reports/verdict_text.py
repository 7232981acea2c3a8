"""Sentences of the ledger: verdicts, pacts, and the lines of a match as it is played."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.core.events import Event, Said
from parlour.core.game import Seat
from parlour.core.text import printable
from parlour.errors import PressError
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.pacts import Pact, PactVerdict
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language.english import English, gloss
from parlour.press.language.prose import parted
from parlour.press.language.reader import read
from parlour.press.language.tokens import Lexicon, standard_lexicon
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger

WIDTH = 110
"""Maximum characters of a message on one line; longer messages get two lines."""
_WHY = {
    "undone": "the parties undid it",
    "replaced": "a later agreement replaced it",
    "renounced": "it was renounced",
    "void": "a party is out of the game",
}


def sentence(verdict: PactVerdict, lexicon: Lexicon | None = None) -> str:
    """Return a verdict in English: `France broke its promise to England (S1901M) that … . It ordered that …`"""
    english = English(lexicon or standard_lexicon())
    power = english.power(verdict.performer)
    others = sorted(verdict.pact.parties - {verdict.performer})
    promise = f"promise to {english.powers(others)} ({verdict.pact.proposal.phase}) that {english.clause(verdict.what)}"
    shown = f"It ordered that {english.order(verdict.order)}" if verdict.order is not None else "It ordered nothing"
    match verdict.status:
        case PromiseStatus.KEPT:
            return f"{power} kept its {promise}."
        case PromiseStatus.BROKEN:
            because = f" ({verdict.why})" if verdict.why else ""
            return f"{power} broke its {promise}. {shown}{because}."
        case PromiseStatus.VOID:
            because = f" ({_WHY.get(verdict.why, verdict.why)})" if verdict.why else ""
            return f"{power}'s {promise} is void{because}."
        case PromiseStatus.OPEN:
            return f"{power}'s {promise} is still open."


def warning(verdict: PactVerdict, lexicon: Lexicon | None = None) -> str:
    """Return what the performer reads before its orders break a promise: `These orders would break your promise …`"""
    english = English(lexicon or standard_lexicon())
    others = english.powers(sorted(verdict.pact.parties - {verdict.performer}))
    given = f"that {english.order(verdict.order)}" if verdict.order is not None else "nothing for it"
    promise = f"your promise to {others} that {english.clause(verdict.what)}"
    return f"These orders would break {promise}. You order {given}."


def pact_line(pact: Pact, lexicon: Lexicon | None = None) -> str:
    """Return a pact in English: `pact 3 of S1901M, active: England and France agreed that …`"""
    english = English(lexicon or standard_lexicon())
    parties = english.powers(sorted(pact.parties))
    return (
        f"pact {pact.number} of {pact.proposal.phase}, {pact.state}: {parties} agreed that {english.clause(pact.what)}"
    )


def said_lines(said: Said, lexicon: Lexicon | None = None) -> tuple[str, ...]:
    """Return the lines of a Said event.

    Press gets its sender, receivers and English, then its canonical form. Free text is quoted.
    """
    lexicon = lexicon or standard_lexicon()
    sender, to = _word(said.seat, lexicon), [_word(seat, lexicon) for seat in said.to]
    heading = f"{said.seat} → {', '.join(said.to) or 'ALL'}"
    prose, core = parted(said.text)
    try:
        message = read(core or said.text, lexicon=lexicon)
    except PressError:
        return (f"{heading}: “{printable(said.text, len(said.text))}”",)
    english, canonical = f"{heading}: {gloss(message, sender, to, lexicon)}", write(message)
    if core:
        return f"{heading}: “{printable(prose, len(prose))}”", f"    {english}", f"    {canonical}"
    if len(english) + len(canonical) <= WIDTH:
        return (f"{english}  {canonical}",)
    return english, f"    {canonical}"


def _word(seat: Seat, lexicon: Lexicon) -> str:
    return lexicon.seats.get(seat, str(seat))


class Reporter:
    """A writer of lines for spectators of a negotiated match, which marks broken promises."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self._flagged = False

    def lines(self, event: Event, after: Position | None = None) -> Sequence[str]:
        """Return the lines of an event: a message as it was sent, or after a turn the verdicts worth reporting.

        Without the position after the event, the ledger computes it. Lines of broken promises begin with `!`, and the
        first of the match is announced as the first.
        """
        verdicts = self.ledger.feed(event, after)
        if isinstance(event, Said):
            return said_lines(event, self.ledger.lexicon if self.ledger.position else None)
        return [self._line(verdict) for verdict in verdicts if self._worth_saying(verdict)]

    def _worth_saying(self, verdict: PactVerdict) -> bool:
        """Return True if a verdict is news: broken, void, or kept by an order."""
        return verdict.status in (PromiseStatus.BROKEN, PromiseStatus.VOID) or (
            verdict.status is PromiseStatus.KEPT and verdict.order is not None
        )

    def _line(self, verdict: PactVerdict) -> str:
        text = sentence(verdict, self.ledger.lexicon)
        if verdict.status is not PromiseStatus.BROKEN:
            return f"  {text}"
        first = "" if self._flagged else "first broken promise: "
        self._flagged = True
        return f"! {first}{text}"
