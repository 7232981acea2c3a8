"""Requests of players: orders, wait flags, votes, press, notes, readiness, leaving."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import PressMode
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.asking import Asker, RequestPlan, answers_in_game, caused, plays
from parlour.net.mila.faults import GameNotPlayingException, GamePhaseException, MapPowerException, ResponseException
from parlour.net.mila.match_status import BoardState
from parlour.net.mila.notices import comm_status_update, notice, wait_flag
from parlour.net.mila.possible import possible
from parlour.net.mila.protocol_values import OMNISCIENT, GameStatus, Message
from parlour.net.mila.role_state import SYSTEM, Sight
from parlour.net.mila.rooms import Cause
from parlour.referee.table import Answer

MESSAGE_BYTES = 100
"""Bytes that a message counts as when it is looked at."""


@plays(rq.SetOrders, master=True)
def set_orders(asker: Asker, request: rq.SetOrders) -> RequestPlan:
    """Replace the orders of a power; impossible orders are ignored without an error."""
    seat, board = asker.named_seat(), asker.board
    asker.require_going_on()
    if request.phase != board.phase:
        if not request.orders and _had_nothing_to_order(board, seat, request.phase):
            return RequestPlan()  # the phase ended without waiting for this power
        asker.require_phase()
    by = asker.by(seat)
    intents: list[it.Intent] = []
    if seat in board.to_act:
        orders = possible(board.position, seat, request.orders)
        intents.append(it.Act(seat, orders, board.view.turn, by, sealable=False))
    else:
        asker.room.tell_idle_orders(seat, but=asker.listening)
    if request.wait is not None:
        # The flag is raised before the orders, or lowered after them, so that the phase does not end too early.
        intents.insert(0 if request.wait else len(intents), it.SetWait(seat, request.wait, by))
    elif not board.to_act and board.places[seat].row.wait:
        intents.append(it.SetWait(seat, False, by))  # orders in an idle phase end it, as on the package's server
    return RequestPlan(intents, _causes_of_orders(seat), _tell_flag_again(asker, seat, request.wait))


@cache
def _causes_of_orders(seat: Seat) -> tuple[Cause, ...]:
    """Return the events that orders of a power cause."""
    return caused(ev.Acted, seat), caused(ev.WaitSet, seat)


def _had_nothing_to_order(board: BoardState, seat: Seat, phase: str) -> bool:
    """Return True if the phase has just ended without waiting for that power.

    Bots of the fork send empty orders even in those phases, because their server waits for all powers.
    """
    if phase in board.unattended:
        return True
    last = board.position.turn
    return last is not None and last.before.phase == phase and seat not in last.before.to_act()


@plays(rq.SetWaitFlag, master=True)
def set_wait_flag(asker: Asker, request: rq.SetWaitFlag) -> RequestPlan:
    """Set or clear the wait flag."""
    seat = asker.named_seat()
    asker.require_going_on()
    wait: bool = request.wait
    intents = [it.SetWait(seat, wait, asker.by(seat))]
    return RequestPlan(intents, [caused(ev.WaitSet, seat)], _tell_flag_again(asker, seat, wait))


def _tell_flag_again(asker: Asker, seat: Seat, wait: bool | None) -> Callable[[list[Answer]], None]:
    """Return a function that sends the wait flag again if it did not change, as the package's server does."""

    def tell(answers: list[Answer]) -> None:
        if wait is not None and answers[0 if wait else -1].refusal is not None:  # first or last, see set_orders
            asker.room.tell(wait_flag(seat, wait), but=asker.listening)

    return tell


@plays(rq.ClearOrders, master=True)
def clear_orders(asker: Asker, request: rq.ClearOrders) -> RequestPlan:
    """Take back the player's own orders or, for a moderator, those of a power or of all."""
    asker.require_going_on()
    asker.require_phase()
    if asker.is_player or request.power_name is not None:
        seats = [asker.seat()]
    else:
        seats = [Seat(name) for name in asker.board.places]
    intents: list[it.Intent] = []
    for seat in seats:
        place, by = asker.board.places[seat], asker.by(seat)
        if place.row.acted:
            intents.append(it.Retract(seat, by))
        # Clients expect the flag to be up again when orders are taken back, where flags are up at first.
        if asker.board.flag_at_first(place) and not place.row.wait and seat in asker.board.to_act:
            intents.insert(0, it.SetWait(seat, True, by))
    return RequestPlan(intents, [caused(kind, seat) for seat in seats for kind in (ev.Retracted, ev.WaitSet)])


@plays(rq.CastVote)
def cast_vote(asker: Asker, request: rq.CastVote) -> RequestPlan:
    """Vote on a draw."""
    if not asker.is_player:
        raise ResponseException("Only players vote.")
    seat = asker.seat()
    asker.require_going_on()
    if seat not in asker.board.position.alive():
        raise ResponseException(f"{seat} is eliminated and has no vote.")

    def tell_again(answers: list[Answer]) -> None:
        if answers[0].refusal is not None:  # the package's server also reports a vote that changes nothing
            asker.room.tell_votes()

    return RequestPlan([it.Vote(seat, request.vote)], response=tell_again)


@plays(rq.SendGameMessage)
def send_game_message(asker: Asker, request: rq.SendGameMessage) -> RequestPlan:
    """Send press; a message that is repeated after a disconnection is not delivered twice."""
    message, request_id = request.message, request.request_id
    advises = asker.sight.role == OMNISCIENT and request.token in asker.call.door.fork_tokens and message.is_global
    if not (asker.is_player or advises):
        raise ResponseException("Only players send messages.")
    if message.sender != asker.sight.role:
        raise ResponseException("A power sends only messages of its own.")
    # Checked first: a message from before the disconnection counts, even if its phase or the game has ended since.
    if request.re_sent and (known := _sight_to_search(asker).sent(message)) is not None:
        given = message.recipients
        return RequestPlan(response=lambda _: rs.TimeStamped(request_id=request_id, data=known, recipients=given))
    asker.require_going_on()
    _check_message(asker, message)
    if message.time_sent is not None:
        raise ResponseException("The time of a message is the server's to set.")
    if advises:
        return _advice(asker, message)
    to = () if message.is_global else tuple(map(Seat, _recipients(message)))
    seat = Seat(message.sender)

    def stamped(answers: list[Answer]) -> rs.Response:
        (answer,) = answers
        at = _time_of(asker, answer, ev.Said)
        _tell_notes(asker, seat, answer, at)
        return rs.TimeStamped(request_id=request_id, data=at, recipients=message.recipients)

    return RequestPlan([it.Say(seat, message.message, to)], [caused(ev.Said, seat)], stamped)


def _sight_to_search(asker: Asker) -> Sight:
    """Return the sight in which a repeated message is searched; the search counts like an answer of that size."""
    asker.call.socket.weigh(MESSAGE_BYTES * asker.sight.weight)
    return asker.sight


def _advice(asker: Asker, message: Message) -> RequestPlan:
    """Send all players a message of an adviser, who sees everything; only the forks have advisers."""

    def stamped(answers: list[Answer]) -> rs.Response:
        return rs.TimeStamped(request_id=asker.call.request.request_id, data=_time_of(asker, answers[0], ev.Proclaimed))

    said = it.Announce(asker.call.name, message.message, advice=message.type or True)
    return RequestPlan([said], [caused(ev.Proclaimed)], stamped)


def _tell_notes(asker: Asker, seat: Seat, answer: Answer, at: int) -> None:
    """Send the sender, and nobody else, notes about receivers that the message does not reach."""
    for number, note in enumerate(answer.notes, 1):
        told = Message(sender=SYSTEM, recipient=seat, phase=asker.board.phase, message=note, time_sent=at + number)
        if asker.listening is not None:
            asker.room.tell_one(asker.listening, notice("game_message_received", message=told))


def _check_message(asker: Asker, message: Message) -> None:
    board = asker.board
    press = board.terms.press
    if press.mode is PressMode.NONE or not (press.private or message.is_global):
        return  # the referee refuses it
    apart = not message.is_global
    if apart and board.status is not GameStatus.ACTIVE:
        raise GameNotPlayingException("Before it begins, and while it is paused, a power writes to all or to nobody.")
    if message.phase != board.phase:
        raise GamePhaseException(f"The message is of {message.phase[:20]}, and it is {board.phase} now.")
    if not apart:
        return
    named = _recipients(message)
    for recipient in named:
        if recipient not in board.places:
            raise MapPowerException(f"{recipient:.40}")
        if recipient == message.sender:
            raise ResponseException("A power does not write to itself.")
    if message.recipient != named[0] or len(set(named)) != len(named):
        raise ResponseException("recipients: expected different powers, first the recipient of the message")


def _recipients(message: Message) -> list[str]:
    """Return the recipients of a message; only Parlour's own client names several."""
    return message.recipients or [message.recipient]


@plays(rq.SendLogData)
def send_log_data(asker: Asker, request: rq.SendLogData) -> RequestPlan:
    """Store a note for the player and for viewers who see all; a note sent twice is stored once."""
    if not asker.is_player or request.log.sender != asker.sight.role:
        raise ResponseException("A power keeps only notes of its own.")
    if request.re_sent and (known := _sight_to_search(asker).noted(request.log)) is not None:
        return RequestPlan(response=lambda _: rs.TimeStamped(request_id=request.request_id, data=known))
    asker.require_going_on()

    def stamped(answers: list[Answer]) -> rs.Response:
        return rs.TimeStamped(request_id=request.request_id, data=_time_of(asker, answers[0], ev.Noted))

    return RequestPlan([it.Note(Seat(asker.sight.role), request.log.message)], response=stamped)


def _time_of(asker: Asker, answer: Answer, kind: type[ev.Event]) -> int:
    event = next(event for event in answer.events if isinstance(event, kind))
    return asker.board.micros(event)


@plays(rq.SetReadiness, master=True)
def set_comm_status(asker: Asker, request: rq.SetReadiness) -> RequestPlan:
    """Announce readiness to talk."""
    asker.call.door.fork_tokens.add(request.token)
    if asker.listening is not None and not asker.listening.knows_fork:
        asker.room.listen(asker.listening._replace(knows_fork=True))
    seat = asker.named_seat()
    asker.require_going_on()

    def tell_again(answers: list[Answer]) -> None:
        if answers[0].refusal is not None:  # the fork's server also reports a status that is set again
            asker.room.tell(comm_status_update(seat, request.comm_status), but=asker.listening)

    intent = it.SetCommStatus(seat, request.comm_status, asker.by(seat))
    return RequestPlan([intent], [caused(ev.CommStatusSet, seat)], tell_again)


@answers_in_game(rq.LeaveGame, observer=True)
async def leave_game(asker: Asker, request: rq.LeaveGame) -> None:
    """Leave the game; the power of a player becomes vacant."""
    asker.call.door.leave(request.game_id, lambda one: one.token == request.token and one.role == request.game_role)
    going_on = asker.board.status not in (GameStatus.COMPLETED, GameStatus.CANCELED)
    if asker.is_player and going_on and asker.board.places[request.game_role].is_controlled:
        await asker.submit(RequestPlan([it.Leave(Seat(request.game_role))]))
