"""The common part of every model at a table: its endpoint, budget, turn, and the cost of a lost answer."""

from __future__ import annotations

import time
from collections.abc import Sequence

from parlour.agents.llm.answers import ReplyClass
from parlour.agents.llm.budget import TokenBudget
from parlour.agents.llm.cassette import Cassette, Deck
from parlour.agents.llm.endpoint import Endpoint, Oracle
from parlour.agents.llm.prices import price_of
from parlour.agents.llm.retries import AnswerLost, ModelLine, Read, T
from parlour.agents.llm.spec import LlmSpec
from parlour.core import events as ev
from parlour.core.game import View
from parlour.core.player import ObservedEvent, SeatHandle
from parlour.core.terms import Terms
from parlour.core.text import printable
from parlour.errors import ConfigError, RemoteWireError
from parlour.files import read_regular

MAX_PROMPT = 20_000
"""Maximum characters of a user's own text before the rules."""
MARGIN = 0.05
"""Share of the remaining time that the model does not get, so that the player can still answer in time."""


class ModelPlayer:
    """A seat that is played by a model; each subclass plays one game."""

    def __init__(self, spec: LlmSpec, seed: int, oracle: Oracle | None = None) -> None:
        self.spec, self.seed = spec, seed
        options = spec.options
        price = price_of(spec.model, options.prices)
        if options.usd is not None and price is None:
            raise ConfigError(
                f"agent: llm: usd={options.usd:g} needs a price of {spec.model}: give prices=FILE or limit tokens",
                field="agent",
            )
        self.slow = oracle is None and options.cassette is None
        """True if other seats need not wait for this player. False with a cassette, so that a match repeats exactly."""
        self.budget = TokenBudget(options, price)
        self.model_line = ModelLine(spec, oracle or oracle_of(spec), self.budget)
        self._preface = "" if options.prompt is None else _read_prompt(options.prompt)
        self.handle: SeatHandle | None = None
        self.terms: Terms | None = None
        self._until: float | None = None
        self._lost: int | None = None
        """The last turn whose answer was lost."""

    # Called by the driver

    def on_seated(self, handle: SeatHandle) -> None:
        """Keep the seat handle."""
        self.handle = self.model_line.handle = handle

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        """Follow the events before the model took the seat, and count its earlier spending."""
        events = [observed.event for observed in past]
        for event in events:
            self.follow(event)
        own = [one for one in events if isinstance(one, ev.Consulted) and self._is_mine(one)]
        self.budget.recall(one.consultation for one in own)

    def _is_mine(self, event: ev.Consulted) -> bool:
        """Return True if this seat asked this model, not a model that had the seat before."""
        asked = event.consultation
        return self.handle is not None and (event.seat, asked.model, asked.host) == (
            self.handle.seat,
            self.spec.model,
            self.spec.host,
        )

    def on_event(self, observed: ObservedEvent) -> None:
        """Follow the match."""
        self.follow(observed.event)

    def follow(self, event: ev.Event) -> None:
        """Follow an event without acting on it."""
        if isinstance(event, ev.Opened):
            self.terms = event.terms
            self.model_line.clock = event.terms.clock

    # For subclasses

    def begin(self, view: View) -> None:
        """Store the deadline of an answer; raise TimeoutError if the answer of this turn is already lost.

        Another call after a lost answer would only spend more.
        """
        self._until = None if view.remaining is None else time.monotonic() + view.remaining * (1 - MARGIN)
        if self._lost == view.turn:
            raise TimeoutError("its model gave nothing that could be used this turn")

    def seek(self, purpose: str, system: str, prompt: str, read: Read[T]) -> T:
        """Return the model's answer; raise AnswerLost if it cannot be used."""
        return self.model_line.seek(purpose, self._preface + system, prompt, read, self._until)

    def give_up(self, lost: AnswerLost, turn: int) -> Exception:
        """Return the exception for a lost answer: late if the model could not be reached or paid, otherwise garbled.

        A refused request would be refused again, so the seat then counts as disconnected.
        """
        self._lost = turn
        if lost.refused:
            return ConnectionError(printable(lost.reason))
        late = lost.verdict is None or lost.verdict is ReplyClass.TRANSPORT
        return (TimeoutError if late else RemoteWireError)(printable(lost.reason))


def _read_prompt(path: str) -> str:
    """Return a user's own text to the model, with a blank line after it; raise ConfigError if the file is unusable."""
    try:
        text = read_regular(path, MAX_PROMPT + 1).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"agent: llm: prompt: {path!r:.100} cannot be read: {error}", field="agent") from None
    if not text or len(text) > MAX_PROMPT:
        raise ConfigError(f"agent: llm: prompt: {path!r:.100}: expected 1 to {MAX_PROMPT:,} characters", field="agent")
    return f"{text}\n\n"


def oracle_of(spec: LlmSpec) -> Oracle:
    """Return the source of a model's answers: its address, or a cassette."""
    options = spec.options
    if options.cassette is None:
        return Endpoint(spec)
    # A replay calls no endpoint, so it needs neither a key nor the HTTP library.
    cassette = Cassette.at(options.cassette, options.tape)
    return Deck(cassette, None if options.tape == "replay" else Endpoint(spec))
