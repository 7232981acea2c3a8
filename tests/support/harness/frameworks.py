"""Runs programs in the environments of frameworks, and the same matches without any, to compare their records."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from frameworks.environment import python_of
from parlour.agents.llm.endpoint import Endpoint, ModelQuestion
from parlour.agents.llm.spec import read_spec
from parlour.harness import Episode, EpisodeSetup, play_again
from parlour.harness.rows import setups
from parlour.referee.record import read_record
from parlour.testing import FakeEndpoint

FAULTS = {"garbage": 11}
"""One prompt of eleven is answered with words alone."""
SECONDS = 800
"""For one program; those of frameworks are slow to start."""


def fish() -> EpisodeSetup:
    """Return the match of Fish that every framework plays."""
    (setup,) = setups("fish", config={"players": 3, "rows": 4, "cols": 4})
    return setup


def diplomacy(last_year: int = 1902) -> EpisodeSetup:
    """Return the match of Diplomacy with press that every framework plays."""
    (setup,) = setups("diplomacy", config={"last_year": last_year}, press=True, options={"rounds": 2})
    return setup


@contextmanager
def fake_models(**faults: int) -> Iterator[FakeEndpoint]:
    """Yield an endpoint with its usual faults, or with others."""
    with FakeEndpoint(faults=faults or FAULTS) as fake:
        yield fake


def played_without(setup: EpisodeSetup, fake: FakeEndpoint) -> Episode:
    """Play a match on the core alone, with the answers of the same endpoint."""
    client = Endpoint(read_spec(f"fake@{fake.url}"))
    with Episode(setup) as episode:
        prompt = episode.ask()
        while prompt is not None:
            reply = client.ask(ModelQuestion("fake", prompt.messages, prompt.max_tokens))
            prompt = episode.reply(msgspec.structs.replace(reply, seconds=0.0, again=False))
    client._client.close()
    return episode


def framework(name: str) -> Path:
    """Return the programs of a framework's environment; skip the test if it was not made."""
    python = python_of(name)
    if python is None:
        pytest.skip(f"{name} is not installed: make harnesses")
    return python.parent


def ran(
    programs: Path, *command: str, cwd: Path, fake: FakeEndpoint | None = None, code: int = 0, seconds: float = SECONDS
) -> str:
    """Run a program of an environment; return what it printed."""
    keys = {"FAKE_KEY": "none", "FAKE_API_KEY": "none", "OPENAI_API_KEY": "none"}
    address = {"FAKE_BASE_URL": fake.url} if fake is not None else {}
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTEST_CURRENT_TEST")}
    done = subprocess.run(
        [str(programs / command[0]), *command[1:]],
        cwd=cwd,
        env={**clean, **keys, **address, "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    assert done.returncode == code, done.stdout[-3000:] + done.stderr[-3000:]
    assert code == 0 or "Traceback" not in done.stderr, done.stderr[-3000:]
    return done.stdout


def outcome_of(programs: Path, path: Path, *, code: int = 0) -> Any:
    """Return what `parlour check run` says of a run, in the environment of its framework."""
    return msgspec.json.decode(ran(programs, "parlour", "check", "run", str(path), "--json", cwd=path, code=code))


def assert_same_record(folder: Path, episode: Episode) -> None:
    """The one record in a folder has the bytes of the episode, and is reproduced from its answers."""
    (file,) = folder.glob(f"{episode.setup.game}-{episode.setup.seed}-*.jsonl")
    assert file.read_bytes() == episode.record_bytes()
    assert play_again(read_record(file)).same


def assert_same_rows(rows: Any, episode: Episode) -> None:
    """The rows of a run have the figures of the episode."""
    standing = episode.standing()
    assert {row["seat"] for row in rows} == set(standing.seats)
    for row in rows:
        own = standing.seats[row["seat"]]
        assert row["sha256"] == episode.digest()
        assert row["reward"] == pytest.approx(own.score)
        assert row["legality"] == pytest.approx(own.legality)
        assert (row["kept"], row["broken"], row["tokens"]) == (own.kept, own.broken, own.tokens)
