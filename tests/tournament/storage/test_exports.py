"""Records as training data: those that have begun, in the forms that their games declare or as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.core.declaration import fetch
from parlour.core.terms import Terms
from parlour.errors import ConfigError
from parlour.games import declared
from parlour.games.diplomacy import GAME as DIPLOMACY
from parlour.games.fish import GAME as FISH
from parlour.net.game_doors import door_exports
from parlour.referee.conduct import preset
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.record import RecordWriter, read_record
from parlour.testing import RandomPlayer
from parlour.tournament.storage.exports import export, forms

SMALL = {"rows": 3, "cols": 3}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return a folder with a match of each game that was played, and one that nobody came to."""
    folder = tmp_path / "kept"
    folder.mkdir()
    for name, game, config in (("fish", FISH, SMALL), ("diplomacy", DIPLOMACY, {"last_year": 1901})):
        match = Match(game, config, Terms(preset("strict")), 7, name)
        play(match, {seat: RandomPlayer(number) for number, seat in enumerate(game.seats(config))})
        write(folder / f"{name}.jsonl", match)
    forming = Match(FISH, SMALL, Terms(preset("strict")), 7, "forming")
    forming.start(0.0)
    write(folder / "forming.jsonl", forming)
    return folder


def write(path: Path, match: Match) -> None:
    with RecordWriter(path) as writer:
        writer.write(match.record)


def test_records_are_written_as_they_are_in_place_of_older_ones(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "fish.jsonl").write_text("something older")
    for _ in range(2):
        assert export(str(kept), "jsonl", tmp_path) == (2, 1), "what has not begun is left out"
    for name in ("fish", "diplomacy"):
        assert read_record(tmp_path / f"{name}.jsonl") == read_record(kept / f"{name}.jsonl")
    assert not (tmp_path / "forming.jsonl").exists()


OF_DIPLOMACY = {**door_exports()["diplomacy"], **declared("diplomacy").exports}


@pytest.mark.parametrize("form", OF_DIPLOMACY)
def test_a_form_is_for_the_games_that_it_is_declared_for(kept: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    assert export(str(kept), form, out, door_exports()) == (1, 2)
    alone = tmp_path / "alone"
    alone.mkdir()
    fetch(OF_DIPLOMACY[form])(read_record(kept / "diplomacy.jsonl"), alone, "diplomacy")
    assert [path.name for path in out.iterdir()] == [path.name for path in alone.iterdir()]
    with pytest.raises(ConfigError, match=f"can be written as {form}") as raised:
        export(str(kept / "fish.jsonl"), form, out, door_exports())
    assert raised.value.field == "format"


def test_all_forms_are_listed_once_and_record_files_last() -> None:
    listed = forms(door_exports())
    assert listed[-1] == "jsonl"
    assert set(listed[:-1]) == set(OF_DIPLOMACY)
    assert len(listed) == len(set(listed))
    assert set(forms()) == set(listed) - set(door_exports()["diplomacy"])
