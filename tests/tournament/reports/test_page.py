"""The page of a tournament: plots to scale, every cell under its heading, and nothing that is not known."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from parlour.tournament.reports.page import LABELS, PLOT, Replay, _ticks, brief, interval, page_of, shown
from parlour.tournament.reports.standings import Standings
from parlour.tournament.results import Kept
from parlour.tournament.statistics.comparisons import PairedDifference
from parlour.tournament.statistics.means import Estimate
from parlour.tournament.statistics.ratings import Rating
from support.tournament.plans import plan_of
from support.tournament.tables import FINE, FOUL, TABLE
from support.web.browser import needs_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PLAN = plan_of(["random", "greedy"])


def page(table: Standings = TABLE, *, seconds: dict[str, float] | None = None, plan: Any = PLAN, **more: Any) -> str:
    return page_of(plan, table, seconds or {}, **more)


def changed(**fields: Any) -> Standings:
    return msgspec.structs.replace(TABLE, **fields)


def section(text: str, heading: str) -> str:
    """Return the text below a heading."""
    return text.partition(f"<h2>{heading}</h2>")[2].partition("<h2>")[0]


class Cells(HTMLParser):
    """The rows of a table; of a cell with a class, the class too."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.first: list[bool] = []
        self._kind = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
            self.first.append(("class", "first") in attrs)
        elif tag in ("td", "th"):
            kind = dict(attrs).get("class") or ""
            self.rows[-1].append(f"{kind}:" if kind else "")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def rows(text: str, heading: str) -> list[list[str]]:
    return Cells(section(text, heading)).rows


def numbers(text: str, pattern: str) -> list[tuple[float, ...]]:
    return [tuple(float(number) for number in found.groups()) for found in re.finditer(pattern, text)]


def test_every_number_stands_under_its_heading() -> None:
    found = Cells(section(page(seconds={"fine": 0.01234}), "Table"))
    assert found.rows == [
        ["name:agent", "place", "score", "rating", "without fouls", "played", "lost by foul", "void", "time/move"],
        ["name:fine", "1", "0.750 ± 0.125", "+120 ± 30", "+100", "8", "0", "1", "12 ms"],
        ["name:foul", "2", "0.250", "+0 ± 0", "bad:+10 (+1 places)", "8", "bad:3", "0", ""],
    ]
    assert found.first == [False, True, False]


def test_times_of_thinking() -> None:
    seconds = (0.0, 3.86e-05, 0.0009996, 0.00254, 0.0973, 0.9996, 1.23, 61.0)
    assert [brief(each) for each in seconds] == [
        "0.0 µs", "39 µs", "1.0 ms", "2.5 ms", "97 ms", "1.0 s", "1.2 s", "61 s"
    ]  # fmt: skip


@needs_chromium
def test_on_a_phone_names_are_words_and_not_a_letter_a_line(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page(), encoding="utf-8")
    here = browser.new_page(viewport={"width": 390, "height": 844})
    here.goto((tmp_path / "page.html").as_uri())
    table = here.locator("h2", has_text="Table").locator("+ div tbody tr")
    heights = [row.bounding_box() for row in table.all()]
    assert [box["height"] for box in heights if box] == [pytest.approx(30, abs=3)] * 2, "a line each"


def test_where_agents_talk_it_is_said_how_they_kept_their_word() -> None:
    talker = msgspec.structs.replace(FINE, press=Kept(kept=9, broken=1, stabs=2, messages=30, pacts=8, pacts_kept=6))
    mute = msgspec.structs.replace(FOUL, press=Kept(messages=1))
    assert [row[-2:] for row in rows(page(changed(lines=(talker, mute))), "Table")] == [
        ["pacts kept", "stabs"],
        ["75% of 8", "2"],
        ["", "0"],
    ]
    assert [row[-2:] for row in rows(page(changed(lines=(talker, FOUL))), "Table")][-1] == ["", ""]


def test_seats_and_what_they_are_worth() -> None:
    assert rows(page(), "By seat") == [
        ["name:agent", "red", "white"],
        ["name:fine", "0.875 ± 0.250", "0.625"],
        ["name:foul", "", "0.250"],
        ["name:what the seat is worth, in points", "+12 ± 3", "-12 ± 3"],
    ]


def test_each_against_each() -> None:
    text = page()
    assert rows(text, "Against each other") == [
        ["name:win share of … with …", "fine", "foul"],
        ["name:fine", "", "0.750"],
        ["name:foul", "0.250", ""],
    ]
    assert rows(text, "Who is stronger")[1:] == [
        ["name:fine", "", "good:97.5%"],
        ["name:foul", "bad:2.5%", ""],
    ]


@pytest.mark.parametrize(("chance", "cell"), [(0.974, "97.4%"), (0.5, "50.0%"), (0.026, "2.6%"), (0.99, "good:99.0%")])
def test_only_what_is_nearly_sure_has_a_colour(chance: float, cell: str) -> None:
    table = changed(better={"fine": {"foul": chance}, "foul": {}})
    assert rows(page(table), "Who is stronger")[1][2] == cell


def test_differences_that_were_tested() -> None:
    differences = (
        PairedDifference("fine", "foul", 0.5, 0.1, 0.001, 0.0123),
        PairedDifference("fine", "x", -0.25, 0.3, 0.04, 0.05),
        PairedDifference("foul", "x", 0.0, None, None),
        PairedDifference("x", "y", 1.0, None, None, blocks=2),
    )
    assert rows(page(changed(differences=differences)), "Differences") == [
        ["name:paired by block", "difference of win share", "p", "p by Holm"],
        ["name:fine − foul", "+0.500 ± 0.100", "0.001", "good:0.0123"],
        ["name:fine − x", "-0.250 ± 0.300", "0.04", "0.05"],
        ["name:foul − x", "+0.000", "", ""],
        ["name:x − y", "+1.000", "", ""],
    ]
    assert "Differences" not in page()


def test_one_alone_is_compared_with_nobody() -> None:
    alone = changed(lines=(FINE,), better={"fine": {}}, against={"fine": {}})
    headings = re.findall(r"<h2>(.*?)</h2>", page(alone))
    assert headings == ["Score", "Rating", "Table", "By seat"]


def test_replays_are_linked_and_all_records_named() -> None:
    text = section(page(replays=[Replay(3, 'r/"3".html', "fine < foul")], where="parlour records a.db"), "Replays")
    assert '<li><a href="r/&quot;3&quot;.html">match 3</a>: fine &lt; foul</li>' in text
    assert "<p><code>parlour records a.db</code></p>" in text
    assert "<li>" not in section(page(where="somewhere"), "Replays")
    assert "<code>" not in section(page(replays=[Replay(3, "3", "")]), "Replays")
    assert "Replays" not in page()


def test_what_was_played_is_said_above() -> None:
    text = page()
    assert "<h1>Fish: random, greedy</h1>" in text
    assert "round-robin, tables of 2, 4 of 5 blocks, 16 matches, 1 void. " in text
    assert "the same seed gives the same table. t</p>" in text
    assert "verdict" not in text.partition("<body>")[2]
    assert "void" not in page(changed(void=0)).partition("</p>")[0]
    assert '<p class="verdict">fine &gt; foul</p>' in page(changed(verdict="fine > foul"))


@pytest.mark.parametrize(("agents", "others"), [(4, ""), (5, " and others")])
def test_at_most_four_names_are_in_the_title(agents: int, others: str) -> None:
    text = page(plan=plan_of(["random"] * agents))
    assert re.search(r"<h1>Fish: ([^,]+, ){3}[^,]+</h1>", text)
    assert text.partition("</h1>")[0].endswith(others)


def test_dots_whiskers_and_ticks_are_on_one_scale() -> None:
    score, rating = section(page(), "Score"), section(page(), "Rating")
    for plot, values in ((score, [(0.75, 0.125), (0.25, None)]), (rating, [(120.4, 30.2), (0.0, 0.0)])):
        ticks = numbers(plot, r'<text class="axis" x="([\d.]+)" y="\d+" text-anchor="middle">(-?[\d.]+)</text>')
        (left, low), (right, high) = ticks[0], ticks[-1]
        assert 3 <= len(ticks) <= 8
        assert all(x == grid for (x, _), (grid,) in zip(ticks, numbers(plot, r'"grid" x1="([\d.]+)"'), strict=True))

        def across(value: float) -> float:
            return left + (value - low) / (high - low) * (right - left)  # noqa: B023

        dots = numbers(plot, r'<circle class="dot" cx="([\d.]+)"')
        assert [x for (x,) in dots] == pytest.approx([across(value) for value, _ in values], abs=0.3)
        whiskers = numbers(plot, r'<line class="whisker" x1="([\d.]+)" x2="([\d.]+)"')
        ends = [(across(value - half), across(value + half)) for value, half in values if half is not None]
        assert whiskers == [pytest.approx(each, abs=0.3) for each in ends]
        assert all(LABELS <= x <= LABELS + PLOT for each in (*dots, *whiskers) for x in each)
    assert 'class="zero"' not in score
    assert numbers(rating, r'<line class="zero" x1="([\d.]+)"') == numbers(rating, r'cx="([\d.]+)"')[1:]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 5.0, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        (-3.0, 7.0, [-2.0, 0.0, 2.0, 4.0, 6.0]),
        (0.08, 0.31, [0.1, 0.15, 0.2, 0.25, 0.3]),
        (0.0, 48.0, [0.0, 10.0, 20.0, 30.0, 40.0]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, ticks: list[float]) -> None:
    assert _ticks(low, high) == ticks


def test_a_plot_of_one_agent_looks_like_this() -> None:
    lone = msgspec.structs.replace(FINE, rating=Rating(20.0, 10.0))
    plot = section(page(changed(lines=(lone,), better={}, against={})), "Rating").replace("><", ">\n<")
    assert plot.strip().splitlines()[1:-1] == [
        '<svg viewBox="0 0 760 66" width="760" height="66" role="img">',
        "<title>points above greedy</title>",
        '<line class="grid" x1="243.6" x2="243.6" y1="4" y2="30"/>',
        '<text class="axis" x="243.6" y="46" text-anchor="middle">0</text>',
        '<line class="grid" x1="401.2" x2="401.2" y1="4" y2="30"/>',
        '<text class="axis" x="401.2" y="46" text-anchor="middle">10</text>',
        '<line class="grid" x1="558.8" x2="558.8" y1="4" y2="30"/>',
        '<text class="axis" x="558.8" y="46" text-anchor="middle">20</text>',
        '<line class="grid" x1="716.4" x2="716.4" y1="4" y2="30"/>',
        '<text class="axis" x="716.4" y="46" text-anchor="middle">30</text>',
        '<line class="zero" x1="243.6" x2="243.6" y1="4" y2="30"/>',
        '<text x="210" y="21" text-anchor="end">fine</text>',
        '<line class="whisker" x1="401.2" x2="716.4" y1="17" y2="17"/>',
        '<circle class="dot" cx="558.8" cy="17" r="5">',
        "<title>fine: 20 ± 10</title>",
        "</circle>",
        '<text class="axis" x="480" y="63" text-anchor="middle">points above greedy</text>',
        "</svg>",
    ]


def test_of_whom_nothing_is_known_there_is_no_dot() -> None:
    unknown = msgspec.structs.replace(FOUL, score=None)
    plot = section(page(changed(lines=(FINE, unknown))), "Score")
    assert [float(y) for y in re.findall(r'<text x="210" y="(\d+)"', plot)] == [21, 47]
    assert re.findall(r'cy="(\d+)"', plot) == ["17"]
    nobody = section(page(changed(lines=(unknown,), better={}, against={})), "Score")
    assert "circle" not in nobody
    assert re.findall(r'text-anchor="middle">(-?[\d.]+)<', nobody) == ["0", "0.5", "1"]


def test_equal_scores_lie_in_the_middle() -> None:
    lines = tuple(msgspec.structs.replace(line, score=Estimate(0.5)) for line in (FINE, FOUL))
    plot = section(page(changed(lines=lines)), "Score")
    assert re.findall(r'cx="([\d.]+)"', plot) == [str(LABELS + PLOT / 2)] * 2


@pytest.mark.parametrize(("length", "label"), [(30, "abcdefghij" * 3), (31, "abcdefghijabcd…hijabcdefghija")])
def test_long_names_are_shortened_in_the_middle_and_whole_where_one_points(length: int, label: str) -> None:
    name = ("abcdefghij" * 4)[:length]
    plot = section(page(changed(lines=(msgspec.structs.replace(FINE, name=name),), better={}, against={})), "Score")
    assert f'text-anchor="end">{label}</text>' in plot
    assert f"<title>{name}: 0.75 ± 0.125</title>" in plot


def test_without_spread_no_interval_is_shown() -> None:
    assert [interval(half) for half in (None, 0.0, 0.0004, 0.0005)] == ["", "", "", " ± 0.001"]
    assert shown(Estimate(1.0, 0.0, 0.0, 3)) == "1.000"
