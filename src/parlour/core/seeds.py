"""Seeds that follow from others, a function per purpose. No other module derives one; the values never change.

A tournament, a server and a local match derive their seeds in different ways, so that results of earlier versions stay
reproducible.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from parlour.core.game import Seed

PLAYERS = 1000
"""Number of player seeds between the seeds of two consecutive local matches."""


def derived(*parts: object) -> Seed:
    """Return a seed of 63 bits that follows from these parts, and from nothing else."""
    return _digest(8, *parts) >> 1


def local_player(match: Seed, number: int) -> Seed:
    """Return the seed of a player in a local match; each player has its own, so that one change affects no other."""
    return match * PLAYERS + number


def client_player(client: int, game: int) -> Seed:
    """Return the seed of a connected client's player in the client's game with that number."""
    return client * PLAYERS + game


def match_in_row(first: Seed, number: int) -> Seed:
    """Return the seed of a match in a row of matches that are played one after the other."""
    return first + number


def hosted_player(match: Seed, name: str) -> Seed:
    """Return the seed of a player in a hosted match: a house agent by its seat, a stranger's agent by its name."""
    return _digest(7, match, name)


def strangers_match(tournament: Seed, number: int, index: int) -> Seed:
    """Return the seed of a match in a round of a tournament of strangers."""
    return derived(tournament, number, index)


def block_matches(tournament: Seed, number: int) -> Seed:
    """Return the seed that all matches of a block share."""
    return derived(tournament, "block", number)


def draw_of_seats(tournament: Seed, block: int, group: Sequence[str]) -> Seed:
    """Return the seed from which a group of players is dealt its seats in a block."""
    return derived(tournament, "mixed", block, *group)


def swiss_pairing(tournament: Seed) -> Seed:
    """Return the seed from which players of equal score are put in order for pairing."""
    return derived(tournament, "swiss")


def training_match(training: Seed, number: int) -> Seed:
    """Return the seed of a match that a network learns from."""
    return derived(training, "match", number)


def training_round(training: Seed, number: int) -> Seed:
    """Return the seed of a round in which a network plays itself and learns from the best responses."""
    return training + number


def training_draws(training: Seed, number: int) -> tuple[Seed, int]:
    """Return the NumPy seed for random draws in training; `number` is that of a step, a pass or a first row."""
    return training, number


def environment_opponent(environment: Seed, number: int) -> Seed:
    """Return the seed of a house agent that plays against a learner in an environment."""
    return environment + number


def model_names(player: Seed) -> str:
    """Return the seed of the names that hide powers and provinces from a model."""
    return f"names {player}"


def second_search(player: Seed) -> Seed:
    """Return the seed of a press agent's second search, which guesses and compares but does not choose its orders."""
    return player ^ 1 << 62


def network_key(player: Seed) -> Seed:
    """Return the seed of the draws of a published network, whose keys have 32 bits."""
    return player ^ player >> 32


def resampling(tournament: Seed) -> Seed:
    """Return the seed from which the blocks of a tournament are drawn again for an interval."""
    return tournament & 0xFFFF


def seat_in_block(match: Seed, number: int) -> Seed:
    """Return the seed of a player by its seat and not its name, so that compared agents get the same random numbers."""
    return derived(match, "seat", number)


def sealed_turn(match: Seed, turn: int) -> int:
    """Return the 64 random bits that decide if plans are sealed in a turn."""
    return _digest(8, f"seals {match} {turn}")


def _digest(size: int, *parts: object) -> int:
    text = "/".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=size).digest(), "big")
