"""Converts recorded matches and saved games to trajectories and back, by way of positions with orders as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from parlour.core.events import (
    Acted,
    Ended,
    Event,
    Joined,
    Opened,
    PositionSet,
    Removed,
    Started,
    TurnBegan,
    TurnEnded,
)
from parlour.core.fouls import Conduct
from parlour.core.game import Game, Seat
from parlour.core.intents import PlayerType
from parlour.core.terms import Terms
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.state import State
from parlour.deepmind.trajectory import Trajectory, save_trajectory
from parlour.errors import RecordError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.formats.saved import SavedGame, save_game
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.turn import Turn

Phase: TypeAlias = tuple[Position, Mapping[str, Sequence[str]]]
"""A position of a match, and its orders by power."""


def trajectory_of(
    phases: Iterable[Phase], final: Position | None = None, *, options: Options = DEFAULT, explicit_via: bool = False
) -> Trajectory:
    """Return the trajectory of a match; `final` is its last position, for the returns.

    Each unit has an action: without a valid order it holds, disbands, or is removed by civil disorder. With
    `explicit_via`, orders between neighbours go by sea only if they say VIA, as in the output of phases_of. Otherwise
    an army also goes by sea if a fleet of its own power is ordered to carry it.
    """
    trajectory = Trajectory()
    last: list[int] = []
    builds = bytes(NUM_POWERS)
    for position, orders in phases:
        state = State(_remembering(position, builds), last_actions=last, options=options)
        builds = state.row[0, k.BUILDS : k.BUILDS + NUM_POWERS].tobytes()
        actions = actions_of(position, orders, explicit_via=explicit_via)
        trajectory.append_step(state.observation(), state.legal_actions(), actions)
        last = [action for own in actions for action in own]
    trajectory.returns = (State() if final is None else State(final, options=options)).returns()
    return trajectory


def _remembering(position: Position, builds: bytes) -> Position:
    """Return the position with the numbers of the last builds phase, which saved games do not contain."""
    if any(position.state[k.BUILDS : k.BUILDS + NUM_POWERS]):
        return position
    state = position.state[: k.BUILDS] + builds + position.state[k.BUILDS + NUM_POWERS :]
    return Position(position.board, state)


def actions_of(
    position: Position, orders: Mapping[str, Sequence[str]], *, explicit_via: bool = False
) -> list[list[int]]:
    """Return the executed actions by power: the orders that are not void, then the default ones."""
    turn = position.resolve(orders, explicit_via=explicit_via).turn
    assert turn is not None
    return actions_of_turn(turn)


def actions_of_turn(turn: Turn) -> list[list[int]]:
    """Return the executed actions of a turn, by power."""
    powers = {power.name: power.id for power in turn.before.board.powers}
    actions: list[list[int]] = [[] for _ in powers]
    for ruling in turn.rulings:
        if ruling.action is not None:
            actions[powers[ruling.power]].append(ruling.action)
    return actions


def turns_of(trajectory: Trajectory, start: Position | None = None) -> Iterator[Turn]:
    """Yield the turns of a trajectory, played again from a position, or from the first if none is given."""
    position = Position.start() if start is None else start
    names = [power.name for power in standard().powers]
    for phase in range(len(trajectory)):
        lists = trajectory.action_lists(phase)
        orders = {
            names[power]: [str(position.order_of(action)) for action in lists[power]] for power in range(NUM_POWERS)
        }
        # The actions already decide which armies go by sea.
        position = position.resolve({name: own for name, own in orders.items() if own}, explicit_via=True)
        turn = position.turn
        assert turn is not None
        yield turn


def phases_of(trajectory: Trajectory, start: Position | None = None) -> list[Phase]:
    """Return positions and orders of a trajectory; trajectory_of with explicit_via is the inverse."""
    return [(turn.before, _ordered(turn)) for turn in turns_of(trajectory, start)]


def _ordered(turn: Turn) -> dict[str, list[str]]:
    """Return the orders of a turn, by power."""
    orders: dict[str, list[str]] = {}
    for ruling in turn.rulings:
        if not ruling.default:
            orders.setdefault(ruling.power, []).append(ruling.text)
    return orders


def trajectory_of_record(game: Game, events: Iterable[Event], *, options: Options = DEFAULT) -> Trajectory:
    """Return the trajectory of a recorded match of Diplomacy."""
    phases: list[Phase] = []
    final: Position | None = None
    for event, before, after in steps_of_record(game, events):
        final = after
        if isinstance(event, TurnEnded) and before is not None:
            phases.append((before, event.actions))
    return trajectory_of(phases, final, options=options)


def steps_of_record(game: Game, events: Iterable[Event]) -> Iterator[tuple[Event, Position | None, Position]]:
    """Yield each event that changed the position of a recorded match, with the positions before and after it."""
    position: Position | None = None
    for number, event in enumerate(events):
        before = position
        match event:
            case Started() | PositionSet():
                decoded = game.decode(event.position)
                if not isinstance(decoded, Position):
                    raise RecordError("expected a match of Diplomacy", number=number)
                position = decoded
            case TurnEnded() if position is not None:
                position = position.following({Seat(seat): orders or () for seat, orders in event.actions.items()})
            case Removed() if position is not None:
                position = position.without(event.seat)
            case Ended() if position is not None and not position.over:
                position = position.stopped()
            case _:
                continue
        yield event, before, position


def record_of_trajectory(trajectory: Trajectory, *, match: str = "", start: Position | None = None) -> list[Event]:
    """Return a trajectory as the record of a match, open at its end if nobody won; trajectory_of_record is the inverse.

    Raise RecordError for a phase that a record cannot express: in a record, an army goes by sea if a fleet of its own
    power is ordered to carry it.
    """
    seats = tuple(Seat(power.name) for power in standard().powers)
    terms = Terms(Conduct("trajectory", {}))
    config = {"position": (Position.start() if start is None else start).fen}
    position = GAME.start(config, seats, 0)
    events: list[Event] = [Opened(0.0, "diplomacy", config, terms, 0, match)]
    events += [Joined(0.0, seat, seat.capitalize(), PlayerType.NO_PRESS_BOT) for seat in seats]
    events.append(Started(0.0, seats, position.encode()))
    for number, turn in enumerate(turns_of(trajectory, start), 1):
        acting, orders = position.to_act(), _ordered(turn)
        given: dict[str, Sequence[str]] = {seat: orders.get(seat, []) for seat in acting}
        if actions_of(position, given) != actions_of(position, given, explicit_via=True):
            raise RecordError(f"{position.phase}: an army moved by land though its own fleet was to carry it")
        events.append(TurnBegan(0.0, number, position.stage, acting))
        events += [Acted(0.0, seat, number, given[seat]) for seat in acting]
        position, happened = position.apply({seat: given[seat] for seat in acting})
        events.append(TurnEnded(0.0, number, dict(given), happened))
    outcome = position.outcome()
    return events if outcome is None else [*events, Ended(0.0, outcome)]


def trajectory_of_saved(game: SavedGame, *, options: Options = DEFAULT) -> Trajectory:
    """Return the trajectory of a game saved by the `diplomacy` package; its last phase has no orders yet."""
    phases = [(phase.position, phase.orders) for phase in game.phases]
    final = phases[-1][0] if phases else None
    # The package writes VIA wherever an army goes by sea.
    return trajectory_of(phases[:-1], final, options=options, explicit_via=True)


def saved_of_trajectory(trajectory: Trajectory, *, id: str, start: Position | None = None) -> SavedGame:
    """Return a trajectory as a saved game that the `diplomacy` package reads."""
    turns = list(turns_of(trajectory, start))
    last = turns[-1].after if turns else start or Position.start()
    return save_game(turns, last, id=id)


def export_trajectory(events: Iterable[Event], folder: Path, name: str, _: object = None) -> None:
    """Write a recorded match as the published files, to a folder of that name."""
    (folder / name).mkdir(exist_ok=True)
    save_trajectory(trajectory_of_record(GAME, events), folder / name)
