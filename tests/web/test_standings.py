"""Standings as HTML: every number in its column, intervals to one scale, and each match as it ended."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from parlour.tournament.reports.standings import Standings
from parlour.tournament.results import Kept, MatchPlayed, SeatResult, void
from parlour.tournament.results_state import ResultsState
from parlour.tournament.statistics.means import Estimate
from parlour.web import standings as module
from parlour.web.standings import series_content
from support.tournament.plans import plan_of, played_out, result_of
from support.tournament.tables import FINE, FOUL, TABLE


def shown(
    monkeypatch: pytest.MonkeyPatch, table: Standings, series: ResultsState | None = None, *, over: bool = True
) -> str:
    """Return the page of a tournament with that table."""
    monkeypatch.setattr(module, "standings", lambda series: table)
    return series_content(series or ResultsState(plan_of(["random", "greedy"])), over=over)[1]


def changed(**fields: Any) -> Standings:
    return msgspec.structs.replace(TABLE, **fields)


def rows(html: str) -> list[list[str]]:
    """Return the text of each cell of the table, without its plot."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    body = re.sub(r"<svg.*?</svg>", "", body)
    return [
        [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
        for row in re.findall(r"<tr.*?</tr>", body)
    ]


def test_each_agent_has_a_row_and_each_number_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    html = shown(monkeypatch, TABLE)
    assert re.findall(r'<th scope="col" class="(.*?)"><span>(.*?)</span>', html) == [
        ("place", "Place"),
        ("name", "Agent"),
        ("number", "Win share"),
        ("plot", "95 % interval"),
        ("number", "Rating"),
        ("number less", "Played"),
        ("number less", "Lost by foul"),
    ]
    assert rows(html) == [
        ["1", "fine", "0.750 ± 0.125", "", "+120 ± 30", "8", "0"],
        ["2", "foul", "0.250", "", "0", "8", "3 (+1 places without)"],
    ]
    assert html.count('<tr class="first">') == 1
    assert "rating points are counted from foul, at 0." in html


def test_of_whom_nothing_is_known_there_is_a_dash_and_no_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    html = shown(monkeypatch, changed(lines=(msgspec.structs.replace(FINE, score=None),), better={}, against={}))
    assert rows(html) == [["1", "fine", "–", "", "+120 ± 30", "8", "0"]]
    assert "<svg" not in html


def test_intervals_are_drawn_to_one_scale_within_the_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    html = shown(monkeypatch, TABLE)
    first, second = re.findall(r"<svg.*?</svg>", html)
    # From 0.25, which has no interval, to 0.75 + 0.125, with a margin of 6 % on both sides.
    low, high = 0.25 - 0.06 * 0.625, 0.875 + 0.06 * 0.625
    left, dot, right = (f"{(value - low) / (high - low) * 240:.1f}" for value in (0.625, 0.75, 0.875))
    assert first == (
        '<svg viewBox="0 0 240 24" role="img" aria-label="fine: 0.75, between 0.625 and 0.875">'
        '<line class="axis" x1="0" x2="240" y1="12" y2="12"/>'
        f'<line class="whisker" x1="{left}" x2="{right}" y1="12" y2="12"/>'
        f'<line class="whisker" x1="{left}" x2="{left}" y1="7" y2="17"/>'
        f'<line class="whisker" x1="{right}" x2="{right}" y1="7" y2="17"/>'
        f'<circle class="dot" cx="{dot}" cy="12" r="5"/></svg>'
    )
    assert 'aria-label="foul: 0.25"' in second
    assert "whisker" not in second


def test_equal_scores_lie_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = tuple(msgspec.structs.replace(line, score=Estimate(0.5)) for line in (FINE, FOUL))
    assert re.findall(r'cx="([\d.]+)"', shown(monkeypatch, changed(lines=lines))) == ["120.0", "120.0"]


def test_promises_are_told_where_there_is_press(monkeypatch: pytest.MonkeyPatch) -> None:
    talker = msgspec.structs.replace(FINE, press=Kept(pacts=4, pacts_kept=3))
    html = shown(monkeypatch, changed(lines=(talker, FOUL)))
    assert "<span>Promises kept</span>" in html
    assert [row[-1] for row in rows(html)] == ["75% of 4", ""]


@pytest.mark.parametrize(("differing", "said"), [((3,), "1 match ended"), ((3, 5), "2 matches ended"), ((), None)])
def test_what_is_not_reproducible_is_said(
    monkeypatch: pytest.MonkeyPatch, differing: tuple[int, ...], said: str | None
) -> None:
    html = shown(monkeypatch, changed(differing=differing))
    assert ("Not reproducible" in html) is bool(differing)
    assert said is None or said in html


def test_more_figures_are_there_if_there_is_something_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    titles = re.compile(r"<summary>(.*?)</summary>")
    assert titles.findall(shown(monkeypatch, TABLE)) == ["Score by seat", "Against each other", "Who is stronger"]
    alone = changed(lines=(FINE,), better={"fine": {}}, against={"fine": {}})
    assert "More figures" not in shown(monkeypatch, alone)
    assert "More figures" not in shown(monkeypatch, changed(matches=0))


def test_how_far_it_is_stands_above(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = ResultsState(plan_of(["random", "greedy"], blocks=2))
    table = changed(blocks=0, cap=2, matches=0, void=0)
    html = shown(monkeypatch, table, fresh, over=False)
    assert '<span class="badge running">running</span>' in html
    assert "tables of 2; 0 of 2 blocks, 0 of 8 matches played. Seed 1" in html
    assert "the first is being played" in html
    assert "No match is over yet" in html
    assert "the first is being played" not in shown(monkeypatch, table, fresh, over=True)
    one = changed(cap=1, stop="better", void=3, verdict="fine > foul")
    fresh.add(result_of(next(iter(fresh.wanted()))))
    html = shown(monkeypatch, one, fresh)
    assert "of 1 block, 1 match played, 3 void." in html, "where nobody knows how many there will be"
    assert '<p class="verdict">fine &gt; foul</p>' in html
    assert "verdict" not in shown(monkeypatch, TABLE)


@pytest.mark.parametrize(("agents", "others"), [(4, False), (5, True)])
def test_at_most_four_names_are_in_the_title(agents: int, others: bool) -> None:
    title, _ = series_content(ResultsState(plan_of(["random"] * agents)), over=False)
    assert (title.count(","), title.endswith(" and others")) == (3, others)


# Matches


def match_of(number: int, *seats: SeatResult, turns: int = 1, reason: str = "nobody can move") -> MatchPlayed:
    return MatchPlayed(number=number, block=0, table=0, seed=1, seats=seats, turns=turns, reason=reason)


def listed(monkeypatch: pytest.MonkeyPatch, *played: MatchPlayed, records: bool = True) -> str:
    series = ResultsState(msgspec.structs.replace(plan_of(["random", "greedy"]), records=records))
    monkeypatch.setattr(series, "played", lambda: list(played))
    return shown(monkeypatch, TABLE, series).partition("<h2>Matches</h2>")[2].partition("</section>")[0]


def test_each_match_is_listed_with_its_end_and_its_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    won = match_of(0, SeatResult("ann", 1, {}), SeatResult("<bo>", 0, {}))
    lost = match_of(1, SeatResult("ann", 0, {}, lost_by="late"), SeatResult("bo", 0, {}, lost_by="gone"), turns=2)
    tied = match_of(2, SeatResult("ann", 0, {}), SeatResult("ann", 0, {}), SeatResult("bo", 0, {}), turns=0)
    html = listed(monkeypatch, won, lost, tied)
    assert re.findall(r'<a href="(.*?)">(.*?)</a>', html) == [
        ("/match/t.2", "Match 2"),
        ("/match/t.1", "Match 1"),
        ("/match/t.0", "Match 0"),
    ]
    assert re.findall(r'<span class="players">(.*?)</span>', html) == ["ann – ann – bo", "ann – bo", "ann – &lt;bo&gt;"]
    assert re.findall(r'<span class="outcome">(.*?)</span>', html) == [
        "ann, bo first, 0 turns; nobody can move",
        "Nobody first, 2 turns; nobody can move; ann lost by a foul: late; bo lost by a foul: gone",
        "&lt;bo&gt; first, 1 turn; nobody can move",
    ]
    assert "<a" not in listed(monkeypatch, won, records=False)


def test_a_void_match_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = next(iter(ResultsState(plan_of(["random", "greedy"])).wanted()))
    html = listed(monkeypatch, void(sitting, "the machine broke"))
    assert '<li class="void" data-key="Match 0"><b>Match 0</b>' in html
    assert "void: the machine broke" in html


def test_of_many_matches_the_newest_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED", 2)
    played = [match_of(number, SeatResult("ann", 0, {})) for number in range(3)]
    html = listed(monkeypatch, *played)
    assert re.findall(r">(Match \d)<", html) == ["Match 2", "Match 1"]
    assert "and 1 earlier" in html
    assert "earlier" not in listed(monkeypatch, *played[:2])


def test_a_real_table_is_shown_whole() -> None:
    series = played_out(ResultsState(plan_of(["random", "greedy"], blocks=2)), {"greedy": 9.0})
    title, html = series_content(series, over=True)
    assert title == "Fish: random, greedy"
    assert html.count("<li ") == series.finished
    assert "<summary>Differences</summary>" in html
