"""Pictures for pages: empty fields are left out, and a mark is a short list."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from parlour.core.marks import Mark
from parlour.core.pictures import ActionResult, Bond, Frame, Sheet, Turning


@pytest.mark.parametrize(
    ("made", "sent"),
    [
        (Sheet("k", (0, 0, 1, 1), (), {}), {"key": "k", "view": [0, 0, 1, 1], "layers": [], "paints": {}}),
        (Frame("n", "t", "s", {}), {"name": "n", "title": "t", "stage": "s", "layers": {}}),
        (ActionResult("FRANCE", "A PAR H"), {"seat": "FRANCE", "text": "A PAR H"}),
        (Turning(()), {"results": []}),
        (Bond("peace", ("FRANCE",)), {"kind": "peace", "seats": ["FRANCE"]}),
        (Mark("g", {"x": 1}), ["g", {"x": 1}, []]),
    ],
)
def test_what_is_not_said_is_not_sent(made: msgspec.Struct, sent: Any) -> None:
    assert msgspec.json.decode(msgspec.json.encode(made)) == sent
