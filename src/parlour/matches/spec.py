"""The specification of a match: a frozen value, stored with the record, from which the match is played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from parlour.agents import LLM, check_match, is_agent
from parlour.agents.loading import is_command, make_player
from parlour.agents.process_supervisor import CONFINED, UNLIMITED, Limits
from parlour.agents.watched import Note
from parlour.core import events as ev
from parlour.core import seeds
from parlour.core.decoding import UNREADABLE
from parlour.core.game import Game, Plain, Seat
from parlour.core.player import Player
from parlour.core.terms import Terms
from parlour.errors import RecordError
from parlour.games import load_game
from parlour.referee.match import Match

HUMAN = "human"
STAND_IN = " (stand-in)"
"""Suffix of the name of a player that has taken over a seat."""


class PlayerSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player: an agent as `make_player` accepts it, its seed, and the limits of a program."""

    agent: str
    seed: int = 0
    name: str = ""
    """The name under which the player joins if it does not give one; `agent` if empty."""
    limits: Limits = UNLIMITED

    @property
    def shown(self) -> str:
        """The name of the player."""
        return self.name or self.agent

    def make(self, game: str, note: Note | None = None) -> Player:
        """Return a new player; raise ConfigError if it cannot be made."""
        return make_player(game, self.agent, self.seed, note, limits=self.limits)

    def repeats(self, game: str) -> bool:
        """Return True if a new player of this kind is expected to give the same answers to the same questions."""
        model = self.agent.startswith(f"{LLM}:") and "tape=replay" not in self.agent
        return self.agent != HUMAN and not model and not is_command(game, self.agent)


class MatchSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """The specification of a match: the game, its terms, its seed and its players."""

    game: str
    terms: Terms
    players: dict[Seat, PlayerSpec]
    config: dict[str, Plain] = {}
    seed: int = 0
    match: str = ""
    stand_in: PlayerSpec | None = None
    """The player that takes over the seat of a player who has left."""
    real_time: bool = False
    """True if the match runs on real time even without time limits."""
    browser: bool = False
    """True if the match is played in the browser, where it also resumes."""

    @property
    def names(self) -> dict[Seat, str]:
        """The name of the player on each seat."""
        return {seat: player.shown for seat, player in self.players.items()}

    @property
    def people(self) -> list[Seat]:
        """The seats that a person plays in this terminal."""
        return [seat for seat, player in self.players.items() if player.agent == HUMAN]

    @property
    def untrusted(self) -> list[str]:
        """The agents of the seats and the stand-in that a stranger's record may not start."""
        players = [*self.players.values(), *([self.stand_in] if self.stand_in else [])]
        return untrusted_agents(self.game, [player.agent for player in players])

    def open(self, rules: Game | None = None) -> Match:
        """Return the unopened match; the rules are those of the named game, unless given."""
        return Match(rules or load_game(self.game), dict(self.config), self.terms, self.seed, self.match)

    def make_players(self, note: Callable[[str], Note] | None = None) -> dict[Seat, Player]:
        """Return new players for all seats; raise ConfigError if one cannot be made, or cannot play this match."""
        for player in (*self.players.values(), *([self.stand_in] if self.stand_in else [])):
            check_match(self.game, player.agent, self.config)
        return {
            seat: player.make(self.game, None if note is None else note(player.shown))
            for seat, player in self.players.items()
        }

    def deputy(self) -> Callable[[Seat], tuple[str, Player]] | None:
        """Return a function that makes a stand-in with its name for a seat; None if there are none."""
        player = self.stand_in
        if player is None:
            return None
        return lambda seat: (f"{player.shown}{STAND_IN}", player.make(self.game))

    def once_only(self) -> dict[Seat, str]:
        """Return the names of the players that may answer differently when asked again, by seat."""
        players = dict(self.players) if self.stand_in is None else {**self.players, Seat("stand-in"): self.stand_in}
        return {seat: player.shown for seat, player in players.items() if not player.repeats(self.game)}


def untrusted_agents(game: str, agents: Iterable[str]) -> list[str]:
    """Return the agents that run code, read a file or call a server of the author's choice: not plain shipped ones."""
    return sorted({agent for agent in agents if not _is_harmless(game, agent)})


def _is_harmless(game: str, agent: str) -> bool:
    """Return True for a person, and for a shipped agent without a path or an address in its options."""
    return agent == HUMAN or (is_agent(game, agent) and not agent.startswith(f"{LLM}:") and "/" not in agent)


def encoded(spec: MatchSpec) -> bytes:
    """Return a specification as JSON, without the paths that are hidden from programs."""
    return msgspec.json.encode(hiding(spec, ()))


def hiding(spec: MatchSpec, paths: Iterable[Path]) -> MatchSpec:
    """Return a specification that hides these files, such as the record, and no others, from its programs."""
    hidden = tuple(str(path.absolute()) for path in paths)

    def held(player: PlayerSpec) -> PlayerSpec:
        limits = msgspec.structs.replace(player.limits, hidden=hidden)
        return msgspec.structs.replace(player, limits=limits if is_command(spec.game, player.agent) else UNLIMITED)

    stand_in = None if spec.stand_in is None else held(spec.stand_in)
    players = {seat: held(player) for seat, player in spec.players.items()}
    return msgspec.structs.replace(spec, players=players, stand_in=stand_in)


def decoded(text: bytes) -> MatchSpec:
    """Return the specification in JSON text; raise RecordError if it is not one."""
    try:
        return msgspec.json.decode(text, type=MatchSpec)
    except UNREADABLE as error:
        raise RecordError(f"not the specification of a match: {error}") from None


def spec_of_record(events: Sequence[ev.Event]) -> MatchSpec:
    """Return the specification of a match from its record alone; the names of players serve as their agents.

    The record does not hold limits, so programs are confined.
    """
    opened = events[0] if events else None
    if not isinstance(opened, ev.Opened):
        raise RecordError("a record opens with an opened event", number=0)
    names: dict[Seat, str] = {}
    for event in events:
        if isinstance(event, ev.Joined):
            names[event.seat] = event.name.removesuffix(STAND_IN)
    seats = load_game(opened.game).seats(opened.config)
    players = {
        seat: PlayerSpec(names[seat], seeds.local_player(opened.seed, number), limits=CONFINED)
        for number, seat in enumerate(seats)
        if seat in names
    }
    return MatchSpec(opened.game, opened.terms, players, dict(opened.config), opened.seed, opened.match)


def agrees(spec: MatchSpec, opened: ev.Opened) -> bool:
    """Return True if the first event of a record agrees with a specification."""
    return (spec.game, dict(spec.config), spec.terms, spec.seed) == (
        opened.game,
        opened.config,
        opened.terms,
        opened.seed,
    )


def seated(agents: Mapping[Seat, str], seed: int, limits: Limits = UNLIMITED) -> dict[Seat, PlayerSpec]:
    """Return a specification of each seat's player, each with its own seed, for agents by seat."""
    return {
        seat: PlayerSpec(agent, seeds.local_player(seed, number), limits=limits)
        for number, (seat, agent) in enumerate(agents.items())
    }
