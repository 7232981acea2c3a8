"""Markup: what is not markup is escaped, and attributes are written as browsers read them."""

from __future__ import annotations

from xml.etree import ElementTree

from parlour.core.markup import SVG, Html, document, joined, tag


def test_content_and_attributes_are_escaped_unless_they_are_markup() -> None:
    found = tag("p", "<b>", tag("b", "x & y"), None, title='"&', data_key="k", class_="wide", hidden=True, id=None)
    assert found == '<p title="&quot;&amp;" data-key="k" class="wide" hidden>&lt;b&gt;<b>x &amp; y</b></p>'
    assert isinstance(found, Html)
    assert tag("input", name="a", disabled=False) == '<input name="a">'
    assert joined([tag("i", "1"), tag("i", "2")], "\n") == "<i>1</i>\n<i>2</i>"


def test_a_plot_of_its_own_is_well_formed_xml() -> None:
    picture = tag("svg", tag("title", "<>"), tag("rect", width=1.5, height=2), xmlns=SVG, viewBox="0 0 1 1")
    root = ElementTree.fromstring(picture)
    assert picture.endswith('<rect width="1.5" height="2"/></svg>')
    assert [child.tag for child in root] == [f"{{{SVG}}}title", f"{{{SVG}}}rect"]
    assert root[0].text == "<>"


def test_a_page_of_its_own_has_its_title_and_its_style_unchanged() -> None:
    page = document("a < b", "p > i { color: red }", tag("p", "&"))
    assert page.startswith('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">')
    assert "<title>a &lt; b</title><style>p > i { color: red }</style></head>\n<body>\n<p>&amp;</p>\n</body>" in page
