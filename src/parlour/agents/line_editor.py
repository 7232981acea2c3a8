"""A terminal with an editor of lines: completion, history, and Ctrl-C that asks first (extra `human`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import print_formatted_text

from parlour.agents.completing import Complete
from parlour.agents.terminal import SharedTerminal

LEAVE = "quit"
"""The line that Ctrl-C types."""


class PromptTerminal(SharedTerminal):
    """A terminal in which people edit what they type. Input and output are for tests."""

    colour = True

    def __init__(self, source: Any = None, out: Any = None) -> None:
        super().__init__()
        self._history = InMemoryHistory()
        self._source, self._out = source, out

    async def line(self, complete: Complete | None = None) -> str:
        """Return the next line that is typed, or `quit` after Ctrl-C; EOFError if the input has ended."""
        session: PromptSession[str] = PromptSession(
            "> ",
            history=self._history,
            completer=None if complete is None else _WordCompleter(complete),
            complete_while_typing=False,
            input=self._source,
            output=self._out,
        )
        try:
            with patch_stdout(raw=True):
                return await session.prompt_async(handle_sigint=False)
        except KeyboardInterrupt:
            return LEAVE

    def show(self, text: str) -> None:
        """Print a line, above the one that is being typed."""
        print_formatted_text(ANSI(text), output=self._out)


class _WordCompleter(Completer):
    """Adapts a completion function to the editor's interface."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        typed = document.text_before_cursor
        word = (
            ""
            if typed[-1:].isspace()
            else typed.replace(";", " ").replace(",", " ").replace(":", " ").rpartition(" ")[2]
        )
        for found in self._complete(typed):
            yield Completion(found, start_position=-len(word))
