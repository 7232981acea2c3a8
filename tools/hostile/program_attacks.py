"""Attacks of programs that play, and of packages: secrets that a stranger's code finds on the host's machine."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from house import House
from table import Happened, attack

ROOT = Path(__file__).parents[2]
KEY = "the key of the host"
PROGRAM = """
import glob, os, signal
found = []
if "THE_KEY" in os.environ: found.append("a key")
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try: words = open(path, "rb").read()
    except OSError: continue
    if b"--seed" in words: found.append("the seed")
    if b"opponent.py" in words and b"parlour" not in words:
        try:
            os.kill(int(path.split("/")[2]), signal.SIGSTOP)
            found.append("its opponent")
        except OSError: pass
for place in PLACES:
    for name in ("match.jsonl", "runs.db"):
        try: found.append(name) if open(os.path.join(place, name), "rb").read(1) else None
        except OSError: pass
print("found: " + (", ".join(found) or "nothing"), flush=True)
input()
input()
"""
VANDAL = """
import os
found = []
for path in ("/etc/passwd", "/usr/bin/env", "/proc/sys/kernel/core_pattern"):
    try: os.close(os.open(path, os.O_WRONLY)); found.append(path)
    except OSError: pass
for folder, _, names in os.walk("/dev"):
    for node in (os.path.join(folder, name) for name in names):
        try:
            if os.lstat(node).st_mode & 0o006: continue
            os.close(os.open(node, os.O_RDONLY | os.O_NONBLOCK)); found.append(node)
        except OSError: pass
for _ in range(2000): os.mkdir("deep"); os.chdir("deep")
print("found: " + (", ".join(found) or "nothing"), flush=True)
input()
"""
OPPONENT = "import time\ntime.sleep(3)\n"
VERBS = {
    "play": ("play", "fish", "--record", "match.jsonl", "--seed", "12345"),
    "play, confined": ("play", "fish", "--record", "match.jsonl", "--seed", "12345", "--confined"),
    "tournament": ("tournament", "fish", "--store", "runs.db", "--seed", "12345", "--blocks", "1"),
}


@attack(12, "a program looks for keys, the seed, the record and its opponent")
async def snooping_program(house: House, seconds: float) -> Happened:
    told, bad = [], False
    for verb, words in VERBS.items():
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "bot.py").write_text(f"PLACES = {[folder, '.', '..', '/tmp']!r}\n{PROGRAM}")
            (Path(folder) / "opponent.py").write_text(OPPONENT)
            command = [str(Path(sys.executable).with_name("parlour")), *words]
            command += [f"{sys.executable} {name}.py" for name in ("bot", "opponent")]
            with (Path(folder) / "output").open("wb") as file:  # not a pipe, which a stopped process would keep open
                process = await asyncio.create_subprocess_exec(
                    *command,
                    cwd=folder,
                    env={**os.environ, "THE_KEY": KEY},
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=file,
                    start_new_session=True,
                )
            try:
                async with asyncio.timeout(25.0):
                    await process.wait()
            except TimeoutError:
                os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
            output = (Path(folder) / "output").read_text(errors="replace")
        found = re.findall(r"found: ([a-z., ]+)", output)
        assert found, f"{verb}: the program did not run: {re.findall('foul.*', output)[:1] or output[-100:]}"
        walls = "not your home" in output
        told.append(f"{verb}: {found[0]}{'' if walls else ', and it says that there are no walls'}")
        bad = bad or (found[0] != "nothing" and walls)
    return Happened("; ".join(told), succeeded=bad)


@attack(12, "a program that keeps our user looks for files to change and for disks, and digs a deep folder")
async def vandal(house: House, seconds: float) -> Happened:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bot.py").write_text(VANDAL)
        (Path(folder) / "bot.py").chmod(0o600)
        command = [str(Path(sys.executable).with_name("parlour")), "play", "fish", "--seed", "1"]
        process = await asyncio.create_subprocess_exec(
            *command,
            f"{sys.executable} bot.py",
            "greedy",
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        async with asyncio.timeout(60.0):
            text = (await process.communicate())[0].decode(errors="replace")
    found = re.findall(r"found: ([^.\"]+)", text)
    assert found, f"the program did not run: {text[-200:]}"
    walls = "not your home" in text
    told = f"found {found[0].split(')')[0][:80]}; the verb ended with {process.returncode}"
    return Happened(told, succeeded="Traceback" in text or (walls and not found[0].startswith("nothing")))


@attack(25, "packages of the test environment are replaced by others")
async def replaced_packages(house: House, seconds: float) -> Happened:
    lines = [
        line
        for path in (ROOT / "tools" / "locks").glob("*.txt")
        for line in path.read_text().splitlines()
        if line and not line.startswith("#")
    ]
    loose = [line for line in lines if not re.fullmatch(r"[\w.\[\]-]+==\S+( --hash=sha256:[0-9a-f]{64})+", line)]
    bounded = re.search(r'"uvicorn[^"]*<[^"]*"', (ROOT / "pyproject.toml").read_text()) is not None
    assert lines, "there is no lock file"
    told = f"{len(lines)} packages have versions and hashes, {len(loose)} do not; uvicorn has an upper bound: {bounded}"
    return Happened(told, succeeded=bool(loose) or not bounded)
