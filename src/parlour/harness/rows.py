"""The matches of an evaluation or a training set: seeds in order, learners' seats, and opponents on the others."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from parlour.agents.house_specs import remote_spec
from parlour.core import seeds
from parlour.core.game import Plain
from parlour.errors import ConfigError
from parlour.games import declared, filled, load_game
from parlour.harness.episode import Episode
from parlour.harness.setup import EpisodeSetup, policy
from parlour.harness.standing import REWARDS, EpisodeStanding

ALL, ROTATE = "all", "rotate"
MAX_MATCHES = 1_000_000
FRESH_SEEDS = 2**31
"""Number of seeds from which a random one is drawn."""


def setups(
    game: str,
    *,
    seed: int = 0,
    matches: int = 1,
    config: Mapping[str, Plain] | None = None,
    press: bool = False,
    level: int = 60,
    learners: str = ALL,
    opponents: str = "",
    tokens: int | None = None,
    options: Mapping[str, bool | int | float | str] | None = None,
) -> Iterator[EpisodeSetup]:
    """Yield the setups of matches, one per seed.

    Args:
        game: Name of the game.
        seed: Seed of the first match; each further match has the next seed.
        matches: Number of matches.
        config: Configuration of the game.
        press: True if seats may negotiate.
        level: Highest DAIDE level of press.
        learners: Seats that the framework plays: `all`, `rotate` (one seat, by the seed), or a seat's name.
        opponents: House agent on the other seats; the game's usual rival if empty.
        tokens: Maximum number of tokens per seat and match.
        options: Options of a model seat: rounds, legal, names, max_tokens.
    """
    if type(matches) is not int or not 1 <= matches <= MAX_MATCHES:
        raise ConfigError(f"matches: expected 1 to {MAX_MATCHES:,}, got {matches!r:.40}", field="matches")
    declaration = declared(game)
    settings = filled(declaration, dict(config or {}))
    seats = [str(seat) for seat in load_game(game).seats(settings)]
    if learners not in (ALL, ROTATE, *seats):
        known = ", ".join((ALL, ROTATE, *seats))
        raise ConfigError(f"learners: expected {known}, got {learners!r:.40}", field="learners")
    rival = opponents or (declaration.talking_rival if press else "") or declaration.rival
    own = policy("policy", **dict(options or {}))
    for number in range(matches):
        match_seed = seeds.match_in_row(seed, number)
        # The seed decides, not the number, so that a framework that sets up single matches rotates too.
        chosen = seats if learners == ALL else [seats[match_seed % len(seats)] if learners == ROTATE else learners]
        yield EpisodeSetup.of(
            game,
            match_seed,
            config=settings,
            players=dict.fromkeys(chosen, own),
            others=rival,
            press=press,
            level=level,
            tokens=tokens,
        )


def fresh_seed() -> int:
    """Return a random seed, for frameworks that begin a match without one."""
    return secrets.randbelow(FRESH_SEEDS)


def check_remote(game: str, config: object, opponents: object) -> None:
    """Raise ConfigError for agents or configurations that remote users may not choose.

    A file, a program or an address from a remote user is never used to create a player.
    """
    if not isinstance(opponents, str):
        raise ConfigError(f"opponents: expected a text, got {type(opponents).__name__}", field="opponents")
    if opponents:
        remote_spec(game, opponents)
    if not isinstance(config, dict):
        raise ConfigError(f"config: expected an object, got {type(config).__name__}", field="config")
    known = {option.name: option for option in declared(game).options}
    for field, value in config.items():
        option = known.get(field)
        if option is None:
            raise ConfigError(f"config: expected {', '.join(known)}, got {field!r:.40}", field="config")
        if option.choices:
            fits, expected = value in option.choices, ", ".join(map(str, option.choices))
        else:
            low, high = option.low, option.high
            fits, expected = type(value) is int and low <= value <= high, f"{low} to {high}"
        if not fits:
            raise ConfigError(f"config: {field}: expected {expected}, got {value!r:.40}", field="config")


def read_rewards(text: str) -> dict[str, float]:
    """Return the weights in a text, for example `score=1,legality=0.1`; a name alone has the weight 1.

    >>> read_rewards("score,legality=0.1")
    {'score': 1.0, 'legality': 0.1}
    """
    found: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, weight = (piece.strip() for piece in part.partition("="))
        if name not in REWARDS:
            raise ConfigError(f"reward: expected {', '.join(REWARDS)}, got {name!r:.40}", field="reward")
        try:
            found[name] = float(weight or 1)
        except ValueError:
            raise ConfigError(f"reward: {name}: expected a number, got {weight!r:.40}", field="reward") from None
    if not found:
        raise ConfigError(f"reward: expected one of {', '.join(REWARDS)}", field="reward")
    return found


def weighted(standing: EpisodeStanding, seat: str, weights: Mapping[str, float]) -> float:
    """Return the weighted sum of a seat's rewards."""
    return sum(standing.reward(seat, name) * weight for name, weight in weights.items())


def keep_record(episode: Episode, folder: Path | str | None) -> tuple[str, str]:
    """Write the record of an episode into a folder, if one is given; return its SHA-256 and the path."""
    content = episode.record_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if not folder:
        return digest, ""
    path = Path(folder) / f"{episode.setup.game}-{episode.setup.seed}-{digest[:12]}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return digest, str(path)
