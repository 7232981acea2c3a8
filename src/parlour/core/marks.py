"""What pictures are made of: SVG elements whose paints have names, written as text or sent to pages as they are.

A drawer makes marks and knows no colours. Text takes the colours of one theme; a page takes the marks as plain values
and has the colours in its style sheet, so that it changes its theme without drawing anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

import msgspec

Value: TypeAlias = str | int | float
"""Of an attribute. A string that begins with $ is the name of a paint."""

PAINT = "$"


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """An element: its tag, its attributes, and what is inside it."""

    tag: str
    attributes: dict[str, Value]
    inside: tuple[Mark | str, ...] = ()


def mark(tag: str, *inside: Mark | str, **attributes: Value | None) -> Mark:
    """A mark; stroke_width means stroke-width, class_ means class, and an attribute that is None is left out."""
    named = {
        name.rstrip("_").replace("_", "-"): round(value, 2) if isinstance(value, float) else value
        for name, value in attributes.items()
        if value is not None
    }
    return Mark(tag, named, inside)


def group(*inside: Mark | str, **attributes: Value | None) -> Mark:
    """Marks that share attributes."""
    return mark("g", *inside, **attributes)


def keyed(key: str, found: Mark) -> Mark:
    """The mark with a key by which a page knows it again in the next frame."""
    return msgspec.structs.replace(found, attributes={"data-key": key, **found.attributes})


def text_of(marks: Mark | str | Iterable[Mark | str], paints: Mapping[str, str]) -> str:
    """The marks as SVG text in these colours; keys, which only pages need, are left out."""
    if isinstance(marks, str):
        return escape(marks)
    if not isinstance(marks, Mark):
        return "".join(text_of(part, paints) for part in marks)
    attributes = "".join(
        f" {name}={quoteattr(_written(value, paints))}"
        for name, value in marks.attributes.items()
        if name != "data-key"
    )
    if not marks.inside:
        return f"<{marks.tag}{attributes}/>"
    return f"<{marks.tag}{attributes}>{text_of(marks.inside, paints)}</{marks.tag}>"


def _written(value: Value, paints: Mapping[str, str]) -> str:
    if isinstance(value, str):
        return paints[value[1:]] if value.startswith(PAINT) else value
    return f"{value:g}"
