"""The command line in this process: its exit code, and what it printed."""

from __future__ import annotations

import io
import sys

import pytest

from parlour.cli import main


def run(arguments: list[str], capsys: pytest.CaptureFixture[str], given: bytes = b"") -> tuple[int, str, str]:
    """Run `parlour` with something on its standard input; return the exit code, stdout and stderr."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        with pytest.raises(SystemExit) as ended:
            main(arguments)
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err
