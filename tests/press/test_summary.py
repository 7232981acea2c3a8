"""The ledger as people read it: pacts with their verdicts, harm, contradictions, and the figures in columns."""

from __future__ import annotations

from parlour.press.metrics import measure
from parlour.press.summary import summary
from press_stories import Story, at


def _summary(story: Story, *, every: bool = False) -> list[str]:
    return summary(story.ledger, measure(story.ledger), every=every).splitlines()


def _stab() -> Story:
    story = Story(at("S1902M", "ENG=FENG,FNTH;FRA=FBRE,APAR;GER=AMUN", "ENG=LON,EDI;FRA=PAR,BRE;GER=MUN"))
    story.agree("ENG", "FRA", "PCE (ENG FRA)")
    story.agree("GER", "FRA", "XDO ((FRA AMY PAR) MTO PIC)")
    story.agree("ENG", "FRA", "XDO ((FRA AMY PAR) MTO GAS)")
    story.play({"ENG": ["F ENG - BRE", "F NTH H"], "FRA": ["A PAR - PIC", "F BRE - MAO"]})
    story.play({"ENG": ["F BRE H", "F NTH H"]})
    return story


def test_breaches_stand_under_their_pacts_and_harm_and_contradictions_after_them() -> None:
    lines = _summary(_stab())
    assert [line[:30] for line in lines[: lines.index("")]] == [
        "pact 1 of S1902M, broken: Engl",
        "  ! S1902M: England broke its ",
        "pact 2 of S1902M, done: France",
        "pact 3 of S1902M, broken: Engl",
        "  ! S1902M: France broke its p",
        "stab: ENG against FRA: takes B",
        "contradiction: FRA agreed to p",
    ]


def test_what_was_kept_is_said_when_everything_is_wanted() -> None:
    lines = _summary(_stab(), every=True)
    kept = "    S1902M: France kept its promise to Germany (S1902M) that France's army in Paris moves to Picardy."
    assert kept in lines
    assert len(lines) == len(_summary(_stab())) + 2


def test_every_power_has_its_row_in_each_table() -> None:
    lines = _summary(_stab())
    kept, towards = lines.index("Who kept his word"), lines.index("Promises kept/broken towards each")
    assert lines[kept + 1].startswith("power  agreed  yes  kept  broken  void  kept %")
    assert lines[kept + 3].split() == ["ENG", "2/2", "0/0", "0", "1", "0", "0%", "1", "0"]
    assert lines[kept + 4].split() == ["FRA", "0/0", "3/3", "2", "1", "0", "67%", "50%", "0", "1"]
    assert lines[towards + 3].split() == ["ENG", ".", ".", "0/1", ".", ".", ".", "."]
    assert lines[towards + 4].split() == ["FRA", ".", "1/1", ".", "1/0", ".", ".", "."]


def test_silence_is_said() -> None:
    assert _summary(Story())[:3] == ["nobody agreed on anything", "", "Who kept his word"]
