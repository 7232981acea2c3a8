"""The picture of a run: well-formed, with a line for each figure that there is."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from parlour.training.curves import curves

NOTES: list[dict[str, Any]] = [
    {"step": 0, "held_loss": 3.0},
    {"step": 10, "loss": 2.0, "held_loss": 2.5, "words": "no number"},
    {"step": 20, "loss": 1.0, "held_loss": float("nan")},
]


def test_panels_and_lines() -> None:
    picture = curves(NOTES, {"loss & more": ("loss", "held_loss"), "words": ("words",), "flat": ("step",)})
    root = ElementTree.fromstring(picture)
    assert [group.find("{*}text").text for group in root.findall("{*}g")] == ["loss & more", "words", "flat"]  # type: ignore[union-attr]
    lines = [path for path in root.iter("{http://www.w3.org/2000/svg}path") if path.get("fill") == "none"]
    assert len(lines) == 3
    assert lines[0].get("d", "").count("L") == 1
    assert lines[1].get("d", "").count("L") == 1
    first = root.findall("{*}g")[0]
    assert [text.text for text in first.findall("{*}text[@text-anchor='end']")] == ["0", "1.5", "3", "20 steps"]
    grid = [path.get("d", "") for path in first.findall("{*}path") if path.get("fill") is None]
    assert grid == ["M46.0 194.0H374", "M46.0 120.0H374", "M46.0 46.0H374"]


def test_nothing_noted_is_an_empty_picture() -> None:
    assert ElementTree.fromstring(curves([], {"loss": ("loss",)})).tag.endswith("svg")
