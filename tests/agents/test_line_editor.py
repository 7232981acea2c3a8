"""The editor of lines, typed into through a pipe: Tab, history, Ctrl-C, the end."""

# Why real time passes here: a terminal is typed at in real time.

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from parlour.agents.completing import completer
from parlour.agents.human import Human
from parlour.agents.line_editor import PromptTerminal
from parlour.agents.terminal import FileTerminal, the_terminal
from parlour.core.game import View
from parlour.games.diplomacy.position import Position
from support.press.stories import SEATS

FRANCE = SEATS["FRA"]
UP = "\x1b[A"


def typed(*keys: str, lines: int = 1, completes: bool = True) -> list[str]:
    """Return the line that these keys give."""

    async def story() -> list[str]:
        with create_pipe_input() as pipe:
            terminal = PromptTerminal(pipe, DummyOutput())
            complete = completer(Position.start(), FRANCE, tuple(SEATS.values()), talks=True) if completes else None
            found = []
            for number in range(lines):
                typing = asyncio.create_task(terminal.line(complete))
                for part in keys[number].replace("\t", "\t\0").split("\0"):
                    pipe.send_text(part)
                    await asyncio.sleep(0.2)  # words are looked up while one goes on typing
                found.append(await typing)
            return found

    return asyncio.run(story())


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("A PAR - BUR\r", "A PAR - BUR"),
        ("A PAR - BU\t\r", "A PAR - BUR"),
        ("A P\t - M\x7fBU\t\r", "A PAR - BUR"),
        ("GERMANY: PRP ( PCE ( FRA GE\t\r", "GERMANY: PRP ( PCE ( FRA GER"),
        ("A PAR - BUR;F BR\t\r", "A PAR - BUR;F BRE"),
        ("xyz\x1b[D\x1b[D\x7fa\r", "ayz"),
        ("\x03", "quit"),
    ],
)
def test_keys_edit_a_line(keys: str, line: str) -> None:
    assert typed(keys) == [line]


def test_earlier_lines_come_back() -> None:
    assert typed("A PAR - BUR\r", f"{UP}\r", lines=2) == ["A PAR - BUR", "A PAR - BUR"]


def test_the_end_of_input_is_the_end() -> None:
    with pytest.raises(EOFError):
        typed("\x04")


def test_ctrl_c_asks_before_leaving() -> None:
    async def story(keys: Sequence[str]) -> object:
        with create_pipe_input() as pipe:
            human = Human(PromptTerminal(pipe, DummyOutput()))
            for key in keys:
                pipe.send_text(key)
            return await human.act(View(FRANCE, Position.start(), 1))

    assert asyncio.run(story(["\x03", "no\r", "hold\r"])) == Position.start().default(FRANCE)
    with pytest.raises(EOFError):
        asyncio.run(story(["\x03", "yes\r"]))


def test_only_a_screen_with_a_keyboard_gets_the_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen:
        def isatty(self) -> bool:
            return True

        def fileno(self) -> int:
            return 0

    the_terminal.cache_clear()
    try:
        assert isinstance(the_terminal(), FileTerminal)
        the_terminal.cache_clear()
        monkeypatch.setattr(sys, "stdin", Screen())
        monkeypatch.setattr(sys, "stdout", Screen())
        assert isinstance(the_terminal(), PromptTerminal)
        the_terminal.cache_clear()
        monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
        monkeypatch.delitem(sys.modules, "parlour.agents.line_editor")
        assert isinstance(the_terminal(), FileTerminal)
    finally:
        the_terminal.cache_clear()
