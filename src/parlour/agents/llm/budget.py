"""The budget of a seat's model: reserved before a call, settled after it, here and with the referee."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from parlour.agents.llm.endpoint import ModelQuestion, ModelReply
from parlour.agents.llm.prices import Price
from parlour.agents.llm.spec import LlmOptions
from parlour.core.intents import Consultation, Refusal
from parlour.core.player import SeatHandle
from parlour.core.terms import Clock

OVERHEAD = 16
"""Tokens that a provider may add to each message."""
BYTES_PER_TOKEN = 3
"""Bytes per token, for estimates where the provider reports no count."""


class Spent(Exception):
    """Raised if a call may exceed the remaining budget."""


@dataclass(frozen=True, slots=True)
class Bill:
    """The tokens and dollars of a call."""

    tokens_in: int
    tokens_out: int
    tokens_reasoning: int
    usd: float
    estimated: bool


@dataclass(frozen=True, slots=True)
class Reservation:
    """The amount reserved for a call, and the referee's call number; None where the referee keeps no account."""

    tokens: int
    usd: float
    call: int | None


class TokenBudget:
    """The caps of one seat. Reserved and spent amounts never exceed them, even if a provider reports more."""

    def __init__(self, options: LlmOptions, price: Price | None) -> None:
        self.price = price
        self.tokens, self.usd = 0, 0.0
        """Tokens and dollars spent."""
        self._most_tokens = math.inf if options.tokens is None else options.tokens
        self._most_usd = math.inf if options.usd is None else options.usd

    def recall(self, consultations: Iterable[Consultation]) -> None:
        """Count the spending before a restart, because the caps apply to the whole match."""
        past = list(consultations)
        self.tokens = max(self.tokens, int(min(sum(one.tokens for one in past), self._most_tokens)))
        self.usd = max(self.usd, min(sum(one.usd for one in past), self._most_usd))

    def hold(self, question: ModelQuestion, handle: SeatHandle | None, clock: Clock) -> Reservation:
        """Reserve the maximum cost of a call; raise Spent if too little is left."""
        # No tokenizer produces more tokens than the text has bytes.
        read = sum(len(text.encode("utf-8", "replace")) + OVERHEAD for _, text in question.messages)
        tokens = read + question.max_tokens
        usd = self.price.of(read, question.max_tokens) if self.price else 0.0
        if self.tokens + tokens > self._most_tokens:
            raise Spent(f"a call may take {tokens} tokens and {self._most_tokens - self.tokens:.0f} are left")
        if self.usd + usd > self._most_usd:
            raise Spent(f"a call may cost {usd:.4f} USD and {self._most_usd - self.usd:.4f} are left")
        if handle is None or (clock.tokens is None and clock.usd is None):
            return Reservation(tokens, usd, None)
        call = handle.reserve(tokens, usd)
        if isinstance(call, Refusal):
            raise Spent(call.reason)
        return Reservation(tokens, usd, call)

    def bill(self, question: ModelQuestion, reply: ModelReply) -> Bill:
        """Return the tokens and dollars of a call: the provider's count, or an estimate without one."""
        if reply.counted:
            read, wrote, thought = reply.tokens_in, reply.tokens_out, reply.tokens_reasoning
        else:
            read = sum(len(text.encode("utf-8", "replace")) for _, text in question.messages) // BYTES_PER_TOKEN
            wrote = len(reply.text.encode("utf-8", "replace")) // BYTES_PER_TOKEN
            thought = reply.thought // BYTES_PER_TOKEN
            if reply.fault and not reply.text and not reply.thought:
                read = 0  # without an answer the provider cannot charge for the call
        usd = self.price.of(read, wrote + thought) if self.price else 0.0
        return Bill(read, wrote, thought, usd, not reply.counted)

    def settle(self, hold: Reservation, consultation: Consultation, handle: SeatHandle | None) -> None:
        """Charge the cost of a call, and record the call. The remaining budget never falls below zero."""
        self.tokens = int(min(self.tokens + consultation.tokens, self._most_tokens))
        self.usd = min(self.usd + consultation.usd, self._most_usd)
        if handle is not None:
            handle.consult(consultation, hold.call)
