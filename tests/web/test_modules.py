"""The modules of pages are typed: the compiler of TypeScript finds nothing in them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from parlour.web.packing import STATIC, module

TOOLS = Path(__file__).parents[2] / "tools" / "web"
TSC = TOOLS / "node_modules" / ".bin" / "tsc"


@pytest.mark.skipif(
    shutil.which("node") is None or not TSC.exists(), reason="typescript is not installed: run tools/web/install"
)
@pytest.mark.timeout(240)
def test_the_compiler_finds_nothing() -> None:
    done = subprocess.run([TSC, "-p", TOOLS / "tsconfig.json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: str(path.name))
def test_modules_say_what_they_are_for_and_make_no_markup_of_text(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("// ")
    assert text.count("\n") < 620
    for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert sink not in text
    assert all(line.count("`") % 2 == 0 for line in text.splitlines())  # bundles take indentation away


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: str(path.name))
def test_browsers_get_modules_without_comments_line_by_line(path: Path) -> None:
    sent, written = module(path.name).splitlines(), path.read_text(encoding="utf-8").splitlines()
    assert len(sent) == len(written)
    for line, source in zip(sent, written, strict=True):
        assert "/**" not in line
        assert "*/" not in line
        assert not line.lstrip().startswith("//")
        assert line in (source, "") or "/**" in source or "*/" in source  # nothing else is touched
