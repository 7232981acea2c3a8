"""A page's shell blocks as one script, run in a folder, a network and processes of its own.

Two pages may open the ports that they print at the same time, and nothing that a page started outlives it. A line
that starts a server runs in the background until the next such line; the script waits until the server answers.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from support import TESTS

DOCS = TESTS.parent / "docs"
EXAMPLES = TESTS.parent / "examples"
SERVER = re.compile(r"^(?:\$ )?parlour (?:serve\b|play .*--daide\b|.*--browser\b)")
"""Lines that wait for players or viewers until they are stopped."""
IN_BACKGROUND = re.compile(r"^(?P<line>.*--port (?P<port>\d+).*?)&(?:\s*#.*)?$")
"""Lines that the page itself runs in the background, and the port to wait for."""
PAGES_PORT = 8080
ALONE = ("unshare", "--map-root-user", "--net", "--pid", "--fork", "--mount-proc")
"""Starts a command with a network and processes of its own, which all end with it."""
CHEAPER = (
    (re.compile(r"--blocks \d+"), "--blocks 1"),
    (
        re.compile(
            r"^(parlour (?:play|tournament) diplomacy (?!.*--(?:last-year|years|resume|browser|daide))[^#\n]*)", re.M
        ),
        r"\1 --last-year 1901",
    ),
)
"""Numbers that decide only how long a command takes."""
PRELUDE = """
set -eu -o pipefail
stop_server() {
  [ -f server.pid ] || return 0
  kill -KILL -- "-$(cat server.pid)" 2> port.log || true
  while pgrep -g "$(cat server.pid)" > port.log; do sleep 0.05; done
  rm server.pid
}
answers() {
  case $1 in
    http) grep -q http:// server.log ;;
    *) (: < "/dev/tcp/127.0.0.1/$1") 2> port.log ;;
  esac
}
await() {
  for place in "$@"; do
    until answers "$place"; do
      [ ! -f server.pid ] || kill -0 "$(cat server.pid)" 2> port.log || { cat server.log; exit 1; }
      sleep 0.1
    done
  done
}
"""
LOOPBACK = """
import fcntl, os, socket, struct, sys
with socket.socket() as plug:
    fcntl.ioctl(plug, 0x8914, struct.pack("16sh", b"lo", 1))  # SIOCSIFFLAGS: up
os.execvp("bash", ["bash", *sys.argv[1:]])
"""


@dataclass(frozen=True)
class Prepared:
    """Files that a page expects, and lines that the tests change or leave out."""

    before: str = ""
    """Shell lines that make the files of which the page speaks."""
    cheaper: Mapping[str, str] = field(default_factory=dict)
    """Parts of commands, and what takes less time and shows the same."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Beginnings of lines that wait for other players, and the command that brings those."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Beginnings of lines that cannot run here, and why."""


def blocks(page: Path) -> list[str]:
    """Return the shell blocks of a page."""
    return re.findall(r"^```(?:sh|console)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def saved(page: Path) -> dict[str, str]:
    """Return the files that a page has its reader save, by name."""
    found = re.findall(
        r"[Ss]ave this as `(\w+\.\w+)`:\n\n```(?:python)?\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    return dict(found)


def script(page: Path, prepared: Prepared) -> str:
    """Return the bash script that runs a page."""
    text = "\n".join(blocks(page))
    for old, new in prepared.cheaper.items():
        assert old in text, f"{page.name} no longer has {old!r}"
        text = text.replace(old, new)
    for pattern, cheap in CHEAPER:
        text = pattern.sub(cheap, text)
    left = dict.fromkeys([*prepared.left_out, *prepared.others], False)
    lines = [PRELUDE]
    for line in [*prepared.before.splitlines(), *text.splitlines()]:
        start = next((start for start in left if line.startswith(start)), "")
        others = prepared.others.get(start)
        if start:
            left[start] = True
        if start and others is None:
            continue
        if SERVER.match(line):
            lines.append(_served(line.removeprefix("$ ").partition("  #")[0]))
            lines.append(_until_the_end(others) if others else ":")
        elif others:
            lines.append(f"( {others} ) > others.log 2>&1 &\n{line}\nwait")
        elif own := IN_BACKGROUND.match(line):
            lines.append(f"{own['line']} > background.log 2>&1 & await {own['port']}")
        else:
            lines.append(line)
    assert all(left.values()), f"{page.name} no longer has {[start for start, found in left.items() if not found]}"
    return "\n".join(lines)


def _until_the_end(players: str) -> str:
    """Return the lines that bring the players of a match that a server plays, and wait until it has ended."""
    return f'( {players} ) > others.log 2>&1\nwhile kill -0 "$(cat server.pid)" 2> port.log; do sleep 0.1; done'


def _served(line: str) -> str:
    """Return the lines that stop the last server, start this one and wait until it answers."""
    ports = re.findall(r"-port (\d+)", line)
    if "--browser" in line:
        ports = ["http"]
    elif "--daide " in line:
        ports = ports or ["16713"]
    elif "--game fish" not in line:
        ports.append(str(PAGES_PORT))
    start = f"setsid bash -c 'echo $$ > server.pid; exec {line}' > server.log 2>&1 & disown"
    return f"stop_server\n{start}\nawait {' '.join(ports)}"


def run(page: Path, prepared: Prepared, folder: Path) -> str:
    """Run a page in a folder; return what it printed, or fail with it."""
    (folder / "examples").symlink_to(EXAMPLES)
    for name, text in saved(page).items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "page.sh").write_text(script(page, prepared), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PARLOUR_")}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    environment["PARLOUR_ADMIN_PASSWORD"] = "only-for-tests"
    done = subprocess.run(
        [*ALONE, sys.executable, "-c", LOOPBACK, "-x", "page.sh"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, f"{page.name}: {done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    return done.stdout
