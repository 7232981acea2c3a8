"""The form of a new match as it was filled in: a setup, or one line that names the impossible value."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.core.terms import PressMode
from parlour.errors import ConfigError
from parlour.games import declared, load_game
from parlour.games.diplomacy.maps.map import BOARDS
from parlour.web import sandbox
from parlour.web.opening import form, wanted


def test_seats_are_written_as_people_write_them() -> None:
    text = form(load_game("diplomacy"))
    assert '<option value="FRANCE" selected>France</option>' in text
    assert '<option value="">nothing: watch</option>' in text


def test_seats_of_every_map_are_offered() -> None:
    text = form(load_game("diplomacy"))
    assert '<option value="BURGUNDY">Burgundy</option>' in text
    assert wanted({"game": "diplomacy", "map": "hundred", "seat": "BURGUNDY"}).seat == "BURGUNDY"
    with pytest.raises(ConfigError, match="seat: BURGUNDY is not in this match"):
        wanted({"game": "diplomacy", "seat": "BURGUNDY"})


def test_maps_of_the_operator_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tarn.map").write_text((BOARDS / "hundred.map").read_text("utf-8"), "utf-8")
    asked = {"game": "diplomacy", "map": "tarn", "seat": "BURGUNDY"}
    with pytest.raises(ConfigError, match="Map: expected one of standard"):
        wanted(asked)
    monkeypatch.setenv("PARLOUR_MAPS", str(tmp_path))
    assert '<option value="tarn">tarn</option>' in form(load_game("diplomacy"))
    assert wanted(asked).setup.config["map"] == "tarn"
    assert sandbox.maps()[-1] == "tarn"


def test_who_negotiates_is_marked_and_gets_press_unless_another_is_chosen() -> None:
    text = form(load_game("diplomacy"))
    assert '<option value="broker">broker (negotiates): ' in text
    assert '<option value="dumbbot" selected>dumbbot: ' in text
    modes = {
        agent: wanted({"game": "diplomacy", "agent": agent}).setup.terms.press.mode for agent in ("broker", "hold")
    }
    assert modes == {"broker": PressMode.ANYTIME, "hold": PressMode.NONE}
    chosen = {"game": "diplomacy", "agent": "broker", "press": "window"}
    assert wanted(chosen).setup.terms.press.mode is PressMode.WINDOW


@pytest.mark.parametrize("text", ["--5", "9" * 5000, "", "-", "5.0", "٣", "26", "0", "five"])
def test_a_number_that_is_none_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ConfigError, match="Rows: expected a whole number from 1 to 25") as caught:
        wanted({"game": "fish", "rows": text})
    assert caught.value.field == "rows"


@pytest.mark.parametrize("game", ["fish", "diplomacy"])
def test_what_is_left_out_is_what_the_form_began_with(game: str) -> None:
    declaration = declared(game)
    setup, seat = wanted({"game": game})
    assert setup.config == {option.name: option.default for option in declaration.options if option.default is not None}
    assert setup.terms.conduct.name == ("hosted" if declaration.talks else declaration.lenient_conduct)
    assert seat == ""


@pytest.mark.parametrize(("game", "votes"), [("diplomacy", True), ("fish", False)])
def test_ballots_on_a_draw_are_promised_where_pages_have_them(game: str, votes: bool) -> None:
    assert wanted({"game": game}).setup.terms.draw_votes is votes


@pytest.mark.parametrize(
    ("filled", "complaint"),
    [
        ({"game": "chess"}, "game: expected one of diplomacy, fish"),
        ({"game": "diplomacy", "map": "atlantis"}, "Map: expected one of standard, lagoon"),
        ({"game": "fish", "seat": "FRANCE"}, "seat: FRANCE is not in this match"),
        ({"game": "fish", "rows": "1", "cols": "1"}, "board: "),
    ],
)
def test_what_cannot_be_is_said(filled: dict[str, str], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        wanted(filled)


def test_a_title_is_cut_to_what_a_list_shows() -> None:
    setup, _ = wanted({"game": "fish", "title": f" {'x' * 150} "})
    assert setup.title == "x" * 100
