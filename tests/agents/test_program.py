"""A player in another program: the dialogue, and every way in which a program can fail."""

# Why real time passes here: programs live in real time, which no clock of ours stops.

from __future__ import annotations

import asyncio
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from parlour.agents.fish.lookahead import LookAheadPlayer
from parlour.agents.lines import MAX_LINE
from parlour.agents.process_supervisor import TRUSTED
from parlour.agents.program import Program
from parlour.core.events import Fouled, Removed, Voted
from parlour.core.game import Action, FoulKind, Outcome, View, Violation
from parlour.core.terms import Clock, Terms
from parlour.errors import ConfigError, RemoteWireError
from parlour.games.fish import COLOURS, GAME
from parlour.referee.conduct import STRICT
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import observed

RED, WHITE = COLOURS[:2]
START = GAME.start({}, (RED, WHITE), 1)
Make: TypeAlias = Callable[..., Program]
OVER = Outcome({}, (), "enough")

FIRST_FREE = """
import json, sys
for line in sys.stdin:
    (kind, value), = json.loads(line).items()
    print(kind, file=open(sys.argv[1], "a"))
    if kind != "ask":
        continue
    board, players = value["position"]["board"], value["position"]["players"]
    taken = [spot for player in players for spot in player["places"]]
    free = [[r, c] for r, row in enumerate(board) for c, fish in enumerate(row) if fish and [r, c] not in taken]
    action = free[0]
    if value["stage"] == "move":
        steps = [(-2, 0), (2, 0), (-1, -1), (-1, 0), (1, -1), (1, 0)]
        near = [([r, c], [r + y, c + x + (y % 2) * (r % 2)]) for r, c in players[0]["places"] for y, x in steps]
        action = next(move for move in near if move[1] in free)
    print(json.dumps({"turn": value["turn"], "action": action}), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Make]:
    """Makes a program of some Python source; all are ended with the test."""
    made: list[Program] = []

    def make(source: str, *arguments: str, patience: float = 20.0) -> Program:
        script = tmp_path / f"bot{len(made)}.py"
        script.write_text(textwrap.dedent(source), encoding="utf-8")
        made.append(Program([sys.executable, "-S", str(script), *arguments], "fish", patience=patience, limits=TRUSTED))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_program_plays_a_whole_match(program: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    match = Match(GAME, {"players": 2}, Terms(STRICT), seed=2)
    outcome = play(match, {RED: program(FIRST_FREE, str(log)), WHITE: LookAheadPlayer(1)})
    assert outcome.reason == "nobody can move"
    assert not match.state.places[RED].notes
    kinds = log.read_text(encoding="utf-8").split()
    assert kinds[0] == "start"
    assert set(kinds[1:-1]) == {"ask"}
    assert kinds[-1] == "end"


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("print('hello', flush=True); input()", RemoteWireError),
        ("print('[]', flush=True); input()", RemoteWireError),
        ('print(\'{"turn": "1", "action": 0}\', flush=True); input()', RemoteWireError),
        ("print('[' * 100000, flush=True); input()", RemoteWireError),
        (f"print('x' * {MAX_LINE + 100000}, flush=True); input()", RemoteWireError),
        ("import sys; sys.exit(3)", ConnectionError),
        ("import time; time.sleep(60)", TimeoutError),
    ],
)
def test_what_is_no_answer_raises_what_a_referee_understands(
    program: Make, source: str, error: type[Exception]
) -> None:
    player = program(source, patience=1.0)
    with pytest.raises(error):
        asyncio.run(player.act(View(RED, START, 1)))


def test_an_answer_to_an_earlier_turn_is_dropped(program: Make) -> None:
    player = program("""
        print('{"turn": 1, "action": "old"}', flush=True)
        print('{"turn": 2, "action": "new"}', flush=True)
        input()
    """)
    assert asyncio.run(player.act(View(RED, START, 2))) == "new"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"turn": 7, "action": "early"}, "the program answered turn 7, asked was turn 2"),
        ({"turn": 10**4000, "action": "ever"}, 'the program wrote a line that is not {"turn": ..., "action": ...}'),
        ({"turn": -(10**9) - 1, "action": 1}, 'the program wrote a line that is not {"turn": ..., "action": ...}'),
        ({"say": {"text": "hello"}}, 'the program wrote press, but not {"press": true} as its first line'),
        ({"ready": True}, 'the program wrote press, but not {"press": true} as its first line'),
        ({"answer": 1}, 'the program wrote a line that is not {"turn": ..., "action": ...}'),
    ],
)
def test_a_program_is_told_what_was_wrong_with_its_line(
    program: Make, tmp_path: Path, line: dict[str, Any], reason: str
) -> None:
    source = f"""
        import sys
        sys.stdin.readline()
        print({json.dumps(line)!r}, flush=True)
        open(sys.argv[1], "w").write(sys.stdin.readline())
    """
    player = program(source, str(tmp_path / "log"))

    async def scene() -> None:
        with pytest.raises(RemoteWireError, match=re.escape(reason)):
            await player.act(View(RED, START, 2))
        await asyncio.sleep(0.2)

    asyncio.run(scene())
    said = json.loads((tmp_path / "log").read_text(encoding="utf-8"))["refused"]["reason"]
    quoted = "" if "asked was" in reason else f": {json.dumps(line)[:80]}"
    assert said == f"{reason}{quoted}"


def test_an_answer_that_comes_before_its_question_waits_for_it(program: Make) -> None:
    player = program("""
        import sys
        print('{"turn": 1, "action": "first"}\\n{"turn": 2, "action": "second"}', flush=True)
        sys.stdin.read()
    """)

    async def scene() -> list[Action]:
        return [await player.act(View(RED, START, turn)) for turn in (1, 2)]

    assert asyncio.run(scene()) == ["first", "second"]


def test_a_silent_program_is_late_at_its_deadline(program: Make) -> None:
    match = Match(GAME, {"players": 2}, Terms(STRICT, Clock(per_turn=0.3)), seed=2)
    play(match, {RED: program("import time; time.sleep(60)"), WHITE: LookAheadPlayer(1)})
    fouls = [event.kind for event in match.record if isinstance(event, Fouled)]
    assert fouls == [FoulKind.LATE]


async def test_a_removed_program_is_ended(program: Make) -> None:
    player = program("import time; time.sleep(60)")
    await player.on_start(View(RED, START, 1))
    await player.on_event(observed(Removed(0.0, WHITE, "another")))
    assert player._lines.process.poll() is None
    await player.on_event(observed(Removed(0.0, RED, "late")))
    assert player._lines.process.poll() is not None
    await player.on_end(OVER)
    with pytest.raises(ConnectionError):
        await player.act(View(RED, START, 1))


def test_a_program_that_does_not_end_by_itself_is_killed(program: Make) -> None:
    player = program("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")
    asyncio.run(player.on_end(OVER))
    assert player._lines.process.poll() == -9


def test_refusals_are_passed_on(program: Make, tmp_path: Path) -> None:
    out = tmp_path / "out"
    player = program(f"import sys; open({str(out)!r}, 'w').write(sys.stdin.read())")
    asyncio.run(player.on_refused(Violation("placement", "[0, 0]", "There is a hole in that spot.")))
    player.close()
    assert out.read_text(encoding="utf-8") == '{"refused":{"reason":"There is a hole in that spot."}}\n'


@pytest.mark.parametrize("command", ["", "/no/such/program --fast"])
def test_a_command_that_does_not_start_is_a_bad_setting(command: str) -> None:
    with pytest.raises(ConfigError, match=r"^agent: "):
        Program(command)


VOTER = """
import json, sys
for line in sys.stdin:
    (kind, value), = json.loads(line).items()
    if kind == "ask":
        print(json.dumps({"vote": WORD}), flush=True)
        print(json.dumps({"turn": value["turn"], "action": value["legal"][0]}), flush=True)
"""


def test_programs_vote_on_a_draw(program: Make) -> None:
    match = Match(GAME, {"players": 2}, Terms(STRICT), seed=2)
    play(match, {RED: program(VOTER.replace("WORD", '"yes"')), WHITE: LookAheadPlayer(1)})
    votes = [event for event in match.record if isinstance(event, Voted)]
    assert votes
    assert {(vote.seat, vote.ballot) for vote in votes} == {(RED, "yes")}


def test_a_vote_that_is_none_is_garbled(program: Make) -> None:
    match = Match(GAME, {"players": 2}, Terms(STRICT), seed=2)
    play(match, {RED: program(VOTER.replace("WORD", '"maybe"')), WHITE: LookAheadPlayer(1)})
    fouls = [event for event in match.record if isinstance(event, Fouled)]
    assert "neither yes nor no" in fouls[0].detail
