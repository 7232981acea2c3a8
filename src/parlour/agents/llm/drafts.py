"""Reads what a model ordered and said in Diplomacy: what is good of it, and one sentence for each thing that is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parlour.agents.llm.answers import ReplyClass, last_object
from parlour.agents.llm.briefing import unanswered
from parlour.agents.llm.counsel import AnswerReading
from parlour.agents.llm.naming import NameBook
from parlour.core.game import Seat
from parlour.core.text import printable
from parlour.games.diplomacy.position import Position
from parlour.press import values as v
from parlour.press.admission import looks_like_press, refusal
from parlour.press.ledger import Ledger
from parlour.press.proposals import Proposal
from parlour.press.tokens import FREE_TEXT
from parlour.press.writer import write

MAX_NOTE = 400
MAX_MESSAGES = 12
"""Messages of one talk; more are not sent."""
MAX_FLAWS = 12
"""Faults that a model is told of at once."""
NO_ORDER = "(no order)"
"""What stands in for an order that was never given, so that the referee's record shows it."""


@dataclass(frozen=True, slots=True)
class OrderDraft:
    """Orders that a model gave: all of them, and those that are good."""

    orders: tuple[str, ...]
    good: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Speech:
    """What a model wants to say: answers to proposals, messages, and whether that is all."""

    answers: tuple[tuple[Proposal, bool], ...] = ()
    messages: tuple[tuple[tuple[Seat, ...], str], ...] = ()
    done: bool = False


def only_choice(position: Position, seat: Seat) -> list[str] | None:
    """The orders of a power that can order in one way only; None if it has a choice."""
    legal = position.legal(seat)
    if position.stage == "adjustments":
        due = position.builds[seat]
        builds = [order for order in legal if order != "WAIVE"]
        if due > 0:
            return None if builds else []
        return builds if len(builds) == -due else None
    units = {_unit(order) for order in legal}
    return legal if len(units) == len(legal) else None


def read_orders(
    text: str, kept: OrderDraft | None, position: Position, seat: Seat, spelling: NameBook
) -> AnswerReading[OrderDraft]:
    """The orders in an answer; after a repair together with those that were good before."""
    found = last_object(text)
    if found is None:
        return AnswerReading(ReplyClass.UNPARSABLE, kept, "There is no JSON object in your answer.")
    given: Any = found.get("orders")
    if not isinstance(given, list) or not all(isinstance(order, str) for order in given):
        return AnswerReading(ReplyClass.UNPARSABLE, kept, 'Expected an object with "orders", a list of texts.')
    orders = [spelling.orders_back(order).strip() for order in given]
    note = found.get("note")
    said = printable(note, MAX_NOTE) if isinstance(note, str) else kept.note if kept else ""
    if kept is not None:
        settled = {_unit(order) for order in kept.good} - {"WAIVE"}
        orders = [*kept.good, *(order for order in orders if _unit(order.upper()) not in settled)]
    entries = position.understand(seat, orders)
    flaws = [f"{entry.text[:80]}: {entry.flaw.message}" for entry in entries if entry.flaw]
    good = [entry.text for entry in entries if not entry.flaw]
    missing = _missing(position, seat, [entry.text for entry in entries])
    whole = (*orders, *(f"{unit} {NO_ORDER}" for unit in missing))
    if flaws or missing:
        flaws += [f"{unit}: no order" for unit in missing]
        return AnswerReading(
            ReplyClass.ILLEGAL, OrderDraft(whole, tuple(good), said), spelling.orders(_complaint(flaws))
        )
    strict = [entry.text for entry in entries] == orders
    return AnswerReading(ReplyClass.EXACT if strict else ReplyClass.LENIENT, OrderDraft(whole, tuple(good), said))


def _missing(position: Position, seat: Seat, given: Sequence[str]) -> list[str]:
    """The units without an order; in winter, the builds or removals that are still due."""
    if position.stage == "adjustments":
        what = "build" if position.builds[seat] > 0 else "disband"
        return [f"{what} {number}" for number in range(len(given) + 1, abs(position.builds[seat]) + 1)]
    units = (position.dislodged if position.stage == "retreats" else position.units)[seat]
    ordered = {_unit(order) for order in given}
    return [unit for unit in units if unit not in ordered]


def _unit(order: str) -> str:
    return " ".join(order.split()[:2])


def _complaint(flaws: Sequence[str]) -> str:
    more = f" and {len(flaws) - MAX_FLAWS} more" if len(flaws) > MAX_FLAWS else ""
    return f"These cannot be carried out: {'; '.join(printable(flaw) for flaw in flaws[:MAX_FLAWS])}{more}."


def read_speech(
    text: str, kept: Speech | None, ledger: Ledger, seat: Seat, level: int, spelling: NameBook
) -> AnswerReading[Speech]:
    """What is to be said, by an answer; after a repair together with what was good before."""
    found = last_object(text)
    if found is None:
        return AnswerReading(ReplyClass.UNPARSABLE, kept, "There is no JSON object in your answer.")
    answers, say = found.get("answer", []), found.get("say", [])
    if not isinstance(answers, list) or not isinstance(say, list) or not {"answer", "say", "done"} & found.keys():
        return AnswerReading(ReplyClass.UNPARSABLE, kept, 'Expected an object with the lists "answer" and "say".')
    waiting = {proposal.number: proposal for proposal in unanswered(ledger, ledger.lexicon.seats[seat])}
    flaws: list[str] = []
    answered: dict[int, tuple[Proposal, bool]] = {p.number: (p, yes) for p, yes in kept.answers} if kept else {}
    for one in answers:
        match one:
            case {"n": int(number), "yes": bool(yes)} if number in waiting:
                answered[number] = waiting[number], yes
            case _:
                expected = f"n is one of {', '.join(map(str, waiting))}" if waiting else "no proposal waits for you"
                flaws.append(f"{one!r:.60}: {expected}")
    messages = list(kept.messages) if kept else []
    for one in say[:MAX_MESSAGES]:
        message = _message(one, ledger, seat, level, spelling)
        if isinstance(message, str):
            flaws.append(message)
        elif message not in messages:
            messages.append(message)
    speech = Speech(tuple(answered.values()), tuple(messages[:MAX_MESSAGES]), found.get("done") is True)
    if flaws:
        return AnswerReading(ReplyClass.ILLEGAL, speech, spelling.press(_complaint(flaws)))
    return AnswerReading(ReplyClass.EXACT, speech)


def _message(
    value: Any, ledger: Ledger, seat: Seat, level: int, spelling: NameBook
) -> tuple[tuple[Seat, ...], str] | str:
    """One message and whom it is for, or what is wrong with it."""
    match value:
        case {"to": list(names), "press": str(text)} | {"to": list(names), "text": str(text)}:
            pass
        case _:
            return f'{value!r:.60}: expected {{"to": [...], "press": "..."}}'
    position = ledger.position
    assert position is not None
    to: list[Seat] = []
    for name in names:
        power = position.board.find_power(spelling.press_back(str(name)))
        if power is None or Seat(power.name) == seat:
            return f"{name!r:.40} is no other power"
        to.append(Seat(power.name))
    text = spelling.press_back(text.strip())
    if level < FREE_TEXT and not looks_like_press(text, ledger.lexicon):
        return f"{text!r:.60}: only press such as PRP ( ... ) may be said here"
    objection = refusal(text, level, position, seat, to)
    return f"{text!r:.80}: {objection.reason}" if objection is not None else (tuple(to), text)


def reply_text(proposal: Proposal, yes: bool) -> str:
    """The answer to a proposal, in the language."""
    return write(v.Accept(proposal.offer) if yes else v.Reject(proposal.offer))
