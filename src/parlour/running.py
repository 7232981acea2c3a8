"""Plays matches in one line: parlour.run, with a default for everything, returns a result that draws itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from parlour.core import seeds
from parlour.core.declaration import GameDeclaration
from parlour.core.events import Event
from parlour.core.game import Game, Outcome, Plain, Position, Seat
from parlour.core.markup import tag
from parlour.core.player import Player
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.errors import ConfigError
from parlour.games import declared, filled, load_game
from parlour.matches.playing import play_match
from parlour.matches.spec import MatchSpec, PlayerSpec
from parlour.referee.conduct import preset
from parlour.referee.record import RecordWriter

MAX_GAMES = 100_000


@dataclass(frozen=True, slots=True)
class MatchRun:
    """A match that was played."""

    outcome: Outcome
    record: tuple[Event, ...]
    names: dict[str, str]
    """Player names by seat."""
    position: Position
    """The last position."""

    @property
    def winners(self) -> tuple[str, ...]:
        """Names of the players who share the first place."""
        return tuple(self.names[seat] for seat in self.outcome.winners)

    def save(self, path: Path | str) -> Path:
        """Write the record to a file, for `parlour replay`; an existing file is replaced."""
        path = Path(path)
        path.unlink(missing_ok=True)
        with RecordWriter(path) as writer:
            writer.write(self.record)
        return path

    def __str__(self) -> str:
        places = [f"{number}. {self._place(place)}" for number, place in enumerate(self.outcome.places, 1)]
        return "\n".join([f"{self.outcome.reason}", *places])

    def _place(self, seats: Sequence[str]) -> str:
        return ", ".join(f"{self.names[seat]} ({seat}) {self.outcome.scores.get(seat, 0.0):g}" for seat in seats)

    def _repr_html_(self) -> str:
        draw = getattr(self.position, "_repr_svg_", None)
        return (draw() if draw is not None else "") + tag("pre", str(self))


@dataclass(frozen=True, slots=True)
class Runs(Sequence[MatchRun]):
    """Matches that were played one after the other; outcome, record and picture are those of the last."""

    matches: tuple[MatchRun, ...]

    @property
    def outcome(self) -> Outcome:
        """Return the outcome of the last match."""
        return self.matches[-1].outcome

    @property
    def record(self) -> tuple[Event, ...]:
        """Return the events of the last match."""
        return self.matches[-1].record

    @property
    def wins(self) -> dict[str, float]:
        """Return the number of matches that each player won; a shared first place counts in parts."""
        found = {name: 0.0 for match in self.matches for name in match.names.values()}
        for match in self.matches:
            for name in match.winners:
                found[name] += 1 / len(match.winners)
        return found

    def save(self, path: Path | str) -> Path:
        """Write the record of the last match to a file."""
        return self.matches[-1].save(path)

    def __len__(self) -> int:
        return len(self.matches)

    def __getitem__(self, number: int) -> MatchRun:  # type: ignore[override]
        return self.matches[number]

    def __iter__(self) -> Iterator[MatchRun]:
        return iter(self.matches)

    def __str__(self) -> str:
        if len(self.matches) == 1:
            return str(self.matches[0])
        order = sorted(self.wins.items(), key=lambda entry: -entry[1])
        return "\n".join([f"{len(self.matches)} matches", *(f"{name}: won {wins:g}" for name, wins in order)])

    def _repr_html_(self) -> str:
        last = self.matches[-1]._repr_html_()
        return last if len(self.matches) == 1 else last + tag("pre", str(self))


def run(
    game: str,
    players: Sequence[str | Player | type] = (),
    *,
    games: int = 1,
    seed: int = 0,
    press: bool = False,
    time_per_turn: float | None = None,
    conduct: str | None = None,
    **config: Plain,
) -> Runs:
    """Play one match or several, with the players moved on by one seat each time, and return their results.

    A player is an agent's name, path.py:Class, a command to run, an object with `act`, or a class, of which each match
    gets new objects. If there are more seats than players, the players repeat.

    >>> import parlour
    >>> runs = parlour.run("fish", ["greedy", "random"], games=2, rows=4, cols=4)
    >>> len(runs), sorted(runs.wins)
    (2, ['greedy', 'random'])

    Args:
        game: Name of the game: fish or diplomacy.
        players: Players in the order of the seats; greedy and random by default.
        games: Number of matches.
        seed: Seed of the first match; each further match adds 1.
        press: True if players negotiate.
        time_per_turn: Seconds per turn; no limit if None.
        conduct: Name of the conduct table, which sets the cost of each foul; the game's own if None.
        config: Configuration of the game, such as rows and cols in Fish, last_year in Diplomacy.

    Returns:
        The matches that were played, in order.

    Raises:
        ConfigError: A game, a player, a number of matches or a configuration is invalid.
    """
    rules, declaration = load_game(game), declared(game)
    if type(games) is not int or not 1 <= games <= MAX_GAMES:
        raise ConfigError(f"games: expected 1 to {MAX_GAMES:,}, got {games!r:.40}", field="games")
    if isinstance(players, (str, bytes)):
        raise ConfigError("players: expected a list of players, such as ['greedy', 'random']", field="players")
    wanted = list(players) or ["greedy", "random"]
    settings = _settings(rules, declaration, len(wanted), config)
    seats = rules.seats(settings)
    if len(wanted) > len(seats):
        raise ConfigError(f"players: {len(wanted)} given, expected at most {len(seats)}", field="players")
    window = PressTerms(PressMode.WINDOW if press else PressMode.NONE)
    terms = Terms(preset(conduct or declaration.conduct), Clock(per_turn=time_per_turn), window)
    labels = _labels([wanted[i % len(wanted)] for i in range(len(seats))], repeated=len(wanted))
    found = []
    for shift in range(games):
        turned = [(i + shift) % len(seats) for i in range(len(seats))]
        chosen = {seat: wanted[i % len(wanted)] for seat, i in zip(seats, turned, strict=True)}
        table = {
            seat: PlayerSpec(
                _label(chosen[seat]), seeds.local_player(seeds.match_in_row(seed, shift), number), labels[i]
            )
            for number, (seat, i) in enumerate(zip(seats, turned, strict=True))
        }
        found.append(_played(MatchSpec(game, terms, table, settings, seeds.match_in_row(seed, shift)), chosen))
    return Runs(tuple(found))


def _settings(rules: Game, declaration: GameDeclaration, players: int, config: dict[str, Plain]) -> dict[str, Plain]:
    """Return the configuration with defaults filled in and, if the game counts its seats, one seat per player."""
    settings = filled(declaration, config)
    if declaration.counted:
        with suppress(ConfigError):  # with too few or too many players the default number of seats stays
            rules.seats(counted := {**settings, declaration.counted: players})
            return counted
    return settings


def _labels(wanted: Sequence[str | Player | type], repeated: int) -> list[str]:
    """Return a label for each player: its name, with a number where names are equal."""
    plain = [_label(one) for one in wanted]
    often, seen, found = Counter(plain[:repeated]), Counter[str](), []
    for name in plain:
        seen[name] += 1
        found.append(f"{name} {(seen[name] - 1) % often[name] + 1}" if often[name] > 1 else name)
    return found


def _label(one: str | Player | type) -> str:
    return one if isinstance(one, str) else (one if isinstance(one, type) else type(one)).__name__


def _played(spec: MatchSpec, wanted: Mapping[Seat, str | Player | type]) -> MatchRun:
    sitting = {seat: _sit(spec.game, spec.players[seat], one) for seat, one in wanted.items()}
    match, outcome = play_match(spec, sitting)
    return MatchRun(
        outcome, tuple(match.record), {str(seat): name for seat, name in spec.names.items()}, match.position
    )


def _sit(game: str, player: PlayerSpec, one: str | Player | type) -> Player:
    if isinstance(one, str):
        return player.make(game)
    made = one() if isinstance(one, type) else one
    if not isinstance(made, Player):
        raise ConfigError(f"players: {_label(one)} has no method act", field="players")
    return made
