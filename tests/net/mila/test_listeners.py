"""Notifications that a listener receives of all that wait, compiled and uncompiled."""

from __future__ import annotations

import random
from typing import Any

import pytest

from parlour.core.kernels import uncompiled
from parlour.net.mila.kernel import telling
from parlour.net.mila.notices import Listening, Notice, Waiting, notice, one_waiting, prefix_of, waiting_for
from support.hall.people import listener
from support.mila.wire import texts_of

KERNELS = [telling, uncompiled("parlour.net.mila.kernel.telling")]


def listening(role: str, sent: list[bytes], *, fork: bool = False, token: str = "t") -> Listening:
    prefix = prefix_of(token, b'"g"', b'"%s"' % role.encode())
    return Listening(token, listener(token), role, fork, prefix, lambda frames, quiet: sent.append(frames))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 1023, 1024, 1025, 65535, 65536, 70000])
def test_a_text_of_any_length_has_its_head(kernel: Any, length: int) -> None:
    text = b"x" * length
    assert texts_of(kernel.framed(text)) == [text]
    if length >= 30:
        waiting = [(b"x" * 10, b"x" * (length - 30), False, b"", None)]
        assert texts_of(kernel.frames_for(waiting, b"x" * 20, "FRANCE", False)) == [text]


def test_each_is_told_what_its_role_may_know_and_it_can_read_and_did_not_cause() -> None:
    sent: list[bytes] = []
    france = listening("FRANCE", sent)
    waiting = [
        *waiting_for([notice("to all"), notice("to the fork", fork_only=True)]),
        *waiting_for([notice("to some")], None, ("FRANCE", "ITALY")),
        *waiting_for([notice("to others")], None, {"ENGLAND"}),
        *waiting_for([notice("of another")], listening("ENGLAND", sent)),
        one_waiting(notice("of its own"), france, None),
        one_waiting(notice("of another token"), listening("FRANCE", sent, token="u"), None),
    ]
    france.tell(waiting)
    (frames,) = sent
    texts = texts_of(frames)
    assert all(text.startswith(france.prefix + b'"notification_id":"n') for text in texts)
    names = [text.partition(b'"name":"')[2].partition(b'"')[0].decode() for text in texts]
    assert names == ["to all", "to some", "of another", "of another token"]
    assert len({text[len(france.prefix) :].partition(b",")[0] for text in texts}) == 4, "ids of their own"
    france._replace(knows_fork=True).tell(waiting)
    assert len(texts_of(sent[1])) == 5
    listening("TURKEY", sent).tell(waiting[2:4])
    assert len(sent) == 2, "nothing is sent where there is nothing to tell"


def test_what_is_sent_is_the_same_compiled_and_uncompiled() -> None:
    chance, roles = random.Random(3), ["FRANCE", "ITALY", "observer_type"]
    prefixes = [prefix_of(token, b'"g"', b'"%s"' % role.encode()) for token in "ab" for role in roles]
    for _ in range(200):
        waiting: list[Waiting] = []
        for _ in range(chance.randrange(6)):
            found = Notice(b"x" * chance.choice((5, 90, 700, 1000, 70000)), chance.random() < 0.3)
            known, of, rest = one_waiting(found, None, None), chance.choice([b"", *prefixes]), set(roles[:2])
            waiting.append((*known[:3], of, chance.choice((None, rest, rest - {"FRANCE"}, ("observer_type",)))))
        for prefix in prefixes:
            for fork in (False, True):
                fast, slow = (kernel.frames_for(waiting, prefix, "FRANCE", fork) for kernel in KERNELS)
                assert fast == slow
