"""What follows from a state by itself: the next event that is due, one at a time, until the match waits for someone.

Each is a function of the state and the time alone, so that a match resumed after any event goes on as if it had
never stopped.
"""

from __future__ import annotations

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Outcome, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType, Refusal
from parlour.core.terms import PressMode
from parlour.referee.rulings import ended, foul, started
from parlour.referee.state import State, Status


def next_event(state: State, now: float) -> Event | None:
    """The event that is due now; None if the match waits for an intent or for its clock."""
    if state.status is Status.RUNNING:
        return _owed(state, now) or (_in_turn(state, now) if state.turn_running else _between_turns(state, now))
    if state.status is Status.FORMING:
        return _owed(state, now) or _enough_seats(state, now)
    if state.status is Status.PAUSED:
        return _owed(state, now) or (None if state.anyone_present() else _over(state, now))
    return None


def due(state: State) -> float | None:
    """When something will be due if nobody does anything; None if never."""
    if state.status is not Status.RUNNING:
        return None
    times = [deadline for seat in state.pending if (deadline := state.places[seat].deadline) is not None]
    if not state.pending and state.turn_limit is not None:
        times.append(state.turn_limit)
    if state.window_until is not None:
        times.append(state.window_until)
    return min(times, default=None)


def _owed(state: State, now: float) -> Event | None:
    if not state.unsettled:
        return None
    for place in state.places.values():
        if place.left:
            return foul(state, place, FoulKind.DISCONNECTED, "left the match", now)
        if (fouled := place.owed) is not None:
            if fouled.does is Consequence.REMOVE:
                return ev.Removed(now, place.seat, f"{fouled.kind}: {fouled.detail}", fouled.standing)
            if place.seat in state.pending:
                return _default(state, place.seat, now)
    return None


def _enough_seats(state: State, now: float) -> Event | None:
    wanted = state.terms.seats_to_start
    open_places = [place for place in state.places.values() if not place.removed]
    if not open_places:
        return ended(state, _nobody("no player is left"), now)
    needed = len(open_places) if wanted is None else wanted
    if needed == 0 or sum(place.present for place in open_places) < max(needed, state.game.fewest(state.opened.config)):
        return None
    ruling = started(state, now)
    if isinstance(ruling, Refusal):
        return ended(state, _nobody(ruling.reason), now)
    return ruling


def _between_turns(state: State, now: float) -> Event:
    position = state.position
    assert position is not None
    if (over := _over(state, now)) is not None:
        return over
    seats = position.to_act()
    return ev.TurnBegan(now, state.turn + 1, position.stage, seats, _deadlines(state, seats, position.stage, now))


def _deadlines(state: State, seats: tuple[Seat, ...], stage: str, now: float) -> dict[str, float]:
    clock = state.terms.clock
    usual = clock.per_stage.get(stage, clock.per_turn)
    deadlines: dict[str, float] = {}
    for seat in seats:
        place = state.places[seat]
        time = clock.first_turn if place.turns == 0 and clock.first_turn is not None else usual
        if time is not None:
            deadlines[seat] = now + time + place.bank
    return deadlines


def _over(state: State, now: float) -> Event | None:
    position = state.position
    assert position is not None
    if (outcome := position.outcome()) is not None:
        return ended(state, outcome, now)
    if not state.anyone_present():
        return ended(state, _nobody("no player is left"), now)
    if not position.to_act():
        return ended(state, _nobody("nobody is to act"), now)
    return None


def _nobody(reason: str) -> Outcome:
    return Outcome(scores={}, places=(), reason=reason)


def _in_turn(state: State, now: float) -> Event | None:
    if state.removed_this_turn and (event := _after_removal(state, now)) is not None:
        return event
    if not state.pending and not state.anyone_present():
        return _over(state, now)
    if state.in_favour and (event := _draw(state, now)) is not None:
        return event
    if state.turn_limit is not None and (event := _late(state, now)) is not None:
        return event
    if state.terms.press.mode is PressMode.WINDOW and (event := _press(state, now)) is not None:
        return event
    if state.pending or (_held_up(state) and not _time_up(state, now)):
        return None
    return _turn_end(state, now)


def _late(state: State, now: float) -> Event | None:
    for seat in state.to_act:
        place = state.places[seat]
        if seat in state.pending and place.deadline is not None and now >= place.deadline:
            return foul(state, place, FoulKind.LATE, "no answer in time", now)
    return None


def _after_removal(state: State, now: float) -> Event | None:
    """The end, or a new turn, if the removal changed who is to act."""
    if (over := _over(state, now)) is not None:
        return over
    assert state.position is not None
    left = [seat for seat in state.to_act if not state.places[seat].removed]
    if left and set(left) == set(state.position.to_act()):
        return None
    return _between_turns(state, now)


def _draw(state: State, now: float) -> Event | None:
    voters = state.present()
    if any(state.places[seat].ballot is not Ballot.YES for seat in voters):
        return None
    assert state.position is not None
    return ended(state, state.position.drawn(state.alive()), now)


def _held_up(state: State) -> bool:
    """Whether a wait flag is up. A moderator's force and a clock run out override it."""
    if not state.forced:
        for seat in state.to_act:
            if state.places[seat].wait and state.places[seat].present:
                return True
    return False


def _time_up(state: State, now: float) -> bool:
    return state.turn_limit is not None and now >= state.turn_limit


def _press(state: State, now: float) -> Event | None:
    """The window opens when every press bot is ready and closes when nobody who could talk has anything left to do."""
    terms = state.terms.press
    # A power with centres but no unit is asked for nothing, so that nobody may wait for it to be ready.
    acting = [state.places[seat] for seat in state.present() if seat in state.to_act]
    talkers = [place for place in acting if place.player_type is not PlayerType.NO_PRESS_BOT]
    if state.window_until is not None:
        finished = all(place.acted and not place.wait for place in talkers)
        if finished or now >= state.window_until or _turn_done(state, now):
            return ev.PressClosed(now, state.turn)
    elif not state.window_used and state.stage in terms.stages and talkers:
        bots = [place for place in talkers if place.player_type is PlayerType.PRESS_BOT]
        if all(place.comm_status is CommStatus.READY for place in bots):
            return ev.PressOpened(now, state.turn, now + terms.window)
    return None


def _turn_done(state: State, now: float) -> bool:
    return not state.pending and (not _held_up(state) or _time_up(state, now))


def _default(state: State, seat: Seat, now: float) -> Event:
    assert state.position is not None
    return ev.Acted(now, seat, state.turn, state.position.default(seat), given=False)


def _turn_end(state: State, now: float) -> Event:
    """What everyone did, with what the rules make of it; absent seats do their default, or pass."""
    position = state.position
    assert position is not None
    actions = state.actions()
    if state.removed_this_turn:
        actions = {seat: action for seat, action in actions.items() if not position.check(seat, action)}
    defaulted = [seat for seat in actions if state.places[seat].defaulted]
    passed: list[Seat] = []
    for seat in state.to_act:
        place = state.places[seat]
        if seat in actions or place.removed:
            continue
        default = None if place.passed else position.default(seat)
        if default is None:
            passed.append(seat)
        else:
            actions[seat] = default
            defaulted.append(seat)
    state.ahead = position.apply(actions)
    plain_actions = {str(seat): action for seat, action in actions.items()}
    return ev.TurnEnded(now, state.turn, plain_actions, state.ahead[1], tuple(defaulted), tuple(passed))
