"""Prose with a formal core: the core binds, the prose never does, and what they say apart is a finding."""

from __future__ import annotations

import pytest

from parlour.core import events as ev
from parlour.games.diplomacy.position import Position
from parlour.press.admission import refusal
from parlour.press.language.prose import formal, parted
from parlour.press.reports.verdict_text import said_lines
from support.press.sealed_stories import SealedStory
from support.press.stories import SEATS

PEACE = "PRP (PCE (ENG FRA))"


@pytest.mark.parametrize(
    ("text", "prose", "core"),
    [
        (f"Let us have peace.\n:: {PEACE}", "Let us have peace.", PEACE),
        (f"One.\n\nTwo.\n  ::{PEACE}\n\n", "One.\n\nTwo.", PEACE),
        (f":: {PEACE}", "", PEACE),
        (PEACE, PEACE, ""),
        (f"> :: {PEACE}", f"> :: {PEACE}", ""),
        (f":: {PEACE}\nas I said", f":: {PEACE}\nas I said", ""),
        ("", "", ""),
    ],
)
def test_a_message_is_parted_at_its_last_line(text: str, prose: str, core: str) -> None:
    assert parted(text) == (prose, core)
    assert formal(text) == (core or text)


def test_the_core_alone_binds() -> None:
    story = SealedStory()
    story.talk("ENG", "FRA", f"I promise you Paris.\n:: {PEACE}")
    story.talk("FRA", "ENG", f"Gladly!\n:: YES ({PEACE})")
    assert [str(pact) for pact in story.ledger.active()] == ["<pact 1, active: PCE ( ENG FRA )>"]
    assert story.ledger.language_use["ENG"].prose == 1
    assert story.ledger.language_use["ENG"].unread == 0


@pytest.mark.parametrize("level", [20, 60, 8000])
def test_a_broken_core_refuses_the_whole_message(level: int) -> None:
    position, to = Position.start(), [SEATS["FRA"]]
    assert refusal(f"Peace?\n:: {PEACE}", level, position, SEATS["ENG"], to) is None
    for core in ("PRP (PCE (ENG", "PRP (PCE (ENG ENG))", "hello"):
        found = refusal(f"Peace?\n:: {core}", level, position, SEATS["ENG"], to)
        assert found is not None, core
    assert refusal("Peace?\n> :: PRP (PCE (ENG", level, position, SEATS["ENG"], to) is None


def test_a_core_above_the_level_is_refused() -> None:
    found = refusal("Go!\n:: PRP (XDO ((FRA AMY PAR) HLD))", 10, Position.start(), SEATS["ENG"], [SEATS["FRA"]])
    assert found is not None
    assert found.code == "press level"


@pytest.mark.parametrize(
    ("prose", "findings"),
    [
        ("Peace between us.", []),
        ("I will attack you at once.", ["the core offers peace, the prose speaks of war"]),
        ("Peace, and Russia shall pay.", ["the prose names RUS, the core does not"]),
    ],
)
def test_prose_that_says_otherwise_is_found_and_changes_nothing(prose: str, findings: list[str]) -> None:
    story = SealedStory()
    story.talk("ENG", "FRA", f"{prose}\n:: {PEACE}")
    assert [found.finding for found in story.ledger.disagreements] == findings
    assert len(list(story.ledger.open())) == 1


def test_both_parts_are_shown() -> None:
    said = ev.Said(0.0, SEATS["ENG"], (SEATS["FRA"],), f"Let us rest.\n:: {PEACE}", 1)
    lines = said_lines(said)
    assert "Let us rest." in lines[0]
    assert "PRP ( PCE ( ENG FRA ) )" in lines[-1]
