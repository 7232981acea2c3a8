"""Marks become text in a theme's colours, and plain values for pages."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core.marks import Mark, group, keyed, mark, text_of


def test_a_mark_becomes_an_element() -> None:
    found = mark("path", d="M0 0", stroke_width=2.5, class_="line", opacity=None)
    assert text_of(found, {}) == '<path d="M0 0" stroke-width="2.5" class="line"/>'


def test_paints_take_the_colours_of_a_theme() -> None:
    found = group(mark("path", fill="$sea"), fill="none")
    assert text_of(found, {"sea": "#123456"}) == '<g fill="none"><path fill="#123456"/></g>'
    with pytest.raises(KeyError):
        text_of(found, {})


def test_text_and_attributes_are_escaped() -> None:
    found = mark("title", "<script>&", data_name='"<&')
    assert text_of(found, {}) == "<title data-name='\"&lt;&amp;'>&lt;script&gt;&amp;</title>"


def test_keys_are_for_pages_only() -> None:
    found = keyed("PAR", mark("use", href="#star"))
    assert text_of([found, "x"], {}) == '<use href="#star"/>x'
    assert msgspec.json.encode(found) == b'["use",{"data-key":"PAR","href":"#star"},[]]'


def test_plain_values_read_back() -> None:
    found = group(mark("text", "a", x=1.25), id="b")
    assert msgspec.json.decode(msgspec.json.encode(found), type=Mark) == found
