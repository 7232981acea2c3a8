"""A new match from what somebody wants to play: its name, its seed, its head, and agents that exist."""

from __future__ import annotations

import secrets
import time

import msgspec

from parlour.agents import LLM, make_agent
from parlour.agents.specs import split_spec
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.net.denials import bad_value
from parlour.net.hosted import Lying
from parlour.net.setup import About, HallLimits, MatchSetup
from parlour.referee.match import Match
from parlour.store import RecordHead, RecordKind


def new_match(setup: MatchSetup, owner: str, now: float, limits: HallLimits) -> Lying:
    """The match that is to be opened; Denied if it cannot be played like that."""
    day = time.strftime("%Y%m%d", time.gmtime(now))
    name = setup.match or f"{setup.game}-{day}-{secrets.token_hex(4)}"
    try:
        seed = secrets.randbits(63) if setup.seed is None else setup.seed
        match = Match(load_game(setup.game), setup.config, setup.terms, seed, name, dated=True)
        for spec in (*setup.agents.values(), *filter(None, (setup.stand_in,))):
            refuse_model(spec, limits)
            make_agent(setup.game, spec)
    except ConfigError as error:
        raise bad_value(str(error)) from None
    said = About(setup.delay, setup.listed, setup.extras, setup.admission, setup.stand_in, setup.paced)
    about = msgspec.json.encode(said)
    head = RecordHead(name, RecordKind.MATCH, setup.game, opened=now, owner=owner, title=setup.title)
    return Lying(msgspec.structs.replace(head, password=setup.password, about=about, updated=now), match)


def refuse_model(spec: str, limits: HallLimits) -> None:
    """ConfigError for a language model: it would call whatever address a guest names, with the host's own keys."""
    if not limits.models and split_spec(spec)[0] == LLM:
        raise ConfigError("agent: this server seats no language models", field="agent")
