"""Plays a record again from its setup and its answers, and compares the two records byte for byte."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from parlour.agents.llm.endpoint import ModelReply
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.intents import Consultation
from parlour.core.text import printable
from parlour.errors import ConfigError
from parlour.harness.episode import Episode
from parlour.harness.setup import EpisodeSetup, model_spec
from parlour.referee.match import Match
from parlour.referee.record import encode


class ReplayReport(msgspec.Struct, frozen=True):
    """The result of playing a record again."""

    events: int
    answers: int
    number: int | None = None
    """Number of the first event that differs; None if no event differs."""
    difference: str = ""

    @property
    def same(self) -> bool:
        """True if the record was reproduced exactly."""
        return self.number is None

    def __str__(self) -> str:
        if self.same:
            return f"bit for bit: {self.events} events from {self.answers} answers"
        return f"differs at event {self.number}: {self.difference}"


def play_again(record: Sequence[Event]) -> ReplayReport:
    """Audit a record, play it again with its answers, and return a report with the first difference.

    Raises:
        RecordError: An event breaks the rules.
        ConfigError: A player cannot be created again.
    """
    Match.resume(record)
    answers = [event.consultation for event in record if isinstance(event, ev.Consulted)]
    episode = Episode(EpisodeSetup.from_record(record), answered=_is_model)
    with episode:
        prompt = episode.ask()
        for answer in answers:
            if prompt is None:
                break
            prompt = episode.reply(_reply_of(answer))
        events = episode.record
    return _compared(record, events, len(answers))


def _is_model(player: str) -> bool:
    """Return True if the player is a model, whose answers are in the record."""
    try:
        return model_spec(player) is not None
    except ConfigError:
        return False


def _reply_of(answer: Consultation) -> ModelReply:
    return ModelReply(
        answer.answer,
        answer.finish,
        answer.tokens_in,
        answer.tokens_out,
        answer.tokens_reasoning,
        not answer.estimated,
        seconds=answer.seconds,
        fault=answer.fault,
        again=False,
    )


def _compared(record: Sequence[Event], events: Sequence[Event], answers: int) -> ReplayReport:
    for number, (old, new) in enumerate(zip(record, events, strict=False)):
        if (was := encode(old)) != (now := encode(new)):
            shown = f"{printable(was.decode(), 160)} became {printable(now.decode(), 160)}"
            return ReplayReport(len(record), answers, number, shown)
    if len(record) > len(events):
        return ReplayReport(len(record), answers, len(events), "the match ended before it")
    return ReplayReport(len(record), answers)
