"""Contents of an agent: files that it opens count, files beside them do not, and differing ones are named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from parlour.agents.loading import make_player
from parlour.errors import ConfigError
from parlour.tournament.storage import fingerprints
from parlour.tournament.storage.fingerprints import changed, check_agent, fingerprint

BOT = """
from part_of_a_bot import choose

class Bot:
    def act(self, view):
        return choose(view)
"""


def test_an_agent_of_the_house_is_the_version_and_the_files_it_is_given(tmp_path: Path) -> None:
    assert list(fingerprint("fish", "greedy")) == ["parlour"]
    weights = tmp_path / "weights.bin"
    weights.write_bytes(b"1")
    before = fingerprint("fish", f"greedy:weights={weights}")
    assert list(before) == ["parlour", "weights.bin"]
    weights.write_bytes(b"2")
    assert changed(before, fingerprint("fish", f"greedy:weights={weights}")) == ["weights.bin"]
    assert fingerprint("fish", "greedy") == fingerprint("fish", "random") != fingerprint("diplomacy", "random")


@pytest.mark.usefixtures("as_before")
def test_a_bot_is_its_file_and_what_it_imported_from_beside_it(tmp_path: Path) -> None:
    for name, text in (("bot", BOT), ("part_of_a_bot", "choose = print"), ("other", "")):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    agent = f"{tmp_path / 'bot.py'}:Bot"
    make_player("fish", agent, 0)
    before = fingerprint("fish", agent)
    assert sorted(before) == ["bot.py", "part_of_a_bot.py"]
    (tmp_path / "part_of_a_bot.py").write_text("choose = repr ", encoding="utf-8")
    assert changed(before, fingerprint("fish", agent)) == ["part_of_a_bot.py"]


def test_a_program_is_itself_and_the_files_among_its_words(tmp_path: Path) -> None:
    script = tmp_path / "bot.txt"
    script.write_text("1", encoding="utf-8")
    command = f"{sys.executable} {script} --fast"
    check_agent("fish", command, {})
    before = fingerprint("fish", command)
    assert sorted(before) == sorted([Path(sys.executable).name, "bot.txt"])
    script.write_text("2", encoding="utf-8")
    assert changed(before, fingerprint("fish", command)) == ["bot.txt"]


def test_a_program_that_is_found_by_its_name_alone_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "thinker"
    program.write_text("exit", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list(fingerprint("fish", "thinker --fast")) == ["thinker"]


def test_a_program_that_may_not_be_run_any_more_is_known_by_its_file(tmp_path: Path) -> None:
    script = tmp_path / "bot.sh"
    script.write_text("exit", encoding="utf-8")
    assert list(fingerprint("fish", f"{script} --fast")) == ["bot.sh"]


def test_of_a_file_that_is_too_large_only_the_size_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "MAX_BYTES", 3)
    weights = tmp_path / "weights.bin"

    def told(content: bytes) -> str:
        weights.write_bytes(content)
        return fingerprint("fish", f"greedy:weights={weights}")["weights.bin"]

    assert told(b"123") != told(b"124")
    assert told(b"1234") == told(b"1235") != told(b"12345")


def test_what_came_and_what_went_has_changed() -> None:
    assert changed({"a": "1", "b": "2"}, {"b": "3", "c": "4"}) == ["a", "b", "c"]
    assert changed({"a": "1"}, {"a": "1"}) == []


@pytest.mark.parametrize(
    ("agent", "said"),
    [("human", "a person plays with"), ("./no-such-program --fast", "is not a program here"), ("nobody", "nobody")],
)
def test_an_agent_that_cannot_be_had_is_refused(agent: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check_agent("fish", agent, {})


READER = """
from pathlib import Path
class Bot:
    files = ["declared.txt", "missing.txt"]
    def __init__(self):
        self.weights = (Path(__file__).parent / "weights.txt").read_text()
        (Path(__file__).parent / "log.txt").write_text("begun")
    def act(self, view):
        return None
"""


def test_data_that_a_class_opens_or_declares_counts(tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text(READER)
    for name in ("weights.txt", "declared.txt", "unused.txt"):
        (tmp_path / name).write_text("1")
    agent = f"{tmp_path / 'reader.py'}:Bot"
    before = fingerprint("fish", agent)
    assert set(before) == {"reader.py", "weights.txt", "declared.txt"}
    (tmp_path / "weights.txt").write_text("2")
    (tmp_path / "declared.txt").write_text("2")
    (tmp_path / "unused.txt").write_text("2")
    assert changed(before, fingerprint("fish", agent)) == ["declared.txt", "weights.txt"]
