"""The orders of a DAIDE client in the turn that runs: SUB, NOT ( SUB ), GOF, and what is still missing."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.core import intents as it
from parlour.net.daide import phrases as ph
from parlour.net.daide import sayings
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.notes import VALID, note_on
from parlour.net.daide.sayings import Saying, confirmed, rejected
from parlour.net.daide.tokens import Token
from parlour.press import values as v
from parlour.press.board import Board
from parlour.press.orders import to_text

BINDING = frozenset({"NRS", "NSP", "NSU", "NYU", "NRN", "NMB", "NMR"})
"""Notes that stand even where any order is accepted: it is no order of this turn, or for no unit of one's own."""


class OrderBook:
    """What the match was told of one seat's orders. THX follows when it is durable."""

    def __init__(self, at: Attendance) -> None:
        self._at = at
        self._orders: list[str] = []
        self._goes_on = True

    def begin_turn(self, orders: Sequence[str] = ()) -> None:
        """A turn begins; or somebody is back, who had given these orders in it."""
        self._orders, self._goes_on = list(orders), True

    def missing(self) -> Saying:
        """MIS, bare if nothing is."""
        at = self._at
        if not at.acts or at.seat is None or at.position is None:
            return ["MIS"]
        return sayings.missing(at.position, at.seat, self._orders)

    async def submit(self, said: Sequence[tuple[ph.Submitting, Sequence[Token]]]) -> list[Saying]:
        """Take orders, of several messages together; each is answered as if it had come alone."""
        at, orders, answers, complete = self._at, list(self._orders), list[Saying](), False
        for phrase, tokens in said:
            if not at.acts or not at.is_now(phrase.turn):
                answers.append(rejected(tokens))
                continue
            answers += self._noted(phrase, orders)
            lacking = self._lacking(orders)
            complete = len(lacking) == 1
            if not complete:
                answers.append(lacking)
        if orders != self._orders and not await self._act(orders, complete):
            return [rejected(tokens) for _, tokens in said]
        return answers

    def _noted(self, phrase: ph.Submitting, orders: list[str]) -> list[Saying]:
        """THX for each order; those that are accepted are put among the orders, in place of older ones."""
        at = self._at
        assert at.seat is not None
        assert at.position is not None
        board = sayings.board_at(at.position)
        answers: list[Saying] = []
        for said, order in phrase.orders:
            note = "NSP"
            if order is not None:
                text = to_text(order, board)
                kept = [other for other in orders if not same_unit(other, text)]
                note = note_on(order, board, at.seat, kept)
                if at.options.aoa and note not in BINDING and note != VALID:
                    note, text = VALID, _amounts_to(order, board)
                if note == VALID:
                    orders[:] = [*kept, text]
            answers.append(("THX", "(", *said, ")", "(", note, ")"))
        return answers

    def _lacking(self, orders: Sequence[str]) -> Saying:
        assert self._at.position is not None
        assert self._at.seat is not None
        return sayings.missing(self._at.position, self._at.seat, orders)

    async def _act(self, orders: list[str], complete: bool) -> bool:
        """Hand in all orders so far; while some are missing, or the client wants time, the wait flag is up."""
        at = self._at
        assert at.seat is not None
        waits = not (self._goes_on and complete)
        turn, act = at.talk.turn, it.Act(at.seat, orders)
        answer = await (at.want(it.SetWait(at.seat, True), act) if waits and not at.talk.wait else at.want(act))
        if answer.refusal is not None:
            return False
        if at.talk.turn == turn:  # it may have been the last that the turn waited for
            self._orders = orders
            if not waits and at.talk.wait:
                await at.want(it.SetWait(at.seat, False))
        return True

    async def withdraw(self, phrase: ph.Withdrawing, tokens: Sequence[Token]) -> list[Saying]:
        """Take back one order, or all."""
        at = self._at
        if not at.acts or at.seat is None or at.position is None:
            return [rejected(tokens)]
        if phrase.order is None:
            if self._orders:
                await at.want(it.Retract(at.seat))
            self._orders = []
            return [confirmed(tokens)]
        text = to_text(phrase.order, sayings.board_at(at.position))
        left = list(self._orders)
        if text not in left:
            return [rejected(tokens)]
        left.remove(text)
        return [confirmed(tokens) if await self._act(left, complete=False) else rejected(tokens)]

    async def go(self, phrase: ph.Going, tokens: Sequence[Token]) -> list[Saying]:
        """Let the turn end as soon as everybody is done, or only when its time is up."""
        at = self._at
        if not at.playing or at.seat is None or at.talk.is_out(at.seat):
            return [rejected(tokens)]
        self._goes_on = phrase.on
        lacking = self.missing()
        waits = not (phrase.on and len(lacking) == 1)
        if at.acts and self._orders and at.talk.wait is not waits:
            await at.want(it.SetWait(at.seat, waits))
        return [confirmed(tokens), lacking] if phrase.on and len(lacking) > 1 else [confirmed(tokens)]


def same_unit(one: str, other: str) -> bool:
    """Whether two orders are for one unit; waived builds are all for different ones."""
    return one != "WAIVE" and other != "WAIVE" and one.split()[1][:3] == other.split()[1][:3]


def _amounts_to(order: v.Order, board: Board) -> str:
    """What an order comes to that cannot be carried out: the unit holds or disbands, the build is waived."""
    if isinstance(order, v.Build):
        return "WAIVE"
    assert not isinstance(order, v.Waive)
    return to_text(v.Disband(order.unit) if board.stage == "retreats" else v.Hold(order.unit), board)
