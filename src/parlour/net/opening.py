"""A new match from what somebody wants to play: its name, its seed, its head, and agents that exist."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from parlour.agents.house_specs import ReadSpec
from parlour.core.intents import Intent, Join
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.net.accounts.principals import Principal
from parlour.net.permission_errors import bad_value
from parlour.net.setup import About, MatchSetup
from parlour.net.terms_words import brief_of
from parlour.net.waking import StoredMatch
from parlour.referee.match import Match
from parlour.store import RecordHead, RecordKind


class MatchToOpen(NamedTuple):
    """A match that is to be opened, and what is submitted as it opens: first, house agents sit down."""

    stored: StoredMatch
    intents: Sequence[Intent]


def new_match(setup: MatchSetup, owner: Principal, now: float, read_spec: ReadSpec) -> MatchToOpen:
    """Return the match that is to be opened; Denied if it cannot be played like that."""
    name = setup.match or f"{setup.game}-{time.strftime('%Y%m%d', time.gmtime(now))}-{secrets.token_hex(4)}"
    try:
        seed = secrets.randbits(63) if setup.seed is None else setup.seed
        match = Match(load_game(setup.game), setup.config, setup.terms, seed, name, dated=True)
        joins = [Join(spec, seat, read_spec(setup.game, spec).player_type) for seat, spec in setup.agents.items()]
        if setup.stand_in:
            read_spec(setup.game, setup.stand_in)
    except ConfigError as error:
        raise bad_value(str(error)) from None
    about = About(
        delay=setup.delay,
        listed=setup.listed,
        extras=setup.extras,
        admission=setup.admission,
        stand_in=setup.stand_in,
        paced=setup.paced,
        unveiled=setup.unveiled,
        brief=brief_of(setup.terms),
        seats=len(match.game.seats(setup.config)),
    )
    head = RecordHead(name, RecordKind.MATCH, setup.game, opened=now, owner=owner.key, title=setup.title)
    return MatchToOpen(
        StoredMatch(
            msgspec.structs.replace(head, password=setup.password, about=msgspec.json.encode(about), updated=now), match
        ),
        (*joins, *setup.intents),
    )


def is_made_up(name: str, game: str) -> bool:
    """Return True if a match was named here because nobody named it, so that its name says nothing to people."""
    return re.fullmatch(rf"{re.escape(game)}-\d{{8}}-[0-9a-f]{{8}}", name) is not None
