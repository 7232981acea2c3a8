"""parlour store: check finds what is wrong, export and import lose nothing, migrate says what it did."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from parlour.cli import main
from parlour.store import Account, Entries, Filter, Finished, RecordHead, RecordKind, Snapshot, SQLiteStore, Token
from support.command_line import run
from support.store.rows import spread

OLD = Path(__file__).parents[1] / "store" / "fixtures" / "version-1.db"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a tournament that was played."""
    path = tmp_path_factory.mktemp("played") / "kept.db"
    with pytest.raises(SystemExit):
        main(
            [
                "tournament",
                "fish",
                "greedy",
                "random",
                "greedy",
                "--rows",
                "3",
                "--cols",
                "4",
                "--blocks",
                "2",
                "--store",
                str(path),
            ]
        )
    return path


@pytest.fixture
def kept(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path / "kept.db"))


def test_a_sound_store_has_no_fault(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(["store", "check", str(kept)], capsys)
    assert (code, err) == (0, "")
    assert out.endswith(", tournaments: 1, faults: none\n")
    assert run(["store", "check", "--quiet", str(kept)], capsys) == (0, "", "")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("UPDATE entry SET body = '{}' WHERE record = '{match}' AND number = 4", "event 4: "),
        ("DELETE FROM entry WHERE record = '{match}' AND number = 4", "event 4: record {match}: missing"),
        ("DELETE FROM entry WHERE record = '{match}'", "the record is empty"),
        ("UPDATE record SET result = NULL WHERE id = '{match}'", "it is over, and its head has no result"),
        (
            "DELETE FROM entry WHERE record = '{match}' AND number > 9",
            "its head has a result, and it is not over",
        ),
        ("UPDATE record SET game = 'diplomacy' WHERE id = '{match}'", "the head says diplomacy and the record is of"),
        ("UPDATE record SET game = 'diplomacy' WHERE id = '{tournament}'", "the head says diplomacy"),
        ("DELETE FROM record WHERE id = '{match}'", "record {match}: has rows of entry and no head"),
        ("INSERT INTO seat VALUES ('stray', 'red', 'a', '', '')", "record stray: has rows of seat and no head"),
        ("INSERT INTO permission VALUES ('stray', 'a', 'b')", "record stray: has rows of permission and no head"),
        ("INSERT INTO snapshot VALUES ('stray', 1, 'b')", "record stray: has rows of snapshot and no head"),
        ("INSERT INTO snapshot VALUES ('{match}', 1000, 'b')", "a snapshot is of 1000 entries, and there are"),
    ],
)
def test_each_fault_is_one_line(kept: Path, sql: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with SQLiteStore(kept) as store:
        match = next(store.heads(Filter(kind=RecordKind.MATCH))).id
        tournament = next(store.heads(Filter(kind=RecordKind.TOURNAMENT))).id
    spread(kept)
    with contextlib.closing(sqlite3.connect(kept)) as connection, connection:
        connection.execute(sql.replace("{match}", match).replace("{tournament}", tournament))
    code, out, err = run(["store", "check", str(kept)], capsys)
    assert (code, err) == (1, "")
    assert reason.replace("{match}", match) in out
    assert "fault" in out.splitlines()[-1]


def test_a_file_that_does_not_fit_together_is_told(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.closing(sqlite3.connect(kept)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    with kept.open("rb+") as file:
        file.seek(3 * 4096 + 1)
        file.write(b"\xff" * 64)
    code, out, err = run(["store", "check", str(kept)], capsys)
    assert code in (1, 2)
    assert "kept.db: " in out + err
    assert "Traceback" not in out + err


def test_a_store_goes_to_a_file_and_back(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, new = tmp_path / "copy.jsonl", tmp_path / "new.db"
    assert run(["store", "export", str(kept), str(file)], capsys)[0] == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert run(["store", "import", str(new), str(file)], capsys)[0] == 0
    with SQLiteStore(kept, read_only=True) as first, SQLiteStore(new, read_only=True) as second:
        assert list(first.heads()) == list(second.heads())
    assert run(["store", "check", str(new)], capsys)[0] == 0
    code, _, err = run(["store", "import", str(new), str(file)], capsys)
    assert (code, err) == (2, f"parlour: {new}: expected an empty store for the copy\n")


def test_an_export_overwrites_nothing(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "copy.jsonl").write_text("dear")
    code, _, err = run(["store", "export", str(kept), str(tmp_path / "copy.jsonl")], capsys)
    assert (code, err) == (1, f"parlour: {tmp_path / 'copy.jsonl'}: File exists\n")
    assert (tmp_path / "copy.jsonl").read_text() == "dear"


def test_accounts_can_be_left_out(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SQLiteStore(kept) as store:
        store.write(RecordHead("locked", RecordKind.MATCH, "fish", password="$argon2id$"))
    run(["store", "export", "--no-accounts", str(kept), str(tmp_path / "copy.jsonl")], capsys)
    assert "argon2" not in (tmp_path / "copy.jsonl").read_text()


def test_migrate_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = shutil.copy(OLD, tmp_path / "old.db")
    assert run(["store", "migrate", str(old)], capsys) == (0, f"{old} was of version 1, is of 3\n", "")
    assert run(["store", "migrate", str(old)], capsys) == (0, f"{old} is of version 3 already\n", "")


@pytest.mark.parametrize("verb", ["check", "migrate", "export"])
def test_a_store_that_is_not_there_is_not_made(tmp_path: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "none.db"
    more = [str(tmp_path / "copy.jsonl")] if verb == "export" else []
    code, out, err = run(["store", verb, str(missing), *more], capsys)
    assert (code, out) == (2, "")
    assert err.startswith(f"parlour: {missing}: ")
    assert list(tmp_path.iterdir()) == []


def test_a_match_of_a_toy_game_is_checked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SQLiteStore(tmp_path / "kept.db") as store:
        store.write(RecordHead("m1", RecordKind.MATCH, "nim"), Entries("m1", 0, (b"{}",)), Finished("m1", b"{}"))
        store.write(Snapshot("m1", 1, b""))
    code, out, _ = run(["store", "check", str(tmp_path / "kept.db")], capsys)
    assert code == 1
    assert out.startswith("m1: event 0: ")


def test_revoke_lets_no_token_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kept.db"
    with SQLiteStore(path) as store:
        store.write(Account("ann", "x"), Token(b"digest", "ann", "sign in", 0.0, 4e9))
    code, told, _ = run(["store", "revoke", str(path)], capsys)
    assert (code, told) == (0, f"{path}: no token counts any more; everybody signs in again\n")
    with SQLiteStore(path) as store:
        assert store.tokens("ann") == []
    code, _, wrong = run(["store", "revoke", str(tmp_path / "none.db")], capsys)
    assert (code, "there is no store" in wrong) == (2, True)
