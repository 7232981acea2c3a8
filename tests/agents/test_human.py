"""A person at the terminal: what lines mean, what is explained, how one talks, who leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from parlour.agents import make_agent
from parlour.agents.human import Human, read_action
from parlour.core import events as ev
from parlour.core.game import Action, Outcome, Seat, View
from parlour.core.intents import Ballot, CommStatus, Consultation, Refusal, RefusalCode
from parlour.core.player import ObservedEvent, Player
from parlour.core.terms import Clock, PressMode, PressTerms, SealMode, SealTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.games.fish import COLOURS, GAME
from parlour.press.ledger import ledger_of
from parlour.referee.conduct import DIPLOMACY, STRICT
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import observed
from support.fish.positions import random_game
from support.press.stories import SEATS
from support.waiting import PATIENCE

FRANCE, ENGLAND, GERMANY = SEATS["FRA"], SEATS["ENG"], SEATS["GER"]


class Script:
    """A terminal at which the lines are typed that the test has written; then nobody types, or all is silent."""

    def __init__(self, *lines: str, then_silent: bool = False) -> None:
        self._lines, self._then_silent = list(lines), then_silent
        self.shown: list[str] = []

    colour = False

    async def line(self, complete: Any = None) -> str:
        await asyncio.sleep(0.01)  # the time to let others answer
        if self._lines:
            return self._lines.pop(0)
        if self._then_silent:
            await asyncio.sleep(3600)
        raise EOFError

    def show(self, text: str) -> None:
        self.shown.append(text)

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        yield

    @property
    def text(self) -> str:
        return "\n".join(self.shown)


class SeatHandle:
    """Notes what its player does."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.done: list[tuple[Any, ...]] = []

    def say(self, text: str, to: Sequence[Seat] = ()) -> None:
        self.done.append((text, *to))

    def vote(self, ballot: Ballot) -> None:
        self.done.append((ballot,))

    def act(self, action: Action) -> None: ...

    def set_comm_status(self, status: CommStatus) -> None: ...

    def set_wait(self, wait: bool) -> None: ...

    def note(self, text: str) -> None: ...

    def seal(self, *_: Any, **__: Any) -> None: ...

    def reserve(self, tokens: int, usd: float = 0.0) -> int | Refusal:
        return 0

    def consult(self, consultation: Consultation, call: int | None = None) -> Refusal | None:
        return None


def asked(terminal: Script, view: View) -> Action:
    return asyncio.run(Human(terminal).act(view))


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("0 2", [0, 2]),
        ("0,2", [0, 2]),
        ("[0, 2]", [0, 2]),
        ("0 2 4 2", [[0, 2], [4, 2]]),
        ("[[0,2],[4,2]]", [[0, 2], [4, 2]]),
        ("A PAR - BUR; F BRE H", ["A PAR - BUR", "F BRE H"]),
        ("A PAR - BUR, F BRE H; A MAR H", ["A PAR - BUR", "F BRE H", "A MAR H"]),
        ("", []),
        ("1 " + "9" * 5000, ["1 " + "9" * 5000]),
    ],
)
def test_a_line_is_json_or_numbers_or_orders(line: str, action: Any) -> None:
    assert read_action(line) == action


def test_a_wrong_line_is_explained_and_asked_for_again() -> None:
    position = GAME.start({}, COLOURS[:2], 1)
    terminal = Script("hello", "9 9", "0 3")
    assert asked(terminal, View(COLOURS[0], position, 1)) == [0, 3]
    assert str(position) in terminal.text
    assert "a placement is [row, column]" in terminal.text
    assert "That spot is not on the board." in terminal.text


def test_a_question_mark_lists_what_is_possible() -> None:
    position = next(p for p in random_game(20, 20, 2, 1) if p.stage == "move")
    legal = position.legal(position.to_act()[0])
    terminal = Script("?", str(legal[0]))
    assert asked(terminal, View(position.to_act()[0], position, 1)) == legal[0]
    penguins = len({str(start) for start, _ in legal})
    listed = [line for line in terminal.shown if line[:3].strip().isdigit() and " to " in line]
    assert len(listed) == penguins <= 4  # the board stays in sight
    assert "press" not in terminal.text


def test_a_person_who_leaves_is_gone() -> None:
    with pytest.raises(EOFError):
        asked(Script(), View(COLOURS[0], GAME.start({}, COLOURS[:2], 1), 1))


def test_refusals_and_the_end_are_shown() -> None:
    terminal = Script()
    player = Human(terminal)
    player.on_refused(Refusal(RefusalCode.OUT_OF_TURN, "red is not to act now"))
    player.on_end(Outcome({}, (("red", "white"), ("brown",)), "nobody can move"))
    assert terminal.shown == ["red is not to act now", "The match is over (nobody can move): red and white, brown."]


def talking(*lines: str, mode: PressMode = PressMode.WINDOW) -> tuple[list[tuple[Any, ...]], Script, Action]:
    """Return the input and the screen of a person in France's seat, to whom England and Germany have made proposals."""
    terminal, handle = Script(*lines), SeatHandle(FRANCE)
    player, position = Human(terminal), Position.start()
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(mode))
    player.on_event(observed(ev.Opened(at=0.0, game="diplomacy", config={}, terms=terms, seed=0)))
    player.on_seated(handle)
    player.on_event(observed(ev.Started(at=0.0, seats=tuple(SEATS.values()), position=position.encode())))
    for seat, to, text in (
        (ENGLAND, (FRANCE,), "PRP (PCE (ENG FRA))"),
        (GERMANY, (FRANCE, ENGLAND), "PRP (DMZ (FRA GER) (BUR))"),
        (GERMANY, (FRANCE,), "How do you do?"),
        (FRANCE, (GERMANY,), "PRP (DRW)"),
    ):
        player.on_event(observed(ev.Said(at=1.0, seat=seat, to=to, text=text, turn=1)))
    return handle.done, terminal, asyncio.run(player.act(View(FRANCE, position, 1)))


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("england: PRP (PCE (ENG FRA))", ("PRP (PCE (ENG FRA))", ENGLAND)),
        ("ENG, ger: at noon: attack", ("at noon: attack", ENGLAND, GERMANY)),
        ("all: hello", ("hello",)),
        ("yes", ("YES (PRP (DMZ (FRA GER) (BUR)))", GERMANY, ENGLAND)),
        ("yes ENG", ("YES (PRP (PCE (ENG FRA)))", ENGLAND)),
        ("no germany", ("REJ (PRP (DMZ (FRA GER) (BUR)))", GERMANY, ENGLAND)),
        ("vote yes", (Ballot.YES,)),
    ],
)
def test_press_answers_and_votes_are_typed_before_the_orders(line: str, done: tuple[Any, ...]) -> None:
    assert talking(line, "A PAR H")[::2] == ([done], ["A PAR H"])


def test_what_is_said_before_the_window_opens_is_sent_when_it_does() -> None:
    terminal, handle = Script("ENG: hello", "A PAR H"), SeatHandle(FRANCE)
    player, position = Human(terminal), Position.start()
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW))
    player.on_event(observed(ev.Opened(at=0.0, game="diplomacy", config={}, terms=terms, seed=0)))
    player.on_seated(handle)
    player.on_event(observed(ev.Started(at=0.0, seats=tuple(SEATS.values()), position=position.encode())))
    player.on_event(observed(ev.TurnBegan(at=0.0, turn=1, stage="orders", to_act=position.to_act())))
    asyncio.run(player.act(View(FRANCE, position, 1)))
    assert not handle.done
    assert "That is sent as soon as the press window opens." in terminal.shown
    player.on_event(observed(ev.PressOpened(at=1.0, turn=1, until=61.0)))
    assert handle.done == [("hello", ENGLAND)]


def test_a_window_that_never_opened_is_no_secret() -> None:
    terminal = Script("ENG: hello", "A PAR H")
    player, position = Human(terminal), Position.start()
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW))
    player.on_event(observed(ev.Opened(at=0.0, game="diplomacy", config={}, terms=terms, seed=0)))
    player.on_seated(SeatHandle(FRANCE))
    player.on_event(observed(ev.Started(at=0.0, seats=tuple(SEATS.values()), position=position.encode())))
    for turn in (1, 2):
        player.on_event(observed(ev.TurnBegan(at=0.0, turn=turn, stage="orders", to_act=position.to_act())))
        if turn == 1:
            asyncio.run(player.act(View(FRANCE, position, 1)))
    assert terminal.shown[-1] == "The press window did not open: what you said was not sent."


def test_an_answer_to_nothing_is_explained() -> None:
    done, terminal, _ = talking("yes TUR", "yes MARS", "yes", "yes", "yes", "A PAR H")
    assert len(done) == 2
    assert "No such proposal. An answer is awaited by: ENGLAND, GERMANY." in terminal.shown
    assert "There is no 'MARS', expected one of AUSTRIA, ENGLAND, GERMANY" in terminal.text
    assert "No such proposal. An answer is awaited by: nobody." in terminal.shown


@pytest.mark.parametrize(("line", "word"), [("XXX: hi", "XXX"), ("ENG, gremany: hi", "gremany"), ("A PAR: hi", "PAR")])
def test_who_is_addressed_by_a_wrong_name_is_asked_for_again(line: str, word: str) -> None:
    done, terminal, action = talking(line, "A PAR H")
    assert (done, action) == ([], ["A PAR H"]), "nobody hears a part of it"
    others = "AUSTRIA, ENGLAND, GERMANY, ITALY, RUSSIA, TURKEY"
    assert terminal.shown[-1] == f"There is no '{word}', expected one of {others}. To everybody: all."


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        (": hello", PressMode.WINDOW),
        ('{"A": 1}', PressMode.WINDOW),
        ("1-2: x", PressMode.WINDOW),
        ("XXX: hello", PressMode.NONE),
        ("ENG: hello", PressMode.NONE),
    ],
)
def test_what_is_no_heading_or_where_nobody_talks_is_no_press(line: str, mode: PressMode) -> None:
    done, terminal, _ = talking(line, "A PAR H", mode=mode)
    assert not done
    assert "expected one of AUSTRIA" not in terminal.text
    assert len(terminal.shown) == 3, "it is explained as an order"


def test_the_help_tells_how_to_talk_where_one_can() -> None:
    assert "yes FRANCE" in talking("?", "A PAR H")[1].text
    assert "yes FRANCE" not in talking("?", "A PAR H", mode=PressMode.NONE)[1].text


class Patient(Human):
    """A person who gives orders only once Italy has answered: whoever gives them ends the talk for himself."""

    def __init__(self, terminal: Script) -> None:
        super().__init__(terminal)
        self._answered = asyncio.Event()

    def on_event(self, observed: ObservedEvent) -> None:
        event = observed.event
        super().on_event(observed)
        if isinstance(event, ev.Said) and event.seat == SEATS["ITA"]:
            self._answered.set()

    async def _line(self, complete: Any = None) -> str:
        line = await super()._line(complete)
        if not line:
            await self._answered.wait()  # in real time, as people have no other, and as long as it takes
        return line


def test_a_person_makes_a_pact_with_bots_at_a_real_table() -> None:
    events: list[ev.Event] = []
    terminal = Script("gone fishing: x", "ITA: PRP (PCE (FRA ITA))", *["", "yes"] * 40)
    players: dict[Seat, Player] = {seat: make_agent("diplomacy", "yesman", 1) for seat in SEATS.values()}
    players[FRANCE] = Patient(terminal)
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW))
    play(Match(Diplomacy(), {"last_year": 1901}, terms, 1), players, keep=events.extend)
    [pact] = ledger_of(events).pacts.all
    assert pact.parties == {"FRA", "ITA"}
    assert not any(isinstance(event, ev.Fouled) for event in events)


def test_a_question_that_came_too_late_does_not_swallow_the_next_answer() -> None:
    """The first turn runs out; what is typed in the second belongs to the second."""
    terminal = Script(then_silent=True)

    async def scene() -> Action:
        player, position = Human(terminal), Position.start()
        late = asyncio.create_task(player.act(View(FRANCE, position, 1)))
        await asyncio.sleep(0.03)
        terminal._lines.append("A PAR - BUR")
        action = await player.act(View(FRANCE, position, 2))
        with pytest.raises(TimeoutError):
            await late
        return action

    assert asyncio.run(scene()) == ["A PAR - BUR"]


def test_a_silent_person_is_timed_like_anybody() -> None:
    terminal = Script(then_silent=True)
    players: dict[Seat, Player] = {COLOURS[0]: Human(terminal), COLOURS[1]: make_agent("fish", "greedy", 1)}
    terms = Terms(conduct=STRICT, clock=Clock(per_turn=1.5))  # enough for the other one on a busy machine
    outcome = play(Match(GAME, {"players": 2}, terms, 1), players)
    assert outcome.places == ((COLOURS[1],),)


def at_start(*lines: str, told: Sequence[ev.Event] = (), remaining: float | None = None) -> tuple[Any, Script]:
    """Return the orders for France in 1901 of a person who types those lines, and the screen."""
    terminal = Script(*lines)
    human = Human(terminal)
    human.on_seated(SeatHandle(FRANCE))
    for event in told:
        human.on_event(observed(event))
    view = View(FRANCE, Position.start(), 1, remaining, remaining)
    return asyncio.run(human.act(view)), terminal


def test_an_empty_line_asks_first() -> None:
    orders, terminal = at_start("", "no", "", "yes")
    assert orders == []
    assert terminal.text.count("That orders nothing") == 2


def test_an_empty_line_is_no_move_of_fish() -> None:
    position = GAME.start({"players": 2}, COLOURS[:2], 1)
    terminal = Script("", "0 0")
    assert asked(terminal, View(COLOURS[0], position, 1)) == [0, 0]
    assert "orders nothing" not in terminal.text


def test_hold_orders_what_an_absent_player_does() -> None:
    assert at_start("hold")[0] == Position.start().default(FRANCE)


@pytest.mark.parametrize("word", ["help", "?"])
def test_help_says_what_can_be_typed(word: str) -> None:
    text = at_start(word, "hold")[1].text
    assert "A PAR: H; - BUR GAS PIC BRE" in text
    assert "leaves the match" in text


def test_who_quits_is_asked_first() -> None:
    with pytest.raises(EOFError):
        at_start("quit", "yes")
    assert at_start("quit", "no", "hold")[0]
    with pytest.raises(EOFError):
        at_start("quit")  # and then nobody types any more


def test_the_clock_is_told() -> None:
    assert "You have 30 s." in at_start("hold", remaining=30.0)[1].text
    assert "You have" not in at_start("hold")[1].text


def test_who_is_removed_hears_it_at_once() -> None:
    async def story() -> Script:
        terminal = Script(then_silent=True)
        human = Human(terminal)
        human.on_seated(SeatHandle(FRANCE))
        acting = asyncio.create_task(human.act(View(FRANCE, Position.start(), 1)))
        await asyncio.sleep(0.05)
        human.on_event(observed(ev.Removed(1.0, FRANCE, "disconnected: nobody types")))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(acting, PATIENCE)
        return terminal

    assert "You were removed: gone: nobody types." in asyncio.run(story()).text


def test_why_an_order_failed_is_said() -> None:
    terminal = Script("A PAR - BUR; A MAR H; F BRE H")
    human = Human(terminal)
    human.on_seated(SeatHandle(FRANCE))
    asyncio.run(human.act(View(FRANCE, Position.start(), 1)))
    actions = {"FRANCE": ["A PAR - BUR", "A MAR H", "F BRE H"], "GERMANY": ["A MUN - BUR"]}
    human.on_event(observed(ev.TurnEnded(1.0, 1, actions, {})))
    assert any(line.startswith("A PAR - BUR: ") for line in terminal.shown)
    assert not any(line.startswith("A MUN - BUR: ") for line in terminal.shown)


def test_a_person_may_say_huh() -> None:
    terms = Terms(DIPLOMACY, press=PressTerms(PressMode.ANYTIME))
    seats = tuple(SEATS.values())
    told: list[ev.Event] = [
        ev.Opened(0.0, "diplomacy", {}, terms, 1),
        ev.Started(0.0, seats, Position.start().encode()),
        ev.Said(0.0, GERMANY, (FRANCE,), "PRP (PCE (FRA GER))", 1),
    ]
    terminal = Script("huh germany", "hold")
    human, handle = Human(terminal), SeatHandle(FRANCE)
    human.on_seated(handle)
    for event in told:
        human.on_event(observed(event))
    asyncio.run(human.act(View(FRANCE, Position.start(), 1)))
    assert handle.done == [("HUH (ERR PRP (PCE (FRA GER)))", GERMANY)]


def test_names_are_shown_in_colour_where_there_is_any() -> None:
    terminal = Script("hold")
    terminal.colour = True
    human = Human(terminal)
    human.on_seated(SeatHandle(FRANCE))
    human.on_event(observed(ev.Started(0.0, tuple(SEATS.values()), Position.start().encode())))
    asyncio.run(human.act(View(FRANCE, Position.start(), 1)))
    assert "\x1b[1;36mFRANCE\x1b[0m" in terminal.text


def test_a_person_is_asked_for_a_plan_once_a_turn_and_may_skip() -> None:
    script = Script("A PAR - BUR", "ENGLAND: hello", "A PAR - BUR", "", "A MAR - SPA", "", "hold")
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.ANYTIME), seals=SealTerms(SealMode.REQUIRED))
    match = Match(Diplomacy(), {"last_year": 1901}, terms, 1)
    players: dict[Seat, Any] = {seat: make_agent("diplomacy", "hold") for seat in SEATS.values()}
    play(match, {**players, FRANCE: Human(script)})
    mine = [event for event in match.record if getattr(event, "seat", "") == FRANCE]
    assert [event.action for event in mine if isinstance(event, ev.Sealed)] == [["A PAR - BUR"]]
    turns = [event for event in mine if isinstance(event, ev.Acted)][:2]
    assert [event.action for event in turns] == [["A PAR - BUR"], ["A MAR - SPA"]], "no orders are typed twice"
    assert [event.unsealed for event in turns] == [True, True], "the one talked after its plan, the other had none"
    assert script.text.count("What do you plan?") == 2


def test_a_proposal_in_prose_is_answered_by_its_core() -> None:
    player, handle = Human(Script("yes ENGLAND", "hold")), SeatHandle(FRANCE)
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.ANYTIME))
    position = Position.start()
    for event in (
        ev.Opened(0.0, "diplomacy", {}, terms, 0),
        ev.Started(0.0, tuple(SEATS.values()), position.encode()),
        ev.Said(1.0, ENGLAND, (FRANCE,), "Peace?\n:: PRP ( PCE ( ENG FRA ) )", 1),
    ):
        player.on_event(observed(event))
        player.on_seated(handle)
    asyncio.run(player.act(View(FRANCE, position, 1)))
    assert handle.done == [("YES (PRP ( PCE ( ENG FRA ) ))", ENGLAND)]
