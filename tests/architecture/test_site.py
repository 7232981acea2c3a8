"""The documentation builds as a site without a broken link, and asks no other server for anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the built site; a warning fails the build."""
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(ROOT / "docs"), str(folder)]
    environment = {**os.environ, "PYTHONWARNINGS": ""}
    done = subprocess.run(build, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_no_page_asks_another_server_for_anything(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<(script|img|iframe)[^>]*\ssrc=[\"']?(https?:)?//", text), page
        assert not re.search(
            r"<link[^>]*rel=[\"']?(stylesheet|preconnect|preload)[^>]*href=[\"']?(https?:)?//", text
        ), page


def test_references_are_made_from_the_code(site: Path) -> None:
    commands = (site / "reference" / "cli.html").read_text(encoding="utf-8")
    names = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert "parlour press ledger" in commands
    assert re.search(r'id="parlour\.read_record"', names)
    assert "path" in names[names.index('id="parlour.read_record"') :][:2000], "signatures have their parameters"


def test_search_works_offline(site: Path) -> None:
    assert "ledger" in (site / "searchindex.js").read_text(encoding="utf-8")


def test_every_page_is_in_the_menu(site: Path) -> None:
    menu = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert name == "index.html" or f'href="{name}"' in menu, name
