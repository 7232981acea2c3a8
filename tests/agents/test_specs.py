"""Options of agents: what is read, and the line that answers what is not allowed."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from parlour.agents.chance import RandomPlayer
from parlour.agents.specs import NoOptions, Recipe, described, read_options, split_spec
from parlour.errors import ConfigError


class Dials(msgspec.Struct, frozen=True):
    """One option of each kind."""

    depth: Annotated[int, msgspec.Meta(ge=1, le=9, description="how deep")] = 2
    seconds: Annotated[float | None, msgspec.Meta(gt=0, le=60, description="how long")] = None
    noise: Annotated[float, msgspec.Meta(le=1, description="how wild")] = 0.5
    talk: Annotated[bool, msgspec.Meta(description="whether it talks")] = True
    style: Annotated[Literal["calm", "bold"], msgspec.Meta(description="its manner")] = "calm"
    file: Annotated[str | None, msgspec.Meta(description="where it learnt")] = None


DIALS = Recipe(lambda options, seed: RandomPlayer(seed), Dials, number="depth")
THOUSANDS = Recipe(lambda options, seed: RandomPlayer(seed), Dials, number="depth", unit=3)
NONE = Recipe(lambda options, seed: RandomPlayer(seed), NoOptions)


def read(text: str, number: str = "") -> Dials:
    return read_options(DIALS, "toy", number, text)


def test_a_spec_is_a_name_and_options() -> None:
    assert split_spec("toy") == ("toy", "")
    assert split_spec("toy:depth=3,talk=off") == ("toy", "depth=3,talk=off")


def test_values_are_read_by_their_kind() -> None:
    assert read("") == Dials()
    assert read("depth=3, talk=off,seconds=0.5,style=bold,noise=-2,file=a/b.npz") == Dials(
        3, 0.5, -2.0, False, "bold", "a/b.npz"
    )
    assert [read(f"talk={word}").talk for word in ("on", "1", "Yes", "0", "no")] == [True, True, True, False, False]


def test_a_number_after_the_name_sets_one_option() -> None:
    assert read("", "4").depth == 4
    assert read_options(THOUSANDS, "toy", "3", "").depth == 9


@pytest.mark.parametrize(
    ("text", "number", "message"),
    [
        (
            "depht=3",
            "",
            "agent: toy has no option 'depht', expected depth, seconds, noise, talk, style, file; did you mean depth?",
        ),
        ("depth=0", "", "agent: toy:depth: expected a whole number from 1 to 9 (how deep), got '0'"),
        ("depth=10", "", "agent: toy:depth: expected a whole number from 1 to 9 (how deep), got '10'"),
        ("depth=2.5", "", "agent: toy:depth: expected a whole number from 1 to 9 (how deep), got '2.5'"),
        ("depth", "", "agent: toy:depth: expected a whole number from 1 to 9 (how deep), got ''"),
        ("depth=3,depth=4", "", "agent: toy was given depth twice"),
        ("depth=3", "4", "agent: toy was given depth twice"),
        ("seconds=0", "", "agent: toy:seconds: expected a number above 0 up to 60 (how long), got '0'"),
        ("seconds=nan", "", "agent: toy:seconds: expected a number above 0 up to 60 (how long), got 'nan'"),
        ("seconds=inf", "", "agent: toy:seconds: expected a number above 0 up to 60 (how long), got 'inf'"),
        ("noise=2", "", "agent: toy:noise: expected a number up to 1 (how wild), got '2'"),
        ("talk=maybe", "", "agent: toy:talk: expected on or off (whether it talks), got 'maybe'"),
        ("style=mild", "", "agent: toy:style: expected calm or bold (its manner), got 'mild'"),
        ("file=", "", "agent: toy:file: expected a text (where it learnt), got ''"),
        ("", "0", "agent: toy takes a number from 1 to 9 (how deep)"),
        ("", "9" * 50, "agent: toy takes a number from 1 to 9 (how deep)"),
    ],
)
def test_what_is_not_allowed_is_answered_with_what_is(text: str, number: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(text, number)
    assert str(caught.value) == message


def test_units_of_the_number_are_said() -> None:
    with pytest.raises(ConfigError, match=r"takes a number from 0 to 3 \(how deep\), in units of 3"):
        read_options(THOUSANDS, "toy", "4", "")


def test_an_agent_without_options_takes_none() -> None:
    with pytest.raises(ConfigError, match="agent: toy has no option 'depth', it takes none"):
        read_options(NONE, "toy", "", "depth=3")
    with pytest.raises(ConfigError, match="agent: 'toy' takes no number"):
        read_options(NONE, "toy", "3", "")


def test_options_are_described_with_what_they_are_if_not_said() -> None:
    assert described(Dials)["talk"] == "on or off (whether it talks); on if not said"
    assert described(Dials)["seconds"] == "a number above 0 up to 60 (how long)"
