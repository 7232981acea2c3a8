"""Recorded matches and saved games as trajectories, and back: what links them is positions with orders as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from parlour.core.events import Ended, Event, PositionSet, Removed, Started, TurnEnded
from parlour.core.game import Game, Seat
from parlour.deepmind.options import DEFAULT, Options
from parlour.deepmind.provinces import NUM_POWERS
from parlour.deepmind.state import State
from parlour.deepmind.trajectory import Trajectory
from parlour.errors import RecordError
from parlour.games.diplomacy import codes as k
from parlour.games.diplomacy.map import standard
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.saved import SavedGame, save_game
from parlour.games.diplomacy.turn import Turn

Phase: TypeAlias = tuple[Position, Mapping[str, Sequence[str]]]
"""Where a match stood, and the orders given there by power."""


def trajectory_of(phases: Iterable[Phase], final: Position | None = None, *, options: Options = DEFAULT) -> Trajectory:
    """The trajectory of a match; final is where it ended, for the returns.

    Each unit gets an action: one whose order was void or missing holds, disbands, or is removed by civil disorder.
    """
    trajectory = Trajectory()
    last: list[int] = []
    builds = bytes(NUM_POWERS)
    for position, orders in phases:
        state = State(_remembering(position, builds), last_actions=last, options=options)
        builds = state.row[0, k.BUILDS : k.BUILDS + NUM_POWERS].tobytes()
        actions = actions_of(position, orders)
        trajectory.append_step(state.observation(), state.legal_actions(), actions)
        last = [action for own in actions for action in own]
    trajectory.returns = (State() if final is None else State(final, options=options)).returns()
    return trajectory


def _remembering(position: Position, builds: bytes) -> Position:
    """The position with the numbers of the last builds phase, which saved games do not tell."""
    if any(position.state[k.BUILDS : k.BUILDS + NUM_POWERS]):
        return position
    state = position.state[: k.BUILDS] + builds + position.state[k.BUILDS + NUM_POWERS :]
    return Position(position.board, state)


def actions_of(position: Position, orders: Mapping[str, Sequence[str]]) -> list[list[int]]:
    """What is carried out, by power: the orders that are not void, then what nobody ordered."""
    turn = position.resolve(orders).turn
    assert turn is not None
    numbers = {power.name: power.id for power in position.board.powers}
    actions: list[list[int]] = [[] for _ in numbers]
    for ruling in turn.rulings:
        if ruling.action is not None:
            actions[numbers[ruling.power]].append(ruling.action)
    return actions


def turns_of(trajectory: Trajectory, start: Position | None = None) -> Iterator[Turn]:
    """The trajectory played again from a position, the first one if none is given."""
    position = Position.start() if start is None else start
    names = [power.name for power in standard().powers]
    for phase in range(len(trajectory)):
        lists = trajectory.action_lists(phase)
        orders = {
            names[power]: [str(position.order_of(action)) for action in lists[power]] for power in range(NUM_POWERS)
        }
        # Actions already say which armies go by sea.
        position = position.resolve({name: own for name, own in orders.items() if own}, explicit_via=True)
        turn = position.turn
        assert turn is not None
        yield turn


def phases_of(trajectory: Trajectory, start: Position | None = None) -> list[Phase]:
    """Positions and orders of a trajectory; trajectory_of gives it back."""
    found: list[Phase] = []
    for turn in turns_of(trajectory, start):
        orders: dict[str, list[str]] = {}
        for ruling in turn.rulings:
            if not ruling.default:
                orders.setdefault(ruling.power, []).append(ruling.text)
        found.append((turn.before, orders))
    return found


def trajectory_of_record(game: Game, events: Iterable[Event], *, options: Options = DEFAULT) -> Trajectory:
    """The trajectory of a recorded match of Diplomacy."""
    phases: list[Phase] = []
    position: Position | None = None
    for number, event in enumerate(events):
        match event:
            case Started() | PositionSet():
                decoded = game.decode(event.position)
                if not isinstance(decoded, Position):
                    raise RecordError("expected a match of Diplomacy", number=number)
                position = decoded
            case TurnEnded() if position is not None:
                phases.append((position, event.actions))
                position, _ = position.apply({Seat(seat): action for seat, action in event.actions.items()})
            case Removed() if position is not None:
                position = position.without(event.seat)
            case Ended() if position is not None and not position.over:
                position = position.stopped()
            case _:
                pass
    return trajectory_of(phases, position, options=options)


def trajectory_of_saved(game: SavedGame, *, options: Options = DEFAULT) -> Trajectory:
    """The trajectory of a game saved by the `diplomacy` package; its last phase is where it stands."""
    phases = [(phase.position, phase.orders) for phase in game.phases]
    final = phases[-1][0] if phases else None
    return trajectory_of(phases[:-1], final, options=options)


def saved_of_trajectory(trajectory: Trajectory, *, id: str, start: Position | None = None) -> SavedGame:
    """A trajectory as a saved game that the `diplomacy` package reads."""
    turns = list(turns_of(trajectory, start))
    last = turns[-1].after if turns else start or Position.start()
    return save_game(turns, last, id=id)
