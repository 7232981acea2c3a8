"""Both conduct tables of Fish, row by row: a player that misbehaves meets the real referee."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from parlour.agents.fish.abstract_player import AbstractPlayerSeat
from parlour.agents.fish.lookahead import LookAheadPlayer
from parlour.core import intents as it
from parlour.core.events import Ended, Event, Fouled, Removed, TurnBegan, TurnEnded
from parlour.core.fouls import Conduct, Consequence, Standing
from parlour.core.game import FoulKind, Seat, View
from parlour.core.player import ObservedEvent, Player, SeatHandle
from parlour.core.table_view import MatchStatus
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.games.fish import COLOURS, GAME, Board, Position, Side
from parlour.referee.conduct import ASK_AGAIN_LIMIT, HOSTED, LENIENT, STRICT
from parlour.referee.local import LocalTable
from parlour.referee.match import Match, replay
from parlour.testing import FakeClock
from support.waiting import PATIENCE

RED, WHITE, BROWN, BLACK = COLOURS
CONDUCTS = pytest.mark.parametrize("conduct", [STRICT, LENIENT], ids=["strict", "lenient"])
STAGES = pytest.mark.parametrize("stage", ["placement", "move"])

# The last tile is a hole; penguins fill rows 0 and 1, so that row 2 is where everybody moves to.
CONFIG = {"players": 3, "board": [[2, 2, 2, 2, 2]] * 4 + [[2, 2, 2, 2]]}
TIME = 60.0

RETURNS: dict[str, dict[str, Any]] = {
    "placement": {
        "occupied tile": [0, 0],
        "hole": [4, 4],
        "off the board": [7, 7],
        "off the board above": [-1, 0],
    },
    "move": {
        "unreachable": [[0, 1], [3, 3]],
        "occupied tile": [[0, 1], [0, 0]],
        "hole": [[0, 1], [4, 4]],
        "off the board": [[0, 1], [9, 1]],
        "another's penguin": [[0, 0], [2, 0]],
        "no penguin": [[3, 3], [2, 3]],
        "skip": "skip",
    },
}
KINDS = {"another's penguin": "move from location", "no penguin": "move from location"}
GARBLED: dict[str, Any] = {"nothing": None, "number": 7, "text": "north", "no plain value": object(), "nested": [[[]]]}
ILLEGAL_CASES = [(stage, case) for stage, cases in RETURNS.items() for case in cases]


@pytest.fixture
def silence() -> Iterator[Callable[[], None]]:
    """A call that does not return before the test is over."""
    over = threading.Event()

    def wait() -> None:
        over.wait(PATIENCE)

    yield wait
    over.set()


class Misbehaving(LookAheadPlayer):
    """White, who plays well but for its answers in one stage: the given ones, one after the other, then as usual."""

    def __init__(self, stage: str, answers: list[Any]) -> None:
        super().__init__(1)
        self.stage, self.answers = stage, iter(answers)
        self.events: list[Event] = []
        self.refusals: list[Any] = []
        self.asked = 0

    def act(self, view: View) -> Any:
        """Return the next answer: raised if it is an exception, called if it is a function."""
        if view.position.stage == self.stage:
            self.asked += 1
            for answer in self.answers:
                if isinstance(answer, Exception):
                    raise answer
                return answer() if callable(answer) else answer
        return super().act(view)

    def on_event(self, observed: ObservedEvent) -> None:
        self.events.append(observed.event)

    def on_refused(self, reason: Any) -> None:
        self.refusals.append(reason)


def played(conduct: Conduct, white: Player, timed: bool = False, **players: Player) -> Match:
    """Return a match of three under a conduct, white on trial; with clocks only where somebody stays silent."""
    match = Match(GAME, dict(CONFIG), Terms(conduct, Clock(per_turn=TIME if timed else None)), seed=1)
    table: dict[Seat, Player] = {RED: LookAheadPlayer(1), WHITE: white, BROWN: LookAheadPlayer(1)}
    table |= {Seat(seat): player for seat, player in players.items()}
    LocalTable(match, table, clock=FakeClock(grace=0.4) if timed else None).play()
    assert isinstance(match.record[-1], (Ended, Fouled))
    return match


def fouls(match: Match, seat: Seat = WHITE) -> list[Fouled]:
    return [event for event in match.record if isinstance(event, Fouled) and event.seat == seat]


def assert_removed(match: Match, kind: FoulKind, standing: Standing, stage: str) -> None:
    """White is out for that foul alone; the others played to the end and only they are ranked."""
    (foul,) = fouls(match)
    assert (foul.kind, foul.stage, foul.does, foul.standing) == (kind, stage, Consequence.REMOVE, standing)
    assert [event.seat for event in match.record if isinstance(event, Removed)] == [WHITE]
    assert match.outcome is not None
    assert sorted(match.outcome.scores) == ["brown", "red"]
    assert match.outcome.reason == "nobody can move"
    assert not fouls(match, RED)
    assert not fouls(match, BROWN)


# strict: any cheat or failure removes at once, and the player is told


@pytest.mark.parametrize(("stage", "case"), ILLEGAL_CASES)
def test_strict_removes_a_cheater_at_once_and_tells_it(stage: str, case: str) -> None:
    white = Misbehaving(stage, [RETURNS[stage][case]])
    assert_removed(played(STRICT, white), FoulKind.ILLEGAL, Standing.CHEATER, stage)
    assert isinstance(white.events[-1], Removed)
    assert white.asked == 1


@STAGES
@pytest.mark.parametrize("case", GARBLED)
def test_strict_removes_whoever_answers_nonsense(stage: str, case: str) -> None:
    white = Misbehaving(stage, [GARBLED[case]])
    assert_removed(played(STRICT, white), FoulKind.GARBLED, Standing.FAILURE, stage)


@STAGES
@pytest.mark.parametrize(
    ("error", "kind"),
    [(ValueError("oops"), FoulKind.CRASHED), (ConnectionResetError(), FoulKind.DISCONNECTED)],
)
def test_strict_removes_whoever_raises(stage: str, error: Exception, kind: FoulKind) -> None:
    assert_removed(played(STRICT, Misbehaving(stage, [error])), kind, Standing.FAILURE, stage)


@STAGES
def test_strict_removes_whoever_is_late(stage: str, silence: Callable[[], None]) -> None:
    match = played(STRICT, Misbehaving(stage, [silence]), timed=True)
    assert_removed(match, FoulKind.LATE, Standing.FAILURE, stage)


def test_strict_leaves_the_tiles_and_the_order_of_the_others() -> None:
    match = played(STRICT, Misbehaving("placement", [[0, 1], [0, 1]]))
    asked = [event.to_act[0] for event in match.record if isinstance(event, TurnBegan) and event.stage == "placement"]
    # White places once, cheats at its second placement, and nobody loses a turn by it.
    assert asked == [RED, WHITE, BROWN, RED, WHITE, BROWN, RED, BROWN]
    at = next(number for number, event in enumerate(match.record) if isinstance(event, Removed))
    position = replay(match.record, at=at).position
    assert isinstance(position, Position)
    assert position.board[0, 1] == 2, "the tile under its penguin stays"
    assert (0, 1) not in position.occupied()


def test_strict_with_nobody_left_has_no_winner() -> None:
    red, white, brown = (Misbehaving("move", ["skip"]) for _ in range(3))
    match = played(STRICT, white, red=red, brown=brown)
    assert match.outcome is not None
    assert match.outcome.places == ()


# lenient: illegal is answered and asked for again; late placements remove, late moves skip


@pytest.mark.parametrize(("stage", "case"), ILLEGAL_CASES)
def test_lenient_names_the_error_and_asks_again_within_the_same_time(stage: str, case: str) -> None:
    white = Misbehaving(stage, [RETURNS[stage][case]] * 3)
    match = played(LENIENT, white)
    assert [foul.does for foul in fouls(match)] == [Consequence.ASK_AGAIN] * 3
    kind = "placement" if stage == "placement" else KINDS.get(case, "move to location")
    assert [violation.kind for violation in white.refusals] == [kind] * 3
    assert all(violation.message for violation in white.refusals)
    (turn,) = {foul.turn for foul in fouls(match)}
    assert sum(isinstance(event, TurnBegan) and event.turn == turn for event in match.record) == 1
    assert not any(isinstance(event, Removed) for event in match.record)
    assert match.outcome is not None
    assert len(match.outcome.scores) == 3


@STAGES
@pytest.mark.parametrize("case", GARBLED)
def test_lenient_asks_again_after_nonsense(stage: str, case: str) -> None:
    match = played(LENIENT, Misbehaving(stage, [GARBLED[case]]))
    assert [(foul.kind, foul.does) for foul in fouls(match)] == [(FoulKind.GARBLED, Consequence.ASK_AGAIN)]
    assert len(match.outcome.scores) == 3  # type: ignore[union-attr]


@STAGES
def test_lenient_asks_again_after_a_crash(stage: str) -> None:
    match = played(LENIENT, Misbehaving(stage, [ValueError("oops")]))
    assert [(foul.kind, foul.does) for foul in fouls(match)] == [(FoulKind.CRASHED, Consequence.ASK_AGAIN)]
    assert len(match.outcome.scores) == 3  # type: ignore[union-attr]


@STAGES
def test_lenient_removes_whoever_is_gone(stage: str) -> None:
    match = played(LENIENT, Misbehaving(stage, [EOFError("left")]))
    assert_removed(match, FoulKind.DISCONNECTED, Standing.FAILURE, stage)


def test_lenient_removes_for_a_late_placement(silence: Callable[[], None]) -> None:
    match = played(LENIENT, Misbehaving("placement", [silence]), timed=True)
    assert_removed(match, FoulKind.LATE, Standing.FAILURE, "placement")


def test_lenient_clock_runs_on_while_asking_again(silence: Callable[[], None]) -> None:
    match = played(LENIENT, Misbehaving("placement", [[0, 0], [0, 0], silence]), timed=True)
    began = next(e for e in match.record if isinstance(e, TurnBegan) and e.to_act == (WHITE,))
    late = fouls(match)[-1]
    assert late.kind is FoulKind.LATE
    assert late.at == began.deadlines["white"] == began.at + TIME


@pytest.mark.parametrize(("stage", "last"), [("placement", Consequence.REMOVE), ("move", Consequence.SKIP)])
def test_lenient_does_not_ask_for_ever(stage: str, last: Consequence) -> None:
    match = played(LENIENT, Misbehaving(stage, ["north"] * (ASK_AGAIN_LIMIT + 1)))
    assert [foul.does for foul in fouls(match)] == [Consequence.ASK_AGAIN] * ASK_AGAIN_LIMIT + [last]


class Lane:
    """Three lanes of ice, a penguin each, driven by hand: who moves, and who lets the time run out."""

    def __init__(self) -> None:
        self.match = Match(GAME, {"players": 3, "board": [[1] * 9]}, Terms(LENIENT, Clock(per_turn=TIME)), seed=0)
        self.now = 0.0
        self.match.start(self.now)
        for seat in (RED, WHITE, BROWN):
            self.match.handle(it.Join(seat, seat), self.now)
        # Every second row is gone, so that penguins only go up and down: red and white in column 0, brown in 3.
        rows = [[0, 0, 0, 0] if row % 2 else [int(row < 6), 0, 0, 1] for row in range(18)]
        sides = (Side(RED, ((0, 0),)), Side(WHITE, ((4, 0),)), Side(BROWN, ((0, 3),)))
        self.match.handle(it.SetPosition("test", Position(Board.of(rows), sides, 1).encode()), self.now)

    def act(self, seat: Seat, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.now += 1
        reaction = self.match.handle(it.Act(seat, [list(start), list(end)]), self.now)
        assert reaction.refusal is None

    def late(self, seat: Seat) -> Fouled:
        """Let the time of the seat to act run out."""
        assert self.match.position.to_act() == (seat,)
        due = self.match.due()
        assert due is not None
        self.now = due
        events = self.match.tick(self.now).events
        return next(event for event in events if isinstance(event, Fouled))


def test_lenient_skips_a_late_move_and_removes_at_the_second_in_a_row() -> None:
    lane = Lane()
    assert lane.late(RED).does is Consequence.SKIP
    ended = next(event for event in reversed(lane.match.record) if isinstance(event, TurnEnded))
    assert (ended.passed, ended.happened["action"], ended.happened["fish"]) == ((RED,), "skip", 0)
    lane.late(WHITE)
    lane.act(BROWN, (0, 3), (2, 3))
    second = lane.late(RED)
    assert (second.does, second.standing) == (Consequence.REMOVE, Standing.FAILURE)
    assert lane.match.position.alive() == (WHITE, BROWN)


def test_lenient_counts_only_skips_in_a_row() -> None:
    lane = Lane()
    lane.late(RED)
    lane.late(WHITE)
    lane.act(BROWN, (0, 3), (2, 3))
    lane.act(RED, (0, 0), (2, 0))
    assert lane.match.state.places[RED].skips == 0
    assert lane.match.position.alive() == (RED, WHITE, BROWN)


def test_lenient_forced_skip_neither_counts_nor_resets() -> None:
    lane = Lane()
    assert lane.late(RED).does is Consequence.SKIP
    # White shuts red in; from now on red is passed over in silence, and white, who cannot move either.
    lane.act(WHITE, (4, 0), (2, 0))
    lane.act(BROWN, (0, 3), (2, 3))
    assert lane.match.position.to_act() == (BROWN,)
    skipped = next(event for event in reversed(lane.match.record) if isinstance(event, TurnEnded))
    assert skipped.happened["skips"] == ["red", "white"]
    assert lane.match.state.places[RED].skips == 1
    lane.now += 1
    lane.match.handle(it.Leave(WHITE), lane.now)
    lane.act(BROWN, (2, 3), (4, 3))
    # White's tile is free again, so red could move; it is late a second time in a row.
    second = lane.late(RED)
    assert (second.does, second.standing) == (Consequence.REMOVE, Standing.FAILURE)
    assert lane.match.position.alive() == (BROWN,)


# Both: out of turn, identification, and the end


class Eager(Misbehaving):
    """Acts through its seat handle when it is another's turn."""

    def on_seated(self, handle: SeatHandle) -> None:
        self.handle = handle

    def on_event(self, observed: ObservedEvent) -> None:
        event = observed.event
        super().on_event(observed)
        if isinstance(event, TurnBegan) and event.to_act == (RED,) and event.turn == 1:
            self.handle.act([3, 3])


@CONDUCTS
def test_an_action_out_of_turn_changes_nothing(conduct: Conduct) -> None:
    white = Eager("", [])
    match = played(conduct, white)
    assert [refusal.code for refusal in white.refusals] == [it.RefusalCode.OUT_OF_TURN]
    assert not any(isinstance(event, (Fouled, Removed)) for event in match.record)
    assert len(match.outcome.scores) == 3  # type: ignore[union-attr]


class Identified(LookAheadPlayer):
    """Says who it is by the given answers, at the start and at the end."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(1)
        self.answers = iter(answers)

    def identify(self) -> Any:
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return answer() if callable(answer) else answer


NAMED = {"Name": "Wendy", "Age": "7"}


@CONDUCTS
@pytest.mark.parametrize(
    ("answer", "kind"),
    [(ValueError("who?"), FoulKind.CRASHED), ("Wendy", FoulKind.GARBLED), ({"Age": "7"}, FoulKind.GARBLED)],
)
def test_whoever_cannot_say_who_it_is_does_not_play(conduct: Conduct, answer: Any, kind: FoulKind) -> None:
    match = played(conduct, Identified(answer, NAMED))
    assert_removed(match, kind, Standing.FAILURE, "identify")
    # Two are left, so each has four penguins: those who were lost before the start do not count.
    placements = [e for e in match.record if isinstance(e, TurnEnded) and e.happened["stage"] == "placement"]
    assert len(placements) == 8


@CONDUCTS
def test_whoever_is_late_to_say_who_it_is_does_not_play(conduct: Conduct, silence: Callable[[], None]) -> None:
    match = played(conduct, Identified(silence), timed=True)
    assert_removed(match, FoulKind.LATE, Standing.FAILURE, "identify")


@CONDUCTS
def test_whoever_fails_at_the_end_keeps_its_place_and_is_noted(conduct: Conduct) -> None:
    match = played(conduct, Identified(NAMED, ValueError("gone home")))
    assert match.state.places[WHITE].name == "Wendy"
    (foul,) = fouls(match)
    assert (foul.kind, foul.stage, foul.does) == (FoulKind.CRASHED, "end", Consequence.NOTE)
    assert "white" in match.outcome.scores  # type: ignore[union-attr]


def test_the_abstract_player_hears_each_error_type() -> None:
    """The four types of errors, through the referee, to a player written for that interface."""

    class Clumsy:
        def __init__(self) -> None:
            self.types: list[str] = []
            self.state: dict[str, Any] = {}
            self.first = {"place": True, "move": True}
            self.answers: list[Any] = []

        def receive_gamestate(self, gamestate: dict[str, Any]) -> None:
            self.state = gamestate

        def receive_error(self, errormessage: dict[str, str]) -> None:
            assert set(errormessage) == {"Type", "Message"}
            self.types.append(errormessage["Type"])

        def place_penguin(self) -> Any:
            if self.first["place"]:
                self.first["place"] = False
                return 0, 0
            taken = {spot for side in self.state["Players"].values() for spot in side["penguins"]}
            spots = ((x, y) for y, row in enumerate(self.state["Board"]) for x, fish in enumerate(row) if fish)
            return next(spot for spot in spots if spot not in taken)

        def send_next_move(self) -> Any:
            if self.first["move"]:
                self.first["move"] = False
                own = self.state["Players"]["White"]["penguins"][0]
                position = position_of(self.state)
                legal = [[tuple(spot[::-1]) for spot in move] for move in position.moves(WHITE)]
                self.answers = [((3, 3), own), (own, own), legal[0]]
            if self.answers:
                return self.answers.pop(0)
            move = position_of(self.state).moves(WHITE)[0]
            return move[0][::-1], move[1][::-1]

        def identify(self) -> dict[str, Any]:
            return {"Name": "Clumsy", "Age": 9}

    clumsy = Clumsy()
    seat = AbstractPlayerSeat(clumsy)
    played(LENIENT, seat)
    assert clumsy.types == ["placement", "move from location", "move to location"]
    seat.on_refused(it.Refusal(it.RefusalCode.OUT_OF_TURN, "white is not to act now"))
    assert clumsy.types[-1] == "out of turn"


def position_of(state: dict[str, Any]) -> Position:
    """Return the position in a state of the abstract player's interface."""
    sides = [
        Side(Seat(color.lower()), tuple((y, x) for x, y in state["Players"][color]["penguins"]))
        for color in state["Turns"]
    ]
    return Position(Board.of(state["Board"]), tuple(sides), 0)


def test_replay_equals_play() -> None:
    match = played(LENIENT, Misbehaving("move", ["skip", "north"]))
    again = replay(match.record)
    assert again.position == match.state.position
    assert again.outcome == match.outcome


# Who could act is away


def fish_of(match: Match, seat: Seat) -> int:
    assert isinstance(match.position, Position)
    return match.position.side(seat).score


def lone(vacancy: Vacancy, clock: Clock | None = None) -> Match:
    """Red can move and has left; white is there and can not."""
    terms = Terms(HOSTED, clock or Clock(), vacancy=vacancy)
    board = [[1, 1, 1, 0, 1], [1, 1, 1, 0, 1], [1, 1, 0, 0, 1], [1, 1, 0, 0, 1]]
    match = Match(GAME, {"board": board, "players": 2}, terms, 7)
    match.start(0.0)
    for seat in ("red", "white"):
        match.handle(it.Join(seat, Seat(seat)), 1.0)
    places = {"red": [[0, 0], [0, 1], [1, 0], [1, 1]], "white": [[0, 4], [1, 4], [2, 4], [3, 4]]}
    for turn in range(8):
        seat = match.state.to_act[0]
        match.handle(it.Act(seat, places[seat][turn // 2]), 2.0)
    match.handle(it.Leave(Seat("red")), 3.0)
    return match


def test_a_match_waits_for_the_only_player_who_could_move() -> None:
    match = lone(Vacancy.DEFAULT)
    assert not match.over
    assert match.due() is None
    length = len(match.record)
    match.tick(1e6)
    assert len(match.record) == length
    reaction = match.handle(it.Join("red again", Seat("red")), 1e6)
    assert [ask.seat for ask in reaction.asks] == ["red"]
    match.handle(it.Act(Seat("red"), [[1, 1], [2, 1]]), 1e6)
    assert fish_of(match, Seat("red")) == 1


def test_a_proxy_may_move_for_the_only_one_who_could() -> None:
    match = lone(Vacancy.DEFAULT)
    match.handle(it.Act(Seat("red"), [[1, 1], [2, 1]], by="host"), 4.0)
    assert fish_of(match, Seat("red")) == 1


@pytest.mark.parametrize("vacancy", [Vacancy.DEFAULT, Vacancy.AWAITED])
def test_with_a_clock_a_match_stops_when_only_somebody_away_could_move(vacancy: Vacancy) -> None:
    match = lone(vacancy, Clock(per_turn=10.0))
    due = match.due()
    assert due is not None
    match.tick(due)
    assert match.state.status is MatchStatus.PAUSED
    length = len(match.record)
    for day in range(1, 100):
        assert match.due() is None
        match.tick(due + 86_400 * day)
    assert len(match.record) == length
    reaction = match.handle(it.Join("red again", Seat("red")), 1e8)
    assert [(ask.seat, ask.deadline) for ask in reaction.asks] == [("red", 1e8 + 10.0)]
    match.handle(it.Act(Seat("red"), [[1, 1], [2, 1]]), 1e8 + 9.0)
    assert fish_of(match, Seat("red")) == 1
    assert replay(match.record).position == match.position


def test_a_match_that_stopped_goes_on_when_a_proxy_moves_but_not_by_being_resumed() -> None:
    match = lone(Vacancy.DEFAULT, Clock(per_turn=10.0))
    match.tick(1e6)
    match.handle(it.Resume("host"), 1e6)
    assert match.state.status is MatchStatus.PAUSED
    match.handle(it.Act(Seat("red"), [[1, 1], [2, 1]], by="host"), 1e6)
    assert fish_of(match, Seat("red")) == 1
    assert match.due() == 1e6 + 10.0


def test_where_nobody_comes_back_the_match_ends_instead() -> None:
    match = lone(Vacancy.LEFT_OUT)
    assert match.outcome is not None
    assert match.outcome.reason == "nobody who could act is left"
    assert replay(match.record).outcome == match.outcome


def test_a_moderator_can_force_a_turn_on_which_nobody_acts() -> None:
    match = lone(Vacancy.DEFAULT)
    turn = match.turn
    match.handle(it.ForceTurn("host"), 4.0)
    assert match.turn == turn + 1
