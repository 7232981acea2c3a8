"""The ledger as people read it: pacts with their verdicts, harm, contradictions, and the figures in columns."""

from __future__ import annotations

from parlour.press.reports.metrics import measure
from parlour.press.reports.summary import summary
from support.press.stories import Story, at


def _summary(story: Story, names: dict[str, str] | None = None, *, every: bool = False) -> list[str]:
    return summary(story.ledger, measure(story.ledger), names or {}, every=every).splitlines()


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
        "S1902M: England stabbed France",
        "contradiction: FRA agreed to p",
    ]


def test_stab_is_told_with_the_phase_of_the_breach_and_all_its_harm() -> None:
    assert "S1902M: England stabbed France: takes Brest" in _summary(_stab()), "though Brest is taken in the fall"
    units = "ENG=FENG,FMAO,AGAS,APIC,FIRI;FRA=FBRE,APAR,AMAR"
    story = Story(at("F1902M", units, "ENG=LON,EDI,LVP,BEL,HOL;FRA=PAR,BRE,MAR,SPA"))
    story.agree("ENG", "FRA", "PCE (ENG FRA)")
    story.play({"ENG": ["F MAO S F ENG - BRE", "F ENG - BRE", "A GAS - SPA", "A PIC H", "F IRI H"]})
    story.play()
    assert "F1902M: England stabbed France: takes Brest and Spain, dislodges the unit in Brest" in _summary(story)
    story = Story(at("S1902M", f"{units};GER=AMUN", "ENG=LON,EDI,LVP,BEL,HOL;FRA=PAR,BRE,MAR;GER=MUN"))
    story.agree("ENG", "FRA", "PCE (ENG FRA)")
    orders = ["F MAO S F ENG - BRE", "F ENG - BRE", "A PIC - PAR", "A GAS S A PIC - PAR", "F IRI H"]
    story.play({"ENG": orders})
    assert "S1902M: England stabbed France: dislodges the units in Brest and Paris" in _summary(story)


def test_what_was_kept_is_said_when_everything_is_wanted() -> None:
    lines = _summary(_stab(), every=True)
    kept = "    S1902M: France kept its promise to Germany (S1902M) that France's army in Paris moves to Picardy."
    assert kept in lines
    assert len(lines) == len(_summary(_stab())) + 2


def test_every_power_has_its_row_in_each_table() -> None:
    lines = _summary(_stab(), {"ENG": "stabber", "FRA": "a\nvery long name"})
    kept, talked = lines.index("Who kept their word"), lines.index("How they talked")
    towards = lines.index("Promises kept/broken towards each")
    phases = lines.index("Phase by phase")
    assert lines[kept + 1].split() == ["power", "player", "pacts", "kept", "first", "breach", "worst", "breach"]
    assert " ".join(lines[kept + 3].split()) == "ENG stabber 1 of 2 S1902M S1902M: took BRE from FRA"
    assert " ".join(lines[kept + 4].split()) == "FRA a?very long na 2 of 3 S1902M S1902M: no harm"
    assert lines[phases + 3].split() == ["ENG", "0", "1", "0", "0%", "0.0", "1", "0"]
    assert lines[phases + 4].split() == ["FRA", "2", "1", "0", "67%", "50%", "0", "1"]
    assert " ".join(lines[kept + 5].split()) == "GER 1 of 1", "nobody is known"
    assert lines[talked + 3].split() == ["ENG", "2", "2/2", "0/0", "0/0", "0", "0", "0"]
    assert lines[towards + 3].split() == ["ENG", ".", ".", "0/1", ".", ".", ".", "."]
    assert lines[towards + 4].split() == ["FRA", ".", "1/1", ".", "1/0", ".", ".", "."]


def test_silence_is_said() -> None:
    assert _summary(Story())[:3] == ["nobody agreed on anything", "", "Who kept their word"]
