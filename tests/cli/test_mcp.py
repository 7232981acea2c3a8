"""parlour mcp: how it begins and ends. tests/net/mcp plays whole matches through it."""

# Why real time passes here: a program is started, and ended by a signal.

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.cli import main
from parlour.cli.mcp import MOST_OF_ONE, config_of
from parlour.net.framing.http import BoundedHttp
from support.waiting import PATIENCE


def test_connections_over_http_are_bounded() -> None:
    protocol = config_of(None).http
    assert isinstance(protocol, type)
    assert issubclass(protocol, BoundedHttp)
    assert protocol.limiter.most_of_one == MOST_OF_ONE


@pytest.mark.parametrize("words", [["--allowed-host", "here:1"], ["--host", "0.0.0.0"]])
def test_what_is_for_http_needs_it(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["mcp", *words])
    assert stop.value.code == 2
    assert "give --http, too" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("over", "number"), [("http", signal.SIGINT), ("stdio", signal.SIGTERM), ("stdio", signal.SIGHUP)]
)
def test_whoever_ends_it_finds_nothing_left_behind_and_no_traceback(
    over: str, number: signal.Signals, tmp_path: Path
) -> None:
    kept, told = tmp_path / "kept", tmp_path / "told"
    kept.mkdir()
    words = [sys.executable, "-u", "-m", "parlour", "mcp", *(["--http", "0"] if over == "http" else [])]
    pipe = subprocess.PIPE
    with (
        told.open("wb") as errors,
        subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=errors, env=os.environ | {"TMPDIR": str(kept)}
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        if over == "stdio":
            process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
            process.stdin.flush()
        assert process.stdout.readline()
        assert list(kept.iterdir())
        process.send_signal(number)
        try:
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    assert not list(kept.iterdir())
    assert told.read_bytes() == b""
