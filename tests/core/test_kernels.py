"""Kernels run from source where that is wanted: every kernel, nothing else, and each as the module that it is."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from parlour.core import kernels
from parlour.core.kernels import all_compiled, is_compiled, prefer_source, uncompiled

KERNEL = "parlour.games.diplomacy.kernel.board"


def test_only_kernels_are_found_as_source_and_by_one_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(sys.meta_path)
    monkeypatch.setattr(sys, "meta_path", list(before))
    prefer_source()
    prefer_source()
    finder, *others = sys.meta_path
    assert others == before
    spec = finder.find_spec(KERNEL, None)
    assert spec
    assert spec.origin
    assert Path(spec.origin).parts[-2:] == ("kernel", "board.py")
    for other in ("parlour.games.diplomacy.kernel", "other.games.kernel.board", "parlour.core.text", KERNEL + "less"):
        assert finder.find_spec(other, None) is None, other


def test_a_kernel_from_source_is_beside_the_compiled_one() -> None:
    module = uncompiled("parlour.deepmind.kernel.lists")
    assert not is_compiled(module)
    assert module.__name__ not in sys.modules
    assert callable(module.unpack)


def test_whether_all_kernels_are_compiled_is_seen_by_their_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, elsewhere = tmp_path / "parlour" / "games" / "kernel", tmp_path / "other" / "kernel"
    for each in (folder, elsewhere):
        each.mkdir(parents=True)
    monkeypatch.setattr(kernels, "__file__", str(tmp_path / "parlour" / "core" / "kernels.py"))
    (elsewhere / "judge.py").write_text("import cython", encoding="utf-8")
    (folder / "__init__.py").write_text("# import cython", encoding="utf-8")
    (folder / "plain.py").write_text("x = 1", encoding="utf-8")
    assert all_compiled()
    for name in ("judge", "board"):
        (folder / f"{name}.py").write_text("import cython", encoding="utf-8")
        assert not all_compiled()
        (folder / f"{name}{EXTENSION_SUFFIXES[0]}").touch()
        assert all_compiled()
