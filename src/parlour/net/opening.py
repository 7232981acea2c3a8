"""A new match from what somebody wants to play: its name, its seed, its head, and agents that exist."""

from __future__ import annotations

import re
import secrets
import time
from typing import NamedTuple

import msgspec

from parlour.agents import LLM, make_agent
from parlour.agents.specs import split_spec
from parlour.core.intents import Join, PlayerType
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.net.denials import bad_value
from parlour.net.house import type_of
from parlour.net.setup import About, HallLimits, MatchSetup
from parlour.net.waking import Lying
from parlour.referee.match import Match
from parlour.store import RecordHead, RecordKind


class MatchToOpen(NamedTuple):
    """A match that is to be opened, and the agents of the house that sit down in it at once."""

    lying: Lying
    joins: list[Join]


def new_match(setup: MatchSetup, owner: str, now: float, limits: HallLimits) -> MatchToOpen:
    """The match that is to be opened; Denied if it cannot be played like that."""
    name = setup.match or f"{setup.game}-{time.strftime('%Y%m%d', time.gmtime(now))}-{secrets.token_hex(4)}"
    try:
        seed = secrets.randbits(63) if setup.seed is None else setup.seed
        match = Match(load_game(setup.game), setup.config, setup.terms, seed, name, dated=True)
        joins = [Join(spec, seat, _type_of(setup.game, spec, limits)) for seat, spec in setup.agents.items()]
        if setup.stand_in:
            _type_of(setup.game, setup.stand_in, limits)
    except ConfigError as error:
        raise bad_value(str(error)) from None
    said = About(setup.delay, setup.listed, setup.extras, setup.admission, setup.stand_in, setup.paced, setup.unveiled)
    about = msgspec.json.encode(said)
    head = RecordHead(name, RecordKind.MATCH, setup.game, opened=now, owner=owner, title=setup.title)
    return MatchToOpen(
        Lying(msgspec.structs.replace(head, password=setup.password, about=about, updated=now), match), joins
    )


def is_made_up(name: str, game: str) -> bool:
    """Whether a match was named here because nobody named it, so that its name says nothing to people."""
    return re.fullmatch(rf"{re.escape(game)}-\d{{8}}-[0-9a-f]{{8}}", name) is not None


def _type_of(game: str, spec: str, limits: HallLimits) -> PlayerType:
    """What an agent says it is; ConfigError if there is none, or it may not sit here."""
    refuse_model(spec, limits)
    return type_of(make_agent(game, spec))


def refuse_model(spec: str, limits: HallLimits) -> None:
    """ConfigError for a language model: it would call whatever address a guest names, with the host's own keys."""
    if not limits.models and split_spec(spec)[0] == LLM:
        raise ConfigError("agent: this server seats no language models", field="agent")
