"""Standard input that can be ended: all of it comes through, its end too, and whoever waits for it need not."""

from __future__ import annotations

import subprocess
import sys

from support.waiting import PATIENCE

READER = """
import sys, threading
from parlour.cli.terminal.feed import endable_input
with endable_input() as end:
    if len(sys.argv) > 1:
        threading.Timer(0.2, end).start()
    read = sys.stdin.buffer.read()
print(len(read), sum(read))
print("again", sys.stdin.buffer.read(1))
"""


def test_all_of_it_comes_through_with_its_end() -> None:
    text = bytes(range(256)) * 4000
    done = subprocess.run([sys.executable, "-c", READER], input=text, capture_output=True, check=True, timeout=PATIENCE)
    assert done.stdout.split() == [b"1024000", str(sum(text)).encode(), b"again", b"b''"]
    assert done.stderr == b""


def test_whoever_waits_for_more_is_told_that_there_is_none() -> None:
    words = [sys.executable, "-c", READER, "end"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"early")
        process.stdin.flush()
        assert process.stdout.readline().split()[0] in (b"5", b"0")
        process.stdin.write(b"late")
        process.stdin.flush()
        assert process.stdout.readline() == b"again b'l'\n", "what came later is there for whoever reads next"
