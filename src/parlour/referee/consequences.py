"""Consequences: the next event that a state leads to, one at a time, until the match waits for someone.

Each is a function of the state and the time alone, so that a match resumed after any event continues as if it had
never stopped.
"""

from __future__ import annotations

from typing import Any

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Plain, Position, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType, Refusal
from parlour.core.table_view import MatchStatus
from parlour.core.terms import PressMode, Vacancy
from parlour.referee.rules.endings import ended
from parlour.referee.rules.pauses import missing
from parlour.referee.rules.penalties import foul
from parlour.referee.rules.seals import owes_seal
from parlour.referee.rules.seating import started
from parlour.referee.rulings import nobody
from parlour.referee.state import MatchState, Place

LOOK_AHEAD = 100
"""Maximum number of passed turns that are played ahead to see if a match can continue."""
_RUNNING, _WINDOW, _LEFT_OUT = MatchStatus.RUNNING, PressMode.WINDOW, Vacancy.LEFT_OUT


def next_event(state: MatchState, now: float) -> Event | None:
    """Return the event that is due now; None if the match waits for an intent or for its clock."""
    if state.status is _RUNNING:
        if state.unsettled and (event := _owed(state, now)) is not None:
            return event
        return _in_turn(state, now) if state.turn_running else _between_turns(state, now)
    if state.status is MatchStatus.FORMING:
        return _owed(state, now) or _enough_seats(state, now)
    if state.status is MatchStatus.PAUSED:
        return _owed(state, now) or _abandoned(state, now) or _enough_again(state, now)
    return None


def due(state: MatchState) -> float | None:
    """Return the time of the next consequence if nobody does anything; None if there is none."""
    if (state.turn_limit is None and state.window_until is None) or state.status is not _RUNNING:
        return None
    earliest = state.window_until
    if not state.pending:
        limit = state.turn_limit
        return limit if earliest is None or (limit is not None and limit < earliest) else earliest
    for seat in state.pending:  # a plain loop, which is fast: this function is called several times per turn
        deadline = state.places[seat].deadline
        if deadline is not None and (earliest is None or deadline < earliest):
            earliest = deadline
    return earliest


def _owed(state: MatchState, now: float) -> Event | None:
    for place in state.places.values() if state.unsettled else ():
        if place.left:
            return foul(state, place, FoulKind.DISCONNECTED, "left the match", now)
        if (fouled := place.owed) is not None:
            if fouled.does is Consequence.REMOVE:
                return ev.Removed(now, place.seat, f"{fouled.kind}: {fouled.detail}", fouled.standing)
            if fouled.does is Consequence.VACATE:
                return ev.Left(now, place.seat)
            if place.seat in state.pending:
                return _default(state, place.seat, now)
    return None


def _abandoned(state: MatchState, now: float) -> Event | None:
    """Return the end of a match without players; None if it has some, or may have some again."""
    return _over(state, now) if _deserted(state) else None


def _deserted(state: MatchState) -> bool:
    """Return True if no player is left or, where vacant seats stay in the match, no seat is left."""
    return not (state.anyone_present() if state.terms.vacancy is _LEFT_OUT else state.alive())


def _too_few(state: MatchState, now: float) -> Event | None:
    return ev.Paused(now, "") if state.terms.stops_for_want and missing(state) else None


def _enough_again(state: MatchState, now: float) -> Event | None:
    """Return the end of a stop for want of players, with new deadlines if it was for want of a quorum."""
    if state.paused_by or missing(state) or _fruitless(state):
        return None
    if state.terms.stops_while_away:
        return ev.Resumed(now, "")  # each seat keeps the time that it had left
    seats = _timed(state, state.to_act) if state.turn_running else ()
    return ev.Resumed(now, "", _deadlines(state, seats, state.stage, now, begun=1))


def _enough_seats(state: MatchState, now: float) -> Event | None:
    wanted = state.terms.seats_to_start
    open_places = [place for place in state.places.values() if not place.removed]
    if not open_places:
        return ended(state, nobody("no player is left"), now)
    needed = len(open_places) if wanted is None else wanted
    fewest = 0 if state.seats_stay else state.game.fewest(state.opened.config)
    if needed == 0 or sum(place.present for place in open_places) < max(needed, fewest):
        return None
    ruling = started(state, now)
    if isinstance(ruling, Refusal):
        return ended(state, nobody(ruling.reason), now)
    return ruling


def _between_turns(state: MatchState, now: float) -> Event:
    position = state.position
    assert position is not None
    if (event := _over(state, now)) is not None:
        return event
    # The first turn begins before all have joined, so that present players may act already.
    if state.turn and (state.terms.quorum is not None or state.terms.stops_while_away):
        if (event := _too_few(state, now)) is not None:
            return event
    seats, stage = position.to_act(), position.stage
    deadlines = _deadlines(state, seats or _timed(state, seats), stage, now)
    return ev.TurnBegan(now, state.turn + 1, stage, seats, deadlines)


def _timed(state: MatchState, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Return the seats by whose clocks a turn is timed: those to act, or all in the game in an idle turn that lasts."""
    return seats or (state.alive() if state.terms.idle_turns_last else ())


def _idles(state: MatchState, now: float) -> bool:
    """Return True if a turn in which nobody is to act lasts all the same."""
    if not state.terms.idle_turns_last or state.forced or _time_up(state, now):
        return False
    playing = [state.places[seat] for seat in state.present()]
    if playing and all(place.player_type is not PlayerType.HUMAN for place in playing):
        return False  # bots do not end an idle turn
    return all(place.wait for place in state.places.values())


def _deadlines(state: MatchState, seats: tuple[Seat, ...], stage: str, now: float, begun: int = 0) -> dict[str, float]:
    """Return the deadline of each seat if its time runs from now on; begun is 1 in a turn that is already counted."""
    clock = state.terms.clock
    usual = clock.per_stage.get(stage, clock.per_turn)
    deadlines: dict[str, float] = {}
    if usual is None and clock.first_turn is None:
        return deadlines
    for seat in seats:
        place = state.places[seat]
        time = clock.first_turn if place.turns == begun and clock.first_turn is not None else usual
        if time is not None:
            deadlines[seat] = clock.later(now, time + place.bank)
    return deadlines


def _over(state: MatchState, now: float) -> Event | None:
    position = state.position
    assert position is not None
    if (outcome := position.outcome()) is not None:
        return ended(state, outcome, now)
    if state.stands:  # a moderator set this position, and it stays until the turn is forced
        return None
    if not state.anyone_present() and _deserted(state):
        return ended(state, nobody("no player is left"), now)
    if not position.to_act() and not _goes_on(position):
        return ended(state, nobody("nobody is to act"), now)
    return None


def _goes_on(position: Position) -> bool:
    """Return True if a turn in which nobody is to act passes automatically, to the next action or to the end."""
    for _ in range(LOOK_AHEAD):
        if position.to_act() or position.outcome() is not None:
            return True
        position, _ = position.apply({})
    return False


def _in_turn(state: MatchState, now: float) -> Event | None:
    if state.removed_this_turn and (event := _after_removal(state, now)) is not None:
        return event
    if not state.pending and not state.anyone_present():
        if not state.seats_stay:
            return _over(state, now)
        if not (_time_up(state, now) or state.forced or _all_ordered(state)):
            return _too_few(state, now)  # nobody is there: the match waits for its clock, a player or a proxy
    if (state.in_favour or state.partial) and (event := _draw(state, now)) is not None:
        return event
    if state.turn_limit is not None and state.pending and (event := _late(state, now)) is not None:
        return event
    terms = state.terms
    if (terms.quorum is not None or terms.stops_while_away) and missing(state):
        return ev.Paused(now, "")
    if state.turn_limit is not None and state.seats_stay and (event := _vacant_late(state, now)) is not None:
        return event
    if terms.press.mode is _WINDOW and (event := _press(state, now)) is not None:
        return event
    if state.pending or (state.stands and not state.forced) or (_held_up(state) and not _time_up(state, now)):
        return None
    if not state.to_act and _idles(state, now):
        return None
    if not state.forced and _fruitless(state):
        return None if state.seats_stay else ended(state, nobody("nobody who could act is left"), now)
    return _turn_end(state, now)


def _fruitless(state: MatchState) -> bool:
    """Return True if only vacant seats are to act, and all turns would pass in that way for ever.

    Then the match waits for a player or a proxy, and it is paused when the time of the turn is up.
    """
    position = state.position
    assert position is not None
    for seat in state.to_act:
        if state.places[seat].acted:
            return False
    seen: list[Position] = []
    while (seats := position.to_act()) and len(seen) < LOOK_AHEAD:
        if any(state.places[seat].present or position.default(seat) is not None for seat in seats):
            return False
        if position in seen:
            return True
        seen.append(position)
        position, _ = position.apply({})
    return False


def _all_ordered(state: MatchState) -> bool:
    return all(state.places[seat].acted for seat in state.to_act)


def _overdue(state: MatchState, place: Place, now: float) -> bool:
    return place.deadline is not None and now >= place.deadline and place.seat in state.pending


def _late(state: MatchState, now: float) -> Event | None:
    for seat in state.to_act:
        place = state.places[seat]
        if place.present and _overdue(state, place, now):
            return foul(state, place, FoulKind.LATE, "no answer in time", now)
    return None


def _vacant_late(state: MatchState, now: float) -> Event | None:
    """Give a vacant seat its default action when its time is up; this is not a foul.

    If all turns would pass like that for ever, the match stops until somebody can act.
    """
    assert state.position is not None
    if _time_up(state, now) and not state.forced and _fruitless(state):
        return ev.Paused(now, "")
    for seat in state.to_act:
        place = state.places[seat]
        if _overdue(state, place, now):
            if state.position.default(seat) is not None:
                return _default(state, seat, now)
            return foul(state, place, FoulKind.LATE, "no answer in time", now)
    return None


def _after_removal(state: MatchState, now: float) -> Event | None:
    """Return the end of the match, or a new turn if a removal changed the seats to act; None if the turn continues."""
    if (over := _over(state, now)) is not None:
        return over
    assert state.position is not None
    left = [seat for seat in state.to_act if not state.places[seat].removed]
    if left and set(left) == set(state.position.to_act()):
        return None
    return _between_turns(state, now)


def _draw(state: MatchState, now: float) -> Event | None:
    voters, alive = state.present(), state.alive()
    assert state.position is not None
    if state.in_favour and all(state.places[seat].ballot is Ballot.YES for seat in voters):
        return ended(state, state.position.drawn(alive), now)
    for among, in_favour in state.partial.items():
        if in_favour.issuperset(voters) and set(among) <= set(alive):
            return ended(state, state.position.drawn(among), now)
    return None


def _held_up(state: MatchState) -> bool:
    """Return True if a wait flag holds the turn up; a forced turn ignores wait flags."""
    if not state.forced:
        for seat in state.to_act:
            place = state.places[seat]
            if place.wait and state.waits_for(place):
                return True
    return False


def _time_up(state: MatchState, now: float) -> bool:
    return state.turn_limit is not None and now >= state.turn_limit


def _press(state: MatchState, now: float) -> Event | None:
    """Return the opening or the end of the press window, if it is due.

    It opens when every press bot is ready. It closes when all who may talk have acted, when its time is up, or when the
    turn is done.
    """
    terms = state.terms.press
    # A power with centres but without units is not asked for orders, so the window does not wait for it.
    acting = [state.places[seat] for seat in state.present() if seat in state.to_act]
    talkers = [place for place in acting if place.player_type is not PlayerType.NO_PRESS_BOT]
    if state.window_until is not None:
        finished = all(place.acted and not place.wait for place in talkers)
        if finished or now >= state.window_until or _turn_done(state, now):
            return ev.PressClosed(now, state.turn)
    elif not state.window_used and state.stage in terms.stages and talkers:
        bots = [place for place in talkers if place.player_type is PlayerType.PRESS_BOT]
        if all(place.comm_status is CommStatus.READY and not _plans_yet(state, place) for place in bots):
            return ev.PressOpened(now, state.turn, now + terms.window)
    return None


def _plans_yet(state: MatchState, place: Place) -> bool:
    """Return True if the press window waits for a bot's seal, unless the bot was already refused for want of one."""
    return state.sealing and owes_seal(state, place) and not place.seal_wanted


def _turn_done(state: MatchState, now: float) -> bool:
    return not state.pending and (not _held_up(state) or _time_up(state, now))


def _default(state: MatchState, seat: Seat, now: float) -> Event:
    assert state.position is not None
    return ev.Acted(now, seat, state.turn, state.position.default(seat), given=False)


def _turn_end(state: MatchState, now: float) -> Event:
    """Return the end of the turn: all actions and their results; absent seats do their default, or pass."""
    position = state.position
    assert position is not None
    actions: dict[Seat, Plain] = {}
    defaulted: list[Seat] = []
    passed: list[Seat] = []
    for seat in state.to_act:
        place = state.places[seat]
        if place.acted and not (state.removed_this_turn and position.check(seat, place.action)):
            actions[seat] = place.action
            if place.defaulted:
                defaulted.append(seat)
    for seat in state.to_act if len(actions) < len(state.to_act) else ():
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
    told: dict[Any, Plain] = {**actions}
    return ev.TurnEnded(now, state.turn, told, state.ahead[1], tuple(defaulted), tuple(passed))
