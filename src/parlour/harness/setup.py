"""The setup of an episode: game, seed, terms and a player for each seat, written so that a record can repeat it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from parlour.agents import LLM
from parlour.agents.llm.spec import LlmSpec, read_spec
from parlour.agents.specs import split_spec
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Plain, Seat
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.text import hint
from parlour.errors import ConfigError, RecordError
from parlour.games import declared, filled, load_game
from parlour.referee.conduct import preset
from parlour.referee.rulings import MAX_NAME

HOST = "harness"
"""Host of a model whose prompts the framework answers, not the network."""
POLICY = f"{LLM}:policy@{HOST}"
"""The player of a seat whose prompts the framework answers."""
LEVEL = 60
"""Default of the highest DAIDE level of press."""


def policy(name: str = "policy", **options: bool | int | float | str) -> str:
    """Return the player for a seat that the framework plays, with the options of a model seat.

    >>> policy(rounds=2, legal=False)
    'llm:policy@harness?rounds=2&legal=off'

    Args:
        name: Name of the model, for the record.
    """
    written = "&".join(f"{field}={_written(value)}" for field, value in options.items())
    text = f"{LLM}:{name}@{HOST}" + (f"?{written}" if written else "")
    model_spec(text)
    return text


def _written(value: bool | int | float | str) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


@lru_cache(maxsize=256)
def model_spec(player: str) -> LlmSpec | None:
    """Return the model of a player; None if the player is not a model. Raise ConfigError for an invalid model."""
    name, rest = split_spec(player)
    return read_spec(rest) if name == LLM else None


def is_asked(player: str) -> bool:
    """Return True if the framework answers the prompts of this player."""
    spec = model_spec(player)
    return spec is not None and spec.host == HOST


class EpisodeSetup(msgspec.Struct, frozen=True):
    """All settings that determine an episode, except the answers."""

    game: str
    config: dict[str, Plain]
    terms: Terms
    seed: int
    players: dict[str, str]
    """Player of each seat, written as in `parlour play`; the seats of the harness are models at the host `harness`."""

    @classmethod
    def of(
        cls,
        game: str,
        seed: int = 0,
        *,
        config: Mapping[str, Plain] | None = None,
        players: Mapping[str, str] | None = None,
        others: str = POLICY,
        press: bool = False,
        level: int = LEVEL,
        conduct: str | None = None,
        tokens: int | None = None,
    ) -> EpisodeSetup:
        """Return the setup of an episode; raise ConfigError if it cannot be played.

        Args:
            game: Name of the game.
            seed: Seed of all randomness.
            config: Configuration of the game; defaults fill the rest.
            players: Players by seat.
            others: The player on every other seat.
            press: True if seats may negotiate before they order.
            level: Highest DAIDE level of press; 8000 allows free text.
            conduct: Name of the conduct preset; the game's own if None.
            tokens: Maximum number of tokens per seat and match.
        """
        rules, declaration = load_game(game), declared(game)
        if press and not declaration.talks:
            raise ConfigError(f"press: expected no press in {game}, which has no language for it", field="press")
        # Sorted, because the order of fields is part of the record's bytes.
        settings = dict(sorted(filled(declaration, dict(config or {})).items()))
        seats = rules.seats(settings)
        window = PressTerms(PressMode.WINDOW, level=level) if press else PressTerms(PressMode.NONE)
        terms = Terms(preset(conduct or declaration.conduct), Clock(tokens=tokens), window)
        return cls(game, settings, terms, seed, _seated(seats, players or {}, others))

    @classmethod
    def from_record(cls, record: Sequence[Event]) -> EpisodeSetup:
        """Return the setup of a record; raise RecordError if the record does not begin with an opening."""
        if not record or not isinstance(record[0], ev.Opened):
            raise RecordError("the record is empty: expected an opening", number=0)
        opened = record[0]
        players = {str(event.seat): event.name for event in record if isinstance(event, ev.Joined)}
        return cls(opened.game, opened.config, opened.terms, opened.seed, players)

    def asked(self) -> tuple[Seat, ...]:
        """Return the seats whose prompts the framework answers."""
        return tuple(Seat(seat) for seat, player in self.players.items() if is_asked(player))

    def options(self) -> dict[str, Any]:
        """Return the setup as a plain value."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


def _seated(seats: Sequence[Seat], players: Mapping[str, str], others: str) -> dict[str, str]:
    for seat in players:
        if seat not in seats:
            expected = f"expected {', '.join(seats)}{hint(seat, seats)}"
            raise ConfigError(f"players: there is no seat {seat!r:.40}, {expected}", field="players")
    found = {str(seat): players.get(seat, others) for seat in seats}
    for seat, player in found.items():
        if len(player) > MAX_NAME:
            raise ConfigError(
                f"players: {seat}: expected at most {MAX_NAME} characters, got {len(player)}", field="players"
            )
        model_spec(player)
    return found
