"""Events as bytes: made once for all who look with the same eyes, and never the bytes of another event."""

from __future__ import annotations

from parlour.core.events import Left
from parlour.core.game import Seat
from parlour.core.player import Told
from parlour.net.encodings import OncePerView


def test_each_event_is_encoded_once_for_any_number_of_watchers() -> None:
    made: list[Told] = []

    def encode(told: Told) -> bytes:
        made.append(told)
        return b"%d" % told.k

    first, second = (Told(number, number, Left(float(number), Seat("red")), lambda: None) for number in range(2))
    once = OncePerView(encode)
    assert [once(told) for told in (first, first, first, second, second)] == [b"0", b"0", b"0", b"1", b"1"]
    assert made == [first, second]
