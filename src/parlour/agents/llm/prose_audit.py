"""A model as a second reader of prose, for messages whose prose may disagree with their core."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from parlour.agents.llm.answers import last_object
from parlour.agents.llm.endpoint import ModelQuestion, Oracle
from parlour.agents.llm.prompts import template
from parlour.agents.llm.seated import oracle_of
from parlour.agents.llm.spec import read_spec
from parlour.core import events as ev
from parlour.core.text import printable
from parlour.errors import ConfigError, PressError
from parlour.press.language.english import gloss
from parlour.press.language.prose import parted
from parlour.press.language.reader import read
from parlour.press.ledger import Disagreement, Ledger

MAX_MESSAGES = 500
"""Maximum number of messages of one match that a model is asked about."""
MAX_PROSE, MAX_WHY, MAX_TOKENS = 4000, 200, 300
SECONDS = 60.0
PREFIX = "llm:"


class ProseAudit(NamedTuple):
    """The result of an audit."""

    findings: tuple[Disagreement, ...]
    asked: int
    """Number of messages with prose and a core that the model was asked about."""
    unanswered: int
    """Number of messages without a usable answer; they never count as agreement or disagreement."""


def audit_prose(events: Iterable[ev.Event], ledger: Ledger, model: str, oracle: Oracle | None = None) -> ProseAudit:
    """Ask a model, for each message of prose with a core, if the two contradict each other.

    Args:
        events: The events of the match.
        ledger: The ledger after the events; it is not changed.
        model: The model and its address: llm:MODEL@ADDRESS.
        oracle: A source of answers to use instead of the address.

    Raises:
        ConfigError: The model does not have this form.
    """
    if not model.startswith(PREFIX):
        raise ConfigError(f"prose model: expected llm:MODEL@ADDRESS, got {printable(model, 60)!r}", field="prose model")
    spec = read_spec(model.removeprefix(PREFIX))
    oracle = oracle or oracle_of(spec)
    findings: list[Disagreement] = []
    asked = unanswered = 0
    for said in events:
        question = _question(said, ledger, spec.model) if isinstance(said, ev.Said) else None
        if question is None or asked == MAX_MESSAGES:
            continue
        assert isinstance(said, ev.Said)
        asked += 1
        reply = oracle.ask(question, SECONDS)
        answer = None if reply.fault else last_object(reply.text)
        match answer:
            case {"contradicts": True, "why": str(why)}:
                power = ledger.lexicon.seats[said.seat]
                findings.append(Disagreement(power, said.turn, said.text, printable(why, MAX_WHY), "model"))
            case {"contradicts": False}:
                pass
            case _:
                unanswered += 1
    return ProseAudit(tuple(findings), asked, unanswered)


def _question(said: ev.Said, ledger: Ledger, model: str) -> ModelQuestion | None:
    """Return the question about a message; None if the message has no prose or no readable core."""
    prose, core = parted(said.text)
    if not prose or not core:
        return None
    words = ledger.lexicon.seats
    try:
        message = read(core, lexicon=ledger.lexicon)
    except PressError:
        return None
    clause = gloss(message, words.get(said.seat, ""), [words.get(seat, "") for seat in said.to], ledger.lexicon)
    prompt = template("prose").substitute(prose=prose[:MAX_PROSE], clause=clause)
    return ModelQuestion(model, (("user", prompt),), MAX_TOKENS, 0.0)
