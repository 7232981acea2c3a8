"""Reads a model's orders and press in Diplomacy: the usable part, and a sentence for each fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parlour.agents.llm.answers import ReplyClass, last_object
from parlour.agents.llm.briefing import unanswered
from parlour.agents.llm.naming import NameBook
from parlour.agents.llm.retries import AnswerReading
from parlour.core.game import Seat
from parlour.core.terms import FREE_TEXT
from parlour.core.text import printable
from parlour.games.diplomacy.position import Position
from parlour.press.admission import looks_like_press, refusal
from parlour.press.agreements.proposals import Proposal
from parlour.press.language import message_types as v
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger

MAX_NOTE = 400
MAX_MESSAGES = 12
"""Maximum number of messages of one talk; the others are not sent."""
MAX_FLAWS = 12
"""Maximum number of faults reported to a model at once."""
MAX_STANCES, MAX_STANCE = 60, 300
"""Maximum number of orders or stances read from a plan, and maximum characters of each."""
NO_ORDER = "(no order)"
"""Placeholder for a missing order, so that the record shows it."""


@dataclass(frozen=True, slots=True)
class OrderDraft:
    """Orders that a model gave: all orders, and the valid ones."""

    orders: tuple[str, ...]
    good: tuple[str, ...]
    note: str = ""
    stances: Mapping[str, str] = field(default_factory=dict)
    """Stance of the orders to each promise, by the promise in the press language; requested where plans are sealed."""


@dataclass(frozen=True, slots=True)
class Speech:
    """A model's contribution to the talk: answers to proposals, messages, and `done` if it is the last one."""

    answers: tuple[tuple[Proposal, bool], ...] = ()
    messages: tuple[tuple[tuple[Seat, ...], str], ...] = ()
    done: bool = False
    plan: tuple[str, ...] | None = None
    """The orders that the model intends to give at present; requested where plans are sealed."""
    stances: Mapping[str, str] = field(default_factory=dict)


def only_choice(position: Position, seat: Seat) -> list[str] | None:
    """Return the orders of a power that has only one choice; None if the power has several."""
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
    """Return the orders in an answer; after a retry together with the valid orders of the answer before."""
    found = last_object(text)
    if found is None:
        return AnswerReading(ReplyClass.UNPARSABLE, kept, "There is no JSON object in your answer.")
    given: Any = found.get("orders")
    if not isinstance(given, list) or not all(isinstance(order, str) for order in given):
        return AnswerReading(ReplyClass.UNPARSABLE, kept, 'Expected an object with "orders", a list of texts.')
    orders = [spelling.orders_back(order).strip() for order in given]
    note = found.get("note")
    said = printable(note, MAX_NOTE) if isinstance(note, str) else kept.note if kept else ""
    stances = _stances(found, spelling) or (kept.stances if kept else {})
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
        draft = OrderDraft(whole, tuple(good), said, stances)
        return AnswerReading(ReplyClass.ILLEGAL, draft, spelling.orders(_complaint(flaws)))
    strict = [entry.text for entry in entries] == orders
    draft = OrderDraft(whole, tuple(good), said, stances)
    return AnswerReading(ReplyClass.EXACT if strict else ReplyClass.LENIENT, draft)


def _stances(found: Mapping[str, Any], spelling: NameBook) -> dict[str, str]:
    """Return the stances in an answer as they were written; the ledger checks them."""
    given = found.get("stances")
    if not isinstance(given, dict):
        return {}
    pairs = [(what, how) for what, how in given.items() if isinstance(what, str) and isinstance(how, str)]
    return {spelling.press_back(what)[:MAX_STANCE]: how[:MAX_STANCE] for what, how in pairs[:MAX_STANCES]}


def _plan(found: Mapping[str, Any], spelling: NameBook) -> tuple[str, ...] | None:
    """Return the plan in an answer; None if there is none."""
    given = found.get("plan")
    if not isinstance(given, list) or not all(isinstance(order, str) for order in given):
        return None
    return tuple(spelling.orders_back(order).strip()[:MAX_STANCE] for order in given[:MAX_STANCES])


def _missing(position: Position, seat: Seat, given: Sequence[str]) -> list[str]:
    """Return the units without an order; in winter, the builds or removals that are still due."""
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
    """Return the speech in an answer; after a retry together with the valid parts of the answer before."""
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
    plan, stances = _plan(found, spelling), _stances(found, spelling)
    if plan is None and kept is not None:
        plan, stances = kept.plan, dict(kept.stances)
    speech = Speech(tuple(answered.values()), tuple(messages[:MAX_MESSAGES]), found.get("done") is True, plan, stances)
    if flaws:
        return AnswerReading(ReplyClass.ILLEGAL, speech, spelling.press(_complaint(flaws)))
    return AnswerReading(ReplyClass.EXACT, speech)


def _message(
    value: Any, ledger: Ledger, seat: Seat, level: int, spelling: NameBook
) -> tuple[tuple[Seat, ...], str] | str:
    """Return the receivers and the text of a message, or its fault."""
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
    """Return the answer to a proposal in the press language."""
    return write(v.Accept(proposal.offer) if yes else v.Reject(proposal.offer))
