"""Reads the result of a framework's run from its files, because frameworks exit with 0 even if every match failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.core.text import printable
from parlour.errors import ConfigError, MissingExtra

MAX_LINE = 256 << 20
"""Maximum bytes of one episode in a file of verifiers."""


class RunRow(msgspec.Struct, frozen=True):
    """One seat of one match of a run."""

    match: str
    seat: str
    reward: float
    legality: float
    kept: float
    broken: float
    tokens: float
    sha256: str


class RunOutcome(msgspec.Struct, frozen=True):
    """The seats of a run, and its problems."""

    rows: tuple[RunRow, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        """True if matches were played and none failed."""
        return bool(self.rows) and not self.problems

    def __str__(self) -> str:
        lines = ["match            seat     reward  legal   kept  broken   tokens  record"]
        for row in self.rows:
            figures = f"{row.reward:6.3f}  {row.legality:5.0%}  {row.kept:5.0f}  {row.broken:6.0f}  {row.tokens:7.0f}"
            lines.append(f"{row.match:15.15}  {row.seat:8.8} {figures}  {row.sha256[:12]}")
        return "\n".join([*(lines if self.rows else ["no match was played"]), *self.problems])


def read_outcome(path: Path) -> RunOutcome:
    """Return the outcome of the run in a folder or a file: `traces.jsonl` of verifiers, `.eval` of inspect.

    Raises:
        ConfigError: The path has none of these files, or a file cannot be read.
    """
    files = [path] if path.is_file() else sorted([*path.rglob("traces.jsonl"), *path.rglob("*.eval")])
    if not files:
        raise ConfigError(f"path: expected traces.jsonl or a log .eval in {str(path)!r:.200}", field="path")
    rows: list[RunRow] = []
    problems: list[str] = []
    for file in files:
        found = _inspect(file) if file.suffix == ".eval" else _verifiers(file)
        rows += found.rows
        problems += found.problems
    return RunOutcome(tuple(rows), tuple(problems))


def _lines(file: Path) -> Iterator[Any]:
    with file.open("rb") as stream:
        while line := stream.readline(MAX_LINE):
            try:
                yield msgspec.json.decode(line)
            except UNREADABLE:
                raise ConfigError(f"path: {file.name} has a line that is not JSON", field="path") from None


def _verifiers(file: Path) -> RunOutcome:
    rows: list[RunRow] = []
    problems: list[str] = []
    for episode in _lines(file):
        try:
            name = str(episode["task"]["data"].get("name") or episode["id"])
            found = [_trace_row(name, trace) for trace in episode["traces"]]
            errors = [*episode["errors"], *(error for trace in episode["traces"] for error in trace["errors"])]
            void = {str(trace["info"].get("parlour", {}).get("void", "")) for trace in episode["traces"]} - {""}
            fine = episode["ok"] and any(found)
        except (KeyError, TypeError, AttributeError):
            raise ConfigError(f"path: {file.name} is not a file of episodes", field="path") from None
        rows += [row for row in found if row is not None]
        problems += _problems(name, fine, [str(error.get("message", error)) for error in errors], void)
    return RunOutcome(tuple(rows), tuple(problems))


def _trace_row(name: str, trace: Mapping[str, Any]) -> RunRow | None:
    told = trace["info"].get("parlour")
    if told is None:
        return None
    rewards, metrics = trace["rewards"], trace["metrics"]
    reward = sum(one["score"] * one["weight"] for one in rewards.values())
    legality = rewards["legality"]["score"]
    return RunRow(
        name, told["seat"], reward, legality, metrics["promises_kept"], metrics["broken"], metrics["tokens"],
        told["sha256"],
    )  # fmt: skip


def _problems(name: str, fine: bool, errors: Iterable[str], void: Iterable[str]) -> list[str]:
    said = [*dict.fromkeys(printable(error, 200) for error in errors), *(f"void: {why}" for why in void)]
    return [f"{name}: {line}" for line in said or ([] if fine else ["failed without a word"])]


def _inspect(file: Path) -> RunOutcome:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise MissingExtra("inspect", "a log of inspect") from None
    log = read_eval_log(str(file))
    rows: list[RunRow] = []
    problems = [] if log.status == "success" else [f"{file.name}: {log.status}: {_message(log.error)}"]
    for sample in log.samples or []:
        score = next(iter((sample.scores or {}).values()), None)
        if score is None:
            problems.append(f"{sample.id}: no score: {_message(sample.error)}")
            continue
        told = score.metadata or {}
        problems += [f"{sample.id}: void: {told['void']}"] if told.get("void") else []
        rows += [
            RunRow(
                str(sample.id), seat, row["score"], row["legality"], row["kept"], row["broken"], row["tokens"],
                told["sha256"],
            )
            for seat, row in told["seats"].items()
        ]  # fmt: skip
    return RunOutcome(tuple(rows), tuple(problems))


def _message(error: Any) -> str:
    return printable(getattr(error, "message", "") or "unknown", 200)
