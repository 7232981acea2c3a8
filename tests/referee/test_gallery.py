"""The watchers of a match: who leaves leaves nothing behind, and nobody is told for whom there is no watcher."""

from __future__ import annotations

from parlour.core.player import Told
from parlour.core.viewers import OMNISCIENT, SPECTATOR
from parlour.referee.gallery import Gallery
from parlour.testing import NIM


def test_when_the_last_has_left_nobody_watches() -> None:
    gallery = Gallery(NIM)
    heard: list[Told] = []
    assert not gallery
    leaves = [gallery.watch(viewer, heard.append, 0) for viewer in (SPECTATOR, SPECTATOR, OMNISCIENT)]
    for leave in leaves:
        assert gallery
        leave()
        leave()
    assert not gallery
