"""Asks a model for a usable answer: a transport fault is retried, a faulty answer is repaired once.

Each call is one Consulted event, good or bad, so no answer and no cost is lost. An answer that stays unusable is
reported as lost; the table's conduct decides the consequences for the seat.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from parlour.agents.llm.answers import GOOD, ReplyClass, silence_of
from parlour.agents.llm.budget import Bill, Spent, TokenBudget
from parlour.agents.llm.endpoint import ModelQuestion, ModelReply, Oracle
from parlour.agents.llm.prompts import template
from parlour.agents.llm.spec import LlmSpec
from parlour.core.intents import Consultation
from parlour.core.player import SeatHandle
from parlour.core.terms import Clock

T = TypeVar("T")
MAX_QUOTED = 4000
"""Maximum characters of a faulty answer that a repair quotes to the model."""
PAUSE = 1.0
"""Seconds before the first retry after a transport fault; each further wait is twice as long."""


@dataclass(frozen=True, slots=True)
class AnswerReading(Generic[T]):
    """The reading of an answer: its class, the usable part, and the remarks on the rest."""

    verdict: ReplyClass
    value: T | None = None
    complaint: str = ""
    """A sentence for the model about the fault; empty without one."""


class AnswerLost(Exception):
    """Raised without a usable answer; has its class (None if no call was made), the reason, and any usable part."""

    def __init__(self, verdict: ReplyClass | None, reason: str, value: object = None, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.verdict, self.reason, self.value = verdict, reason, value
        self.refused = refused
        """True if the provider refused the request, and would refuse it again."""


Read = Callable[[str, T | None], AnswerReading[T]]
"""A function that reads an answer; for a repair it also receives the usable part of the first answer."""
Sleep = Callable[[float], None]

COMPLAINTS = {
    ReplyClass.TRUNCATED: "Your answer became too long and was cut off. Answer shorter: the JSON object alone.",
    ReplyClass.EMPTY: "You gave no answer. Write the JSON object as your answer, not in your thoughts.",
}


class ModelLine:
    """The connection of a seat to its model."""

    def __init__(self, spec: LlmSpec, oracle: Oracle, budget: TokenBudget, sleep: Sleep = time.sleep) -> None:
        self._spec, self._oracle, self._budget, self._sleep = spec, oracle, budget, sleep
        self.handle: SeatHandle | None = None
        self.clock = Clock()
        self.purpose = ""
        """Purpose of the last call."""
        self._known: set[str] = set()
        """Hashes of the system texts that are already in the record."""

    def seek(self, purpose: str, system: str, prompt: str, read: Read[T], until: float | None = None) -> T:
        """Return a usable answer, after at most one repair.

        `until` is a deadline by time.monotonic.

        Raises:
            AnswerLost: There is no usable answer after the repair, in time, or within the budget.
        """
        self.purpose = purpose
        messages = (("system", system), ("user", prompt))
        reply = self._ask(purpose, messages, until, lambda text: read(text, None))
        if reply.verdict in GOOD:
            assert reply.value is not None
            return reply.value
        complaint = template("repair").substitute(complaint=reply.complaint, task=_last_line(prompt))
        again = (*messages, ("assistant", reply.said[:MAX_QUOTED] or "(nothing)"), ("user", complaint))
        kept = reply.value
        try:
            second = self._ask(purpose, again, until, lambda text: read(text, kept), attempt=2)
        except AnswerLost as lost:
            raise AnswerLost(lost.verdict, lost.reason, kept, refused=lost.refused) from None
        if second.verdict in GOOD:
            assert second.value is not None
            return second.value
        value = second.value if second.value is not None else kept
        raise AnswerLost(second.verdict, f"{second.verdict}: {second.complaint}", value)

    def _ask(
        self,
        purpose: str,
        messages: tuple[tuple[str, str], ...],
        until: float | None,
        read: Callable[[str], AnswerReading[T]],
        attempt: int = 1,
    ) -> _Heard[T]:
        options = self._spec.options
        question = ModelQuestion(self._spec.model, messages, options.max_tokens, options.temperature)
        for left in range(options.retries, -1, -1):
            seconds = None if until is None else until - time.monotonic()
            if seconds is not None and seconds <= 0:
                raise AnswerLost(None, "its time was up before its model answered")
            try:
                hold = self._budget.hold(question, self.handle, self.clock)
            except Spent as spent:
                raise AnswerLost(None, f"its budget is spent: {spent}") from None
            reply = self._oracle.ask(question, seconds)
            reading = _judged(reply, read, attempt)
            bill = self._budget.bill(question, reply)
            self._budget.settle(hold, self._consultation(purpose, messages, attempt, reply, reading, bill), self.handle)
            if not reply.fault:
                return _Heard(reading.verdict, reading.value, reading.complaint, reply.text)
            if not reply.again or not left:
                break
            self._wait(max(reply.pause, PAUSE * 2 ** (options.retries - left)), until)
        if not reply.again:
            raise AnswerLost(ReplyClass.TRANSPORT, f"its provider refuses: {reply.fault}", refused=True)
        raise AnswerLost(ReplyClass.TRANSPORT, f"its model could not be reached: {reply.fault}")

    def _wait(self, seconds: float, until: float | None) -> None:
        self._sleep(seconds if until is None else max(0.0, min(seconds, until - time.monotonic())))

    def _consultation(
        self,
        purpose: str,
        messages: tuple[tuple[str, str], ...],
        attempt: int,
        reply: ModelReply,
        reading: AnswerReading[T],
        bill: Bill,
    ) -> Consultation:
        system = messages[0][1]
        digest = digest_of(system)
        told = digest in self._known
        self._known.add(digest)
        return Consultation(
            purpose if attempt == 1 else f"{purpose}, repair",
            self._spec.model,
            messages[-1][1],
            reply.text,
            attempt,
            digest,
            "" if told else system,
            self._spec.host,
            reading.verdict.value,
            reply.finish,
            bill.tokens_in,
            bill.tokens_out,
            bill.tokens_reasoning,
            bill.usd,
            round(reply.seconds, 3),
            bill.estimated,
            self._budget.price is not None,
            reply.fault,
        )


@dataclass(frozen=True, slots=True)
class _Heard(Generic[T]):
    """A reading and the text that was read."""

    verdict: ReplyClass
    value: T | None
    complaint: str
    said: str


def digest_of(text: str) -> str:
    """Return the hash that identifies a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _judged(reply: ModelReply, read: Callable[[str], AnswerReading[T]], attempt: int) -> AnswerReading[T]:
    silence = silence_of(reply)
    if silence is not None:
        return AnswerReading(silence, None, COMPLAINTS.get(silence, ""))
    reading = read(reply.text)
    if attempt > 1 and reading.verdict in GOOD:
        return AnswerReading(ReplyClass.REPAIRED, reading.value)
    return reading


def _last_line(prompt: str) -> str:
    return prompt.rstrip().rpartition("\n")[2]
